internal import PluginKit

/// The keys that each section knows.
enum Vocabulary {
    static let top = ["version", "bot", "polling", "sources", "rules", "channels", "routes", "plugins"]
    static let bot = [
        "name", "timezone", "state", "listen", "public_url", "heartbeat", "shutdown_grace", "report_to",
    ]
    static let pacing = ["every", "throttle", "slowest", "timeout", "jitter", "backoff"]
    static let polling = pacing + ["concurrency"]
    static let backoff = ["factor", "when"]
    static let source = ["plugin"] + pacing
    static let detector = ["plugin", "match", "repeat"]
    static let gate = ["plugin", "match"]
    static let channel = ["plugin"]
    static let route = ["match", "to", "continue"]

    /// Where a key is at home, for one that stands in the wrong place; nil when nobody knows it.
    static func home(of key: String, _ catalog: PluginCatalog) -> String? {
        if top.contains(key) { return "the top level" }
        if bot.contains(key) { return "'bot'" }
        if polling.contains(key) { return "'polling' or a source" }
        if backoff.contains(key) { return "'backoff'" }
        if route.contains(key), key != "match" { return "a route" }
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
