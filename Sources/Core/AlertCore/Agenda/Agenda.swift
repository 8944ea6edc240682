internal import PluginKit

/// What the core has promised itself to look at, beside polls, and what was due in a turn that had said enough. Of this
/// run only: each start makes it anew.
struct Agenda: Sendable {
    enum Key: Hashable, Sendable {
        case incident(String)
        case channel(String)
        case housekeeping
    }

    /// Promises that are due together.
    struct Due {
        var incidents: [String] = []
        var channels: [String] = []
        var housekeeping = false
    }

    private var timers = Timers<Key>()
    /// Incidents that were due in a turn that had said enough, in the order in which to look at them: what is urgent comes
    /// before all that waits already.
    private var urgentBacklog: ArraySlice<String> = []
    private var backlog: ArraySlice<String> = []
    /// The same, to know who is there: while no channel takes more, every poll of an open incident puts it off again.
    private var inBacklog: Set<String> = []
    private var inUrgentBacklog: Set<String> = []
    /// When to go on with the backlog; nil while the end of an attempt is waited for.
    private var backlogDue: Moment?

    /// Incidents that wait for the first answer of a source after a start, by its name, or for those of all.
    private var awaiting: [String?: Set<String>] = [:]

    /// When the core wants to be woken next for any of it.
    var next: Moment? {
        mutating get {
            guard !inBacklog.isEmpty, let due = backlogDue else { return timers.next }
            return min(due, timers.next ?? due)
        }
    }

    mutating func set(_ key: Key, _ due: Moment?) { timers.set(key, due) }

    /// Has an incident that has changed looked at before this turn ends, after those that began before it.
    mutating func revisit(_ incident: String, at now: Moment) { timers.set(.incident(incident), now) }

    /// Has an incident looked at again when a source has answered; nil for when all have.
    mutating func await(_ source: String?, _ incident: String) { awaiting[source, default: []].insert(incident) }

    /// A source has answered, or all have.
    mutating func hear(_ source: String?, at now: Moment) {
        for incident in awaiting.removeValue(forKey: source) ?? [] { revisit(incident, at: now) }
    }

    /// Has the channel dispatched before this turn ends: once, however many messages it got.
    mutating func dispatch(_ channel: String, at now: Moment) { timers.set(.channel(channel), now) }

    /// Puts an incident off to the next turn, which follows at once; who has been put off already keeps its place, unless it
    /// has become urgent.
    mutating func postpone(_ incident: String, isUrgent: Bool) {
        let isNew = inBacklog.insert(incident).inserted
        if isUrgent, inUrgentBacklog.insert(incident).inserted {
            urgentBacklog.append(incident)
        } else if isNew {
            backlog.append(incident)
        }
    }

    mutating func popBacklog() -> String? {
        if let first = urgentBacklog.popFirst() {
            inUrgentBacklog.remove(first)
            inBacklog.remove(first)
            return first
        }
        // What has become urgent since has had its turn.
        while let first = backlog.popFirst() {
            if inBacklog.remove(first) != nil { return first }
        }
        return nil
    }

    /// Says when to go on with what was put off.
    mutating func resumeBacklog(at due: Moment?) { backlogDue = due }

    /// Takes out every promise that is due at `now`; nil when there is none.
    mutating func popAllDue(_ now: Moment) -> Due? {
        var due = Due()
        var isAny = false
        while let key = timers.popDue(now) {
            isAny = true
            switch key {
            case .incident(let id): due.incidents.append(id)
            case .channel(let name): due.channels.append(name)
            case .housekeeping: due.housekeeping = true
            }
        }
        return isAny ? due : nil
    }
}
