/// The folder a journal lives in, as the journal needs it: a port, so that a simulated disk can take its place.
///
/// `FolderDisk` is the real one. Names are plain file names inside the folder.
public protocol JournalDisk: Sendable {
    /// The folder as people know it, for messages.
    var folder: String { get }

    /// Creates the folder, durably, if it is absent. It is fine if it is there.
    func makeFolder() throws(DiskFault)
    /// The names in the folder in any order. An absent folder is `.absent`.
    func list() throws(DiskFault) -> [String]
    /// Takes the one writer's lock without waiting. It is released when the returned object goes, or the process.
    func lock(_ name: String) throws(DiskFault) -> any JournalLock
    /// Opens a file that must be there. It stays readable after it is removed or renamed.
    func openToRead(_ name: String) throws(DiskFault) -> any JournalFile
    /// Opens a file, creating it empty if it is absent.
    func openToWrite(_ name: String) throws(DiskFault) -> any JournalFile
    /// Gives a file another name, replacing what has that name, at once or not at all.
    func rename(_ name: String, to newName: String) throws(DiskFault)
    func remove(_ name: String) throws(DiskFault)
    /// Makes creations, renames and removals durable.
    func syncFolder() throws(DiskFault)
}

extension JournalDisk {
    /// Turns what the disk says into what people are told.
    func attempt<Result>(_ work: () throws(DiskFault) -> Result) throws(JournalError) -> Result {
        do { return try work() } catch { throw JournalError(error, in: folder) }
    }

    func removeIfThere(_ name: String) throws(DiskFault) {
        do { try remove(name) } catch  where error.reason == .absent {}
    }
}

/// An open file. It closes when the last reference goes.
public protocol JournalFile: AnyObject, Sendable {
    func bytesCount() throws(DiskFault) -> Int
    /// Up to `bytesMax` bytes from `offset` on; empty only at the end of the file.
    func read(at offset: Int, bytesMax: Int) throws(DiskFault) -> [UInt8]
    /// Puts all the bytes at `offset`, over what is there and beyond the end. After a fault any part of them may be
    /// there.
    func write(_ bytes: [UInt8], at offset: Int) throws(DiskFault)
    func truncate(to bytesCount: Int) throws(DiskFault)
    /// Makes the file's bytes durable. After a fault none of the bytes since the last sync can be relied on.
    func syncData() throws(DiskFault)
    /// Whether the file's name still leads to it: false once it, or its folder, was removed, moved or replaced.
    func isInPlace() -> Bool
}

/// A lock that is held for as long as this object lives.
public protocol JournalLock: AnyObject, Sendable {
    /// Whether the lock's name still leads to it; a lock that is not in place keeps nobody out.
    func isInPlace() -> Bool
}

/// A simulated disk on which nothing is ever taken away need not say so.
extension JournalFile { public func isInPlace() -> Bool { true } }
extension JournalLock { public func isInPlace() -> Bool { true } }

/// What a disk could not do, and why, in the disk's words; `JournalError` says it to people.
public struct DiskFault: Error, Equatable {
    public enum Operation: Sendable {
        case makeFolder, list, lock, openToRead, openToWrite, bytesCount, read, write, truncate, sync, rename, remove
    }

    public enum Reason: Sendable, Equatable {
        /// There is nothing of that name.
        case absent
        /// The folder, or something on the way to it, is not a folder.
        case notAFolder
        /// What has the name is a folder, a device or the like.
        case notAFile
        /// Permissions or a read-only disk forbid it.
        case denied(String)
        /// No room, or no quota, left.
        case full
        /// Somebody else has the lock; `pid` if the lock file says who.
        case held(pid: Int32?)
        /// Anything else, in the system's words.
        case failed(String)
    }

    public var operation: Operation
    /// The file name, or empty for the folder itself.
    public var name: String
    public var reason: Reason

    public init(_ operation: Operation, _ name: String, _ reason: Reason) {
        self.operation = operation
        self.name = name
        self.reason = reason
    }
}
