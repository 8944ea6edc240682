/// A rule that judges notifications.
///
/// A gate is a value without memory: what it must know of the past it reads from the view it is given, which is made of
/// recorded facts, so that a restart changes nothing. Every gate decides one thing and takes the defaults for the rest.
public protocol Gate: Plugin {
    init(options: Options, context: RuleContext) throws(ProblemList)

    /// Whether it stands, with its defaults, in a config that has no rule of its plugin.
    static var isAlwaysThere: Bool { get }

    /// Whether it reads what channels were told lately (`GateView.told`); nothing is kept of that for gates that do
    /// not.
    var readsTellings: Bool { get }

    /// Whether it reads when incidents began and ended lately (`GateView.swings`); likewise.
    var readsSwings: Bool { get }

    /// For how long something must be well before that is its end; nil where the first good poll is.
    ///
    /// - Parameter swings: when it began to fire and ended lately, oldest first; the last is the beginning of what may be over.
    func steadiness(after swings: [Moment]) -> Steadiness?

    /// Mutes are asked first, then quiet hours, then the rest in the order of the file.
    var stage: GateStage { get }

    /// This severity and above pass whatever the gate says; nil when nothing does.
    var except: Severity? { get }

    /// Whether the gate is closed to this notification at `now`; nil when it may pass.
    ///
    /// Also asked of moments to come, with the facts of today.
    func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure?

    /// What the gate has to say in a notification that passes every gate.
    func remark(on notification: Notification, at now: Moment, given view: any GateView) -> Remark?

    /// How long after the channel last heard of the incident it is to be reminded; nil when the gate leaves it to
    /// others.
    func reminding(of incident: Incident, in channel: String) -> Reminding?

    /// Where else the incident is to be told, and from when on; nil for nowhere.
    func escalation(of incident: Incident) -> Escalation?

    /// Where it ever takes incidents, for `check`; none for gates that take them nowhere.
    var furtherChannels: [String] { get }

    /// Below this severity it does nothing; nil for gates that treat all alike.
    var leastSeverity: Severity? { get }

    /// The incidents that keep the gate closed while they are firing; nil for gates that wait for none.
    var waitsFor: Match? { get }

    /// Whether one of those incidents keeps the gate closed, in that channel, to all that it is closed to for the sake of such.
    /// While one does, what is held is not asked anew when others change; a gate that cannot say so is asked each time.
    func isKeptClosed(by incident: Incident, in channel: String, at now: Moment) -> Bool

    /// How the gate stands to a notification, in a few words for `why`, such as `4 of 10 messages left`.
    func account(of notification: Notification, at now: Moment, given view: any GateView) -> String?

    /// Why messages are told together, for a message that the gate has gathered.
    var gathers: Phrase? { get }

    /// Why the gate is there, in the words of whoever wrote the config.
    var purpose: String? { get }
}

extension Gate {
    public static var isAlwaysThere: Bool { false }
    public var readsTellings: Bool { false }
    public var readsSwings: Bool { false }
    public func steadiness(after swings: [Moment]) -> Steadiness? { nil }
    public var stage: GateStage { .rest }
    public var except: Severity? { nil }
    public func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? { nil }
    public func remark(on notification: Notification, at now: Moment, given view: any GateView) -> Remark? { nil }
    public func reminding(of incident: Incident, in channel: String) -> Reminding? { nil }
    public func escalation(of incident: Incident) -> Escalation? { nil }
    public var furtherChannels: [String] { [] }
    public var leastSeverity: Severity? { nil }
    public var waitsFor: Match? { nil }
    public func isKeptClosed(by incident: Incident, in channel: String, at now: Moment) -> Bool { false }
    public func account(of notification: Notification, at now: Moment, given view: any GateView) -> String? { nil }
    public var gathers: Phrase? { nil }
    public var purpose: String? { nil }
}

/// A gate that follows the calendar alone, and so can say in advance when it is closed.
public protocol CalendarGate: Gate {
    /// Whether the gate is closed to this notification at `now`; nil when it may pass.
    func closure(for notification: Notification, at now: Moment) -> Closure?

    /// Whether what it is closed to is never sent, rather than held.
    var drops: Bool { get }

    /// When the gate is closed from `now` on, for `check`; at most `count` spans.
    func schedule(from now: Moment, count: Int) -> [TimeSpan]

    /// The channels that it is closed to; none for all of them.
    var channels: [String] { get }

    /// The calendars that the gate follows, so that people hear of one that has no days left.
    var calendars: [FollowedCalendar] { get }
}

extension CalendarGate {
    public var drops: Bool { false }
    public var channels: [String] { [] }
    public var calendars: [FollowedCalendar] { [] }

    public func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? {
        closure(for: notification, at: now)
    }
}

/// The days of an iCalendar file that a gate follows.
public struct FollowedCalendar: Hashable, Sendable {
    /// The file, as places have it.
    public let name: String
    /// Where the config names it.
    public let position: Position
    /// Its last day, in days since 1970-01-01 on the wall.
    public let lastDay: Int
    /// When its last day is over.
    public let end: Moment

    /// Nil for a calendar without a day.
    ///
    /// - Parameter zone: the one in whose days the gate counts.
    public init?(_ name: String, at position: Position, _ days: DateSet, in zone: Zone) {
        guard let last = days.ranges.last?.days.upperBound else { return nil }
        self.name = name
        self.position = position
        lastDay = last
        end = zone.moment(beginning: CivilTime(day: last + 1, secondOfDay: 0))
    }

