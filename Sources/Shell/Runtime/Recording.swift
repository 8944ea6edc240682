public import Journal
public import PluginKit

/// Bounds of a recording.
public struct RecordingLimits: Sendable {
    /// Days kept, the present one not counted.
    public var daysMax: Int
    /// All files together; the oldest goes before the newest could make them more.
    public var bytesMax: Int
    /// A file that has grown to this is followed by another; the last answer in it may reach beyond.
    public var fileBytesMax: Int

    public init(daysMax: Int, bytesMax: Int, fileBytesMax: Int) {
        self.daysMax = daysMax
        self.bytesMax = bytesMax
        self.fileBytesMax = fileBytesMax
    }

    /// A month, for a month is what people compare a change of the config with; 256 MiB, a share of the smallest disk
    /// that nobody misses; files of 8 MiB, so that what goes at once is a small part.
    public static let standard = RecordingLimits(daysMax: 30, bytesMax: 256 << 20, fileBytesMax: 8 << 20)
}

/// The name of one file of a recording, such as `2026-11-20-1.jsonl`: the UTC day on which its lines arrived, and which
/// of the day's files it is, from 1.
public struct RecordingName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Days since 1970-01-01.
    public let day: Int
    public let number: Int

    init(day: Int, number: Int) {
        self.day = day
        self.number = number
    }

    /// Reads a name; nil for any other file.
    public init?(_ name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1] == "jsonl" else { return nil }
        let words = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        let numbers = words.compactMap { Int($0) }
        guard words.count == 4, numbers.count == 4, numbers[3] >= 1,
            let civil = CivilTime(year: numbers[0], month: numbers[1], day: numbers[2])
        else { return nil }
        self.init(day: civil.day, number: numbers[3])
        guard description == name else { return nil }
    }

    public var description: String { "\(CivilTime(day: day, secondOfDay: 0).dateText)-\(number).jsonl" }

    /// What is left of names in order without those that lie more than a year before the rest: nobody records so, but a clock
    /// that is not set yet is soon decades late.
    ///
    /// - Parameter now: what lies behind it is no reason to leave out anything.
    public static func afterLastGap(_ names: [RecordingName], asOf now: Moment) -> ArraySlice<RecordingName> {
        let today = CivilTime(now).day
        let last = names.indices.dropFirst().last { index in
            names[index].day <= today && names[index].day - names[index - 1].day > 365
        }
        return names[(last ?? 0)...]
    }

    public static func < (left: RecordingName, right: RecordingName) -> Bool {
        (left.day, left.number) < (right.day, right.number)
    }
}

/// What the bot has taken in, written as it came, into files that any reader of observations reads.
///
/// It is made for looking back and holds nothing that the bot needs: it is never synced, and what could not be written
/// is let go. Whoever plays it gets what came of every poll at the moment at which the bot knew it.
public struct Recording {
    private struct Open {
        let name: RecordingName
        let file: any JournalFile
        var bytes: Int
    }

    private let disk: any JournalDisk
    private let limits: RecordingLimits
    private var open: Open?

    public init(_ disk: any JournalDisk, limits: RecordingLimits = .standard) {
        self.disk = disk
        self.limits = limits
    }

    /// The files of a recording, oldest first.
    ///
    /// - Parameter until: leaves out files in which everything arrived later.
    public static func files(in disk: any JournalDisk, until: Moment? = nil) throws(DiskFault) -> [RecordingName] {
        let last = until.map { CivilTime($0).day } ?? .max
        do {
            return try disk.list().compactMap(RecordingName.init).filter { $0.day <= last }.sorted()
        } catch  where error.reason == .absent {
            return []
        }
    }

    /// Writes lines that arrived at one moment. After a fault none of them is there, as far as the disk allows.
    public mutating func write(_ lines: [RecordedLine], at now: Moment) throws(DiskFault) {
        var bytes: [UInt8] = []
        RecordedSheet.writing(lines) { line in
            let begin = bytes.count
            line.write(to: &bytes)
            // No reader would take it.
            guard bytes.count - begin <= ObservationLine.lineBytesMax else { return bytes.removeSubrange(begin...) }
            bytes.append(UInt8(ascii: "\n"))
        }
        guard !bytes.isEmpty else { return }
        var open = try self.open(at: now)
        // What goes wrong from here on leaves the file to be looked at anew.
        self.open = nil
        do { try open.file.write(bytes, at: open.bytes) } catch {
            // Some of the bytes may be there.
            try? open.file.truncate(to: open.bytes)
            throw error
        }
        open.bytes += bytes.count
        self.open = open
    }

