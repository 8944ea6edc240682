internal import PluginKit

/// The lines of a stretch, read.
struct LineBatch {
    struct Line {
        enum Content {
            case observed(Observation)
            case failed(reason: String)
            /// What an answer could not tell.
            case partial(Unread)
            /// A poll that brought nothing, and said nothing about what there is.
            case nothing
            /// Column or path, and what is wrong.
            case broken(String)
        }

        /// In the file, from 1.
        let number: Int
        /// Where it begins in the file.
        let begin: Int64
        let seen: Moment?
        let content: Content
    }

    /// Lines without a word on what there is are left out.
    private(set) var lines: [Line] = []
    /// Where the first line begins that was not read.
    private(set) var end: Int64
    /// How many lines of the file come before that.
    private(set) var linesRead: Int
    /// When the file is read, where it is read anew each time; nil where each line is read once.
    private let now: Moment?
    /// What answers left open, and when.
    private var parts: [(seen: Moment, unread: Unread)] = []
    /// Where the first begins of the parts that nothing follows, the lines before it, and the parts.
    private var trailing: (begin: Int64, linesBefore: Int, partsBefore: Int)?

    /// What the lines leave open: of a broken one nobody knows whose it is, and an answer that came later has settled what an
    /// earlier one left open.
    var unread: Unread {
        var unread = Unread.nothing
        var newest = Moment.earliest
        for line in lines {
            switch line.content {
            case .broken: return .anything
            case .observed: newest = max(newest, line.seen ?? .earliest)
            case .failed, .partial, .nothing: break
            }
        }
        for part in parts where part.seen >= newest { unread.formUnion(part.unread) }
        return unread
    }

    /// - Parameters:
    ///   - endsOpen: whether a last line without a line feed is still being written.
    ///   - now: when the file is read, where it is read anew each time. Of what is read once, a clock that is ahead is set right
    ///     with the observation.
    init(_ stretch: FileStretch, linesBefore: Int, endsOpen: Bool, at now: Moment?) {
        self.now = now
        end = stretch.start
        linesRead = linesBefore
        var rest = stretch.bytes[...]
        while let feed = rest.firstIndex(of: UInt8(ascii: "\n")) {
            add(rest[..<feed], length: rest.distance(from: rest.startIndex, to: feed) + 1)
            rest = rest[(feed + 1)...]
        }
        if !endsOpen, !rest.isEmpty { add(rest, length: rest.count) }
    }

    private mutating func add(_ bytes: ArraySlice<UInt8>, length: Int) {
        linesRead += 1
        if !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) {
            let line = Line(bytes, number: linesRead, begin: end).believed(at: now)
            switch line.content {
            case .nothing: trailing = nil
            case .partial(let unread):
                trailing = trailing ?? (end, linesRead - 1, parts.count)
                parts.append((line.seen ?? .earliest, unread))
            case .observed, .failed, .broken:
                trailing = nil
                lines.append(line)
            }
        }
        end += Int64(length)
    }

    /// Gives back what follows the last observation from the first recorded failure on; without an observation nothing.
    mutating func cutTrailingFailures() {
        guard let last = lines.lastIndex(where: { if case .observed = $0.content { true } else { false } }),
            let cut = lines[last...].firstIndex(where: { if case .failed = $0.content { true } else { false } })
        else { return }
        end = lines[cut].begin
        linesRead = lines[cut].number - 1
        lines.removeSubrange(cut...)
    }

    /// What is wrong with when a line was seen; nil where a clock that is right may say so.
    fileprivate static func mistake(inSeen seen: Moment, at now: Moment) -> String? {
        guard seen > now + Observation.clockSlackMax else { return nil }
        return
            "$.seen: found \(seen), expected a moment no more than \(Observation.clockSlackMax.short) after now "
            + "(\(now)); is a clock ahead?"
    }

    /// Gives back what an answer left open and nothing follows: the figures of that answer are still to come.
    mutating func cutTrailingParts() {
        guard let trailing else { return }
        end = trailing.begin
        linesRead = trailing.linesBefore
        parts.removeSubrange(trailing.partsBefore...)
    }

    /// The observations, as this source's own: whoever wrote the file need not know what the config calls it.
    func observations(of source: String) -> [Observation] {
        lines.compactMap { line in
            guard case .observed(var observation) = line.content else { return nil }
            let subject = observation.subject
            observation.subject = Subject(
                source: source, app: subject.app, release: subject.release, environment: subject.environment)
            return observation
        }
    }

    /// Why there is no observation: the last failure recorded, or the first broken line.
    func failure(in name: String) -> PollFailure {
        for line in lines.reversed() {
            if case .failed(let reason) = line.content { return PollFailure(recorded: reason) }
        }
        return PollFailure(.badAnswer, broken(in: name).first ?? "\(name) holds no observation")
    }

    /// Most broken lines named one by one.
    private static let warningsMax = 5

    func warnings(in name: String) -> [String] {
        let sentences = broken(in: name)
        guard sentences.count > LineBatch.warningsMax else { return sentences }
        return sentences.prefix(LineBatch.warningsMax)
            + ["\(name): \((sentences.count - LineBatch.warningsMax).counted("more line")) cannot be used"]
    }

    private func broken(in name: String) -> [String] {
        lines.compactMap { if case .broken(let what) = $0.content { "\(name):\($0.number):\(what)" } else { nil } }
    }
}

extension LineBatch.Line {
    /// The same, or, where it says that it was seen after now, a broken one: it would be the newest for as long as it stands
    /// in the file, whatever true lines say.
    fileprivate func believed(at now: Moment?) -> LineBatch.Line {
        guard let seen, let now, let mistake = LineBatch.mistake(inSeen: seen, at: now) else { return self }
        return LineBatch.Line(number: number, begin: begin, seen: nil, content: .broken(" \(mistake)"))
    }

    fileprivate init(_ bytes: ArraySlice<UInt8>, number: Int, begin: Int64) {
        self.number = number
        self.begin = begin
        guard bytes.count <= ObservationLine.lineBytesMax else {
            (seen, content) = (nil, .broken(" the line is longer than \(ObservationLine.lineBytesMax) bytes"))
            return
        }
        do {
            let line = try bytes.withUnsafeBufferPointer { try ObservationLine(parsing: $0) }
            seen = line.seen
            switch line {
            case .observed(let observation): content = .observed(observation)
            case .empty(let poll):
                content =
                    if case .failed(let failure) = poll.outcome { .failed(reason: failure.reason) } else { .nothing }
            case .partial(let poll): content = .partial(poll.unread)
            }
        } catch let mistake as ObservationLine.Mistake {
            (seen, content) = (nil, .broken("\(mistake.column.map { "\($0):" } ?? "") \(mistake.sentence)"))
        } catch {
            (seen, content) = (nil, .broken(" \(error)"))
        }
    }
}
