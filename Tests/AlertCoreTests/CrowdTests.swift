import AlertCore
import AlertTesting
import PluginKit
import Testing

/// A source whose names change with each answer, such as ids of requests that are mapped as apps.
@Suite struct `A source that names too many` {
    private let core = Core(plan: .rehearsed())

    /// A bot that knows as many apps of its source as it may.
    private func full() -> State {
        var state = State()
        _ = core.step(&state, .started, at: .rehearsalStart)
        var series = Series()
        series.add(.figures(["users": 5], at: .rehearsalStart), keeping: .minutes(5))
        for number in 0..<Figures.subjectsMax { state.apply(.figures(.series(app("app-\(number)"), series))) }
        return state
    }

    private func app(_ name: String) -> Subject { Subject(source: "ios", app: name) }

    /// What comes of an answer that names these apps, so many minutes after the start.
    private func answer(_ state: inout State, _ names: String..., after minutes: Int64) -> Output {
        let now = Moment.rehearsalStart + .minutes(minutes)
        let observations = names.map { Observation.figures(["users": 7], of: app($0), at: now) }
        return core.step(
            &state, .polled(source: "ios", PollReport(.values(observations)), validators: [:]), at: now)
    }

    private func warnings(_ output: Output) -> [String] {
        output.effects.compactMap { effect in
            if case .note(let note) = effect, note.level == .warning { note.text } else { nil }
        }
    }

    @Test func `is told once that new names are left out, while those that are known go on`() {
        var state = full()
        let first = answer(&state, "new-1", "app-7", "new-2", after: 1)
        #expect(state.figures.series.count == Figures.subjectsMax)
        #expect(state.figures.series[app("new-1")] == nil)
        #expect(state.figures.series[app("app-7")]?.lastSeen == .rehearsalStart + .minutes(1))
        let remark =
            "it has named 50,000 apps and releases within 7 d, and that is the limit: new ones are left out until "
            + "others are forgotten; do names change with each answer?"
        #expect(warnings(first) == ["source ios: \(remark)"])
        #expect(first.leftOut == ["source ios: \(remark)"])
        #expect(state.schedule.sources["ios"]?.warnings == [remark])
        let second = answer(&state, "new-3", "app-8", after: 2)
        #expect(warnings(second) == [], "the log has it already")
        #expect(state.schedule.sources["ios"]?.warnings == [remark])
        #expect(state.figures.series[app("app-8")]?.lastSeen == .rehearsalStart + .minutes(2))
        // Whatever else has a name of its own is not crowded out.
        _ = answer(&state, "app-9", after: 3)
        #expect(state.schedule.sources["ios"]?.warnings == [])
    }

    @Test func `has room for as many as are forgotten`() {
        var state = full()
        state.apply(.figures(.forgotten(app("app-0"))))
        _ = answer(&state, "new-1", "new-2", after: 1)
        #expect(state.figures.series[app("new-1")] != nil)
        #expect(state.figures.series[app("new-2")] == nil)
        #expect(state.figures.series.count == Figures.subjectsMax)
    }
}
