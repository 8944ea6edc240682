internal import PluginKit

// Who is looked at first of those that are due together: the first takes the room of a budget, and leaves first.

extension Turn {
    /// Those of the incidents that there are, the most urgent first.
    func byUrgency(_ ids: some Sequence<String>) -> [String] {
        state.incidents.earlierFirst(ids.compactMap { urgency(of: $0) }.sorted().map(\.id))
    }

    /// Whether it goes before all that waits already: somebody is to hear of something critical, and of no earlier end of the
    /// same that is about to leave.
    func isUrgent(_ id: String) -> Bool {
        urgency(of: id)?.rank == .urgent && !state.incidents.hasEarlierEnd(than: id, at: now)
    }

    private func urgency(of id: String) -> Urgency? {
        state.incidents.glance(at: id).map { glance in
            Urgency(rank: rank(of: glance), severity: glance.severity, since: glance.since, id: id)
        }
    }

    private func rank(of glance: Incidents.Glance) -> Urgency.Rank {
        guard glance.isOpen else { return .over }
        guard isNews(glance) else { return .others }
        return glance.severity == .critical ? .urgent : .unheard
    }

    /// Whether some channel is to hear of it, or of how bad it has become. What a digest holds has its place there as long as it is
    /// no worse, and reminders may join it.
    private func isNews(_ glance: Incidents.Glance) -> Bool {
        // Of nearly all that has just begun.
        guard !glance.standings.isEmpty else { return true }
        // Where each channel has a standing, the routes need not be asked; one that they lead to no more makes little difference.
        guard glance.standings.count < plan.channels.count, let incident = state.incidents[glance.id] else {
            return glance.standings.values.contains { isNews(glance, $0) }
        }
        return plan.channels(for: incident, at: now).contains { channel in
            glance.standings[channel].map { isNews(glance, $0) } ?? true
        }
    }

    private func isNews(_ glance: Incidents.Glance, _ standing: Standing) -> Bool {
        if let hold = standing.hold, hold.gathering?.style == .digest, glance.severity <= hold.severity { return false }
        return [standing.heard ?? standing.announced, standing.dropped, standing.undelivered].allSatisfy { known in
            known.map { $0 < glance.severity } ?? true
        }
    }
}

private struct Urgency: Comparable {
    enum Rank: Comparable {
        /// Somebody is to hear of it, and it is critical.
        case urgent
        /// Good news is short, and is read before what is bad by then.
        case over
        /// Somebody is to hear of it, or that it is worse.
        case unheard
        /// A reminder can wait better than news.
        case others
    }

    let rank: Rank
    let severity: Severity
    let since: Moment
    let id: String

    static func < (one: Urgency, other: Urgency) -> Bool {
        if one.rank != other.rank { return one.rank < other.rank }
        if one.severity != other.severity { return one.severity > other.severity }
        return (one.since, one.id) < (other.since, other.id)
    }
}
