internal import AlertCore
internal import PluginKit

/// The keys that each section knows, with the grammar of their values: what the reader takes and what the editor's
/// schema says are the same.
enum Vocabulary {
    static let top = ["version", "bot", "polling", "sources", "rules", "channels", "routes", "plugins"]

    static let bot = [
        OptionSpec("name", .text, default: "alertbot", "The bot's name in messages."),
        OptionSpec("timezone", .text, default: "UTC", "The IANA time zone of quiet hours and of times in messages."),
        OptionSpec("state", .path, default: "./state", "The folder of the journal, the lock and the control socket."),
        OptionSpec("listen", .text, default: "127.0.0.1:8480", "HOST:PORT of the status page; off to have none."),
        OptionSpec("public_url", .url, "Where people reach the status page; without it messages carry no links to it."),
        OptionSpec("heartbeat", .url, "An address that is called after each full healthy cycle."),
        OptionSpec(
            "shutdown_grace", .duration(.zero ... .hours(1)), default: "20s", "How long a stop waits for deliveries."),
        OptionSpec("report_to", .name(of: .channel), "The channel for the bot's own troubles."),
    ]

    static let everyRange = Duration.seconds(1) ... .days(7)
    static let slowestRange = Duration.seconds(1) ... .days(30)
    static let timeoutRange = Duration.seconds(1) ... .hours(1)
    static let concurrencyRange = 1...256

    static let pacing = [
        OptionSpec("every", .duration(everyRange), default: "5m", "The usual time between polls."),
        OptionSpec("throttle", .duration(everyRange), default: "1m", "Never more often than this, whoever asks."),
        OptionSpec(
            "slowest", .duration(slowestRange), default: "30m",
            "Never less often than this: bounds the detection delay."
        ),
        OptionSpec("timeout", .duration(timeoutRange), default: "20s", "How long a request may take."),
        OptionSpec("jitter", .percentage, default: "10%", "How much of the interval is left to chance, at most 50%."),
        OptionSpec("backoff", .section(backoff), "When to poll less often, and by how much."),
    ]
    static let polling =
        pacing + [
            OptionSpec("concurrency", .integer(concurrencyRange), default: "8", "Polls in flight at once.")
        ]
    static let backoff = [
        OptionSpec("factor", .text, default: "2", "By how much the interval grows, from 1 to 10."),
        OptionSpec(
            "when", .list(.choice(PollReason.slowing.map(\.rawValue))), default: "all of them",
            "The reasons for polling less often."),
    ]

    static let plugin = OptionSpec("plugin", .text, required: true, "The plugin that does it.")
    private static let match = OptionSpec("match", .match, "What it is about: exact values, lists and globs.")
    static let reminder = OptionSpec(
        "repeat", .orOff(.duration(.minutes(1) ... .days(30))), default: "4h; off for rules that tell of events",
        "The time between reminders while it lasts.")

    static let source = [plugin] + pacing
    static let detector = [plugin, match, reminder]
    static let gate = [plugin, match]
    static let channel = [plugin]
    static let route = [
        match, OptionSpec("to", .list(.name(of: .channel)), required: true, "The channels it leads to."),
        OptionSpec("continue", .flag, default: "false", "Whether routes after this one are looked at too."),
    ]

    /// Where a key is at home, for one that stands in the wrong place; nil when nobody knows it.
    static func home(of key: String, _ catalog: PluginCatalog) -> String? {
        if top.contains(key) { return "the top level" }
        if bot.names.contains(key) { return "'bot'" }
        if polling.names.contains(key) { return "'polling' or a source" }
        if backoff.names.contains(key) { return "'backoff'" }
        if route.names.contains(key), key != "match" { return "a route" }
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
