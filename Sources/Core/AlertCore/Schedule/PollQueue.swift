internal import PluginKit

/// Which source is polled next: by time, and as far as the limits of polls in flight allow, in all and to one host.
///
/// Whatever a turn asks costs the logarithm of the number of sources, so a turn costs the same with ten sources or ten
/// thousand. A source is in one place: waiting for its time, in flight, or due while its host has as many polls as it
/// may.
struct PollQueue: Sendable {
    private var waiting = Timers<String>()
    /// The same sources, by the time from which they may come along with another.
    private var early = Timers<String>()
    /// Due, by host, for which there was no room.
    private var blocked: [String: Timers<String>] = [:]
    /// Polls in flight, with the host that each went to.
    private var hosts: [String: String?] = [:]
    private var onHost: [String: Int] = [:]

    var inFlightCount: Int { hosts.count }

    func isInFlight(_ name: String) -> Bool { hosts.keys.contains(name) }

    /// The earliest time for which a source waits.
    var next: Moment? { mutating get { waiting.next } }

    /// Has a source wait for its time, instead of whatever it waits for.
    ///
    /// - Parameter early: From when on it may come along with another.
    mutating func put(_ source: SourcePlan, at due: Moment, early: Moment?, rank: Int) {
        remove(source.name, host: source.host)
        waiting.set(source.name, due, rank: rank)
        self.early.set(source.name, early, rank: rank)
    }

    mutating func remove(_ name: String, host: String?) {
        waiting.set(name, nil)
        early.set(name, nil)
        if let host { blocked[host]?.set(name, nil) }
    }

    /// Takes out everything that waits; what is in flight stays so.
    mutating func removeAllWaiting() {
        waiting = Timers()
        early = Timers()
        blocked = [:]
    }

    /// Takes out the source that is due and has waited longest, of those that may start.
    mutating func popDue(_ now: Moment, _ plan: Plan) -> SourcePlan? {
        while true {
            let due = waiting.next
            guard let name = waiting.popDue(now), let due else { return nil }
            early.set(name, nil)
            guard let source = plan.source(name) else { continue }
            guard let host = source.host, !hasRoom(host, plan) else { return source }
            blocked[host, default: Timers()].set(name, due, rank: plan.rank(of: name))
        }
    }

    /// Takes out a source that is not due but may come along.
    mutating func popEarly(_ now: Moment, _ plan: Plan) -> SourcePlan? {
        while let name = early.popDue(now) {
            guard let source = plan.source(name) else { continue }
            // Where its host is busy it waits for its own time.
            guard source.host.map({ hasRoom($0, plan) }) ?? true else { continue }
            waiting.set(name, nil)
            return source
        }
        return nil
    }

    mutating func begin(_ source: SourcePlan) {
        hosts[source.name] = .some(source.host)
        if let host = source.host { onHost[host, default: 0] += 1 }
    }

    /// A poll has ended, so one more may go to its host.
    mutating func end(_ name: String, _ plan: Plan) {
        guard let place = hosts.removeValue(forKey: name), let host = place else { return }
        let count = (onHost[host] ?? 1) - 1
        onHost[host] = count > 0 ? count : nil
        guard let due = blocked[host]?.next, let first = blocked[host]?.popFirst() else { return }
        waiting.set(first, due, rank: plan.rank(of: first))
    }

    private func hasRoom(_ host: String, _ plan: Plan) -> Bool { (onHost[host] ?? 0) < plan.pollsMax(to: host) }
}
