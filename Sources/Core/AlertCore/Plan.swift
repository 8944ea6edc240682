public import PluginKit

/// The config as meant, as far as the core needs it: every default filled in, every reference resolved.
public struct Plan: Sendable {
    public var botName: String
    public var zone: Zone
    /// Where people reach the bot's page; nil leaves links to it out.
    public var publicURL: String?
    /// The channel for the bot's own troubles; nil sends them the way of everything else.
    public var reportTo: String?
    /// Polls in flight at once.
    public var concurrency: Int
    public var sources: [SourcePlan]
    public var detectors: [DetectorPlan]
    /// In the order in which they are asked.
    public var gates: [GatePlan]
    public var channels: [ChannelPlan]
    /// Empty: everything goes everywhere.
    public var routes: [Route]

    /// Polls in flight at once to one host: what is polite to an API that did not promise more.
    public static let pollsPerHostMax = 4

    public init(
        botName: String, zone: Zone, publicURL: String? = nil, reportTo: String? = nil, concurrency: Int = 8,
        sources: [SourcePlan], detectors: [DetectorPlan] = [], gates: [GatePlan] = [], channels: [ChannelPlan],
        routes: [Route] = []
    ) {
        self.botName = botName
        self.zone = zone
        self.publicURL = publicURL
        self.reportTo = reportTo
        self.concurrency = concurrency
        self.sources = sources
        self.detectors = detectors
        // The sort is stable: gates of one stage keep the order of the file.
        self.gates = gates.sorted { $0.gate.stage < $1.gate.stage }
        self.channels = channels
        self.routes = routes
    }

    func source(_ name: String) -> SourcePlan? { sources.first { $0.name == name } }
    func channel(_ name: String) -> ChannelPlan? { channels.first { $0.name == name } }
    /// Whether a gate wants to know what was said and what has changed lately.
    var remembersPast: Bool { gates.contains { $0.calendar == nil } }
    func gate(_ name: String) -> GatePlan? { gates.first { $0.name == name } }
    func detector(_ name: String) -> DetectorPlan? { detectors.first { $0.name == name } }

    /// The poll of a source that a preview makes.
    public func previewOrder(for source: SourcePlan, _ state: State) -> PollOrder {
        // Without the validators: a preview wants the figures, not the news that they are the same as last time.
        PollOrder(
            source: source.name, cursor: state.sources[source.name]?.cursor, validators: [:], spans: spans(of: source),
            timeout: source.timeout)
    }

    /// How late each rule can be at worst, once the figures can carry an alarm: the longest time between two polls of
    /// its slowest source, the poll's timeout, and the time that the condition must hold.
    public var detectionDelays: [(rule: String, delay: Duration)] {
        detectors.map { rule in
            let sources = sources.filter { rule.canConcern(source: $0.name) }
            let slowest = sources.map {
                ($0.slowsWhen.isEmpty ? $0.every.scaled(by: 1 + $0.jitter) : $0.slowest) + $0.timeout
            }
            return (rule.name, (slowest.max() ?? .zero) + rule.detector.holdTime)
        }
    }

    /// How long figures of a source stay good: a rule's own window, and never less than the longest time between polls.
    func figuresLast(_ source: String, for detector: DetectorPlan? = nil) -> Duration {
        max(self.source(source)?.slowest ?? .minutes(30), detector?.detector.lookback ?? .zero)
    }

    /// How long observations of a source are kept for the rules that read them, and how many of its polls.
    func retention(of source: String) -> Retention {
        var (lookback, polls) = (Duration.zero, 0)
        for rule in detectors where rule.canConcern(source: source) {
            lookback = max(lookback, rule.detector.lookback)
            polls = max(polls, rule.detector.earlierPolls)
        }
        return Retention(lookback, earlierPolls: polls)
    }

    /// The kinds of memory that its rules read: all that a state needs to know that begins with nothing.
    public var memories: MemoryKinds { MemoryKinds(detectors.flatMap { type(of: $0.detector).memories }) }

    /// The spans that rules want the source to measure, shortest first.
    func spans(of source: SourcePlan) -> [Duration] {
        let asked = detectors.filter { $0.canConcern(source: source.name) }.flatMap(\.detector.spans)
        return asked.isEmpty ? [source.every] : Set(asked).sorted()
    }
}

/// Why a source is polled more or less often than it says.
public enum PollReason: String, Hashable, Sendable, CaseIterable, Comparable {
    case failing, unchanged, calm, idle
    case lowPower = "low_power"
    case near
    /// The service asked to wait.
    case told

    public static func < (left: PollReason, right: PollReason) -> Bool { left.rawValue < right.rawValue }

    /// The reasons that a config may name for slowing down.
    public static let slowing: [PollReason] = [.failing, .unchanged, .calm, .idle, .lowPower]
}

