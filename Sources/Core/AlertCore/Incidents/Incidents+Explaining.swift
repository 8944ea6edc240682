internal import PluginKit

// Which incidents explain others, and so hold what gates would let pass, and when one no longer does.

extension Incidents {
    /// The open incidents that match and explain others, in no order.
    func explaining(_ match: Match, at now: Moment) -> [Incident] {
        // Before the first turn, as for 'why' on a journal, and of what no gate waits for, no list is kept.
        guard let ids = explainers.ids(of: match) else {
            return all.filter { Explainers.explains($0, match) && isMeant($0, at: now) }
        }
        return ids.compactMap { self[$0] }.filter { isMeant($0, at: now) }
    }

    /// Whether any of them is as asked. Gates ask for each notification, so no list is made, and the first will do.
    func isExplained(by match: Match, at now: Moment, where isAsked: (Incident) -> Bool) -> Bool {
        guard let ids = explainers.ids(of: match) else { return explaining(match, at: now).contains(where: isAsked) }
        return ids.contains { id in self[id].map { isMeant($0, at: now) && isAsked($0) } ?? false }
    }

    /// Whether an incident has not been getting better for so long that it explains others no more.
    private func isMeant(_ incident: Incident, at now: Moment) -> Bool {
        incident.betterSince.map { now < $0 + Incidents.explainsAfterwards } ?? true
    }

    /// How long what is getting better goes on explaining: by then a window of an hour, the usual one, has left the trouble behind.
    static let explainsAfterwards = Duration.hours(1)

    /// When the incident explains others no more, where it is getting better and a gate may be closed for its sake.
    func waningMoment(of id: String) -> Moment? {
        guard let since = self[id]?.betterSince, explains(id) else { return nil }
        return since + Incidents.explainsAfterwards
    }

    /// Whether one has changed in a way that may open a gate since this was asked last.
    mutating func takeEvent() -> Bool {
        defer { mayOpenGates = false }
        return mayOpenGates
    }

    var hasEvent: Bool { mayOpenGates }

    /// Notices that an incident has been getting better for so long that it explains others no more, once.
    mutating func noteWaning(of id: String, at now: Moment) {
        guard !waitingForEvents.isEmpty, let end = waningMoment(of: id), end <= now, waned[id] != end else { return }
        waned[id] = end
        mayOpenGates = true
    }

    /// Notices changes that may open a gate which waits for an incident.
    mutating func noteEvent(_ fact: Fact) {
        guard !waitingForEvents.isEmpty, !mayOpenGates else { return }
        switch fact {
        case .ended(let id): mayOpenGates = explains(id)
        case .incident(let incident):
            guard let old = self[incident.id] else { return }
            // Standings count too: an incident that is held for another's sake explains nothing.
            mayOpenGates =
                (old.state != incident.state || old.severity != incident.severity
                    || old.standings != incident.standings || old.endsFrom != incident.endsFrom)
                && explains(incident.id)
        case .seen(let id, let state, _, _): mayOpenGates = self[id].map { $0.state != state } == true && explains(id)
        case .standing(let id, let channel, let standing):
            mayOpenGates = self[id]?.standings[channel] != standing && explains(id)
        case .swung, .swings, .swingsTold, .sightings, .aftermath, .settled: break
        }
    }

    /// Whether a gate may be closed for its sake, as it was until now.
    private func explains(_ id: String) -> Bool {
        self[id].map(explainers.mayExplain) ?? false
    }
}
