import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing

@testable import DropDetector

/// An app that is observed every five minutes, and the rule that looks at it.
struct Watch {
    let rule: DropDetector
    var series = Series()
    var now = Moment(milliseconds: 1_795_176_000_000)  // 2026-11-20T12:00:00Z
    private var random: SeededRandom

    init(_ rule: DropDetector, seed: UInt64 = 1) {
        self.rule = rule
        random = SeededRandom(seed: seed)
        series.remember(rule.needs)
    }

    mutating func look(users: Int = 100, rate: Double = 0.003) -> Judgement {
        let crashed = (0..<users).count { _ in random.happens(rate) }
        return look(["users": Double(users), "crashed_users": Double(crashed)])
    }

    mutating func look(_ metrics: Metrics, isComplete: Bool = true) -> Judgement {
        now = now + .minutes(5)
        series.add(
            Observation(
                subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .minutes(5), until: now),
                seen: now, isComplete: isComplete, metrics: metrics),
            keeping: rule.lookback)
        #expect(rule.disagreement(on: series, at: now) == nil)
        let judgement = rule.judge(series, at: now)
        if case .firing = judgement.verdict, case .usual(let usual)? = judgement.evidence.reference {
            #expect(judgement.evidence.figure.map { $0.value < usual } == true, "\(judgement.evidence)")
        }
        return judgement
    }

    /// Days of an app, and how often the rule fires anew in them.
    @discardableResult
    mutating func pass(days: Double, users: Int = 100, rate: Double = 0.003) -> Int {
        var (alarms, isFiring) = (0, false)
        for _ in 0..<Int(days * 288) {
            switch look(users: users, rate: rate).verdict {
            case .firing:
                if !isFiring { alarms += 1 }
                isFiring = true
            case .ok(recovered: true): isFiring = false
            case .ok, .unknown: break
            }
        }
        return alarms
    }

    /// Looks until it fires, and says how often; nil when that is not within a day.
    mutating func looksUntilFiring(users: Int = 100, rate: Double) -> (looks: Int, judgement: Judgement)? {
        for count in 1...288 {
            let judgement = look(users: users, rate: rate)
            if case .firing = judgement.verdict { return (count, judgement) }
        }
        return nil
    }
}

extension DropDetector {
    static func rule(_ values: [String: Option.Value] = [:], zone: Zone = .utc) throws -> DropDetector {
        try DropDetector(
            options: Options(
                name: "fall", position: Position(line: 1, column: 3),
                values: values.mapValues { Option($0, at: Position(line: 2, column: 9)) }),
            context: RuleContext(name: "fall", zone: zone, checksPerDay: 1440))
    }
}

