/// Reads a journal without a lock and without changing anything, also while a writer is at work.
public struct JournalReader: Sendable {
    private let disk: any JournalDisk
    private let limits: JournalLimits

    public init(_ disk: any JournalDisk, limits: JournalLimits = .standard) {
        self.disk = disk
        self.limits = limits
    }

    /// Gives every record to `body`, oldest first, and reports what was found.
    ///
    /// An absent or empty folder is an empty journal. An error that `body` throws ends it as `JournalError.refused`.
    @discardableResult
    public func forEach(_ body: (JournalRecord) throws -> Void) throws(JournalError) -> JournalReport {
        try run(Replay(folder: disk.folder, limits: limits), body)
    }

    /// Gives to `body` what is needed to know what all records come to: those without a topic in their turn, and then,
    /// of those that have one, what no later one overtakes. Otherwise as `forEach`; the report is of all.
    @discardableResult
    public func replay(_ body: (JournalRecord) throws -> Void) throws(JournalError) -> JournalReport {
        try run(Replay(folder: disk.folder, limits: limits, skipsOvertaken: true), body)
    }

    private func run(
        _ replay: consuming Replay, _ body: (JournalRecord) throws -> Void
    ) throws(JournalError) -> JournalReport {
        let catalog = try disk.attempt { () throws(DiskFault) in try Catalog.open(disk) }
        try replay.run(catalog, body)
        return replay.report
    }

    /// How many damaged pieces the writer has put into `quarantine.jsonl`, now or in the past.
    public func quarantined() throws(JournalError) -> Int {
        try disk.attempt { () throws(DiskFault) in try Quarantine(disk).count() }
    }

    /// Whether the folder, if there is one, has no file of a journal.
    public func isAbsent() throws(JournalError) -> Bool {
        try disk.attempt { () throws(DiskFault) in try Catalog.list(disk) }.isEmpty
    }

    /// Reads everything and reports what was found.
    public func verify() throws(JournalError) -> JournalReport {
        try forEach { _ in }
    }
}
