internal import Glibc
internal import Preview

/// A folder in which backtests keep what they have fetched. It may be deleted at any time.
struct CacheFolder: PastShelf {
    let path: String

    /// A month of minutes of a hundred apps has its place in it, and the machine keeps room for other things.
    private static let bytesMax = 2 << 30
    /// More than a day's file ever has: its lines are bounded when they are fetched.
    private static let fileBytesMax = 1 << 30
    /// What one source writes is nobody else's business.
    private static let folderMode = mode_t(0o700)
    private static let fileMode = mode_t(0o600)

    /// - Parameter path: nil for the place where users keep such things, `$XDG_CACHE_HOME/alertbot`.
    init(_ path: String?) throws(Failure) {
        if let path {
            self.path = path
            return
        }
        // The XDG base directory specification wants relative paths passed over.
        func folder(_ variable: String) -> String? {
            getenv(variable).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let base = folder("XDG_CACHE_HOME") ?? folder("HOME").map({ $0 + "/.cache" }) else {
            throw Failure(
                .impossible, "there is no home folder to keep fetched history in; name a folder with --cache DIR")
        }
        self.path = base + "/alertbot"
    }

    /// Makes the folder, so that nothing is fetched in vain.
    func prepare() throws {
        try makeFolders(above: full("any"))
        guard access(path, W_OK | X_OK) == 0 else { throw failure(path) }
    }

    private func full(_ name: String) -> String { "\(path)/\(name)" }

    func has(_ name: String) -> Bool { access(full(name), R_OK) == 0 }

    func contents(of name: String) throws -> [UInt8] {
        switch wholeFile(full(name), bytesMax: CacheFolder.fileBytesMax) {
        case .success(let bytes): return bytes
        case .failure(let error): throw SentenceError("\(full(name)) can not be read: \(error.sentence)")
        }
    }

    func remove(_ name: String) { unlink(full(name)) }

    /// Writes beside and renames, so that a file is whole or not there, also after a power cut.
    func keep(_ bytes: [UInt8], as name: String) throws {
        let target = full(name)
        try makeFolders(above: target)
        let draft = "\(target).\(getpid()).new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, CacheFolder.fileMode)
        guard descriptor >= 0 else { throw failure(draft) }
        let isWritten = Output.write(bytes[...], to: descriptor) && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(draft, target) == 0 else {
            errno = isWritten ? errno : code
            defer { unlink(draft) }
            throw failure(target)
        }
    }

    private func makeFolders(above file: String) throws {
        for (index, character) in zip(file.indices, file) where character == "/" && index > file.startIndex {
            let folder = String(file[..<index])
            guard mkdir(folder, CacheFolder.folderMode) == 0 || errno == EEXIST else { throw failure(folder) }
        }
    }

    private func failure(_ path: String) -> SentenceError {
        SentenceError(
            "\(path) can not be written: \(String(cString: strerror(errno))); name another folder with --cache DIR")
    }

    // MARK: - Its bound

    /// Removes the days that were fetched longest ago, until the rest fits.
    func shrink() {
        var days: [(path: String, bytes: Int, changed: Int)] = []
        for folder in names(in: path) {
            for name in names(in: full(folder)) where CacheFolder.isOurs(name) {
                var status = stat()
                let file = full("\(folder)/\(name)")
                guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                days.append((file, Int(status.st_size), status.st_mtim.tv_sec))
            }
        }
        var total = days.reduce(0) { $0 + $1.bytes }
        for day in days.sorted(by: { $0.changed < $1.changed }) where total > CacheFolder.bytesMax {
            if unlink(day.path) == 0 { total -= day.bytes }
        }
    }

    /// Whether a file is one of the cache's days: people may name a folder that holds other things too.
    private static func isOurs(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let date = parts[0].split(separator: "-").map { ($0.count, $0.allSatisfy(\.isNumber)) }
        return parts.dropFirst().first { $0 == "jsonl" } != nil
            && date.elementsEqual([(4, true), (2, true), (2, true)], by: ==)
    }

    private func names(in folder: String) -> [String] {
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