@Suite struct `Judging a drop` {
    @Test func `too little history is unknown, and says how much there is`() throws {
        var watch = Watch(try .rule())
        #expect(watch.rule.judge(Series(), at: watch.now).verdict == .unknown("nothing has been learned yet"))
        var fresh = Watch(try .rule())
        #expect(
            fresh.look().verdict
                == .unknown("no usual hours have been learned yet (the last day does not count); it needs 2 d"))
        watch.pass(days: 1.5)
        let early = watch.look()
        #expect(
            early.verdict
                == .unknown(
                    "only 13 h of usual hours have been learned, and the last day does not count yet; it needs 2 d"))
        // A catastrophe before anything is learned is unknown, too.
        guard case .unknown = watch.look(rate: 0.5).verdict else {
            Issue.record("it judged without having learned")
            return
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `what gets far worse is critical, and told as it is, however long it has been a little bad`(
        seed: UInt64
    ) throws {
        var watch = Watch(try .rule(), seed: seed)
        watch.pass(days: 21)
        watch.pass(days: 2, rate: 0.013)
        let looks = (0..<24).map { _ in watch.look(rate: 0.12) }
        let first = looks.firstIndex { $0.verdict == .firing(.critical) }
        #expect(try #require(first) < 12, "seed \(seed)")
        #expect(looks.last?.verdict == .firing(.critical))
        #expect(try #require(looks.last?.evidence.figure).value < 0.96, "seed \(seed)")
        // When only the small fall is left, it is told as that.
        watch.pass(days: 0.3, rate: 0.013)
        let left = watch.look(rate: 0.013)
        #expect(left.verdict == .firing(.warning), "seed \(seed)")
        #expect(try #require(left.evidence.figure).value > 0.97, "\(left.evidence), seed \(seed)")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a steady fall that is not so deep does not become critical by luck`(seed: UInt64) throws {
        var watch = Watch(try .rule(), seed: seed)
        watch.pass(days: 21, users: 200)
        let verdicts = (0..<576).map { _ in watch.look(users: 200, rate: 0.003 + 0.026).verdict }
        #expect(verdicts.contains(.firing(.warning)))
        let critical = verdicts.dropFirst(24).count { $0 == .firing(.critical) }
        #expect(critical == 0, "seed \(seed)")
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `what few see is a fall only where its own figures are one`(seed: UInt64) throws {
        var watch = Watch(try .rule(), seed: seed)
        watch.pass(days: 21, users: 2, rate: 0.0002)
        for _ in 0..<2 { _ = watch.look(users: 2, rate: 1) }
        // Each look expects the figure to be below what is usual where it fires.
        watch.pass(days: 3, users: 2, rate: 0)
    }

    @Test(arguments: [true, false])
    func `what is usual at an hour goes by the clock of the zone, also when it changes`(knowsZone: Bool) throws {
        let madrid = try ZoneDatabase().zone("Europe/Madrid")
        let rule = try DropDetector.rule(zone: knowsZone ? madrid : .utc)
        var (series, random, alarms) = (Series(), SeededRandom(seed: 7), 0)
        series.remember(rule.needs)
        let (begin, change) = (Moment.utc("2026-09-20 00:00"), Moment.utc("2026-10-25 01:00"))
        for hour in 0..<Int64(24 * 50) {
            let span = TimeSpan(lasting: .hours(1), until: begin + .hours(hour + 1))
            // A job at three in the morning goes wrong for some, every night.
            let rate = madrid.civil(span.from).hour == 3 ? 0.025 : 0.005
            let crashed = (0..<1000).count { _ in random.happens(rate) }
            series.add(
                Observation(
                    subject: Subject(source: "ios", app: "shop"), span: span, seen: span.to,
                    metrics: ["users": 1000, "crashed_users": Double(crashed)]),
                keeping: rule.lookback)
            if span.to > change, case .firing = rule.judge(series, at: span.to).verdict { alarms += 1 }
        }
        #expect((alarms == 0) == knowsZone, "\(alarms)")
    }

    @Test func `figures without counts are unknown`() throws {
        var watch = Watch(try .rule())
        let judgement = watch.look(["crash_free_users": 0.5])
        #expect(
            judgement.verdict
                == .unknown(
                    "the source has given no complete span of at most an hour with the counts behind crash-free users"))
    }

    @Test func `as usual is ok, with the figure and what is usual`() throws {
        var watch = Watch(try .rule())
        watch.pass(days: 21)
        let judgement = watch.look(users: 100, rate: 0)
        #expect(judgement.verdict == .ok(recovered: true))
        #expect(judgement.evidence.sentence.hasPrefix("100.00%, usually 99."))
        #expect(judgement.evidence.figure?.share == Share(hits: 100, of: 100))
        #expect(judgement.evidence.metric == "crash_free_users")
    }

    @Test(arguments: [(0.013, Severity.warning), (0.103, .critical)], [1, 2, 3] as [UInt64])
    func `a fall fires, is a warning or critical by its depth, and is over when it is over`(
        fall: (rate: Double, severity: Severity), seed: UInt64
    ) throws {
        var watch = Watch(try .rule(), seed: seed)
        watch.pass(days: 21)
        let firing = watch.looksUntilFiring(rate: fall.rate)
        let found = try #require(firing, "seed \(seed)")
        #expect(found.looks <= (fall.rate < 0.05 ? 60 : 4), "seed \(seed)")
        watch.pass(days: 0.1, rate: fall.rate)
        let judgement = watch.look(rate: fall.rate)
        #expect(judgement.verdict == .firing(fall.severity), "seed \(seed)")
        let sentence = judgement.evidence.sentence
        #expect(sentence.hasPrefix("crash-free users "))
        #expect(sentence.contains("% at this time of the week; by chance less than 1 per 90d"))
        #expect(sentence.contains("learned from 20 d"), "less than three weeks are learned: \(sentence)")
        let figure = try #require(judgement.evidence.figure)
        #expect(abs(figure.value - (1 - fall.rate)) < 0.6 * fall.rate)
        watch.pass(days: 2)
        let quiet = watch.look()
        #expect(quiet.verdict == .ok(recovered: true), "seed \(seed)")
    }

    @Test func `with three weeks learned the sentence says nothing of learning`() throws {
        var watch = Watch(try .rule())
        watch.pass(days: 23)
        let firing = watch.looksUntilFiring(rate: 0.1)
        let found = try #require(firing)
        #expect(!found.judgement.evidence.sentence.contains("learned"))
    }

    @Test func `it is not over at the first good span`() throws {
        var watch = Watch(try .rule(), seed: 4)
        watch.pass(days: 21)
        _ = watch.looksUntilFiring(rate: 0.1)
        let next = watch.look(rate: 0)
        #expect(next.verdict != .ok(recovered: true))
    }

    /// Twelve apps of 500 users a day, each seen in three visits: with a rule that may fire once in 90 days, 720 days
    /// expect at most eight.
    @Test func `quiet apps hardly ever ring`() throws {
        var alarms = 0
        for seed in 1...12 as ClosedRange<UInt64> {
            var watch = Watch(try .rule(), seed: seed)
            watch.pass(days: 3, users: 5, rate: 0.001)
            alarms += watch.pass(days: 60, users: 5, rate: 0.001)
        }
        #expect(alarms <= 16, "\(alarms) alarms, seeds 1 to 12")
    }

    @Test func `a metric that comes no more is unknown`() throws {
        var watch = Watch(try .rule())
        watch.pass(days: 4)
        for _ in 0..<23 { _ = watch.look(["sessions": 50]) }
        let soon = watch.look(["sessions": 50])
        #expect(soon.verdict == .ok(recovered: true))
        let later = watch.look(["sessions": 50])
        #expect(
            later.verdict
                == .unknown(
                    "for 2 h 5 min the source has given no complete span with the counts behind crash-free users"))
        // It goes on where it was.
        let again = watch.look()
        #expect(again.verdict == .ok(recovered: true))
    }

    @Test func `old figures, and figures from the future, are unknown`() throws {
        var watch = Watch(try .rule())
        watch.pass(days: 4)
        #expect(
            watch.rule.judge(watch.series, at: watch.now + .hours(25)).verdict
                == .unknown("the newest figures are 1 d 1 h old"))
        guard case .unknown(let sentence) = watch.rule.judge(watch.series, at: watch.now - .hours(2)).verdict else {
            Issue.record("it judged a span that has not been yet")
            return
        }
        #expect(sentence.hasSuffix("which is in the future: the clock has been changed"))
    }

    @Test func `an unfinished span changes nothing`() throws {
        var watch = Watch(try .rule())
        watch.pass(days: 4)
        let before = watch.series.memories(DropMemory.self)
        let judgement = watch.look(["users": 100, "crashed_users": 100], isComplete: false)
        #expect(judgement.verdict == .ok(recovered: true))
        #expect(watch.series.memories(DropMemory.self) == before)
    }

    @Test func `what a rule asks for is kept apart, and forgotten with the rule`() throws {
        let (users, sessions) = (
            try DropDetector.rule(), try DropDetector.rule(["metric": .text(GuardedText("crash_free_sessions"))])
        )
        var series = Series()
        let observation = Observation(
            subject: Subject(source: "ios", app: "shop"),
            span: TimeSpan(lasting: .minutes(5), until: Moment(milliseconds: 1_795_176_000_000)),
            seen: Moment(milliseconds: 1_795_176_000_000),
            metrics: ["users": 5, "crashed_users": 0, "sessions": 7, "crashed_sessions": 1])
        var needs = users.needs
        needs.formUnion(sessions.needs)
        series.remember(needs)
        series.add(observation, keeping: .hours(1))
        #expect(series.memories(DropMemory.self).map(\.newestShare) == [Share(hits: 5, of: 5), Share(hits: 6, of: 7)])
        let kept = series.memories(DropMemory.self)[1]
        series.remember(sessions.needs)
        #expect(series.memories(DropMemory.self) == [kept])
    }

    @Test func `it learns from figures of long ago, which are no figures of now`() throws {
        let rule = try DropDetector.rule()
        let end = Moment(milliseconds: 1_795_176_000_000)
        var series = Series()
        series.remember(rule.needs)
        series.add(
            Observation(
                subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: .minutes(5), until: end),
                seen: end + .days(100), metrics: ["users": 5, "crashed_users": 0]),
            keeping: .hours(1))
        #expect(series.memories(DropMemory.self).map(\.newestShare) == [Share(hits: 5, of: 5)])
        #expect(!series.hasFigures)
        #expect(
            rule.judge(series, at: end + .days(100)).verdict
                == .unknown(
                    "its newest figures ended on Fri 20 Nov 12:00 UTC: they are history, and no rule on figures judges "
                        + "them"))
    }
}

