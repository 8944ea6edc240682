/// What a rule plugin is told besides its options.
public struct RuleContext: Sendable {
    /// The rule's name in the config.
    public let name: String
    /// The zone of quiet hours and of local times.
    public let zone: Zone
    /// At most how often a day the rule can look at one subject: what its sources' `throttle` allows.
    public let looksPerDay: Double

    public init(name: String, zone: Zone, looksPerDay: Double) {
        self.name = name
        self.zone = zone
        self.looksPerDay = looksPerDay
    }
}

/// A rule that judges observations.
///
/// A detector is a value without memory: it gets the figures kept of one subject and says what it thinks of them. The
/// core tracks how long it has thought so.
public protocol Detector: Plugin {
    init(options: Options, context: RuleContext) throws(ProblemList)

    /// The metrics it reads, so that a rule on a metric that no source gives is found before it runs.
    var metrics: [String] { get }
    /// How far back it looks; observations are kept that long.
    var lookback: Duration { get }
    /// Spans that a source which can choose should measure for it: distinct users of an hour cannot be added up from
    /// minutes.
    var spans: [Duration] { get }
    /// How long its condition must hold before it counts.
    var holdTime: Duration { get }

    func judge(_ series: Series, at now: Moment) -> Judgement
}

/// What a detector thinks of one subject now.
public struct Judgement: Hashable, Sendable {
    public enum Verdict: Hashable, Sendable {
        /// The figure is inside its limit; `recovered` says whether by enough to end an incident.
        case ok(recovered: Bool)
        case firing(Severity)
        /// Nothing can be said, and why: neither opens nor resolves anything.
        case unknown(String)
    }

    /// How close the figure is to a limit: close ones are looked at more often, far ones less.
    public enum Closeness: Hashable, Sendable { case near, between, far }

    public let verdict: Verdict
    public let closeness: Closeness
    public let evidence: Evidence

    public init(_ verdict: Verdict, _ closeness: Closeness, _ evidence: Evidence) {
        self.verdict = verdict
        self.closeness = closeness
        self.evidence = evidence
    }
}

/// A rule that judges notifications.
public protocol Gate: Plugin {
    init(options: Options, context: RuleContext) throws(ProblemList)

    /// Mutes are asked first, then quiet hours, then the rest in the order of the file.
    var stage: GateStage { get }

    /// Whether the gate is closed to this notification at `now`; nil when it may pass.
    func closure(for notification: Notification, at now: Moment) -> Closure?

    /// Why the gate is there, in the words of whoever wrote the config.
    var purpose: String? { get }

    /// When the gate is closed by the calendar from `now` on, for `check`; at most `count` spans.
    func schedule(from now: Moment, count: Int) -> [TimeSpan]
}

extension Gate {
    public var purpose: String? { nil }
}

public enum GateStage: Int, Hashable, Sendable, Comparable {
    case mutes, quietHours, rest

    public static func < (left: GateStage, right: GateStage) -> Bool { left.rawValue < right.rawValue }
}

/// A gate being closed to a notification.
public struct Closure: Hashable, Sendable {
    public enum Fate: Hashable, Sendable {
        /// Held until the gate opens; what began and ended behind it becomes one line of a summary.
        case holdAndSummarize
        /// Held until the gate opens; what began and ended behind it is dropped.
        case holdAndForget
        /// Never said.
        case drop
    }

    /// When the gate opens by itself.
    public let until: Moment
    public let fate: Fate
    public let reason: Reason

    public init(until: Moment, fate: Fate, reason: Reason) {
        self.until = until
        self.fate = fate
        self.reason = reason
    }
}
