internal import PluginKit

/// Accounts whose budget is used up. What a service told one source holds for all that ask it as the same account: they
/// wait with it instead of being refused one after the other.
///
/// Of this run only: after a restart it follows from what each source was told.
struct AccountWaits: Sendable {
    private struct Wait: Sendable {
        var until: Moment
        /// Who was told.
        var source: String
        /// Whose turn it is first when the wait is over: who has waited longest.
        var turns: [String: Int]
    }

    private var waits: [String: Wait] = [:]

    /// Whether a service asks an account to wait for longer than it does anyway.
    func isNews(_ account: String, until: Moment) -> Bool { waits[account].map { $0.until < until } ?? true }

    /// Takes note of what a service said.
    ///
    /// - Parameter order: all sources of the account, who was polled longest ago first.
    mutating func note(_ account: String, until: Moment, told source: String, order: [String]) {
        let turns = Dictionary(zip(order, order.indices)) { first, _ in first }
        waits[account] = Wait(until: until, source: source, turns: turns)
    }

    /// When a source may be polled that wants to be at that time.
    func due(_ source: SourcePlan, wishing due: Moment) -> Moment {
        guard let wait = source.account.flatMap({ waits[$0] }), due <= wait.until else { return due }
        // Apart by as little as makes an order. Who has joined the account since was polled last.
        return wait.until + .milliseconds(wait.turns[source.name] ?? wait.turns.count)
    }

    /// Whom a source waits for that wants to be polled at that time; nil where it waits for itself alone.
    func holder(of source: SourcePlan, wishing due: Moment) -> (name: String, until: Moment)? {
        guard let wait = source.account.flatMap({ waits[$0] }), due < wait.until, wait.source != source.name else {
            return nil
        }
        return (wait.source, wait.until)
    }

    /// Moves along with a wall clock that was set.
    mutating func move(by step: Duration) {
        waits = waits.mapValues { wait in
            var moved = wait
            moved.until = wait.until + step
            return moved
        }
    }

    /// Lets go of waits that are over: credentials that are replaced for years leave many accounts behind.
    mutating func forgetEnded(at now: Moment) { waits = waits.filter { $0.value.until >= now } }

    mutating func removeAll() { waits = [:] }
}
