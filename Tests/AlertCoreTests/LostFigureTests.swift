import AlertCore
import AlertTesting
import PluginKit
import Testing

/// Figures that are lost with a part of the journal, while the source says the same as before.
@Suite struct `Figures that are lost` {
    /// A record of the journal is lost that said what the source had seen; the source says the same as before.
    private func damaged(answering whole: Bool, with more: [Subject] = []) -> Rehearsal {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil))
        bot.pollAnswer = { order, now in
            guard order.cursor == nil || whole && order.isAnew else { return (PollReport(.unchanged), .zero) }
            let seen = ([Subject.shop] + more).map { Observation.cue($0 == .shop ? .warning : .fine, of: $0, at: now) }
            return (PollReport(.values(seen), cursor: "told"), .zero)
        }
        bot.start()
        bot.advance(by: .minutes(20))
        #expect(bot.marks(of: "shop") == "O")
        var state = State(memories: bot.state.memories)
        for fact in bot.state.facts {
            if case .figures = fact { continue }
            state.apply(fact)
        }
        #expect(state.figures.series[.shop] == nil)
        bot.lose(to: state)
        for input in [Input.started, .journalDamaged("1 damaged line")] { bot.step(input) }
        return bot
    }

    @Test func `what has lost its figures with the journal goes on, and the next answer is taken in whole`() {
        var bot = damaged(answering: true, with: [Subject(source: "ios", app: "other")])
        bot.advance(by: .hours(3))
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.state.figures.series[.shop] != nil)
        #expect(bot.state.schedule.sources["ios"]?.isAnew == false)
        #expect(bot.state.schedule.sources["ios"]?.lastOutcome == .unchanged, "and then it is as before again")
        bot.see(.fine)
        #expect(bot.marks(of: "shop") == "OR")
    }

    @Test func `a source that goes on saying as before ends nothing, and is asked for all until it tells`() throws {
        var bot = damaged(answering: false)
        bot.advance(by: .hours(3))
        #expect(bot.marks(of: "shop") == "O")
        #expect(bot.state.schedule.sources["ios"]?.isAnew == true)
        let copy = try bot.stateFromSnapshot()
        #expect(copy.schedule.sources["ios"]?.isAnew == true)
        bot.see(.fine)
        #expect(bot.state.schedule.sources["ios"]?.isAnew == false)
        #expect(bot.marks(of: "shop") == "OR")
    }
}
