import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

@Suite struct `Ends that are no recovery` {
    private static let now = Moment.rehearsalStart
    private static let fallen = Figure(value: 0.97, share: Share(hits: 1_940, of: 2_000))

    /// An incident with a figure, and what its rule said at its end.
    private func message(_ end: Evidence, _ kind: Notification.Kind) -> Message {
        let span = TimeSpan(lasting: .hours(1), until: Self.now - .days(14))
        var incident = Incident(
            rule: "rule", subject: .shop, labels: [:], severity: .warning, since: Self.now - .days(14),
            evidence: Evidence(
                metric: "crash_free_users", figure: Self.fallen, span: span, reference: .usual(0.995), sentence: ""))
        (incident.state, incident.until, incident.evidence) = (.resolved, Self.now, end)
        let writer = MessageWriter(zone: .utc, words: .english, publicURL: nil, now: Self.now)
        return writer.message(Story(incident: incident, series: nil, whole: nil), kind)
    }

    private static let stayed: Evidence = {
        var evidence = Evidence(metric: "crash_free_users", figure: fallen, sentence: "")
        evidence.say(Phrase(.reasonStayed, [.period: .period(.days(14))]))
        return evidence
    }()
    private static let replaced = Evidence(saying: Phrase(.releaseReplaced, [.release: .text("5.3")]))

    @Test func `a fall that stays counts as usual, and nothing is said to be back`() {
        let message = message(Self.stayed, .resolved)
        #expect(message.headline == "⚪ shop: crash-free users 97.00% now counts as normal, after 14 d")
        #expect(message.reason == "It has stayed like this for 14 d, so it now counts as normal; it has not improved.")
    }

    @Test func `what a newer release has replaced says how bad it was`() {
        let message = message(Self.replaced, .resolved)
        #expect(
            message.headline
                == "⚪ shop: no longer the newest release; crash-free users 97.00% at worst (usually 99.50%)")
        #expect(message.fields.contains(Message.Field("At worst", "97.00%")), "\(message.fields)")
        #expect(message.fields.contains(Message.Field("Affected at worst", "60 of 2,000 users (3.00%)")))
        #expect(message.reason == "5.3 is the newest release now.")
    }

    @Test(arguments: [stayed, replaced])
    func `late figures make no recovery of it`(end: Evidence) {
        #expect(
            message(end, .revised).headline
                == "⚪ shop: ended after 14 d, crash-free users 97.00% at worst (usually 99.50%, figures corrected)")
    }
}
