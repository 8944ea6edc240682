import AlertCore
import AlertTesting
import PluginKit
import Testing

/// Figures of spans that ended long before they were seen: a back-fill, last year's file, dates that are wrong.
@Suite struct `Figures of long ago` {
    private func bot() -> Rehearsal {
        let rule = DetectorPlan(name: "floor", detector: BareFloor(lookback: .days(1)), repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// A bad day that ended so long before now.
    private func day(_ bot: Rehearsal, endedBefore age: Duration, of app: String = "shop") -> Observation {
        var observation = Observation.figures(
            ["users": 5000, "crashed_users": 300], of: Subject(source: "ios", app: app), at: bot.now - age,
            lasting: .days(1))
        observation.seen = bot.now
        return observation
    }

    private func warnings(_ bot: Rehearsal) -> [String] { bot.state.schedule.sources["ios"]?.warnings ?? [] }

    private func kinds(_ bot: Rehearsal) -> [Notification.Kind] { bot.sends.map(\.delivery.kind) }

    @Test(arguments: [Duration.days(92) + .minutes(1), .days(400), .days(9999)])
    func `open nothing, and a warning of the source names the app`(age: Duration) {
        var bot = bot()
        let old = day(bot, endedBefore: age)
        bot.see([old])
        #expect(kinds(bot) == [])
        #expect(bot.state.incidents.isEmpty)
        #expect(warnings(bot).count == 1)
        #expect(
            warnings(bot).first?.hasPrefix("figures of shop ended more than 92 d before ") == true, "\(warnings(bot))")
        #expect(bot.notes.count { $0.text.contains("figures of shop ended more than 92 d before ") } == 1)
        // Nor is anything opened later by what is kept of them.
        bot.step(.polled(source: "ios", PollReport(.unchanged), validators: [:]))
        bot.crash(after: .minutes(5))
        bot.step(.polled(source: "ios", PollReport(.unchanged), validators: [:]))
        bot.advance(by: .hours(2))
        #expect(kinds(bot) == [])
        #expect(bot.state.incidents.isEmpty)
        let verdicts = bot.core.judged(bot.state, at: bot.now, most: 9).kept.map(\.judgement.verdict)
        #expect(verdicts == [.unknown("no figure")])
        #expect(bot.objections == [])
    }

    @Test func `up to 92 days late they are judged as ever`() {
        var bot = bot()
        let late = day(bot, endedBefore: .days(92))
        bot.see([late])
        #expect(kinds(bot) == [.opened])
        #expect(warnings(bot) == [])
    }

    @Test func `end nothing, and do not stand for what is known of now`() throws {
        var bot = bot()
        let (old, new) = (day(bot, endedBefore: .days(100)), day(bot, endedBefore: .zero))
        bot.see([old, new])
        #expect(kinds(bot) == [.opened])
        #expect(warnings(bot) == [], "what lies behind figures of now needs no word")
        let before = try #require(bot.state.figures.series[new.subject])
        bot.advance(by: .minutes(5))
        var well = day(bot, endedBefore: .days(100))
        well.metrics["crashed_users"] = 0
        bot.see([well])
        let after = try #require(bot.state.figures.series[new.subject])
        #expect(after.figuresSeen == before.figuresSeen)
        #expect(after.lastSeen == bot.now)
        #expect(after.samples.last == before.samples.last)
        #expect(bot.state.incidents.all.map(\.state) == [.firing])
        #expect(warnings(bot).count == 1)
        #expect(bot.objections == [])
    }

    @Test func `of many apps are named after the first two`() {
        let bot = bot()
        let remark = ["c", "a", "b"].map { day(bot, endedBefore: .days(93), of: $0) }.historyRemark
        #expect(
            remark
                == "figures of a, b and 1 more ended more than 92 d before they were seen: they are kept as history, and no "
                + "rule on figures judges them")
    }
}
