internal import AlertCore
public import BotConfig
internal import PluginKit
internal import Preview
internal import YAMLKit

extension RuleTestDocument {
    /// Reads the tests as they are meant with a config.
    ///
    /// - Parameter file: the bytes of a file of observations that a test names, by its path as written; or why it can not
    ///   be read.
    public func tests(for config: Config, file: (String) -> Result<[UInt8], UnreadableFile>) -> RuleTestReading {
        var reader = RuleTestReader(config: config, problems: brokenness)
        let tests = root.map { reader.tests($0, file) } ?? []
        let problems = reader.problems.sorted { $0.position < $1.position }
        return RuleTestReading(tests: tests, problems: problems)
    }
}

/// Why a file can not be read: a phrase.
public struct UnreadableFile: Error, Hashable, Sendable {
    public let sentence: String
    public init(_ sentence: String) { self.sentence = sentence }
}

/// The reading of one file of tests, with the problems found so far.
struct RuleTestReader {
    let config: Config
    var problems: [Problem]

    /// What a series of figures says besides the figures.
    private static let seriesKeys = [
        "source", "app", "release", "environment", "labels", "start", "every", "span", "seen_after", "complete",
    ]
    private static let testKeys = seriesKeys + ["series", "observations", "until", "expect"]
    private static let fileKeys = ["config", "tests"]

    mutating func tests(_ root: Node, _ file: (String) -> Result<[UInt8], UnreadableFile>) -> [RuleTest] {
        let top = entries(of: root, "the file")
        reportUnknown(top, known: RuleTestReader.fileKeys, in: "a file of rule tests")
        guard let tests = top.first(where: { $0.key == "tests" }) else {
            report(root.position, "there are no tests", advice: "write tests: {a sentence that says what: {…}}")
            return []
        }
        return entries(of: tests.value, "'tests'").compactMap { test($0, file) }
    }

    private mutating func test(_ entry: Entry, _ file: (String) -> Result<[UInt8], UnreadableFile>) -> RuleTest? {
        let problemsBefore = problems.count
        let parts = entries(of: entry.value, "the test '\(entry.key.clipped(to: 60))'")
        reportUnknown(parts, known: RuleTestReader.testKeys, in: "a test", orMetrics: true)
        let defaults = SeriesReading(parts)
        var lines: [ObservationLine] = []
        if defaults["series"] == nil, hasFigures(parts) { lines += series(defaults, at: entry.keyMark.position) }
        if let series = defaults["series"] {
            for node in elements(of: series, "'series'") {
                let own = entries(of: node, "a series")
                reportUnknown(own, known: RuleTestReader.seriesKeys, in: "a series", orMetrics: true)
                lines += self.series(SeriesReading(own, over: defaults), at: node.position)
            }
        }
        if let observations = defaults["observations"] {
            for node in elements(of: observations, "'observations'") { lines += observation(node, file) }
        }
        let start = defaults["start"].flatMap { moment($0, "start", after: nil) }
        let first = start ?? lines.map(\.seen).min()
        let end = defaults["until"].flatMap { moment($0, "until", after: first) }
        guard let expect = defaults["expect"] else {
            report(
                entry.keyMark.position, "the test '\(entry.key.clipped(to: 60))' expects nothing",
                advice: "write expect: [] where silence is expected")
            return nil
        }
        let expectations = elements(of: expect, "'expect'").compactMap { expectation($0, after: first) }
        guard problems.count == problemsBefore else { return nil }
        // Stable: lines seen at one moment stay in the order of the file.
        return RuleTest(
            name: entry.key, position: entry.keyMark.position, lines: lines.sorted { $0.seen < $1.seen }, end: end,
            expectations: expectations)
    }

    // MARK: observations

    /// Whether some entry is a metric.
    private func hasFigures(_ entries: [Entry]) -> Bool {
        entries.contains { !RuleTestReader.testKeys.contains($0.key) && metricNames.contains($0.key) }
    }

