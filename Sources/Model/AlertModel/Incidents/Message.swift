/// What people read, before any channel has dressed it: plain words in a fixed order.
///
/// Texts of crashing programs are in here as they came; each channel escapes them in its own way.
public struct Message: Hashable, Sendable {
    /// A short value with its name: `Users hit` / `31 of 1,840`.
    public struct Field: Hashable, Sendable {
        public let label: String
        public let value: String
        public init(_ label: String, _ value: String) {
            self.label = label
            self.value = value
        }
    }

    public struct Link: Hashable, Sendable {
        public let title: String
        public let url: String
        /// Whether it leads to the bot: with such people acknowledge and mute, so they are the last to give way.
        public let isOwn: Bool
        public init(_ title: String, _ url: String, isOwn: Bool = false) {
            self.title = title
            self.url = url
            self.isOwn = isOwn
        }
    }

    /// One of the issues behind an incident.
    public struct IssueLine: Hashable, Sendable {
        public let title: String
        /// Such as `40 events, 29 users`.
        public let detail: String
        public let url: String?
        public init(title: String, detail: String, url: String?) {
            self.title = title
            self.detail = detail
            self.url = url
        }
    }

    public let kind: Notification.Kind
    public let severity: Severity
    public let at: Moment
    /// How things stand by what it says: colours, tags and marks go by this alone. It stays when other words take the
    /// headline's place.
    public internal(set) var mark: Mark
    /// How bad that is at worst which a digest announces; nil where it announces nothing that was not known.
    public var announces: Severity?
    /// Whether it is about a mute, in force or ended, and no summary of what goes on.
    public var isOfMute = false
    /// Severity mark, app, figure, limit.
    public var headline: String
    public var fields: [Field]
    /// Why it is said, in one sentence.
    public var reason: String
    public var issues: [IssueLine]
    /// One character an hour, oldest first.
    public var sparkline: String?
    /// The last day in figures, for a channel that shows a picture of it.
    public var chart: Chart?
    /// The lines of a summary.
    public var lines: [String]
    /// How many the last of the lines stands for, where there are more than it lists: 29 of "and 29 more". 0 where it stands
    /// for itself.
    public var linesLeftOut = 0
    /// What a team's own template says, a paragraph each, in place of reason, issues, sparkline and lines.
    public var body: [String] = []
    public var links: [Link]
    /// Rule and incident, for whoever wants to look further.
    public var footer: String
    /// The incidents it is about, for programs.
    public var incidents: [IncidentSummary]
    /// The labels of the first of them, for a team's own words. They are kept, as an end may leave when its incident is
    /// forgotten.
    public var labels: [String: String] = [:]
    /// The language of what channels write around it; that of its own words is chosen when they are found. It is no part
    /// of what is kept.
    public var words = Words.english

    /// - Parameter headline: with its mark in front; without one, that of kind and severity is the message's.
    public init(
        kind: Notification.Kind, severity: Severity, at: Moment, headline: String, fields: [Field] = [],
        reason: String = "", issues: [IssueLine] = [], sparkline: String? = nil, lines: [String] = [],
        links: [Link] = [], footer: String = "", incidents: [IncidentSummary] = []
    ) {
        self.kind = kind
        self.severity = severity
        self.at = at
        self.headline = headline
        mark = Mark(of: headline, else: kind, severity)
        self.fields = fields
        self.reason = reason
        self.issues = issues
        self.sparkline = sparkline
        self.lines = lines
        self.links = links
        self.footer = footer
        self.incidents = incidents
    }

    /// Puts a headline with a mark of its own in the place of the one it has.
    public mutating func retitle(_ headline: String, mark: Mark) {
        self.headline = "\(mark.rawValue) \(headline)"
        self.mark = mark
    }

    /// Whether all that it is about is over, whatever is said of it: an end, a correction after it, or a summary of what
    /// came and went.
    public var isOver: Bool {
        kind.isEnd || !incidents.isEmpty && incidents.allSatisfy { $0.state == .resolved || $0.state == .closed }
    }

    /// What the last of the lines stands for besides itself: whoever cuts it off has left out so many more.
    public var linesBesides: Int { max(0, linesLeftOut - 1) }

    /// How bad that is which calls for somebody; nil where nothing is new.
    public var callsFor: Severity? {
        switch kind {
        case .opened, .escalated: severity
        case .digest: announces
        case .reminder, .revised, .resolved, .closed, .acknowledged, .test: nil
        }
    }

