import AlertCore
import AlertTesting
import PluginKit
import Testing

/// Whose waits hold for a source whose credential has been replaced while the bot runs.
@Suite struct `The account of a renewed source` {
    /// Two sources of an account, and one of another.
    private func plan(renewed: Bool = false) -> Plan {
        .rehearsed(
            sources: [("ios", "old"), ("android", renewed ? "new" : "old"), ("web", "new")].map { name, account in
                SourcePlan(name: name, account: account, slowest: .hours(2), jitter: 0, slowsWhen: [])
            })
    }

    /// What a service says that has no budget left.
    private func refusal(until minute: Int64) -> PollReport {
        PollReport(.failed(PollFailure(.rateLimited, "slow down", retryAt: .rehearsalStart + .minutes(minute))))
    }

    /// A bot in the middle of the polls that begin at minute 5, one of them with the new credential. Answers take a second.
    private func renewing(_ answers: [String: [Int64: PollReport]]) -> Rehearsal {
        var bot = Rehearsal(plan())
        bot.pollAnswer = { order, now in
            let minute = (now - .rehearsalStart).wholeMilliseconds / 60_000
            return (answers[order.source]?[minute] ?? PollReport(.noData), .seconds(1))
        }
        bot.start()
        bot.advance(by: .minutes(5))
        bot.renew("android", account: "new")
        return bot
    }

    private func minutes(_ bot: Rehearsal, of source: String) -> [Int64] {
        bot.polls.filter { $0.source == source }.map { ($0.at - .rehearsalStart).wholeMilliseconds / 60_000 }
    }

    @Test(arguments: [false, true])
    func `waits with those that have its credential now, and not with those that had it before`(isRestart: Bool) {
        var bot = renewing(["ios": [5: refusal(until: 23)], "android": [15: refusal(until: 22)]])
        bot.advance(by: .minutes(11))
        if isRestart { bot.crash(plan(renewed: true)) }
        bot.advance(by: .minutes(12))
        #expect(minutes(bot, of: "ios") == [0, 5, 23, 28])
        #expect(minutes(bot, of: "android") == [0, 5, 10, 15, 22, 27])
        #expect(minutes(bot, of: "web") == [0, 5, 10, 15, 22, 27])
        #expect(bot.objections == [])
    }

    @Test(arguments: [false, true])
    func `finds the wait that its new account was told before`(isRestart: Bool) {
        var bot = renewing(["web": [0: refusal(until: 12)]])
        bot.advance(by: .minutes(1))
        if isRestart { bot.crash(plan(renewed: true)) }
        let waiting = bot.plan.sources.filter { bot.state.schedule.holder(of: $0)?.name == "web" }
        #expect(waiting.map(\.name) == ["android"])
        bot.advance(by: .minutes(12))
        #expect(minutes(bot, of: "ios") == [0, 5, 10, 15])
        #expect(minutes(bot, of: "android") == [0, 5, 12, 17])
        #expect(minutes(bot, of: "web") == [0, 12, 17])
        let after = bot.polls.filter { $0.at >= .rehearsalStart + .minutes(12) && $0.source != "ios" }
        #expect(after.first?.source == "web", "who was polled longest ago comes first")
        #expect(bot.objections == [])
    }

    @Test func `waits for hours where it has to`() {
        var bot = renewing(["web": [5: refusal(until: 150)]])
        bot.advance(by: .minutes(150))
        #expect(minutes(bot, of: "android") == [0, 5, 150, 155])
        #expect(minutes(bot, of: "web") == [0, 5, 150, 155])
    }
}
