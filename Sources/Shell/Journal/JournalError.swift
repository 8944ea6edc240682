/// Why a journal could not be opened, read or written. `description` is a sentence for the person who has to fix it.
///
/// Damage is not among them: a damaged journal opens, and `JournalReport` says what was damaged.
public enum JournalError: Error, Equatable, Sendable {
    /// Another process writes to this journal.
    case lockHeld(folder: String, pid: Int32?)
    /// The path of the folder leads to something else.
    case notAFolder(folder: String)
    /// A journal's name belongs to a folder or a device.
    case notAFile(path: String)
    /// Permissions or a read-only disk forbid writing.
    case notWritable(path: String, reason: String)
    /// Permissions forbid reading.
    case notReadable(path: String, reason: String)
    /// No room left. What was appended is kept, and the next commit tries it again.
    case diskFull(path: String)
    /// The disk failed in another way. What was appended is kept, and the next commit tries it again.
    case diskFailed(path: String, operation: DiskFault.Operation, reason: String)
    /// The file being written, or its whole folder, was removed or moved. What was appended is kept; `restore` begins
    /// anew.
    case uprooted(path: String)
    /// The folder was replaced by one that holds another journal, which is not overwritten.
    case replaced(folder: String)
    /// The folder for a copy holds a journal already.
    case occupied(folder: String)
    /// The folder for a copy holds something else.
    case notEmpty(folder: String)
    /// The task that wrote a snapshot was cancelled; the journal is as it was.
    case cancelled
    /// A line was written by a later release of this format.
    case newerVersion(place: JournalPlace, found: Int)
    /// A file has a journal's name and nothing of a journal in it.
    case foreignFile(path: String)
    /// The caller's closure threw while records were replayed.
    case refused(place: JournalPlace, seq: UInt64, reason: String)
    /// A payload, with what it is about, is longer than the bound.
    case recordTooLarge(bytes: Int, bytesMax: Int)
    /// A payload or a time stamp cannot stand in a line.
    case recordMalformed(reason: String)

    /// What people are told of a fault of the disk.
    public init(_ fault: DiskFault, in folder: String) {
        let path = fault.name.isEmpty ? folder : folder + "/" + fault.name
        switch fault.reason {
        case .held(let pid): self = .lockHeld(folder: folder, pid: pid)
        case .notAFolder: self = .notAFolder(folder: folder)
        case .notAFile: self = .notAFile(path: path)
        case .full: self = .diskFull(path: path)
        case .denied(let reason):
            switch fault.operation {
            case .list, .openToRead, .read, .bytesCount: self = .notReadable(path: path, reason: reason)
            default: self = .notWritable(path: path, reason: reason)
            }
        case .absent:
            self = .diskFailed(path: path, operation: fault.operation, reason: "there is no such file or folder")
        case .failed(let reason): self = .diskFailed(path: path, operation: fault.operation, reason: reason)
        }
    }
}

extension JournalError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .lockHeld(let folder, let pid):
            let holder = pid.map { " (pid \($0))" } ?? ""
            return "another bot\(holder) holds the lock on \(folder); "
                + "stop it first, or give this one a folder of its own"
        case .notAFolder(let folder):
            return "\(folder) is not a folder, and the journal needs one; "
                + "name another path, or move away what is there"
        case .notAFile(let path):
            return "\(path) has a journal's name, but is not a regular file; move it away, or name another folder"
        case .uprooted(let path):
            return "\(path) was removed or moved while the bot wrote to it; nothing is lost while the bot runs: "
                + "it begins a new journal there as soon as the folder can be created"
        case .replaced(let folder):
            return "\(folder) was replaced by a folder with another journal while the bot wrote to it; "
                + "move that one away, and the bot begins a new journal there"
        case .occupied(let folder):
            return "\(folder) holds a journal already; name another folder, or remove that one"
        case .notEmpty(let folder):
            return "\(folder) is not empty, and would become the state folder; "
                + "name an empty folder, or one that does not exist yet"
        case .cancelled: return "the snapshot was abandoned because the bot is stopping"
        case .notWritable(let path, let reason):
            return
                "cannot write to \(path): \(reason); run this as the bot's user, which needs the right to write there"
        case .notReadable(let path, let reason):
            return "cannot read \(path): \(reason); run this as the bot's user, which needs the right to read it"
        case .diskFull(let path):
            return "no space left on the disk of \(path); free some: writing resumes by itself once there is space"
        case .diskFailed(let path, .makeFolder, let reason):
            return "could not create the folder \(path): \(reason); check its path, and create the folder above it"
        case .diskFailed(let path, let operation, let reason):
            return "could not \(operation.verb) \(path): \(reason); check the disk and the system's log"
        case .newerVersion(let place, let found):
            return
                "\(place): the journal has format version \(found), this release reads versions up to \(Line.version); "
                + "use the release that wrote it, or a later one"
        case .foreignFile(let path):
            return "\(path) has a journal's name, but none of its lines is a journal's; "
                + "move it away, or name another folder"
        case .refused(let place, let seq, let reason):
            return
                "\(place): record \(seq) is intact but was not understood: \(reason); use the release that wrote it, or a later one; "
                + "'alertbot journal repair' makes a copy without such records"
        case .recordTooLarge(let bytes, let bytesMax):
            return "a record of \(bytes) bytes is too long for the journal, which takes up to \(bytesMax) bytes"
        case .recordMalformed(let reason):
            return "a record cannot be written to the journal: \(reason)"
        }
    }
}

extension DiskFault.Operation {
    fileprivate var verb: String {
        switch self {
        case .makeFolder: "create the folder"
        case .list: "list"
        case .lock: "lock"
        case .openToRead, .openToWrite: "open"
        case .bytesCount: "measure"
        case .read: "read"
        case .write: "write to"
        case .truncate: "shorten"
        case .sync: "sync"
        case .rename: "rename"
        case .remove: "remove"
        }
    }
}
