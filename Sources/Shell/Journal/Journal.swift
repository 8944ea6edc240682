public import Records

// An append-only journal of JSON lines, kept in one folder by one writer.
//
// It stores payloads that are already JSON objects, numbers them, and gives them back after any crash: what was
// committed comes back exactly once and in order. What a payload means is the caller's business. It is not a database
// (nothing is looked up, everything is replayed), not a log for people, and it reads no clock: the caller says when.
//
// # Files
//
//     lock                                   held with flock(2) by the one writer; holds its process id
//     journal-00000000000000000001.jsonl     a segment, named by the number of its first record
//     journal-00000000000000004096.jsonl
//     snapshot-00000000000000004095.jsonl    stands for every record up to and including that number
//     snapshot-00000000000000004095.jsonl.tmp   a snapshot being written; worthless after a crash
//     journal-00000000000000000001.jsonl.damaged  a damaged file that a compaction put aside instead of removing
//     quarantine.jsonl                       damaged bytes that a writer found, with their place
//
// The folder is created with mode 0700, files with 0600. Other names are left alone. Readers take no lock.
//
// # Lines
//
// Every line is one JSON object in exactly this form, without spaces, ended by a line feed:
//
//     {"v":3,"seq":12,"last":1,"at":"2026-11-21T02:41:54.123Z","crc":"a1b2c3d4","key":"i/7","record":{...}}
//
// `v` is the version of this format. `seq` counts from 1 without gaps. `last` is 1 on the last line of a commit, and 0
// on those before it. `at` is the caller's time, RFC 3339. `crc` is the CRC-32C (Castagnoli) of the line without its
// line feed and with the member `,"crc":"a1b2c3d4"` taken out, as eight lower-case hexadecimal digits; so it covers
// every other byte of the line. `record` is the payload as it was given. What it is about stands before it, where the
// caller says so: `"key":K` overtakes all that came before with that key, `"key":K,"part":P` what came before with both
// since the last whole, and `"ends":[K,...]` is the end of all those keys.
//
// Version 2 has no topics. Version 1, of release 0.1, has no `last` either: each of its lines counts by itself. All of
// them may stand in one segment.
//
// A snapshot has the same lines, all with the `seq` and `at` of the snapshot. Its first line has `"begin":{}` instead
// of `"record":...`, its last line `"end":{"records":N}`; without that end the snapshot is half-written.
//
// # Replay
//
// First the newest whole snapshot, then the records of the segments that are newer. A segment ends where the name of
// the next one says: what a failed write may have left beyond that was written again in the next segment and is
// passed over. A commit counts as a whole: where the last segment ends before the last line of a commit, within a line
// or between two, nothing of it is given out, and the writer cuts it off. Any other line that does not check out is
// skipped and reported, and all others are kept, those before it in its commit, too; the writer copies it to the
// quarantine. A line with a right checksum and a version above 3 is refused, and so is a file that begins with such a
// version and has no line of ours.
//
// Whoever rebuilds a state from it is spared what was overtaken: records with a topic are given out at the end, as far
// as they still count, in the order of the last ones about each key; all others in their turn.
//
// # Commit, rotation, compaction
//
// A commit is one write and one fdatasync for everything appended since the last. If the write fails, the segment is
// cut back to what was committed; if the sync fails, the segment is never written to again. The records stay with the
// writer either way, and the next commit tries them again. Compaction starts a new segment (`begin`), writes the
// snapshot under its temporary name and syncs it (`Compaction.write`, beside further commits), renames it, syncs the
// folder, and only then removes what the snapshot covers (`finish`). A crash anywhere in between leaves files that
// replay to the same records. A commit whose file is not in its place any more is none: `restore` begins the journal
// anew.

/// One record as it was appended.
///
/// The bytes are slices of the read buffer: copy them (`Array(record.payload)`) to keep them beyond the closure
/// cheaply.
public struct JournalRecord: Sendable {
    /// The record's number, counted from 1; for a snapshot's records, the number of the last record it stands for.
    public let seq: UInt64
    /// The JSON object that was appended, byte for byte.
    public let payload: ArraySlice<UInt8>

    let atBytes: ArraySlice<UInt8>
    /// What it is about.
    public let topic: Topic

    /// The time the caller gave, as written.
    public var at: String { String(decoding: atBytes, as: UTF8.self) }

    /// The text of a string of the envelope.
    static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                text.append(byte)
                continue
            }
            let code = String(decoding: rest.prefix(4), as: UTF8.self)
            guard next == UInt8(ascii: "u"), let control = UInt8(code, radix: 16) else {
                text.append(next)
                continue
            }
            text.append(control)
            rest = rest.dropFirst(4)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The bounds of a journal. `standard` is right for production; tests and simulations take smaller ones.
public struct JournalLimits: Sendable {
    /// The longest payload, in bytes. 4 MiB: 64 times a Matrix event, the largest of the chat services' messages.
    public var recordBytesMax = 4 << 20
    /// A segment this long is followed by a new one. 64 MiB: with compaction, one file or two.
    public var segmentBytesMax = 64 << 20
    /// Compaction is not worth its syncs below this many bytes. 16 MiB replay in less than a tenth of a second.
    public var compactionBytesMin = 16 << 20
    /// How much is read or written at once. 256 KiB: few calls, little memory.
    public var chunkBytes = 256 << 10

    public static let standard = JournalLimits()

    public init() {}

    /// The longest time stamp. RFC 3339 with nanoseconds and an offset takes 35 bytes.
    static let atBytesMax = 40
    /// Everything of a line but payload and line feed: 13 + 20 digits + 9 + 7 + 40 + 9 + 8 + 11 + 1, rounded up.
    static let envelopeBytesMax = 128
    /// So many times the bytes of the last snapshot call for the next: of all that is written snapshots are a third, and
    /// a start reads three times the state at most.
    static let growthFactor = 2
    /// A compaction may wait until there are so many times the bytes that call for it: 64 MiB, which a start replays in
    /// a third of a second, or some times the state.
    static let overdueFactor = 4
    /// How many notices a report keeps; a file of nothing but damage must not fill the memory.
    static let noticesMax = 1_000

    var lineBytesMax: Int { recordBytesMax + Self.envelopeBytesMax }
}
