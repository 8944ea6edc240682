import AlertCore
import AlertTesting
import Chance
import NewIssueDetector
import PluginKit
import PluginTesting
import Testing

private typealias Issue = AlertModel.Issue

@Suite struct `New issues` {
    private func bot(_ options: WrittenOptions = [:], gates: [GatePlan] = []) throws -> Rehearsal {
        let rule = try options.detector(NewIssueDetector.self)
        let plan = DetectorPlan(name: "new", detector: rule, repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [plan], gates: gates))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Lets the bot see issues now, and gives back what was reported for it.
    private func see(_ bot: inout Rehearsal, _ issues: [Issue]) -> [Notification.Kind] {
        let before = bot.decisions.count
        bot.see([.figures(["sessions": 10_000], at: bot.now, issues: issues)])
        bot.advance(by: .seconds(1))
        return bot.decisions[before...].map(\.kind)
    }

    private func open(_ bot: Rehearsal) -> Set<String> {
        Set(bot.state.incidents.inOrder.filter(\.isOpen).compactMap(\.key))
    }

    @Test func `the first run does not announce the whole past, and what is born later is announced once`() throws {
        var bot = try bot()
        let began = bot.now
        let past = (0..<50).map { Issue(id: "old\($0)", title: "", users: 500, firstSeen: began - .days(Int64($0))) }
        #expect(see(&bot, past) == [])
        bot.advance(by: .hours(1))
        let new = Issue(id: "SHOP-12", title: "NullPointerException in CartView", users: 29, firstSeen: bot.now)
        #expect(see(&bot, past + [new]) == [.opened])
        let message = try #require(bot.sends.last?.delivery.message)
        #expect(message.headline.hasSuffix("shop: new issue, 29 users hit: NullPointerException in CartView (SHOP-12)"))
        #expect(message.issues.map(\.title) == ["NullPointerException in CartView"])
        for _ in 0..<20 {
            bot.advance(by: .minutes(30))
            #expect(see(&bot, past + [new]) == [])
        }
        bot.advance(by: .days(1))
        #expect(see(&bot, [new]) == [.resolved])
        let end = try #require(bot.decisions.last).message
        #expect(end.headline == "⚪ shop: alert new for NullPointerException in CartView (SHOP-12) has ended")
        #expect(
            end.fields.first
                == Message.Field("At worst", "new issue, 29 users hit: NullPointerException in CartView (SHOP-12)"))
        bot.advance(by: .days(1))
        #expect(see(&bot, [new]) == [])
        #expect(bot.objections == [])
    }

    @Test func `what is new on a quiet weekend, and goes on when it is news no more, has not come and gone`() throws {
        var bot = try bot(gates: [.quiet("weekend", from: "2026-11-20 12:30", until: "2026-11-23 08:00")])
        _ = see(&bot, [Issue(id: "old", title: "", users: 500, firstSeen: bot.now - .days(9))])
        bot.advance(by: .hours(2))
        let new = Issue(id: "SHOP-12", title: "Boom", users: 600, firstSeen: bot.now)
        for _ in 0..<72 {
            _ = see(&bot, [new])
            bot.advance(by: .hours(1))
        }
        let told = bot.decisions.filter { $0.decision == .send }.map(\.message)
        #expect(told.count == 1, "\(told.map(\.headline))")
        #expect(told.first?.headline.contains("1 incident opened while") == true, "\(told.map(\.headline))")
        #expect(told.first?.lines.first?.contains("Boom") == true)
        #expect(bot.objections == [])
    }

    @Test func `without a first sight by the source, the first day is for learning`() throws {
        var bot = try bot()
        func issue(_ id: String) -> Issue { Issue(id: id, title: "", users: 100) }
        #expect(see(&bot, [issue("a")]) == [])
        bot.advance(by: .hours(20))
        #expect(see(&bot, [issue("b")]) == [])
        bot.advance(by: .hours(5))
        #expect(see(&bot, [issue("a"), issue("b"), issue("c")]) == [.opened])
        #expect(open(bot) == ["c"])
    }

    /// Whether anything was named before the silence, how many days that lasts, and whether it is played from a recording.
    @Test(
        arguments: [(false, 1, false), (false, 9, false), (true, 9, false), (false, 9, true), (true, 9, true)]
            as [(Bool, Int64, Bool)])
    func `the first issue after a silence is announced, and what was there at the source's first answer is not`(
        wasHeard: Bool, days: Int64, isPlayed: Bool
    ) throws {
        var bot = try bot()
        let began = bot.now
        func issue(_ id: String, bornAt born: Moment) -> Issue {
            Issue(id: id, title: "", users: 500, firstSeen: born)
        }
        /// Lets a poll name issues and no figures. Such a source has nothing to tell where there are none.
        func poll(_ issues: [Issue]) -> [Notification.Kind] {
            let before = bot.decisions.count
            let seen = Observation.figures([:], at: bot.now, issues: issues)
            if isPlayed {
                let nothing = ObservationLine.empty(EmptyPoll(source: "ios", .noData, seen: bot.now))
                bot.step(.observed([issues.isEmpty ? nothing : .observed(seen)], asked: bot.now))
            } else {
                let report = PollReport(issues.isEmpty ? .noData : .values([seen]))
                bot.step(.polled(source: "ios", report, validators: [:]))
            }
            bot.advance(by: .seconds(1))
            return bot.decisions[before...].map(\.kind)
        }
        let old = issue("OLD", bornAt: began - .hours(1))
        if wasHeard { #expect(poll([old]) == []) }
        for _ in 0..<days {
            #expect(poll([]) == [])
            bot.advance(by: .days(1))
        }
        #expect(bot.state.figures.series[.shop] == nil, "all is forgotten")
        // From the journal's records, and then from a snapshot of them.
        for _ in 1...2 { bot.crash(after: .minutes(1)) }
        let new = issue("NEW", bornAt: bot.now - .minutes(2))
        #expect(poll([old, issue("AS IT BEGAN", bornAt: began), new]) == [.opened])
        #expect(open(bot) == ["NEW"])
        #expect(bot.objections == [])
    }

    @Test func `an issue that was told is not told again when all that was known of its source is forgotten`() throws {
        let rule = try (["fresh_for": "30d"] as WrittenOptions).detector(NewIssueDetector.self)
        var bot = Rehearsal(.rehearsed(detectors: [DetectorPlan(name: "new", detector: rule, repeat: nil)]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        func nothing(days: Int) {
            for _ in 0..<days {
                bot.step(.polled(source: "ios", PollReport(.noData), validators: [:]))
                bot.advance(by: .days(1))
            }
        }
        nothing(days: 3)
        let issue = Issue(id: "A", title: "", users: 500, firstSeen: bot.now - .minutes(2))
        bot.see([.figures([:], at: bot.now, issues: [issue])])
        nothing(days: 11)
        #expect(bot.state.figures.series[.shop] == nil)
        bot.crash()
        bot.see([.figures([:], at: bot.now, issues: [issue])])
        #expect(bot.decisions.filter { $0.kind == .opened }.count == 1)
        #expect(bot.objections == [])
    }

    @Test(arguments: [false, true])
    func `that nothing has been pushed yet is no answer`(isPushed: Bool) throws {
        var source = SourcePlan(name: "ios", jitter: 0)
        source.isPushed = isPushed
        let rule = try (["fresh_for": "7d"] as WrittenOptions).detector(NewIssueDetector.self)
        let plan = DetectorPlan(name: "new", detector: rule, repeat: nil)
        var bot = Rehearsal(.rehearsed(sources: [source], detectors: [plan]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.step(.polled(source: "ios", PollReport(.noData), validators: [:]))
        bot.advance(by: .days(4))
        // It was there before anybody pushed.
        let issue = Issue(id: "a", title: "", users: 500, firstSeen: bot.now - .days(2))
        bot.see([.figures([:], at: bot.now, issues: [issue])])
        bot.advance(by: .seconds(1))
        let told: Set<String> = isPushed ? [] : ["a"]
        #expect(open(bot) == told)
    }

    @Test func `an issue is announced when it has hit enough, though it began small`() throws {
        var bot = try bot(["min_users": "25", "severity": "critical"])
        _ = see(&bot, [])
        let born = bot.now
        let told = [3, 24, 25, 40, 2].map { users -> [Notification.Kind] in
            bot.advance(by: .minutes(30))
            return see(&bot, [Issue(id: "a", title: "", users: users, firstSeen: born)])
        }
        // Shrinking counts take nothing back.
        #expect(told == [[], [], [.opened], [], []])
        #expect(bot.state.incidents.inOrder.map(\.severity) == [.critical])
    }

    @Test func `what grows only when it is old news is not announced`() throws {
        var bot = try bot(["fresh_for": "2h"])
        _ = see(&bot, [])
        let born = bot.now
        bot.advance(by: .hours(3))
        #expect(see(&bot, [Issue(id: "a", title: "", users: 5000, firstSeen: born)]) == [])
    }

    @Test func `what is no news any more is over also where answers are as before`() throws {
        var bot = try bot(["fresh_for": "2h"])
        _ = see(&bot, [])
        #expect(see(&bot, [Issue(id: "a", title: "", users: 5000, firstSeen: bot.now)]) == [.opened])
        for hour in 1...3 {
            bot.advance(by: .hours(1))
            bot.step(.polled(source: "ios", PollReport(.unchanged), validators: [:]))
            #expect(open(bot).isEmpty == (hour > 1), "after \(hour) h")
        }
        #expect(bot.objections == [])
    }

    @Test func `also where its source fails in between`() throws {
        var bot = try bot(["fresh_for": "2h"])
        _ = see(&bot, [])
        #expect(see(&bot, [Issue(id: "a", title: "", users: 5000, firstSeen: bot.now)]) == [.opened])
        for _ in 0..<18 {
            bot.advance(by: .minutes(5))
            bot.step(
                .polled(
                    source: "ios", PollReport(.failed(PollFailure(.timeout, "no answer"))), validators: [:]))
            bot.advance(by: .minutes(5))
            bot.step(.polled(source: "ios", PollReport(.unchanged), validators: [:]))
        }
        #expect(open(bot).isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `issues that nobody wants to hear of, or that are fixed, are not announced`() throws {
        var bot = try bot()
        _ = see(&bot, [])
        let born = bot.now
        func issue(_ status: String) -> Issue {
            Issue(id: "a", title: "", users: 500, firstSeen: born, status: status)
        }
        #expect(see(&bot, [issue("archived_forever")]) == [])
        #expect(see(&bot, [issue("new")]) == [.opened])
        #expect(see(&bot, [issue("resolved")]) == [.resolved])
        // It is another rule's to say that it is back.
        #expect(see(&bot, [issue("unresolved")]) == [])
    }

    @Test func `issues without users are announced only where none are asked for`() throws {
        for (options, kinds) in [([:], []), (["min_users": "0"], [.opened])]
            as [(WrittenOptions, [Notification.Kind])]
        {
            var bot = try bot(options)
            _ = see(&bot, [])
            #expect(see(&bot, [Issue(id: "a", title: "", firstSeen: bot.now)]) == kinds)
        }
    }

    @Test func `a bot that was killed remembers what it knew`() throws {
        var bot = try bot()
        _ = see(&bot, [Issue(id: "a", title: "", users: 50)])
        let born = bot.now
        let new = Issue(id: "b", title: "", users: 50, firstSeen: born)
        #expect(see(&bot, [new]) == [.opened])
        bot.crash()
        #expect(see(&bot, [new, Issue(id: "a", title: "", users: 50)]) == [])
        #expect(try bot.stateFromSnapshot().figures.series == bot.state.figures.series)
    }

    /// Worlds of issues of which the truth is known: late and lost looks, shrinking counts, stepping clocks, kills.
    @Test(arguments: UInt64(1)...12)
    func `only what was born under its eyes and hit enough is announced, and that once`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bot = try bot()
        let began = bot.now
        var issues: [Issue] = (0..<30).map { number in
            let isOld = random.happens(0.5)
            let age = Duration.seconds(Int64.random(in: 1...2_000_000, using: &random))
            let id = random.happens(0.1) ? String(repeating: "x", count: 4096) + "\(number)" : "issue\(number)"
            return Issue(
                id: id, title: "",
                firstSeen: isOld ? began - age : began + .seconds(Int64.random(in: 1...200_000, using: &random)))
        }
        var shown: [String: Double] = [:]
        for step in 0..<150 {
            if step > 0 { bot.advance(by: .seconds(Int64.random(in: 1...4000, using: &random))) }
            if random.happens(0.03) { bot.setClock(by: .seconds(Int64.random(in: -7200...7200, using: &random))) }
            if random.happens(0.03) { bot.crash() }
            if random.happens(0.1) { continue }
            var named: [Issue] = []
            for index in issues.indices where random.happens(0.4) {
                guard let first = issues[index].firstSeen, first <= bot.now else { continue }
                issues[index].users = Double(Int.random(in: 0...20, using: &random))
                issues[index].status = random.pick(["unresolved", "new", "ongoing", ""])
                named.append(issues[index])
                let kept = issues[index].id.count > 100 ? "long" : issues[index].id
                shown[kept] = max(shown[kept] ?? 0, issues[index].users ?? 0)
            }
            let end = random.happens(0.1) ? bot.now - .minutes(20) : bot.now
            bot.see([.figures(["sessions": 1000], at: end, issues: named)])
        }
        let opened = bot.decisions.filter { $0.kind == .opened }
        #expect(Set(opened.map(\.incident)).count == opened.count, "seed \(seed)")
        for incident in bot.state.incidents.inOrder {
            let key = try #require(incident.key)
            let first = try #require(incident.evidence.issue?.firstSeen ?? incident.worst.issue?.firstSeen)
            #expect(first >= began, "seed \(seed): \(key) was there before")
            #expect(shown[key.utf8.count > 20 ? "long" : key] ?? 0 >= 10, "seed \(seed): \(key) hit too few")
        }
        #expect(bot.objections == [], "seed \(seed)")
    }
}
