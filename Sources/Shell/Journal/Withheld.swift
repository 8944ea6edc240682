internal import Records

/// Records of a commit whose last line has not come yet, copied, for the read buffer moves on.
///
/// It holds one commit, which was whole in the writer's memory, too.
struct Withheld {
    private struct Entry {
        var seq: UInt64
        var at: Range<Int>
        var payload: Range<Int>
        var topic: Topic
        var spot: LineReader.Spot
    }

    private var entries: [Entry] = []
    private var bytes: [UInt8] = []

    /// The number of the first record, and where it stands.
    var first: (seq: UInt64, spot: LineReader.Spot)? { entries.first.map { ($0.seq, $0.spot) } }

    mutating func add(_ record: JournalRecord, _ spot: LineReader.Spot) {
        entries.append(
            Entry(
                seq: record.seq, at: copy(record.atBytes), payload: copy(record.payload), topic: record.topic,
                spot: spot))
    }

    private mutating func copy(_ slice: ArraySlice<UInt8>) -> Range<Int> {
        let start = bytes.count
        bytes += slice
        return start..<bytes.count
    }

    func forEach(_ body: (JournalRecord, LineReader.Spot) throws(JournalError) -> Void) throws(JournalError) {
        for entry in entries {
            try body(
                JournalRecord(
                    seq: entry.seq, payload: bytes[entry.payload], atBytes: bytes[entry.at], topic: entry.topic),
                entry.spot)
        }
    }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }
}
