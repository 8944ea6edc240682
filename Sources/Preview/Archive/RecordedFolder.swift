// Archive is where observations of the past are kept, and how they are played from there: a file, the recording of the
// running bot, and what sources recall of their own past. It decides nothing; what it plays goes to whoever asked.

internal import Glibc
public import Journal
public import PluginKit
public import Preview
internal import Runtime
public import SystemPorts

/// What the running bot has recorded in its state folder.
public struct RecordedFolder: Sendable {
    public let disk: FolderDisk

    public init(_ stateFolder: String) { disk = FolderDisk(stateFolder + "/observations") }

    public var path: String { disk.folder }

    /// The files in which something of that span may be, oldest first; none when nothing is recorded.
    public func files(since: Moment? = nil, until: Moment? = nil) throws(Failure) -> [String] {
        do {
            return try Recording.files(in: disk, since: since, until: until).map { "\(path)/\($0)" }
        } catch {
            throw Failure(JournalError(error, in: disk.folder))
        }
    }

    /// The newest files of at most so many bytes, oldest first; the newest one whatever its length.
    public func newestFiles(bytesMax: Int) throws(Failure) -> (files: [String], bytes: Int) {
        var newest: [String] = []
        var bytes = 0
        for path in try files().reversed() {
            var status = stat()
            let length = stat(path, &status) == 0 ? Int(status.st_size) : 0
            guard newest.isEmpty || bytes + length <= bytesMax else { break }
            newest.append(path)
            bytes += length
        }
        return (newest.reversed(), bytes)
    }

    /// The last figures of each source, as they arrived.
    public func lastFigures(
        of sources: some Collection<String>, until: Moment? = nil, on terminal: Terminal
    ) throws(Failure) -> [ObservationReader.Batch] {
        var found: [String: ObservationReader.Batch] = [:]
        // The newest files have nearly always all of them.
        for path in try files(until: until).suffix(RecordedFolder.filesSearchedMax).reversed() {
            let missing = Set(sources.filter { found[$0] == nil })
            guard !missing.isEmpty else { break }
            var file = ObservationFiles(recorded: [path], sources: sources, terminal)
            _ = try file.play { batch in
                let isInTime = until.map { batch.seen <= $0 } ?? true
                if isInTime, missing.contains(batch.source), batch.hasFigures { found[batch.source] = batch }
            }
        }
        return found.values.sorted { ($0.seen, $0.source) < ($1.seen, $1.source) }
    }

    /// Files in which last figures are looked for: a source that is not in them has been silent for a day or more,
    /// unless there is much to record.
    private static let filesSearchedMax = 4

    /// That there is nothing to play.
    public var emptySentence: String {
        "nothing is recorded in \(path); the running bot records its observations there"
    }
}

extension ObservationReader.Batch {
    fileprivate var hasFigures: Bool { lines.contains { if case .observed = $0 { true } else { false } } }
}
