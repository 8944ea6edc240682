/// How bad something is.
public enum Severity: String, Hashable, Sendable, CaseIterable, Comparable {
    case info, warning, critical

    public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int { Severity.allCases.firstIndex(of: self) ?? 0 }
}

/// A thing being tracked: one rule and one subject, from pending to resolved.
public struct Incident: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The rule's condition holds, but not yet for as long as the rule wants.
        case pending
        case firing
        /// The figure is back inside its limit, but not by as much as the rule wants, or not for long enough to be sure.
        case recovering
        case resolved
        /// Nobody knows how it ended: its figures have stopped for good, or nothing judges it any more.
        case closed

        /// Whether it goes on, or may yet begin.
        public var isOpen: Bool { self != .resolved && self != .closed }
    }

    public let id: String
    public private(set) var rule: String
    public let subject: Subject
    /// What it is about where the subject alone does not say it: the id of an issue.
    public let key: String?
    public var labels: [String: String]
    public var severity: Severity { didSet { worstSeverity = max(worstSeverity, severity) } }
    /// How bad it was at its worst.
    public private(set) var worstSeverity: Severity
    public var state: State
    /// When the condition was first seen to hold.
    public private(set) var since: Moment
    /// When it was resolved or closed.
    public var until: Moment?
    /// What the rule saw last.
    public var evidence: Evidence {
        get { sharedEvidence.value }
        set { sharedEvidence = Shared(newValue) }
    }
    /// What the rule saw at its worst.
    public var worst: Evidence {
        get { sharedWorst.value }
        set { sharedWorst = Shared(newValue) }
    }
    private(set) var sharedEvidence: Shared<Evidence>
    private var sharedWorst: Shared<Evidence>
    /// Whether what the rule saw last is the worst.
    public var isAtItsWorst: Bool { sharedWorst == sharedEvidence }
    /// Whether the last verdict was `unknown`: then nothing opens, and reminders say since when nothing is known.
    public var isUncertain: Bool
    /// Since when its figure is back inside its limit, while it is recovering.
    public var betterSince: Moment?
    /// Who takes care of it, if anybody said so: then nobody is reminded.
    public var acknowledgement: Acknowledgement?
    /// When it got worse than what somebody took care of, and nobody did any more; nil where that has not been.
    public var unattendedSince: Moment?
    /// What each channel has been told, by channel name.
    public var standings: [String: Standing]

    /// - Parameter openedAt: when it was noticed, where that is later than `since`: what ends and is noticed anew may
    ///   have begun at the same moment, but is another incident.
    public init(
        rule: String, subject: Subject, key: String? = nil, labels: [String: String], severity: Severity, since: Moment,
        openedAt: Moment? = nil, evidence: Evidence
    ) {
        id = Incident.id(rule: rule, subject: subject, key: key, since: openedAt ?? since)
        self.rule = rule
        self.subject = subject
        self.key = key
        self.labels = labels
        self.severity = severity
        worstSeverity = severity
        self.since = since
        sharedEvidence = Shared(evidence)
        sharedWorst = sharedEvidence
        state = .pending
        isUncertain = false
        standings = [:]
    }

    /// One that may be forgotten by now, as far as a message tells of it.
    public init(_ summary: IncidentSummary, labels: [String: String] = [:]) {
        let isSilent = [.closedVanished, .closedFailing, .closedUnjudged].contains(summary.evidence.phrase?.id)
        self.init(
            id: summary.id, rule: summary.rule, subject: summary.subject, key: summary.key, labels: labels,
            severity: summary.severity, worstSeverity: summary.severity, state: summary.state, since: summary.since,
            until: summary.until, evidence: summary.evidence, worst: summary.evidence, isUncertain: isSilent,
            betterSince: nil, acknowledgement: nil, unattendedSince: nil, standings: [:])
    }

    init(
        id: String, rule: String, subject: Subject, key: String?, labels: [String: String], severity: Severity,
        worstSeverity: Severity, state: State, since: Moment, until: Moment?, evidence: Evidence, worst: Evidence,
        isUncertain: Bool, betterSince: Moment?, acknowledgement: Acknowledgement?, unattendedSince: Moment?,
        standings: [String: Standing]
    ) {
        self.id = id
        self.rule = rule
        self.subject = subject
        self.key = key
        self.labels = labels
        self.severity = severity
        self.worstSeverity = worstSeverity
        self.state = state
        self.since = since
        self.until = until
        sharedEvidence = Shared(evidence)
        sharedWorst = worst == evidence ? sharedEvidence : Shared(worst)
        self.isUncertain = isUncertain
        self.betterSince = betterSince
        self.acknowledgement = acknowledgement
        self.unattendedSince = unattendedSince
        self.standings = standings
    }

    /// Derives the id from what makes the incident itself, so that a replay names it alike.
    static func id(rule: String, subject: Subject, key: String? = nil, since: Moment) -> String {
        var hash = StableHash()
        for part in [rule, subject.source, subject.app, subject.release ?? "", subject.environment ?? ""] {
            hash.add(part)
        }
        if let key { hash.add(key) }
        hash.add(since.description)
        return hash.text
    }

    /// Takes in what the rule has seen now.
    public mutating func see(_ evidence: Evidence, isWorst: Bool, _ state: State) {
        sharedEvidence = Shared(evidence)
        if isWorst { sharedWorst = sharedEvidence }
        self.state = state
        isUncertain = false
        if state != .recovering { betterSince = nil }
    }

    /// Moves what began after `now` along with a wall clock that was set back: it had begun all the same. What began before
    /// began by a clock that went right.
    public mutating func setBack(to now: Moment, by step: Duration) {
        guard since > now else { return }
        since = since + step
        until = until.map { $0 + step }
    }

    /// Goes on under another rule, with its id and with all that channels know of it.
    public mutating func goOn(under rule: String) { self.rule = rule }

    /// Nobody takes care of it any more, for it got worse.
    public mutating func leaveUnattended(at now: Moment) {
        guard acknowledgement != nil else { return }
        acknowledgement = nil
        unattendedSince = now
    }

    public var isOpen: Bool { state.isOpen }

    /// The value of a `match` property; names that are no property are labels.
    public func property(_ name: String) -> String? {
        switch name {
        case "source": subject.source
        case "app": subject.app
        case "release": subject.release
        case "environment": subject.environment
        case "rule": rule
        case "severity": severity.rawValue
        case "issue": key ?? evidence.issue?.id
        default: labels[name]
        }
    }
}

