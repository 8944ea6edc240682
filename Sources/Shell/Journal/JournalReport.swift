internal import Text

/// What a replay found: how much there is, and everything that was not as it should be.
public struct JournalReport: Sendable, Equatable {
    /// How many records were replayed, those of a snapshot included.
    public internal(set) var records = 0
    /// The number of the last record, damaged ones counted; 0 for an empty journal.
    public internal(set) var lastSeq: UInt64 = 0
    /// How many lines were skipped because they are damaged.
    public internal(set) var damagedLines = 0
    /// How many records are missing that no damaged line explains.
    public internal(set) var missingRecords: UInt64 = 0
    /// How many bytes were read.
    public internal(set) var bytes = 0
    /// The segments that were replayed, oldest first.
    public internal(set) var segments: [String] = []
    /// What was found, in the order it was found; the first thousand.
    public internal(set) var notices: [JournalNotice] = []
    /// How many more notices there were.
    public internal(set) var noticesOmitted = 0
    /// Whether anything committed was lost or altered. What a crash leaves behind is not damage.
    public internal(set) var isDamaged = false
    /// Whether what was replayed began with a snapshot that is not whole.
    private var isSnapshotBroken = false

    /// The report on an empty journal.
    public init() {}

    mutating func add(_ notice: JournalNotice) {
        isDamaged = isDamaged || notice.isDamage
        switch notice {
        case .damaged(_, let damage) where damage != .lineFeed: damagedLines += 1
        case .missing(_, let first, let last): missingRecords += last - first + 1
        case .brokenSnapshot(_, true): isSnapshotBroken = true
        default: break
        }
        if notices.count < JournalLimits.noticesMax { notices.append(notice) } else { noticesOmitted += 1 }
    }

    /// What is lost, such as "3 damaged lines, 1 missing record"; nil where everything could be read or was there twice.
    public var loss: String? {
        var parts: [String] = []
        if damagedLines > 0 { parts.append(damagedLines.counted("damaged line")) }
        if missingRecords > 0 { parts.append(Int(clamping: missingRecords).counted("missing record")) }
        if isSnapshotBroken { parts.append("an incomplete snapshot") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}

/// Where in the journal something stands.
public struct JournalPlace: Sendable, Equatable, CustomStringConvertible {
    public let file: String
    /// Counted from 1.
    public let line: Int
    /// The offset of the line's first byte.
    public let byteOffset: Int

    public var description: String { "\(file):\(line) (byte \(byteOffset))" }
}

/// One thing a replay noticed. `description` is a sentence.
public enum JournalNotice: Sendable, Equatable {
    /// The last commit never ended: its last line is missing or unfinished. The writer cuts all of it off.
    case tornTail(JournalPlace, bytes: Int)
    /// The last record is whole but for its line feed. It was kept; the writer completes the line.
    case lineFeedMissing(JournalPlace)
    /// A record came a second time and was passed over.
    case duplicate(JournalPlace, seq: UInt64)
    /// The rest of a segment was left by a failed write; the next segment has it again.
    case superseded(JournalPlace, bytes: Int)
    /// A line does not check out and was skipped.
    case damaged(JournalPlace, JournalDamage)
    /// Records are missing and no damaged line explains it.
    case missing(before: JournalPlace, first: UInt64, last: UInt64)
    /// A snapshot lacks its beginning, its end or some of its records. `used`: it was all there was, so it was
    /// replayed.
    case brokenSnapshot(file: String, used: Bool)

    /// Whether something committed was lost or altered.
    public var isDamage: Bool {
        switch self {
        case .tornTail, .lineFeedMissing, .duplicate, .superseded: false
        case .damaged, .missing, .brokenSnapshot: true
        }
    }
}

/// What is wrong with a line.
public enum JournalDamage: Sendable, Equatable {
    case notARecord
    case invalidUTF8
    case badChecksum
    case oversize(bytes: Int)
    /// Only the line feed is damaged; the record is intact and was kept.
    case lineFeed
    /// An intact line that has no business in this file.
    case misplaced
}

extension JournalNotice: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tornTail(let place, let bytes):
            "\(place): the last \(bytes) bytes belong to a commit that never ended; none of it counts and it is cut off"
        case .lineFeedMissing(let place):
            "\(place): the last record is whole but its line is not ended; it is kept and the line is fixed"
        case .duplicate(let place, let seq):
            "\(place): record \(seq) is here a second time; it is skipped"
        case .superseded(let place, let bytes):
            "\(place): \(bytes) bytes from here on were left by a failed write; the next file replaces them"
        case .damaged(let place, let damage): "\(place): \(damage)"
        case .missing(let place, let first, let last):
            first == last
                ? "\(place): record \(first), which should come before this, is missing"
                : "\(place): records \(first) to \(last), which should come before this, are missing"
        case .brokenSnapshot(let file, true):
            "\(file): the snapshot is incomplete; what is left of it was used, because nothing else remains"
        case .brokenSnapshot(let file, false):
            "\(file): the snapshot is incomplete; older files have the same records and were used instead"
        }
    }
}

extension JournalDamage: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notARecord: "the line is not a journal record; it is skipped"
        case .invalidUTF8: "the line is not valid UTF-8; it is skipped"
        case .badChecksum: "the line's checksum does not match; it is skipped"
        case .oversize(let bytes): "the line has \(bytes) bytes, more than any record; it is skipped"
        case .lineFeed: "the line feed is damaged; the record is intact and kept"
        case .misplaced: "the line belongs to another file of the journal; it is skipped"
        }
    }
}
