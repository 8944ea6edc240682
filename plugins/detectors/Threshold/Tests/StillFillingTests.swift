import AlertTesting
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

/// Sources whose newest span is hardly ever over: today beside the days before, or stretches that wait for stragglers.
@Suite struct `Spans that are still filling` {
    private func observation(
        _ length: Duration, until end: Moment, isComplete: Bool, crashed: Double, of users: Double = 20_000
    ) -> Observation {
        Observation(
            subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: length, until: end), seen: .noon,
            isComplete: isComplete,
            metrics: ["users": users, "crashed_users": crashed, "sessions": users, "crashed_sessions": crashed])
    }

    private func judge(_ options: WrittenOptions, _ observations: [Observation]) throws -> Judgement {
        let rule = try options.rule(checksPerDay: 24)
        var series = Series()
        for observation in observations { series.add(observation, keeping: rule.lookback) }
        #expect(rule.disagreement(on: series, at: .noon) == nil)
        return rule.judge(series, at: .noon)
    }

    @Test(arguments: [(4000.0, true), (20, false)])
    func `do not keep the days before from being judged`(crashed: Double, fires: Bool) throws {
        let midnight = Moment.noon - .hours(12)
        let days = [
            observation(.days(1), until: midnight - .days(1), isComplete: true, crashed: 20),
            observation(.days(1), until: midnight, isComplete: true, crashed: crashed),
            observation(.hours(12), until: .noon, isComplete: false, crashed: 2000, of: 10_000),
        ]
        let judgement = try judge(["metric": "crash_free_users", "critical": "< 99%", "window": "1d"], days)
        #expect(judgement.verdict == (fires ? .firing(.critical) : .ok(recovered: true)))
        #expect(judgement.evidence.span?.to == midnight)
    }

    @Test func `leave the stretch that is over to be judged, pooled as ever`() throws {
        let steps = (1...12).map { back in
            observation(
                .minutes(5), until: .noon - .minutes(5 * (12 - back)), isComplete: back <= 8, crashed: 1200)
        }
        let judgement = try judge(["metric": "crash_free_sessions", "warning": "< 99%"], steps)
        #expect(judgement.verdict == .firing(.warning))
        #expect(judgement.evidence.span == TimeSpan(lasting: .minutes(40), until: .noon - .minutes(20)))
    }

    @Test func `count where they can only get worse`() throws {
        let steps = [
            observation(.hours(1), until: .noon - .hours(1), isComplete: true, crashed: 10),
            observation(.minutes(30), until: .noon, isComplete: false, crashed: 900),
        ]
        let judgement = try judge(["metric": "crashed_sessions", "critical": "> 500"], steps)
        #expect(judgement.verdict == .firing(.critical))
        #expect(judgement.evidence.span?.to == .noon)
    }

    @Test func `are waited for where nothing else is known`() throws {
        let steps = [observation(.hours(1), until: .noon, isComplete: false, crashed: 4000)]
        let judgement = try judge(["metric": "crash_free_sessions", "critical": "< 99%"], steps)
        #expect(judgement.verdict == .unknown("the span is not complete yet"))
    }
}
