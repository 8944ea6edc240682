internal import AlertCore
internal import BotConfig
internal import BuiltinPlugins
internal import PluginKit
internal import PluginTesting
internal import Preview
internal import TimeZones

/// A shop with every kind of channel, a night in which only the worst passes, and a day of figures.
enum Shop {
    static let config = config(critical: "< 99%", holdTime: "0s")

    /// The same shop with every chat that takes messages at a webhook, too.
    static let chats = config(
        critical: "< 99%", holdTime: "0s", more: moreChats)

    static let moreChats = [
        "discord: {plugin: discord, webhook: \"https://discord.com/api/webhooks/1/s3cr3t\"}",
        "teams: {plugin: teams, webhook: \"https://hooks.example.com/teams/s3cr3t\"}",
        "mattermost: {plugin: mattermost, webhook: \"https://chat.example.com/hooks/s3cr3t\"}",
        "rocketchat: {plugin: rocketchat, webhook: \"https://rocket.example.com/hooks/5f/s3cr3t\"}",
        "mail: {plugin: email, server: smtp.example.com, username: bot, password: s3cr3t, from: a@example.com, "
            + "to: b@example.com}",
        "phone: {plugin: ntfy, topic: s3cr3t}",
        "telegram: {plugin: telegram, token: \"1:s3cr3t\", chat: \"-1001\"}",
        "google: {plugin: google_chat, webhook: \"https://chat.example.com/v1/spaces/A/messages?key=k&token=s3cr3t\"}",
    ]

    /// The same shop with rules that somebody wants to change.
    static func config(
        critical: String, holdTime: String, more channels: [String] = [], bot: String = "", gate: String = ""
    )
        -> Config
    {
        let text = """
            version: 1
            bot: {name: shop-alerts, timezone: Europe/Madrid, listen: off\(bot)}
            sources:
              ios: {plugin: file, path: a.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "\(critical)",
                      window: 1h, for: \(holdTime), confidence: 95%}
              nights: {plugin: quiet_hours, between: 22:00-07:00, except: critical}
              \(gate)
            channels:
              team: {plugin: slack, webhook: "https://hooks.slack.com/services/T0/B0/s3cr3t"}
              oncall: {plugin: matrix, homeserver: "https://matrix.example.org", room: "!abc:example.org",
                       token: s3cr3t}
              ops: {plugin: webhook, url: "https://hooks.example.com/bot"}
              pager: {plugin: pagerduty, routing_key: s3cr3t89abcdef0123456789abcdef01}
              page: {plugin: inbox}
              log: {plugin: console}
            \(channels.map { "  " + $0 }.joined(separator: "\n"))
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in nil },
            file: { _ throws(ConfigSurroundings.Missing) in throw ConfigSurroundings.Missing("there are no files") },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(text.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
        guard let config = result.config else { preconditionFailure("\(result.problems)") }
        return config
    }

    static let start = Moment(milliseconds: 1_795_132_800_000)

    /// One hour after the other, or every so many, how many of 10,000 users each app crashed for.
    static func hours(
        _ apps: [(app: String, crashed: [Int])], title: String = "NullPointerException in CartView",
        every step: Int64 = 1
    ) -> [ObservationReader.Batch] {
        let count = apps.map(\.crashed.count).max() ?? 0
        return (0..<count).map { hour in
            let now = start + .hours((Int64(hour) + 1) * step)
            return ObservationReader.Batch(
                seen: now,
                lines: apps.compactMap { app, crashed in
                    guard hour < crashed.count else { return nil }
                    let issue = Issue(
                        id: "SHOP-12", title: title, events: Double(crashed[hour]), users: Double(crashed[hour]),
                        url: "https://crashes.example.com/1")
                    return .observed(
                        Observation(
                            subject: Subject(source: "ios", app: app, environment: "production"),
                            span: TimeSpan(lasting: .hours(1), until: now), seen: now,
                            metrics: ["users": 10_000, "crashed_users": Double(crashed[hour])],
                            issues: crashed[hour] > 30 ? [issue] : []))
                })
        }
    }

    static func preview(
        _ batches: [ObservationReader.Batch], _ config: Config = Shop.config, isTraced: Bool = false
    ) -> Preview {
        var playback = Playback(config.plan, isTraced: isTraced)
        for batch in batches { playback.feed(batch) }
        return playback.finish(now: start)
    }

    static func dryRun(
        _ batches: [ObservationReader.Batch], _ config: Config = Shop.config, channel: String? = nil
    ) -> PreviewReport {
        PreviewReport(preview(batches, config), channels: config.channels, only: channel)
    }

    static func backtest(_ batches: [ObservationReader.Batch], _ config: Config = Shop.config) -> BacktestReport {
        BacktestReport(preview(batches, config, isTraced: true), channels: config.channels)
    }

    /// A day on which it breaks in the afternoon, is fixed, and is a little bad at night.
    static let badDay = [9, 10, 8, 12, 9, 240, 310, 120, 9, 8, 11, 9, 9, 80, 85, 9, 10, 9]

    /// Words that try everything a page or a terminal could fall for.
    static let hostile =
        SampleMessages.hostileTitle + "<script>alert(1)</script>\" onmouseover=\"x\u{1B}[31m\u{9B}2J\u{202E}tfel\u{7}"
}
