import AlertCore
import AlertTesting
import PluginKit
import Testing

/// What waits for its channel while the bot is away.
@Suite struct `Messages that waited while the bot was away` {
    /// A message has waited for some minutes when the bot goes away for two days.
    private func afterTwoDays(
        _ sleeps: Bool, _ outcome: DeliveryOutcome, then: DeliveryOutcome
    ) -> (tries: [Rehearsal.Sent], bot: Rehearsal) {
        var bot = Rehearsal(.unreminded)
        bot.comparesReplay = true
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? outcome : .delivered(receipt: nil), .zero)
        }
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .seconds(20))
        let before = bot.sends.count
        bot.sendAnswer = { delivery, _ in (delivery.channel == "team" ? then : .delivered(receipt: nil), .zero) }
        if sleeps { bot.suspend(for: .days(2)) } else { bot.crash(after: .days(2)) }
        bot.advance(by: .minutes(2))
        return (bot.sends.dropFirst(before).filter { $0.delivery.channel == "team" }, bot)
    }

    @Test(arguments: [false, true])
    func `what waited while the bot was away for more than a day is tried before it is given up`(sleeps: Bool) {
        let back = afterTwoDays(sleeps, .retry(after: nil, "no route"), then: .delivered(receipt: nil))
        #expect(back.tries.map(\.delivery.kind) == [.opened])
        #expect(back.bot.state.outbox.history.filter { $0.end.isDead }.isEmpty)
        #expect(!back.bot.state.incidents.all.contains { $0.rule == "channel-failing" })
        #expect(back.bot.objections == [])
    }

    /// The network may need a moment after waking, and a service may ask to wait: neither is the end of what waited.
    @Test(
        arguments: [false, true], [DeliveryOutcome.retry(after: nil, "no route"), .retry(after: .seconds(1), "429")])
    func `what fails once more is tried for an hour after the bot is back, and then given up`(
        sleeps: Bool, outcome: DeliveryOutcome
    ) {
        var gone = afterTwoDays(sleeps, .retry(after: nil, "no route"), then: outcome).bot
        #expect(gone.state.outbox.history.filter { $0.end.isDead }.isEmpty)
        #expect(gone.sends.filter { $0.delivery.channel == "team" }.count > 2)
        var back = gone
        back.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        back.advance(by: .minutes(50))
        #expect(back.state.outbox.history.filter { $0.end.isDead }.isEmpty)
        #expect(back.objections == [])
        gone.advance(by: .minutes(150))
        #expect(gone.state.outbox.history.filter { $0.end.isDead }.count == 1)
        #expect(gone.state.incidents.all.contains { $0.rule == "channel-failing" && $0.severity == .critical })
        #expect(gone.objections == [])
    }

    @Test(arguments: [false, true])
    func `what may have arrived more than a day ago is not tried again, for it could double`(sleeps: Bool) {
        let back = afterTwoDays(sleeps, .unknown("timed out"), then: .delivered(receipt: nil))
        #expect(back.tries.isEmpty)
        #expect(back.bot.state.outbox.history.filter { $0.end.isDead }.count == 1)
        #expect(back.bot.objections == [])
    }
}
