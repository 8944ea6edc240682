internal import AlertCore
public import BotConfig
internal import PluginKit
internal import Preview
internal import YAMLKit

extension RuleTestDocument {
    /// Reads the tests as they are meant with a config.
    ///
    /// - Parameter file: the bytes of a file of observations that a test names, by its path as written; or why it can
    ///   not be read.
    public func tests(for config: Config, file: (String) -> Result<[UInt8], UnreadableFile>) -> RuleTestReading {
        var reader = RuleTestReader(config: config, problems: brokenness)
        let tests = root.map { reader.tests($0, file) } ?? []
        let problems = reader.problems.sorted { $0.position < $1.position }
        return RuleTestReading(tests: tests, problems: problems)
    }
}

/// Why a file cannot be read: a phrase.
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
            report(root.position, "there are no tests", advice: "write tests: {what should happen: {…}}")
            return []
        }
        let entries = entries(of: tests.value, "'tests'")
        if entries.isEmpty, problems.isEmpty {
            report(tests.value.position, "there are no tests", advice: "write tests: {what should happen: {…}}")
        }
        return entries.compactMap { test($0, file) }
    }

    private mutating func test(_ entry: Entry, _ file: (String) -> Result<[UInt8], UnreadableFile>) -> RuleTest? {
        let problemsBefore = problems.count
        let parts = entries(of: entry.value, "the test '\(entry.key.clipped(to: 60))'")
        reportUnknown(parts, known: RuleTestReader.testKeys, in: "a test", orMetrics: true)
        let defaults = SeriesReading(parts)
        var lines: [ObservationLine] = []
        if defaults["series"] == nil {
            if hasFigures(parts) {
                lines += series(defaults, at: entry.keyMark.position)
            } else if problems.count > problemsBefore {
                // An unknown key may have been meant for the figures.
                checkWritten(defaults, at: entry.keyMark.position)
            }
        }
        if let series = defaults["series"] {
            for node in elements(of: series, "'series'") {
                let own = entries(of: node, "a series")
                reportUnknown(own, known: RuleTestReader.seriesKeys, in: "a series", orMetrics: true)
                lines += self.series(SeriesReading(own, over: defaults), at: node.position)
            }
        }
        var batches = lines.map { ObservationReader.Batch(seen: $0.seen, lines: [$0]) }
        if let observations = defaults["observations"] {
            for node in elements(of: observations, "'observations'") {
                if let path = node.mapping.first(where: { $0.key == "file" }) {
                    reportUnknown(node.mapping, known: ["file"], in: "a file of observations")
                    batches += text(path.value, "file").map { recorded($0, at: path.value.position, file) } ?? []
                } else if let line = observation(node) {
                    batches.append(.init(seen: line.seen, lines: [line]))
                }
            }
        }
        // Stable: what comes at one moment stays in the order of the file. What was recorded comes when it arrived.
        batches = batches.sorted { $0.seen < $1.seen }.together
        let start = defaults["start"].flatMap { moment($0, "start", after: nil) }
        let first = start ?? batches.first?.seen
        // What counts from a start that is wrong or missing is not wrong for that.
        let lacksStart = first == nil && problems.count > problemsBefore
        let end = defaults["until"].flatMap {
            lacksStart && RuleTestReader.countsFromStart($0) ? nil : moment($0, "until", after: first)
        }
        if let node = defaults["until"], let end, let first, end < first {
            report(node.position, "'until' is before the test begins, so nothing would be checked")
        }
        let last = batches.last?.seen ?? first
        if let node = defaults["until"], let end { reportFar(end, "until", at: node.position, after: last) }
        guard let expect = defaults["expect"] else {
            report(
                entry.keyMark.position, "the test '\(entry.key.clipped(to: 60))' expects nothing",
                advice: "write expect: [] where no message is expected")
            return nil
        }
        let expectations = elements(of: expect, "'expect'").compactMap {
            expectation($0, after: first, lacksStart: lacksStart)
        }
        for expectation in expectations { reportFar(expectation.at, "at", at: expectation.position, after: last) }
        let hasMore = ["series", "observations"].contains { !(defaults[$0]?.isEmptyList ?? true) }
        if !hasMore, !hasFigures(parts), problems.count == problemsBefore {
            report(
                entry.keyMark.position, "the test '\(entry.key.clipped(to: 60))' has no figures",
                advice: "write figures, such as crash_free_users: 98.9% x10, or 'series', or 'observations'")
        }
        guard problems.count == problemsBefore else { return nil }
        return RuleTest(
            name: entry.key, position: entry.keyMark.position, batches: batches, end: end, expectations: expectations)
    }

    /// Refuses a moment so long after the last poll that time would pass for minutes until then: a slip in a year is soon made.
    private mutating func reportFar(_ moment: Moment, _ name: String, at position: Position, after last: Moment?) {
        guard let last, moment > last + ObservationReader.gapMax else { return }
        report(position, "'\(name)' is more than a year after the last poll (\(last)); is the year right?")
    }

    // MARK: observations

    /// Whether some entry is a metric.
    private func hasFigures(_ entries: [Entry]) -> Bool {
        entries.contains { !RuleTestReader.testKeys.contains($0.key) && metricNames.contains($0.key) }
    }

    /// The metrics that mean something: those that everybody knows and those that rules read.
    var metricNames: [String] { (Metric.wellKnown + config.plan.detectors.flatMap(\.detector.metrics)).map(\.name) }

    /// One observation written out.
    private mutating func observation(_ node: Node) -> ObservationLine? {
        do {
            let line = try ObservationLine(json(node))
            guard config.sources[line.source] == nil else { return line }
            report(node.position, "there is no source '\(line.source.clipped(to: 60))' in the config")
        } catch {
            report(place(of: error.path, in: node), "expected \(error.expected), found \(error.found)")
        }
        return nil
    }

    /// A file of observations.
    private mutating func recorded(
        _ path: String, at position: Position, _ file: (String) -> Result<[UInt8], UnreadableFile>
    ) -> [ObservationReader.Batch] {
        switch file(path) {
        case .failure(let failure):
            report(position, "the observations file '\(path.clipped(to: 120))' cannot be read: \(failure.sentence)")
            return []
        case .success(let bytes):
            var reader = ObservationReader(name: path, sources: Set(config.sources.keys))
            reader.take(bytes)
            reader.finish()
            var batches: [ObservationReader.Batch] = []
            while let batch = reader.nextBatch() { batches.append(batch) }
            for complaint in reader.takeComplaints() where complaint.level == .error {
                report(position, "\(complaint)")
            }
            let name = path.clipped(to: 120)
            for (source, lines) in reader.skipped.sorted(by: { $0.key < $1.key }) {
                report(
                    position,
                    "\(lines.counted("line")) of the observations file '\(name)' \(lines == 1 ? "is" : "are") of source "
                        + "'\(source.clipped(to: 60))', which is not in the config")
            }
            if batches.isEmpty, reader.skipped.isEmpty, reader.brokenCount == 0 {
                report(position, "there are no observations in the file '\(name)'")
            }
            return batches
        }
    }

    // MARK: expectations

    private static let expectationKeys = [
        "at", "decision", "kind", "severity", "channel", "rule", "app", "release", "environment", "reason", "text",
    ]

    /// The reasons that decisions can have under this config.
    private var reasons: [String] {
        let gates = config.plan.gates.filter { !$0.isImplied && !$0.isOfFlapping }.map { gate in
            switch gate.gate.stage {
            case .mutes: Reason.muted(gate.name)
            case .quietHours: Reason.quietHours(gate.name)
            case .rest: Reason.gate(plugin: type(of: gate.gate).manifest.name, name: gate.name)
            }
        }
        let always: [Reason] = [
            .first, .escalated, .repeat, .revised, .resolved, .closed, .acknowledged, .flapping, .unannounced,
            .unrouted, .overtaken,
        ]
        return (always + gates).map(\.description)
    }

    /// - Parameter lacksStart: whether the start is known to be wrong; then a time that counts from it stands for any.
    private mutating func expectation(_ node: Node, after start: Moment?, lacksStart: Bool) -> Expectation? {
        let parts = entries(of: node, "an expected message")
        reportUnknown(parts, known: RuleTestReader.expectationKeys, in: "an expected message")
        func part(_ name: String) -> Node? { parts.first { $0.key == name }?.value }
        let at: Moment?
        if let written = part("at") {
            let isUnknown = lacksStart && RuleTestReader.countsFromStart(written)
            at = isUnknown ? Moment.earliest : moment(written, "at", after: start)
        } else {
            report(
                node.position, "an expected message needs 'at'", advice: "write at: 13:05, or at: +65m after the start")
            at = nil
        }
        // What else is wrong is told, too, whatever the time is.
        var expectation = Expectation(position: node.position, at: at ?? .earliest)
        expectation.decision = part("decision").flatMap { choice($0, "decision", ["send", "hold", "drop"]) }
        expectation.kind = part("kind").flatMap { choice($0, "kind", Notification.Kind.ofIncidents.map(\.rawValue)) }
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
        expectation.reason = part("reason").flatMap { choice($0, "reason", reasons) }
        expectation.text = part("text").flatMap { text($0, "text") }
        return at == nil ? nil : expectation
    }
}
