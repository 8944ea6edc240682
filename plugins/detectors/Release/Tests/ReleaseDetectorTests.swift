import AlertCore
import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing

@testable import ReleaseDetector

@Suite struct `Releases compared` {
    private static let options: WrittenOptions = ["metric": "crash_free_sessions"]

    private func subject(_ release: String?) -> Subject { Subject(source: "ios", app: "shop", release: release) }

    private func bot(_ options: WrittenOptions = options, match: Match = .all) throws -> Rehearsal {
        let rule = try options.detector(ReleaseDetector.self)
        let plan = DetectorPlan(name: "release", detector: rule, match: match, repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [plan]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Figures of some releases over the last hour: sessions, and how many of them crashed.
    private func see(_ bot: inout Rehearsal, _ figures: KeyValuePairs<String?, (Double, Double)>) -> [String] {
        let before = bot.decisions.count
        bot.advance(by: .hours(1))
        bot.see(
            figures.map { release, figure in
                .figures(
                    ["sessions": figure.0, "crashed_sessions": figure.1], of: subject(release), at: bot.now,
                    lasting: .hours(1))
            })
        bot.advance(by: .seconds(1))
        return bot.decisions[before...].map { decision in
            let incident = bot.state.incidents.inOrder.first { $0.id == decision.incident }
            // What is over and told is gone from the state.
            let release = incident?.subject.release.map { " \($0)" } ?? ""
            return "\(decision.kind)\(release) \(decision.severity.rawValue)"
        }
    }

    /// Two releases seen once, and what is thought of the newer.
    struct Case: Sendable, CustomTestStringConvertible {
        let why: String
        var options: WrittenOptions = ["metric": "crash_free_sessions"]
        let new: Metrics?
        var old: Metrics? = ["sessions": 20_000, "crashed_sessions": 80]
        let verdict: Judgement.Verdict

        var testDescription: String { why }
    }

    static let cases = [
        Case(why: "alike", new: ["sessions": 4000, "crashed_sessions": 16], verdict: .ok(recovered: true)),
        Case(why: "better", new: ["sessions": 4000, "crashed_sessions": 4], verdict: .ok(recovered: true)),
        Case(why: "much worse", new: ["sessions": 4000, "crashed_sessions": 60], verdict: .firing(.warning)),
        Case(
            why: "much worse, critically", options: ["metric": "crash_free_sessions", "critical": "1pp"],
            new: ["sessions": 4000, "crashed_sessions": 60], verdict: .firing(.critical)),
        Case(
            why: "worse, by less than asked for", options: ["metric": "crash_free_sessions", "worse_by": "1.2pp"],
            new: ["sessions": 4000, "crashed_sessions": 60], verdict: .ok(recovered: true)),
        Case(
            why: "worse, but of few", new: ["sessions": 100, "crashed_sessions": 2],
            verdict: .unknown(
                "crash-free sessions 98.00% of 100 sessions, 1.6pp worse than 5.1 (99.60% of 20,000 sessions) in the "
                    + "same 1 h, but these are too few to be sure yet")),
        Case(
            why: "hardly anybody has it", new: ["sessions": 49, "crashed_sessions": 49],
            verdict: .unknown("not enough sessions yet: 49 in 1 h, min_volume is 50")),
        Case(
            why: "nobody has the old one any more", new: ["sessions": 4000, "crashed_sessions": 60],
            old: ["sessions": 3, "crashed_sessions": 0],
            verdict: .unknown("no earlier release has figures for the same hours")),
        Case(
            why: "the first release", new: ["sessions": 4000, "crashed_sessions": 60], old: nil,
            verdict: .unknown("no earlier release has figures for the same hours")),
        Case(
            why: "without counts", new: ["crash_free_sessions": 0.9],
            verdict: .unknown("the source gives crash-free sessions without the number of sessions")),
        Case(
            why: "another metric", new: ["users": 100],
            verdict: .unknown("there is no figure for crash-free sessions")),
        Case(
            why: "no crash at all on either side", new: ["sessions": 4000, "crashed_sessions": 0],
            old: ["sessions": 4000, "crashed_sessions": 0], verdict: .ok(recovered: true)),
        Case(
            why: "crashes on the new side alone", new: ["sessions": 4000, "crashed_sessions": 30],
            old: ["sessions": 4000, "crashed_sessions": 0], verdict: .firing(.warning)),
        Case(
            why: "ANRs, of which more are worse", options: ["metric": "anr_rate"],
            new: ["users": 9000, "anr_rate": 0.02],
            old: ["users": 9000, "anr_rate": 0.004], verdict: .firing(.warning)),
        Case(
            why: "fewer ANRs", options: ["metric": "anr_rate"], new: ["users": 9000, "anr_rate": 0.002],
            old: ["users": 9000, "anr_rate": 0.004], verdict: .ok(recovered: true)),
    ]

    /// What the rule finds where each release has figures of the last hour.
    private func findings(_ options: WrittenOptions, new: Metrics?, old: Metrics?) throws -> [Finding] {
        let rule = try options.detector(ReleaseDetector.self, checksPerDay: 24)
        let now = Moment.rehearsalStart
        func part(_ name: String, _ metrics: Metrics) -> Sight.Entry {
            var series = Series()
            series.add(.figures(metrics, of: subject(name), at: now, lasting: .hours(1)), keeping: .hours(6))
            return Sight.Entry(subject(name), series)
        }
        let parts = [old.map { part("5.1", $0) }, new.map { part("5.2", $0) }].compactMap { $0 }
        return rule.findings(in: Sight(subject(nil), parts: parts), at: now)
    }

    @Test(
        arguments: [
            (["sessions": 60, "crashed_sessions": 1], false), (["sessions": 60, "crashed_sessions": 3], true),
            (["sessions": 600, "crashed_sessions": 8, "crashed_users": 1], false),
            (["sessions": 600, "crashed_sessions": 8, "crashed_users": 5], true),
            // Such users are not those of the sessions: only who logs in is one, or nobody.
            (["sessions": 600, "crashed_sessions": 8, "users": 20, "crashed_users": 1], true),
            (["sessions": 600, "crashed_sessions": 8, "crashed_users": 0], true),
            (["sessions": 5000, "crashed_sessions": 200, "crashed_users": 1], true),
        ] as [(Metrics, Bool)])
    func `one who is hit alone is no bad release, however good the one before it`(new: Metrics, rings: Bool) throws {
        let found = try findings(
            ["metric": "crash_free_sessions"], new: new,
            old: ["sessions": 2_000_000, "crashed_sessions": 2, "crashed_users": 2])
        let verdict = try #require(found.first?.judgement.verdict)
        if case .firing = verdict { #expect(rings) } else { #expect(!rings, "\(verdict)") }
    }

    @Test func `figures of long ago are there, and are not judged`() throws {
        let rule = try Self.options.detector(ReleaseDetector.self)
        let now = Moment.rehearsalStart
        var series = Series()
        var old = Observation.figures(
            ["sessions": 4000, "crashed_sessions": 60], of: subject("5.2"), at: now - .days(100), lasting: .hours(1))
        old.seen = now
        series.add(old, keeping: .hours(6))
        let findings = rule.findings(
            in: Sight(subject(nil), parts: [Sight.Entry(subject("5.2"), series)]), at: now)
        #expect(
            findings.map(\.judgement.verdict) == [
                .unknown(
                    "its newest figures ended on Wed 12 Aug 12:00 UTC: they are history, and no rule on figures judges "
                        + "them")
            ])
        #expect(findings.map(\.subject) == [subject("5.2")])
    }

    @Test(arguments: cases)
    func `a verdict follows from two releases`(of pair: Case) throws {
        let findings = try findings(pair.options, new: pair.new, old: pair.old)
        #expect(findings.map(\.judgement.verdict) == [pair.verdict])
        #expect(findings.map(\.subject) == [subject("5.2")])
    }

    @Test(
        arguments: [
            (["confidence": "100%"], ["2:9: the confidence must be at least 50% and below 100% [the default is 95%]"]),
            (
                ["worse_by": "0.5pp", "critical": "0.5pp"],
                ["3:9: 'critical' (0.5pp) must be more than 'worse_by' (0.5pp)"]
            ),
            (
                ["severity": "critical", "critical": "2pp"],
                [
                    "2:9: with 'severity: critical' every release that is worse is critical [leave 'critical' or 'severity' out]"
                ]
            ),
            (
                ["worse_by": "0", "report_fine": "true"],
                [
                    "3:9: no figures can show that a release is not worse at all [write a 'worse_by' such as 0.1pp]"
                ]
            ),
            (
                ["compare": "same_adoption"],
                ["2:9: users of different days do not add up, sessions do [write metric: crash_free_sessions]"]
            ),
            ([:], []), (["compare": "same_adoption", "metric": "crash_free_sessions"], []),
            (["metric": "anr_rate", "worse_by": "0", "critical": "2pp", "for": "1h"], []),
        ] as [(WrittenOptions, [String])])
    func `a mistake is reported at its place`(options: WrittenOptions, expected: [String]) throws {
        #expect(try options.problems(for: ReleaseDetector.self) == expected)
    }

    @Test func `a bad release is announced once with what it costs, and is over when it is fixed or replaced`() throws {
        var bot = try bot()
        #expect(see(&bot, [nil: (24_000, 140), "5.1": (20_000, 80), "5.2": (4000, 60)]) == ["opened 5.2 warning"])
        let sentence = try #require(bot.state.incidents.inOrder.first).evidence.sentence
        #expect(
            sentence
                == "crash-free sessions 98.50% of 4,000 sessions, 1.1pp worse than 5.1 (99.60% of 20,000 sessions) in "
                + "the same 1 h, with 95% confidence across all of a day's checks; 16.67% of sessions have it, which costs "
                + "the app 0.183pp of the 0.58% it loses")
        #expect(see(&bot, [nil: (24_000, 260), "5.1": (10_000, 40), "5.2": (14_000, 220)]) == [])
        // The next one has hardly any users yet, so nobody knows.
        #expect(see(&bot, ["5.1": (5000, 20), "5.2": (9000, 140), "5.3": (10, 0)]) == [])
        #expect(see(&bot, ["5.2": (9000, 140), "5.3": (900, 3)]) == ["resolved warning"])
        #expect(bot.objections == [])
    }

    @Test func `a match on releases chooses which are compared`() throws {
        var bot = try bot(match: .on(["release": "5.*"]))
        // Of beta channels nobody wants to hear.
        #expect(see(&bot, ["5.1": (20_000, 80), "6.0-beta": (4000, 400)]) == [])
        #expect(see(&bot, ["5.1": (20_000, 80), "5.2": (4000, 60), "6.0-beta": (4000, 400)]) == ["opened 5.2 warning"])
        var other = try self.bot(match: .on(["release": "4.*"]))
        #expect(see(&other, ["5.1": (20_000, 80), "5.2": (4000, 60)]) == [])
        #expect(bot.objections + other.objections == [])
    }

    @Test func `at the same adoption, the first sessions of both are compared, though they lie a day apart`() throws {
        var bot = try bot(["metric": "crash_free_sessions", "compare": "same_adoption"])
        _ = see(&bot, ["5.0": (5000, 20)])
        // The release before had its own bad beginning, with the people who update first.
        for _ in 0..<4 { #expect(see(&bot, ["5.0": (5000, 20), "5.1": (500, 15)]) == []) }
        for _ in 0..<4 { #expect(see(&bot, ["5.0": (100, 0), "5.1": (5000, 20)]) == []) }
        bot.advance(by: .hours(20))
        // As bad as that one was, though far worse than it is now.
        for _ in 0..<2 { #expect(see(&bot, ["5.1": (5000, 20), "5.2": (500, 15)]) == []) }
        #expect(see(&bot, ["5.1": (5000, 20), "5.2": (1500, 180)]) == ["opened 5.2 warning"])
        #expect(
            bot.state.incidents.inOrder.first?.evidence.sentence.hasPrefix(
                "crash-free sessions 91.60% of 2,500 sessions, 5.4pp worse than 5.1 (97.00% of 2,000 sessions) at the "
                    + "same adoption, with 95% confidence across all checks; 14.29% of sessions have it") == true)
        #expect(bot.objections == [])
    }

    @Test func `of releases that were there before the bot, nobody knows how they began`() throws {
        var bot = try bot(["metric": "crash_free_sessions", "compare": "same_adoption"])
        #expect(see(&bot, ["5.0": (5000, 20), "5.1": (500, 100)]) == [])
        #expect(see(&bot, ["5.0": (5000, 20), "5.1": (500, 100), "5.2": (500, 100)]) == [])
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `that a release looks fine is said once, if asked for, and taken back when it does not`() throws {
        var bot = try bot([
            "metric": "crash_free_sessions", "report_fine": "true", "worse_by": "0.3pp", "window": "1h",
        ])
        #expect(see(&bot, ["5.1": (20_000, 80), "5.2": (300, 1)]) == [])
        // One hour alone would not do.
        for _ in 0..<2 { #expect(see(&bot, ["5.1": (20_000, 80), "5.2": (5000, 19)]) == []) }
        #expect(see(&bot, ["5.1": (20_000, 80), "5.2": (5000, 19)]) == ["opened 5.2 info"])
        let headline = bot.sends.last?.delivery.message.headline ?? ""
        #expect(
            headline.contains(
                "5.2 looks fine so far: crash-free sessions 99.62% of 15,300 sessions, 0.021pp better than 5.1 (99.60% "
                    + "of 80,000 sessions) in the same 4 h"), "\(headline)")
        for _ in 0..<30 { #expect(see(&bot, ["5.1": (20_000, 80), "5.2": (5000, 19)]) == []) }
        #expect(
            Set(see(&bot, ["5.1": (20_000, 80), "5.2": (5000, 100)])) == ["opened 5.2 warning", "resolved info"])
        #expect(bot.objections == [])
    }

    @Test func `what is better than a broken release only does not look fine`() throws {
        for broken in [80.0, 800] {
            var bot = try bot([
                "metric": "crash_free_sessions", "report_fine": "true", "worse_by": "0.3pp", "window": "1h",
            ])
            for _ in 0..<12 {
                // The few who still have an old one, and never see it crash, prove nothing.
                _ = see(
                    &bot,
                    [
                        "4.9": (10, 0), "5.1": (20_000, 80), "5.2": (20_000, broken),
                        "5.3": (5000, broken == 80 ? 19 : 100),
                    ])
            }
            let fine = bot.sends.filter { $0.delivery.message.headline.contains("5.3 looks fine") }
            #expect(fine.isEmpty == (broken == 800), "\(fine.map(\.delivery.message.headline))")
        }
    }

    @Test func `releases are put in order by their versions`() throws {
        let order = [
            "4.9", "5.0.0-alpha.2", "5.0.0-alpha.10", "5.0.0-beta", "5.0", "v5.0.1", "com.shop@5.0.2+9",
            "com.shop@5.0.2+10",
            "5.10.0", "2026.11.20",
        ]
        let versions = order.compactMap(Version.init)
        #expect(versions.count == order.count)
        #expect(versions.shuffled().sorted() == versions)
        for name in ["", "abcdef", "5.x", "5..1", ".", "@", "+", "-", "1.2.3.99999999999999999999", "５.1"] {
            #expect(Version(name) == nil, "'\(name)'")
        }
        #expect(Version(String(repeating: "1.", count: 2048) + "1") == nil)
    }

    @Test func `releases without versions are put in order by when they came`() throws {
        var bot = try bot()
        _ = see(&bot, ["f00d": (20_000, 80)])
        #expect(see(&bot, ["f00d": (20_000, 80), "abba": (4000, 60)]) == ["opened abba warning"])
    }

    @Test func `an old release that few still use is no news, and one that nobody uses is no measure`() throws {
        var bot = try bot()
        _ = see(&bot, ["5.1": (20_000, 80)])
        #expect(see(&bot, ["5.1": (20_000, 80), "4.0": (4000, 400)]) == [])
        bot.advance(by: .hours(12))
        #expect(see(&bot, ["5.2": (4000, 60)]) == [])
    }

    /// A day of half hours: 600 sessions an hour of 5.1, of which one in a hundred crashes, and as many of 5.2 as said.
    /// After how many looks 5.2 is told; nil when it is not.
    ///
    /// - Parameter pairs: how often it is two sessions at once that crash, as when one user starts the app again; one time
    ///   in three makes counts vary 1.5 times as much as by chance.
    private func dayWith(
        _ sessions: Int, crashing rate: Double, pairs: Double = 0, _ random: inout SeededRandom
    ) throws -> Int? {
        let rule = try Self.options.detector(ReleaseDetector.self)
        var (old, new) = (Series(), Series())
        for look in 0..<48 {
            let now = Moment.rehearsalStart + .minutes(30 * Int64(look))
            func add(_ sessions: Int, _ rate: Double, _ name: String, to series: inout Series) {
                var crashed = 0.0
                for _ in 0..<sessions where random.happens(rate / (1 + pairs)) {
                    crashed += pairs > 0 && random.happens(pairs) ? 2 : 1
                }
                series.add(
                    .figures(
                        ["sessions": Double(sessions), "crashed_sessions": min(crashed, Double(sessions))],
                        of: subject(name), at: now, lasting: .minutes(30)), keeping: .hours(6))
            }
            add(300, 0.01, "5.1", to: &old)
            add(sessions / 2, rate, "5.2", to: &new)
            let sight = Sight(
                subject(nil), parts: [Sight.Entry(subject("5.1"), old), Sight.Entry(subject("5.2"), new)])
            for finding in rule.findings(in: sight, at: now) {
                if case .firing = finding.judgement.verdict { return look + 1 }
            }
        }
        return nil
    }

    /// What `confidence` promises.
    @Test(arguments: [(0, 7), (1.0 / 3, 8)] as [(Double, UInt64)])
    func `alike releases alarm on at most five days in a hundred, also where crashes come in clumps`(
        pairs: Double, seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        let alarms = try (0..<200).count { _ in try dayWith(120, crashing: 0.01, pairs: pairs, &random) != nil }
        #expect(alarms <= 10, "\(alarms) of 200 days")
    }

    @Test func `a release that crashes three times as often is announced within hours`() throws {
        var random = SeededRandom(seed: 8)
        let looks = try (0..<50).map { _ in try dayWith(120, crashing: 0.03, pairs: 1.0 / 3, &random) ?? 49 }
        #expect(looks.sorted()[25] <= 12, "\(looks.sorted())")
        #expect(looks.count { $0 > 48 } <= 2, "\(looks.sorted())")
    }

    @Test func `whatever comes, nothing traps, and only releases with enough users are announced`() throws {
        let counts = try (UInt64(1)...12).map { try incidents(seed: $0) }
        #expect(counts.contains { $0 > 0 }, "none of all worlds has one to look at")
    }

    /// How many incidents of releases a random world had; each has enough users when it comes.
    private func incidents(seed: UInt64) throws -> Int {
        var known: Set<String> = []
        var random = SeededRandom(seed: seed)
        var bot = try bot(["metric": "crash_free_sessions", "report_fine": "true"])
        let names = [nil, "", "5.1", "5.2", "5.10", "abc", String(repeating: "5.", count: 2048)]
        for _ in 0..<100 {
            bot.advance(by: .seconds(Int64.random(in: 1...5000, using: &random)))
            if random.happens(0.03) { bot.setClock(by: .seconds(Int64.random(in: -7200...7200, using: &random))) }
            if random.happens(0.03) { bot.crash() }
            let observations = names.filter { _ in random.happens(0.5) }.map { name -> Observation in
                let sessions = Double(Int.random(in: 0...40, using: &random))
                var metrics: Metrics = [
                    "sessions": sessions,
                    "crashed_sessions": Double(Int.random(in: 0...Int(sessions), using: &random)),
                ]
                if random.happens(0.1) { metrics = ["crash_free_sessions": 0.5] }
                let end = bot.now - .seconds(random.happens(0.3) ? Int64.random(in: 0...9000, using: &random) : 0)
                return .figures(
                    metrics, of: subject(name), at: end,
                    lasting: .seconds(Int64.random(in: 60...9000, using: &random)))
            }
            bot.see(observations)
            for incident in bot.state.incidents.inOrder
            where incident.subject.app != Subject.botApp && known.insert(incident.id).inserted {
                #expect(!(incident.subject.release ?? "").isEmpty, "seed \(seed)")
                #expect(incident.worst.figure?.share?.total ?? 50 >= 50, "seed \(seed)")
            }
        }
        #expect(bot.objections == [], "seed \(seed)")
        return known.count
    }
}
