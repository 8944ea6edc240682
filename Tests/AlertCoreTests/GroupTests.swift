import AlertCore
import AlertTesting
import BudgetGate
import DependsOnGate
import GroupGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Groups` {
    private func bot(
        _ entries: KeyValuePairs<String, String> = [:], before: [GatePlan] = [], after: [GatePlan] = []
    ) throws -> Rehearsal {
        .checked(.rehearsed(gates: before + [try .rule(GroupGate.self, "together", entries)] + after))
    }

    @Test func `incidents of one app that open together become one message that names all`() throws {
        var bot = try bot()
        let shop = parts("shop", 3)
        bot.seeEach(shop)
        bot.see(.critical, of: Subject(source: "ios", app: "bank"))
        #expect(bot.marks() == "hhhh")
        #expect(bot.decisions[0].decision == .hold(until: .rehearsalStart + .seconds(30)))
        #expect(bot.decisions[0].reason.description == "group:together")
        bot.advance(by: .seconds(30))
        #expect(bot.marks() == "hhhhOO")
        let (together, alone) = (bot.decisions[4], bot.decisions[5])
        let messages = [together, alone].sorted { $0.message.incidents.count > $1.message.incidents.count }
        #expect(messages[0].message.headline == "🟠 shop: 3 incidents at once")
        #expect(Set(messages[0].message.incidents.map(\.subject)) == Set(shop))
        #expect(messages[1].message.headline == "🔴 bank: The script says c.")
    }

    @Test func `the first waits, the others do not wait longer than it`() throws {
        var bot = try bot(["wait": "2m"])
        let shop = parts("shop", 3)
        bot.see(.warning, of: shop[0])
        bot.advance(by: .seconds(119))
        bot.see(.warning, of: shop[1])
        bot.advance(by: .seconds(1))
        #expect(bot.marks() == "hhO")
        bot.see(.warning, of: shop[2])
        bot.advance(by: .minutes(2))
        #expect(bot.marks() == "hhOhO")
    }

    @Test func `a reload lets none leave early, though one of them has ended`() throws {
        var bot = try bot(["wait": "2m"])
        let shop = parts("shop", 2)
        bot.seeEach(shop)
        bot.advance(by: .seconds(10))
        bot.see([(shop[0], .fine), (shop[1], .warning)])
        bot.reload(bot.plan)
        bot.advance(by: .seconds(60))
        #expect(bot.sends.isEmpty)
        bot.crash()
        bot.advance(by: .seconds(60))
        #expect(bot.sends.count == 1)
        #expect(bot.sends.first?.delivery.message.incidents.count == 2)
    }

    @Test func `those who come later are held until the wait of the first is over, and say so`() throws {
        var bot = try bot(["wait": "2m"])
        let shop = parts("shop", 3)
        for (member, seconds) in zip(shop, [0, 50, 119]) {
            bot.advance(to: .rehearsalStart + .seconds(seconds))
            bot.see(.warning, of: member)
        }
        #expect(
            bot.decisions.map(\.decision) == Array(repeating: .hold(until: .rehearsalStart + .minutes(2)), count: 3))
    }

    @Test func `a message for many is not brought up to date with one of them, a message for one is`() throws {
        let core = Core(plan: .rehearsed(gates: [try .rule(GroupGate.self, "together", [:])]))
        var state = State()
        func step(_ input: Input, _ now: Moment) -> [SendOrder] {
            let output = core.step(&state, input, at: now)
            return output.effects.compactMap { if case .send(let order) = $0 { order } else { nil } }
        }
        let start = Moment.rehearsalStart
        let subjects = parts("shop", 2) + [Subject(source: "ios", app: "bank")]
        func seen(_ cue: Cue, _ now: Moment) -> Input {
            .polled(
                source: "ios", PollReport(.values(subjects.map { .cue(cue, of: $0, at: now) })), validators: [:])
        }
        _ = step(.started, start)
        _ = step(seen(.warning, start), start)
        for order in step(.tick, start + .seconds(30)) {
            _ = step(.delivered(id: order.delivery.id, .delivered(receipt: "r")), start + .seconds(31))
        }
        let later = start + .minutes(5)
        let worse = step(seen(.critical, later), later)
        #expect(worse.map(\.thread) == ["r", "r", "r"])
        let isOwn = Dictionary(grouping: worse, by: \.isThreadOwn).mapValues { orders in
            orders.flatMap { $0.delivery.message.incidents.map(\.subject.app) }.sorted()
        }
        #expect(isOwn == [true: ["bank"], false: ["shop", "shop"]])
    }

    @Test func `until when something is held counts the group that waits behind quiet hours`() throws {
        var bot = try bot(
            ["wait": "10m", "by": "source"], after: [.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:00")])
        let shop = parts("shop", 3)
        bot.seeEach(Array(shop[..<2]))
        bot.advance(by: .minutes(20))
        bot.seeEach([shop[2]])
        // Whoever gathers now has handed over to the quiet hours by then, and gathers anew when they end.
        let end = Moment.utc("2026-11-20 13:10")
        #expect(bot.decisions.allSatisfy { $0.decision == .hold(until: end) }, "\(bot.decisions.map(\.decision))")
        bot.advance(to: end - .milliseconds(1))
        #expect(!bot.marks().contains("O"))
        bot.advance(to: end)
        #expect(bot.decisions.last?.message.incidents.count == 3)
    }

    @Test func `members that end together are over in one message, and each has its end`() throws {
        var bot = try bot()
        let shop = parts("shop", 3)
        bot.seeEach(shop)
        bot.advance(by: .minutes(1))
        bot.seeEach([shop[0]], .fine)
        bot.advance(by: .minutes(1))
        #expect(bot.marks() == "hhhOhR")
        bot.see(shop[1...].map { ($0, .fine) })
        bot.advance(by: .minutes(1))
        #expect(bot.marks() == "hhhOhRhhR")
        #expect(bot.decisions.last?.message.headline == "✅ shop: 2 incidents resolved")
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `what comes and goes while it waits is announced all the same`() throws {
        var bot = try bot()
        bot.see(.warning)
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        #expect(bot.marks() == "hxD")
    }

    @Test
    func `what is getting better when the message leaves is no beginning, and its end becomes a line of a summary`()
        throws
    {
        var bot = try bot()
        bot.seeEach(parts("shop", 2))
        bot.see(.recovering, of: parts("shop", 2)[1])
        bot.advance(by: .minutes(1))
        #expect(bot.marks() == "hhO")
        #expect(bot.decisions.last?.message.incidents.count == 1)
        bot.see(.fine, of: parts("shop", 2)[1])
        bot.advance(by: .minutes(1))
        #expect(bot.marks() == "hhOxD")
        #expect(bot.objections == [])
    }

    @Test func `a member that gets worse is followed up by itself, behind the message that named it`() throws {
        var bot = try bot()
        let shop = parts("shop", 2)
        bot.seeEach(shop)
        bot.sendAnswer = { delivery, now in
            (
                now < .rehearsalStart + .minutes(10)
                    ? .retry(after: .minutes(10), "busy") : .delivered(receipt: "first"), .zero
            )
        }
        bot.advance(by: .minutes(1))
        bot.seeEach([shop[1]], .critical)
        bot.advance(by: .minutes(20))
        #expect(bot.marks() == "hhOE")
        #expect(bot.kindsSent(to: "team") == [.opened, .opened, .escalated])
        #expect(bot.objections == [])
    }

    @Test func `by says what members have in common`() throws {
        var bot = try bot(["by": "release"])
        bot.see(["shop", "bank"].map { (Subject(source: "ios", app: $0, release: "1.0"), .warning) })
        bot.see(.warning, of: Subject(source: "ios", app: "shop", release: "2.0"))
        bot.advance(by: .minutes(1))
        #expect(bot.decisions.filter { $0.decision == .send }.map(\.message.incidents.count).sorted() == [1, 2])
    }

    @Test func `what was held at night becomes one message in the morning`() throws {
        var bot = try bot(before: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 13:00")])
        bot.seeEach(parts("shop", 3))
        #expect(bot.decisions[0].decision == .hold(until: .utc("2026-11-20 13:00") + .seconds(30)))
        bot.advance(by: .hours(2))
        #expect(bot.saidTo() == [.utc("2026-11-20 13:00") + .seconds(30)])
        #expect(bot.decisions.last?.message.incidents.count == 3)
    }

    @Test(
        arguments: [
            (["shop", "bank"], [], ["quiet hours (nights)"]),
            (["shop"], ["bank", "game"], ["quiet hours (nights) – shop"]),
            (["shop", "bank"], ["game"], ["quiet hours (nights) – bank", "quiet hours (nights) – shop"]),
            ([], ["shop", "bank"], []),
        ] as [([String], [String], [String])])
    func `what held all of them is said once, what held some is said of these`(
        early: [String], late: [String], held: [String]
    ) throws {
        var bot = try bot(["by": "source"], before: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 13:00")])
        bot.seeEach(early.map { Subject(source: "ios", app: $0) })
        bot.advance(to: .utc("2026-11-20 13:00"))
        bot.seeEach(late.map { Subject(source: "ios", app: $0) })
        bot.advance(by: .minutes(1))
        let message = try #require(bot.decisions.last).message
        #expect(message.incidents.count == early.count + late.count)
        #expect(message.fields.filter { $0.label == "Held until now by" }.map(\.value).sorted() == held)
        #expect(bot.objections == [])
    }

    @Test(arguments: [true, false])
    func `a group is one message of a budget, whichever comes first in the file`(groupFirst: Bool) throws {
        let budget = try GatePlan.rule(BudgetGate.self, "calm-down", ["at_most": "2 per 1h"])
        var bot = try bot(before: groupFirst ? [] : [budget], after: groupFirst ? [budget] : [])
        bot.seeEach(parts("shop", 5))
        bot.advance(by: .minutes(1))
        bot.seeEach(parts("bank", 5))
        bot.advance(by: .minutes(1))
        bot.seeEach(parts("game", 5))
        bot.advance(by: .minutes(58))
        #expect(bot.saidTo().count == 2)
        bot.advance(by: .minutes(1))
        #expect(bot.saidTo().count == 3)
        #expect(bot.decisions.last?.message.incidents.count == 5)
        #expect(bot.objections == [])
    }

    @Test func `what a budget has gathered does not wait for a group once more`() throws {
        var bot = try bot(after: [try .rule(BudgetGate.self, "calm-down", ["at_most": "1 per 1h"])])
        for app in ["shop", "bank", "game"] { bot.seeEach([Subject(source: "ios", app: app)]) }
        bot.advance(by: .minutes(61))
        #expect(bot.saidTo() == [.utc("2026-11-20 12:00") + .seconds(30), .utc("2026-11-20 13:00") + .seconds(30)])
    }

    @Test func `a group survives a crash`() throws {
        var bot = try bot()
        bot.seeEach(parts("shop", 2))
        bot.crash(after: .seconds(10))
        bot.seeEach([Subject(source: "ios", app: "shop", release: "9.0")])
        bot.advance(by: .seconds(20))
        #expect(bot.saidTo() == [.rehearsalStart + .seconds(30)])
        #expect(bot.decisions.last?.message.incidents.count == 3)
    }

    @Test func `what a group held for a while and something else explains is dropped when it ends`() throws {
        let explained = try GatePlan.rule(
            DependsOnGate.self, "backend-first", ["when": "app=backend"], match: .on(["app": "shop"]))
        var bot = try bot(["wait": "10m", "by": "source", "except": "critical"], after: [explained])
        let (shop, backend) = (Subject(source: "ios", app: "shop"), Subject(source: "ios", app: "backend"))
        bot.see(.warning, of: shop)
        bot.advance(by: .minutes(1))
        bot.see(.critical, of: backend)
        bot.advance(by: .minutes(9))
        #expect(bot.marks() == "hOh")
        #expect(bot.decisions.last?.reason.description == "depends_on:backend-first")
        bot.advance(by: .minutes(5))
        bot.see(.fine, of: shop)
        bot.advance(by: .hours(1))
        #expect(bot.marks() == "hOhxx")
        #expect(bot.decisions.last?.reason.description == "depends_on:backend-first")
        #expect(bot.state.incidents.count == 1)
        #expect(bot.objections == [])
    }
}
