internal import Glibc
public import PluginKit
public import Preview
public import SystemPorts

/// Files of observations, read from their begin to their end, however long they are; it says what is wrong with them.
public struct ObservationFiles {
    private var reader: ObservationReader
    private let paths: [String]
    /// Whether the files are those of a recording, which a bot may be writing and shortening right now.
    private let isRecording: Bool
    private let since: Moment?
    /// Whether what is wrong with lines is of no interest.
    private let isQuiet: Bool
    private let terminal: Terminal

    /// When the first and the last of what was played arrived.
    public private(set) var first, last: Moment?

    /// Bytes read at once.
    private static let pieceBytes = 1 << 18
    /// Lines given between two looks at the clock by the bar: few enough that nobody waits for it, also where each is a long
    /// way through the rules.
    private static let linesPerLook = 16

    /// One file.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - sources: the sources whose lines are wanted.
    ///   - terminal: where it says what is wrong, and how far it is.
    public init(_ path: String, sources: some Sequence<String>, _ terminal: Terminal) {
        self.terminal = terminal
        paths = [path]
        isRecording = false
        since = nil
        isQuiet = false
        reader = ObservationReader(name: path == "-" ? "standard input" : path, sources: Set(sources))
    }

    /// The files of a recording, in their order.
    ///
    /// - Parameters:
    ///   - since: leaves out what arrived earlier.
    ///   - isQuiet: says nothing of what is wrong with lines.
    ///   - terminal: where it says what is wrong, and how far it is.
    public init(
        recorded paths: [String], since: Moment? = nil, sources: some Sequence<String>, isQuiet: Bool = false,
        _ terminal: Terminal
    ) {
        self.terminal = terminal
        self.isQuiet = isQuiet
        self.paths = paths
        isRecording = true
        self.since = since
        reader = ObservationReader(name: paths.first ?? "", sources: Set(sources))
    }

    /// Whether there were lines, and all of them of sources that the config does not name.
    public var isOfUnnamedSources: Bool { first == nil && !reader.skipped.isEmpty }

    /// Gives every batch to `take`, in the order of arrival; gives back whether every line could be read.
    public mutating func play(_ take: (ObservationReader.Batch) -> Void) throws(Failure) -> Bool {
        let bar = terminal.progress("Playing observations")
        var done = 0
        let total = paths.reduce(0) { $0 + fileSize($1) }
        for (index, path) in paths.enumerated() {
            if index > 0 { reader.goOn(with: path) }
            try play(path, take, bar, &done, of: total)
        }
        reader.finish(isGrowing: isRecording)
        give(take, bar, done, of: total)
        bar.end()
        if !isQuiet { tellRest() }
        return reader.brokenCount == 0
    }

    private mutating func play(
        _ path: String, _ take: (ObservationReader.Batch) -> Void, _ bar: ProgressBar, _ done: inout Int,
        of total: Int
    ) throws(Failure) {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        // The bot has let go of its oldest file meanwhile.
        if descriptor < 0, errno == ENOENT, isRecording { return }
        guard descriptor >= 0 else { throw failure(path, errno) }
        defer { if path != "-" { close(descriptor) } }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(path, EISDIR) }
        var buffer = [UInt8](repeating: 0, count: ObservationFiles.pieceBytes)
        while true {
            let got = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure(path, errno) }
            if got == 0 { break }
            done += got
            reader.take(buffer[..<got])
            give(take, bar, done, of: total)
            bar.show(done - reader.waitingBytes, of: total)
        }
    }

    /// - Parameter done: the bytes read so far. The bar shows how many of them have been given: a file may well be read in a
    ///   moment, and it is the rules that take their time.
    private mutating func give(
        _ take: (ObservationReader.Batch) -> Void, _ bar: ProgressBar, _ done: Int, of total: Int
    ) {
        var unseenLines = 0
        while let batch = reader.nextBatch() {
            if since.map({ $0 <= batch.seen }) ?? true {
                first = min(first ?? batch.seen, batch.seen)
                last = max(last ?? batch.seen, batch.seen)
                take(batch)
            }
            unseenLines += batch.lines.count
            guard unseenLines >= ObservationFiles.linesPerLook else { continue }
            bar.show(done - reader.waitingBytes, of: total)
            unseenLines = 0
        }
        let complaints = reader.takeComplaints()
        guard !complaints.isEmpty, !isQuiet else { return }
        bar.end()
        for complaint in complaints { terminal.error(complaint.description) }
    }

    private func tellRest() {
        if reader.untoldCount > 0 {
            terminal.error("alertbot: and \(reader.untoldCount.counted("more line")) with problems")
        }
        terminal.warn(ofSkipped: reader.skipped, notNamedBy: "the config")
    }

    /// The file's size; 0 for what has none, such as a pipe.
    private func fileSize(_ path: String) -> Int {
        var status = stat()
        guard (path == "-" ? fstat(STDIN_FILENO, &status) : stat(path, &status)) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return 0 }
        return Int(status.st_size)
    }

    private func failure(_ path: String, _ code: Int32) -> Failure {
        Failure(.impossible, "the observations file \(path) cannot be read: \(String(cString: strerror(code)))")
    }
}

extension Terminal {
    /// That lines were left out, so many of each source, because a config does not name these.
    func warn(ofSkipped lines: [String: Int], notNamedBy config: String) {
        for (source, count) in lines.sorted(by: { $0.key < $1.key }) {
            error(
                "alertbot: warning: skipped \(count.counted("line")) of source '\(source.quotable)', "
                    + "which \(config) does not name")
        }
    }
}

extension Failure {
    /// That nothing of a file of observations can be played.
    public static func unnamed(_ path: String) -> Failure {
        Failure(
            .impossible,
            "there are no observations to replay: every line of \(path == "-" ? "standard input" : path) is of a source "
                + "that the config does not name")
    }
}

extension Playback {
    /// What people should know of what was not played: that lines lie beyond the end that somebody asked for, that figures
    /// were left out, and that there was nothing at all, because that nothing is said then is no good sign.
    ///
    /// - Parameter now: when they are read.
    public func remarks(until end: Moment?, in zone: Zone, readAt now: Moment) -> [String] {
        var remarks: [String] = []
        if lateCount > 0, let end {
            let verb = lateCount == 1 ? "is" : "are"
            remarks.append("\(lateCount.counted("line")) seen after \(zone.words(end, readAt: now)) \(verb) not played")
        }
        if lineCount == 0 { remarks.append("there are no observations to replay") }
        return remarks + leftOut.remarks
    }
}
