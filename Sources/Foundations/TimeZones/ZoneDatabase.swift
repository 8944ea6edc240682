import AlertModel
import Glibc

/// The system's database of time zones: a folder of TZif files, such as Debian's package `tzdata` installs.
///
/// Nothing is kept in memory: whoever needs a zone keeps the `Zone`. It stays as it was when it was read.
public struct ZoneDatabase: Sendable, Hashable {
    public let folder: String

    public init(folder: String = "/usr/share/zoneinfo") {
        self.folder = folder
    }

    /// The longest file of the database has 4 KB; the tz project's own reader stops at 2,000 changes, some 30 KB.
    static let zoneBytesMax = 65_536
    /// The list of the 2025 release has 112 KB.
    static let listBytesMax = 1 << 20

    /// Reads a zone by its IANA name or an alias. `UTC` and `Etc/UTC` are there without any file.
    ///
    /// Throws every case of `ZoneError`.
    public func zone(_ name: String) throws(ZoneError) -> Zone {
        guard Zone.isName(name) else { throw .nameMalformed(name) }
        guard name != "UTC", name != "Etc/UTC" else { return Zone(fixedToUTC: name) }
        let path = folder + "/" + name
        switch ZoneDatabase.read(path, bytesMax: ZoneDatabase.zoneBytesMax) {
        case .contents(let bytes): return try Zone(name: name, tzif: bytes)
        case .tooLarge: throw .tooLarge(path: path, bytesMax: ZoneDatabase.zoneBytesMax)
        case .failed(let reason): throw .notReadable(path: path, reason: reason)
        case .absent: throw absence(of: name)
        }
    }

    /// The names of all zones and aliases in order, for suggestions; empty when the database came without its list.
    ///
    /// The list is the database's own `tzdata.zi`. It may name old aliases whose files are in a package of their own.
    public func names() -> [String] {
        guard case .contents(let bytes) = ZoneDatabase.read(folder + "/tzdata.zi", bytesMax: ZoneDatabase.listBytesMax)
        else { return [] }
        // "Z NAME OFFSET …" begins a zone, "L TARGET ALIAS" is an alias.
        let names = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line -> String? in
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 3)
            let word: ArraySlice<UInt8>
            switch words.first {
            case [UInt8(ascii: "Z")] where words.count > 2: word = words[1]
            case [UInt8(ascii: "L")] where words.count == 3: word = words[2]
            default: return nil
            }
            let name = String(decoding: word, as: UTF8.self)
            return Zone.isName(name) ? name : nil
        }
        return names.sorted()
    }

    /// How far ahead of UTC that is which is written as `GMT+2`, `UTC-3` or `UTC+05:30`; nil for anything else.
    public static func hours(aheadOfUTC name: String) -> Double? {
        guard
            let written = name.wholeMatch(of: /(?:UTC|GMT|utc|gmt) ?([+\-])([0-9]{1,2})(?::?([0-9]{2}))?/),
            let hours = Double(written.output.2), let minutes = Double(written.output.3 ?? "0")
        else { return nil }
        return (hours + minutes / 60) * (written.output.1 == "-" ? -1 : 1)
    }

    /// Why there is no file of that name.
    private func absence(of name: String) -> ZoneError {
        let names = names()
        if names.contains(name) { return .notInstalled(name: name) }
        guard !names.isEmpty || access(folder + "/UTC", F_OK) == 0 else { return .noDatabase(folder: folder) }
        // `Etc/GMT+2` is behind UTC by what `GMT+2` is ahead of it.
        guard ZoneDatabase.hours(aheadOfUTC: name) == nil else { return .unknown(name: name, suggestion: nil) }
        // People write the city alone, or the right letters in the wrong case.
        let ending = "/" + name.lowercased()
        let suggestion = names.first { $0.lowercased().hasSuffix(ending) } ?? name.nearest(in: names)
        return .unknown(name: name, suggestion: suggestion)
    }

    private enum Reading {
        case contents([UInt8])
        case absent
        case tooLarge
        case failed(String)
    }

    private static func read(_ path: String, bytesMax: Int) -> Reading {
        // Without waiting, should somebody have put a pipe there.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else {
            let code = errno
            return code == ENOENT || code == ENOTDIR ? .absent : .failed(String(cString: strerror(code)))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return .failed(String(cString: strerror(errno))) }
        // "Europe" is a folder: for people, a zone that is not there.
        guard status.st_mode & S_IFMT == S_IFREG else { return .absent }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failed(String(cString: strerror(errno))) }
            guard count > 0 else { return .contents(bytes) }
            bytes += piece.prefix(count)
            guard bytes.count <= bytesMax else { return .tooLarge }
        }
    }
}
