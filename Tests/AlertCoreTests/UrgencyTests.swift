import AlertTesting
import BudgetGate
import GroupGate
import PluginKit
import Testing

@testable import AlertCore

@Suite struct `What is told first` {
    private func bot(_ gates: [GatePlan], repeat: Duration? = .hours(1), at start: Moment = .rehearsalStart)
        -> Rehearsal
    {
        .checked(.rehearsed(for: .zero, repeat: `repeat`, lookback: .hours(9), gates: gates), at: start)
    }

    private func budget(_ rate: String, except: String? = nil) throws -> GatePlan {
        try except.map { try .rule(BudgetGate.self, "calm-down", ["at_most": rate, "except": $0]) }
            ?? .rule(BudgetGate.self, "calm-down", ["at_most": rate])
    }

    /// What the channel got from a moment on, in that order: a mark and whom it is about.
    private func told(_ bot: Rehearsal, since moment: Moment = .earliest) -> [String] {
        bot.decisions.filter { $0.at >= moment && $0.decision == .send }.map { decision in
            ([decision.mark] + decision.message.incidents.map { $0.subject.release ?? "" }).joined(separator: " ")
        }
    }

    /// Goes wrong, is well after half an hour, and goes wrong again after another, worse.
    private func comeAgain(_ bot: inout Rehearsal) {
        bot.see(.warning)
        bot.advance(by: .minutes(30))
        bot.see(.fine)
        bot.advance(by: .minutes(30))
        bot.see(.critical)
    }

    // Ids are made of when things began, so chance would have it otherwise at some of these moments.
    @Test(arguments: 0..<12)
    func `of what one poll finds the worst has the room that a budget leaves`(second: Int) throws {
        var bot = bot([try budget("1 per 1h")], at: .rehearsalStart + .seconds(second))
        bot.see(parts("shop", 4).map { ($0, $0.release == "3.0" ? .critical : .warning) })
        #expect(told(bot) == ["O 3.0"])
        #expect(bot.marks() == "Ohhh")
        #expect(bot.objections == [])
    }

    @Test func `in the morning what nobody has heard of comes before reminders of what is older`() throws {
        let nights = GatePlan.quiet(from: "2026-11-20 12:30", until: "2026-11-20 14:00")
        var bot = bot([nights, try budget("2 per 1h")])
        let shop = parts("shop", 3)
        bot.seeEach(Array(shop[..<2]), .critical)
        bot.advance(by: .minutes(40))
        bot.see(.warning, of: shop[2])
        bot.advance(to: .utc("2026-11-20 14:00"))
        #expect(told(bot, since: .utc("2026-11-20 12:30")).first == "O 3.0")
        #expect(bot.objections == [])
    }

    @Test func `what is critical does not stand in line behind a storm of what is not`() throws {
        var bot = Rehearsal(.rehearsed())
        bot.comparesReplay = true
        bot.start()
        bot.see((0..<400).map { (Subject(source: "ios", app: "app-\($0)"), .warning) })
        let bank = Subject(source: "ios", app: "bank")
        bot.see(.critical, of: bank)
        bot.advance(by: .minutes(1))
        let apps = bot.decisions.filter { $0.decision == .send }.compactMap(\.message.incidents.first?.subject)
        #expect(apps.count == 401)
        #expect(Set(apps).count == 401)
        #expect(try #require(apps.firstIndex(of: bank)) < 3 * Outbox.acceptedMax)
        #expect(bot.objections == [])
    }

    @Test func `what has become urgent while it stood in line is told once`() throws {
        var bot = Rehearsal(.rehearsed())
        bot.comparesReplay = true
        bot.start()
        let apps = (0..<400).map { Subject(source: "ios", app: "app-\($0)") }
        bot.see(apps.map { ($0, .warning) })
        bot.see(apps.map { ($0, $0 == apps[7] || $0 == apps[300] ? .critical : .warning) })
        bot.advance(by: .minutes(1))
        let openings = bot.decisions.filter { $0.decision == .send && $0.kind == .opened }
        #expect(Set(openings.compactMap(\.message.incidents.first?.subject)).count == 400)
        #expect(openings.count == 400)
        #expect(bot.objections == [])
    }

