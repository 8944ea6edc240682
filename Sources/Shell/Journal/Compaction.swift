internal import Text

/// A compaction on its way: what its snapshot stands for, and where to write it.
///
/// `write` may run on any thread while the writer goes on; only `JournalWriter.begin` and `finish` touch the journal.
public struct Compaction: Sendable {
    /// The number of the last record the snapshot stands for.
    public let through: UInt64
    let at: String
    let disk: any JournalDisk
    let limits: JournalLimits
    /// How many bytes a replay would have read when it began.
    let bytesBefore: Int

    /// A snapshot that is on the disk whole, under its temporary name.
    public struct Written: Sendable {
        let compaction: Compaction
        /// How large the snapshot is.
        public let bytes: Int
        /// What cannot stand in a journal and is not in the snapshot.
        public let leftOut: [LeftOut]
    }

    /// A payload that cannot stand in a journal.
    public struct LeftOut: Equatable, Sendable, CustomStringConvertible {
        public let reason: JournalError
        /// How it begins, so that people can tell what it is.
        public let begin: String

        init(_ payload: [UInt8], _ reason: JournalError) {
            self.reason = reason
            // Enough to cut in, whatever the characters: payloads that are left out are long.
            let text = String(decoding: payload.prefix(16 * LeftOut.beginBytes), as: UTF8.self)
            begin = text.cutAtTheEnd(to: LeftOut.beginBytes, markCost: "…".utf8.count) { $0.utf8.count }
        }

        public var description: String { "\(reason): \(begin)" }

        /// A kind and an id, and one line of a log.
        private static let beginBytes = 80
    }

    var name: String { FileName.snapshot(through) }
    var temporaryName: String { name + FileName.temporarySuffix }

    /// Writes and syncs the snapshot. If it throws, the unfinished file is removed.
    ///
    /// - Parameter records: Payloads as for `JournalWriter.append`, which say all that was appended before the
    ///   compaction began; taken one after the other, so they need not all be in memory. One that is too long for a
    ///   record, or is none, is left out: it must not keep the journal from ever getting shorter.
    /// - Throws: What the disk refused, or `.cancelled` once the task is.
    public func write(_ records: some Sequence<[UInt8]>) throws(JournalError) -> Written {
        do {
            let file = try disk.attempt { () throws(DiskFault) in
                try disk.removeIfThere(temporaryName)
                return try disk.openToWrite(temporaryName)
            }
            let (bytes, leftOut) = try writeLines(of: records, to: file)
            try disk.attempt { () throws(DiskFault) in try file.syncData() }
            return Written(compaction: self, bytes: bytes, leftOut: leftOut)
        } catch {
            try? disk.removeIfThere(temporaryName)
            throw error
        }
    }

    /// - Returns: How many bytes were written, and what was not.
    private func writeLines(
        of records: some Sequence<[UInt8]>, to file: any JournalFile
    ) throws(JournalError) -> (bytes: Int, leftOut: [LeftOut]) {
        var stamp = Line.Stamp()
        try stamp.set(at)
        var buffer: [UInt8] = []
        var bytes = 0
        var count = 0
        var leftOut: [LeftOut] = []
        func flush() throws(JournalError) {
            if Task.isCancelled { throw .cancelled }
            try disk.attempt { () throws(DiskFault) in try file.write(buffer, at: bytes) }
            bytes += buffer.count
            buffer.removeAll(keepingCapacity: true)
        }
        func write(_ kind: Line.Kind, _ payload: [UInt8]) throws(JournalError) {
            try Line.write(kind, seq: through, isLast: true, at: stamp, limits: limits, to: &buffer) { $0 += payload }
        }
        try write(.begin, Array("{}".utf8))
        for payload in records {
            do throws(JournalError) {
                try write(.record, payload)
                count += 1
            } catch {
                leftOut.append(LeftOut(payload, error))
            }
            if buffer.count >= limits.chunkBytes { try flush() }
        }
        try write(.end, Line.endPayload(records: count))
        try flush()
        return (bytes, leftOut)
    }
}

