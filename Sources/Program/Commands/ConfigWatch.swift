internal import PluginKit
internal import SystemPorts

/// What was read for a config: where from, and what it said.
struct ConfigReading: Sendable {
    /// The config itself, which names the others.
    let config: String
    /// How each file looked just before it was read, those that were not there too: they may come. A pipe is none: it gives
    /// what it has once, and that it is empty then is no change of the config.
    fileprivate private(set) var looks: [String: FileLook?] = [:]
    /// What came out of pipes, of which each gives it once, however often the config names it.
    private var drained: [String: [UInt8]] = [:]
    /// Whose files were read.
    private var patterns: Set<String> = []
    /// Of everything that the files said.
    private var digest = StableHash()

    init(of config: String) { self.config = config }

    /// Whether the config is a file, which can be read again.
    var isFromFile: Bool { looks[config].flatMap(\.self) != nil }

    /// Reads a file, as a whole.
    mutating func read(_ path: String, bytesMax: Int) throws(FileError) -> [UInt8] {
        if let bytes = drained[path] { return bytes }
        let look = FileLook(path)
        looks[path] = .some(look)
        digest.add(path)
        let bytes = try WholeFile.read(path, bytesMax: bytesMax)
        if look == nil { drained[path] = bytes }
        digest.add(bytes)
        return bytes
    }

    /// The files that a pattern names.
    mutating func paths(matching pattern: String) -> [String] {
        patterns.insert(pattern)
        let paths = WholeFile.paths(matching: pattern)
        for path in paths where looks[path] == nil { looks[path] = .some(FileLook(path)) }
        return paths
    }

    func says(theSameAs other: ConfigReading) -> Bool {
        digest.value == other.digest.value && looks.keys == other.looks.keys
    }

    /// How the files look from outside now.
    fileprivate var looksNow: [String: FileLook?] {
        let found = patterns.flatMap { WholeFile.paths(matching: $0) }
        return Dictionary(Set(looks.keys).union(found).map { ($0, FileLook($0)) }) { first, _ in first }
    }
}

/// Whether the files of a config have changed since it was read.
///
/// They are looked at from outside, time after time: a file that is written in its place, one that is put in its place,
/// and the folder of a Kubernetes volume whose symbolic link is swapped all look different afterwards, on every kind of
/// file system, which cannot be said of what the kernel tells by itself.
struct ConfigWatch {
    private let reading: ConfigReading
    private let known: [String: FileLook?]
    /// What was seen at the last look, if it was something else: perhaps the half of a change.
    private var seen: [String: FileLook?]?

    /// Nil for a config that came out of a pipe: there is nothing to look at.
    init?(_ reading: ConfigReading) {
        guard reading.isFromFile else { return nil }
        self.reading = reading
        known = reading.looks
    }

    private init(_ reading: ConfigReading, known: [String: FileLook?]) {
        self.reading = reading
        self.known = known
    }

    /// Looks once more; true when the files are others than those read, and have not changed since the last look.
    mutating func look() -> Bool {
        let now = reading.looksNow
        defer { seen = now }
        return now != known && now == seen
    }

    /// Whether what was read now says something else than before.
    func isNews(_ other: ConfigReading) -> Bool { !reading.says(theSameAs: other) }

    /// For a config that could not even be read: it is tried again when the files look different again.
    func afterFailure() -> ConfigWatch { ConfigWatch(reading, known: reading.looksNow) }
}