    /// The whole message as plain text, one thing a line.
    public var plainText: String {
        var text = headline.tamed
        // Hostile words must not make lines of their own that look like ours.
        func add(_ line: String) {
            text += "\n"
            text += line.tamed
        }
        for field in fields { add("\(field.label): \(field.value)") }
        for paragraph in body { add(paragraph) }
        for line in lines { add("• \(line)") }
        if !reason.isEmpty { add("\(words[.captionWhy]): \(reason)") }
        // Behind the reason: a lock screen shows a few lines only.
        if let sparkline { add("\(words[.captionLastDay]): \(sparkline)") }
        if !issues.isEmpty { add("\(words[.captionIssues]):") }
        for issue in issues {
            let detail = issue.detail.isEmpty ? "" : " (\(issue.detail))"
            add("• \(issue.title)\(detail)" + (issue.url.map { " \($0)" } ?? ""))
        }
        for link in links { add("\(link.title): \(link.url)") }
        if !footer.isEmpty { add(footer) }
        return text
    }

    /// The mark in front of a headline; shape and colour both tell, for those who see only one of them.
    public enum Mark: String, Hashable, Sendable, CaseIterable {
        case resolved = "✅"
        case closed = "⚪"
        case digest = "🗒"
        case acknowledged = "👀"
        case test = "🧪"
        case critical = "🔴"
        case warning = "🟠"
        case info = "🔵"

        /// That of a message of that kind, where nothing else is known of it.
        public init(_ kind: Notification.Kind, _ severity: Severity) {
            self =
                switch kind {
                case .resolved: .resolved
                case .closed: .closed
                case .digest: .digest
                case .acknowledged: .acknowledged
                case .test: .test
                case .opened, .escalated, .reminder, .revised: Mark(severity)
                }
        }

        /// That of what goes on.
        public init(_ severity: Severity) {
            self =
                switch severity {
                case .critical: .critical
                case .warning: .warning
                case .info: .info
                }
        }

        /// The one that a headline begins with.
        public init?(of headline: String) {
            // By its first scalar: comparing characters takes a twentieth of what a message takes.
            guard let first = headline.unicodeScalars.first, !first.isASCII,
                let mark = Mark.allCases.first(where: { $0.rawValue.unicodeScalars.first == first })
            else { return nil }
            self = mark
        }

        /// What a message that says nothing else is taken to have.
        init(of headline: String, else kind: Notification.Kind, _ severity: Severity) {
            self = Mark(of: headline) ?? Mark(kind, severity)
        }
    }

    /// The mark by whose colour it is shown: somebody who is on it makes nothing less bad.
    public var tone: Mark { mark == .acknowledged ? Mark(severity) : mark }

    /// What a message of that kind begins with, where nothing else is known of it.
    public static func mark(kind: Notification.Kind, severity: Severity) -> String { Mark(kind, severity).rawValue }

    /// The headline without its mark, for where it is read aloud or stands beside a colour.
    public var unmarkedHeadline: String {
        Mark(of: headline).map { String(headline.dropFirst($0.rawValue.count)).trimmed } ?? headline
    }

    /// What a channel says in front of a message that it may have shown before.
    public var repeatNotice: String { words[.captionRepeated] }
}

/// An incident as programs see it, in the shape that the documentation promises.
public struct IncidentSummary: Hashable, Sendable {
    public let id: String
    public let rule: String
    public let subject: Subject
    /// What it is about where the subject alone does not say it: the id of an issue.
    public let key: String?
    public let severity: Severity
    public let state: Incident.State
    public let since: Moment
    public let until: Moment?
    public var evidence: Evidence { sharedEvidence.value }
    let sharedEvidence: Shared<Evidence>

    public init(_ incident: Incident) {
        id = incident.id
        rule = incident.rule
        subject = incident.subject
        key = incident.key
        severity = incident.severity
        state = incident.state
        since = incident.since
        until = incident.until
        sharedEvidence = incident.sharedEvidence
    }

    /// The same, told as resolved; `until` stays as it was, and may be nil.
    public var over: IncidentSummary {
        IncidentSummary(
            id: id, rule: rule, subject: subject, key: key, severity: severity, state: .resolved, since: since,
            until: until, evidence: evidence)
    }

    init(
        id: String, rule: String, subject: Subject, key: String?, severity: Severity, state: Incident.State,
        since: Moment, until: Moment?, evidence: Evidence
    ) {
        self.id = id
        self.rule = rule
        self.subject = subject
        self.key = key
        self.severity = severity
        self.state = state
        self.since = since
        self.until = until
        sharedEvidence = Shared(evidence)
    }
}
