internal import Glibc

/// Files that are written together: afterwards all of them are there, or everything is as it was.
///
/// What takes space, rights and time is done first: each file is written beside its place. Only then they take their places, in
/// the order in which they were added, and where one cannot, those before it are taken back. A kill or a power cut between two
/// of those moments can still separate them, so the file that makes use of the others comes last.
public struct FileSet: Sendable {
    private struct Entry: Sendable {
        let path: String
        let bytes: [UInt8]
        let mode: UInt32
        let keepsRights: Bool
        let mayReplace: Bool

        /// Its bytes before they take its place, and what was there until all have taken theirs.
        var draft: String { "\(path).\(getpid()).new" }
        var old: String { "\(path).\(getpid()).old" }
    }

    private var folders: [String] = []
    private var entries: [Entry] = []

    public init() {}

    /// Adds a folder for its owner alone, which is made where there is none.
    public mutating func add(folder: String) { folders.append(folder) }

    /// - Parameters:
    ///   - mode: who may read it, within what the process allows.
    ///   - keepsRights: whether what it takes the place of says instead who may read it and whose it is.
    ///   - mayReplace: whether it takes the place of what is there.
    public mutating func add(
        _ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600, keepsRights: Bool = false, mayReplace: Bool
    ) {
        entries.append(
            Entry(path: path, bytes: bytes, mode: mode, keepsRights: keepsRights, mayReplace: mayReplace))
    }

    /// Writes them all.
    ///
    /// - Throws: `FileError`, or `CancellationError` where the task was cancelled before the first took its place. Either way
    ///   everything is as it was.
    public func write() throws {
        var undo: [() -> Void] = []
        do {
            for folder in folders {
                if mkdir(folder, 0o700) == 0 {
                    undo.append { rmdir(folder) }
                } else if errno != EEXIST {
                    throw FileError(folder)
                }
            }
            for entry in entries {
                undo.append { unlink(entry.draft) }
                do throws(FileError) {
                    try WholeFile.writeDraft(
                        entry.bytes, to: entry.draft, mode: entry.mode,
                        rightsOf: entry.keepsRights ? entry.path : nil)
                } catch {
                    throw FileError(entry.path, error.reason)
                }
            }
            try Task.checkCancellation()
            for entry in entries {
                try FileSet.put(entry, &undo)
                WholeFile.syncFolder(of: entry.path)
            }
        } catch {
            for step in undo.reversed() { step() }
            throw error
        }
        for entry in entries { unlink(entry.old) }
    }

    private static func put(_ entry: Entry, _ undo: inout [() -> Void]) throws(FileError) {
        var status = stat()
        if !entry.mayReplace {
            // A second name takes no other's place, not even that of what came this very moment. Not every file system has them.
            if link(entry.draft, entry.path) == 0 {
                undo.append { unlink(entry.path) }
                unlink(entry.draft)
                return
            }
            if errno == EEXIST || lstat(entry.path, &status) == 0 {
                throw FileError(entry.path, "somebody else has created it in the meantime")
            }
        }
        let isThere = lstat(entry.path, &status) == 0
        if isThere {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw FileError(entry.path, "it is a folder") }
            guard link(entry.path, entry.old) == 0 || rename(entry.path, entry.old) == 0 else {
                throw FileError(entry.path)
            }
            undo.append {
                // Where both names are still those of one file, nothing is renamed.
                rename(entry.old, entry.path)
                unlink(entry.old)
            }
        }
        guard rename(entry.draft, entry.path) == 0 else { throw FileError(entry.path) }
        if !isThere { undo.append { unlink(entry.path) } }
    }
}
