import AlertTesting
import PluginKit
import PluginTesting
import ReleaseDetector
import Testing

@Suite struct `The hours over which releases are compared` {
    private static let start = Moment.rehearsalStart

    private func subject(_ release: String?) -> Subject { Subject(source: "ios", app: "shop", release: release) }

    /// What figures of a span say, and how late they are seen.
    private func observation(
        _ metrics: Metrics, of release: String?, until end: Moment, lasting length: Duration, late: Duration = .zero
    ) -> Observation {
        Observation(
            subject: subject(release), span: TimeSpan(lasting: length, until: end), seen: end + late, metrics: metrics)
    }

    /// Five minutes after five minutes: 5.1 has been there for seven hours, 5.2 since the start. Gives what is found
    /// after each of them since then.
    ///
    /// - Parameter bad: the share of sessions of 5.1 and of 5.2 that crash in the five minutes of that number since the
    ///   start.
    private func findings(minutes: Int64, bad: (Int64) -> (old: Double, new: Double)) throws -> [Finding] {
        let options: WrittenOptions = ["metric": "crash_free_sessions", "worse_by": "0.2pp", "critical": "1pp"]
        let rule = try options.detector(ReleaseDetector.self)
        var (app, old, new) = (Series(), Series(), Series())
        var findings: [Finding] = []
        for step in -84..<minutes / 5 {
            let end = Self.start + .minutes(5 * (step + 1))
            let bad = bad(step)
            func add(_ sessions: Double, _ rate: Double, _ release: String?, to series: inout Series) {
                let metrics: Metrics = ["sessions": sessions, "crashed_sessions": sessions * rate]
                series.add(observation(metrics, of: release, until: end, lasting: .minutes(5)), keeping: .hours(6))
            }
            add(1000, bad.old, "5.1", to: &old)
            add(1200, (1000 * bad.old + 200 * bad.new) / 1200, nil, to: &app)
            guard step >= 0 else { continue }
            add(200, bad.new, "5.2", to: &new)
            findings += rule.findings(
                in: Sight(
                    subject(nil), app, parts: [Sight.Entry(subject("5.1"), old), Sight.Entry(subject("5.2"), new)]),
                at: end)
        }
        return findings
    }

    @Test func `an outage that hits both alike is no bad release, however young the new one is`() throws {
        let findings = try findings(minutes: 300) { step in
            let rate = (4..<12).contains(step) ? 0.05 : 0.01
            return (rate, rate)
        }
        #expect(findings.count == 60)
        for finding in findings {
            #expect(finding.judgement.verdict == .ok(recovered: true), "\(finding.judgement.evidence.sentence)")
        }
    }

