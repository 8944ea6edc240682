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
    private let now: Moment

    /// - Parameter now: when somebody looks: no file is younger, unless a clock was wrong.
    public init(_ stateFolder: String, asOf now: Moment = .latest) {
        disk = FolderDisk(stateFolder + "/observations")
        self.now = now
    }

    public var path: String { disk.folder }

    /// The files in which something of that span may be, oldest first; none when nothing is recorded. What was recorded more
    /// than a year before the rest is left out: the clock was wrong then.
    public func files(since: Moment? = nil, until: Moment? = nil) throws(Failure) -> [String] {
        let first = since.map { CivilTime($0).day } ?? .min
        return try names(until: until).kept.filter { first <= $0.day }.map { "\(path)/\($0)" }
    }

    private func names(until: Moment?) throws(Failure) -> (all: [RecordingName], kept: ArraySlice<RecordingName>) {
        do {
            let all = try Recording.files(in: disk, until: until)
            return (all, RecordingName.afterLastGap(all, asOf: now))
        } catch {
            throw Failure(JournalError(error, in: disk.folder))
        }
    }

    /// That files are left out, because all others are more than a year younger; nil where none is.
    public func leftOut(until: Moment?) throws(Failure) -> String? {
        let (all, kept) = try names(until: until)
        let left = all.count - kept.count
        guard left > 0, let last = all.prefix(left).last else { return nil }
        return "\(left.counted("file")) up to \(last) \(left == 1 ? "is" : "are") left out: what else is recorded in "
            + "\(path) is more than a year younger, so the clock was probably wrong then"
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

    /// The last figures of each source, as they arrived. Of one that is pushed those of each app and the like, as one answer:
    /// a push says nothing of what it does not name.
    ///
    /// - Parameter pushed: the sources that are told rather than asked.
    public func lastFigures(
        of sources: some Collection<String>, pushed: Set<String> = [], until: Moment? = nil, on terminal: Terminal
    ) throws(Failure) -> [ObservationReader.Batch] {
        var found: [String: LastFigures] = [:]
        // The newest files have nearly always all of them.
        for (index, path) in try files(until: until).suffix(RecordedFolder.filesSearchedMax).reversed().enumerated() {
            let wanted = Set(sources.filter { found[$0] == nil || pushed.contains($0) })
            guard !wanted.isEmpty else { break }
            var here: [String: LastFigures] = [:]
            // What is wrong in one is mostly wrong in all.
            var file = ObservationFiles(recorded: [path], sources: sources, isQuiet: index > 0, terminal)
            _ = try file.play { batch in
                let isInTime = until.map { batch.seen <= $0 } ?? true
                guard isInTime, wanted.contains(batch.source), batch.hasFigures else { return }
                if !pushed.contains(batch.source) { here[batch.source] = nil }
                here[batch.source, default: LastFigures(batch)].take(batch)
            }
            found.merge(here) { newer, older in newer.completed(by: older) }
        }
        return found.values.map(\.answer).sorted { ($0.seen, $0.source) < ($1.seen, $1.source) }
    }

    /// The files in which last figures are looked for, where there are others; nil where there are none.
    public func searchedPart(until: Moment? = nil) throws(Failure) -> String? {
        let kept = try names(until: until).kept
        let newest = kept.suffix(RecordedFolder.filesSearchedMax)
        guard newest.count < kept.count, let first = newest.first else { return nil }
        return "the newest \(newest.count.counted("file")) (\(first) and later)"
    }

    /// Files in which last figures are looked for: a source that is not in them has been silent for a day or more,
    /// unless there is much to record.
    private static let filesSearchedMax = 4

    /// That there is nothing to play.
    public var emptySentence: String {
        "nothing is recorded in \(path); the running bot records its observations there"
    }
}

/// What a source has told last: all of its newest answer, or what each of several answers says of its own subjects.
private struct LastFigures {
    /// The newest answer, which says how old they are.
    private var newest: ObservationReader.Batch
    private var rest: [ObservationLine] = []
    private var figures: [Subject: [ObservationLine]] = [:]

    init(_ first: ObservationReader.Batch) { newest = first }

    /// Takes in an answer that is newer than all before it.
    mutating func take(_ batch: ObservationReader.Batch) {
        newest = batch
        rest = []
        var told: [Subject: [ObservationLine]] = [:]
        for line in batch.lines {
            if case .observed(let observation) = line {
                told[observation.subject, default: []].append(line)
            } else {
                rest.append(line)
            }
        }
        figures.merge(told) { _, newer in newer }
    }

    /// The same with what older answers tell of subjects that it does not have.
    func completed(by older: LastFigures) -> LastFigures {
        var completed = self
        completed.figures.merge(older.figures) { newer, _ in newer }
        return completed
    }

    /// All of it as one answer.
    var answer: ObservationReader.Batch {
        // As it was told: nothing of older answers is in it.
        let toldNow = newest.lines.count - rest.count
        guard figures.values.reduce(0, { $0 + $1.count }) > toldNow else { return newest }
        let lines = figures.sorted { $0.key < $1.key }.flatMap(\.value)
        return ObservationReader.Batch(seen: newest.seen, asked: newest.asked, lines: rest + lines)
    }
}

extension ObservationReader.Batch {
    fileprivate var hasFigures: Bool { lines.contains { if case .observed = $0 { true } else { false } } }
}
