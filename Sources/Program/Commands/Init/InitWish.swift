internal import BotConfig
internal import PluginKit
public import SystemPorts

/// What the command line says already, so that nobody is asked for it.
public struct InitWish: Sendable {
    /// Where the config goes.
    public var path: String
    /// The names of the plugins; nil to be asked.
    public var source: String?
    public var channel: String?
    /// `KEY=VALUE`: an option's name, with `source.` or `channel.` before it where both have it.
    public var settings: [String]
    /// Whether files that are there may be replaced.
    public var isForced: Bool
    /// Whether nobody is asked whether the credentials are right.
    public var isUntried: Bool
    /// Whether a test message is sent without asking.
    public var sendsTest: Bool
    public var format: TextOrJSON
    public var color: ColorChoice

    public init(
        path: String, source: String? = nil, channel: String? = nil, settings: [String] = [], isForced: Bool = false,
        isUntried: Bool = false, sendsTest: Bool = false, format: TextOrJSON = .text, color: ColorChoice = .auto
    ) {
        self.path = path
        self.source = source
        self.channel = channel
        self.settings = settings
        self.isForced = isForced
        self.isUntried = isUntried
        self.sendsTest = sendsTest
        self.format = format
        self.color = color
    }

    /// Whether everything is decided that can be, and only what must be there is asked for.
    var isComplete: Bool { source != nil && channel != nil }

    /// The values that are set for a plugin: by the option's name, for maps with the entry's name behind a dot.
    func values(for plugin: PluginDescription) throws(Failure) -> [(key: String, value: String)] {
        var values: [(String, String)] = []
        for setting in settings {
            let (key, value) = try InitWish.parts(setting)
            let kinds = [PluginKind.source, .channel].map(\.rawValue)
            let kind = kinds.first { key.hasPrefix($0 + ".") }
            if let kind, kind != plugin.kind.rawValue { continue }
            let own = kind.map { String(key.dropFirst($0.count + 1)) } ?? key
            let name = String(own.prefix { $0 != "." })
            guard plugin.manifest.options.contains(where: { $0.name == name }) else {
                if kind == nil { continue }
                throw Failure(
                    noOption: name, of: [plugin.manifest.name], known: plugin.manifest.options.map(\.name))
            }
            values.append((own, value))
        }
        return values
    }

    /// Settings that belong to neither plugin are mistakes.
    func checkSettings(_ plugins: [PluginDescription]) throws(Failure) {
        for setting in settings {
            let key = try InitWish.parts(setting).key
            let name = String(key.prefix { $0 != "." })
            if name == "source" || name == "channel" { continue }
            let owners = plugins.filter { $0.manifest.options.contains { $0.name == name } }
            if owners.isEmpty {
                throw Failure(
                    noOption: name, of: plugins.map(\.manifest.name),
                    known: Set(plugins.flatMap { $0.manifest.options.map(\.name) }))
            }
            if owners.count > 1 {
                throw Failure(
                    .wrongUsage,
                    "both \(owners[0].manifest.name) and \(owners[1].manifest.name) have '\(name)'; write source.\(name) or "
                        + "channel.\(name)")
            }
        }
    }

    private static func parts(_ setting: String) throws(Failure) -> (key: String, value: String) {
        guard let equals = setting.firstIndex(of: "="), equals > setting.startIndex else {
            throw Failure(
                .wrongUsage,
                "--set is '\(setting.quotable)', expected KEY=VALUE such as source.organization=shop")
        }
        return (String(setting[..<equals]), String(setting[setting.index(after: equals)...]))
    }
}
