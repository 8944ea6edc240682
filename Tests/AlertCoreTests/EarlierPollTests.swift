import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

/// Fires when the users of the day so far, which every poll tells anew, have not grown over some polls.
private struct Standstill: SubjectDetector {
    static let manifest = PluginManifest(name: "standstill", summary: "Fires when a count stands still.", options: [])

    let earlierPolls: Int

    init(over polls: Int) { earlierPolls = polls }
    init(options: Options, context: RuleContext) throws(ProblemList) { self.init(over: 2) }

    var metrics: [Metric] { [.users] }
    let lookback = Duration.hours(1)
    let spans: [Duration] = [.days(1)]
    let holdTime = Duration.zero

    func judge(_ series: Series, at now: Moment) -> Judgement {
        // Another rule may have asked for more.
        let polls = series.polls.suffix(earlierPolls + 1)
        let counts = polls.compactMap { $0.measured(.users, over: .days(1))?.figure.value }
        let evidence = Evidence(sentence: counts.map(\.plain).joined(separator: ", "))
        guard let last = counts.last, counts.count > earlierPolls else {
            return Judgement(.unknown("too few polls"), .far, evidence)
        }
        return Judgement(counts.allSatisfy { $0 == last } ? .firing(.warning) : .ok(recovered: true), .far, evidence)
    }
}

@Suite struct `Rules that ask for earlier polls` {
    private func plan(_ polls: [Int]) -> Plan {
        .rehearsed(
            detectors: polls.map { DetectorPlan(name: "still-\($0)", detector: Standstill(over: $0), repeat: nil) })
    }

    /// Lets the bot see so many users of one and the same day, a poll each.
    private func see(_ bot: inout Rehearsal, _ counts: [Double]) {
        for count in counts {
            bot.advance(by: .minutes(5))
            let day = TimeSpan(lasting: .days(1), until: .rehearsalStart)
            bot.step(
                .observed([
                    .observed(
                        Observation(
                            subject: .shop, span: day, seen: bot.now, isComplete: false, metrics: ["users": count]))
                ]))
        }
    }

    private func said(_ bot: Rehearsal) -> [String] { bot.state.incidents.inOrder.map(\.evidence.sentence) }

    @Test func `they see what a span was before it was seen again, and a start gives it back`() throws {
        var bot = Rehearsal(plan([2]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        see(&bot, [10, 20, 30, 30])
        #expect(said(bot) == [])
        bot.crash()
        see(&bot, [30])
        #expect(said(bot) == ["30, 30, 30"])
        #expect(bot.state.figures.series[.shop]?.samples.count == 1)
        let snapshot = try bot.stateFromSnapshot()
        #expect(snapshot.figures.series == bot.state.figures.series)
        #expect(bot.objections == [])
    }

    @Test func `the most that any rule asks for is kept, and nothing once none does`() throws {
        var bot = Rehearsal(plan([1, 3]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        see(&bot, [10, 20, 30, 40, 50, 60])
        #expect(bot.state.figures.series[.shop]?.polls.count == 4)
        bot.reload(plan([0]))
        see(&bot, [70])
        #expect(bot.state.figures.series[.shop]?.polls == [])
        #expect(bot.objections == [])
    }
}
