import AlertCore
import AlertTesting
import PluginKit
import Testing

/// Fires on any figure of at least fifty users, and says which span it looked at.
private struct Busy: SubjectDetector {
    static let manifest = PluginManifest(name: "busy", summary: "Fires on enough users.", options: [])

    init() {}
    init(options: Options, context: RuleContext) throws(ProblemList) {}

    let metrics: [Metric] = [.users]
    let lookback = Duration.hours(1)
    let spans = [Duration.minutes(1)]
    let holdTime = Duration.minutes(10)

    func judge(_ series: Series, at now: Moment) -> Judgement {
        let evidence = Evidence(span: series.samples.last?.span, sentence: "busy")
        let users = series.samples.last?.metrics[.users] ?? 0
        return Judgement(users < 50 ? .unknown("too few") : .firing(.warning), .between, evidence)
    }
}

@Suite struct `A pending incident that was lost from sight` {
    @Test(arguments: [(5, [11]), (180, [191])])
    func `waits anew after a gap longer than its wait, and not after a short one`(gap: Int, opened: [Int]) {
        let rule = DetectorPlan(name: "busy", detector: Busy(), repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        let start = bot.now
        // One look that fires, then as many minutes of too few users as the gap is long, then looks that fire again.
        for minute in 1...(gap + 15) {
            let users = minute == 1 || minute > gap ? 100.0 : 10
            bot.advance(to: start + .minutes(Int64(minute)))
            let seen = Observation(
                subject: .shop, span: TimeSpan(lasting: .minutes(1), until: bot.now), seen: bot.now,
                metrics: ["users": users])
            bot.step(.observed([.observed(seen)]))
        }
        let minutes = bot.decisions.filter { $0.kind == .opened }.map { Int(($0.at - start).inSeconds / 60) }
        #expect(minutes == opened)
    }
}