    /// `its last day was 2026-01-06`, once that is over.
    public func exhaustion(at now: Moment) -> String? {
        guard end <= now else { return nil }
        return "its last day was \(CivilTime(day: lastDay, secondOfDay: 0).dateText)"
    }
}

/// In which order gates are asked.
public enum GateStage: Int, Hashable, Sendable, Comparable {
    case mutes, quietHours, rest

    public static func < (left: GateStage, right: GateStage) -> Bool { left.rawValue < right.rawValue }
}

/// A gate being closed to a notification.
public struct Closure: Hashable, Sendable {
    /// What becomes of the notification.
    public enum Fate: Hashable, Sendable {
        /// Held until the gate opens; what began and ended behind it becomes one line of a summary.
        case holdAndSummarize
        /// Held until the gate opens; what began and ended behind it is dropped, but for what another gate has promised a
        /// summary of.
        case holdAndForget
        /// Held until the gate opens, for the sake of something that is told and explains it: what has ended by then is
        /// dropped, whatever other gates had promised.
        case explain
        /// Held until the gate opens; then one message tells all that it holds under that key, what began and ended
        /// behind it included.
        case gather(Gathering)
        /// Never said.
        case drop

        public var gathering: Gathering? {
            if case .gather(let gathering) = self { gathering } else { nil }
        }
    }

    /// When the gate opens by itself; `.latest` when only an event opens it: then it is asked again after every change
    /// of an incident. The moment of the question itself when it is open, and what it has gathered takes this along.
    public let until: Moment
    public let fate: Fate
    public let reason: Reason

    public init(until: Moment, fate: Fate, reason: Reason) {
        self.until = until
        self.fate = fate
        self.reason = reason
    }
}

/// What is asked of something that comes and goes before it is over.
public struct Steadiness: Hashable, Sendable {
    /// For how long it must be well.
    public let wait: Duration
    /// How often it has begun and ended lately, and within which time.
    public let changes: Int
    public let span: Duration

    public init(wait: Duration, changes: Int, span: Duration) {
        self.wait = wait
        self.changes = changes
        self.span = span
    }
}

/// Something that a gate adds to a message.
public struct Remark: Hashable, Sendable {
    public let label: Phrase
    public let value: Phrase
    /// Why the message is sent, where the gate is the reason.
    public let reason: Reason
    /// Since when it has been flapping, where the headline says so: what follows is held.
    public let flappingSince: Moment?

    public var isFlapping: Bool { flappingSince != nil }

    public init(_ label: Phrase, _ value: Phrase, reason: Reason, flappingSince: Moment? = nil) {
        self.label = label
        self.value = value
        self.reason = reason
        self.flappingSince = flappingSince
    }

    /// Texts that are the same in every language.
    public init(_ label: String, _ value: String, reason: Reason) {
        self.init(Phrase(verbatim: label), Phrase(verbatim: value), reason: reason)
    }

    /// The field in English.
    public var field: Message.Field { Message.Field(label.english, value.english) }
}

/// When a channel is reminded of an incident that goes on.
public enum Reminding: Hashable, Sendable {
    /// That long after the channel last heard of it.
    case after(Duration)
    case never
}

/// Further channels for an incident of which nobody takes care.
public struct Escalation: Hashable, Sendable {
    public let channels: [String]
    /// When they are told, unless somebody has taken care by then.
    public let from: Moment

    public init(to channels: [String], from: Moment) {
        self.channels = channels
        self.from = from
    }
}

/// That a channel was told that something keeps coming and going, and how bad that was.
public struct SwingsTold: Hashable, Sendable {
    public let at: Moment
    public let severity: Severity

    public init(at: Moment, severity: Severity) {
        self.at = at
        self.severity = severity
    }
}

/// What a gate may know of the past: all of it made of recorded facts.
public protocol GateView: Sendable {
    /// What the channel was told lately, oldest first; at most `Telling.keptMax`.
    func told(_ channel: String) -> [Telling]

    /// Since when something is held for the channel under that key; nil when nothing is.
    func gathered(_ gathering: Gathering, for channel: String) -> Moment?

    /// When incidents of the same rule about the same thing began to fire and ended lately, oldest first: those of the
    /// last day, and of them the last 64.
    func swings(of incident: Incident) -> [Moment]

    /// What the channel was told last of the coming and going of incidents of the same rule about the same thing: the
    /// last message about one that had a remark of reason `flapping`. Nil where it never was, or not within a day.
    func swingsTold(of incident: Incident, in channel: String) -> SwingsTold?

    /// The open incidents that match and explain others, in no order: those that fire, and for an hour those that are getting
    /// better. What stays a little worse than it has to be to end would explain the others away for weeks.
    func explaining(_ match: Match, at now: Moment) -> [Incident]

    /// Whether any of them is as asked: for gates that need not know which, as there may be thousands.
    func isExplained(by match: Match, at now: Moment, where isAsked: (Incident) -> Bool) -> Bool

    /// Apps of which figures are kept.
    var appCount: Int { get }
    /// Whether figures of that app are kept.
    func hasFigures(ofApp app: String) -> Bool
}

extension GateView {
    public func isExplained(by match: Match, at now: Moment, where isAsked: (Incident) -> Bool) -> Bool {
        explaining(match, at: now).contains(where: isAsked)
    }
}
