import AlertCore
import AlertTesting
import PluginKit
import Testing

/// While the journal can not be written, nothing is accepted that could be lost.
@Suite struct `When the journal can not be written` {
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
                == "🔴 alertbot: The journal can not be written, so nothing new is told until it can be: no room left")
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
        #expect(bot.state.incidentsInOrder.count == 2)
        #expect(bot.state.outbox.isEmpty)
        bot.step(.journal(trouble: nil))
        bot.advance(by: .seconds(1))
        #expect(bot.kindsSent(to: "team") == [.opened])
        #expect(bot.kindsSent(to: "ops") == [.opened, .resolved, .opened])
        #expect(bot.objections == [])
    }

    @Test func `what began and ended meanwhile was never told, and is not`() {
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
