internal import PluginKit

// What gates see of the past, kept up to date fact by fact.

/// Where something is gathered.
struct GatheringPlace: Hashable, Sendable {
    let channel: String
    let gathering: Gathering
}

/// Incidents of which one message will tell.
struct Gathered: Sendable {
    var incidents: Set<String>
    var since: Moment
}

extension State {
    /// What gates see of the past, as facts.
    public var past: [Fact] {
        tellings.sorted { $0.key < $1.key }.map { .tellings(channel: $0.key, $0.value) }
            + swings.sorted { $0.key < $1.key }.map { .swings(rule: $0.rule, $0.subject, key: $0.key, $1) }
    }

    /// Remembers that a channel was told something.
    mutating func remember(_ telling: Telling, to channel: String) {
        guard telling.number > tellings[channel]?.last?.number ?? 0 else { return }
        tellings[channel, default: []].append(telling)
        let surplus = (tellings[channel]?.count ?? 0) - Telling.keptMax
        // Seldom, and then many at once: taking away the first moves all others.
        if surplus > Telling.keptMax / 4 { tellings[channel]?.removeFirst(surplus) }
    }

    /// Remembers that something began to fire, or ended.
    mutating func rememberSwing(of key: IncidentKey, at moment: Moment) {
        var kept = swings[key] ?? []
        guard kept.last != moment else { return }
        kept.removeAll { moment - $0 >= State.swingLifetime }
        kept.append(moment)
        swings[key] = kept.suffix(State.swingsMax)
    }

    /// Takes note of how what is held of an incident for a channel has changed.
    mutating func noteHold(of id: String, in channel: String, from old: Hold?, to new: Hold?) {
        let (before, after) = (old?.gathering, new?.gathering)
        if let before, before != after { leave(GatheringPlace(channel: channel, gathering: before), id) }
        if let after, let since = new?.since {
            join(GatheringPlace(channel: channel, gathering: after), id, since: since)
        }
        guard old?.lookAgain == .latest || new?.lookAgain == .latest else { return }
        noteWaiting(id)
    }

    private mutating func leave(_ place: GatheringPlace, _ id: String) {
        gathered[place]?.incidents.remove(id)
        if gathered[place]?.incidents.isEmpty == true { gathered[place] = nil }
    }

    private mutating func join(_ place: GatheringPlace, _ id: String, since: Moment) {
        var there = gathered[place] ?? Gathered(incidents: [], since: since)
        there.incidents.insert(id)
        there.since = min(there.since, since)
        gathered[place] = there
    }

    private mutating func noteWaiting(_ id: String) {
        if let incident = incidents[id], incident.waitsForEvent {
            waitingForEvents.insert(id)
        } else {
            waitingForEvents.remove(id)
        }
    }

    /// Takes note of how all that is held of an incident has changed.
    mutating func noteHolds(of id: String, from old: [String: Standing], to new: [String: Standing]) {
        for (channel, standing) in old where new[channel] == nil {
            noteHold(of: id, in: channel, from: standing.hold, to: nil)
        }
        for (channel, standing) in new {
            noteHold(of: id, in: channel, from: old[channel]?.hold, to: standing.hold)
        }
    }

    /// Changes in place what is kept of a subject, and counts it with its app when it is new.
    mutating func changeSeries(of subject: Subject, _ change: (inout Series) -> Void) {
        let known = series.count
        change(&series[subject, default: Series(remembering: memories)])
        if series.count > known { count(subject, by: 1) }
    }

    mutating func count(_ subject: Subject, by step: Int) {
        let count = (apps[subject.app] ?? 0) + step
        apps[subject.app] = count > 0 ? count : nil
    }
}

extension Incident {
    /// Whether it fires or has fired.
    var hasFired: Bool { state != .pending }

    /// Whether only an event can open a gate that holds something of it.
    var waitsForEvent: Bool {
        standings.values.map(\.hold).compactMap { $0 }.map(\.lookAgain).contains(.latest)
    }
}

/// The state as gates may see it.
struct StateView: GateView {
    let state: State

    func told(_ channel: String) -> [Telling] { state.tellings[channel] ?? [] }

    func gathered(_ gathering: Gathering, for channel: String) -> Moment? {
        state.gathered[GatheringPlace(channel: channel, gathering: gathering)]?.since
    }

    func swings(of incident: Incident) -> [Moment] { state.swings[incident.identity] ?? [] }

    func isFiring(_ isMeant: (Incident) -> Bool) -> Bool {
        state.incidents.values.contains { $0.isOpen && $0.hasFired && isMeant($0) }
    }

    var appCount: Int { state.apps.count }
    func hasFigures(ofApp app: String) -> Bool { state.apps[app] != nil }
}
