internal import AlertCore
internal import PluginKit

/// The keys that each section knows, with the grammar of their values: what the reader takes and what the editor's
/// schema says are the same.
enum Vocabulary {
    static let include = "include"
    static let onCall = "oncall"
    /// What an included file may hold.
    static let includable = ["sources", "rules", "channels", "routes", onCall]
    /// Where things have their names: what could not be read of these may be what a name stands for that seems to be missing.
    static let naming = ["sources", "rules", "channels", onCall, include]
    static let network = "network"
    static let top = ["version", "bot", "polling", network] + includable + [include]
    /// A section of a later version: nobody is led to it, and whoever has it is told.
    static let plugins = "plugins"

    private static let bot = BotSettings.declared.map(\.spec)
    private static let polling = PollingSettings.ofAll.map(\.spec)
    private static let pacing = PollingSettings.ofSource.map(\.spec)
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

    /// Where a key is at home, for one that stands in the wrong place; nil when nobody knows it. Of several homes those that
    /// are most like the place: what is wrong in a channel is an option of another channel.
    static func home(of key: String, besides place: String, _ catalog: PluginCatalog) -> String? {
        let homes = homes(of: key, catalog)
        let near = homes.filter { home in
            ["source", "rule", "channel"].contains { place.hasPrefix($0) && home.hasPrefix("a \($0)") }
        }
        let named = near.isEmpty ? homes : near
        return named.isEmpty ? nil : named.joined(separator: ", or in ")
    }

    /// Whether anything of a config has a key of that name.
    static func knows(_ key: String, _ catalog: PluginCatalog) -> Bool {
        let common: [OptionSpec] = source + detector + gate + channel
        return common.names.contains(key) || !homes(of: key, catalog).isEmpty
    }

    private static func homes(of key: String, _ catalog: PluginCatalog) -> [String] {
        var homes: [String] = []
        if top.contains(key) { homes.append("the top level") }
        if bot.names.contains(key) { homes.append("'bot'") }
        if polling.names.contains(key) {
            homes.append(pacing.names.contains(key) ? "'polling' or a source" : "'polling'")
        }
        if backoff.names.contains(key) { homes.append("'backoff'") }
        if connection.names.contains(key) { homes.append("a source or a channel that speaks to a service") }
        if route.names.contains(key), key != "match" { homes.append("a route") }
        if NetworkSettings.all.map(\.name).contains(key) { homes.append("'\(network)'") }
        if rotation.names.contains(key) { homes.append("a rotation under '\(onCall)'") }
        let kinds: [(String, [any Plugin.Type])] = [
            ("a rule", catalog.detectors + catalog.gates), ("a source", catalog.sources),
            ("a channel", catalog.channels),
        ]
        for (what, plugins) in kinds {
            let names = plugins.map { $0.manifest }.filter { $0.options.names.contains(key) }.map { $0.name }
            if names.count > 3 {
                homes.append("\(what) of plugin \(names.prefix(2).joined(separator: ", ")) or others")
            } else if !names.isEmpty {
                homes.append("\(what) of plugin \(names.listed)")
            }
        }
        if homes.isEmpty, key == "match" || key == "repeat" { homes.append("a rule") }
        if homes.isEmpty, key == "plugin" { homes.append("a source, rule or channel") }
        return homes
    }

    /// What options are called that are secrets, the bot's own and those of all plugins.
    static func secretNames(_ catalog: PluginCatalog) -> Set<String> {
        let plugins: [any Plugin.Type] = catalog.sources + catalog.channels + catalog.detectors + catalog.gates
        let specs = bot + plugins.flatMap { $0.manifest.options }
        return Set(specs.filter(\.isSecret).names)
    }

    /// The one key of a section for an address, where somebody calls that in another way: `webhook` for `url`.
    static func address(for key: String, among known: [String]) -> String? {
        let words = ["url", "uri", "address", "endpoint", "webhook", "webhook_url", "hook", "link"]
        let meant = known.filter(words.contains)
        return words.contains(key) && meant.count == 1 ? meant[0] : nil
    }

    /// The one key of a section that a key is a part of: `routing_key` for `key`.
    static func whole(of part: String, among known: [String]) -> String? {
        let wholes = known.filter { key in
            !connection.names.contains(key) && (key.hasSuffix("_" + part) || key.hasPrefix(part + "_"))
        }
        return wholes.count == 1 ? wholes[0] : nil
    }
}

extension [OptionSpec] {
    var names: [String] { map(\.name) }
}
