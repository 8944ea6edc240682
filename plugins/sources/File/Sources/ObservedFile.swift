internal import PluginKit

/// A file and how a stretch of it is read, step by step.
struct ObservedFile: Hashable, Sendable {
    /// As the config names it, for people.
    let name: String
    /// Absolute.
    let path: String

    /// Where reading goes on, and in which file.
    struct Place: Hashable, Sendable {
        let identity: String
        /// The beginning of a line.
        let offset: Int64
        /// Of what stood right before it; nil where that was not noted.
        let hash: String?
    }

    /// How much of what stood before a place is looked at again: a file that was written anew in place, with lines as long
    /// as those before, has other figures or other times there.
    static let tailBytesMax: Int64 = 4096

    /// Bytes asked for at a time: the longest line fits.
    static let chunkBytesMax = ObservationLine.lineBytesMax
    /// Most bytes of one poll. Observations take some hundred bytes, so this is tens of thousands of them.
    static let stretchBytesMax = 16 << 20
    /// How often reading starts over within a poll because the file was replaced meanwhile.
    private static let restartsMax = 3

    /// Reads from the place to the end of the file, or from the beginning where there is no place or the file is not
    /// the one it was.
    func read(
        after place: Place? = nil, then finish: @escaping @Sendable (FileStretch) -> PollReport
    ) -> PollStep {
        guard let place, place.offset > 0 else { return fromStart(restarts: 0, finish) }
        // What stood before the place is still there, unless the file was written anew.
        let tail = min(place.offset, ObservedFile.tailBytesMax)
        let request = FileRequest(
            path: path, offset: place.offset - tail, bytesMax: ObservedFile.chunkBytesMax + Int(tail))
        return .read(request) { result in
            switch result {
            case .failed(let sentence): return unreadable(sentence)
            case .contents(let bytes, let size, let identity):
                let before = Array(bytes.prefix(Int(tail)))
                guard identity == place.identity, size >= place.offset, before.last == UInt8(ascii: "\n"),
                    place.hash.map({ $0 == FileStretch.hash(of: before) }) ?? true
                else {
                    return fromStart(restarts: 0, finish)
                }
                let stretch = FileStretch(
                    start: place.offset, bytes: Array(bytes.dropFirst(before.count)), size: size, identity: identity,
                    before: before)
                return goOn(stretch, restarts: 0, finish)
            }
        }
    }

    private func fromStart(restarts: Int, _ finish: @escaping @Sendable (FileStretch) -> PollReport) -> PollStep {
        guard restarts <= ObservedFile.restartsMax else {
            return .fail(PollFailure(.unreadable, "\(name) is replaced faster than it can be read"))
        }
        return .read(FileRequest(path: path, bytesMax: ObservedFile.chunkBytesMax)) { result in
            switch result {
            case .failed(let sentence): return unreadable(sentence)
            case .contents(let bytes, let size, let identity):
                let stretch = FileStretch(start: 0, bytes: bytes, size: size, identity: identity)
                return goOn(stretch, restarts: restarts, finish)
            }
        }
    }

    private func goOn(
        _ stretch: FileStretch, restarts: Int, _ finish: @escaping @Sendable (FileStretch) -> PollReport
    ) -> PollStep {
        if stretch.isToEnd || stretch.bytes.count >= ObservedFile.stretchBytesMax { return .finish(finish(stretch)) }
        return .read(FileRequest(path: path, offset: stretch.end, bytesMax: ObservedFile.chunkBytesMax)) { result in
            switch result {
            case .failed(let sentence): return unreadable(sentence)
            case .contents(let bytes, let size, let identity):
                guard identity == stretch.identity, size >= stretch.end, !bytes.isEmpty || size == stretch.end else {
                    return fromStart(restarts: restarts + 1, finish)
                }
                var longer = stretch
                longer.bytes += bytes
                longer.size = size
                return goOn(longer, restarts: restarts, finish)
            }
        }
    }

    private func unreadable(_ sentence: String) -> PollStep {
        .fail(PollFailure(.unreadable, "\(name) cannot be read: \(sentence.tamed.clipped(to: 200))"))
    }
}

/// Bytes of a file that follow each other.
struct FileStretch: Sendable {
    /// Where in the file they begin.
    let start: Int64
    var bytes: [UInt8]
    /// Of the whole file.
    var size: Int64
    let identity: String
    /// What stands right before them, as far as it was looked at.
    var before: [UInt8] = []

    /// Whether they begin where the last poll ended, not at the file's beginning.
    var isContinued: Bool { start > 0 }
    var end: Int64 { start + Int64(bytes.count) }
    var isToEnd: Bool { end >= size }

    /// A hash of what stands right before an offset within.
    func hash(before offset: Int64) -> String? {
        guard offset > 0 else { return nil }
        let within = Int(offset - start)
        let tail = (before + bytes.prefix(within)).suffix(Int(ObservedFile.tailBytesMax))
        return FileStretch.hash(of: tail)
    }

    static func hash(of bytes: some Sequence<UInt8>) -> String {
        var hash = StableHash()
        hash.add(String(decoding: Array(bytes), as: UTF8.self))
        return hash.text
    }
}
