import AlertCore
import AlertTesting
import PluginKit
import Testing

/// What whoever pushes hears of what was taken in.
@Suite struct `The answer to a push` {
    private func answer(
        to observations: [Observation]..., isOfAlerts: Bool = false, warnings: [String] = []
    ) -> CommandAnswer? {
        var source = SourcePlan(name: "ios", jitter: 0)
        source.isPushed = true
        source.isOfAlerts = isOfAlerts
        let core = Core(plan: .rehearsed(sources: [source]))
        var state = State()
        _ = core.step(&state, .started, at: .rehearsalStart)
        var answer: CommandAnswer?
        for observations in observations {
            let output = core.step(
                &state, .pushed(source: "ios", PollReport(.values(observations), warnings: warnings), id: 1),
                at: .rehearsalStart)
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
                == .done("2 observations accepted for source ios", ["observations": 2]))
    }

    @Test func `counts alerts, and not what is made of them`() {
        let issues = (1...3).map { Issue(id: "\($0)", title: "Logins fail") }
        let before = Observation.figures(Metrics(), at: .rehearsalStart - .minutes(5))
        let alerts = Observation.figures(Metrics(), at: .rehearsalStart, issues: issues)
        #expect(
            answer(to: [before, alerts], isOfAlerts: true)
                == .done("3 alerts accepted for source ios", ["observations": 2]))
    }

    @Test func `says what is history`() throws {
        var old = seen("shop", users: 5)
        old.span = TimeSpan(lasting: .days(1), until: .rehearsalStart - .days(400))
        let remark = try #require([old].historyRemark)
        #expect(
            answer(to: [old])
                == .done("1 observation accepted for source ios; \(remark)", ["observations": 1]))
    }

    @Test func `says what was left out`() {
        #expect(
            answer(to: [seen("shop", users: 5), seen("bank", users: 1e13)])
                == .done(
                    "1 of 2 observations accepted for source ios; the log says why the rest was left out",
                    ["observations": 1]))
    }

    @Test(arguments: [true, false]) func `says that a part was left out before it came here`(_ isOfAlerts: Bool) {
        let alert = Observation.figures(
            ["users": 5], at: .rehearsalStart, issues: [Issue(id: "1", title: "Logins fail")])
        #expect(
            answer(to: [alert], isOfAlerts: isOfAlerts, warnings: ["an alert is left out"])
                == .done(
                    "1 \(isOfAlerts ? "alert" : "observation") accepted for source ios; an alert is left out",
                    ["observations": 1]))
        #expect(
            answer(to: [alert, seen("bank", users: 1e13)], warnings: ["a value is left out", "so is another"])
                == .done(
                    "1 of 2 observations accepted for source ios; the log says why the rest was left out; "
                        + "a value is left out, and 1 other warning",
                    ["observations": 1]))
    }
}
