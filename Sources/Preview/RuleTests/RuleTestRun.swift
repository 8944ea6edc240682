internal import AlertCore
public import BotConfig
public import PluginKit
internal import Preview

/// What came of one test.
public struct RuleTestResult: Sendable {
    public let name: String
    public let position: Position
    /// What was expected and what was said, in the order of time.
    public let comparison: [Line]
    let fired: [String: Set<Severity>]
    /// The gates that held, dropped or escalated something.
    let gates: Set<String>

    /// One decision, expected or made or both.
    public struct Line: Hashable, Sendable {
        public enum Kind: Hashable, Sendable {
            case asExpected
            /// Expected, and where, but not said.
            case missing(Position)
            /// Said, but not expected.
            case unexpected
        }

        public let kind: Kind
        public let at: Moment
        /// What is said, in a few words.
        public let text: String
        /// What the rules thought then, where something is missing that would have been their news.
        public fileprivate(set) var verdicts: [String] = []
    }

    public var passed: Bool { comparison.allSatisfy { $0.kind == .asExpected } }
}

extension RuleTest {
    /// Plays the test through the rules, gates and routes of a config.
    public func run(with config: Config) -> RuleTestResult {
        let expectedLast = expectations.map(\.at).max()
        let seenLast = batches.last?.seen
        let end = end ?? [expectedLast, seenLast].compactMap { $0 }.max()
        var playback = Playback(config.plan, until: end)
        for batch in batches { playback.feed(batch) }
        let preview = playback.finish(now: end ?? .earliest)
        let incidents = Dictionary(preview.incidents.map { ($0.id, $0) }) { first, _ in first }
        return RuleTestResult(
            name: name, position: position, comparison: explained(compare(preview.decisions), with: config),
            fired: preview.fired,
            gates: Set(preview.decisions.flatMap { $0.gates(of: config.plan, incidents) }))
    }

    /// The lines, which are in the order of time, with what the rules thought of what is missing: the test is played once more, up
    /// to there.
    private func explained(_ lines: [RuleTestResult.Line], with config: Config) -> [RuleTestResult.Line] {
        var lines = lines
        let expectations = Dictionary(self.expectations.map { ($0.position, $0) }) { first, _ in first }
        var playback = Playback(config.plan)
        var rest = batches[...]
        for index in lines.indices {
            guard case .missing(let position) = lines[index].kind,
                let expected = expectations[position],
                expected.kind == nil || expected.kind == .opened || expected.kind == .escalated
            else { continue }
            while let batch = rest.first, batch.seen <= expected.at {
                playback.feed(batch)
                rest.removeFirst()
            }
            let state = playback.finish(noEarlierThan: expected.at, now: expected.at).state
            let known = Core(plan: config.plan).assessments(state, at: expected.at).filter(expected.isAbout)
            let seen = known.filter { $0.subject != nil }
            lines[index].verdicts = (seen.isEmpty ? known : seen).map(\.words).sorted().prefix(RuleTest.verdictsMax)
                .map(\.self)
        }
        return lines
    }

    /// Nobody reads more of them below one line.
    private static let verdictsMax = 4

    private func compare(_ decisions: [DecisionRecord]) -> [RuleTestResult.Line] {
        var lines: [RuleTestResult.Line] = []
        var claimed: Set<Int> = []
        let index = DecisionIndex(decisions)
        // Whoever says most chooses first, so that the vague leave to the exact what only they can have.
        for expectation in expectations.sorted(by: { $0.details > $1.details }) {
            let fitting = index.candidates(for: expectation).filter {
                !claimed.contains($0) && expectation.fits(decisions[$0])
            }
            guard let first = fitting.first else {
                lines.append(.init(kind: .missing(expectation.position), at: expectation.at, text: expectation.words))
                continue
            }
            // The same news in several channels is one, unless a channel was named.
            let chosen =
                expectation.channel != nil ? [first] : fitting.filter { decisions[first].isSameNews(as: decisions[$0]) }
            claimed.formUnion(chosen)
            lines += chosen.map { .init(kind: .asExpected, at: decisions[$0].at, text: decisions[$0].words) }
        }
        for index in decisions.indices where !claimed.contains(index) && decisions[index].isMessage {
            lines.append(.init(kind: .unexpected, at: decisions[index].at, text: decisions[index].words))
        }
        return lines.sorted { $0.at < $1.at }
    }
}

/// Decisions by the apps that they are about and by their moments: a test may expect a thousand of them.
private struct DecisionIndex {
    /// The places of all by their moments, and of those about each app.
    private let order: [(at: Moment, place: Int)]
    private var ofApp: [String: [(at: Moment, place: Int)]] = [:]

