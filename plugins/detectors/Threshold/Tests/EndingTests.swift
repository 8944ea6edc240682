import AlertCore
import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

@Suite struct `The end of what a threshold found` {
    static let floor: WrittenOptions = ["metric": "crash_free_sessions", "warning": "< 99%"]
    static let subject = Subject(source: "ios", app: "shop")

    /// An incident that was at that at its worst.
    private func incident(
        _ worst: Double, of metric: Metric = .crashFreeSessions, betterSince: Moment? = nil
    ) -> Sight.Tracked {
        Sight.Tracked(
            subject: Self.subject, key: nil, severity: .warning, since: .noon - .hours(9),
            worst: Sight.Tracked.Depth(metric, worst), betterSince: betterSince)
    }

    private func judgement(
        _ options: WrittenOptions, _ crashed: Double, of sessions: Double, ending incident: Sight.Tracked
    ) throws -> Judgement {
        let series = Series(["sessions": sessions, "crashed_sessions": crashed])
        let found = try options.rule().findings(
            in: Sight(Self.subject, series, tracked: [incident]), at: .noon)
        return try #require(found.first).judgement
    }

    @Test(arguments: [
        // One hour at night without a crash is no more than luck.
        (97.0, 0.0, 62.0, false), (98, 0, 62, false), (95, 0, 50, false), (98.5, 1, 150, false),
        // The deeper it was, the fewer sessions show that it is not so any more.
        (90, 0, 62, true), (95, 0, 100, true), (97, 0, 200, true), (98, 1, 500, true), (98.6, 90, 10_000, true),
    ])
    func `is believed when so few crashes would be a surprise at the worst rate`(
        worst: Double, crashed: Double, sessions: Double, isOver: Bool
    ) throws {
        let found = try judgement(Self.floor, crashed, of: sessions, ending: incident(worst / 100))
        #expect(found.verdict == .ok(recovered: isOver))
    }

