internal import HeapModule
internal import PluginKit

/// Where something is gathered.
struct GatheringPlace: Hashable, Sendable {
    let channel: String
    let gathering: Gathering
}

/// What is gathered at one place, and since when each is held. Gates ask for each notification since when the first is, so
/// that is at hand: every change costs the logarithm of how many there are.
struct Gathered: Sendable {
    struct Entry: Hashable, Comparable, Sendable {
        let since: Moment
        let id: String

        static func < (left: Entry, right: Entry) -> Bool { (left.since, left.id) < (right.since, right.id) }
    }

    private var since: [String: Moment] = [:]
    /// With entries that are no longer current, but never as the first.
    private var heap = Heap<Entry>()

    var isEmpty: Bool { since.isEmpty }

    /// The ids of all that is gathered, in no order.
    var ids: Dictionary<String, Moment>.Keys { since.keys }

    /// The one that is held for longest.
    var first: Entry? { heap.min }

    /// Takes in since when an incident is held there; nil where it is no more.
    mutating func set(_ id: String, _ moment: Moment?) {
        guard since[id] != moment else { return }
        since[id] = moment
        if let moment { heap.insert(Entry(since: moment, id: id)) }
        while let first = heap.min, since[first.id] != first.since { heap.removeMin() }
        // Every change of an incident takes it out and puts it in again, which leaves an entry behind each time.
        guard heap.count > 2 * since.count + Gathered.outdatedMax else { return }
        heap = Heap(since.map { Entry(since: $1, id: $0) })
    }

    /// Outdated entries that are not worth making the heap anew for.
    private static let outdatedMax = 64
}