    @Test func `a bad release is compared with the hours that it has been out, and so is what it costs`() throws {
        let findings = try findings(minutes: 35) { step in (step < 0 ? 0.1 : 0.01, 0.05) }
        #expect(findings.last?.judgement.verdict == .firing(.critical))
        #expect(
            findings.last?.judgement.evidence.sentence
                == "crash-free sessions 95.00% of 1,400 sessions, 4pp worse than 5.1 (99.00% of 7,000 sessions) in the "
                + "same 35 min, with 95% confidence across all of a day's checks; 16.67% of sessions have it, which "
                + "costs the app 0.667pp of the 1.67% it loses")
    }

    /// How a source tells of spans, and after how many polls of which nothing else is known the new release is judged.
    struct Source: Sendable, CustomTestStringConvertible {
        let why: String
        let length: Duration
        let every: Duration
        var late = Duration.zero
        /// Whether the bot has seen the older release alone before.
        var seesItComeOut = true
        let polls: Int

        var testDescription: String { why }
    }

    static let sources = [
        Source(why: "rolling spans, of which half must have passed", length: .hours(6), every: .minutes(5), polls: 36),
        Source(
            why: "rolling spans, told late", length: .hours(6), every: .minutes(30), late: .hours(9), polls: 6),
        Source(why: "spans one after the other", length: .hours(1), every: .hours(1), polls: 1),
        Source(why: "days that are told two days later", length: .days(1), every: .days(1), late: .days(2), polls: 1),
        Source(
            why: "releases that were there before the bot", length: .hours(6), every: .minutes(5),
            seesItComeOut: false, polls: 1),
    ]

    @Test(arguments: sources, ["crash_free_users", "crash_free_sessions"])
    func `a release is judged when it has been out for half of a span`(_ source: Source, metric: String) throws {
        let rule = try (["metric": .text(metric)] as WrittenOptions).detector(ReleaseDetector.self)
        var (old, new) = (Series(), Series())
        var judged: Int?
        for poll in (source.seesItComeOut ? -10 : 1)...40 where judged == nil {
            let end = Self.start + source.every.scaled(by: Double(poll))
            func add(_ total: Double, _ bad: Double, _ release: String, to series: inout Series) {
                let metrics: Metrics = [
                    "users": total, "crashed_users": bad, "sessions": total, "crashed_sessions": bad,
                ]
                series.add(
                    observation(metrics, of: release, until: end, lasting: source.length, late: source.late),
                    keeping: .hours(6))
            }
            add(20_000, 80, "5.1", to: &old)
            guard poll > 0 else { continue }
            add(4000, 100, "5.2", to: &new)
            let sight = Sight(
                subject(nil), parts: [Sight.Entry(subject("5.1"), old), Sight.Entry(subject("5.2"), new)])
            let finding = try #require(rule.findings(in: sight, at: end + source.late).first)
            if finding.judgement.verdict == .firing(.warning) { judged = poll }
            guard judged == nil else { continue }
            let out = source.every.scaled(by: Double(poll))
            #expect(
                finding.judgement.verdict
                    == .unknown(
                        "waiting until it has been out for half of the \(source.length.short) that are compared: "
                            + "\(out.short) so far"))
        }
        #expect(judged == source.polls)
    }

    @Test func `a fix of an older line is no measure of a newer release before it has been out as long`() throws {
        let rule = try ([:] as WrittenOptions).detector(ReleaseDetector.self)
        var parts = ["5.1", "5.1.9", "5.2"].map { Sight.Entry(subject($0), Series()) }
        for poll in 1...46 as ClosedRange<Int64> {
            for (index, bad) in [80.0, 8, 100].enumerated() where index != 1 || poll > 10 {
                var series = parts[index].series
                series.add(
                    observation(
                        ["users": 20_000, "crashed_users": bad], of: parts[index].subject.release,
                        until: Self.start + .minutes(5 * poll), lasting: .hours(6)), keeping: .hours(6))
                parts[index] = Sight.Entry(parts[index].subject, series)
            }
            let findings = rule.findings(in: Sight(subject(nil), parts: parts), at: Self.start + .minutes(5 * poll))
            let sentence = try #require(findings.first).judgement.evidence.sentence
            let older = poll < 46 ? "5.1 (99.60%" : "5.1.9 (99.960%"
            #expect(sentence.contains("worse than \(older)"), "\(sentence)")
        }
    }

    @Test(
        arguments: [
            // The spans of 5.1 and 5.2 in minutes before noon, and what is waited for.
            ((360, 0), (360, 0), nil), ((360, 0), (355, 5), nil),
            ((360, 0), (35, 0), "waiting for figures of the same hours: it has 35 min, 5.1 has 6 h"),
            ((35, 0), (360, 0), "waiting for figures of the same hours: it has 6 h, 5.1 has 35 min"),
            ((480, 120), (360, 0), "waiting for figures of the same hours: it has 6 h, 5.1 has 6 h"),
        ] as [((Int64, Int64), (Int64, Int64), String?)])
    func `users, who do not add up, are compared when both were counted over the same hours`(
        old: (Int64, Int64), new: (Int64, Int64), waits: String?
    ) throws {
        let rule = try ([:] as WrittenOptions).detector(ReleaseDetector.self)
        func part(_ release: String, _ minutes: (Int64, Int64), _ metrics: Metrics) -> Sight.Entry {
            var series = Series()
            let end = Self.start - .minutes(minutes.1)
            var observation = observation(
                metrics, of: release, until: end, lasting: .minutes(minutes.0 - minutes.1))
            observation.seen = Self.start
            series.add(observation, keeping: .hours(6))
            return Sight.Entry(subject(release), series)
        }
        let parts = [
            part("5.1", old, ["users": 20_000, "crashed_users": 80]),
            part("5.2", new, ["users": 4000, "crashed_users": 100]),
        ]
        let findings = rule.findings(in: Sight(subject(nil), parts: parts), at: Self.start)
        #expect(findings.map(\.judgement.verdict) == [waits.map { .unknown($0) } ?? .firing(.warning)])
    }
}
