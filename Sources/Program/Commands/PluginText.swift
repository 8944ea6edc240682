public import BotConfig
public import Pictures
internal import PluginKit

/// What there is to know of plugins, as people read it in a terminal.
public struct PluginText {
    private let paint: Paint

    public init(_ paint: Paint) { self.paint = paint }

    /// Every plugin in a line, under its kind.
    public func list(_ plugins: [PluginDescription]) -> String {
        let width = plugins.map(\.manifest.name.count).max() ?? 0
        return PluginKind.allCases.map { kind in
            ([paint.bold(kind.rawValue + "s")]
                + plugins.filter { $0.kind == kind }.map {
                    "  " + $0.manifest.name.filled(to: width) + "  " + $0.manifest.summary
                }).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// One plugin: what it does, its options, an example.
    public func description(of plugin: PluginDescription) -> String {
        var parts = ["\(paint.bold(plugin.manifest.name)), a \(plugin.kind.rawValue)\n\(plugin.manifest.summary)"]
        parts.append(
            plugin.manifest.options.isEmpty
                ? "It has no options of its own."
                : paint.bold("Options") + "\n" + lines(plugin.manifest.options))
        if !plugin.common.isEmpty {
            parts.append(paint.bold("Options of every \(plugin.kind.rawValue)") + "\n" + lines(plugin.common))
        }
        if !plugin.manifest.access.isEmpty {
            parts.append(paint.bold("The credential") + "\n" + plugin.manifest.access.indented)
        }
        parts.append(paint.bold("Example") + "\n" + plugin.example.indented)
        return parts.joined(separator: "\n\n")
    }

    private func lines(_ options: [OptionSpec]) -> String {
        options.map { option in
            let kind = option.kind.words + (option.isRequired ? ", required" : "")
            let rest = option.defaultText.map { "; default: \($0)" } ?? ""
            return "  \(option.name)  \(paint.dim(kind + rest))\n      \(option.help)"
        }.joined(separator: "\n")
    }
}

extension String {
    /// Spaces behind it up to a width.
    fileprivate func filled(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Each line two spaces further to the right.
    fileprivate var indented: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n")
    }
}