@Suite struct `Options of drop` {
    private func problems(_ values: [String: Option.Value]) -> [String] {
        do {
            _ = try DropDetector.rule(values)
            return []
        } catch let list as ProblemList {
            return list.problems.map { problem in
                let more = problem.suggestion ?? problem.advice
                return problem.message + (more.map { " (\($0))" } ?? "")
            }
        } catch {
            return ["\(error)"]
        }
    }

    @Test(
        arguments: [
            ([:], []),
            (["by": .fraction(0.001), "false_alarms": .rate(count: 2, per: .days(30))], []),
            (["metric": .text(GuardedText("crash_free_sessions")), "critical": .fraction(0.005)], []),
            (["by": .fraction(0.05)], []),
            (
                ["metric": .text(GuardedText("anr_rate"))],
                [
                    "a drop can only be detected in a share whose counts are known, not in ANR rate "
                        + "(use crash_free_users or crash_free_sessions, or a threshold)"
                ]
            ),
            (
                ["by": .fraction(0.02), "critical": .fraction(0.01)],
                ["'critical' (1pp) is less than 'by' (2pp), the smallest drop it can find (write at least 2pp)"]
            ),
            (
                ["false_alarms": .rate(count: 1, per: .days(7))],
                ["false alarms this frequent mean nothing; expected at most 1 per 15d"]
            ),
            (
                ["false_alarms": .rate(count: 1, per: .days(4000))],
                ["nothing is ever that certain; expected at least 1 per 3650d"]
            ),
        ] as [([String: Option.Value], [String])])
    func `what makes no sense is reported`(values: [String: Option.Value], expected: [String]) {
        #expect(problems(values) == expected)
    }

    @Test func `it asks for what it needs`() throws {
        let rule = try DropDetector.rule(["by": .fraction(0.002)])
        #expect(
            rule.needs == [MemoryNeed(DropMemory.self, DropMemory.Need(metric: "crash_free_users", by: 0.002))])
        #expect(rule.metrics == ["crash_free_users"])
        #expect(rule.holdTime == .zero)
        #expect(rule.spans == [.minutes(5)])
    }
}
