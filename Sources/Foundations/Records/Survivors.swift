/// Sorts out, of records that come one after the other, those that still count at the end.
///
/// What has a topic is kept until nothing more can overtake it; everything else can be used as it comes. So whatever
/// uses the records must not mind that those about different things change places.
///
/// Inlinable because every record of a long journal goes through it.
public struct Survivors<Record> {
    @usableFromInline struct Kept {
        /// Nil where it had no topic: it was written before there were any, or stands in a snapshot.
        @usableFromInline var whole: Record?
        /// The last record of each part since.
        @usableFromInline var parts: [(name: String, record: Record)] = []
        /// Which record was the last about it.
        @usableFromInline var last: Int

        @inlinable init(whole: Record? = nil, last: Int) {
            self.whole = whole
            self.last = last
        }

        @inlinable mutating func add(_ record: Record, about name: String, at place: Int) {
            parts.removeAll { $0.name == name }
            parts.append((name, record))
            last = place
        }
    }

    @usableFromInline var kept: [String: Kept] = [:]
    @usableFromInline var count = 0

    @inlinable public init() {}

    /// Takes the next record.
    ///
    /// - Parameter record: Made only if it is kept.
    /// - Returns: Whether it is to be used at once, because nothing can overtake it.
    @inlinable public mutating func take(_ topic: Topic, _ record: () throws -> Record) rethrows -> Bool {
        count += 1
        switch topic {
        case .always: return true
        case .whole(let key): kept[key] = Kept(whole: try record(), last: count)
        case .part(let name, let key):
            let record = try record()
            kept[key, default: Kept(last: count)].add(record, about: name, at: count)
        case .end(let keys):
            for key in keys { kept[key] = nil }
            // It ends what was recorded without a topic, too.
            return true
        }
        return false
    }

    /// What is left: of each thing the last whole and its parts since, ordered by the last record about each.
    @inlinable public consuming func inOrder() -> [Record] {
        kept.values.sorted { $0.last < $1.last }.flatMap { [$0.whole].compactMap(\.self) + $0.parts.map(\.record) }
    }
}
