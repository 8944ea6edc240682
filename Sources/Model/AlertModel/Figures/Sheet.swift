/// What one answer of a source said of several subjects over one span: what they share is said once, and of each of them
/// little more than its figures.
///
/// Most of what a bot writes are figures, and by themselves they take a fifth of an observation's bytes.
public struct Sheet: Hashable, Sendable {
    public struct Row: Hashable, Sendable {
        public let observation: Observation
        /// Since when older figures of the subject wait apart, as `Retention` has it.
        public let reach: Moment?

        public init(_ observation: Observation, reach: Moment? = nil) {
            self.observation = observation
            self.reach = reach
        }
    }

    /// At least one.
    public private(set) var rows: [Row]
    private var bytes: Int

    public init(_ row: Row) {
        rows = [row]
        bytes = row.observation.roughBytes
    }

    /// Most rows of one: a record of the journal stays far below what it may take.
    public static let rowsMax = 256
    /// What it may take, roughly: with every letter escaped still less than a line of a recording may have.
    private static let bytesMax = 128 << 10

    /// Adds a row, where it shares what the others share and there is room; gives back whether it does. What names issues
    /// has little to share and stays by itself.
    public mutating func add(_ row: Row) -> Bool {
        let new = row.observation
        guard rows.count < Sheet.rowsMax, bytes + new.roughBytes <= Sheet.bytesMax, rows[0].shares(with: new)
        else { return false }
        bytes += new.roughBytes
        rows.append(row)
        return true
    }
}

extension Sheet.Row {
    fileprivate func shares(with other: Observation) -> Bool {
        guard observation.span == other.span, observation.seen == other.seen,
            observation.isComplete == other.isComplete, observation.issues.isEmpty, other.issues.isEmpty,
            !observation.issuesUnread, !other.issuesUnread,
            observation.metrics.entries.count == other.metrics.entries.count,
            observation.subject.source == other.subject.source
        else { return false }
        return observation.metrics.entries.indices.allSatisfy {
            observation.metrics.entries[$0].metric == other.metrics.entries[$0].metric
        }
    }
}

extension Observation {
    /// What its words and figures take, of which nobody bounds how many there are.
    fileprivate var roughBytes: Int {
        let names = subject.app.utf8.count + (subject.release?.utf8.count ?? 0) + (subject.environment?.utf8.count ?? 0)
        let plain = names + metrics.entries.count * Observation.figureBytesMax
        return labels.isEmpty ? plain : labels.reduce(plain) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    /// A double with its comma.
    private static let figureBytesMax = 25
}

extension Sheet: JSONWritable {
    public func put(into json: inout JSONWriter) { json.object { putMembers(into: &$0) } }

    func putMembers(into json: inout JSONWriter) {
        let first = rows[0].observation
        json.member("source", first.subject.source)
        json.member("from", first.span.from)
        json.member("to", first.span.to)
        json.member("seen", first.seen)
        if !first.isComplete { json.member("complete", false) }
        json.array("metrics", first.metrics.entries) { json, entry in json.put(entry.name) }
        json.array("rows", rows) { json, row in row.put(into: &json) }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        let source = try reader.member("source").nonEmptyString()
        let span = try TimeSpan(reader)
        let seen = try reader.member("seen").moment()
        let isComplete = try reader.optional("complete")?.bool() ?? true
        var metrics: [Metric] = []
        for name in try reader.member("metrics").elements() { metrics.append(Metric(try name.string())) }
        var rows: [Row] = []
        for element in try reader.member("rows").elements() {
            var observation = Observation(
                subject: Subject(
                    source: source, app: try element.member("app").nonEmptyString(),
                    release: try element.optional("release")?.string(),
                    environment: try element.optional("environment")?.string()),
                span: span, seen: seen, isComplete: isComplete, metrics: Metrics())
            let values = try element.member("values").elements()
            guard values.count == metrics.count else {
                throw try element.member("values").mismatch(expected: "as many as there are metrics")
            }
            for (metric, value) in zip(metrics, values) { observation.metrics[metric] = try value.number() }
            if let labels = try element.optional("labels") {
                for (name, value) in try labels.members() { observation.labels[name] = try value.string() }
            }
            if let flaw = observation.flaw {
                throw JSONMismatch(path: element.path, expected: "a plausible observation", found: flaw)
            }
            rows.append(Row(observation, reach: try element.optional("keep_since")?.moment()))
        }
        guard let sheet = Sheet(rows) else { throw try reader.member("rows").mismatch(expected: "at least one row") }
        self = sheet
    }

