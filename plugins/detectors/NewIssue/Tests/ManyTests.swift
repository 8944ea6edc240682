import AlertCore
import AlertTesting
import NewIssueDetector
import PluginKit
import PluginTesting
import Testing

private typealias Issue = AlertModel.Issue

@Suite struct `Many new issues at once` {
    private func bot(_ match: Match = .all, gates: [GatePlan] = []) throws -> Rehearsal {
        let rule = try ([:] as WrittenOptions).detector(NewIssueDetector.self)
        let plan = DetectorPlan(name: "new", detector: rule, match: match, repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [plan], gates: gates))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        see(&bot, [])
        return bot
    }

    /// Lets the bot see issues that were all born an hour ago, or some time.
    private func see(_ bot: inout Rehearsal, _ names: some Sequence<Int>, bornBefore age: Duration = .hours(1)) {
        see(&bot, names.map { "SHOP-\($0)" }, bornBefore: age)
    }

    private func see(_ bot: inout Rehearsal, _ names: [String], bornBefore age: Duration = .hours(1)) {
        bot.advance(by: .hours(2))
        let issues = names.map { Issue(id: $0, title: "", users: 50, firstSeen: bot.now - age) }
        bot.see([.figures(["sessions": 10_000], at: bot.now, issues: issues)])
        bot.advance(by: .seconds(1))
    }

    private func opened(_ bot: Rehearsal) -> [String] {
        bot.decisions.filter { $0.kind == .opened }.map { $0.message.headline.replacing("🟠 shop: ", with: "") }
    }

    @Test(arguments: [(5, 5), (6, 1), (40, 1)])
    func `up to five are announced one by one, more in one message`(_ count: Int, _ messages: Int) throws {
        var bot = try bot()
        see(&bot, 1...count)
        #expect(opened(bot).count == messages)
        for _ in 0..<5 { see(&bot, 1...count, bornBefore: .hours(4)) }
        #expect(opened(bot).count == messages)
        #expect(bot.objections == [])
    }

    @Test func `the message names three and counts the rest`() throws {
        var bot = try bot()
        see(&bot, 1...40)
        #expect(opened(bot) == ["40 new issues at once: SHOP-1, SHOP-2, SHOP-3 and 37 more"])
        let message = try #require(bot.decisions.last).message
        #expect(message.reason == "this happens when a source regroups its issues, or when everything is broken")
    }

    @Test func `those that are too many to be kept are counted, and reported with the others`() throws {
        var bot = try bot()
        see(&bot, 1...90)
        #expect(opened(bot) == ["90 new issues at once: SHOP-1, SHOP-2, SHOP-3 and 87 more"])
        bot.crash(after: .minutes(1))
        see(&bot, 1...90, bornBefore: .hours(4))
        see(&bot, 60...90, bornBefore: .hours(6))
        #expect(opened(bot).count == 1)
        #expect(bot.objections == [])
    }

    @Test func `of those that are too many to be kept, the match counts too`() throws {
        var bot = try bot(.on(["issue": "SHOP-*1"]))
        see(&bot, 1...90)
        #expect(opened(bot).map { $0.prefix(22) } == ["9 new issues at once: "])
    }

    @Test func `those that the message names are there with their links`() throws {
        var bot = try bot()
        bot.advance(by: .hours(2))
        let issues = (1...7).map { number in
            Issue(
                id: "SHOP-\(number)", title: "Crash \(number)", users: 50, firstSeen: bot.now,
                url: "https://sentry.example/\(number)")
        }
        bot.see([.figures(["sessions": 10_000], at: bot.now, issues: issues)])
        bot.advance(by: .seconds(1))
        let message = try #require(bot.decisions.last).message
        #expect(message.issues.map(\.title) == ["Crash 1", "Crash 2", "Crash 3"])
        #expect(message.issues.map(\.url) == (1...3).map { "https://sentry.example/\($0)" })
        bot.crash()
        let kept = try #require(bot.state.incidents.inOrder.last).evidence
        #expect(kept.otherIssues.map(\.id) == ["SHOP-2", "SHOP-3"])
        #expect(bot.objections == [])
    }

    @Test func `one that was reported keeps its title when it is among too many to be kept`() throws {
        var bot = try bot()
        bot.advance(by: .hours(2))
        let born = bot.now
        let known = Issue(
            id: "SHOP-4711", title: "Crash in CartView", users: 50, firstSeen: born, url: "https://sentry.example/4711")
        bot.see([.figures(["sessions": 10_000], at: bot.now, issues: [known])])
        bot.advance(by: .minutes(25))
        // All of them hit more users, and are news for as long as the other is.
        let many = (1...70).map { Issue(id: "SHOP-\($0)", title: "t", users: 60, firstSeen: born + .minutes(1)) }
        bot.see([.figures(["sessions": 10_000], at: bot.now, issues: many + [known])])
        bot.advance(by: .seconds(1))
        let incident = try #require(bot.state.incidents.inOrder.first { $0.key == "SHOP-4711" })
        #expect(incident.isOpen)
        #expect(incident.evidence.issue?.title == "Crash in CartView")
        #expect(incident.evidence.issue?.url == "https://sentry.example/4711")
        #expect(bot.objections == [])
    }

    @Test func `what is born afterwards is news again, one by one or as another many`() throws {
        var bot = try bot()
        see(&bot, 1...20)
        see(&bot, 1...21, bornBefore: .minutes(30))
        // Those known keep the birth that they had.
        #expect(opened(bot).count == 2)
        #expect(opened(bot).last == "new issue, 50 users hit: SHOP-21")
        see(&bot, 50...60, bornBefore: .minutes(30))
        #expect(opened(bot).count == 3)
    }

    @Test func `it is over when it is no news any more, and what it announced is not repeated after that`() throws {
        var bot = try bot()
        see(&bot, 1...40)
        bot.crash(after: .minutes(1))
        bot.advance(by: .hours(23))
        see(&bot, 1...40, bornBefore: .hours(30))
        #expect(bot.decisions.map(\.kind) == [.opened, .resolved])
        #expect(bot.decisions.last?.message.headline == "⚪ shop: alert new for SHOP-1 and 39 more has ended")
        see(&bot, 1...40, bornBefore: .hours(30))
        #expect(bot.decisions.count == 2)
        #expect(bot.objections == [])
    }

    @Test(
        arguments: [
            (["open"], 50, nil), (["resolved", "resolved", "ignored", "resolved", "resolved", "open"], 50, nil),
            (["resolved"], 50, "✅"),
            (["resolved", "resolved", "ignored", "resolved", "resolved", "resolved"], 50, "⚪"),
            (["resolved", "reopened", "resolved", "resolved", "resolved", "resolved"], 50, "⚪"),
            (["resolved", "reopened", "resolved", "resolved", "resolved", "resolved"], 3, "⚪"),
            (["resolved", "reopened", "resolved", "resolved", "resolved", "resolved"], nil, "⚪"),
        ] as [([String], Double?, Character?)])
    func `it is over once none of them is open any more, with a tick only where all are resolved`(
        _ statuses: [String], usersThen: Double?, mark: Character?
    ) throws {
        var bot = try bot(.on(["issue": "SHOP-*"]))
        bot.advance(by: .hours(2))
        let born = bot.now
        func see(_ statuses: [String], users: Double?) {
            let named = (0..<6).map { number in
                Issue(
                    id: "SHOP-\(number)", title: "Crash \(number)", users: users, firstSeen: born,
                    status: statuses[number % statuses.count])
            }
            // Neither one that the rule is not about, nor one that was too small to be told of, keeps it open.
            let others = [("CART-1", 50.0), ("SHOP-77", 1)].map { Issue(id: $0, title: "", users: $1, firstSeen: born) }
            bot.see([.figures(["sessions": 10_000], at: bot.now, issues: named + others)])
            bot.advance(by: .minutes(10))
        }
        see(["open"], users: 50)
        #expect(opened(bot).count == 1)
        bot.crash(after: .minutes(1))
        see(statuses, users: usersThen)
        let end = bot.decisions.last { $0.kind == .resolved }?.message.headline
        #expect(end?.first == mark)
        #expect(end?.contains("Crash 0 (SHOP-0) and 5 more") ?? (mark == nil))
        #expect(bot.objections == [])
    }

    @Test func `what ended behind a mute is shown as it would have been announced`() throws {
        var bot = try bot(gates: [.mute(from: "2026-11-20 00:00", until: "2026-11-27 00:00")])
        see(&bot, 1...7)
        bot.advance(by: .hours(23))
        see(&bot, 1...7, bornBefore: .hours(30))
        let dropped = try #require(bot.decisions.first { $0.decision == .drop && $0.kind == .opened }).message
        #expect(dropped.headline.hasSuffix("shop: 7 new issues at once: SHOP-1, SHOP-2, SHOP-3 and 4 more"))
        #expect(bot.objections == [])
    }

    @Test func `a match on issues takes in the message for many`() throws {
        var bot = try bot(.on(["issue": "SHOP-*"]))
        see(&bot, 1...40)
        #expect(opened(bot).count == 1)
    }

    private static let cart = (1...6).map { "CART-\($0)" }

    @Test(arguments: [
        (["SHOP-1", "SHOP-2", "SHOP-3", "SHOP-4", "SHOP-5", "CART-1"], ["new issue, 50 users hit: CART-1"]),
        (["CART-1", "SHOP-1", "SHOP-2", "SHOP-3", "SHOP-4", "SHOP-5"], ["new issue, 50 users hit: CART-1"]),
        (["SHOP-1"] + cart, ["6 new issues at once: CART-1, CART-2, CART-3 and 3 more"]),
        ((1...6).map { "SHOP-\($0)" }, []),
    ])
    func `those that a match leaves out decide nothing and are not counted`(names: [String], told: [String]) throws {
        var bot = try bot(.on(["issue": "CART-*"]))
        for _ in 0..<3 { see(&bot, names) }
        #expect(opened(bot) == told)
        #expect(bot.objections == [])
    }

    @Test func `what was announced of issues that a match names one by one is over, too`() throws {
        let match = Match([Match.Condition(property: "issue", patterns: Self.cart.map { Glob($0) })])
        var bot = try bot(match)
        see(&bot, Self.cart)
        bot.advance(by: .hours(24))
        see(&bot, Self.cart, bornBefore: .hours(30))
        #expect(bot.decisions.map(\.kind) == [.opened, .resolved])
    }
}