public struct SourcePlan: Sendable {
    public var name: String
    public var host: String?
    public var every: Duration
    /// Never more often than this, whoever asks.
    public var throttle: Duration
    /// Never less often than this.
    public var slowest: Duration
    public var timeout: Duration
    /// A fraction of the interval, to either side.
    public var jitter: Double
    public var backoffFactor: Double
    public var slowsWhen: Set<PollReason>

    public init(
        name: String, host: String? = nil, every: Duration = .minutes(5), throttle: Duration = .minutes(1),
        slowest: Duration = .minutes(30), timeout: Duration = .seconds(20), jitter: Double = 0.1,
        backoffFactor: Double = 2, slowsWhen: Set<PollReason> = Set(PollReason.slowing)
    ) {
        self.name = name
        self.host = host
        self.every = every
        self.throttle = throttle
        self.slowest = slowest
        self.timeout = timeout
        self.jitter = jitter
        self.backoffFactor = backoffFactor
        self.slowsWhen = slowsWhen
    }
}

/// One rule that judges. It is looked at with every observation, so it is shared and never copied.
public final class DetectorPlan: Sendable {
    public let name: String
    public let detector: any Detector
    public let match: Match
    /// The time between reminders; nil for none.
    public let `repeat`: Duration?
    /// The detector as one that judges single subjects, if it does: nearly all do, and they are asked most often.
    let judge: (any SubjectDetector)?
    let scope: DetectorScope
    /// What the detector wants remembered, asked once: it is looked at with every observation.
    let needs: MemoryNeeds
    /// What of the match a subject alone can tell: the severity and the issue are known only when something is found.
    private let subjectMatch: Match

    public init(name: String, detector: any Detector, match: Match = .all, repeat: Duration? = .hours(4)) {
        self.name = name
        self.detector = detector
        self.match = match
        self.repeat = `repeat`
        judge = detector as? any SubjectDetector
        scope = detector.scope
        needs = detector.needs
        let known = MemoryKinds(type(of: detector).memories)
        precondition(
            needs.list.allSatisfy { known[$0.name] != nil },
            "rule \(name) needs a memory that its plugin does not name among its own, so no journal could be read")
        // Nor is an app as a whole of any release: there the condition chooses among its releases.
        let later = ["severity", "issue"] + (detector.scope == .app ? ["release"] : [])
        subjectMatch = Match(match.conditions.filter { !later.contains($0.property) })
    }

    /// Whether a rule that is shown an app with its releases wants to see this one.
    func shows(release: String?) -> Bool {
        guard let condition = match["release"] else { return true }
        return condition.patterns.contains { $0.fits(release ?? "") }
    }

    /// Whether figures of that subject are any business of the rule.
    ///
    /// - Parameter labels: the subject's.
    public func watches(_ subject: Subject, labels: [String: String]) -> Bool {
        guard scope == .app else { return concerns(subject, labels: labels) }
        return shows(release: subject.release) && concerns(subject.whole, labels: labels)
    }

    func canConcern(source: String) -> Bool {
        match["source"].map { condition in condition.patterns.contains { $0.fits(source) } } ?? true
    }

    func concerns(_ subject: Subject, labels: [String: String]) -> Bool {
        subjectMatch.fits { property in
            switch property {
            case "source": subject.source
            case "app": subject.app
            case "release": subject.release
            case "environment": subject.environment
            case "rule": name
            default: labels[property]
            }
        }
    }

    func concerns(_ finding: Finding) -> Bool {
        guard let condition = match["issue"] else { return true }
        // The key of what tells of many is no issue's.
        let issue = finding.judgement.evidence.issue?.id ?? finding.key
        return issue.map { id in condition.patterns.contains { $0.fits(id) } } ?? false
    }
}

public struct GatePlan: Sendable {
    public let name: String
    public let gate: any Gate
    public let match: Match
    /// The gate as one that follows the calendar, if it does.
    public let calendar: (any CalendarGate)?

    public init(name: String, gate: any Gate, match: Match = .all) {
        self.name = name
        self.gate = gate
        self.match = match
        calendar = gate as? any CalendarGate
    }

    func lets(_ severity: Severity) -> Bool { gate.except.map { severity >= $0 } ?? false }
}

public struct ChannelPlan: Sendable {
    public var name: String
    public var pace: Pace
    public var isIdempotent: Bool

    public init(name: String, pace: Pace = .unlimited, isIdempotent: Bool = false) {
        self.name = name
        self.pace = pace
        self.isIdempotent = isIdempotent
    }
}

public struct Route: Hashable, Sendable {
    public var match: Match
    public var to: [String]
    /// Whether routes after this one are looked at too.
    public var continues: Bool

    public init(match: Match = .all, to: [String], continues: Bool = false) {
        self.match = match
        self.to = to
        self.continues = continues
    }
}
