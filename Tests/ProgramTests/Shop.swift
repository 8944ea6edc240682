import BotHarness

/// The config that most tests begin with, and lines of figures for it.
enum Shop {
    static let config = """
        version: 1
        bot:
          name: shop-alerts
          timezone: Europe/Madrid
          listen: off
        sources:
          figures: {plugin: file, path: ./figures.jsonl}
        rules:
          floor:
            plugin: threshold
            metric: crash_free_users
            warning: "< 99.5%"
            critical: "< 99%"
            window: 1h
        channels:
          ops: {plugin: webhook, url: "https://hooks.example.com/bot"}

        """

    /// Figures of one app over the hour that ends with `seen`, all on the night to 21 November 2026 unless said.
    static func line(_ app: String, crashed: Int, of users: Int = 10_000, seen: String = "2026-11-20T23:00:00Z")
        -> String
    {
        let from = seen.replacingHour(by: -1)
        return #"{"source":"figures","app":"\#(app)","from":"\#(from)","to":"\#(seen)","seen":"\#(seen)","#
            + #""metrics":{"users":\#(users),"crashed_users":\#(crashed)}}"# + "\n"
    }

    /// A folder with the config, in which environment variables need not be set.
    static func scratch(_ config: String = config, figures: String = "") throws -> Scratch {
        let scratch = try Scratch()
        try scratch.write("config.yaml", config)
        try scratch.write("figures.jsonl", figures)
        return scratch
    }
}

extension String {
    /// The instant with another hour of the same day; midnight itself has none before it.
    fileprivate func replacingHour(by step: Int) -> String {
        let hour = (Int(dropFirst(11).prefix(2)) ?? 0) + step
        return prefix(11) + (hour < 10 ? "0" : "") + "\(max(0, hour))" + dropFirst(13)
    }
}

extension Finished {
    /// The notifications of a preview in a few words each: time, app, kind, channel, decision, reason, until.
    var notifications: [String] {
        get throws {
            let json = try json
            var apps: [String: String] = [:]
            for incident in json["incidents"].elements { apps[incident["id"].string ?? ""] = incident["app"].string }
            return json["notifications"].elements.map { notification in
                let app = notification["incident"].string.map { apps[$0] ?? "?" } ?? "-"
                let words = ["kind", "channel", "decision", "reason"].map { notification[$0].string ?? "?" }
                let until = notification["until"].string.map { " until \($0)" } ?? ""
                return ([notification["at"].string ?? "?", app] + words).joined(separator: " ") + until
            }
        }
    }
}