    @Test func `what has become critical comes before what is new and milder`() {
        var bot = bot([], repeat: nil)
        let shop = parts("shop", 4)
        bot.see(.warning, of: shop[3])
        bot.see(shop.map { ($0, $0 == shop[3] ? .critical : .warning) })
        #expect(bot.marks() == "OEOOO")
        #expect(told(bot)[1] == "E 4.0")
        #expect(bot.objections == [])
    }

    @Test func `nor does what has become critical stand in line behind a storm`() throws {
        var bot = Rehearsal(.rehearsed())
        bot.comparesReplay = true
        bot.start()
        bot.see(.warning)
        bot.see((0..<400).map { (Subject(source: "ios", app: "app-\($0)"), .warning) } + [(.shop, .critical)])
        bot.advance(by: .minutes(1))
        let kinds = bot.decisions.filter { $0.decision == .send }.map(\.kind)
        #expect(kinds.count == 402)
        #expect(try #require(kinds.firstIndex(of: .escalated)) < 3 * Outbox.acceptedMax)
        #expect(bot.objections == [])
    }

    @Test func `what is worse than a digest holds it does not wait for the digest's turn`() throws {
        let few = Match([Match.Condition(property: "app", patterns: [Glob("first"), Glob("bank")])])
        let gate = try GatePlan.rule(
            BudgetGate.self, "calm-down", ["at_most": "1 per 3h", "except": "critical"], match: few)
        var bot = bot([gate], repeat: nil)
        let (first, bank) = (Subject(source: "ios", app: "first"), Subject(source: "ios", app: "bank"))
        bot.seeEach([first, bank])
        #expect(bot.marks() == "Oh")
        bot.advance(by: .minutes(30))
        bot.see((0..<400).map { (Subject(source: "ios", app: "app-\($0)"), .warning) } + [(bank, .critical)])
        let next = try #require(bot.decisions.dropFirst(2).first { $0.decision == .send })
        #expect(next.message.incidents.map(\.subject) == [bank])
        #expect(next.severity == .critical)
    }

    @Test func `what turns critical again, and was last said to be milder, comes before what is new and milder`() {
        var bot = bot([], repeat: .hours(1))
        let shop = parts("shop", 4)
        bot.see(.critical, of: shop[3])
        bot.see(.warning, of: shop[3])
        bot.advance(by: .hours(1))
        #expect(bot.marks() == "OM")
        bot.see(shop.map { ($0, $0 == shop[3] ? .critical : .warning) })
        #expect(bot.marks() == "OMEOOO")
    }

    @Test func `an earlier end that is held for long makes nothing less urgent`() throws {
        let nights = GatePlan.quiet(
            from: "2026-11-20 12:10", until: "2026-11-20 20:00", except: .critical, match: .on(["app": "shop"]))
        var bot = bot([nights], repeat: nil)
        bot.see(.warning)
        bot.advance(by: .minutes(15))
        bot.see(.fine)
        #expect(bot.marks() == "Oh")
        bot.see((0..<400).map { (Subject(source: "ios", app: "app-\($0)"), .warning) })
        bot.see(.critical)
        bot.advance(by: .minutes(1))
        let apps = bot.decisions.dropFirst(2).filter { $0.decision == .send }.compactMap(
            \.message.incidents.first?.subject)
        #expect(apps.count == 401)
        #expect(try #require(apps.firstIndex(of: .shop)) < 3 * Outbox.acceptedMax)
        #expect(bot.objections == [])
    }

    // MARK: - An end that waits while the same begins again