    @Test func `says what is missing`() throws {
        let found = try judgement(Self.floor, 0, of: 62, ending: incident(0.97))
        #expect(
            found.evidence.sentence
                == "100.00% is not below 99%, but 62 sessions are too few to be sure that it is over")
    }

    @Test(arguments: [(Severity.warning, "< 99.5%"), (.critical, "< 99%")])
    func `is told by the limit of how bad it is, while figures are too close to call`(
        severity: Severity, limit: String
    ) throws {
        let rule = try (["metric": "crash_free_sessions", "warning": "< 99.5%", "critical": "< 99%"] as WrittenOptions)
            .rule()
        let incident = Sight.Tracked(subject: Self.subject, key: nil, severity: severity, since: .noon - .hours(9))
        let series = Series(["sessions": 400, "crashed_sessions": 3])
        let found = rule.judge(series, ending: incident, at: .noon)
        #expect(found.verdict == .unknown("99.25% is beyond the limit, but 400 sessions are too few to be sure"))
        #expect(try found.evidence.limit == Comparison(grammar: limit))
        // What is beyond the limit that is told is not nearly over.
        #expect(found.evidence.phrase == Phrase(severity == .warning ? .reasonMeasured : .reasonUnsure))
    }

    @Test(arguments: [
        // The same 5 % of fewer sessions is as bad; at 2.5 % it is not critical any more.
        (18_000.0, 900.0, Severity.warning, Severity.critical), (300, 15, .warning, .warning),
        (300, 15, .critical, .critical), (18_000, 450, .critical, .warning),
    ])
    func `is none of its severity when fewer cases show the same rate`(
        sessions: Double, crashed: Double, before: Severity, now: Severity
    ) throws {
        let rule = try (["metric": "crash_free_sessions", "warning": "< 99.5%", "critical": "< 97%"] as WrittenOptions)
            .rule()
        let incident = Sight.Tracked(
            subject: Self.subject, key: nil, severity: before, since: .noon - .hours(9),
            worst: Sight.Tracked.Depth(.crashFreeSessions, 0.95))
        let found = rule.judge(
            Series(["sessions": sessions, "crashed_sessions": crashed]), ending: incident, at: .noon)
        #expect(found.verdict == .firing(now))
        #expect(try found.evidence.limit == Comparison(grammar: now == .critical ? "< 97%" : "< 99.5%"))
    }

    /// A bot with one rule, and what it is told of an app every ten minutes: how many sessions and users there were, and which
    /// share of them crashed.
    private struct Night {
        var bot: Rehearsal

        init(_ rule: WrittenOptions) throws {
            let plan = DetectorPlan(name: "crashes", detector: try rule.detector(ThresholdDetector.self))
            bot = Rehearsal(.rehearsed(detectors: [plan]))
            bot.comparesReplay = true
            bot.pollAnswer = { _, _ in nil }
            bot.start()
        }

        mutating func answer(_ count: Int, sessions: (Double, Double), users: (Double, Double)) {
            for _ in 0..<count {
                let metrics: Metrics = [
                    .sessions: sessions.0, .crashedSessions: sessions.0 * sessions.1, .users: users.0,
                    .crashedUsers: users.0 * users.1,
                ]
                bot.see([
                    Observation.figures(
                        metrics, of: Subject(source: "ios", app: "shop"), at: bot.now, lasting: .hours(1))
                ])
                bot.advance(by: .minutes(10))
            }
        }

        var severities: [Severity] { bot.state.incidents.all.map(\.severity) }
    }

    @Test(
        arguments: [
            ["metric": "crash_free_sessions", "warning": "< 99.5%", "critical": "< 97%"],
            [
                "all": [
                    ["metric": "crash_free_sessions", "warning": "< 99.5%", "critical": "< 97%"],
                    ["metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 97%"],
                ]
            ],
            [
                "any": [
                    ["metric": "crash_free_sessions", "warning": "< 99.5%", "critical": "< 97%"],
                    ["metric": "crash_free_users", "warning": "< 50%"],
                ]
            ],
        ] as [WrittenOptions])
    func `stays critical in the bot for as long as the rate is, however few are awake`(rule: WrittenOptions) throws {
        var night = try Night(rule)
        night.answer(12, sessions: (20_000, 0.05), users: (20_000, 0.05))
        #expect(night.severities == [.critical])
        night.answer(12, sessions: (300, 0.05), users: (300, 0.05))
        #expect(night.severities == [.critical])
        night.answer(12, sessions: (20_000, 0.02), users: (20_000, 0.02))
        #expect(night.severities == [.warning])
        #expect(night.bot.objections == [])
    }

    /// In a night with `except: critical` people would be woken for what is a warning by now, and not for less of it.
    @Test(arguments: [
        (20_000.0, 120.0, Severity.warning as Severity?), (20_000, 500, .critical),
        // Of so few, as few crash by luck.
        (400, 3, nil),
    ])
    func `is no longer critical where that is certain, though too few cases would not show the rest`(
        users: Double, crashed: Double, now: Severity?
    ) throws {
        let rule = try (["metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 98%"] as WrittenOptions)
            .rule()
        let incident = Sight.Tracked(
            subject: Self.subject, key: nil, severity: .critical, since: .noon - .hours(9),
            worst: Sight.Tracked.Depth(.crashFreeUsers, 0.97))
        let found = rule.judge(Series(["users": users, "crashed_users": crashed]), ending: incident, at: .noon)
        if let now {
            #expect(found.verdict == .firing(now))
        } else {
            #expect(found.evidence.phrase == Phrase(.reasonUnsure))
        }
        #expect(try found.evidence.limit == Comparison(grammar: now == .warning ? "< 99.5%" : "< 98%"))
    }

    @Test func `is not near once the figure is beyond its limit again, however few cases there are`() throws {
        var night = try Night(["metric": "crash_free_users", "warning": "< 99.5%", "recover": "0.1pp"])
        night.answer(6, sessions: (20_000, 0.03), users: (20_000, 0.03))
        night.answer(1, sessions: (20_000, 0.0045), users: (20_000, 0.0045))
        #expect(night.bot.state.incidents.all.map(\.state) == [.recovering])
        night.answer(60, sessions: (20_000, 0.006), users: (20_000, 0.006))
        #expect(night.bot.state.incidents.all.map(\.state) == [.firing])
        #expect(night.bot.kindsSent(to: "team").contains(.reminder))
        #expect(night.bot.objections == [])
    }

    /// Its crash events were the trouble; they are fewer, and so are the users.
    @Test func `of any condition is told by one that cannot be judged, not by another that is well`() throws {
        var night = try Night([
            "any": [["metric": "crash_free_users", "warning": "< 99.5%"], ["metric": "sessions", "warning": "> 300"]]
        ])
        night.answer(6, sessions: (600, 0), users: (5_000, 0.001))
        #expect(night.bot.state.incidents.all.map(\.state) == [.firing])
        night.answer(60, sessions: (280, 0), users: (30, 0))
        let incident = try #require(night.bot.state.incidents.all.first)
        #expect(incident.isUncertain)
        #expect(incident.evidence.metric == "sessions")
    }

    @Test func `is as bad as before only by the figure that was`() throws {
        var night = try Night([
            "any": [
                ["metric": "crash_free_sessions", "warning": "< 99.5%", "critical": "< 97%"],
                ["metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 97%"],
            ]
        ])
        night.answer(6, sessions: (20_000, 0.001), users: (300, 0.04))
        #expect(night.severities == [.warning])
        night.answer(3, sessions: (20_000, 0.06), users: (300, 0.04))
        #expect(night.severities == [.critical])
        night.answer(12, sessions: (20_000, 0.001), users: (300, 0.04))
        #expect(night.severities == [.warning])
        #expect(night.bot.objections == [])
    }

    @Test func `is no question of what has not fired yet`() throws {
        var night = try Night([
            "metric": "crash_free_sessions", "warning": "< 99.5%", "critical": "< 97%", "for": "1h",
        ])
        night.answer(1, sessions: (20_000, 0.05), users: (300, 0.04))
        night.answer(12, sessions: (300, 0.04), users: (300, 0.04))
        #expect(night.severities == [.warning])
        #expect(night.bot.objections == [])
    }

    @Test func `needs the same luck in each window that follows`() throws {
        func isOver(after better: Duration) throws -> Bool {
            let found = try judgement(
                Self.floor, 0, of: 62, ending: incident(0.97, betterSince: .noon - better))
            return found.verdict == .ok(recovered: true)
        }
        #expect(try !isOver(after: .minutes(30)))
        #expect(try isOver(after: .hours(2)))
    }

    @Test func `is the bare number's where no confidence is wanted`() throws {
        let found = try judgement(
            ["metric": "crash_free_sessions", "warning": "< 99%", "confidence": "off"], 0, of: 62,
            ending: incident(0.97))
        #expect(found.verdict == .ok(recovered: true))
    }

    @Test func `is not held against the depth of another metric`() throws {
        let found = try judgement(
            Self.floor, 0, of: 62, ending: incident(0.97, of: .crashFreeUsers))
        #expect(found.verdict == .ok(recovered: true))
    }

    @Test func `of several conditions is that of the one that went deepest`() throws {
        let rule: WrittenOptions = [
            "any": [
                ["metric": "crash_free_sessions", "warning": "< 99%"], ["metric": "sessions", "warning": "< 10"],
            ]
        ]
        #expect(try judgement(rule, 0, of: 62, ending: incident(0.97)).verdict == .ok(recovered: false))
        #expect(try judgement(rule, 0, of: 300, ending: incident(0.97)).verdict == .ok(recovered: true))
    }

    @Test func `is seldom told by luck in a quiet night`() throws {
        // Ten hours of 40 to 80 sessions an hour at 96 %: in how many of 100 nights does any check end it?
        let rule = try Self.floor.rule()
        var random = SeededRandom(seed: 7)
        var (bare, weighed) = (0, 0)
        for _ in 0..<100 {
            var (series, better, ended, endedBare) = (Series(), Moment?.none, false, false)
            for slot in 0..<120 where !ended {
                let span = TimeSpan(lasting: .minutes(5), until: .noon + .minutes(5 * Int64(slot)))
                let sessions = (3 + random.unit() * 4).rounded()
                let crashed = (0..<Int(sessions)).reduce(0.0) { sum, _ in sum + (random.unit() < 0.04 ? 1 : 0) }
                series.add(
                    Observation(
                        subject: Self.subject, span: span, seen: span.to,
                        metrics: ["sessions": sessions, "crashed_sessions": crashed]),
                    keeping: .hours(1))
                guard slot >= 12 else { continue }
                switch rule.judge(series, at: span.to).verdict {
                case .ok(recovered: true): endedBare = true
                case .ok, .firing: break
                case .unknown: better = nil
                }
                let found = rule.judge(series, ending: incident(0.96, betterSince: better), at: span.to)
                if case .ok(let isOver) = found.verdict {
                    better = better ?? span.to
                    ended = isOver
                }
            }
            (bare, weighed) = (bare + (endedBare ? 1 : 0), weighed + (ended ? 1 : 0))
        }
        #expect(bare > 70, "\(bare) of 100")
        #expect(weighed < 25, "\(weighed) of 100")
    }
}
