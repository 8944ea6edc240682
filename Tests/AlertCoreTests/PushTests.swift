import AlertCore
import AlertTesting
import PluginKit
import Testing

/// What whoever pushes hears of what was taken in.
@Suite struct `The answer to a push` {
    private func answer(to observations: [Observation]...) -> CommandAnswer? {
        var source = SourcePlan(name: "ios", jitter: 0)
        source.isPushed = true
        let core = Core(plan: .rehearsed(sources: [source]))
        var state = State()
        _ = core.step(&state, .started, at: .rehearsalStart)
        var answer: CommandAnswer?
        for observations in observations {
            let output = core.step(
                &state, .pushed(source: "ios", PollReport(.values(observations)), id: 1), at: .rehearsalStart)
            for case .answered(let found, _) in output.effects { answer = found }
        }
        return answer
    }

    private func seen(_ app: String, users: Double) -> Observation {
        Observation(
            subject: Subject(source: "ios", app: app), span: TimeSpan(lasting: .minutes(5), until: .rehearsalStart),
            seen: .rehearsalStart, metrics: ["users": users])
    }

    @Test func `counts what was kept`() {
        #expect(
            answer(to: [seen("shop", users: 5), seen("bank", users: 7)])
                == .done("2 observations taken in for source ios", ["observations": 2]))
    }

    @Test func `says what was left out`() {
        #expect(
            answer(to: [seen("shop", users: 5), seen("bank", users: 1e13)])
                == .done(
                    "1 of 2 observations taken in for source ios; the log says why the rest was left out",
                    ["observations": 1]))
    }
}