    init(_ decisions: [DecisionRecord]) {
        order = decisions.enumerated().map { (at: $1.at, place: $0) }.sorted { ($0.at, $0.place) < ($1.at, $1.place) }
        for entry in order {
            for app in Set(decisions[entry.place].message.incidents.map(\.subject.app)) {
                ofApp[app, default: []].append(entry)
            }
        }
    }

    /// The places of all decisions that may be meant, and of others, in their order.
    func candidates(for expectation: Expectation) -> [Int] {
        let meant = expectation.app.map { ofApp[$0] ?? [] } ?? order
        let span = expectation.span
        let begin = meant.partitioningIndex { $0.at >= span.lowerBound }
        return meant[begin...].prefix { $0.at < span.upperBound }.map(\.place).sorted()
    }
}

extension Expectation {
    /// When it is meant to be: to the second.
    fileprivate var span: Range<Moment> { at..<(at + .seconds(1)) }

    /// How much it says.
    fileprivate var details: Int {
        let texts = [decision, channel, rule, app, release, environment, reason, text]
        return texts.count { $0 != nil } + (kind == nil ? 0 : 1) + (severity == nil ? 0 : 1)
    }

    fileprivate func fits(_ record: DecisionRecord) -> Bool {
        func fits(_ wanted: String?, _ values: [String?]) -> Bool { wanted == nil || values.contains(wanted) }
        let incidents = record.message.incidents
        return span.contains(record.at) && (decision ?? "send") == record.decision.name
            && (kind ?? record.kind) == record.kind && (severity ?? record.severity) == record.severity
            && fits(channel, [record.channel]) && fits(reason, [record.reason.description])
            && fits(rule, incidents.map(\.rule)) && fits(app, incidents.map(\.subject.app))
            && fits(release, incidents.map(\.subject.release))
            && fits(environment, incidents.map(\.subject.environment))
            && (text.map { record.message.plainText.contains($0) } ?? true)
    }

    fileprivate func isAbout(_ assessment: Assessment) -> Bool {
        (rule ?? assessment.rule) == assessment.rule && !assessment.sentence.isEmpty
            && (assessment.subject.map { (app ?? $0.app) == $0.app } ?? true)
    }

    /// What is expected, in the order in which decisions are told.
    fileprivate var words: String {
        let severity = severity?.rawValue
        let parts = [
            channel.map { "\($0):" }, decision.flatMap { $0 == "send" ? nil : $0 }, kind?.rawValue, severity,
            rule.map { "rule \($0)" }, app, release, environment, reason.map { "(\($0))" }, text.map { "\"\($0)\"" },
        ].compactMap { $0 }
        return parts.isEmpty ? "a message" : parts.joined(separator: " ")
    }
}

extension Assessment {
    fileprivate var words: String { "rule \(rule) of \((subject?.app ?? source).tamed): \(sentence.tamed)" }
}

extension GatePlan {
    /// Whether the reason that it gives is bare, without its name.
    var isOfFlapping: Bool { type(of: gate).manifest.name == Reason.flapping.description }

    fileprivate func isNamed(in reason: Reason) -> Bool {
        if case .gate(_, name) = reason { true } else { false }
    }

    /// Whether it says how often people are reminded, and nothing else.
    var isOfReminders: Bool { type(of: gate).manifest.name == Reason.repeat.description }
}

extension DecisionRecord {
    fileprivate var words: String {
        let decision = isMessage ? "" : "\(decision.name) "
        return "\(channel): \(decision)\(kind.rawValue) \(severity.rawValue) \(message.headline.tamed) (\(reason))"
    }

    fileprivate func isSameNews(as other: DecisionRecord) -> Bool {
        at == other.at && incident == other.incident && kind == other.kind && severity == other.severity
    }

    /// The gates that held, dropped or escalated it. Reasons name the one behind a colon, but for `flapping`: that may be of each
    /// such gate which is concerned with the incident.
    fileprivate func gates(of plan: Plan, _ incidents: [String: Incident]) -> [String] {
        guard !isMessage else {
            return plan.gates.filter { !$0.gate.furtherChannels.isEmpty && $0.isNamed(in: reason) }.map(\.name)
        }
        guard reason == .flapping else {
            return reason.description.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
        }
        guard let incident = incident.flatMap({ incidents[$0] }) else { return [] }
        return plan.gates.filter { $0.isOfFlapping && $0.concerns(incident.property) }.map(\.name)
    }
}
