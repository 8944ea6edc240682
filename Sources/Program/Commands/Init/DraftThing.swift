internal import BotConfig
internal import PluginKit

/// A source or a channel that is still to be written into a config.
struct DraftThing {
    let plugin: PluginDescription
    /// What was answered, by the options' names; what was left out is not there.
    var values: [String: DraftValue] = [:]
    /// Secrets that were typed, which get files of their own: by their paths, from the config's folder.
    var secrets: [String: String] = [:]

    /// Its name in the config: the plugin's own, until somebody has a better one.
    var name: String { plugin.manifest.name.replacing("_", with: "-") }

    /// The options for which whoever writes a first config is asked, going by what was answered so far.
    func isAsked(_ option: OptionSpec) -> Bool {
        switch option.asking {
        case .never: false
        case .always: true
        case .with(let other): values[other] != nil
        case .without(let other): values[other] == nil
        }
    }

    /// Its entry in the config, with a comment on every option: those that were left out are there to be taken in.
    var lines: [String] {
        var lines = ["\(name):", "  plugin: \(plugin.manifest.name)"]
        for option in plugin.manifest.options {
            if let value = values[option.name] {
                lines.append("  # \(option.help)")
                lines += value.lines(of: option.name).map { "  " + $0 }
            } else {
                let usual = option.defaultText.flatMap { $0 == option.writtenDefault ? nil : " Left out: \($0)." } ?? ""
                lines.append("  # \(option.name): \(option.writtenDefault ?? "…")    # \(option.help)\(usual)")
            }
        }
        return lines
    }
}

/// The value of an option as it is to be written.
enum DraftValue: Hashable {
    case text(String)
    case list([String])
    case map([DraftEntry])

    struct DraftEntry: Hashable {
        let name: String
        let value: String
    }

    func lines(of option: String) -> [String] {
        switch self {
        case .text(let text): ["\(option): \(text.inYAML)"]
        case .list(let texts): ["\(option): [\(texts.map(\.inYAML).joined(separator: ", "))]"]
        case .map(let entries): ["\(option):"] + entries.map { "  \($0.name.inYAML): \($0.value.inYAML)" }
        }
    }

    /// For whoever is asked again.
    var shown: String {
        switch self {
        case .text(let text): text
        case .list(let texts): texts.joined(separator: ", ")
        case .map(let entries): entries.map { "\($0.name): \($0.value)" }.joined(separator: "; ")
        }
    }
}
