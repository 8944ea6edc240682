public import Records

/// The one writer of a journal: appends records, commits them in groups, compacts.
///
/// It holds the lock for as long as it lives. What was appended and not committed is lost with it; what was flushed
/// and not committed only with the machine's power.
public struct JournalWriter: ~Copyable, Sendable {
    struct Segment {
        var file: any JournalFile
        /// How long the file is with everything committed.
        var bytes: Int
        /// How many bytes behind them were flushed and wait for a sync: the first ones of `pending`.
        var flushed = 0
    }

    /// What the replay found when the journal was opened.
    public let report: JournalReport
    /// The number of the last record appended, committed or not; 0 when there is none.
    public private(set) var lastSeq: UInt64
    /// The number of the last record that is durable.
    public internal(set) var committedSeq: UInt64
    /// How many bytes a replay would read beyond the snapshot.
    public internal(set) var bytesSinceSnapshot: Int
    /// Whether the journal's files were taken away: nothing can be committed before `restore`.
    public internal(set) var isUprooted = false

    let disk: any JournalDisk
    let limits: JournalLimits
    var lock: any JournalLock
    /// `nil` when there is none yet, or the last one can no longer be relied on: the next commit starts one.
    var segment: Segment?
    /// Everything appended since the last commit, the flushed part of it too: should the sync fail, it is written anew.
    var pending: [UInt8] = []
    /// Where the last line of `pending` is, which the commit marks; out of date while `pending` is empty.
    private var lastPending: Line.Place?
    /// The time stamp of the last record: nearly always that of the next one, too.
    private var stamp = Line.Stamp()
    var snapshotBytes: Int
    var damagedFiles: Set<String>
    /// Whether damage that the replay found has not been put aside yet.
    var isMending: Bool
    /// What the snapshot being written stands for; `nil` when there is none.
    var compacting: UInt64?
    /// After a compaction that failed, the next is not due before this many bytes.
    var compactionDueBytes = 0

