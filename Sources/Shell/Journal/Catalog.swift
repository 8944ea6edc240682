/// The journal's files in a folder, all of them open, so that none goes away while they are read.
struct Catalog {
    struct Entry {
        var name: String
        /// A segment's first number, or the number a snapshot goes through.
        var number: UInt64
        var file: any JournalFile
    }

    /// Oldest first.
    var segments: [Entry] = []
    /// Newest first.
    var snapshots: [Entry] = []
    /// Snapshots that were never finished.
    var leftovers: [String] = []

    var isEmpty: Bool { segments.isEmpty && snapshots.isEmpty }

    /// A compaction takes far longer than a listing; a hundred in a row that each get in the way do not happen.
    private static let attemptsMax = 100

    /// Opens a set of files that belong together, though a writer may rotate and compact meanwhile.
    static func open(_ disk: any JournalDisk) throws(DiskFault) -> Catalog {
        for _ in 0..<attemptsMax {
            let names = try list(disk)
            guard let catalog = try openAll(names, on: disk) else { continue }
            if try list(disk) == names { return catalog }
        }
        throw DiskFault(.list, "", .failed("its files keep changing"))
    }

    /// The names of a journal's files, in order; none in an absent folder.
    static func list(_ disk: any JournalDisk) throws(DiskFault) -> [String] {
        do {
            return try disk.list().filter { FileName($0) != nil }.sorted()
        } catch  where error.reason == .absent {
            return []
        }
    }

    /// `nil` when one of the files has gone since it was listed.
    private static func openAll(_ names: [String], on disk: any JournalDisk) throws(DiskFault) -> Catalog? {
        var catalog = Catalog()
        for name in names {
            do {
                switch FileName(name) {
                case .segment(let first):
                    catalog.segments.append(Entry(name: name, number: first, file: try disk.openToRead(name)))
                case .snapshot(let through):
                    catalog.snapshots.insert(Entry(name: name, number: through, file: try disk.openToRead(name)), at: 0)
                case .leftover: catalog.leftovers.append(name)
                case nil: continue
                }
            } catch  where error.reason == .absent {
                return nil
            }
        }
        return catalog
    }
}

/// What a file of the journal is, by its name.
enum FileName: Equatable {
    case segment(first: UInt64)
    case snapshot(through: UInt64)
    case leftover

    static let lock = "lock"
    static let temporarySuffix = ".tmp"
    static let damagedSuffix = ".damaged"
    static let quarantine = "quarantine.jsonl"

    private static let segmentHead = "journal-"
    private static let snapshotHead = "snapshot-"
    private static let tail = ".jsonl"
    private static let digits = 20

    init?(_ name: String) {
        if name.hasSuffix(Self.temporarySuffix) {
            guard case .snapshot = FileName(String(name.dropLast(Self.temporarySuffix.count))) else { return nil }
            self = .leftover
        } else if let number = Self.number(in: name, after: Self.segmentHead), number > 0 {
            self = .segment(first: number)
        } else if let number = Self.number(in: name, after: Self.snapshotHead) {
            self = .snapshot(through: number)
        } else {
            return nil
        }
    }

    static func segment(_ first: UInt64) -> String { segmentHead + padded(first) + tail }
    static func snapshot(_ through: UInt64) -> String { snapshotHead + padded(through) + tail }

    private static func padded(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: digits - text.count) + text
    }

    private static func number(in name: String, after head: String) -> UInt64? {
        guard name.hasPrefix(head), name.hasSuffix(tail) else { return nil }
        let middle = name.dropFirst(head.count).dropLast(tail.count)
        guard middle.utf8.count == digits, middle.utf8.allSatisfy({ $0.decimalDigit != nil }),
            let number = UInt64(middle), number <= Line.seqMax
        else { return nil }
        return number
    }
}