    /// The metrics that mean something: those that everybody knows and those that rules read.
    private var metricNames: [String] { MetricName.wellKnown + config.plan.detectors.flatMap(\.detector.metrics) }

    /// The lines of one series in the short notation.
    private mutating func series(_ series: SeriesReading, at position: Position) -> [ObservationLine] {
        guard let source = source(series, at: position),
            let app = required(series, "app", at: position), let started = required(series, "start", at: position),
            let start = moment(started, "start", after: nil)
        else { return [] }
        let every = series["every"].flatMap { duration($0, "every") } ?? .minutes(1)
        let span = series["span"].flatMap { duration($0, "span") } ?? every
        let delay = series["seen_after"].flatMap { duration($0, "seen_after", canBeZero: true) } ?? .zero
        guard every > .zero, span > .zero else { return [] }
        let subject = Subject(
            source: source, app: app.scalar ?? "", release: series["release"]?.scalar,
            environment: series["environment"]?.scalar)
        let labels = series["labels"].map { node in
            Dictionary(entries(of: node, "'labels'").map { ($0.key, $0.value.scalar ?? "") }) { $1 }
        }
        let notations = series.figures.filter { metricNames.contains($0.key) }.compactMap { entry in
            value(entry.value, entry.key) { text throws(GrammarError) in
                try Notation(grammar: text, unit: MetricNature(of: entry.key).unit)
            }.map { (name: entry.key, position: entry.value.position, notation: $0) }
        }
        // A single figure stands for as many looks as there are.
        let count = notations.map(\.notation.steps.count).max() ?? 0
        for (name, place, notation) in notations where notation.steps.count != count && notation.steps.count != 1 {
            report(place, "'\(name)' has \(notation.steps.count) figures, but there are \(count) looks")
        }
        let isComplete = series["complete"].map { $0.scalar != "false" } ?? true
        var lines: [ObservationLine] = []
        for index in 0..<count {
            let to = start + every * index
            let steps = notations.map { notation in
                (
                    notation.name,
                    notation.notation.steps.count == 1
                        ? notation.notation.steps[0]
                        : notation.notation.steps[min(index, notation.notation.steps.count - 1)]
                )
            }
            if let line = line(
                steps,
                Observation(
                    subject: subject, span: TimeSpan(lasting: span, until: to), seen: to + delay,
                    isComplete: isComplete, metrics: Metrics(), labels: labels ?? [:]))
            {
                lines.append(line)
            }
        }
        if case .observed(let observation) = lines.first(where: { line in
            if case .observed(let observation) = line { observation.flaw != nil } else { false }
        }), let flaw = observation.flaw {
            report(position, "the figures make no sense: \(flaw)")
        }
        return lines
    }

    private func line(_ steps: [(String, Notation.Step)], _ blank: Observation) -> ObservationLine? {
        var observation = blank
        for (name, step) in steps {
            switch step {
            case .figure(let value): observation.metrics[name] = value
            case .nothing: return nil
            case .failed(let reason):
                return .failed(source: blank.subject.source, reason: reason, seen: blank.seen)
            }
        }
        return .observed(observation)
    }

    /// The source that a series is of; where the config has only one, that.
    private mutating func source(_ series: SeriesReading, at position: Position) -> String? {
        let known = config.sources.keys.sorted()
        guard let node = series["source"] else {
            if known.count == 1 { return known[0] }
            report(position, "'source' is missing; known are \(known.joined(separator: ", "))")
            return nil
        }
        guard let name = text(node, "source") else { return nil }
        guard known.contains(name) else {
            report(
                node.position,
                "there is no source '\(name.clipped(to: 60))' in the config; known are "
                    + known.joined(separator: ", "), suggestion: name.nearest(in: known))
            return nil
        }
        return name
    }

