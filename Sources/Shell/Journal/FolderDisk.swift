import Glibc

/// A real folder, through the system's calls.
public struct FolderDisk: JournalDisk {
    public let folder: String
    private let model: String?

    /// - Parameters:
    ///   - folder: The path of the folder; its parent must be there.
    ///   - model: A folder whose owner a new one gets; nil: the parent.
    public init(_ folder: String, ownedAs model: String? = nil) {
        self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        self.model = model
    }

    public func makeFolder() throws(DiskFault) {
        if mkdir(folder, 0o700) == 0 {
            let parent = folder.lastIndex(of: "/").map { $0 == folder.startIndex ? "/" : String(folder[..<$0]) } ?? "."
            if let owner = FolderDisk.owner(of: model ?? parent) { _ = lchown(folder, owner.user, owner.group) }
            // The parent holds the new folder's name: without a sync a power cut could take the whole journal.
            return try sync(parent, .makeFolder)
        }
        guard errno == EEXIST else { throw DiskFault(.makeFolder, "", errno) }
        var status = stat()
        guard stat(folder, &status) == 0 else { throw DiskFault(.makeFolder, "", errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else { throw DiskFault(.makeFolder, "", .notAFolder) }
    }

    public func list() throws(DiskFault) -> [String] {
        guard let stream = opendir(folder) else { throw DiskFault(.list, "", errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw DiskFault(.list, "", errno) }
        return names
    }

    /// Whether a bot has the folder, which does not notice that it is asked.
    ///
    /// - Throws: where that cannot be seen, as for a user who may not read the lock.
    public func isLocked() throws(DiskFault) -> Bool {
        do {
            let file = try open(FileName.lock, O_RDONLY, .openToRead)
            return flock(file.descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
        } catch  where error.reason == .absent || error.reason == .notAFolder {
            return false
        }
    }

    public func lock(_ name: String) throws(DiskFault) -> any JournalLock {
        let file = try open(name, O_RDWR | O_CREAT, .lock)
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            guard errno == EWOULDBLOCK else { throw DiskFault(.lock, name, errno) }
            // A process id has at most ten digits.
            let text = String(decoding: try file.read(at: 0, bytesMax: 16), as: UTF8.self)
            throw DiskFault(.lock, name, .held(pid: Int32(text.prefix { $0.isASCII && $0.isNumber })))
        }
        // The lock is what counts: on a full disk the file just does not say who holds it.
        do {
            try file.truncate(to: 0)
            try file.write(Array("\(getpid())\n".utf8), at: 0)
        } catch  where error.reason == .full {}
        return file
    }

    public func openToRead(_ name: String) throws(DiskFault) -> any JournalFile {
        try open(name, O_RDONLY, .openToRead)
    }

    public func openToWrite(_ name: String) throws(DiskFault) -> any JournalFile {
        try open(name, O_RDWR | O_CREAT, .openToWrite)
    }

    public func rename(_ name: String, to newName: String) throws(DiskFault) {
        guard Glibc.rename(path(name), path(newName)) == 0 else { throw DiskFault(.rename, name, errno) }
    }

    public func remove(_ name: String) throws(DiskFault) {
        guard unlink(path(name)) == 0 else { throw DiskFault(.remove, name, errno) }
    }

    public func syncFolder() throws(DiskFault) {
        try sync(folder, .sync)
    }

    private func path(_ name: String) -> String { folder + "/" + name }

    private func sync(_ folder: String, _ operation: DiskFault.Operation) throws(DiskFault) {
        let descriptor = retrying { Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw DiskFault(operation, "", errno) }
        defer { close(descriptor) }
        guard retrying({ fsync(descriptor) }) == 0 else { throw DiskFault(operation, "", errno) }
    }

    /// To whom root gives what it makes; nil where the owner is ours as it is. An administrator's command must not leave
    /// files behind that the bot's own user cannot open.
    private static func owner(of folder: String) -> (user: uid_t, group: gid_t)? {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return nil }
        return (status.st_uid, status.st_gid)
    }

    private func open(
        _ name: String,
        _ flags: Int32,
        _ operation: DiskFault.Operation
    ) throws(DiskFault) -> OpenFile {
        // O_NONBLOCK keeps a pipe that has a journal's name from holding up the bot; on files it does nothing.
        let heir = flags & O_CREAT != 0 ? FolderDisk.owner(of: folder) : nil
        // Root must not be led to a file elsewhere, and give that away.
        let following = heir == nil ? 0 : O_NOFOLLOW
        let descriptor = retrying { Glibc.open(path(name), flags | following | O_CLOEXEC | O_NONBLOCK, 0o600) }
        guard descriptor >= 0 else { throw DiskFault(operation, name, errno) }
        let file = OpenFile(descriptor, name, path: path(name))
        let status = try file.status()
        guard status.st_mode & S_IFMT == S_IFREG else { throw DiskFault(operation, name, .notAFile) }
        if let heir, status.st_nlink == 1 { _ = fchown(descriptor, heir.user, heir.group) }
        return file
    }
}

/// An open descriptor, closed with the last reference, which also releases a lock on it.
private final class OpenFile: JournalFile, JournalLock {
    let descriptor: Int32
    private let name: String
    private let path: String

    init(_ descriptor: Int32, _ name: String, path: String) {
        self.descriptor = descriptor
        self.name = name
        self.path = path
    }

    deinit {
        // A program that is being started holds a copy of the descriptor for a moment; closing ours would leave it the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    func status() throws(DiskFault) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskFault(.bytesCount, name, errno) }
        return status
    }

    func bytesCount() throws(DiskFault) -> Int { try Int(status().st_size) }

    func isInPlace() -> Bool {
        var open = stat()
        var named = stat()
        guard fstat(descriptor, &open) == 0, stat(path, &named) == 0 else { return false }
        return open.st_dev == named.st_dev && open.st_ino == named.st_ino
    }

    func read(at offset: Int, bytesMax: Int) throws(DiskFault) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, count in
            let got = retrying { pread(descriptor, buffer.baseAddress, bytesMax, off_t(offset)) }
            code = got < 0 ? errno : 0
            count = max(0, got)
        }
        guard code == 0 else { throw DiskFault(.read, name, code) }
        return bytes
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(DiskFault) {
        var code: Int32 = 0
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let written = retrying {
                    pwrite(descriptor, piece.baseAddress, piece.count, off_t(offset + rest.startIndex))
                }
                guard written > 0 else {
                    code = written < 0 ? errno : EIO
                    return
                }
                rest = rest.dropFirst(written)
            }
        }
        guard code == 0 else { throw DiskFault(.write, name, code) }
    }

    func truncate(to bytesCount: Int) throws(DiskFault) {
        guard retrying({ ftruncate(descriptor, off_t(bytesCount)) }) == 0 else {
            throw DiskFault(.truncate, name, errno)
        }
    }

    func syncData() throws(DiskFault) {
        guard retrying({ fdatasync(descriptor) }) == 0 else { throw DiskFault(.sync, name, errno) }
    }
}

/// Makes a system call again for as long as a signal interrupts it.
private func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

extension DiskFault {
    /// The one place that knows what the system's error codes mean here.
    fileprivate init(_ operation: Operation, _ name: String, _ code: Int32) {
        let reason: Reason =
            switch code {
            case ENOENT: .absent
            case ENOTDIR: .notAFolder
            case EISDIR: .notAFile
            case EACCES, EPERM, EROFS: .denied(String(cString: strerror(code)))
            case ENOSPC, EDQUOT: .full
            default: .failed(String(cString: strerror(code)))
            }
        self.init(operation, name, reason)
    }
}
