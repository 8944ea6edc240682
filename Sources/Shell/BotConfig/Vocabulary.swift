internal import AlertCore
internal import PluginKit

/// The keys that each section knows, with the grammar of their values: what the reader takes and what the editor's
/// schema says are the same.
enum Vocabulary {
    static let include = "include"
    static let onCall = "oncall"
    /// What an included file may hold.
    static let includable = ["sources", "rules", "channels", "routes", onCall]
    static let network = "network"
    static let top = ["version", "bot", "polling", network] + includable + [include, "plugins"]

    private static let bot = BotSettings.declared.map(\.spec)
    private static let polling = PollingSettings.ofAll.map(\.spec)
    private static let backoff = [PollingSettings.factor.spec, PollingSettings.when.spec]

    static let plugin = RequiredSetting("plugin", .plain, "The plugin to use.").spec

    static let rotation = RotationSettings.all.map(\.spec)
    private static let source = [plugin] + (PollingSettings.ofSource + SourceSettings.all).map(\.spec)
    static let detector = [
        plugin, RuleSettings.match.spec, RuleSettings.reminder.spec, RuleSettings.runbook.spec,
        RuleSettings.links.spec, RuleSettings.template.spec,
    ]
    static let gate = [plugin, RuleSettings.match.spec, RuleSettings.timezone.spec]
    private static let channel = [
        plugin, ChannelSettings.acknowledged.spec, ChannelSettings.template.spec,
    ]
    private static let connection = ConnectionSettings.all.map(\.spec)

    /// What every source takes that is of a plugin of that kind; the same for channels below.
    static func source(_ manifest: PluginManifest) -> [OptionSpec] {
        manifest.isConnected ? source + connection : source
    }

    static func channel(_ manifest: PluginManifest) -> [OptionSpec] {
        manifest.isConnected ? channel + connection : channel
    }

    static let route = [
        RuleSettings.match.spec,
        RequiredSetting("to", .list(.name(of: .channel)), "The channels it leads to.").spec, continues.spec,
    ]
    static let continues = Setting(
        "continue", .flag, default: false, "Whether routes after this one are checked too.")

    /// Where a key is at home, for one that stands in the wrong place; nil when nobody knows it.
    static func home(of key: String, _ catalog: PluginCatalog) -> String? {
        if top.contains(key) { return "the top level" }
        if bot.names.contains(key) { return "'bot'" }
        if polling.names.contains(key) { return "'polling' or a source" }
        if backoff.names.contains(key) { return "'backoff'" }
        if connection.names.contains(key) { return "a source or a channel that speaks to a service" }
        if route.names.contains(key), key != "match" { return "a route" }
        if NetworkSettings.all.map(\.name).contains(key) { return "'\(network)'" }
        if rotation.names.contains(key) { return "a rotation under '\(onCall)'" }
        let homes: [(String, [any Plugin.Type])] = [
            ("a rule", catalog.detectors), ("a rule", catalog.gates), ("a source", catalog.sources),
            ("a channel", catalog.channels),
        ]
        for (what, plugins) in homes {
            if let plugin = plugins.first(where: { $0.manifest.options.contains { $0.name == key } }) {
                return "\(what) of plugin \(plugin.manifest.name)"
            }
        }
        return key == "match" || key == "repeat" ? "a rule" : key == "plugin" ? "a source, rule or channel" : nil
    }
}

extension [OptionSpec] {
    var names: [String] { map(\.name) }
}