extension JournalWriter {
    /// Commits, and begins a segment for what comes after the snapshot that the caller is about to write.
    ///
    /// Cheap: no more than a commit. Hand what `Compaction.write` gives back to `finish`, or call `abandon`. Until then
    /// `needsCompaction` is false.
    ///
    /// - Parameter at: The time of the snapshot, RFC 3339.
    public mutating func begin(at: String) throws(JournalError) -> Compaction {
        try commit()
        do { try startSegment() } catch { throw JournalError(error, in: disk.folder) }
        let compaction = Compaction(
            through: committedSeq, at: at, disk: disk, limits: limits, bytesBefore: bytesSinceSnapshot)
        compacting = committedSeq
        return compaction
    }

    /// Puts a written snapshot in its place and removes what it stands for.
    ///
    /// Damaged files are put aside under another name, not removed. A snapshot whose compaction was overtaken, by
    /// `abandon`, another `begin` or `restore`, is thrown away. If it throws, the journal replays as before and can be
    /// written to; the compaction is over then, too.
    public mutating func finish(_ written: Compaction.Written) throws(JournalError) {
        let compaction = written.compaction
        guard compacting == compaction.through else {
            try? disk.removeIfThere(compaction.temporaryName)
            return
        }
        compacting = nil
        do {
            try disk.attempt { () throws(DiskFault) in try put(compaction) }
        } catch {
            abandon()
            throw error
        }
        damagedFiles.remove(compaction.name)
        isMending = false
        snapshotBytes = written.bytes
        bytesSinceSnapshot -= compaction.bytesBefore
        compactionDueBytes = 0
        clearCovered(by: compaction.through)
    }

    private func put(_ compaction: Compaction) throws(DiskFault) {
        if damagedFiles.contains(compaction.name) {
            try copy(compaction.name, to: compaction.name + FileName.damagedSuffix)
        }
        try disk.rename(compaction.temporaryName, to: compaction.name)
        try disk.syncFolder()
    }

    /// Gives a compaction up; the next is due only after as much again was written, so that a disk without room is not
    /// asked at every commit.
    public mutating func abandon() {
        compacting = nil
        compactionDueBytes = bytesSinceSnapshot + limits.compactionBytesMin
    }

    /// Replaces everything so far by a snapshot of `records` in one go, for whoever can wait.
    ///
    /// - Returns: What cannot stand in a journal and was left out.
    @discardableResult
    public mutating func compact(
        _ records: some Sequence<[UInt8]>, at: String
    ) throws(JournalError) -> [Compaction.LeftOut] {
        let compaction = try begin(at: at)
        let written: Compaction.Written
        do {
            written = try compaction.write(records)
        } catch {
            abandon()
            throw error
        }
        try finish(written)
        return written.leftOut
    }

    /// Begins the journal anew after `JournalError.uprooted`: creates the folder, takes the lock there and writes a
    /// snapshot that stands for everything appended, committed or not.
    ///
    /// - Parameters:
    ///   - records: Payloads that say all that was ever appended.
    ///   - at: The time of the snapshot, RFC 3339.
    /// - Returns: What cannot stand in a journal and was left out.
    /// - Throws: `.lockHeld` or `.replaced` when the folder now belongs to somebody else, or what the disk refused;
    ///   call it again later then.
    @discardableResult
    public mutating func restore(
        _ records: some Sequence<[UInt8]>, at: String
    ) throws(JournalError) -> [Compaction.LeftOut] {
        try disk.attempt { () throws(DiskFault) in try disk.makeFolder() }
        if !lock.isInPlace() {
            let newLock = try disk.attempt { () throws(DiskFault) in try disk.lock(FileName.lock) }
            let names = try disk.attempt { () throws(DiskFault) in try disk.list() }
            // Without the lock it is another folder, and what lies there is somebody's: a backup, or another bot's.
            guard names.allSatisfy({ FileName($0) == nil || FileName($0) == .leftover }) else {
                throw .replaced(folder: disk.folder)
            }
            lock = newLock
        }
        let compaction = Compaction(through: lastSeq, at: at, disk: disk, limits: limits, bytesBefore: 0)
        let written = try compaction.write(records)
        try disk.attempt { () throws(DiskFault) in try put(compaction) }
        segment = nil
        pending.removeAll()
        committedSeq = lastSeq
        compacting = nil
        compactionDueBytes = 0
        snapshotBytes = written.bytes
        bytesSinceSnapshot = 0
        damagedFiles.remove(compaction.name)
        isUprooted = false
        clearCovered(by: lastSeq)
        return written.leftOut
    }
}
