internal import Glibc
public import PluginKit

/// Reads a file of observations piece by piece and gives its lines in the order in which they arrived, however long it
/// is. Where a line does not say when it arrived, it arrived when it was seen.
///
/// Lines wait in a window of bounded size, in which they are put in order. One that comes later than the window reaches
/// is named and used when it comes. A broken line is named and the rest is used.
public struct ObservationReader: Sendable {
    /// Something about one line that people should know.
    public struct Complaint: Hashable, Sendable, CustomStringConvertible {
        public let level: Problem.Level
        public let file: String
        /// From 1.
        public let line: Int
        /// In bytes, from 1; nil where the line is JSON but not an observation.
        public let column: Int?
        public let sentence: String

        public var description: String {
            "\(file):\(line)" + (column.map { ":\($0)" } ?? "") + ": \(level.rawValue): \(sentence)"
        }
    }

    /// What came of one poll of one source.
    public struct Batch: Sendable {
        /// When it arrived.
        public let seen: Moment
        /// When the poll began.
        public let asked: Moment
        public internal(set) var lines: [ObservationLine]

        /// - Parameter asked: when the poll began; nil for when it was seen.
        public init(seen: Moment, asked: Moment? = nil, lines: [ObservationLine]) {
            self.seen = seen
            self.asked = asked ?? seen
            self.lines = lines
        }

        public var source: String { lines.first?.source ?? "" }
    }

    /// Complaints not yet taken, at most `complaintsMax` of the whole file.
    public private(set) var complaints: [Complaint] = []
    /// Broken lines.
    public private(set) var brokenCount = 0
    /// Lines that came later than the window reaches.
    public private(set) var lateCount = 0
    /// Lines of sources that were not asked for, by source.
    public private(set) var skipped: [String: Int] = [:]
    /// When the newest line given so far arrived.
    public private(set) var lastSeen: Moment?
    /// Bytes of the lines that have been read and wait.
    public private(set) var waitingBytes = 0

    private struct Waiting: Sendable {
        let line: RecordedLine
        /// Of the file, and in it.
        let file, number: Int
        let bytes: Int

        var arrived: Moment { line.arrived }
        var source: String { line.line.source }
    }

    /// The files so far; the last one is being read.
    private var names: [String]
    private let sources: Set<String>
    private let windowLines: Int
    private var number = 0
    private var rest: [UInt8] = []
    private var isOverlong = false
    private var isFinished = false
    /// Lines that wait; those before `ready` are in order and may go.
    private var window: [Waiting] = []
    private var next = 0
    private var ready = 0
    private var isInOrder = true
    private var complaintCount = 0

    /// Lines among which order is made: a day of minutes of some forty apps.
    public static let windowLinesMax = 1 << 16
    /// The same in bytes of the file, for lines with many issues.
    static let windowBytesMax = 32 << 20
    /// Complaints told one by one; nobody reads more of one kind.
    public static let complaintsMax = 100
    /// Virtual time is not moved on by more than this from one line to the next: nobody records with so long a gap, but
    /// a slip in a year is soon made.
    public static let gapMax = Duration.days(366)

    /// - Parameters:
    ///   - name: the file's name, for complaints.
    ///   - sources: the sources whose lines are wanted.
    ///   - windowLines: the lines among which order is made; half of them are held back until more come.
    public init(name: String, sources: Set<String>, windowLines: Int = ObservationReader.windowLinesMax) {
        names = [name]
        self.sources = sources
        self.windowLines = windowLines
    }

    /// Takes in the next bytes of the file.
    public mutating func take(_ bytes: some Collection<UInt8>) {
        if bytes.withContiguousStorageIfAvailable({ take($0) }) == nil {
            Array(bytes).withUnsafeBufferPointer { take($0) }
        }
    }