    /// Gives up the oldest file for something that needs the room more; the name of what went.
    public mutating func makeRoom() throws(DiskFault) -> RecordingName? {
        guard let oldest = try Recording.files(in: disk).first else { return nil }
        if open?.name == oldest { open = nil }
        try disk.remove(oldest.description)
        return oldest
    }

    /// The file to write to now.
    private mutating func open(at now: Moment) throws(DiskFault) -> Open {
        let day = CivilTime(now).day
        if let open, open.name.day == day, open.bytes < limits.fileBytesMax, open.file.isInPlace() { return open }
        try disk.makeFolder()
        let files = try Recording.files(in: disk)
        let last = files.last { $0.day == day }
        // Of a bot that was started anew, or of a clock that went back over midnight.
        if let last, let open = try goOn(last) { return open }
        let name = RecordingName(day: day, number: (last?.number ?? 0) + 1)
        try tidy(files, day: day)
        return Open(name: name, file: try disk.openToWrite(name.description), bytes: 0)
    }

    /// Opens a file that is there, without what a kill has left of its last line; nil if it is better left alone.
    private func goOn(_ name: RecordingName) throws(DiskFault) -> Open? {
        let file = try disk.openToWrite(name.description)
        let size = try file.bytesCount()
        guard size < limits.fileBytesMax else { return nil }
        let tailBytes = min(size, ObservationLine.lineBytesMax)
        let tail = try file.read(at: size - tailBytes, bytesMax: tailBytes)
        guard tail.count == tailBytes else { return nil }
        let feed = tail.lastIndex(of: UInt8(ascii: "\n"))
        guard feed != nil || tailBytes == size else { return nil }
        let whole = size - tailBytes + (feed.map { $0 + 1 } ?? 0)
        if whole < size { try file.truncate(to: whole) }
        return Open(name: name, file: file, bytes: whole)
    }

    /// Removes what is too old, and the oldest files until there is room for another.
    private func tidy(_ files: [RecordingName], day: Int) throws(DiskFault) {
        var kept: [(name: RecordingName, bytes: Int)] = []
        for name in files {
            if name.day < day - limits.daysMax {
                try disk.remove(name.description)
            } else {
                kept.append((name, try disk.openToRead(name.description).bytesCount()))
            }
        }
        var total = kept.reduce(0) { $0 + $1.bytes }
        for (name, bytes) in kept where total + limits.fileBytesMax > limits.bytesMax {
            try disk.remove(name.description)
            total -= bytes
        }
    }
}

extension PollReport {
    /// What a recording keeps of it.
    ///
    /// - Parameters:
    ///   - asked: when the poll began.
    ///   - arrived: when the bot took in what came of it.
    public func lines(of source: String, asked: Moment, arrived: Moment) -> [RecordedLine] {
        func empty(_ outcome: EmptyPoll.Outcome) -> [RecordedLine] {
            [RecordedLine(.empty(EmptyPoll(source: source, outcome, seen: arrived)), asked: asked, arrived: arrived)]
        }
        var partial: [RecordedLine] {
            let waits = PollFailure(.rateLimited, warnings.first ?? "a budget is used up", retryAt: notBefore)
            let lack = missing ?? (isPartWaiting ? waits : nil)
            guard unread != .nothing || lack != nil else { return [] }
            let poll = PartialPoll(source: source, unread, failure: lack.map(EmptyPoll.Failure.init), seen: arrived)
            return [RecordedLine(.partial(poll), asked: asked, arrived: arrived)]
        }
        switch outcome {
        case .values(let observations):
            // As the core takes them in: what it leaves out would be a broken line.
            var lines = observations.filter { $0.subject.source == source }.compactMap { observation in
                (try? observation.written()).map {
                    RecordedLine(.observed($0), asked: asked, arrived: arrived)
                }
            }
            if lines.isEmpty { lines = empty(.noData) }
            return partial + lines
        case .noData: return partial + empty(.noData)
        case .stale(let measured): return empty(.stale(measured: measured))
        case .unchanged: return partial + empty(.unchanged)
        case .failed(let failure):
            return empty(.failed(EmptyPoll.Failure(failure)))
        }
    }
}

extension EmptyPoll.Failure {
    fileprivate init(_ failure: PollFailure) {
        self.init(reason: failure.reason.rawValue, sentence: failure.description, retryAt: failure.retryAt)
    }
}
