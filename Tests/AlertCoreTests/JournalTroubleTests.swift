import AlertCore
import AlertTesting
import PluginKit
import Testing

/// While the journal cannot be written, nothing is accepted that could be lost.
@Suite struct `When the journal cannot be written` {
    private func bot(reportTo: String? = nil) -> Rehearsal {
        var bot = Rehearsal(
            .rehearsed(channels: ["team", "ops"].map { ChannelPlan(name: $0) }, reportTo: reportTo))
        bot.comparesReplay = true
        bot.start()
        return bot
    }

    private func fail(_ bot: inout Rehearsal) {
        bot.step(.journal(trouble: "no room left"))
        bot.advance(by: .seconds(1))
    }

    @Test func `it says so, in the one message that may leave before it is safe`() throws {
        let core = Core(plan: .rehearsed())
        var state = State()
        _ = core.step(&state, .started, at: .rehearsalStart)
        let output = core.step(&state, .journal(trouble: "no room left"), at: .rehearsalStart)
        let orders = output.effects.compactMap { if case .send(let order) = $0 { order } else { nil } }
        let order = try #require(orders.first)
        #expect(orders.count == 1)
        #expect(order.mayLeaveUnsafe)
        #expect(
            order.delivery.message.headline
                == "🔴 alertbot: The journal cannot be written, so nothing new is sent until it can be: no room left")
    }

    /// Slack and Matrix take one message at a time, and what waits for the journal must not take its place.
    @Test(arguments: [1, 2, 8])
    func `it says so though what began before could not leave`(atOnce: Int) throws {
        let pace = Pace(perSecond: 1, burst: 8, atOnce: atOnce)
        let core = Core(plan: .rehearsed(channels: [ChannelPlan(name: "team", pace: pace)]))
        var state = State()
        var now = Moment.rehearsalStart
        func sends(_ inputs: Input...) -> [SendOrder] {
            core.step(&state, inputs, at: now).effects.compactMap {
                if case .send(let order) = $0 { order } else { nil }
            }
        }
        _ = sends(.started)
        let looks = ["shop", "bank", "game"].map {
            Observation.cue(.warning, of: Subject(source: "ios", app: $0), at: now)
        }
        let held = sends(.polled(source: "ios", PollReport(.values(looks)), validators: [:])).map(\.delivery.id)
        #expect(held.count == min(atOnce, 3))

        now = now + .seconds(5)
        let told = sends(.unsent(ids: held), .journal(trouble: "no room left"))
        let order = try #require(told.first)
        #expect(told.count == 1)
        #expect(order.mayLeaveUnsafe)
        #expect(order.delivery.message.headline.contains("The journal cannot be written"))

        // Nothing else leaves meanwhile, though there is a place for it.
        now = now + .minutes(1)
        #expect(sends(.delivered(id: order.delivery.id, .delivered(receipt: nil))).isEmpty)
        #expect(sends(.tick).isEmpty)
        #expect(state.nextDue.map { $0 > now } ?? true)

        var left = sends(.journal(trouble: nil))
        var said: Set<String> = []
        while let order = left.popLast() {
            said.insert(order.delivery.message.headline)
            now = now + .seconds(1)
            left += sends(.delivered(id: order.delivery.id, .delivered(receipt: nil)))
        }
        #expect(said.count == 4)
        #expect(state.outbox.deliveries.isEmpty)
    }

    @Test func `it says so once, through the channel for the bot's own troubles`() {
        var bot = bot(reportTo: "ops")
        for _ in 0..<5 { fail(&bot) }
        #expect(bot.kindsSent(to: "ops") == [.opened])
        #expect(bot.kindsSent(to: "team") == [])
    }

    @Test func `polls and rules go on, and what they found is said when there is room`() {
        var bot = bot(reportTo: "ops")
        fail(&bot)
        #expect(bot.play("wwww", in: "team") == "....")
        #expect(bot.state.incidents.inOrder.count == 2)
        #expect(bot.state.outbox.deliveries.isEmpty)
        bot.step(.journal(trouble: nil))
        bot.advance(by: .seconds(1))
        #expect(bot.kindsSent(to: "team") == [.opened])
        #expect(bot.kindsSent(to: "ops") == [.opened, .resolved, .opened])
        #expect(bot.objections == [])
    }

    @Test func `what began and ended meanwhile was never announced, and is not`() {
        var bot = bot(reportTo: "ops")
        fail(&bot)
        #expect(bot.play("ww..", in: "team") == "....")
        bot.step(.journal(trouble: nil))
        bot.advance(by: .hours(1))
        #expect(bot.kindsSent(to: "team") == [])
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `nothing spins while it waits`() {
        var bot = Rehearsal(
            .rehearsed(gates: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 12:05")]))
        bot.start()
        #expect(bot.play("w.") == "hx")
        fail(&bot)
        bot.advance(by: .hours(6))
        #expect(bot.objections == [])
        bot.step(.journal(trouble: nil))
        bot.advance(by: .seconds(1))
        #expect(bot.kindsSent(to: "team").contains(.digest))
    }

    @Test func `a bot that starts with room takes back what it said before`() {
        var bot = bot(reportTo: "ops")
        fail(&bot)
        bot.crash()
        bot.advance(by: .seconds(1))
        #expect(bot.kindsSent(to: "ops") == [.opened, .resolved])
    }
}
