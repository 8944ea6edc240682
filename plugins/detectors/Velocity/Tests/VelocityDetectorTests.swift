import AlertCore
import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing
import VelocityDetector

private typealias Issue = AlertModel.Issue

@Suite struct `Issues that spread quickly` {
    /// One look at one issue, and what is thought of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let why: String
        var options: WrittenOptions = [:]
        var metrics: Metrics = ["sessions": 1000, "users": 500]
        var events: Double? = 20
        var users: Double? = 30
        var status = "unresolved"
        var span = Duration.minutes(30)
        var isComplete = true
        let verdict: Judgement.Verdict?

        var testDescription: String { why }
    }

    static let cases = [
        Case(why: "2% of sessions", verdict: .firing(.warning)),
        Case(why: "just 1%", events: 10, verdict: .ok(recovered: true)),
        Case(why: "a little more than 1%", events: 11, verdict: .firing(.warning)),
        Case(why: "too few users", users: 24, verdict: .ok(recovered: true)),
        Case(why: "just enough users", users: 25, verdict: .firing(.warning)),
        Case(why: "critical", options: ["critical": "1.5%"], verdict: .firing(.critical)),
        Case(why: "not yet critical", options: ["critical": "2%"], verdict: .firing(.warning)),
        Case(why: "its own severity", options: ["severity": "critical"], verdict: .firing(.critical)),
        Case(why: "of users", options: ["of": "users", "share": "5%"], verdict: .firing(.warning)),
        Case(why: "of users, not enough", options: ["of": "users", "share": "6%"], verdict: .ok(recovered: true)),
        Case(why: "more events than sessions", metrics: ["sessions": 10], verdict: .firing(.warning)),
        Case(
            why: "no users told", users: nil,
            verdict: .unknown("boom (a) comes without the number of users; only 'min_users: 0' judges it")),
        Case(why: "no users wanted", options: ["min_users": "0"], users: nil, verdict: .firing(.warning)),
        Case(
            why: "no events told", events: nil, verdict: .unknown("boom (a) comes without the number of events")),
        Case(
            why: "no sessions", metrics: ["users": 500],
            verdict: .unknown("there is no figure for sessions over the span of the issues")),
        Case(
            why: "nobody there", metrics: ["sessions": 0],
            verdict: .unknown("there is no figure for sessions over the span of the issues")),
        Case(why: "a span that fills", isComplete: false, verdict: .unknown("the span is not complete yet")),
        Case(
            why: "a whole day at once", span: .days(1),
            verdict: .unknown("issues are reported for 1 d at a time, too long to judge how fast they spread")),
        Case(why: "the service's whole hours", span: .minutes(90), verdict: .firing(.warning)),
        Case(why: "set aside", status: "ignored", verdict: nil),
        Case(why: "fixed", status: "resolved", verdict: nil),
    ]

    @Test(arguments: cases)
    func `a verdict follows from the look`(of look: Case) throws {
        let rule = try look.options.detector(VelocityDetector.self)
        var series = Series(remembering: MemoryKinds(VelocityDetector.memories))
        let now = Moment.rehearsalStart
        series.add(
            Observation(
                subject: .shop, span: TimeSpan(lasting: look.span, until: now), seen: now,
                isComplete: look.isComplete, metrics: look.metrics,
                issues: [Issue(id: "a", title: "boom", events: look.events, users: look.users, status: look.status)]),
            keeping: .hours(1))
        let findings = rule.findings(in: Sight(.shop, series), at: now)
        #expect(findings.map(\.judgement.verdict) == (look.verdict.map { [$0] } ?? []))
    }

    @Test(
        arguments: [
            (["share": "100%"], ["2:9: no issue affects more than 100% of sessions [the default of 'share' is 1%]"]),
            (["share": "2%", "critical": "2%"], ["3:9: 'critical' (2%) must be above 'share' (2%)"]),
            (
                ["critical": "5%", "severity": "critical"],
                ["3:9: with 'severity: critical' every share is critical [leave 'critical' or 'severity' out]"]
            ),
            (["share": "0%"], []), (["share": "0.1%", "critical": "1%", "of": "users", "window": "1h"], []),
        ] as [(WrittenOptions, [String])])
    func `a mistake is reported at its place`(options: WrittenOptions, expected: [String]) throws {
        #expect(try options.problems(for: VelocityDetector.self) == expected)
    }

    @Test func `figures of long ago say nothing of how fast an issue spreads`() throws {
        let rule = try ([:] as WrittenOptions).detector(VelocityDetector.self)
        var series = Series(remembering: MemoryKinds(VelocityDetector.memories))
        let now = Moment.rehearsalStart
        series.add(
            Observation(
                subject: .shop, span: TimeSpan(lasting: .minutes(30), until: now - .days(100)), seen: now,
                metrics: ["sessions": 1000], issues: [Issue(id: "a", title: "boom", events: 20, users: 30)]),
            keeping: .hours(1))
        let findings = rule.findings(in: Sight(.shop, series), at: now)
        #expect(
            findings.map(\.judgement.verdict) == [
                .unknown(
                    "its newest figures ended on Wed 12 Aug 12:00 UTC: they are history, and no rule on figures judges "
                        + "them")
            ])
    }

    private func bot(_ gates: GatePlan...) throws -> Rehearsal {
        let rule = try ([:] as WrittenOptions).detector(VelocityDetector.self)
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "fast", detector: rule)], gates: gates))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Lets the bot see looks of half an hour, each with events of issue `a` of 1,000 sessions, by as many users; nil
    /// for a look that does not name it.
    private func play(_ bot: inout Rehearsal, _ events: [Double?], of subject: Subject = .shop) -> [[Notification.Kind]]
    {
        events.map { events in
            let before = bot.decisions.count
            bot.advance(by: .minutes(30))
            let issues = events.map { [Issue(id: "a", title: "boom", events: $0, users: $0)] } ?? []
            bot.see([.figures(["sessions": 1000], of: subject, at: bot.now, lasting: .minutes(30), issues: issues)])
            bot.advance(by: .seconds(1))
            return bot.decisions[before...].map(\.kind)
        }
    }

    @Test func `it is announced once while it lasts, over when it has halved, and armed again then`() throws {
        var bot = try bot()
        let told = play(&bot, [5, 30, 40, 20, 13, 5, 30, nil, nil])
        #expect(told == [[], [.opened], [], [], [], [.resolved], [.opened], [.resolved], []])
        #expect(
            bot.sends.first?.delivery.message.headline.contains(
                "3.00% of 1,000 sessions hit in 30 min (30 users; the limit is 1%): boom (a)") == true)
        #expect(bot.objections == [])
    }

    @Test(arguments: [5, nil])
    func `its end names the issue, and how bad it was at worst`(last: Double?) throws {
        var bot = try bot()
        _ = play(&bot, [30, 400, 40, last])
        let end = try #require(bot.decisions.last { $0.kind == .resolved }).message
        #expect(end.headline == "✅ shop: fast for boom (a) is resolved")
        let worst = "40.00% of 1,000 sessions hit in 30 min (400 users; the limit is 1%): boom (a)"
        #expect(end.fields.first == Message.Field("At worst", worst))
        #expect(bot.objections == [])
    }

    @Test func `a summary of what came and went names each issue, and how bad it was at worst`() throws {
        var bot = try bot(.quiet(from: "2026-11-20 12:00", until: "2026-11-20 20:00"))
        _ = play(&bot, [30, 400, 5])
        bot.advance(by: .hours(8))
        let summary = try #require(bot.decisions.last { $0.kind == .digest }).message
        #expect(
            summary.lines.first?.hasPrefix("🟠 shop: 40.00% of 1,000 sessions hit in 30 min (400 users")
                == true, "\(summary.lines)")
    }

    @Test func `each release is judged by itself where the source gives no whole`() throws {
        var bot = try bot()
        func release(_ name: String) -> Subject { Subject(source: "ios", app: "shop", release: name) }
        #expect(play(&bot, [30, 30], of: release("1.0")) == [[.opened], []])
        #expect(play(&bot, [30], of: release("1.1")) == [[.opened]])
        #expect(Set(bot.state.incidents.inOrder.map(\.subject.release)) == ["1.0", "1.1"])
    }

    @Test(arguments: [[Duration.minutes(30), .days(1)], [.days(1), .minutes(30)]])
    func `of two spans that end together the shorter is judged, in whichever order they come`(
        lengths: [Duration]
    ) throws {
        var bot = try bot()
        bot.advance(by: .minutes(30))
        bot.see(
            lengths.map { length in
                .figures(
                    ["sessions": length > .hours(1) ? 100_000 : 5000], at: bot.now, lasting: length,
                    issues: [Issue(id: "a", title: "boom", events: 100, users: 100)])
            })
        bot.advance(by: .seconds(1))
        #expect(bot.decisions.map(\.kind) == [.opened])
        #expect(bot.objections == [])
    }

    @Test(arguments: [10, 40])
    func `an old issue that spreads is reported, however many have been born since the bot's first poll`(
        days: Int
    ) throws {
        var bot = try bot()
        let began = bot.now
        for day in 0..<days {
            let known = day == 0 ? [Issue(id: "old", title: "boom", firstSeen: began)] : []
            bot.see([.figures(["sessions": 1000], at: bot.now, issues: known)])
            bot.advance(by: .days(1))
        }
        let born = (1..<100).map {
            Issue(id: "born\($0)", title: "", events: 1, users: 1, firstSeen: began + .hours(Int64($0)))
        }
        let old = Issue(id: "old", title: "boom", events: 50, users: 50, firstSeen: began)
        bot.see([.figures(["sessions": 1000], at: bot.now, lasting: .minutes(30), issues: [old] + born)])
        #expect(bot.state.incidents.inOrder.filter(\.isOpen).compactMap(\.key) == ["old"])
    }

    @Test func `a share just above its limit is not written like the limit`() throws {
        var bot = try bot()
        bot.advance(by: .minutes(30))
        bot.see([
            .figures(
                ["sessions": 200_000], at: bot.now, lasting: .minutes(30),
                issues: [Issue(id: "a", title: "boom", events: 2001, users: 2001)])
        ])
        bot.advance(by: .seconds(1))
        let headline = try #require(bot.decisions.last).message.headline
        #expect(headline.contains(": 1.001% of ") && headline.contains("the limit is 1%): "), "\(headline)")
    }

    private func answerAsBefore(_ bot: inout Rehearsal, times: Int) {
        for _ in 0..<times {
            bot.advance(by: .minutes(5))
            bot.step(.polled(source: "ios", PollReport(.unchanged), validators: [:]))
        }
    }

    /// A quiet night: the first answer without it comes again and again, byte for byte.
    @Test(arguments: [5, 20, 40] as [Int64])
    func `answers that are as the first without it end it`(minutes: Int64) throws {
        var bot = try bot()
        #expect(play(&bot, [30]) == [[.opened]])
        let named = bot.now - .seconds(1)
        bot.advance(by: .minutes(minutes))
        bot.see([.figures(["sessions": 1000], at: bot.now, lasting: .minutes(30))])
        answerAsBefore(&bot, times: 12)
        #expect(bot.decisions.map(\.kind) == [.opened, .resolved])
        // By the first answer that is half an hour after it was named last.
        #expect(bot.decisions.last?.at == named + max(.minutes(minutes), .minutes(30)) + .seconds(1))
        #expect(bot.objections == [])
    }

    @Test(arguments: [Unread.anything, .apps(["shop"])], [true, false])
    func `nor do those that could not tell of it`(unread: Unread, isAfterStart: Bool) throws {
        var bot = try bot()
        #expect(play(&bot, [30]) == [[.opened]])
        bot.advance(by: .minutes(10))
        bot.see([.figures(["sessions": 1000], at: bot.now, lasting: .minutes(30))])
        for _ in 0..<12 {
            if isAfterStart { bot.step(.started) }
            bot.advance(by: .minutes(5))
            bot.step(.polled(source: "ios", PollReport(.unchanged, unread: unread), validators: [:]))
        }
        #expect(bot.decisions.map(\.kind) == [.opened])
        #expect(bot.objections == [])
    }

    @Test func `answers that are as the one that names it end nothing`() throws {
        var bot = try bot()
        #expect(play(&bot, [30]) == [[.opened]])
        answerAsBefore(&bot, times: 36)
        #expect(bot.decisions.map(\.kind) == [.opened])
        #expect(bot.objections == [])
    }

    @Test func `figures whose issues nobody could read end nothing`() throws {
        var bot = try bot()
        #expect(play(&bot, [30]) == [[.opened]])
        for _ in 0..<12 {
            bot.advance(by: .minutes(5))
            var figures = Observation.figures(["sessions": 1000], at: bot.now, lasting: .minutes(30))
            figures.issuesUnread = true
            bot.see([figures])
        }
        #expect(bot.decisions.map(\.kind) == [.opened])
        // Once they are read again and do not name it, it is over after the usual time.
        #expect(play(&bot, [nil, nil]) == [[.resolved], []])
        #expect(bot.objections == [])
    }

    @Test
    func `issues that come by the hour, beside figures of five minutes, are over when an hour does not name them`()
        throws
    {
        var bot = try bot()
        func pass(_ events: Double?) {
            for step in 1...12 {
                bot.advance(by: .minutes(5))
                let issues = events.map { [Issue(id: "a", title: "boom", events: $0, users: $0)] } ?? []
                bot.see(
                    step == 12
                        ? [.figures(["sessions": 1000], at: bot.now, lasting: .hours(1), issues: issues)]
                        : [.figures(["sessions": 80], at: bot.now, lasting: .minutes(5))])
            }
        }
        for _ in 0..<4 { pass(30) }
        #expect(bot.decisions.map(\.kind) == [.opened])
        pass(nil)
        pass(nil)
        #expect(bot.decisions.map(\.kind).filter { $0 != .reminder } == [.opened, .resolved])
        #expect(bot.objections == [])
    }

    @Test func `a source that stops naming sessions, or stops at all, ends nothing`() throws {
        var bot = try bot()
        #expect(play(&bot, [30]) == [[.opened]])
        bot.see([.figures([:], at: bot.now, issues: [Issue(id: "a", title: "boom", events: 1, users: 1)])])
        bot.advance(by: .hours(1))
        #expect(bot.state.incidents.inOrder.filter(\.isOpen).count == 1)
    }

    @Test(arguments: UInt64(1)...12)
    func `whatever comes, nothing is announced below the limit, and nothing traps`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bot = try bot()
        for _ in 0..<120 {
            bot.advance(by: .seconds(Int64.random(in: 1...3000, using: &random)))
            if random.happens(0.03) { bot.setClock(by: .seconds(Int64.random(in: -7200...7200, using: &random))) }
            if random.happens(0.03) { bot.crash() }
            let sessions = Double(Int.random(in: 0...3000, using: &random))
            let ids = ["a", "b", String(repeating: "z", count: 4096)].filter { _ in random.happens(0.6) }
            let issues = ids.map { id in
                Issue(
                    id: id, title: random.happens(0.2) ? String(repeating: "\u{202E}", count: 4096) : "boom",
                    events: random.happens(0.1) ? nil : Double(Int.random(in: 0...60, using: &random)),
                    users: random.happens(0.1) ? nil : Double(Int.random(in: 0...60, using: &random)))
            }
            let release = random.pick([nil, "", String(repeating: "9", count: 4096)]) ?? nil
            let subject = Subject(source: "ios", app: "shop", release: release)
            let end = bot.now - .seconds(random.happens(0.2) ? Int64.random(in: 0...3000, using: &random) : 0)
            var metrics: Metrics = ["sessions": sessions]
            if random.happens(0.1) { metrics = [:] }
            let before = Set(bot.state.incidents.inOrder.filter(\.isOpen).map(\.id))
            bot.see([
                .figures(
                    metrics, of: subject, at: end,
                    lasting: .seconds(Int64.random(in: 60...7000, using: &random)), issues: issues)
            ])
            for incident in bot.state.incidents.inOrder where !before.contains(incident.id) {
                guard incident.isOpen, let issue = incident.evidence.issue else { continue }
                #expect(issue.users ?? 0 >= 25, "seed \(seed)")
            }
        }
        #expect(bot.objections == [], "seed \(seed)")
    }
}
