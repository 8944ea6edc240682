import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

/// What a message tells of how it was, and of how it is now.
@Suite struct `Worst and now` {
    private let now = Moment.rehearsalStart

    private func message(_ incident: Incident, _ kind: Notification.Kind, series: Series? = nil) -> Message {
        MessageWriter(zone: .utc, words: .english, publicURL: nil, now: now).message(
            Story(incident: incident, series: series, whole: nil), kind)
    }

    private func field(_ label: String, _ message: Message) -> String? {
        message.fields.first { $0.label == label }?.value
    }

    // MARK: - By what is usual

    private func fall(_ value: Double, from: Duration, to: Duration = .zero) -> Evidence {
        Evidence(
            metric: Metric.crashFreeSessions.name, figure: Figure(value: value, share: nil),
            span: TimeSpan(lasting: from - to, until: now - to), reference: .usual(0.998), sentence: "",
            phrase: Phrase(.reasonFall, [.count: .count(1), .period: .period(.days(90))]))
    }

    /// Half an hour of it was bad, hours ago; it is judged as a whole.
    private var fallen: Incident {
        var incident = Incident(
            rule: "fall", subject: .shop, labels: [:], severity: .warning, since: now - .minutes(210),
            evidence: fall(0.9757, from: .hours(4), to: .minutes(210)))
        incident.state = .firing
        incident.evidence = fall(0.9874, from: .hours(4))
        return incident
    }

    /// Ten minutes after ten minutes of four hours, better in the last.
    private var series: Series {
        var series = Series()
        for step in 1...24 {
            let end = now - .minutes(240) + .minutes(Int64(step) * 10)
            series.add(
                .figures(["sessions": 1_000, "crashed_sessions": step > 18 ? 5 : 15], at: end, lasting: .minutes(10)),
                keeping: .hours(6))
        }
        return series
    }

    @Test func `now is the last hour, and not the mean of a night`() {
        let opened = message(fallen, .opened, series: series)
        #expect(opened.headline == "🟠 shop: crash-free sessions 97.57% (usually 99.80%)")
        #expect(field("Now", opened) == "99.50% over the last 1 h")
        // Without figures of its own, it says of which time it is.
        #expect(field("Now", message(fallen, .opened)) == "98.74% over the last 4 h")
    }

    @Test func `a mean that is the worst is told with the last hour, too`() {
        var incident = fallen
        incident.worst = incident.evidence
        #expect(field("Now", message(incident, .reminder, series: series)) == "99.50% over the last 1 h")
        // Of an hour or less there is no other now.
        incident.evidence = fall(0.9874, from: .hours(1))
        incident.worst = incident.evidence
        #expect(field("Now", message(incident, .reminder, series: series)) == nil)
    }

    @Test(arguments: [Notification.Kind.opened, .reminder])
    func `the reason is that of the figure that is told`(kind: Notification.Kind) {
        let message = message(fallen, kind, series: series)
        #expect(message.headline.contains("97.57%"), "\(message.headline)")
        #expect(
            message.reason
                == "Not chance: by chance alone, a drop this deep over 30 min happens less than once in 90 d.")
    }

    @Test func `when it began is told where that is a quarter of an hour or more before it was noticed`() {
        var incident = fallen
        #expect(field("Began", message(incident, .opened)) == "about Fri 20 Nov 08:00 UTC")
        incident.evidence = fall(0.9757, from: .minutes(220))
        incident.worst = incident.evidence
        #expect(field("Began", message(incident, .opened)) == nil)
        // The window of a limit begins before any trouble.
        incident.evidence = figure(0.98, below: 0.99)
        incident.worst = incident.evidence
        #expect(field("Began", message(incident, .opened)) == nil)
    }

    @Test(arguments: [Notification.Kind.opened, .reminder])
    func `when it began does not move before the fall once the newest figures reach into good hours`(
        kind: Notification.Kind
    ) {
        var incident = fallen
        incident.evidence = fall(0.997, from: .hours(5))
        #expect(field("Began", message(incident, kind))?.hasPrefix("about Fri 20 Nov 08:00") == true)
    }

    // MARK: - By limits

    private func figure(_ value: Double, below limit: Double) -> Evidence {
        Evidence(
            metric: Metric.crashFreeUsers.name, figure: Figure(value: value, share: nil),
            limit: Comparison(.less, limit, isPercentage: true), span: TimeSpan(lasting: .hours(6), until: now),
            sentence: "")
    }

    /// It was worst while it was a warning, of few.
    private func worsened(worst: Double) -> Incident {
        var incident = Incident(
            rule: "floor", subject: .shop, labels: [:], severity: .critical, since: now - .hours(1),
            evidence: figure(worst, below: 0.99))
        incident.state = .firing
        incident.evidence = figure(0.9809, below: 0.985)
        return incident
    }

    @Test func `whoever hears of it only when it is critical reads how bad it was`() {
        let opened = message(worsened(worst: 0.9509), .opened)
        #expect(opened.headline == "🔴 shop: crash-free users 95.09% (alert below 98.5%)")
        #expect(field("Now", opened) == "98.09%")
        // For whom it got worse, what made it so is the news.
        let escalated = message(worsened(worst: 0.9509), .escalated)
        #expect(escalated.headline == "🔴 shop, now critical: crash-free users now 98.09% (alert below 98.5%)")
    }

    @Test func `of what is not watched while a source fails the first few are named`() {
        var story = Story(incident: worsened(worst: 0.9509), series: nil, whole: nil)
        story.unwatched = (1...7).map { "app-\($0)" }
        let message = MessageWriter(zone: .utc, words: .english, publicURL: nil, now: now).message(story, .reminder)
        #expect(field("Not watched meanwhile", message) == "app-1, app-2, app-3, app-4, app-5 and 2 more")
    }

    // MARK: - What comes and goes

    private func flapping(_ incident: Incident, _ words: Words = .english) -> Message {
        let writer = MessageWriter(zone: .utc, words: words, publicURL: nil, now: now)
        let story = Story(incident: incident, series: nil, whole: nil)
        var message = writer.message(story, incident.isOpen ? .opened : .resolved)
        writer.noteFlapping(&message, story)
        return message
    }

    @Test func `that it flaps stands first, with how bad it was and how it is now, and is neither green nor grey`() {
        var incident = worsened(worst: 0.9594)
        incident.evidence = figure(1, below: 0.985)
        (incident.state, incident.until) = (.resolved, now)
        let over = flapping(incident)
        #expect(over.headline == "🔴 shop is flapping: crash-free users 95.94% at worst, now 100.00% (alert below 99%)")
        #expect(over.mark == .critical)
        let spanish = flapping(incident, .spanish)
        #expect(
            spanish.headline.hasPrefix("🔴 shop oscila: usuarios sin fallos 95,94"),
            "\(spanish.headline)")
        incident.evidence = figure(0.9594, below: 0.985)
        incident.worst = incident.evidence
        (incident.state, incident.until) = (.firing, nil)
        #expect(flapping(incident).headline == "🔴 shop is flapping: crash-free users 95.94% (alert below 98.5%)")
    }
}
