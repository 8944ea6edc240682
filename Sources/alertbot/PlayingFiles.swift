internal import ArgumentParser
internal import Glibc
internal import PluginKit
internal import Preview

/// Reads a file of observations from its begin to its end, however long it is, and says what is wrong with it.
struct PlayedFile {
    private var reader: ObservationReader
    private let path: String

    /// Bytes read at once.
    private static let pieceBytes = 1 << 18

    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - sources: the sources whose lines are wanted.
    init(_ path: String, sources: some Sequence<String>) {
        self.path = path
        reader = ObservationReader(name: path == "-" ? "standard input" : path, sources: Set(sources))
    }

    /// Gives every batch to `take`, in the order of seen; gives back whether every line could be read.
    mutating func play(_ take: (ObservationReader.Batch) -> Void) throws(Failure) -> Bool {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { if path != "-" { close(descriptor) } }
        let size = try size(of: descriptor)
        var bar = ProgressBar("Playing observations")
        var buffer = [UInt8](repeating: 0, count: PlayedFile.pieceBytes)
        var done = 0
        while true {
            let got = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure(errno) }
            if got == 0 { break }
            reader.take(buffer[..<got])
            give(take, &bar)
            done += got
            bar.show(done, of: size)
        }
        reader.finish()
        give(take, &bar)
        bar.end()
        tellRest()
        return reader.brokenCount == 0
    }

    private mutating func give(_ take: (ObservationReader.Batch) -> Void, _ bar: inout ProgressBar) {
        while let batch = reader.nextBatch() { take(batch) }
        let complaints = reader.takeComplaints()
        guard !complaints.isEmpty else { return }
        bar.end()
        for complaint in complaints { Output.error(complaint.description) }
    }

    private func tellRest() {
        if reader.untoldCount > 0 {
            Output.error("alertbot: and \(count(reader.untoldCount, "more line")) with something wrong")
        }
        for (source, lines) in reader.skipped.sorted(by: { $0.key < $1.key }) {
            Output.error(
                "alertbot: warning: skipped \(count(lines, "line")) of source '\(source.tamed.clipped(to: 60))', "
                    + "which the config does not name")
        }
    }

    /// The file's size; 0 for what has none, such as a pipe.
    private func size(of descriptor: Int32) throws(Failure) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw failure(EISDIR) }
        return status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : 0
    }

    private func failure(_ code: Int32) -> Failure {
        Failure(.impossible, "the observations \(path) can not be read: \(String(cString: strerror(code)))")
    }
}

/// Says that lines lie beyond the end that somebody asked for.
func tellUnplayed(_ lines: Int, _ end: Moment?) {
    guard lines > 0, let end else { return }
    Output.error("alertbot: warning: \(count(lines, "line")) seen after \(end) \(lines == 1 ? "is" : "are") not played")
}
