public import AlertCore
public import Journal
public import PluginKit

extension Ledger {
    /// Does what a command says on the journal of a bot that does not run; its next start goes on from there.
    ///
    /// - Throws: What keeps the journal from being written; nothing is changed then.
    public mutating func obey(
        _ command: Command, _ plan: Plan, _ state: inout State, at now: Moment
    ) throws(JournalError) -> CommandAnswer {
        let (answer, facts) = Core(plan: plan).obey(command, &state, at: now)
        for refused in append(facts, at: now) { throw refused.reason }
        try commit(state, at: now)
        return answer
    }

    /// Notes in a journal that records of it are lost: the bot that starts with it takes in whole what its sources answer next,
    /// even if it is the same as before.
    ///
    /// - Throws: What keeps the journal from being written.
    public mutating func noteLoss(_ state: inout State, at now: Moment) throws(JournalError) {
        let facts = state.forgetAnswers()
        guard !facts.isEmpty else { return }
        for refused in append(facts, at: now) { throw refused.reason }
        try commit(state, at: now)
    }
}
