/// The one writer of a journal: appends records, commits them in groups, compacts.
///
/// It holds the lock for as long as it lives. What was appended and not committed is lost with it.
public struct JournalWriter: ~Copyable, Sendable {
    private struct Segment {
        var file: any JournalFile
        /// How long the file is with everything committed.
        var bytes: Int
    }

    /// What the replay found when the journal was opened.
    public let report: JournalReport
    /// The number of the last record appended, committed or not; 0 when there is none.
    public private(set) var lastSeq: UInt64
    /// The number of the last record that is durable.
    public private(set) var committedSeq: UInt64
    /// How many bytes a replay would read beyond the snapshot.
    public private(set) var bytesSinceSnapshot: Int

    private let disk: any JournalDisk
    private let lock: any JournalLock
    private let limits: JournalLimits
    /// `nil` when there is none yet, or the last one can no longer be relied on: the next commit starts one.
    private var segment: Segment?
    private var pending: [UInt8] = []
    private var snapshotBytes: Int
    private var damagedFiles: Set<String>

    /// Opens the journal for writing: takes the lock, replays every record to `replay`, mends what a crash left.
    ///
    /// An absent folder is created. An error that `replay` throws ends it as `JournalError.refused`; no file has been
    /// changed then.
    public static func open(
        _ disk: any JournalDisk,
        limits: JournalLimits = .standard,
        replay body: (JournalRecord) throws -> Void
    ) throws(JournalError) -> JournalWriter {
        let (lock, catalog) = try disk.attempt { () throws(DiskFault) in
            try disk.makeFolder()
            return (try disk.lock(FileName.lock), try Catalog.open(disk))
        }
        var replay = Replay(folder: disk.folder, limits: limits)
        try replay.run(catalog, body)
        return try JournalWriter(disk, lock, limits, catalog, replay)
    }

    private init(
        _ disk: any JournalDisk,
        _ lock: any JournalLock,
        _ limits: JournalLimits,
        _ catalog: Catalog,
        _ replay: Replay
    ) throws(JournalError) {
        self.disk = disk
        self.lock = lock
        self.limits = limits
        report = replay.report
        lastSeq = replay.report.lastSeq
        committedSeq = replay.report.lastSeq
        bytesSinceSnapshot = replay.segmentBytes
        snapshotBytes = replay.snapshotBytes
        damagedFiles = replay.damagedFiles
        segment = try disk.attempt { () throws(DiskFault) in
            guard let last = catalog.segments.last else { return nil }
            return try Self.mend(last.name, replay.tail, on: disk)
        }
        clear(catalog.leftovers + replay.coveredFiles)
    }

    /// Makes the last segment end with a line, and durable: a writer that was killed may not have synced it.
    private static func mend(_ name: String, _ tail: Replay.Tail, on disk: any JournalDisk) throws(DiskFault) -> Segment
    {
        let file = try disk.openToAppend(name)
        switch tail {
        case .fine: break
        case .cut(let keep): try file.truncate(to: keep)
        case .lineFeed(let keep):
            try file.truncate(to: keep)
            try file.append([UInt8(ascii: "\n")])
        }
        try file.syncData()
        return Segment(file: file, bytes: try file.bytesCount())
    }

    /// How many bytes wait for a commit.
    public var pendingBytes: Int { pending.count }

    /// Whether a replay would read so much that a compaction pays: more than the last snapshot, and not little.
    public var needsCompaction: Bool {
        bytesSinceSnapshot >= max(limits.compactionBytesMin, snapshotBytes)
    }

    // MARK: Appending

    /// Takes one record into memory; `commit()` makes it durable.
    ///
    /// - Parameters:
    ///   - payload: One JSON object, without line feeds.
    ///   - at: The time of the record, RFC 3339.
    /// - Returns: The number of the record.
    /// - Throws: `.recordTooLarge` or `.recordMalformed`; the journal is as it was then.
    @discardableResult
    public mutating func append(_ payload: [UInt8], at: String) throws(JournalError) -> UInt64 {
        try check(payload, at: at)
        lastSeq += 1
        Line.write(.record, seq: lastSeq, at: at, payload: payload, to: &pending)
        return lastSeq
    }

    /// Makes everything appended durable with one write and one sync.
    ///
    /// If it throws, nothing counts as written, and everything appended stays in memory for the next commit: call it
    /// again later. After a full disk that is all it takes.
    public mutating func commit() throws(JournalError) {
        guard !pending.isEmpty else { return }
        do {
            if segment.map({ $0.bytes >= limits.segmentBytesMax }) ?? true { try startSegment() }
            try write()
        } catch {
            throw JournalError(error, in: disk.folder)
        }
    }

    private mutating func write() throws(DiskFault) {
        guard let target = segment else { preconditionFailure("a commit starts a segment when there is none") }
        do {
            try target.file.append(pending)
        } catch {
            do { try target.file.truncate(to: target.bytes) } catch { segment = nil }
            throw error
        }
        do {
            try target.file.syncData()
        } catch {
            // The system may have dropped the bytes and believe them written, so a second sync would prove nothing.
            // If cutting them off fails too, the name of the next segment tells a replay to pass over them.
            segment = nil
            try? target.file.truncate(to: target.bytes)
            throw error
        }
        segment?.bytes += pending.count
        bytesSinceSnapshot += pending.count
        committedSeq = lastSeq
        pending.removeAll(keepingCapacity: pending.capacity <= limits.chunkBytes)
    }