    @Test(arguments: [
        GatePlan.quiet(from: "2026-11-20 12:10", until: "2026-11-20 20:00", except: .critical),
        .mute(from: "2026-11-20 12:10", until: "2026-11-20 20:00", except: .critical),
    ])
    func `an end that was held until the same began again does not say that all is well`(gate: GatePlan) throws {
        var bot = bot([gate], repeat: nil)
        comeAgain(&bot)
        #expect(bot.marks() == "OhO")
        bot.advance(to: .utc("2026-11-20 20:00"))
        #expect(bot.marks() == "OhOR")
        #expect(
            bot.decisions.last?.message.headline == "⚪ shop: look is resolved (firing again since Fri 20 Nov 13:00 UTC)"
        )
        #expect(bot.state.incidents.count == 1)
        #expect(bot.objections == [])
    }

    @Test func `nor does one that a group or a digest tells among others`() throws {
        let together = try GatePlan.rule(GroupGate.self, "together", ["by": "app", "wait": "5m"])
        var grouped = bot([together], repeat: nil)
        let shop = parts("shop", 2)
        grouped.see(.warning, of: shop[0])
        grouped.advance(by: .minutes(10))
        grouped.see(.warning, of: shop[1])
        grouped.advance(by: .minutes(1))
        grouped.see(.fine, of: shop[0])
        grouped.advance(by: .minutes(2))
        grouped.see(.warning, of: shop[0])
        grouped.advance(by: .minutes(10))
        #expect(told(grouped) == ["O 1.0", "O 2.0 1.0", "R 1.0"])
        let end = try #require(grouped.decisions.last { $0.mark == "R" }?.message)
        #expect(end.headline == "⚪ shop 1.0: look is resolved (firing again since Fri 20 Nov 12:13 UTC)")

        var counted = bot([try budget("1 per 1h", except: "critical")], repeat: nil)
        counted.see(.warning)
        counted.advance(by: .minutes(10))
        counted.see(.fine)
        counted.advance(by: .minutes(10))
        counted.see(.critical)
        counted.advance(by: .hours(2))
        #expect(told(counted).map { $0.prefix(1) } == ["O", "O", "D"])
        #expect(
            counted.decisions.last?.message.lines == [
                "⚪ shop: look is resolved (firing again since Fri 20 Nov 12:20 UTC)"
            ])
        #expect(grouped.objections + counted.objections == [])
    }

    @Test func `an end and the next beginning that were held together are told in that order`() throws {
        var bot = bot([.quiet(from: "2026-11-20 12:10", until: "2026-11-20 20:00")], repeat: nil)
        comeAgain(&bot)
        bot.advance(to: .utc("2026-11-20 20:00"))
        #expect(bot.marks() == "OhhRO")
        #expect(bot.objections == [])
    }

    @Test func `that order holds where the next beginning has only ripened by then, too`() {
        let nights = GatePlan.quiet(from: "2026-11-20 12:10", until: "2026-11-20 13:00")
        var bot = Rehearsal.checked(
            .rehearsed(for: .minutes(5), repeat: nil, lookback: .hours(9), gates: [nights]))
        bot.see(.warning)
        bot.advance(by: .minutes(30))
        bot.see(.fine)
        bot.advance(to: .utc("2026-11-20 12:55"))
        bot.see(.critical)
        bot.advance(to: .utc("2026-11-20 13:10"))
        #expect(bot.marks() == "OhRO")
        #expect(bot.objections == [])
    }

    @Test func `an end makes room for the next beginning of the same alone`() throws {
        let nights = GatePlan.quiet(from: "2026-11-20 12:10", until: "2026-11-20 14:00")
        var bot = bot([nights, try budget("2 per 1h")], repeat: nil)
        let shop = parts("shop", 3)
        bot.seeEach(Array(shop[..<2]))
        bot.advance(by: .minutes(30))
        bot.see(shop[..<2].map { ($0, .fine) })
        bot.advance(by: .minutes(30))
        bot.see([(shop[0], .warning), (shop[1], .warning), (shop[2], .critical)])
        bot.advance(to: .utc("2026-11-20 14:00"))
        #expect(told(bot, since: .utc("2026-11-20 14:00")).first == "O 3.0")
        #expect(bot.objections == [])
    }

    @Test func `two ends of the same are told as they came, whichever was worse`() throws {
        let nights = GatePlan.quiet("nights", from: "2026-11-20 12:10", until: "2026-11-20 14:00", except: .critical)
        let late = GatePlan.quiet("late", from: "2026-11-20 12:50", until: "2026-11-20 14:00")
        var bot = bot([nights, late], repeat: nil)
        bot.see(.warning)
        bot.advance(by: .minutes(15))
        bot.see(.fine)
        bot.advance(by: .minutes(25))
        bot.see(.critical)
        bot.advance(by: .minutes(15))
        bot.see(.fine)
        #expect(bot.marks() == "OhOh")
        bot.advance(to: .utc("2026-11-20 14:00"))
        #expect(bot.marks() == "OhOhRR")
        #expect(bot.decisions.suffix(2).map(\.severity) == [.warning, .critical])
        #expect(bot.objections == [])
    }
}
