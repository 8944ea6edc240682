import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

/// Wants one metric learned, and never fires.
private struct Learner: SubjectDetector {
    static let manifest = PluginManifest(name: "learner", summary: "Learns.", options: [])

    let need: History.Need

    init(_ metric: String) { need = History.Need(metric: metric, by: 0.005) }
    init(options: Options, context: RuleContext) throws(ProblemList) { self.init(Metric.crashFreeUsers.name) }

    var metrics: [Metric] { [Metric(need.metric)] }
    let lookback = Duration.hours(1)
    let spans = [Duration.minutes(5)]
    let holdTime = Duration.zero
    var learns: [History.Need] { [need] }

    func judge(_ series: Series, at now: Moment) -> Judgement {
        Judgement(.ok(recovered: true), .far, Evidence(sentence: "learned"))
    }
}

@Suite struct `What rules want to have learned` {
    private func plan(_ metrics: [String]) -> Plan {
        .rehearsed(detectors: metrics.map { DetectorPlan(name: "learn-\($0)", detector: Learner($0), repeat: nil) })
    }

    private func pass(_ bot: inout Rehearsal, spans: Int, subject: Subject = .shop) {
        for _ in 0..<spans {
            bot.advance(by: .minutes(5))
            bot.step(
                .observed([
                    .observed(
                        Observation(
                            subject: subject, span: TimeSpan(lasting: .minutes(5), until: bot.now), seen: bot.now,
                            metrics: ["users": 90, "crashed_users": 1, "sessions": 95, "crashed_sessions": 1]))
                ]))
        }
    }

    @Test func `it is learned, survives a crash, and follows the config`() throws {
        var bot = Rehearsal(plan(["crash_free_users"]))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 40)
        let learned = try #require(bot.state.figures.series[.shop]?.histories.first)
        #expect(learned.newest?.to == bot.now)
        bot.crash()
        let isSame = bot.state.figures.series[.shop]?.histories == [learned]
        #expect(isSame)
        // What is asked for anew begins anew, what is asked for no more is forgotten, and the rest goes on.
        bot.reload(plan(["crash_free_sessions", "crash_free_users"]))
        pass(&bot, spans: 1)
        let both = try #require(bot.state.figures.series[.shop]?.histories)
        #expect(both.map(\.need.metric) == ["crash_free_sessions", "crash_free_users"])
        #expect(both[0].newestShare == Share(hits: 94, of: 95))
        bot.reload(plan([]))
        pass(&bot, spans: 1)
        #expect(bot.state.figures.series[.shop]?.histories == [])
        #expect(bot.objections == [])
    }

    @Test func `an app of which something is learned counts as one with figures, until it is forgotten`() {
        var bot = Rehearsal(plan(["crash_free_users"]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 2)
        #expect(GateSight(bot.state).appCount == 1)
        #expect(GateSight(bot.state).hasFigures(ofApp: Subject.shop.app))
        bot.advance(by: .days(8))
        #expect(GateSight(bot.state).appCount == 0)
    }

    @Test func `of single releases nothing is learned while the app is seen as a whole`() throws {
        var bot = Rehearsal(plan(["crash_free_users"]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        pass(&bot, spans: 1)
        let release = Subject(
            source: Subject.shop.source, app: Subject.shop.app, release: "1.0", environment: Subject.shop.environment)
        pass(&bot, spans: 1, subject: release)
        #expect(bot.state.figures.series[.shop]?.histories.count == 1)
        #expect(bot.state.figures.series[release]?.histories == [])
    }
}
