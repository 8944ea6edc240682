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