    fileprivate init?(_ rows: [Row]) {
        guard !rows.isEmpty else { return nil }
        self.rows = rows
        bytes = rows.reduce(0) { $0 + $1.observation.roughBytes }
    }
}

extension Sheet.Row {
    fileprivate func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("app", observation.subject.app)
            json.member("release", ifAny: observation.subject.release)
            json.member("environment", ifAny: observation.subject.environment)
            json.array("values", observation.metrics.entries) { json, entry in json.put(entry.value) }
            if !observation.labels.isEmpty { json.member("labels", observation.labels) }
            json.member("keep_since", ifAny: reach)
        }
    }
}

extension PlainJSON {
    /// A sheet in the form in which it is written; nil where the general reader has to look at it.
    package mutating func sheet() -> Sheet? {
        guard let found = recordedSheet(), found.asked == nil, found.arrived == nil else { return nil }
        return found.sheet
    }

    /// The same with when the poll began and ended that brought it.
    mutating func recordedSheet() -> (sheet: Sheet, asked: Moment?, arrived: Moment?)? {
        var source: String?
        var from, to, seen, asked, arrived: Moment?
        var isComplete: Bool?
        var metrics: [Metric]?
        var rows: [Sheet.Row]?
        let isPlain = members { scanner, name in
            switch name.count {
            case 2 where name.reads("to"): return scanner.set(&to) { $0.moment() }
            case 4 where name.reads("from"): return scanner.set(&from) { $0.moment() }
            case 4 where name.reads("seen"): return scanner.set(&seen) { $0.moment() }
            case 4 where name.reads("rows"):
                guard let source, !source.isEmpty, let from, let to, let span = TimeSpan(from: from, to: to), let seen,
                    let metrics
                else { return false }
                let complete = isComplete ?? true
                return scanner.set(&rows) { scanner in
                    scanner.elements { scanner in
                        scanner.row(of: source, span, seen, isComplete: complete, metrics)
                    }
                }
            case 5 where name.reads("asked"): return scanner.set(&asked) { $0.moment() }
            case 6 where name.reads("source"): return scanner.set(&source) { $0.text() }
            case 7 where name.reads("arrived"): return scanner.set(&arrived) { $0.moment() }
            case 7 where name.reads("metrics"):
                return scanner.set(&metrics) { $0.elements { $0.rawText()?.metric } }
            case 8 where name.reads("complete"): return scanner.set(&isComplete) { $0.flag() }
            default: return false
            }
        }
        guard isPlain, let sheet = rows.flatMap(Sheet.init) else { return nil }
        return (sheet, asked, arrived)
    }

    private mutating func row(
        of source: String, _ span: TimeSpan, _ seen: Moment, isComplete: Bool, _ metrics: [Metric]
    ) -> Sheet.Row? {
        var app, release, environment: String?
        var values: [Double]?
        var labels: [String: String]?
        var reach: Moment?
        let isPlain = members { scanner, name in
            switch name.count {
            case 3 where name.reads("app"): scanner.set(&app) { $0.text() }
            case 6 where name.reads("values"): scanner.set(&values) { $0.elements { $0.number() } }
            case 6 where name.reads("labels"): scanner.set(&labels) { $0.labels() }
            case 7 where name.reads("release"): scanner.set(&release) { $0.text() }
            case 10 where name.reads("keep_since"): scanner.set(&reach) { $0.moment() }
            case 11 where name.reads("environment"): scanner.set(&environment) { $0.text() }
            default: false
            }
        }
        guard isPlain, let app, !app.isEmpty, let values, values.count == metrics.count else { return nil }
        var figures = Metrics(reserving: metrics.count)
        for (metric, value) in zip(metrics, values) { figures[metric] = value }
        let observation = Observation(
            subject: Subject(source: source, app: app, release: release, environment: environment), span: span,
            seen: seen, isComplete: isComplete, metrics: figures, labels: labels ?? [:])
        return observation.flaw == nil ? Sheet.Row(observation, reach: reach) : nil
    }

    /// An array of which `read` reads each element.
    private mutating func elements<Element>(_ read: (inout PlainJSON) -> Element?) -> [Element]? {
        guard take("[") else { return nil }
        var elements: [Element] = []
        if take("]") { return elements }
        repeat {
            skipSpace()
            guard let element = read(&self) else { return nil }
            elements.append(element)
        } while take(",")
        return take("]") ? elements : nil
    }
}
