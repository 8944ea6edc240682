/// One line of a file of observations: what a source saw, what an answer could not tell, or how a poll ended that brought no
/// figures.
public enum ObservationLine: Hashable, Sendable, JSONWritable {
    case observed(Observation)
    case empty(EmptyPoll)
    /// It belongs to the lines that arrived with it.
    case partial(PartialPoll)

    /// A poll that failed.
    public static func failed(source: String, reason: String, seen: Moment) -> ObservationLine {
        .empty(EmptyPoll(source: source, .failed(EmptyPoll.Failure(reason: reason)), seen: seen))
    }

    /// Why the poll failed, where it did.
    public var failure: EmptyPoll.Failure? {
        guard case .empty(let poll) = self, case .failed(let failure) = poll.outcome else { return nil }
        return failure
    }

    public var source: String {
        switch self {
        case .observed(let observation): observation.subject.source
        case .empty(let poll): poll.source
        case .partial(let poll): poll.source
        }
    }

    public var seen: Moment {
        switch self {
        case .observed(let observation): observation.seen
        case .empty(let poll): poll.seen
        case .partial(let poll): poll.seen
        }
    }

    /// Longest line read: issues come a hundred at a time with titles of some hundred bytes.
    public static let lineBytesMax = 1 << 20

    /// What keeps a line of a file from being one: it is no JSON, and in which column, or not of an observation.
    public struct Mistake: Error, Hashable, Sendable {
        /// In bytes, from 1; nil where the line is JSON but not an observation.
        public let column: Int?
        public let sentence: String

        /// A line as JSON. What does not even begin as an object is told what a line is, and not in which letter it
        /// differs from some word of JSON.
        static func parsing(_ line: UnsafeBufferPointer<UInt8>) throws(Mistake) -> JSON {
            do { return try JSON(parsing: line) } catch {
                let begin = line.firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? 0
                let isObject = line.indices.contains(begin) && line[begin] == UInt8(ascii: "{")
                throw isObject
                    ? Mistake(column: error.column, sentence: error.problem)
                    : Mistake(column: begin + 1, sentence: "expected a JSON object")
            }
        }
    }

    /// Reads a line of a file.
    public init(parsing line: UnsafeBufferPointer<UInt8>) throws(Mistake) {
        self = try RecordedLine(parsing: line).line
    }

    /// Reads a line that has been parsed as JSON.
    ///
    /// Unknown members are passed over, so that later versions may add some.
    public init(_ json: JSON) throws(JSONMismatch) {
        let line = JSONReader(json)
        if let missing = ObservationLine.missing(in: json) {
            throw JSONMismatch(path: line.path, expected: missing.expected, found: missing.found)
        }
        let source = try line.member("source").nonEmptyString()
        let seen = try line.member("seen").moment()
        if let partial = try PartialPoll(line, source: source, seen: seen) {
            self = .partial(partial)
            return
        }
        if let outcome = try EmptyPoll.Outcome(line) {
            // Which of the two is meant nobody knows, and figures must not be lost.
            if let figures = try line.optional("metrics") {
                throw figures.mismatch(expected: "no metrics beside 'failed' or 'outcome'")
            }
            self = .empty(EmptyPoll(source: source, outcome, seen: seen))
            return
        }
        let from = try line.member("from").moment()
        let to = try line.member("to")
        guard let span = TimeSpan(from: from, to: try to.moment()) else {
            throw to.mismatch(expected: "an instant after 'from' (\(from))")
        }
        var observation = Observation(
            subject: Subject(
                source: source, app: try line.member("app").nonEmptyString(),
                release: try line.optional("release")?.string(),
                environment: try line.optional("environment")?.string()),
            span: span, seen: seen, isComplete: try line.optional("complete")?.bool() ?? true,
            metrics: try ObservationLine.metrics(line.member("metrics")))
        observation.issues = try ObservationLine.issues(line.optional("issues"))
        observation.issuesUnread = try line.optional("issues_unread")?.bool() ?? false
        if let labels = try line.optional("labels") {
            for (name, value) in try labels.members() { observation.labels[name] = try value.string() }
        }
        if let flaw = observation.flaw {
            throw JSONMismatch(path: line.path, expected: "a plausible observation", found: flaw)
        }
        self = .observed(observation)
    }

    /// What a line needs and lacks, where it lacks several members: one by one would take as many tries.
    private static func missing(in json: JSON) -> (expected: String, found: String)? {
        guard case .object(let object) = json else { return nil }
        let isEmpty = ["failed", "outcome"].contains { object[$0].map { $0 != .null } ?? false }
        let required = ["source", "seen"] + (isEmpty ? [] : ["app", "from", "to", "metrics"])
        let missing = required.filter { object[$0] == nil }
        guard missing.count > 1 else { return nil }
        func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
        // Of what is pushed, the source and the time are filled in.
        let always = required.prefix(2).contains(where: missing.contains) ? "'source', 'seen' and " : ""
        return (
            isEmpty ? "'source' and 'seen'" : "\(always)either 'failed' or 'app', 'from', 'to' and 'metrics'",
            "an object without \(list(missing))"
        )
    }

