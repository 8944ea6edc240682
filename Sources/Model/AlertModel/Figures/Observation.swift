/// What a source saw of one app, and optionally one release and one environment, over one span of time.
public struct Observation: Hashable, Sendable {
    public var subject: Subject
    public var span: TimeSpan
    /// When the source was asked.
    public var seen: Moment
    /// False while the span is still filling: late figures may change it.
    public var isComplete: Bool
    public var metrics: Metrics
    public var issues: [Issue]
    /// Whether none are named because nobody could read them, which says nothing of any; without meaning where some are.
    public var issuesUnread = false
    public var labels: [String: String]

    public init(
        subject: Subject, span: TimeSpan, seen: Moment, isComplete: Bool = true, metrics: Metrics, issues: [Issue] = [],
        labels: [String: String] = [:]
    ) {
        self.subject = subject
        self.span = span
        self.seen = seen
        self.isComplete = isComplete
        self.metrics = metrics
        self.issues = issues
        self.labels = labels
    }
}

extension Observation {
    /// How far a span may reach beyond the moment of asking: clocks differ, but not by hours.
    public static let clockSlackMax = Duration.hours(1)

    /// What is wrong with this observation as a sentence, or nil.
    ///
    /// A span from the future would push everything true out of what is kept, so it is never taken in.
    public var flaw: String? {
        if let flaw = metrics.flaw { return flaw }
        if span.to > seen + Observation.clockSlackMax {
            return "the span ends at \(span.to), long after it was seen at \(seen)"
        }
        for issue in issues {
            if issue.id.isEmpty { return "an issue has no id" }
            if (issue.events ?? 0) < 0 || (issue.users ?? 0) < 0 { return "issue '\(issue.id)' has a negative count" }
        }
        return nil
    }
}

/// Whom an observation is about.
public struct Subject: Hashable, Sendable, Comparable {
    /// Written once and shared by all copies: at every observation its subject is handed around and looked up many
    /// times.
    private final class Storage: Sendable {
        let source: String
        let app: String
        let release: String?
        let environment: String?
        /// Of all four: many sources may name the same app.
        let hash: Int

        init(_ source: String, _ app: String, _ release: String?, _ environment: String?) {
            self.source = source
            self.app = app
            self.release = release
            self.environment = environment
            var hasher = Hasher()
            hasher.combine(source)
            hasher.combine(app)
            hasher.combine(release)
            hasher.combine(environment)
            hash = hasher.finalize()
        }
    }

    private let storage: Storage

    public init(source: String, app: String, release: String? = nil, environment: String? = nil) {
        storage = Storage(source, app, release, environment)
    }

    public var source: String { storage.source }
    public var app: String { storage.app }
    /// Exactly as the source gives it.
    public var release: String? { storage.release }
    public var environment: String? { storage.environment }

    public static func == (left: Subject, right: Subject) -> Bool {
        let (one, other) = (left.storage, right.storage)
        if one === other { return true }
        return one.hash == other.hash && one.app == other.app && one.source == other.source
            && one.release == other.release && one.environment == other.environment
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(storage.hash) }

    public static func < (left: Subject, right: Subject) -> Bool {
        (left.source, left.app, left.release ?? "", left.environment ?? "")
            < (right.source, right.app, right.release ?? "", right.environment ?? "")
    }

    /// The app name that the bot uses for its own troubles.
    public static let botApp = "alertbot"
}

/// A half-open stretch of time: `from` belongs to it, `to` does not.
public struct TimeSpan: Hashable, Sendable {
    public let from: Moment
    public let to: Moment

    /// Makes a span, or nil when it would be empty or backwards.
    public init?(from: Moment, to: Moment) {
        guard from < to else { return nil }
        self.from = from
        self.to = to
    }

    /// The span of that length (at least a millisecond) that ends at `to`.
    public init(lasting length: Duration, until to: Moment) {
        self.from = to - max(length, .milliseconds(1))
        self.to = to
    }

    public var length: Duration { to - from }
}

/// A group of like crashes as the source knows it. Its words come from crashing programs: hostile until escaped.
public struct Issue: Hashable, Sendable {
    public var id: String
    public var title: String
    public var events: Double?
    public var users: Double?
    public var firstSeen: Moment?
    public var lastSeen: Moment?
    /// When it came back after it was resolved, the last time, where its source says that.
    public var returned: Moment?
    public var release: String?
    public var status: String?
    public var url: String?

    public init(
        id: String, title: String, events: Double? = nil, users: Double? = nil, firstSeen: Moment? = nil,
        lastSeen: Moment? = nil, returned: Moment? = nil, release: String? = nil, status: String? = nil,
        url: String? = nil
    ) {
        self.id = id
        self.title = title
        self.events = events
        self.users = users
        self.firstSeen = firstSeen
        self.lastSeen = lastSeen
        self.returned = returned
        self.release = release
        self.status = status
        self.url = url
    }

    /// Longest title kept: Slack's section text ends at 3,000, and no person reads so far.
    public static let titleCharactersMax = 500
    /// Most issues kept of one observation; a message names five.
    public static let countMax = 100
}

extension Issue {
    /// Where it can be read; nil for an address that is none of the web. Whoever names issues may write anything there.
    public var webURL: String? { url.flatMap { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil } }

    /// The issue as a sentence names it: `NullPointerException in CartView (SHOP-12)`.
    public var called: String {
        let (short, id) = (title.tamed.clipped(to: 120), id.tamed.clipped(to: 80))
        return short.isEmpty || short == id ? id : "\(short) (\(id))"
    }
}
