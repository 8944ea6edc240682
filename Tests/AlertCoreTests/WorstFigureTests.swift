import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

@Suite struct `The worst figure of a message about many` {
    private let now = Moment.rehearsalStart

    /// An incident of a floor, or of an issue where it has no figure.
    ///
    /// - Parameter figure: how it is by now, where that is not the worst.
    private func member(
        _ app: String, worst: Double?, now figure: Double? = nil, _ severity: Severity = .critical,
        _ kind: Notification.Kind = .reminder, state: Incident.State = .firing, _ standing: Standing = Standing()
    ) -> Member {
        func evidence(_ value: Double?) -> Evidence {
            guard let value else { return Evidence(sentence: "new issue: Boom") }
            return Evidence(
                metric: Metric.crashFreeUsers.name, figure: Figure(value: value, share: nil),
                limit: Comparison(.less, 0.99, isPercentage: true), sentence: "")
        }
        var incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: app), labels: [:], severity: severity,
            since: now - .hours(2), evidence: evidence(worst))
        incident.state = state
        if let figure { incident.evidence = evidence(figure) }
        let notification = Notification(incident: incident, kind: kind, severity: severity, channel: "team")
        return Member(notification: notification, standing: standing, reason: .first)
    }

    private func message(_ members: Member...) -> Message {
        MessageWriter(zone: .utc, words: .english, publicURL: nil, now: now).message(
            Portion(members: members[...], number: 1, count: 1), Gathering(gate: "few", style: .digest), why: nil,
            issues: [])
    }

    @Test func `is the one that its line tells, though it is better by now`() {
        let message = message(member("bank", worst: 0.94, now: 0.985), member("shop", worst: 0.96, now: 0.988))
        #expect(
            message.headline == "🔴 2 firing, worst: crash-free users 94.00% (alert below 99%) · bank, shop "
                + "(held until now by few)")
        #expect(message.lines.first?.contains("94.00% at worst") == true, "\(message.lines)")
    }

    @Test func `is not told where something is over, out of sight or not kept, as that may have been worse`() {
        var silent = member("shop", worst: 0.9)
        silent.silence = Silence(since: now - .minutes(40), cause: .vanished)
        var hold = Hold(
            kind: .opened, severity: .critical, reason: .flapping, since: now, until: now, checkAgain: now,
            summarizes: true)
        hold.countsFor = 3
        let others = [
            member("shop", worst: 0.9, .critical, .digest, state: .resolved), silent,
            member("shop", worst: 0.95, .critical, .opened, Standing(hold: hold)),
        ]
        for other in others {
            let headline = message(member("bank", worst: 0.94), other).headline
            #expect(!headline.contains("worst"), "\(headline)")
        }
    }

    @Test func `is not told beside one that was worse, though that is milder by now`() {
        let headline = message(
            member("bank", worst: 0.94), member("shop", worst: 0.9, now: 0.992, .warning)
        ).headline
        #expect(!headline.contains("worst"), "\(headline)")
        #expect(!headline.contains("94.00%"), "it would be taken for that of both: \(headline)")
    }

    /// After flapping nearly always something is over, and the headline had no figure of what goes on.
    @Test(arguments: [(0.95, ", worst"), (0.94, ", worst"), (0.9, "")])
    func `beside what is over is told what goes on, as the worst where nothing was worse`(past: Double, claim: String) {
        let headline = message(
            member("bank", worst: 0.94, .critical, .opened),
            member("bank", worst: past, .critical, .digest, state: .resolved)
        ).headline
        #expect(
            headline == "🔴 1 firing, 1 came and went\(claim): crash-free users 94.00% (alert below 99%) · bank "
                + "(held until now by few)")
    }

    @Test func `beside what was more severe and is over it is not called the worst`() {
        let headline = message(
            member("bank", worst: 0.94, .warning, .opened),
            member("shop", worst: 0.95, .critical, .digest, state: .resolved)
        ).headline
        #expect(
            headline.hasPrefix("🟠 1 firing, 1 came and went: crash-free users 94.00% (alert below 99%) · "),
            "\(headline)")
    }

    @Test(arguments: [(Severity.critical, true), (.warning, false)])
    func `is told beside an issue that has none, where it is as severe`(severity: Severity, isTold: Bool) {
        let headline = message(
            member("bank", worst: nil, .critical, .opened), member("shop", worst: 0.94, severity, .opened)
        ).headline
        #expect(headline.contains(", worst: crash-free users 94.00% (alert below 99%) · ") == isTold, "\(headline)")
    }
}