/// What one channel has been told of an incident, and what it is waiting to hear.
public struct Standing: Hashable, Sendable {
    /// The worst severity that was announced; nil while the channel knows nothing.
    public var announced: Severity?
    /// The severity of what it heard last, where that was not the worst.
    public var heard: Severity?
    /// The worst severity that a gate dropped for good.
    public var dropped: Severity?
    /// The severity of an opening or an escalation that certainly never arrived: told anew when the channel works again.
    public var undelivered: Severity?
    /// When the channel first heard of it.
    public var firstSaid: Moment?
    /// When the channel last heard of it: the start of the time to the next reminder.
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
        announced: Severity? = nil, heard: Severity? = nil, dropped: Severity? = nil, undelivered: Severity? = nil,
        firstSaid: Moment? = nil,
        lastSaid: Moment? = nil, reminders: Int = 0, said: Said? = nil, alarmed: Said? = nil,
        corrected: Moment? = nil, hasHeardEnd: Bool = false, hold: Hold? = nil
    ) {
        self.alarmed = alarmed
        self.corrected = corrected
        self.hasHeardEnd = hasHeardEnd
        self.announced = announced
        self.heard = heard
        self.dropped = dropped
        self.undelivered = undelivered
        self.firstSaid = firstSaid
        self.lastSaid = lastSaid
        self.reminders = reminders
        self.said = said
        self.hold = hold
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

/// What a detector's verdict rests on.
public struct Evidence: Hashable, Sendable {
    /// The metric that was judged; nil for troubles of the bot itself.
    public var metric: String?
    public var figure: Figure?
    public var limit: Comparison?
    /// The fraction of days that pass without a false alarm at a figure exactly at its limit.
    public var confidence: Double?
    /// The value that the figure truly has at best (or at worst, for limits from above), at that confidence.
    public var bound: Double?
    /// The span that was judged.
    public var span: TimeSpan?
    /// The issue it is about, for rules that judge issues.
    public var issue: Issue?
    /// The others that its sentence names, where it is about many.
    public var otherIssues: [Issue] = []
    /// What the figure was compared with, for rules without a limit of their own.
    public var reference: Reference?
    /// One sentence that says why, with all that it rests on, in English: for logs, programs and `why`.
    public var sentence: String
    /// The same as a message says it, in the language of its readers; nil where the sentence is all there is.
    public var phrase: Phrase?

    /// What a figure is compared with.
    public enum Reference: Hashable, Sendable {
        /// What the figure usually is at this time.
        case usual(Double)
        /// What it is of the release before.
        case olderRelease(Double)
    }

    public init(
        metric: String? = nil, figure: Figure? = nil, limit: Comparison? = nil, confidence: Double? = nil,
        bound: Double? = nil, span: TimeSpan? = nil, issue: Issue? = nil, reference: Reference? = nil, sentence: String,
        phrase: Phrase? = nil
    ) {
        self.reference = reference
        self.metric = metric
        self.figure = figure
        self.limit = limit
        self.confidence = confidence
        self.bound = bound
        self.span = span
        self.issue = issue
        self.sentence = sentence
        self.phrase = phrase
    }
}

/// Something an incident wants said.
public struct Notification: Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case opened, escalated, reminder, revised, resolved, closed, acknowledged, digest
        /// What somebody sends to try a channel: it is about no incident, and no gate is asked.
        case test

        /// Those that incidents want.
        public static var ofIncidents: [Kind] { allCases.filter { $0 != .test } }

        /// Whether it is about an incident that has ended, for better or unknown.
        public var isEnd: Bool { self == .resolved || self == .closed }
    }

    public let incident: Incident
    public let kind: Kind
    public let severity: Severity
    public let channel: String
    /// What holds it already.
    public struct Held: Sendable {
        /// The reason that the gate gave.
        public let reason: Reason
        public let since: Moment
        /// Whether it will be told together with others anyhow.
        public var isGathered: Bool { style != nil }
        /// What it becomes part of then.
        public let style: Gathering.Style?

        public init(_ reason: Reason, since: Moment, style: Gathering.Style? = nil) {
            self.reason = reason
            self.since = since
            self.style = style
        }
    }

    /// Nil for news.
    public let held: Held?

    public init(
        incident: Incident, kind: Kind, severity: Severity, channel: String, held: Held? = nil
    ) {
        self.incident = incident
        self.kind = kind
        self.severity = severity
        self.channel = channel
        self.held = held
    }

    /// The value of a `match` property: that of the incident, but as severe as the channel is told. An end is as severe
    /// as what it ends, whatever that was in between.
    public func property(_ name: String) -> String? {
        name == "severity" ? severity.rawValue : incident.property(name)
    }

    /// Since when a gate that gives that reason holds it: `now` when it is only about to.
    public func waits(behind reason: Reason, at now: Moment) -> Moment {
        if let held, held.reason == reason { held.since } else { now }
    }
}

