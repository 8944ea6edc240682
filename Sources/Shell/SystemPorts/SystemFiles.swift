internal import Glibc
public import PluginKit
public import Runtime

/// The files of this machine, piece by piece, as sources read them.
public struct SystemFiles: Files {
    public init() {}

    public func read(_ request: FileRequest) async -> FileResult {
        let descriptor = open(request.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return .failed(String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .failed("it is not a file")
        }
        switch Descriptor.read(descriptor, from: request.offset, atMost: request.bytesMax) {
        case nil: return .failed(String(cString: strerror(errno)))
        case let bytes?:
            return .contents(bytes: bytes, size: Int64(status.st_size), identity: "\(status.st_dev):\(status.st_ino)")
        }
    }
}

/// Why a file could not be read or written.
public struct FileError: Error, Hashable, Sendable {
    public let path: String
    /// In the system's words, or in our own.
    public let reason: String

    init(_ path: String, _ reason: String = String(cString: strerror(errno))) {
        self.path = path
        self.reason = reason
    }
}

/// How a file looks from outside, links followed: with another content it looks different, as far as the clock of its
/// file system goes. Of a pipe or a device that cannot be said: reading it is enough to make it look different.
public struct FileLook: Hashable, Sendable {
    private let device: UInt
    private let number: UInt
    private let size: Int
    private let modified: [Int]
    private let changed: [Int]

    /// Which file it is, by whatever path, as long as it is not replaced.
    public var file: String { "\(device):\(number)" }

    /// Nil where there is none, or something else than a regular file.
    public init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
        size = Int(status.st_size)
        modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        changed = [status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
    }
}

/// Files that are read and written as a whole.
public enum WholeFile {
    /// The path from the root, links followed, which means the same wherever it is read; of a file that is gone by where its
    /// folder is, and as it is where not even that is there.
    public static func fullPath(_ path: String) -> String {
        if let full = followed(path) { return full }
        let slash = path.lastIndex(of: "/")
        let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !["", ".", ".."].contains(name), let place = followed(folder) else { return path }
        return place == "/" ? "/\(name)" : "\(place)/\(name)"
    }

    private static func followed(_ path: String) -> String? {
        guard let full = realpath(path, nil) else { return nil }
        defer { free(full) }
        return String(cString: full)
    }

    /// How long whoever writes to a pipe has for all of it: a config that is decrypted on the way asks a server for its key,
    /// and a pipe to which nobody ever writes must not keep a bot from its work.
    public static let pipePatience = Duration.seconds(10)

    /// Reads a file to its end, or a pipe until its writer has closed it; it is an error when it has more bytes than that.
    ///
    /// - Parameter patience: how long to wait for the writer of a pipe, in all.
    public static func read(
        _ path: String, bytesMax: Int, patience: Duration = WholeFile.pipePatience
    ) throws(FileError) -> [UInt8] {
        // Without waiting for a writer, and without a terminal becoming the one that can stop this process.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw FileError(path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw FileError(path, "it is a folder")
        }
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        let bytes =
            isRegular
            ? Descriptor.read(descriptor, from: 0, atMost: bytesMax + 1)
            : Descriptor.drain(descriptor, atMost: bytesMax + 1, patience: patience)
        guard let bytes else {
            guard errno == ETIMEDOUT else { throw FileError(path) }
            throw FileError(path, "it is a pipe, and nobody wrote to it and closed it within \(patience.short)")
        }
        guard bytes.count <= bytesMax else { throw FileError(path, "it is larger than \(bytesMax >> 10) KiB") }
        return bytes
    }

