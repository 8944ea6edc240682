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
        public init(_ title: String, _ url: String) {
            self.title = title
            self.url = url
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
    /// How bad that is at worst which a digest announces; nil where it announces nothing that was not known.
    public var announces: Severity?
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
    /// What a team's own template says, a paragraph each, in place of reason, issues, sparkline and lines.
    public var body: [String] = []
    public var links: [Link]
    /// Rule and incident, for whoever wants to look further.
    public var footer: String
    /// The incidents it is about, for programs.
    public var incidents: [IncidentSummary]
    /// The language of what channels write around it; that of its own words is chosen when they are found. It is no part
    /// of what is kept.
    public var words = Words.english

    public init(
        kind: Notification.Kind, severity: Severity, at: Moment, headline: String, fields: [Field] = [],
        reason: String = "", issues: [IssueLine] = [], sparkline: String? = nil, lines: [String] = [],
        links: [Link] = [], footer: String = "", incidents: [IncidentSummary] = []
    ) {
        self.kind = kind
        self.severity = severity
        self.at = at
        self.headline = headline
        self.fields = fields
        self.reason = reason
        self.issues = issues
        self.sparkline = sparkline
        self.lines = lines
        self.links = links
        self.footer = footer
        self.incidents = incidents
    }

    /// Whether all that it is about is over, whatever is said of it: an end, a correction after it, or a summary of what
    /// came and went.
    public var isOver: Bool {
        kind.isEnd || !incidents.isEmpty && incidents.allSatisfy { $0.state == .resolved || $0.state == .closed }
    }

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
        if let sparkline { add("\(words[.captionLastDay]): \(sparkline)") }
        for line in lines { add("• \(line)") }
        if !reason.isEmpty { add("\(words[.captionWhy]): \(reason)") }
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
    public static func mark(kind: Notification.Kind, severity: Severity) -> String {
        switch (kind, severity) {
        case (.resolved, _): "✅"
        case (.closed, _): "⚪"
        case (.digest, _): "🗒"
        case (.acknowledged, _): "👀"
        case (.test, _): "🧪"
        case (_, .critical): "🔴"
        case (_, .warning): "🟠"
        case (_, .info): "🔵"
        }
    }

    /// The mark in front of its headline; that of its kind where none is.
    public var mark: String { leadingMark ?? Message.mark(kind: kind, severity: severity) }

    /// The headline without its mark, for where it is read aloud or stands beside a colour.
    public var unmarkedHeadline: String {
        guard let mark = leadingMark else { return headline }
        return String(headline.dropFirst(mark.count)).trimmed
    }

    private var leadingMark: String? {
        // What many messages say in one goes by how bad that is which goes on; what is over has the mark of its end,
        // whatever is said of it.
        let marks =
            [kind, .closed, .resolved].map { Message.mark(kind: $0, severity: severity) }
            + Severity.allCases.map { Message.mark(kind: .opened, severity: $0) }
        return marks.first(where: headline.hasPrefix)
    }

    /// What a channel says in front of a message that it may have shown before.
    public var repeatNotice: String { words[.captionRepeated] }
    /// The same in English.
    public static let repeatNotice = Words.english[.captionRepeated]
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
    private let sharedEvidence: Shared<Evidence>

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

    /// The same, when it is over; nobody knows any more since when.
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
