/// A rule that judges observations.
///
/// A detector is a value without memory: it gets what is kept of a subject and says what it thinks. The core tracks how
/// long it has thought so. Most judge one subject by its figures and are `SubjectDetector`s. One that has to learn
/// names kinds of memory (`DetectorMemory`), which lie with the figures and are read there: `series.memory(...)`.
public protocol Detector: Plugin {
    init(options: Options, context: RuleContext) throws(ProblemList)

    /// The metrics it reads, so that a rule on a metric that no source gives is found before it runs.
    var metrics: [Metric] { get }
    /// Whether it judges issues, so that a rule on a source that names none is found before it runs.
    var readsIssues: Bool { get }
    /// How far back it looks: figures are kept of spans that end at most so long before the newest. Of each span that
    /// is what was seen last; the newest figures and those before them are always there.
    var lookback: Duration { get }
    /// How many polls before the newest it wants to see as they were (`Series.polls`): how figures of the same span
    /// have changed, or what a rolling window showed before, however far apart the polls are. At most
    /// `Series.earlierPollsMax`. A poll that brought no figures of the subject does not count.
    var earlierPolls: Int { get }
    /// Spans that a source which can choose should measure for it: distinct users of an hour cannot be added up from
    /// minutes.
    var spans: [Duration] { get }
    /// How long its condition must hold before it counts.
    var holdTime: Duration { get }
    /// How long figures must show a trouble before it is one, for `check`: nothing where the first bad ones do, nil where
    /// it takes as many as it needs to be sure, which depends on how bad they are.
    var evidenceTime: Duration? { get }
    /// The kinds of memory that its rules read; all that the program's plugins name make up what it reads in a journal.
    static var memories: [MemoryKind] { get }
    /// What it wants remembered of every subject that it judges, of kinds that are kept only while a rule asks.
    var needs: MemoryNeeds { get }
    /// What it is shown at once.
    var scope: DetectorScope { get }
    /// The severities with which it can fire, where that is known before: for the coverage of rule tests.
    var severities: Set<Severity>? { get }
    /// Whether what it finds is worth reminding of while it lasts, where the config says nothing; events are not.
    static var isWorthReminding: Bool { get }

    /// Whether it can judge a rate only with the count that the rate is a share of.
    var needsCounts: Bool { get }
    /// What in its options works and is not wise, for `check`.
    var cautions: [Problem] { get }

    /// For rules that watch sources: until when they find all well in these parts of one, should no newer figures of them come,
    /// and say that in as many findings, however often they are asked; nil where it has to be asked each time.
    ///
    /// Of several parts it is the first such moment of any, of whatever else the source has: newer figures of a part only put
    /// it off. Where nothing is open the core then spares the look at all that a source has with each app that it tells of.
    func wellUntil(_ parts: [Sight.Entry]) -> Moment?

    /// What it finds in what it is shown. An incident that no finding is about stays as it is.
    func findings(in sight: Sight, at now: Moment) -> [Finding]
}

extension Detector {
    public static var memories: [MemoryKind] { [] }
    public var needs: MemoryNeeds { [] }
    public var earlierPolls: Int { 0 }
    public var evidenceTime: Duration? { .zero }
    public var scope: DetectorScope { .subject }
    public var readsIssues: Bool { false }
    public var severities: Set<Severity>? { nil }
    public static var isWorthReminding: Bool { true }
    public var needsCounts: Bool { false }
    public var cautions: [Problem] { [] }
    public func wellUntil(_ parts: [Sight.Entry]) -> Moment? { nil }
}

/// What a detector is shown at once.
public enum DetectorScope: Hashable, Sendable {
    /// One subject, after figures of it have come.
    case subject
    /// An app in one environment with all its releases, after figures of any of them have come.
    case app
    /// A source with all its subjects, after every poll and whenever a finding asked for another check.
    case source
}

/// What a detector sees.
public struct Sight: Sendable {
    /// One subject, with what is kept of it.
    public struct Entry: Sendable {
        public let subject: Subject
        public let series: Series

        public init(_ subject: Subject, _ series: Series) {
            self.subject = subject
            self.series = series
        }
    }

    /// An open incident of the rule that is about something in sight.
    public struct Tracked: Hashable, Sendable {
        public let subject: Subject
        public let key: String?
        public let severity: Severity
        public let since: Moment
        /// Whether it fires, and is not only about to, should it last.
        public let hasFired: Bool
        /// How bad it was at its worst; nil where no figure says so.
        public let worst: Depth?
        /// Since when its figure is back inside the limit, where it is and the incident goes on all the same.
        public let betterSince: Moment?

        /// How far a figure went.
        public struct Depth: Hashable, Sendable {
            public let metric: Metric
            public let value: Double

            public init(_ metric: Metric, _ value: Double) {
                self.metric = metric
                self.value = value
            }
        }