    /// One observation written out, or a file of them.
    private mutating func observation(
        _ node: Node, _ file: (String) -> Result<[UInt8], UnreadableFile>
    ) -> [ObservationLine] {
        if let path = node.mapping.first(where: { $0.key == "file" }) {
            reportUnknown(node.mapping, known: ["file"], in: "a file of observations")
            return text(path.value, "file").map { lines(of: $0, at: path.value.position, file) } ?? []
        }
        do {
            let line = try ObservationLine(json(node))
            guard config.sources[line.source] == nil else { return [line] }
            report(node.position, "there is no source '\(line.source.clipped(to: 60))' in the config")
        } catch {
            report(place(of: error.path, in: node), "expected \(error.expected), found \(error.found)")
        }
        return []
    }

    private mutating func lines(
        of path: String, at position: Position, _ file: (String) -> Result<[UInt8], UnreadableFile>
    ) -> [ObservationLine] {
        switch file(path) {
        case .failure(let failure):
            report(position, "the observations '\(path.clipped(to: 120))' can not be read: \(failure.sentence)")
            return []
        case .success(let bytes):
            var reader = ObservationReader(name: path, sources: Set(config.sources.keys))
            reader.take(bytes)
            reader.finish()
            var lines: [ObservationLine] = []
            while let batch = reader.nextBatch() { lines += batch.lines }
            for complaint in reader.takeComplaints() where complaint.level == .error {
                report(position, "\(complaint)")
            }
            return lines
        }
    }

    // MARK: expectations

    private static let expectationKeys = [
        "at", "decision", "kind", "severity", "channel", "rule", "app", "release", "environment", "reason", "text",
    ]

    private mutating func expectation(_ node: Node, after start: Moment?) -> Expectation? {
        let parts = entries(of: node, "an expected message")
        reportUnknown(parts, known: RuleTestReader.expectationKeys, in: "an expected message")
        func part(_ name: String) -> Node? { parts.first { $0.key == name }?.value }
        guard let written = part("at") else {
            report(
                node.position, "an expected message needs 'at'", advice: "write at: 13:05, or at: +65m after the start")
            return nil
        }
        guard let at = moment(written, "at", after: start) else { return nil }
        var expectation = Expectation(position: node.position, at: at)
        expectation.decision = part("decision").flatMap { choice($0, "decision", ["send", "hold", "drop"]) }
        expectation.kind = part("kind").flatMap { choice($0, "kind", Notification.Kind.allCases.map(\.rawValue)) }
            .flatMap(Notification.Kind.init)
        expectation.severity = part("severity").flatMap { choice($0, "severity", Severity.allCases.map(\.rawValue)) }
            .flatMap(Severity.init)
        expectation.channel = part("channel").flatMap { choice($0, "channel", config.channels.keys.sorted()) }
        // The bot's own troubles are rules that no config names.
        let rules = config.plan.detectors.map(\.name) + Trouble.names
        expectation.rule = part("rule").flatMap { choice($0, "rule", rules) }
        expectation.app = part("app").flatMap { text($0, "app") }
        expectation.release = part("release").flatMap { text($0, "release") }
        expectation.environment = part("environment").flatMap { text($0, "environment") }
        expectation.reason = part("reason").flatMap { text($0, "reason") }
        expectation.text = part("text").flatMap { text($0, "text") }
        return expectation
    }
}

/// The entries of a series, and those of the test that hold where it says nothing of its own.
struct SeriesReading {
    private let own: [Entry]
    private let defaults: [Entry]

    init(_ own: [Entry], over defaults: SeriesReading? = nil) {
        self.own = own
        self.defaults = defaults?.own ?? []
    }

    subscript(_ name: String) -> Node? { (own + defaults).first { $0.key == name }?.value }

    /// Entries that may be metrics; those of the test as far as the series has none of that name.
    var figures: [Entry] { own + defaults.filter { entry in !own.contains { $0.key == entry.key } } }
}