/// Why something was sent, held or dropped: a closed list, documented in the guide.
public enum Reason: Hashable, Sendable, CustomStringConvertible {
    /// The channel hears of this incident for the first time.
    case first
    /// It got worse than what the channel knows.
    case escalated
    /// It is still firing and the time between reminders has passed.
    case `repeat`
    /// Late figures have changed what was said.
    case revised
    /// It is over.
    case resolved
    /// It ended without anybody knowing how.
    case closed
    /// Somebody takes care of it.
    case acknowledged
    case muted(String)
    case quietHours(String)
    /// It has begun and ended so often that more of it would be noise.
    case flapping
    /// Another gate of the config, by the name of its plugin and its own.
    case gate(plugin: String, name: String)
    /// The channel never heard of the incident, so its end is no news there.
    case unannounced
    /// While it was held, it became what the routes lead elsewhere, or nowhere.
    case unrouted
    /// It began and ended while the channel could not be reached.
    case overtaken

    public var description: String {
        switch self {
        case .first: "first"
        case .escalated: "escalated"
        case .repeat: "repeat"
        case .revised: "revised"
        case .resolved: "resolved"
        case .closed: "closed"
        case .acknowledged: "acknowledged"
        case .muted(let name): "muted:\(name)"
        case .quietHours(let name): "quiet_hours:\(name)"
        case .flapping: "flapping"
        case .gate(let plugin, let name): "\(plugin):\(name)"
        case .unannounced: "unannounced"
        case .unrouted: "unrouted"
        case .overtaken: "overtaken"
        }
    }

    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count) {
        case ("first", 1): self = .first
        case ("escalated", 1): self = .escalated
        case ("repeat", 1): self = .repeat
        case ("revised", 1): self = .revised
        case ("resolved", 1): self = .resolved
        case ("closed", 1): self = .closed
        case ("acknowledged", 1): self = .acknowledged
        case ("flapping", 1): self = .flapping
        case ("unannounced", 1): self = .unannounced
        case ("unrouted", 1): self = .unrouted
        case ("overtaken", 1): self = .overtaken
        case ("muted", 2): self = .muted(parts[1])
        case ("quiet_hours", 2): self = .quietHours(parts[1])
        case (let plugin?, 2): self = .gate(plugin: plugin, name: parts[1])
        default: return nil
        }
    }
}

/// What the gates said of a notification for one channel.
public enum Decision: Hashable, Sendable {
    case send
    /// It will be looked at again at the moment given: the first at which no gate holds it.
    case hold(until: Moment)
    case drop

    public var name: String {
        switch self {
        case .send: "send"
        case .hold: "hold"
        case .drop: "drop"
        }
    }
}