        public init(
            subject: Subject, key: String?, severity: Severity, since: Moment, hasFired: Bool = true,
            worst: Depth? = nil, betterSince: Moment? = nil
        ) {
            self.subject = subject
            self.key = key
            self.severity = severity
            self.since = since
            self.hasFired = hasFired
            self.worst = worst
            self.betterSince = betterSince
        }
    }

    /// The subject; for an app the one without a release, for a source one whose app is the source's own name.
    public let subject: Subject
    /// What is kept of `subject`; empty where figures come only for its parts.
    public let series: Series
    /// The releases of an app, or everything that a source sees, by name; empty for a single subject.
    public let parts: [Entry]
    public let tracked: [Tracked]
    /// When the source last gave a usable answer; nil when it never has.
    public let lastGood: Moment?
    /// Until when what was seen last of `subject` is known to have held: of a single subject, an answer that is as before says
    /// so; of others it is when they were seen.
    public let knownUntil: Moment
    /// Whether the rule's match may leave out a part of the source: then nothing can be said of the source as a whole.
    public let isPartial: Bool
    /// The issues that the rule is about, where its match names some.
    private let issues: Match.Condition?

    public init(
        _ subject: Subject, _ series: Series = Series(), parts: [Entry] = [], tracked: [Tracked] = [],
        lastGood: Moment? = nil, knownUntil: Moment? = nil, isPartial: Bool = false, issues: Match.Condition? = nil
    ) {
        self.subject = subject
        self.series = series
        self.parts = parts
        self.tracked = tracked
        self.lastGood = lastGood
        self.knownUntil = knownUntil ?? series.lastSeen
        self.isPartial = isPartial
        self.issues = issues
    }

    /// Whether the rule is about that issue. A finding about another one comes to nothing, so only a detector that says one
    /// thing of many issues need ask.
    public func concerns(issue id: String) -> Bool {
        issues.map { condition in condition.patterns.contains { $0.fits(id) } } ?? true
    }
}

/// One thing that a detector says.
public struct Finding: Hashable, Sendable {
    public let judgement: Judgement
    /// What it is about where the subject alone does not say it: the id of an issue. Each key is an incident of its
    /// own.
    public let key: String?
    /// The subject it is about; nil for the one in sight. A detector of apps may find something in a release.
    public let subject: Subject?

    public init(_ judgement: Judgement, key: String? = nil, about subject: Subject? = nil) {
        self.judgement = judgement
        self.key = key
        self.subject = subject
    }
}

/// A detector that judges one subject by its figures and nothing else.
public protocol SubjectDetector: Detector {
    /// What the figures say: that something is wrong, that nothing is, or that nobody can tell, and how close it is to a limit.
    ///
    /// The same series at the same moment is judged the same: the core may ask again.
    func judge(_ series: Series, at now: Moment) -> Judgement
    /// The same while the rule has something open about the subject that is as bad or worse: whether that is over, or milder,
    /// may be another question than whether anything is wrong.
    func judge(_ series: Series, ending incident: Sight.Tracked, at now: Moment) -> Judgement
    /// How close the figure is to a limit, where a glance shows that `judge` would not fire; nil where it does not.
    ///
    /// By far the most checks find nothing wrong, and nobody reads why. Where nothing is open about the subject, the
    /// core glances first and spares the words. Tests hold every rule's glances to its judgements.
    func glance(_ series: Series, at now: Moment) -> Judgement.Closeness?
    /// Whether a glance shows that `judge` could say nothing but unknown; false where it does not.
    ///
    /// A backtest asks every hour about all that has not been judged yet, and of most of it knows the reason already.
    func isBlind(to series: Series, at now: Moment) -> Bool
}

extension SubjectDetector {
    public func glance(_ series: Series, at now: Moment) -> Judgement.Closeness? { nil }
    public func isBlind(to series: Series, at now: Moment) -> Bool { false }
    public func judge(_ series: Series, ending incident: Sight.Tracked, at now: Moment) -> Judgement {
        judge(series, at: now)
    }
    public func findings(in sight: Sight, at now: Moment) -> [Finding] {
        [Finding(sight.tracked.first.map { judge(sight.series, ending: $0, at: now) } ?? judge(sight.series, at: now))]
    }
}

/// What a detector thinks of one subject now.
public struct Judgement: Hashable, Sendable {
    /// Whether something is wrong; how long it must be before an incident fires, the rule's hold time says.
    public enum Verdict: Hashable, Sendable {
        /// The figure is inside its limit; `recovered` says whether by enough to end an incident.
        case ok(recovered: Bool)
        case firing(Severity)
        /// Nothing can be said, and why: neither opens nor resolves anything.
        case unknown(String)
    }

    /// How close the figure is to a limit, the closest first: close ones are polled more often, far ones less.
    public enum Closeness: Hashable, Comparable, Sendable { case near, between, far }

    public let verdict: Verdict
    public let closeness: Closeness
    public let evidence: Evidence

    public init(_ verdict: Verdict, _ closeness: Closeness, _ evidence: Evidence) {
        self.verdict = verdict
        self.closeness = closeness
        self.evidence = evidence
    }
}
