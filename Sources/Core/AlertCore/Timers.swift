internal import PluginKit

/// What the core has promised itself to look at, each thing once, the earliest first.
///
/// A binary heap in which a moved promise leaves its old entry behind; an entry that is no longer the current one is
/// passed over when it comes up.
struct Timers: Sendable {
    enum Key: Hashable, Sendable {
        case source(String)
        case incident(String)
        case channel(String)
        /// Rules that watch a source want to look at it though no answer has come.
        case watch(String)
        case housekeeping
    }

    private struct Entry {
        let due: Moment
        let key: Key
    }

    private var heap: [Entry] = []
    private var current: [Key: Moment] = [:]

    /// The earliest promise.
    var next: Moment? {
        mutating get {
            dropOutdated()
            return heap.first?.due
        }
    }

    /// Promises to look at `key` at `due`, instead of whenever was promised before; nil promises nothing any more.
    mutating func set(_ key: Key, _ due: Moment?) {
        guard current[key] != due else { return }
        current[key] = due
        if let due { push(Entry(due: due, key: key)) }
        // What lies far ahead would leave one entry behind each time it is looked at before.
        guard heap.count > 2 * current.count + Timers.outdatedMax else { return }
        let kept = current
        heap = []
        for (key, due) in kept { push(Entry(due: due, key: key)) }
    }

    /// Outdated entries that are not worth making the heap anew for.
    private static let outdatedMax = 64

    func due(of key: Key) -> Moment? { current[key] }

    /// Entries in memory, outdated ones among them.
    var entryCount: Int { heap.count }

    /// Promises that are due together.
    struct Due {
        var incidents: [String] = []
        var channels: [String] = []
        var watches: [String] = []
        var housekeeping = false
    }

    /// Takes out every promise that is due at `now`; nil when there is none. Those of sources are only taken out:
    /// polls start together at the end of a turn.
    mutating func popAllDue(_ now: Moment) -> Due? {
        var due = Due()
        var isAny = false
        while let key = popDue(now) {
            isAny = true
            switch key {
            case .source: break
            case .incident(let id): due.incidents.append(id)
            case .channel(let name): due.channels.append(name)
            case .watch(let name): due.watches.append(name)
            case .housekeeping: due.housekeeping = true
            }
        }
        return isAny ? due : nil
    }

    /// Takes out the earliest promise that is due at `now`.
    private mutating func popDue(_ now: Moment) -> Key? {
        dropOutdated()
        guard let first = heap.first, first.due <= now else { return nil }
        removeFirst()
        current[first.key] = nil
        return first.key
    }

    private mutating func dropOutdated() {
        while let first = heap.first, current[first.key] != first.due { removeFirst() }
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, heap[child].due < heap[(child - 1) / 2].due {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [parent * 2 + 1, parent * 2 + 2]
            where child < heap.count && heap[child].due < heap[smallest].due {
                smallest = child
            }
            guard smallest != parent else { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