    /// Why no file can take that place, as far as it can be seen without trying; nil where nothing is in the way.
    public static func obstacle(at path: String) -> FileError? {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return FileError(path, "it is a folder") }
        let folder = folder(of: path)
        guard stat(folder, &status) == 0 else { return FileError(path, "there is no folder \(folder)") }
        return access(folder, W_OK | X_OK) == 0 ? nil : FileError(path)
    }

    /// Whether there is something that could be opened.
    public static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The paths that a pattern of a shell names, in order: `teams/*.yaml`.
    public static func paths(matching pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// Whether others than its owner and its group may read it, or others than its owner change it.
    @Sendable public static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        return status.st_mode & (S_IROTH | S_IWOTH | S_IWGRP) != 0
    }

    /// What a symbolic link names; nil where there is none.
    public static func target(ofLink path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }

    /// Writes over what is there.
    public static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileError(path) }
        defer { close(descriptor) }
        guard Descriptor.write(bytes[...], to: descriptor) else { throw FileError(path) }
    }

    /// Puts a file there at once, in place of what was, so that it is whole or not there, also after a power cut. Only its
    /// owner may read it.
    public static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        let draft = "\(path).\(getpid()).new"
        do throws(FileError) {
            try writeDraft(bytes, to: draft, mode: 0o600)
            guard rename(draft, path) == 0 else { throw FileError(path) }
        } catch {
            unlink(draft)
            throw error
        }
    }

    /// Writes what is to take another's place, and brings it to the disk. What an earlier process left under that name goes; what
    /// others put there, a link perhaps, is not followed.
    ///
    /// - Parameter other: the file whose rights it gets, where there is one.
    static func writeDraft(
        _ bytes: [UInt8], to path: String, mode: UInt32, rightsOf other: String? = nil
    ) throws(FileError) {
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw FileError(path) }
        defer { close(descriptor) }
        if let other { try giveRights(of: other, to: descriptor) }
        guard Descriptor.write(bytes[...], to: descriptor), fsync(descriptor) == 0 else { throw FileError(path) }
    }

    /// Gives a file that is open the owner and the mode of the one that it replaces, so that the same may read it.
    private static func giveRights(of other: String, to descriptor: Int32) throws(FileError) {
        var status = stat()
        guard stat(other, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        // Only root may give a file away; others may give it to a group of theirs, and keep it otherwise.
        if fchown(descriptor, status.st_uid, status.st_gid) != 0 { _ = fchown(descriptor, .max, status.st_gid) }
        guard fchmod(descriptor, status.st_mode & 0o777) == 0 else { throw FileError(other) }
    }

    /// Brings the names in a file's folder to the disk, as far as its file system does so.
    static func syncFolder(of path: String) {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private static func folder(of path: String) -> String {
        let slash = path.lastIndex(of: "/")
        return slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}

/// Reading and writing whatever is open.
enum Descriptor {
    /// Reads until the bound or the end; nil when the system refuses, and `errno` says why.
    static func read(_ descriptor: Int32, from offset: Int64, atMost count: Int) -> [UInt8]? {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(count, 1 << 18))
        while result.count < count {
            let wanted = min(buffer.count, count - result.count)
            let got = buffer.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, wanted, off_t(offset) + off_t(result.count))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            result += buffer[..<got]
        }
        return result
    }

    /// Reads what has no places to read from, a pipe or a device that was opened without waiting, until the bound or the end; nil
    /// when the system refuses, and `errno` says why: `ETIMEDOUT` when the end did not come in time.
    static func drain(_ descriptor: Int32, atMost count: Int, patience: Duration) -> [UInt8]? {
        let clock = ContinuousClock()
        let deadline = clock.now + patience
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while result.count < count {
            let left = max(.zero, clock.now.duration(to: deadline))
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let found = poll(&ready, 1, Int32(clamping: Int((left / .milliseconds(1)).rounded(.up))))
            if found < 0, errno == EINTR { continue }
            guard found >= 0 else { return nil }
            guard found > 0 else {
                errno = ETIMEDOUT
                return nil
            }
            let got = Glibc.read(descriptor, &buffer, min(buffer.count, count - result.count))
            if got < 0, errno == EINTR || errno == EAGAIN { continue }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            result += buffer[..<got]
        }
        return result
    }

    /// False when the system did not take all of it; `errno` says why.
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var bytes = bytes
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return false }
            bytes = bytes.dropFirst(written)
        }
        return true
    }
}

/// The names in a folder.
public enum FolderNames {
    /// Those that are not hidden, in no order; none where the folder cannot be read.
    public static func visible(in folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
