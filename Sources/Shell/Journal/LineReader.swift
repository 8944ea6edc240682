import Glibc

/// Reads a file line by line through one bounded buffer.
struct LineReader {
    /// A line's place in its file.
    struct Spot {
        var line: Int
        var byteOffset: Int
    }

    struct RawLine {
        var spot: Spot
        /// Where the line lies in `buffer` until the next line is asked for; empty for an oversize line.
        var range: Range<Int>
        /// Its length without the line feed.
        var bytes: Int
        /// Whether a line feed ended it, rather than the file.
        var ended: Bool
        var isOversize: Bool
    }

    private(set) var buffer: [UInt8] = []
    /// How many bytes of the file have been taken as lines.
    private(set) var bytesTaken = 0

    private let file: any JournalFile
    private let lineBytesMax: Int
    private let chunkBytes: Int
    /// Where the next line begins in `buffer`.
    private var start = 0
    /// How many bytes of a too long line were dropped from the buffer.
    private var dropped = 0
    private var readOffset = 0
    private var atEnd = false
    private var lineNumber = 0

    init(_ file: any JournalFile, limits: JournalLimits) {
        self.file = file
        lineBytesMax = limits.lineBytesMax
        chunkBytes = limits.chunkBytes
    }

    /// The next line, or `nil` at the end of the file.
    mutating func next() throws(DiskFault) -> RawLine? {
        while true {
            if let end = lineFeed() { return take(upTo: end, ended: true) }
            if atEnd {
                return start == buffer.count && dropped == 0 ? nil : take(upTo: buffer.count, ended: false)
            }
            if buffer.count - start > lineBytesMax {
                dropped += buffer.count - start
                start = buffer.count
            }
            try refill()
        }
    }

    private func lineFeed() -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    private mutating func take(upTo end: Int, ended: Bool) -> RawLine {
        lineNumber += 1
        let bytes = dropped + end - start
        let isOversize = bytes > lineBytesMax
        let line = RawLine(
            spot: Spot(line: lineNumber, byteOffset: bytesTaken), range: isOversize ? end..<end : start..<end,
            bytes: bytes, ended: ended, isOversize: isOversize)
        bytesTaken += bytes + (ended ? 1 : 0)
        start = ended ? end + 1 : end
        dropped = 0
        return line
    }

    private mutating func refill() throws(DiskFault) {
        buffer.removeSubrange(0..<start)
        start = 0
        let chunk = try file.read(at: readOffset, bytesMax: chunkBytes)
        atEnd = chunk.isEmpty
        readOffset += chunk.count
        buffer.append(contentsOf: chunk)
    }
}
