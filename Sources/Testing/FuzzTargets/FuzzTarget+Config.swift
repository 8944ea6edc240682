internal import BotConfig
internal import HTTPJSONSource
internal import PluginKit
internal import QuietHoursGate
internal import ThresholdDetector
internal import WebhookChannel

extension FuzzTarget {
    private static let catalog = PluginCatalog(
        sources: [HTTPJSONSource.self], detectors: [ThresholdDetector.self], gates: [QuietHoursGate.self],
        channels: [WebhookChannel.self])

    /// What every secret is; nobody may ever read it.
    private static let secret = "s3cr3t-of-nobody"

    /// A world in which every variable is set and every file has a secret.
    private static let surroundings = ConfigSurroundings(
        variable: { _ in secret }, file: { _ throws(ConfigSurroundings.Missing) in Array(secret.utf8) },
        credentialsFolder: "/credentials", zones: ZoneDatabase())

    /// A config: it is taken, or there is a mistake with a place; and no mistake quotes a secret.
    static let config = FuzzTarget(
        "config",
        seeds: [
            """
            version: 1
            bot: {name: shop, timezone: UTC, listen: "127.0.0.1:8480", token: "${file:token}"}
            sources:
              own:
                plugin: http_json
                url: https://stats.example.com/a.json
                headers: {Authorization: "Bearer ${env:TOKEN}"}
                each: $.apps[*]
                map: {app: $.name, users: $.users, crashed_users: $.crashed}
            rules:
              floor: &floor {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", window: 1h, for: 10m}
              other: {<<: *floor, match: {app: "shop-*"}}
              nights: {plugin: quiet_hours, days: mon-fri, between: 22:00-07:00, then: hold}
            channels:
              team: {plugin: webhook, url: "${env:HOOK}", secret: "whsec_AAAA"}
            routes:
              - match: {severity: critical}
                to: [team]
            """,
            "sources: {a: {plugin: http_json}}\nchannels: {b: {plugin: webhook}}\ninclude: [teams/*.yaml]\n",
            "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n",
        ],
        words: [
            "plugin: ", "threshold", "quiet_hours", "webhook", "http_json", "${env:", "${file:", "${credential:", "$${",
            "&a ", "*a", "<<: ", "polling: ", "every: 5m", "timezone: ", "match: ", "routes:", "include: ", "!!str ",
            "%YAML 1.1", "--- ", "...", "\u{FEFF}", "? ", "| ", ">-",
        ]
    ) { bytes in
        let result = Config.load(bytes, folder: "/etc/bot", catalog: catalog, surroundings: surroundings)
        let isRight = !result.problems.contains { $0.level == .error }
        guard (result.config != nil) == isRight else { return "it was neither taken nor refused" }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline
        )
        .map(String.init)
        let isWritten = lines.contains { $0.contains(secret) }
        for problem in result.problems {
            guard problem.position.line >= 1, problem.position.column >= 1 else { return "a mistake without a place" }
            let text = problem.text(file: "config.yaml", lines: lines)
            guard isWritten || !text.contains(secret) else { return "a mistake quotes a secret: \(text)" }
        }
        return nil
    }
}
