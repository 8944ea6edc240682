import AlertCore
import AlertTesting
import PluginKit
import Testing

/// For how long a service is left alone that asks for it, and who else waits for it.
@Suite struct `Waits of sources and accounts` {
    @Test func `a service that says when to come back is asked again exactly then, however late`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady(slowest: .minutes(30))]))
        let back = bot.now + .hours(3)
        bot.pollAnswer = { _, now in
            now < back ? (PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back))), .zero) : nil
        }
        bot.start()
        bot.advance(by: .hours(4))
        #expect(bot.polls.map(\.at) == [.rehearsalStart, back])
        #expect(bot.state.schedule.sources["ios"]?.reasons.contains(.told) == true)
    }

    @Test func `a wake-up that is shared does not cut a told wait short`() {
        let sources = [
            SourcePlan.steady("ios", every: .minutes(3), slowsWhen: []), SourcePlan.steady("android", slowsWhen: []),
        ]
        var bot = Rehearsal(.rehearsed(sources: sources))
        // Five seconds after a poll of the other source, well within what a shared wake-up would bring forward.
        let back = bot.now + .minutes(9) + .seconds(5)
        bot.pollAnswer = { order, now in
            order.source == "android" && now < back
                ? (PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back))), .zero)
                : (PollReport(.noData), .zero)
        }
        bot.start()
        bot.advance(by: .minutes(10))
        #expect(bot.polls.filter { $0.source == "android" }.map(\.at) == [.rehearsalStart, back])
    }

    /// Three sources of one account, and one of another.
    private func sharing(_ answer: @escaping (PollOrder, Moment) -> PollReport) -> Rehearsal {
        let sources = ["ios", "android", "web", "else"].map { name in
            var source = SourcePlan.steady(name, slowsWhen: [])
            source.account = name == "else" ? "b" : "a"
            return source
        }
        var bot = Rehearsal(.rehearsed(sources: sources))
        bot.pollAnswer = { order, now in (answer(order, now), .zero) }
        bot.start()
        return bot
    }

    private func minutes(_ bot: Rehearsal, of source: String) -> [Int64] {
        bot.polls.filter { $0.source == source }.map { ($0.at - .rehearsalStart).wholeMilliseconds / 60_000 }
    }

    @Test func `what a service tells one source of an account holds for the others, and for nobody else`() {
        let back = Moment.rehearsalStart + .minutes(23)
        let limit = PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back)))
        var bot = sharing { order, now in
            order.source == "android" && now > .rehearsalStart && now < back ? limit : PollReport(.noData)
        }
        bot.advance(by: .minutes(30))
        // All are polled at 0. At 5, android is refused; web stands behind it in the config, and is already on its way.
        #expect(minutes(bot, of: "android") == [0, 5, 23, 28])
        #expect(minutes(bot, of: "ios") == [0, 5, 23, 28])
        #expect(minutes(bot, of: "web") == [0, 5, 23, 28])
        #expect(minutes(bot, of: "else") == [0, 5, 10, 15, 20, 25, 30])
        #expect(bot.polls.allSatisfy { $0.source == "else" || $0.at <= .rehearsalStart + .minutes(5) || $0.at >= back })
    }

    private static let back = Moment.rehearsalStart + .minutes(12)
    private static let maintenance = PollFailure(.unavailable, "maintenance", retryAt: back)
    private static let refusal = PollFailure(.rateLimited, "slow down", retryAt: back)
    /// Of another service that a source asks, too.
    private static let foreign = refusal.ofAnotherAccount

    @Test(
        arguments: [
            (PollReport(.noData, limit: back), true), (PollReport(.noData).waiting(after: [], spentUntil: back), true),
            (PollReport(.noData).waiting(after: [refusal]), true), (PollReport(.failed(refusal)), true),
            (PollReport(.noData).waiting(after: [maintenance]), false), (PollReport(.failed(maintenance)), false),
            (PollReport(.noData).waiting(after: [foreign]), false), (PollReport(.failed(foreign)), false),
        ], [true, false])
    func `a budget that is used up is shared, trouble of the service is not`(
        told: (report: PollReport, isShared: Bool), isRestart: Bool
    ) {
        var bot = sharing { order, now in
            order.source == "ios" && now == .rehearsalStart ? told.report : PollReport(.noData)
        }
        bot.advance(by: .minutes(1))
        if isRestart { bot.crash(after: .zero) }
        bot.advance(by: .minutes(10))
        #expect(minutes(bot, of: "ios") == [0])
        #expect(minutes(bot, of: "web") == (told.isShared ? [0] : [0, 5, 10]))
    }

    private static let soon = Moment.rehearsalStart + .minutes(6)

    @Test(arguments: [
        PollReport(.noData, limit: soon),
        PollReport(.noData, limit: soon).waiting(after: [maintenance]),
        PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: soon))).waiting(after: [maintenance]),
    ]) func `an account waits for its budget and no longer, whatever the source waits for, and a start knows that`(
        _ report: PollReport
    ) {
        var bot = sharing { order, now in
            order.source == "ios" && now == .rehearsalStart ? report : PollReport(.noData)
        }
        bot.advance(by: .minutes(1))
        bot.crash(after: .zero)
        bot.advance(by: .minutes(7))
        let web = minutes(bot, of: "web")
        #expect(web.count == 2 && (6...7).contains(web.last ?? 0), "\(web)")
    }

    @Test func `after the wait, whoever was polled longest ago goes first`() {
        let back = Moment.rehearsalStart + .minutes(23)
        let limit = PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: back)))
        var bot = sharing { order, now in
            order.source == "ios" && now > .rehearsalStart && now < back ? limit : PollReport(.noData)
        }
        bot.advance(by: .minutes(4))
        // Out of step with the others.
        bot.step(.polled(source: "web", PollReport(.noData, limit: bot.now + .minutes(2)), validators: [:]))
        bot.advance(by: .minutes(26))
        let after = bot.polls.filter { $0.at >= back && $0.source != "else" }.map(\.source)
        #expect(after.prefix(3).last == "ios", "who used up the budget comes last: \(after)")
    }

    @Test(arguments: [true, false])
    func `a start and a set clock leave the wait of an account as it is`(isRestart: Bool) {
        let limit = PollReport(
            .failed(PollFailure(.rateLimited, "slow down", retryAt: .rehearsalStart + .minutes(23))))
        var bot = sharing { order, now in
            order.source == "android" && now == .rehearsalStart ? limit : PollReport(.noData)
        }
        bot.advance(by: .minutes(1))
        if isRestart { bot.crash(after: .minutes(7)) } else { bot.setClock(by: .hours(5)) }
        let polled = bot.polls.count { $0.source != "else" }
        bot.advance(by: .minutes(isRestart ? 14 : 21))
        #expect(bot.polls.count { $0.source != "else" } == polled)
        bot.advance(by: .minutes(2))
        #expect(bot.polls.count { $0.source != "else" } == polled + 3)
    }

    @Test func `the wait of a success is kept as well`() {
        var bot = Rehearsal(.rehearsed(sources: [SourcePlan.steady()]))
        let back = bot.now + .minutes(47)
        bot.pollAnswer = { _, now in
            now < back ? (PollReport(.noData, limit: back), .zero) : nil
        }
        bot.start()
        bot.advance(by: .hours(1))
        #expect(bot.polls.map(\.at) == [.rehearsalStart, back])
    }
}
