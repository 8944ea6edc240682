import AlertCore
import AlertTesting
import PluginKit
import Testing

@Suite struct `Late figures that change what was said` {
    private func bot(_ gates: GatePlan...) -> Rehearsal {
        let rule = DetectorPlan(name: "floor", detector: BareFloor(lookback: .hours(3)))
        var bot = Rehearsal(.rehearsed(detectors: [rule], gates: gates))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Lets the bot see that so many of 1,000 users crashed in the hour up to that moment.
    private func see(_ bot: inout Rehearsal, _ crashed: Double, upTo end: Moment, isComplete: Bool = true) {
        var observation = Observation.figures(
            ["users": 1000, "crashed_users": crashed], at: end, lasting: .hours(1))
        observation.seen = bot.now
        observation.isComplete = isComplete
        bot.see([observation])
        bot.advance(by: .minutes(5))
    }

    private func kinds(_ bot: Rehearsal) -> [Notification.Kind] {
        bot.sends.map(\.delivery).filter { $0.message.incidents[0].subject.app != Subject.botApp }.map(\.kind)
    }

    @Test(arguments: [
        // A quarter more or fewer of those hit is another story.
        (20.0, 15.0, true), (20, 15.1, false), (20, 26.7, true), (20, 26.6, false), (20, 20, false), (20, 100, true),
        (900, 1000, false),
    ])
    func `a figure that was said and was another is put right once`(
        _ said: Double, _ later: Double, _ isRevised: Bool
    ) {
        var bot = bot()
        let hour = bot.now
        see(&bot, said, upTo: hour)
        see(&bot, later, upTo: hour)
        see(&bot, later, upTo: hour)
        #expect(kinds(bot) == (isRevised ? [.opened, .revised] : [.opened]))
        #expect(bot.objections == [])
    }

    @Test func `the correction names what was said and what is right, though newer figures have come since`() throws {
        var bot = bot()
        let hour = bot.now
        see(&bot, 40, upTo: hour)
        see(&bot, 30, upTo: hour + .hours(1))
        see(&bot, 15, upTo: hour)
        #expect(kinds(bot) == [.opened, .revised])
        let decision = try #require(bot.decisions.last)
        #expect(decision.reason == .revised)
        #expect(decision.message.headline == "🔴 shop: crash-free users 97.00% (alert below 99%, figures corrected)")
        let fact = try #require(decision.message.fields.first { $0.label == "Corrected" })
        #expect(fact.value.hasPrefix("96.00% was reported for Fri 20 Nov 11:00"))
        #expect(fact.value.hasSuffix("with late figures it is 98.50%"))
        // What was put right is what is known from then on.
        see(&bot, 15, upTo: hour)
        #expect(kinds(bot) == [.opened, .revised])
    }

    @Test func `what was no trouble at all is over, and the end says why`() throws {
        var bot = bot()
        let hour = bot.now
        see(&bot, 11, upTo: hour)
        see(&bot, 9, upTo: hour)
        #expect(kinds(bot) == [.opened, .resolved])
        let fact = try #require(bot.decisions.last?.message.fields.first { $0.label == "Corrected" })
        #expect(fact.value.hasSuffix("with late figures it is 99.10%"))
    }

    @Test func `newer figures of another span correct nothing`() {
        var bot = bot()
        let hour = bot.now
        see(&bot, 20, upTo: hour)
        see(&bot, 400, upTo: hour + .minutes(5))
        see(&bot, 15, upTo: hour + .minutes(10))
        #expect(kinds(bot) == [.opened])
    }

    @Test func `a span that still fills is put right when it is complete`() {
        var bot = bot()
        let day = bot.now
        for crashed in [20.0, 60, 100, 200] { see(&bot, crashed, upTo: day, isComplete: false) }
        #expect(kinds(bot) == [.opened])
        see(&bot, 250, upTo: day)
        #expect(kinds(bot) == [.opened, .revised])
    }

    @Test func `figures that come in slices are put right once an hour`() {
        var bot = bot()
        let hour = bot.now
        // Twelve slices in an hour, each worth a correction by itself.
        for slice in 0..<12 { see(&bot, 20 + 15 * Double(slice), upTo: hour) }
        #expect(kinds(bot) == [.opened, .revised])
        bot.advance(by: .minutes(10))
        #expect(kinds(bot) == [.opened, .revised, .revised])
        let fact = bot.decisions.last?.message.fields.first { $0.label == "Corrected" }
        #expect(fact?.value.hasSuffix("with late figures it is 81.50%") == true)
        bot.advance(by: .hours(2))
        #expect(kinds(bot) == [.opened, .revised, .revised])
        #expect(bot.objections == [])
    }

    @Test func `a bot that was killed sends the correction that waits, in its time`() {
        var bot = bot()
        let hour = bot.now
        for crashed in [20.0, 40, 80] { see(&bot, crashed, upTo: hour) }
        bot.crash(after: .minutes(3))
        #expect(kinds(bot) == [.opened, .revised])
        bot.advance(by: .hours(1))
        #expect(kinds(bot) == [.opened, .revised, .revised])
    }

    @Test func `slices that come after the end are put right once an hour, too`() {
        var bot = bot()
        let hour = bot.now
        see(&bot, 20, upTo: hour)
        see(&bot, 0, upTo: hour + .hours(1))
        #expect(kinds(bot) == [.opened, .resolved])
        for crashed in [40.0, 60, 80, 100] { see(&bot, crashed, upTo: hour) }
        #expect(kinds(bot) == [.opened, .resolved, .revised])
        bot.advance(by: .hours(1))
        #expect(kinds(bot) == [.opened, .resolved, .revised, .revised])
        #expect(bot.decisions.last?.message.fields.contains { $0.value.hasSuffix("90.00%") } == true)
        bot.advance(by: .days(2))
        #expect(kinds(bot) == [.opened, .resolved, .revised, .revised])
    }

    @Test func `a correction that waits is forgotten if the next slice takes it back`() {
        var bot = bot()
        let hour = bot.now
        for crashed in [20.0, 40, 80, 40] { see(&bot, crashed, upTo: hour) }
        bot.advance(by: .hours(2))
        #expect(kinds(bot) == [.opened, .revised])
    }

    @Test func `a bot that was killed knows what it said`() {
        var bot = bot()
        let hour = bot.now
        see(&bot, 20, upTo: hour)
        bot.crash(after: .minutes(3))
        see(&bot, 10.5, upTo: hour)
        #expect(kinds(bot) == [.opened, .revised])
        #expect(bot.objections == [])
    }

    @Test func `quiet hours hold a correction, and drop it once where they drop`() {
        for drops in [false, true] {
            var bot = bot(.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:00", drops: drops))
            let hour = bot.now
            see(&bot, 20, upTo: hour)
            for _ in 0..<5 { see(&bot, 40, upTo: hour) }
            #expect(kinds(bot) == [.opened])
            let decisions = bot.decisions.filter { $0.kind == .revised }
            #expect(decisions.map(\.decision.name) == (drops ? ["drop"] : ["hold"]))
            bot.advance(to: .utc("2026-11-20 13:01"))
            #expect(kinds(bot) == (drops ? [.opened] : [.opened, .revised]))
        }
    }

    @Test func `while the opening waits, it takes the right figure itself`() throws {
        var bot = bot()
        bot.sendAnswer = { _, _ in (.retry(after: .minutes(30), "busy"), .zero) }
        let hour = bot.now
        see(&bot, 20, upTo: hour)
        see(&bot, 40, upTo: hour)
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .hours(1))
        let last = try #require(bot.sends.last?.delivery)
        #expect(last.kind == .opened)
        #expect(last.message.headline.contains("96.00%"))
    }

    @Test func `a span that has lost most of its users is not believed, and the log says so`() {
        var bot = bot()
        let hour = bot.now
        see(&bot, 2, upTo: hour)
        bot.see([.figures(["users": 60, "crashed_users": 2], at: hour, lasting: .hours(1))])
        #expect(kinds(bot) == [])
        #expect(
            bot.notes.last?.text
                == "source ios: shop had 1,000 users from 2026-11-20T11:00:00Z to 2026-11-20T12:00:00Z, and has 60 now; "
                + "the earlier figures are kept")
    }

    @Test func `after the clock was set back, the same hour measured anew corrects nothing`() {
        var bot = bot()
        let hour = bot.now
        see(&bot, 40, upTo: hour)
        bot.setClock(by: .hours(-3))
        for minutes in [30, 60, 90, 120, 150, 180] {
            bot.advance(to: hour - .hours(3) + .minutes(Int64(minutes)))
            see(&bot, 15, upTo: bot.now)
        }
        #expect(kinds(bot) == [.opened])
        #expect(bot.objections == [])
    }
}
