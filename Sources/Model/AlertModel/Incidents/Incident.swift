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
    public internal(set) var worstSeverity: Severity
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
    /// Until when it must be well to be over, while it is recovering and has come and gone before; nil where the first good
    /// poll ends it.
    public var endsFrom: Moment?
    /// Who takes care of it, if anybody said so: then nobody is reminded.
    public var acknowledgement: Acknowledgement?
    /// When it got worse than what somebody took care of, and nobody did any more; nil where that has not been.
    public var unattendedSince: Moment?
    /// When it became that bad for the first time, where it did not begin so.
    public var worsened: [Severity: Moment] = [:]
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
        id = summary.id
        rule = summary.rule
        subject = summary.subject
        key = summary.key
        self.labels = labels
        severity = summary.severity
        worstSeverity = summary.severity
        since = summary.since
        until = summary.until
        sharedEvidence = summary.sharedEvidence
        sharedWorst = sharedEvidence
        state = summary.state
        isUncertain = [.closedVanished, .closedFailing, .closedUnjudged].contains(summary.evidence.phrase?.id)
        standings = [:]
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

    /// Takes in how bad it is from now on; that it never was so bad before is kept.
    public mutating func become(_ severity: Severity, at now: Moment) {
        for level in Severity.allCases where level > worstSeverity && level <= severity { worsened[level] = now }
        self.severity = severity
    }

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