    /// Starts the segment for what comes after the last commit. A file of that name holds nothing that was committed.
    private mutating func startSegment() throws(DiskFault) {
        // Not before the end is there a segment again: the one removed here may be the present one, still empty.
        segment = nil
        let name = FileName.segment(committedSeq + 1)
        try disk.removeIfThere(name)
        let file = try disk.openToAppend(name)
        try disk.syncFolder()
        segment = Segment(file: file, bytes: 0)
    }

    private func check(_ payload: [UInt8], at: String) throws(JournalError) {
        guard payload.count <= limits.recordBytesMax else {
            throw .recordTooLarge(bytes: payload.count, bytesMax: limits.recordBytesMax)
        }
        guard payload.first == UInt8(ascii: "{"), payload.last == UInt8(ascii: "}"), payload.count >= 2 else {
            throw .recordMalformed(reason: "it is not a JSON object")
        }
        guard !payload.contains(UInt8(ascii: "\n")) else {
            throw .recordMalformed(reason: "it contains a line feed")
        }
        guard Line.isUTF8(payload) else { throw .recordMalformed(reason: "it is not valid UTF-8") }
        let isPlain = at.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
        guard isPlain, (1...JournalLimits.atBytesMax).contains(at.utf8.count) else {
            throw .recordMalformed(reason: "its time stamp is not RFC 3339")
        }
    }

    // MARK: Compaction

    /// Commits, then replaces everything so far by a snapshot of `records`.
    ///
    /// The records must say all that the appended ones said: a later replay gives them in their stead. Damaged files are
    /// put aside under another name, not removed. If it throws, the journal replays as before and can be written to.
    ///
    /// - Parameters:
    ///   - records: Payloads as for `append`; taken one after the other, so they need not all be in memory.
    ///   - at: The time of the snapshot, RFC 3339.
    public mutating func compact(_ records: some Sequence<[UInt8]>, at: String) throws(JournalError) {
        try commit()
        let disk = disk
        let through = committedSeq
        let name = FileName.snapshot(through)
        let temporary = name + FileName.temporarySuffix
        do { try startSegment() } catch { throw JournalError(error, in: disk.folder) }
        let file = try disk.attempt { () throws(DiskFault) in
            try disk.removeIfThere(temporary)
            return try disk.openToAppend(temporary)
        }
        let bytes = try writeSnapshot(records, through: through, at: at, to: file)
        try disk.attempt { () throws(DiskFault) in
            try file.syncData()
            if damagedFiles.contains(name) { try copy(name, to: name + FileName.damagedSuffix) }
            try disk.rename(temporary, to: name)
            try disk.syncFolder()
        }
        damagedFiles.remove(name)
        snapshotBytes = bytes
        bytesSinceSnapshot = 0
        clearCovered(by: through)
    }

    /// - Returns: How many bytes were written.
    private func writeSnapshot(
        _ records: some Sequence<[UInt8]>,
        through: UInt64,
        at: String,
        to file: any JournalFile
    ) throws(JournalError) -> Int {
        var buffer: [UInt8] = []
        var bytes = 0
        var count = 0
        func flush() throws(JournalError) {
            bytes += buffer.count
            try disk.attempt { () throws(DiskFault) in try file.append(buffer) }
            buffer.removeAll(keepingCapacity: true)
        }
        Line.write(.begin, seq: through, at: at, payload: Array("{}".utf8), to: &buffer)
        for payload in records {
            try check(payload, at: at)
            Line.write(.record, seq: through, at: at, payload: payload, to: &buffer)
            count += 1
            if buffer.count >= limits.chunkBytes { try flush() }
        }
        Line.write(.end, seq: through, at: at, payload: Line.endPayload(records: count), to: &buffer)
        try flush()
        return bytes
    }

    private func clearCovered(by through: UInt64) {
        let names = (try? disk.list()) ?? []
        clear(
            names.filter { name in
                switch FileName(name) {
                case .snapshot(let number): number != through
                case .segment(let first): first <= through
                case .leftover: true
                case nil: false
                }
            }
        )
    }

    /// Removes files that a replay no longer needs, snapshots durably before segments: an older snapshot must never
    /// outlive the segments that follow it. What cannot be removed is passed over by a replay and tried again later.
    private func clear(_ names: [String]) {
        let segments = names.filter { if case .segment = FileName($0) { true } else { false } }
        let others = names.filter { !segments.contains($0) }
        for group in [others, segments] where !group.isEmpty {
            do {
                for name in group {
                    if damagedFiles.contains(name) {
                        try disk.rename(name, to: name + FileName.damagedSuffix)
                    } else {
                        try disk.remove(name)
                    }
                }
                try disk.syncFolder()
            } catch {
                return
            }
        }
    }

    private func copy(_ name: String, to newName: String) throws(DiskFault) {
        let from = try disk.openToRead(name)
        try disk.removeIfThere(newName)
        let to = try disk.openToAppend(newName)
        var offset = 0
        while true {
            let chunk = try from.read(at: offset, bytesMax: limits.chunkBytes)
            if chunk.isEmpty { return try to.syncData() }
            try to.append(chunk)
            offset += chunk.count
        }
    }
}
