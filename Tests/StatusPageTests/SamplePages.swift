import AlertModel
import TimeZones

@testable import StatusPage

// What a bot may have to show, with every part filled.

extension Moment {
    static let friday = Moment(milliseconds: 1_795_212_300_000)  // 2026-11-20T22:05:00Z
}

extension PageDelivery {
    static func sample(_ id: String, isDead: Bool, headline: String = "🔴 shop/ios: 98.3 %") -> PageDelivery {
        PageDelivery(
            id: id, at: .friday, channel: "team", kind: .opened, headline: headline,
            incidents: ["3f9a"], outcome: isDead ? "failed" : "delivered", isDead: isDead,
            why: isDead ? "410 Gone: the webhook was removed" : nil)
    }
}

extension PageIncident {
    static func sample(_ id: String = "3f9a", headline: String = "🔴 shop/ios: 98.3 %") -> PageIncident {
        var message = Message(kind: .reminder, severity: .critical, at: .friday, headline: headline)
        message.fields = [Message.Field("Users affected", "41 of 1,881")]
        message.links = [
            Message.Link("Dashboard", "https://dash.example.com/shop"),
            Message.Link("Incident", "https://alerts.example.com/incidents/3f9a", isOwn: true),
            Message.Link("Acknowledge", "https://alerts.example.com/ack?incident=3f9a", isOwn: true),
        ]
        return PageIncident(
            id: id, message: message, state: .firing, lasting: "since Fri 20 Nov 22:05 UTC, for 12 min",
            carers: "ana", muted: "muted until Sat 21 Nov 00:05 UTC by bo")
    }
}

extension PageChart {
    static func sample(_ figures: [Double] = [0.995, 0.996, 0.983], limit: Double? = 0.99) -> PageChart {
        PageChart(
            points: figures.enumerated().map { Point(at: .friday - .hours(Int64(figures.count - $0)), figure: $1) },
            limit: limit, usual: 0.995, isRate: true, from: .friday - .hours(24), to: .friday,
            title: "Crash-free users over the last 24 h")
    }
}

extension PagePicture {
    static func sample(_ figures: [Double] = [0.995, 0.996, 0.983], limit: Double = 0.99) -> PagePicture {
        let points = PageChart.sample(figures).points
        var picture = PagePicture(
            lines: [Line(name: nil, points: points), Line(name: "5.2.0", points: points)], isRate: true,
            from: .friday - .hours(24), to: .friday, zone: .utc, title: "Crash-free users of shop over 1d")
        picture.limits = [Limit(value: limit, words: "below 99% (floor)")]
        picture.usual = 0.995
        picture.stretches = [
            Stretch(id: "3f9a", from: .friday - .hours(2), to: nil, severity: .critical, words: "critical (floor)")
        ]
        picture.marks = [
            Mark(.message, at: .friday - .hours(2), words: "opened: <b>fell</b>"),
            Mark(.release, at: .friday - .hours(20), words: "5.2.0"),
            Mark(.release, at: .friday - .hours(20), words: "5.2.0-beta.1+build.77"),
        ]
        return picture
    }
}

extension PageApp {
    static func sample(_ name: String = "shop/ios") -> PageApp {
        PageApp(
            name: name, source: "ios", seen: .friday, age: "2 min ago",
            verdicts: [
                PageVerdict(
                    rule: "crash-free-floor", about: "5.2.0", tone: .firing(.critical), metric: "Crash-free users",
                    figure: "98.30%", limit: "below 99%", chart: .sample()),
                PageVerdict(
                    rule: "drop", about: nil, tone: .unknown, metric: nil, figure: nil, limit: nil,
                    chart: nil),
            ])
    }
}

extension Overview {
    static func sample(apps: String? = nil) -> Overview {
        var overview = Overview()
        overview.incidents = [.sample()]
        overview.open = [.critical: 1, .warning: 3]
        overview.apps = apps == "nothing" ? [] : [.sample()]
        overview.appCount = apps == "nothing" ? 0 : 7
        overview.sources = [
            PageSource(
                name: "ios", state: "fails", isWell: false, pace: "every 1 min; next poll in 20 s (failing)",
                trouble: "503 Service Unavailable", lastGood: .friday)
        ]
        overview.sourceCount = 12
        overview.illSourceCount = 3
        overview.channels = [
            PageChannel(
                name: "team", isInbox: false, lastDelivered: .friday, queued: 2, dead: [.sample("d-2", isDead: true)],
                deadCount: 1, trouble: "3 failed attempts, the last: 503")
        ]
        overview.mutes = [
            PageMute(
                id: "a1b2c3", name: "a1b2c3", covers: "app shop-*", from: .friday, until: .friday + .hours(2),
                isInForce: true, by: "ana", reason: "hotfix"),
            PageMute(
                id: nil, name: "night", covers: "everything", from: .friday + .hours(1), until: nil, isInForce: false,
                by: nil, reason: nil),
        ]
        return overview
    }
}

extension IncidentStory {
    static func sample(headline: String = "🔴 shop/ios: 98.3 %") -> IncidentStory {
        IncidentStory(
            id: "3f9a", incident: .sample(headline: headline), headline: headline, chart: .sample(),
            why: ["shop/ios from ios: rule crash-free-floor\n  beyond its limit"],
            deliveries: [.sample("d-1", isDead: false, headline: headline)])
    }
}

extension AppStory {
    static func sample(_ name: String) -> AppStory {
        AppStory(
            name: name, apps: [.sample(name)], incidents: [.sample()], pictures: [.sample()],
            issues: [Message.IssueLine(title: "NPE", detail: "40 events", url: "https://sentry.io/1")],
            deliveries: [.sample("d-1", isDead: false)], why: ["because"])
    }
}
