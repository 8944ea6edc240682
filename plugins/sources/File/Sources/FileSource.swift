// FileSource reads observations from a file, one JSON object a line: the door for anything that can write a file, such
// as a script of one's own, an export, or a recorded day. It opens nothing itself; it says which stretch to read and
// what the bytes mean.

public import PluginKit

/// Observations from a file, one JSON object a line.
public struct FileSource: Source {
    public static let manifest = PluginManifest(
        name: "file",
        summary: "Reads observations from a file, one JSON object a line.",
        example: """
            path: ./figures.jsonl
            follow: true
            """,
        options: [path, follow], isConnected: false)

    static let path = RequiredSetting("path", .path, "The file; relative to the config file's folder.")
    static let follow = Setting(
        "follow", .flag, default: false,
        "Continue where the last poll ended, for a file that grows; otherwise read all of it each time.")

    public var host: String? { nil }
    public var metrics: Set<Metric>? { nil }

    private let file: ObservedFile
    private let follows: Bool

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        let path = try options[Self.path].description
        guard !path.isEmpty else { throw ProblemList(options.position(of: Self.path), "'path' is empty") }
        file = ObservedFile(name: path, path: context.absolute(path))
        follows = options[Self.follow]
    }

    public func poll(_ poll: Poll) -> PollStep {
        let cursor = FileCursor(poll.cursor)
        guard follows else {
            return file.read { stretch in wholeFile(stretch, after: cursor, for: poll) }
        }
        return file.read(after: cursor?.place) { stretch in grownFile(stretch, after: cursor, for: poll) }
    }

    /// What a file says that is read anew each time.
    private func wholeFile(_ stretch: FileStretch, after cursor: FileCursor?, for poll: Poll) -> PollReport {
        guard stretch.isToEnd else {
            let limit = ObservedFile.stretchBytesMax >> 20
            return PollReport(
                .failed(
                    PollFailure(
                        .tooLarge, "\(file.name) is larger than \(limit) MiB; set 'follow: true' to read what is new")))
        }
        let hash = FileStretch.hash(of: stretch.bytes)
        if !poll.isAnew, let cursor, cursor.identity == stretch.identity, cursor.offset == stretch.end,
            cursor.hash == hash
        {
            return PollReport(.unchanged)
        }
        let batch = LineBatch(stretch, linesBefore: 0, endsOpen: false, at: poll.now)
        // Of lines seen at the same time the later one counts.
        let newest = batch.lines.reversed().max { ($0.seen ?? .earliest) < ($1.seen ?? .earliest) }
        if let newest, case .failed(let reason) = newest.content {
            return PollReport(.failed(PollFailure(recorded: reason)))
        }
        let observations = batch.observations(of: poll.source)
        if observations.isEmpty {
            return batch.lines.isEmpty
                ? PollReport(.noData, cursor: FileCursor.none, unread: batch.unread)
                : PollReport(.failed(batch.failure(in: file.name)))
        }
        let read = FileCursor(
            identity: stretch.identity, offset: stretch.end, line: batch.linesRead, hash: hash)
        return PollReport(
            .values(observations), cursor: read.json, warnings: batch.warnings(in: file.name), unread: batch.unread)
    }

    /// What a file says that is read on as it grows.
    ///
    /// A failure leaves the cursor where it is, so that the source stays failed until a usable line follows: "nothing
    /// new" would count as a good poll.
    private func grownFile(_ stretch: FileStretch, after cursor: FileCursor?, for poll: Poll) -> PollReport {
        let begin = stretch.isContinued ? cursor?.line ?? 0 : 0
        var batch = LineBatch(stretch, linesBefore: begin, endsOpen: true, at: nil)
        batch.cutTrailingParts()
        guard !batch.lines.isEmpty else {
            guard stretch.isToEnd else {
                let limit = ObservedFile.stretchBytesMax >> 20
                return PollReport(
                    .failed(
                        PollFailure(.tooLarge, "\(file.name):\(begin + 1): the line is longer than \(limit) MiB")))
            }
            let place = FileCursor(stretch, upTo: batch.end, line: batch.linesRead)
            return PollReport(cursor == nil ? .noData : .unchanged, cursor: place.json)
        }
        // Failures recorded after the last figures are told by the next poll; these figures are told now.
        batch.cutTrailingFailures()
        let place = FileCursor(stretch, upTo: batch.end, line: batch.linesRead)
        let observations = batch.observations(of: poll.source)
        if observations.isEmpty {
            let failure = PollOutcome.failed(batch.failure(in: file.name))
            return stretch.isToEnd ? PollReport(failure) : PollReport(failure, cursor: place.json)
        }
        var warnings = batch.warnings(in: file.name)
        if !stretch.isToEnd { warnings.append("\(file.name) grew by more than one poll reads; the rest follows") }
        return PollReport(.values(observations), cursor: place.json, warnings: warnings, unread: batch.unread)
    }
}

/// What is remembered of a file.
struct FileCursor: Hashable {
    let identity: String
    /// Where the next line begins.
    let offset: Int64
    /// How many lines come before it.
    let line: Int
    /// Of the whole content, where the file is read anew each time; else of what stands right before the offset.
    let hash: String?

    /// Written when there was nothing to remember.
    static let none: JSON = [:]

    init(identity: String, offset: Int64, line: Int, hash: String?) {
        self.identity = identity
        self.offset = offset
        self.line = line
        self.hash = hash
    }

    /// Where a file that grows is read on.
    init(_ stretch: FileStretch, upTo end: Int64, line: Int) {
        self.init(identity: stretch.identity, offset: end, line: line, hash: stretch.hash(before: end))
    }

    init?(_ json: JSON?) {
        guard let identity = json?["identity"]?.string, case .int(let offset)? = json?["offset"],
            case .int(let line)? = json?["line"], offset >= 0, line >= 0
        else { return nil }
        self.init(identity: identity, offset: offset, line: Int(line), hash: json?["hash"]?.string)
    }

    var place: ObservedFile.Place { ObservedFile.Place(identity: identity, offset: offset, hash: hash) }

    var json: JSON {
        ["identity": .string(identity), "offset": .int(offset), "line": JSON(line), "hash": JSON(hash)]
    }
}

extension PollFailure {
    /// A failure that somebody else wrote down.
    init(recorded reason: String) {
        self.init(
            Reason(rawValue: reason) ?? .unavailable,
            "the file reports that its source failed: \(reason.tamed.clipped(to: 200))")
    }
}
