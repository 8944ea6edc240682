internal import HeapModule
internal import PluginKit

/// Promises to come back to something, or since when something is so, each thing once, the earliest first.
///
/// A promise that is moved leaves its old entry in the heap; an entry that is no longer the current one is passed over
/// when it comes up. Every call costs the logarithm of the number of promises.
struct Timers<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Comparable, Sendable {
        let due: Moment
        /// Settles which of two that are due together comes first.
        let rank: Int
        let key: Key

        static func < (left: Entry, right: Entry) -> Bool { (left.due, left.rank) < (right.due, right.rank) }
        static func == (left: Entry, right: Entry) -> Bool { (left.due, left.rank) == (right.due, right.rank) }
    }

    private var heap = Heap<Entry>()
    private var current: [Key: Moment] = [:]

    var isEmpty: Bool { current.isEmpty }

    /// What something is promised of, in no order.
    var keys: Dictionary<Key, Moment>.Keys { current.keys }

    /// The earliest promise; of several, one of them.
    var first: (key: Key, due: Moment)? { heap.min.map { ($0.key, $0.due) } }

    var next: Moment? { heap.min?.due }

    /// Promises to come back to `key` at `due`, instead of whenever was promised before; nil promises nothing any more.
    mutating func set(_ key: Key, _ due: Moment?, rank: Int = 0) {
        guard current[key] != due else { return }
        current[key] = due
        if let due { heap.insert(Entry(due: due, rank: rank, key: key)) }
        dropOutdated()
        // What lies far ahead would leave one entry behind each time it is moved.
        guard heap.count > 2 * current.count + Timers.outdatedMax else { return }
        let kept = current
        // A promise that was taken out and is made again lies there twice: with those of thousands that are looked at in turns
        // the heap would be made anew for each of them.
        var placed: Set<Key> = []
        heap = Heap(heap.unordered.filter { kept[$0.key] == $0.due && placed.insert($0.key).inserted })
    }

    /// Outdated entries that are not worth making the heap anew for.
    private static var outdatedMax: Int { 64 }

    /// Entries in memory, outdated ones among them.
    var entryCount: Int { heap.count }

    /// Takes out the earliest promise that is due at `now`.
    mutating func popDue(_ now: Moment) -> Key? {
        guard let first = heap.min, first.due <= now else { return nil }
        heap.removeMin()
        current[first.key] = nil
        dropOutdated()
        return first.key
    }

    /// Takes out the earliest promise, whenever it is due.
    mutating func popFirst() -> Key? { popDue(.latest) }

    /// The first entry is always a current one.
    private mutating func dropOutdated() {
        while let first = heap.min, current[first.key] != first.due { heap.removeMin() }
    }
}
