public import PluginKit

/// One rule that judges. It is looked at with every observation, so it is shared and never copied.
public final class DetectorPlan: Sendable {
    public let name: String
    public let detector: any Detector
    public let match: Match
    /// The time between reminders; nil for none.
    public let `repeat`: Duration?
    /// For its messages: what to do about it, and what else the config names.
    public let links: [Message.Link]
    /// Messages about its incidents in a team's own words; nil for the built-in ones.
    public let template: MessageTemplate?
    /// The detector as one that judges single subjects, if it does: nearly all do, and they are asked most often.
    let judge: (any SubjectDetector)?
    let scope: DetectorScope
    /// What the detector wants remembered, asked once: it is looked at with every observation.
    let needs: MemoryNeeds
    /// The sources that its match names one by one, each once; nil where others may be meant, too.
    let sourceNames: [String]?
    /// Whether it watches sources and is shown all that they have: nothing else in its match leaves any of it out.
    let watchesWholeSources: Bool
    /// Whether it reads nothing but sessions, and so can judge an app by the sum over its releases.
    private let readsSessionsAlone: Bool
    /// What of the match a subject alone can tell: the severity and the issue are known only when something is found.
    private let subjectMatch: Match

    public init(
        name: String, detector: any Detector, match: Match = .all, repeat: Duration? = RuleSettings.remindsAfter,
        links: [Message.Link] = [], template: MessageTemplate? = nil
    ) {
        self.name = name
        self.detector = detector
        self.match = match
        self.repeat = `repeat`
        self.links = links
        self.template = template
        judge = detector as? any SubjectDetector
        scope = detector.scope
        needs = detector.needs
        let named = match["source"]?.patterns
        sourceNames = named.flatMap { $0.allSatisfy(\.isExact) ? Set($0.map(\.pattern)).sorted() : nil }
        watchesWholeSources =
            detector.scope == .source
            && match.conditions.allSatisfy { ["source", "rule", "severity"].contains($0.property) }
        let metrics = detector.metrics
        readsSessionsAlone =
            detector.scope == .subject && !detector.readsIssues && match["release"] == nil && !metrics.isEmpty
            && metrics.allSatisfy { [.sessions, .crashedSessions, .crashFreeSessions].contains($0) }
        let known = MemoryKinds(type(of: detector).memories)
        precondition(
            needs.list.allSatisfy { known[$0.name] != nil },
            "rule \(name) needs a memory that its plugin does not name among its own, so no journal could be read")
        // Nor is an app as a whole of any release: there the condition chooses among its releases.
        let later = ["severity", "issue"] + (detector.scope == .app ? ["release"] : [])
        subjectMatch = Match(match.conditions.filter { !later.contains($0.property) })
    }

    /// Whether it judges how many sessions there are: of an app that is gone there are none.
    var asksAboutSessions: Bool { judge != nil && detector.metrics.contains(.sessions) }

    /// Whether it judges an app as a whole by the sum over its releases, where the sum knows these metrics.
    func judgesSum(of metrics: Metrics) -> Bool {
        guard readsSessionsAlone else { return false }
        return detector.metrics.allSatisfy { metric in
            var search = MetricSearch(metric)
            return search.find(metrics) != nil
        }
    }

    /// Whether a rule that is shown an app with its releases wants to see this one.
    func shows(release: String?) -> Bool {
        guard let condition = match["release"] else { return true }
        return condition.patterns.contains { $0.fits(release ?? "") }
    }

    /// Whether its match names more than sources, so that of a source it may be shown a part: it then speaks of what it is
    /// shown and never of the source as such, of which it cannot know how the rest is. An owner is nearly always a whole
    /// source's.
    public var isOfParts: Bool {
        match.conditions.contains { !["source", "owner", "rule", "severity", "issue"].contains($0.property) }
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

    /// What the rule finds in what it is shown, without what its match leaves out.
    func findings(in sight: Sight, at now: Moment) -> [Finding] {
        let findings = detector.findings(in: sight, at: now)
        guard match["issue"] != nil else { return findings }
        return findings.filter { finding in
            // What has been told of is over when the rule says so: the key of what tells of many is no issue's.
            if let key = finding.key, sight.tracked.contains(where: { $0.key == key }) { return true }
            return (finding.judgement.evidence.issue?.id ?? finding.key).map(sight.concerns(issue:)) ?? false
        }
    }
}

/// One rule that judges notifications: whether those that fit may leave now.
public struct GatePlan: Sendable {
    public let name: String
    public let gate: any Gate
    public let match: Match
    /// The gate as one that follows the calendar, if it does.
    public let calendar: (any CalendarGate)?
    /// Whether no config wrote it: it is always there.
    public let isImplied: Bool
    /// What has gates of the same plugin of its own, which take the place of one that is always there.
    private let spared: [Match]

    /// - Parameter spared: what it leaves alone of what it matches.
    public init(
        name: String, gate: any Gate, match: Match = .all, isImplied: Bool = false, sparing spared: [Match] = []
    ) {
        self.isImplied = isImplied
        self.spared = spared
        self.name = name
        self.gate = gate
        self.match = match
        calendar = gate as? any CalendarGate
    }

    /// When it is closed by the calendar, now or next: while a mute is in force from its begin on, `.earliest` where it
    /// has none. Of what recurs, from now on.
    public func window(at now: Moment) -> TimeSpan? {
        guard let calendar, let next = calendar.schedule(from: now, count: 1).first else { return nil }
        guard calendar.stage == .mutes, let whole = calendar.schedule(from: .earliest, count: 1).first,
            whole.from <= now, whole.to == next.to
        else { return next }
        return whole
    }

    /// Whether what has these properties is any business of the gate.
    public func concerns(_ property: (String) -> String?) -> Bool {
        match.fits(property) && !spared.contains { $0.fits(property) }
    }

    func lets(_ severity: Severity) -> Bool { gate.except.map { severity >= $0 } ?? false }
}
