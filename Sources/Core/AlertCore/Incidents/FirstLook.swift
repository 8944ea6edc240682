internal import PluginKit

/// The first look that a config takes, once it is loaded, at what each source has told before. What it finds changed is the
/// work of whoever has edited the config, such as another limit or window, or of no known time: nothing that was seen to come
/// or go.
struct FirstLook: Sendable {
    /// Whether it is being taken.
    private(set) var isUnderWay = false
    /// The sources of which none was taken yet.
    private var awaited: Set<String> = []
    /// The incidents that it has found about to fire, or about to end: what they become is its work, too.
    private var begun: Set<String> = []

    /// Begins with what is judged without an answer.
    mutating func begin(with sources: some Sequence<String>) {
        awaited = Set(sources)
        isUnderWay = true
    }

    /// - Parameter isKnown: whether the source had told anything before this answer of it.
    mutating func begin(of source: String, isKnown: Bool) {
        isUnderWay = awaited.remove(source) != nil && isKnown
    }

    mutating func end() { isUnderWay = false }

    /// Whether it makes this of an incident, and not what is watched.
    mutating func accounts(for incident: String, becoming state: Incident.State) -> Bool {
        guard isUnderWay else { return begun.remove(incident) != nil }
        if state == .pending || state == .recovering { begun.insert(incident) }
        return true
    }

    mutating func forget(_ incident: String) { begun.remove(incident) }
}
