internal import Glibc
public import Preview
public import SystemPorts

/// A folder in which backtests keep what they have fetched. It may be deleted at any time.
public struct CacheFolder: PastShelf {
    public let path: String
    private let bytesMax: Int

    /// A month of minutes of a hundred apps has its place in it, and the machine keeps room for other things.
    private static let bytesMaxUsual = 2 << 30
    /// More than a day's file ever has: its lines are bounded when they are fetched.
    private static let fileBytesMax = 1 << 30
    /// What one source writes is nobody else's business.
    private static let folderMode = mode_t(0o700)

    /// - Parameters:
    ///   - path: nil for the place where users keep such things, `$XDG_CACHE_HOME/alertbot`.
    ///   - variables: where that place is named.
    public init(_ path: String?, variables: Variables) throws(Failure) {
        try self.init(path, variables: variables, bytesMax: CacheFolder.bytesMaxUsual)
    }

    init(_ path: String?, variables: Variables, bytesMax: Int) throws(Failure) {
        self.bytesMax = bytesMax
        if let path {
            self.path = path
            return
        }
        // The XDG base directory specification wants relative paths passed over.
        func folder(_ variable: String) -> String? { variables[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        guard let base = folder("XDG_CACHE_HOME") ?? folder("HOME").map({ $0 + "/.cache" }) else {
            throw Failure(
                .impossible, "there is no home folder to keep fetched history in; name a folder with --cache DIR")
        }
        self.path = base + "/alertbot"
    }

    /// Makes the folder, so that nothing is fetched in vain.
    public func prepare() throws(Failure) {
        try makeFolders(above: full("any"))
        guard access(path, W_OK | X_OK) == 0 else { throw failure(path) }
    }

    private func full(_ name: String) -> String { "\(path)/\(name)" }

    public func has(_ name: String) -> Bool { access(full(name), R_OK) == 0 }

    public func contents(of name: String) throws -> [UInt8] {
        do throws(FileError) {
            return try WholeFile.read(full(name), bytesMax: CacheFolder.fileBytesMax)
        } catch {
            throw Failure(.impossible, "\(error.path) cannot be read: \(error.reason)")
        }
    }

    public func remove(_ name: String) { unlink(full(name)) }

    public func keep(_ bytes: [UInt8], as name: String) throws {
        let target = full(name)
        try makeFolders(above: target)
        do throws(FileError) {
            try WholeFile.replace(target, with: bytes)
        } catch {
            throw failure(target, error.reason)
        }
    }

    private func makeFolders(above file: String) throws(Failure) {
        for (index, character) in zip(file.indices, file) where character == "/" && index > file.startIndex {
            let folder = String(file[..<index])
            guard mkdir(folder, CacheFolder.folderMode) == 0 || errno == EEXIST else { throw failure(folder) }
        }
    }

    private func failure(_ path: String, _ reason: String = String(cString: strerror(errno))) -> Failure {
        Failure(.impossible, "\(path) cannot be written: \(reason); name another folder with --cache DIR")
    }

    // MARK: - Its bound

    /// Removes the days that were fetched longest ago, until the rest fits.
    public func shrink() {
        var days: [(path: String, bytes: Int, changed: Int)] = []
        for folder in FolderNames.visible(in: path) {
            for name in FolderNames.visible(in: full(folder)) where CacheFolder.isOurs(name) {
                var status = stat()
                let file = full("\(folder)/\(name)")
                guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                days.append((file, Int(status.st_size), status.st_mtim.tv_sec))
            }
        }
        var total = days.reduce(0) { $0 + $1.bytes }
        for day in days.sorted(by: { $0.changed < $1.changed }) where total > bytesMax {
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
}
