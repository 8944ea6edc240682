public import PluginKit

/// A source as it is meant: how often it is asked, and what bounds that. What it asks for, its plugin knows.
public struct SourcePlan: Sendable {
    public var name: String
    public var host: String?
    /// Whose budget its requests are counted on; nil when nobody counts.
    public var account: String?
    public var every: Duration
    /// Never more often than this, whoever asks.
    public var throttle: Duration
    /// Never less often than this.
    public var slowest: Duration
    public var timeout: Duration
    /// A fraction of the interval, to either side.
    public var jitter: Double
    /// What the source says of polls in flight at once to its host; nil when it says nothing.
    public var perHost: Int?
    public var backoffFactor: Double
    public var slowsWhen: Set<PollReason>
    /// Where people look at its figures, with the placeholders of `SourceSettings`.
    public var dashboard: String?
    /// The label `owner` of what it sees, where the source itself names none.
    public var owner: String?
    /// Whether it is told rather than asked: it is polled only when nobody has told it anything for `slowest`.
    public var isPushed = false
    /// Whether what it is told are alerts: whoever pushes counts these, and not the observations that are made of them.
    public var isOfAlerts = false
    /// How late its service has figures, usually and at most; nil where that is minutes.
    public var lateness: ClosedRange<Duration>?
    /// How its service is reached; nothing is decided by it.
    public var connection: Connection = .usual

    public init(
        name: String, host: String? = nil, account: String? = nil, every: Duration = PollingSettings.every.default,
        throttle: Duration = PollingSettings.throttle.default, slowest: Duration = PollingSettings.slowest.default,
        timeout: Duration = PollingSettings.timeout.default, jitter: Double = PollingSettings.jitter.default,
        perHost: Int? = nil,
        backoffFactor: Double = PollingSettings.factor.default,
        slowsWhen: Set<PollReason> = Set(PollingSettings.when.default), dashboard: String? = nil, owner: String? = nil
    ) {
        self.name = name
        self.host = host
        self.account = account
        self.every = every
        self.throttle = throttle
        self.slowest = slowest
        self.timeout = timeout
        self.jitter = jitter
        self.perHost = perHost
        self.backoffFactor = backoffFactor
        self.slowsWhen = slowsWhen
        self.dashboard = dashboard
        self.owner = owner
    }
}

extension SourcePlan {
    /// A poll of many requests may take this many times the timeout of one.
    public static let timeoutsPerPollMax = 5

    /// How long a poll may take.
    public var pollTimeMax: Duration { timeout * SourcePlan.timeoutsPerPollMax }

    /// How old figures may be that were measured just after one poll and came with the next: the longest time between
    /// two polls, and the time that the second may take.
    var oldestNews: Duration { slowest + pollTimeMax }

    /// The dashboard of an app; what the subject does not say is left empty.
    func dashboard(of subject: Subject, _ words: Words) -> Message.Link? {
        guard var address = dashboard else { return nil }
        for (name, value) in zip(
            SourceSettings.placeholders, [subject.app, subject.release ?? "", subject.environment ?? ""])
        {
            address = address.replacing(name, with: value.percentEncoded)
        }
        return Message.Link(words[.linkDashboard], address)
    }
}