    /// Opens the journal for writing: takes the lock, replays to `replay` what counts, as `JournalReader.replay` does,
    /// and repairs what a crash left.
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
        var replay = Replay(folder: disk.folder, limits: limits, skipsOvertaken: true)
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
        isMending = replay.report.loss != nil
        segment = try disk.attempt { () throws(DiskFault) in
            // A writer that was killed may not have made the names durable either.
            if !catalog.isEmpty { try disk.syncFolder() }
            guard let last = catalog.segments.last else { return nil }
            return try Self.repairEnd(last.name, replay.tail, on: disk, chunkBytes: limits.chunkBytes)
        }
        Quarantine(disk).keep(replay.spans, of: catalog)
        clear(catalog.leftovers + replay.coveredFiles)
    }

    /// Makes the last segment end with a line, and durable: a writer that was killed may not have synced it.
    ///
    /// A sync alone would prove nothing. If one has failed before, the bytes may be in the system's memory only, where
    /// they can be read and count as written; so they are written once more. The same bytes in their places do no harm,
    /// should that be torn.
    private static func repairEnd(
        _ name: String, _ tail: Replay.Tail, on disk: any JournalDisk, chunkBytes: Int
    ) throws(DiskFault) -> Segment? {
        let file = try disk.openToWrite(name)
        switch tail {
        case .fine, .unusable: break
        case .cut(let keep), .lineFeed(let keep): try file.truncate(to: keep)
        }
        var bytes = 0
        while true {
            let chunk = try file.read(at: bytes, bytesMax: chunkBytes)
            if chunk.isEmpty { break }
            try file.write(chunk, at: bytes)
            bytes += chunk.count
        }
        if case .lineFeed = tail {
            try file.write([UInt8(ascii: "\n")], at: bytes)
            bytes += 1
        }
        try file.syncData()
        // That writer may have died before its name was durable, too.
        try disk.syncFolder()
        return tail == .unusable ? nil : Segment(file: file, bytes: bytes)
    }

    /// How many bytes a replay would read.
    public var bytes: Int { snapshotBytes + bytesSinceSnapshot }

    /// How many bytes wait for a commit.
    public var pendingBytes: Int { pending.count }

    /// Lets go of everything appended since the last commit, for whoever can say it all again with `compact`.
    public mutating func discardPending() {
        pending = []
        lastSeq = committedSeq
        guard let target = segment, target.flushed > 0 else { return }
        do {
            try target.file.truncate(to: target.bytes)
            segment?.flushed = 0
        } catch {
            abandonSegment()
        }
    }

    /// Whether a replay would read so much that a compaction pays: more than the last snapshot, and not little.
    ///
    /// A journal that has lost something is compacted once, or every start would find the same damage anew.
    public var needsCompaction: Bool {
        let due = isMending ? compactionDueBytes : max(compactionBytes, compactionDueBytes)
        return compacting == nil && bytesSinceSnapshot >= due
    }

    private var compactionBytes: Int { max(limits.compactionBytesMin, JournalLimits.growthFactor * snapshotBytes) }

    /// Whether a compaction should not wait for a quieter moment any longer.
    public var isCompactionOverdue: Bool {
        needsCompaction && !isMending && bytesSinceSnapshot >= JournalLimits.overdueFactor * compactionBytes
    }

    // MARK: Appending

    /// Takes one record into memory; `commit()` makes it durable.
    ///
    /// - Parameters:
    ///   - payload: One JSON object, without line feeds.
    ///   - at: The time of the record, RFC 3339.
    ///   - topic: What it is about, so that a replay knows what it overtakes.
    /// - Returns: The number of the record.
    /// - Throws: `.recordTooLarge` or `.recordMalformed`; the journal is as it was then.
    @discardableResult
    public mutating func append(
        _ payload: [UInt8], at: String, about topic: Topic = .always
    ) throws(JournalError) -> UInt64 {
        try append(at: at, about: topic) { bytes in payload.withUnsafeBufferPointer { bytes.append(contentsOf: $0) } }
    }

    /// Takes one record into memory, written by `write` right into its place.
    ///
    /// - Parameters:
    ///   - at: The time of the record, RFC 3339.
    ///   - topic: What it is about, so that a replay knows what it overtakes.
    ///   - write: Adds one JSON object, without line feeds, to the end of the bytes it is given; it changes nothing
    ///     else.
    /// - Returns: The number of the record.
    /// - Throws: `.recordTooLarge` or `.recordMalformed`; the journal is as it was then.
    @discardableResult
    public mutating func append(
        at: String, about topic: Topic, _ write: (inout [UInt8]) -> Void
    ) throws(JournalError) -> UInt64 {
        try stamp.set(at)
        lastPending = try Line.write(
            .record, seq: lastSeq + 1, isLast: false, at: stamp, about: topic, limits: limits, to: &pending, write)
        lastSeq += 1
        return lastSeq
    }

    /// Makes everything appended durable with one write and one sync, all of it or, should the power fail, nothing.
    ///
    /// If it throws, nothing counts as written, and everything appended stays in memory for the next commit: call it
    /// again later. Of that one, should the power fail then, what was in the first may come back without the rest.
    /// After a full disk that is all it takes; after `.uprooted` it takes `restore`.
    public mutating func commit() throws(JournalError) {
        guard !pending.isEmpty else { return }
        try put()
        do { try sync() } catch { throw JournalError(error, in: disk.folder) }
        if isUprooted { throw .uprooted(path: disk.folder) }
    }

    /// Hands everything appended to the system without waiting for the disk: it outlives this process, but not a power
    /// cut before the next commit. If it throws, all is as `commit` leaves it then.
    public mutating func flush() throws(JournalError) {
        guard pending.count > (segment?.flushed ?? 0) else { return }
        try put()
    }

    /// Writes what is appended and not in the file yet, as a whole of its own.
    private mutating func put() throws(JournalError) {
        guard !isUprooted else { throw .uprooted(path: disk.folder) }
        if let lastPending { Line.markLast(lastPending, in: &pending) }
        do {
            // A segment is named for what comes after the last commit, so none begins behind flushed bytes.
            let isFull = segment.map { $0.bytes >= limits.segmentBytesMax && $0.flushed == 0 }
            if isFull ?? true { try startSegment() }
            try write()
        } catch {
            throw JournalError(error, in: disk.folder)
        }
    }

    private mutating func write() throws(DiskFault) {
        guard let target = segment else { preconditionFailure("a commit starts a segment when there is none") }
        guard target.flushed < pending.count else { return }
        do {
            // Nearly always nothing is flushed, or little waits; then nothing large is copied.
            let bytes = target.flushed == 0 ? pending : Array(pending[target.flushed...])
            try target.file.write(bytes, at: target.bytes + target.flushed)
        } catch {
            do { try target.file.truncate(to: target.bytes + target.flushed) } catch { abandonSegment() }
            throw error
        }
        segment?.flushed = pending.count
    }

    private mutating func sync() throws(DiskFault) {
        guard let target = segment else { preconditionFailure("what is synced was written to a segment") }
        do {
            try target.file.syncData()
        } catch {
            // The system may have dropped the bytes and believe them written, so a second sync would prove nothing.
            try? target.file.truncate(to: target.bytes)
            abandonSegment()
            throw error
        }
        // Bytes in a file that nobody can find again are not durable, however well they were synced.
        guard target.file.isInPlace() else {
            isUprooted = true
            segment = nil
            return
        }
        segment = Segment(file: target.file, bytes: target.bytes + pending.count)
        bytesSinceSnapshot += pending.count
        committedSeq = lastSeq
        // What a storm needed once is given back; what it needs every time is not fetched anew.
        pending.removeAll(keepingCapacity: pending.capacity <= limits.recordBytesMax)
    }

    /// Leaves the segment for good. Should bytes after the last commit have stayed in it, the name of the next one
    /// tells a replay to pass over them; so that one is begun at once, for the case that the process ends before the
    /// next commit.
    private mutating func abandonSegment() {
        segment = nil
        try? startSegment()
    }

    /// Starts the segment for what comes after the last commit. A file of that name holds nothing that was committed.
    mutating func startSegment() throws(DiskFault) {
        // Not before the end is there a segment again: the one removed here may be the present one, still empty.
        segment = nil
        let name = FileName.segment(committedSeq + 1)
        try disk.removeIfThere(name)
        let file = try disk.openToWrite(name)
        try disk.syncFolder()
        segment = Segment(file: file, bytes: 0)
    }

    // MARK: Clearing up

    /// Removes what a snapshot stands for; the segment that the writer is at is never among it.
    func clearCovered(by through: UInt64) {
        let names = (try? disk.list()) ?? []
        clear(
            names.filter { name in
                switch FileName(name) {
                case .snapshot(let number): number != through
                case .segment(let first): first <= through
                case .leftover: true
                case nil: false
                }
            })
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

    func copy(_ name: String, to newName: String) throws(DiskFault) {
        let from = try disk.openToRead(name)
        try disk.removeIfThere(newName)
        let to = try disk.openToWrite(newName)
        var offset = 0
        while true {
            let chunk = try from.read(at: offset, bytesMax: limits.chunkBytes)
            if chunk.isEmpty { return try to.syncData() }
            try to.write(chunk, at: offset)
            offset += chunk.count
        }
    }
}