    private static func metrics(_ reader: JSONReader) throws(JSONMismatch) -> Metrics {
        var named: [(name: String, value: Double)] = []
        for (name, value) in try reader.members() where value.value != .null {
            named.append((name, try value.number()))
        }
        var metrics = Metrics(named)
        metrics.settle()
        if let flaw = metrics.flaw {
            throw JSONMismatch(path: reader.path, expected: "plausible figures", found: flaw)
        }
        return metrics
    }

    private static func issues(_ reader: JSONReader?) throws(JSONMismatch) -> [Issue] {
        guard let reader else { return [] }
        var issues: [Issue] = []
        for element in try reader.elements().prefix(Issue.countMax) { issues.append(try Issue(element)) }
        return issues
    }

    /// Puts the line in the order that the documentation shows.
    public func put(into json: inout JSONWriter) { json.object { putMembers(into: &$0) } }

    func putMembers(into json: inout JSONWriter) {
        switch self {
        case .empty(let poll): poll.putMembers(into: &json)
        case .partial(let poll): poll.putMembers(into: &json)
        case .observed(let observation):
            json.member("source", observation.subject.source)
            json.member("app", observation.subject.app)
            json.member("release", ifAny: observation.subject.release)
            json.member("environment", ifAny: observation.subject.environment)
            json.member("from", observation.span.from)
            json.member("to", observation.span.to)
            json.member("seen", observation.seen)
            json.member("complete", observation.isComplete)
            json.member("metrics", observation.metrics)
            if !observation.issues.isEmpty {
                json.member("issues", observation.issues)
            } else if observation.issuesUnread {
                json.member("issues_unread", true)
            }
            if !observation.labels.isEmpty { json.member("labels", observation.labels) }
        }
    }
}

extension Observation {
    /// The observation as it is after its way through JSON: titles clipped, figures that are no numbers left out.
    ///
    /// Nearly all are that way from the beginning, and are spared the way.
    public func written() throws(JSONMismatch) -> Observation {
        if isAsWritten { return self }
        guard case .observed(let written) = try ObservationLine(ObservationLine.observed(self).json) else {
            return self
        }
        return written
    }

    /// Whether the way through JSON would change nothing and find nothing wrong; false also where only the way can
    /// tell.
    public var isAsWritten: Bool {
        let moments = Moment.earliest...Moment.latest
        guard !subject.source.isEmpty, !subject.app.isEmpty, moments.contains(span.from), moments.contains(span.to),
            moments.contains(seen), flaw == nil, issues.count <= Issue.countMax, issues.allSatisfy(\.isAsWritten),
            metrics.entries.count <= Metrics.kindsMax, issues.isEmpty || !issuesUnread
        else { return false }
        for (index, entry) in metrics.entries.enumerated() {
            // A negative zero loses its sign; of a name that comes twice the last one counts.
            if entry.value == 0, entry.value.sign == .minus { return false }
            if metrics.entries[..<index].contains(where: { $0.metric == entry.metric }) { return false }
        }
        return true
    }
}

extension Issue: JSONWritable {
    /// The same for one issue.
    fileprivate var isAsWritten: Bool {
        let moments = Moment.earliest...Moment.latest
        // A negative zero loses its sign.
        let isPlain = [events, users].allSatisfy { $0.map { $0.isFinite && $0.sign == .plus } ?? true }
        // No text has more characters than bytes.
        return isPlain && !id.isEmpty && title.utf8.count <= Issue.titleCharactersMax
            && [firstSeen, lastSeen, returned].allSatisfy { $0.map(moments.contains) ?? true }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(
            id: try reader.member("id").nonEmptyString(),
            title: try reader.optional("title")?.string().clipped(to: Issue.titleCharactersMax) ?? "",
            events: try reader.optional("events")?.count(), users: try reader.optional("users")?.count(),
            firstSeen: try reader.optional("first_seen")?.moment(),
            lastSeen: try reader.optional("last_seen")?.moment(),
            returned: try reader.optional("returned")?.moment(),
            release: try reader.optional("release")?.string(), status: try reader.optional("status")?.string(),
            url: try reader.optional("url")?.string())
    }

    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("title", title)
            json.member("events", ifAny: events)
            json.member("users", ifAny: users)
            json.member("first_seen", ifAny: firstSeen)
            json.member("last_seen", ifAny: lastSeen)
            json.member("returned", ifAny: returned)
            json.member("release", ifAny: release)
            json.member("status", ifAny: status)
            json.member("url", ifAny: url)
        }
    }
}

extension JSONReader {
    /// A string with at least one character.
    public func nonEmptyString() throws(JSONMismatch) -> String {
        let text = try string()
        guard !text.isEmpty else { throw mismatch(expected: "a string that is not empty") }
        return text
    }

    /// A number that counts things: finite and not negative.
    public func count() throws(JSONMismatch) -> Double {
        let number = try number()
        guard number >= 0 else { throw mismatch(expected: "a count, 0 or more") }
        return number
    }
}
