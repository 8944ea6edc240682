internal import PluginKit

/// Where something is held until another incident changes, and why.
struct WaitingPlace: Hashable, Sendable {
    let channel: String
    let reason: Reason
}

/// Which incidents explain others: of each match that a gate waits for, the open ones that have fired and fit it. Such a gate
/// asks for each notification of a storm, so they are listed as they come and go. Of this run only.
struct Explainers: Sendable {
    private struct Entry: Sendable {
        let match: Match
        var ids: Set<String> = []
    }

    /// What gates wait for, in their order.
    private var matches: [Match] = []
    private var entries: [Entry] = []
    /// Where the entry of each match is.
    private var places: [Match: Int] = [:]
    /// Whether a match asks for an issue, which may be another with every sight of an incident.
    private(set) var readIssues = false

    static func explains(_ incident: Incident, _ match: Match) -> Bool {
        incident.isOpen && incident.hasFired && incident.endsFrom == nil && match.fits(incident.property)
    }

    /// Says at the begin of a turn what gates wait for, among these incidents.
    mutating func serve(_ matches: [Match], _ incidents: some Sequence<Incident>) {
        guard matches != self.matches else { return }
        self = Explainers()
        self.matches = matches
        for match in matches where places[match] == nil {
            places[match] = entries.count
            entries.append(Entry(match: match))
            if match["issue"] != nil { readIssues = true }
        }
        guard !entries.isEmpty else { return }
        for incident in incidents { list(incident) }
    }

    /// Those that fit a match; nil where no gate waits for that.
    func ids(of match: Match) -> Set<String>? { places[match].map { entries[$0].ids } }

    /// Whether a gate waits for such an incident, be it open or not.
    func mayExplain(_ incident: Incident) -> Bool { entries.contains { $0.match.fits(incident.property) } }

    mutating func list(_ incident: Incident) {
        for index in entries.indices where Explainers.explains(incident, entries[index].match) {
            entries[index].ids.insert(incident.id)
        }
    }

    mutating func unlist(_ id: String) {
        for index in entries.indices where !entries[index].ids.isEmpty { entries[index].ids.remove(id) }
    }
}
