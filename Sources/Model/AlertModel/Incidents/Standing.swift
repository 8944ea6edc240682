/// What one channel has been told of an incident, and what it is waiting to hear.
public struct Standing: Hashable, Sendable {
    /// The worst severity that was announced; nil while the channel knows nothing.
    public var announced: Severity?
    /// The severity of what it heard last, where that was not the worst.
    public var heard: Severity?
    /// The worst severity that a gate dropped for good.
    public var dropped: Severity?
    /// What dropped something last; nil also where a journal does not say.
    public var droppedBy: Reason?
    /// The severity of an opening or an escalation that certainly never arrived: told anew when the channel works again.
    public var undelivered: Severity?
    /// When the channel first heard of it.
    public var firstSaid: Moment?
    /// When the channel last heard of it, or something of it was dropped: the start of the time to the next reminder.
    public var lastSaid: Moment?
    /// Reminders since the channel last heard of something new.
    public var reminders: Int
    /// The figure that it heard last; nil where none was said that could be put right.
    public var said: Said?
    /// The figure that it was alarmed with, where it has heard another since.
    public var alarmed: Said?
    /// When it was last sent a correction, if ever.
    public var corrected: Moment?
    /// Whether it has heard of the end: then only late figures can make anything more to be said.
    public var hasHeardEnd: Bool
    /// What is held back, if anything.
    public var hold: Hold?

    public init(
        announced: Severity? = nil, heard: Severity? = nil, dropped: Severity? = nil, droppedBy: Reason? = nil,
        undelivered: Severity? = nil, firstSaid: Moment? = nil, lastSaid: Moment? = nil, reminders: Int = 0,
        said: Said? = nil, alarmed: Said? = nil, corrected: Moment? = nil, hasHeardEnd: Bool = false, hold: Hold? = nil
    ) {
        self.alarmed = alarmed
        self.corrected = corrected
        self.hasHeardEnd = hasHeardEnd
        self.announced = announced
        self.heard = heard
        self.dropped = dropped
        self.droppedBy = droppedBy
        self.undelivered = undelivered
        self.firstSaid = firstSaid
        self.lastSaid = lastSaid
        self.reminders = reminders
        self.said = said
        self.hold = hold
    }
}

extension Standing {
    /// Whose it is: one channel's, of one incident.
    public struct Key: Hashable, Sendable {
        public let channel: String
        public let incident: String

        public init(channel: String, incident: String) {
            self.channel = channel
            self.incident = incident
        }
    }
}

/// A notification that a gate holds back.
public struct Hold: Hashable, Sendable {
    public var kind: Notification.Kind
    public var severity: Severity
    public var reason: Reason
    /// Since when this gate holds it; where it is gathered with others, since when the first of them is held.
    public var since: Moment
    /// The first instant at which no gate holds it, as far as known; `.latest` when only an event can open the gate.
    public var until: Moment
    /// When the gate that holds it must be asked again: its own end, at most `until`.
    public var checkAgain: Moment
    /// Whether the gate wants a summary of what begins and ends behind it; otherwise that is dropped.
    public var summarizes: Bool
    /// True when the incident has ended behind the gate and waits for that summary.
    public var isForSummary: Bool
    /// How many others that flapped it counts for in that summary: they came and went like it, and are not kept.
    public var countsFor = 0
    /// With what else it becomes one message when the gate opens; nil when it is said by itself.
    public var gathering: Gathering?
    /// What held it before, and for so long that people are told; the last few.
    public var earlier: [Reason] = []

    public init(
        kind: Notification.Kind, severity: Severity, reason: Reason, since: Moment, until: Moment, checkAgain: Moment,
        summarizes: Bool, isForSummary: Bool = false, gathering: Gathering? = nil
    ) {
        self.kind = kind
        self.severity = severity
        self.reason = reason
        self.since = since
        self.until = until
        self.checkAgain = checkAgain
        self.summarizes = summarizes
        self.isForSummary = isForSummary
        self.gathering = gathering
    }
}

extension Hold {
    /// What has held it for so long that people are told why it comes late, the first first. A group only waits for company.
    public func toldOf(at now: Moment) -> [Reason] {
        guard gathering?.style != .group, since <= now - Hold.toldMin, !earlier.contains(reason) else { return earlier }
        return earlier + [reason]
    }

    /// What comes a moment later than it might have is not late.
    public static let toldMin = Duration.minutes(2)
    /// More names say no more.
    public static let earlierMax = 3
}

/// What becomes one message: all that one gate holds for a channel under one key.
public struct Gathering: Hashable, Sendable {
    public enum Style: String, Hashable, Sendable, CaseIterable {
        /// One digest, whatever is in it.
        case digest
        /// A message of the kind that its members have in common; a single member is said as if never held.
        case group
    }

    /// The rule's name in the config.
    public let gate: String
    public let key: String
    public let style: Style

    public init(gate: String, key: String = "", style: Style) {
        self.gate = gate
        self.key = key
        self.style = style
    }
}