    private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        var left = bytes[...]
        while let base = UnsafeBufferPointer(rebasing: left).baseAddress,
            let end = memchr(base, Int32(UInt8(ascii: "\n")), left.count)
        {
            let length = UnsafeRawPointer(end) - UnsafeRawPointer(base)
            if rest.isEmpty, !isOverlong {
                endLine(UnsafeBufferPointer(start: base, count: length))
            } else {
                keep(left.prefix(length))
                endKept()
            }
            left = left.dropFirst(length + 1)
        }
        keep(left)
    }

    /// Goes on with the next of several files, in which later lines are. Somebody may be writing the one that ends: a
    /// line without an end is none yet.
    public mutating func goOn(with name: String) {
        endFile(isGrowing: true)
        names.append(name)
        number = 0
    }

    private mutating func endFile(isGrowing: Bool) {
        if isGrowing {
            rest = []
            isOverlong = false
        } else if !rest.isEmpty || isOverlong {
            endKept()
        }
    }

    /// Ends the file: what waits may go.
    ///
    /// - Parameter isGrowing: whether somebody may be writing it: a line without an end is none yet.
    public mutating func finish(isGrowing: Bool = false) {
        endFile(isGrowing: isGrowing)
        isFinished = true
        putInOrder(holdingBack: 0)
    }

    /// The next lines in the order of arrival, those of one source and one moment together; nil when more of the file
    /// is needed, or all has been given.
    public mutating func nextBatch() -> Batch? {
        while true {
            if next == ready, isFull { putInOrder(holdingBack: (window.count - next) / 2) }
            guard next < ready else { return nil }
            let first = window[next]
            // What belongs to them may still be held back, right behind.
            let end =
                window[next...].firstIndex {
                    $0.arrived != first.arrived || $0.source != first.source
                } ?? window.count
            // Or may not have been read yet; but nothing waits beyond all bounds.
            guard end < window.count || isFinished || isOverfull else { return nil }
            let batch = Batch(
                seen: first.arrived, asked: first.line.asked, lines: window[next..<end].map(\.line.line))
            waitingBytes -= window[next..<end].reduce(0) { $0 + $1.bytes }
            next = end
            ready = max(ready, next)
            if let lastSeen, batch.seen > lastSeen + ObservationReader.gapMax {
                brokenCount += batch.lines.count
                complain(
                    .error, first.number, of: first.file, nil,
                    "it was seen at \(batch.seen), more than a year after the line before it (\(lastSeen)); "
                        + "is the year right?")
                continue
            }
            lastSeen = max(batch.seen, lastSeen ?? batch.seen)
            return batch
        }
    }

    /// Complaints since the last time.
    public mutating func takeComplaints() -> [Complaint] {
        defer { complaints = [] }
        return complaints
    }

    /// Complaints that were not told one by one.
    public var untoldCount: Int { max(0, complaintCount - ObservationReader.complaintsMax) }

    private mutating func keep(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
        let room = ObservationLine.lineBytesMax - rest.count
        rest.append(contentsOf: bytes.prefix(room))
        isOverlong = isOverlong || bytes.count > room
    }

    /// Ends the line of which some bytes came before.
    private mutating func endKept() {
        let line = rest
        rest = []
        if isOverlong {
            isOverlong = false
            number += 1
            tooLong()
        } else {
            line.withUnsafeBufferPointer { endLine($0) }
        }
    }

    private mutating func tooLong() {
        brokenCount += 1
        complain(.error, number, nil, "the line is longer than \(ObservationLine.lineBytesMax >> 20) MiB")
    }

    private mutating func endLine(_ bytes: UnsafeBufferPointer<UInt8>) {
        number += 1
        guard bytes.count <= ObservationLine.lineBytesMax else { return tooLong() }
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
        do {
            let lines = try RecordedLine.reading(bytes)
            for line in lines {
                if sources.contains(line.line.source) {
                    wait(line, bytes.count / lines.count)
                } else {
                    skipped[line.line.source, default: 0] += 1
                }
            }
        } catch {
            brokenCount += 1
            complain(.error, number, error.column, error.sentence)
        }
    }

    private mutating func wait(_ line: RecordedLine, _ bytes: Int) {
        if let lastSeen, line.arrived < lastSeen {
            lateCount += 1
            complain(
                .warning, number, nil,
                "it was seen at \(line.arrived), long before the lines around it (\(lastSeen)); it is treated as if it "
                    + "came late"
            )
        }
        let waiting = Waiting(line: line, file: names.count - 1, number: number, bytes: bytes)
        if let before = window.last {
            let mayAlternate = waiting.arrived == before.arrived && waiting.source != before.source
            if waiting.arrived < before.arrived || mayAlternate { isInOrder = false }
        }
        window.append(waiting)
        waitingBytes += bytes
    }

    /// Whether more waits than is kept waiting.
    private var isFull: Bool { waits(atLeast: 1) }

    private var isOverfull: Bool { waits(atLeast: 2) }

    private func waits(atLeast windows: Int) -> Bool {
        window.count - next >= windows * windowLines || waitingBytes >= windows * ObservationReader.windowBytesMax
    }

    /// Sorts what waits and lets all of it go but the newest lines.
    private mutating func putInOrder(holdingBack held: Int) {
        window.removeFirst(next)
        next = 0
        if !isInOrder {
            // By number too: lines seen at one moment stay in the order of the file.
            window.sort { ($0.arrived, $0.file, $0.number) < ($1.arrived, $1.file, $1.number) }
            gatherPolls()
            isInOrder = true
        }
        ready = window.count - held
    }

    /// Brings together what one source saw at one moment, for that is one poll: other sources may stand between, as in a file
    /// in the order of apps. Sources stay in the order in which the file names them.
    private mutating func gatherPolls() {
        var start = 0
        while start < window.count {
            let end = window[start...].firstIndex { $0.arrived != window[start].arrived } ?? window.count
            var ranks: [String: Int] = [:]
            for waiting in window[start..<end] where ranks[waiting.source] == nil {
                ranks[waiting.source] = ranks.count
            }
            if ranks.count > 1 {
                window[start..<end].sort {
                    (ranks[$0.source, default: 0], $0.file, $0.number)
                        < (ranks[$1.source, default: 0], $1.file, $1.number)
                }
            }
            start = end
        }
    }

    private mutating func complain(
        _ level: Problem.Level, _ line: Int, of file: Int? = nil, _ column: Int?, _ sentence: String
    ) {
        complaintCount += 1
        guard complaintCount <= ObservationReader.complaintsMax else { return }
        let name = names[file ?? names.count - 1]
        complaints.append(Complaint(level: level, file: name, line: line, column: column, sentence: sentence))
    }
}

extension [ObservationLine] {
    /// Lines that are in the order of seen, those of one source and one moment together.
    public var inBatches: [ObservationReader.Batch] {
        map { ObservationReader.Batch(seen: $0.seen, lines: [$0]) }.together
    }
}

extension [ObservationReader.Batch] {
    /// Those of one source, one moment and one poll together; they are in the order of seen.
    public var together: [ObservationReader.Batch] {
        reduce(into: []) { batches, batch in
            if let last = batches.last, last.seen == batch.seen, last.asked == batch.asked, last.source == batch.source
            {
                batches[batches.count - 1].lines += batch.lines
            } else {
                batches.append(batch)
            }
        }
    }
}
