/// Copies all that can be read of a journal, damaged or in use, to a new one; the old one is left as it is.
///
/// The copy holds the same payloads in the same order, numbered anew without gaps, so it is sound.
public struct JournalRepair: Sendable {
    /// What was found in the old journal.
    public let found: JournalReport
    /// How many records the copy holds.
    public let saved: Int
    /// How many records are intact and were not understood: they are not in the copy.
    public let leftOut: Int
    /// Why the first of them was not.
    public let firstLeftOut: String?

    /// How much is written with one sync. 4 MiB: few syncs, little memory.
    private static let batchBytes = 4 << 20

    /// - Parameters:
    ///   - disk: The journal to save; it needs no lock and may be written to meanwhile.
    ///   - target: A folder that is absent, or empty: it is to become the state folder.
    ///   - understand: Throws for a record that whoever reads the copy would not understand: it is left out.
    /// - Throws: `.occupied` if the target holds a journal already, `.notEmpty` if it holds anything else, and what made reading
    ///   or writing impossible otherwise; the target is empty again then.
    public init(
        _ disk: any JournalDisk, to target: any JournalDisk, limits: JournalLimits = .standard,
        understanding understand: (JournalRecord) throws -> Void = { _ in }
    ) throws(JournalError) {
        let taken = try target.attempt { () throws(DiskFault) in try Catalog.list(target) }
        guard taken.isEmpty else { throw .occupied(folder: target.folder) }
        let others = try target.attempt { () throws(DiskFault) in
            do throws(DiskFault) { return try target.list() } catch  where error.reason == .absent { return [] }
        }
        guard others.isEmpty else { throw .notEmpty(folder: target.folder) }
        // Nothing is made before the old journal is known to be one.
        var writer: JournalWriter?
        var trouble: JournalError?
        var (saved, leftOut) = (0, 0)
        var firstLeftOut: String?
        do {
            found = try JournalReader(disk, limits: limits).forEach { record in
                do {
                    try understand(record)
                } catch {
                    leftOut += 1
                    firstLeftOut = firstLeftOut ?? "record \(record.seq): \(error)"
                    return
                }
                do throws(JournalError) {
                    if writer == nil { writer = try JournalWriter.open(target, limits: limits) { _ in } }
                    try writer?.append(Array(record.payload), at: record.at, about: record.topic)
                    if writer?.pendingBytes ?? 0 >= Self.batchBytes { try writer?.commit() }
                    saved += 1
                } catch {
                    trouble = error
                    throw error
                }
            }
        } catch {
            writer = nil
            // The reader takes an error of the copy for one of its caller; the copy's own says more.
            throw Self.abandon(target, trouble ?? error)
        }
        do throws(JournalError) {
            if writer == nil { writer = try JournalWriter.open(target, limits: limits) { _ in } }
            try writer?.commit()
        } catch {
            writer = nil
            throw Self.abandon(target, error)
        }
        self.saved = saved
        self.leftOut = leftOut
        self.firstLeftOut = firstLeftOut
    }

    /// Takes away the part of a copy that was made, or the next try would find the folder occupied; gives back the error.
    private static func abandon(_ target: any JournalDisk, _ error: JournalError) -> JournalError {
        switch error {
        // Then it is another's.
        case .lockHeld, .uprooted, .replaced: return error
        default: break
        }
        for name in (try? target.list()) ?? [] where FileName(name) != nil || name == FileName.lock {
            try? target.remove(name)
        }
        return error
    }
}
