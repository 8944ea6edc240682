public import PluginKit

/// Everything the bot knows. What must survive a restart changes only by facts, so that replaying the journal's facts
/// gives the same state again; the rest (what is in flight, what is due when) is made anew at each start.
public struct State: Sendable {
    // Durable.
    public internal(set) var sources: [String: SourceRecord] = [:]
    /// Open incidents, and resolved ones of which a channel still has something to hear.
    public internal(set) var incidents: [String: Incident] = [:]
    public internal(set) var series: [Subject: Series] = [:]
    public internal(set) var outbox: [String: Delivery] = [:]
    public internal(set) var channels: [String: ChannelRecord] = [:]
    /// Deliveries that ended, oldest first: at most `historyMax` dead letters and as many others, and a tenth more.
    public var history: [HistoryEntry] { endings.entries }
    var endings: Endings<HistoryEntry>
    /// Mutes that somebody set while the bot ran; those of the config are gates.
    public internal(set) var mutes: [String: Mute] = [:]
    /// What each channel was told lately, oldest first, at most `Telling.keptMax` each.
    public internal(set) var tellings: [String: [Telling]] = [:]
    /// When things began to fire and ended in the last day, oldest first, at most `swingsMax` each.
    var swings: [IncidentKey: [Moment]] = [:]
    /// The number of the next delivery.
    public internal(set) var nextNumber = 1

    // Derived from the durable part.
    /// The ids of open incidents.
    var incidentIDs = IncidentIndex()
    /// Unfinished deliveries of each channel, in the order they were accepted.
    var queues: [String: Queue] = [:]
    /// Where in each channel the messages of an incident belong.
    var threads = Threads()
    /// Unfinished deliveries of each incident, likewise.
    var deliveries: [String: [String]] = [:]

    /// What gates hold to be said in one message.
    var gathered: [GatheringPlace: Gathered] = [:]
    /// Incidents of which something is held until another changes.
    var waitingForEvents: Set<String> = []
    /// How many subjects of each app have figures.
    var apps: [String: Int] = [:]

    // Of this run only.
    /// Sources of whose figures the present rules have had a look.
    var judged: Set<String> = []
    /// Polls in flight.
    public internal(set) var polling: Set<String> = []
    /// Deliveries of which an attempt is in flight, by channel.
    var sending: [String: Set<String>] = [:]
    /// Whether the host wants to save power.
    public internal(set) var isLowOnPower = false
    /// Why the journal can not be written, while it can not: nothing new is accepted for delivery then.
    public internal(set) var journalTrouble: String?
    var timers = Timers()
    var backlog = Backlog()
    var buckets: [String: Bucket] = [:]

    /// Dead letters that are remembered, and likewise other ended deliveries.
    public let historyMax: Int

    /// The kinds of memory that the program knows: kept of every subject, or once rules ask.
    public let memories: MemoryKinds

    /// Deliveries remembered for `history` and the inbox page; some weeks of a lively team.
    public static let historyMaxUsual = 1000
    /// Changes of one thing that are remembered: an hour in which it changes every minute.
    static let swingsMax = 64
    /// How long they are remembered.
    static let swingLifetime = Duration.days(1)

    /// A state in which nothing has happened yet.
    ///
    /// - Parameters:
    ///   - historyMax: Dead letters that are remembered, and likewise other ended deliveries, from 1.
    ///   - memories: The kinds of memory that the program knows; a journal is read with those of all its plugins.
    public init(historyMax: Int = State.historyMaxUsual, memories: MemoryKinds = .none) {
        self.historyMax = historyMax
        self.memories = memories
        endings = Endings(keptMax: historyMax) { $0.end.isDead }
    }

    /// When the core wants to be woken next.
    public var nextDue: Moment? {
        mutating get {
            guard !backlog.ids.isEmpty, let due = backlog.due else { return timers.next }
            return min(due, timers.next ?? due)
        }
    }

    /// Incidents by the time they began.
    public var incidentsInOrder: [Incident] {
        Array(incidents.values).inOrder
    }

    /// Mutes by the time they end.
    public var mutesInOrder: [Mute] { mutes.values.sorted { ($0.until, $0.id) < ($1.until, $1.id) } }

    /// Unfinished deliveries in the order they were accepted.
    public var outboxInOrder: [Delivery] { outbox.values.sorted { $0.number < $1.number } }
}

/// What identifies an open incident.
struct IncidentKey: Hashable, Sendable, Comparable {
    let rule: String
    let subject: Subject
    var key: String?

    static func < (left: IncidentKey, right: IncidentKey) -> Bool {
        (left.rule, left.subject, left.key ?? "") < (right.rule, right.subject, right.key ?? "")
    }

}

/// Finds open incidents by what identifies them; first by the subject, for of most nothing is open.
struct IncidentIndex: Sendable {
    /// By subject, rule and key.
    private var ids: [Subject: [String: [String?: String]]] = [:]

    subscript(_ identity: IncidentKey) -> String? {
        get { ids[identity.subject]?[identity.rule]?[identity.key] }
        set {
            ids[identity.subject, default: [:]][identity.rule, default: [:]][identity.key] = newValue
            guard newValue == nil, self[identity.subject, identity.rule].isEmpty else { return }
            ids[identity.subject]?[identity.rule] = nil
            if ids[identity.subject]?.isEmpty == true { ids[identity.subject] = nil }
        }
    }

    /// The ids of what a rule has open about a subject, by key.
    subscript(_ subject: Subject, _ rule: String) -> [String?: String] { ids[subject]?[rule] ?? [:] }

    /// Whether any rule has anything open about the subject.
    func isOpen(_ subject: Subject) -> Bool { ids[subject] != nil }
}

extension Incident {
    var identity: IncidentKey { IncidentKey(rule: rule, subject: subject, key: key) }
}

/// What is remembered of a source.
public struct SourceRecord: Hashable, Sendable {
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        case values
        case noData = "no_data"
        case stale, unchanged, failed
    }

    public struct Failure: Hashable, Sendable {
        public var reason: PollFailure.Reason
        public var sentence: String
        /// When the first of the failures in a row happened.
        public var since: Moment
        public var count: Int
    }

    /// What a conditional request needs to know of the answer before.
    public struct Validator: Hashable, Sendable {
        public var etag: String?
        public var lastModified: String?
        public init(etag: String?, lastModified: String?) {
            self.etag = etag
            self.lastModified = lastModified
        }
    }

    public var cursor: JSON?
    /// By a hash of the request's address: addresses can be secrets.
    public var validators: [String: Validator] = [:]
    public var lastPolled: Moment?
    /// When the source last gave a usable answer.
    public var lastGood: Moment?
    /// When the poll began that last brought figures: answers that say 'as before' mean these.
    public var lastChanged: Moment?
    public var lastOutcome: Outcome?
    public var failure: Failure?
    /// Answers in a row that were the same as the one before.
    public var unchangedCount = 0
    /// Polls in a row in which every figure was far from every limit.
    public var calmCount = 0
    /// The closeness of the last figures to a limit.
    public var isNear = false
    /// Why the source is not polled any more, until the config is loaded anew.
    public var stopped: String?
    public var due: Moment?
    public var reasons: [PollReason] = []

    public init() {}
}

/// What is remembered of a channel.
public struct ChannelRecord: Hashable, Sendable {
    /// Attempts in a row, over all deliveries, that failed in a way that may pass.
    public var failures = 0
    /// The service asked for silence until then, or the breaker is open until then.
    public var pausedUntil: Moment?

    public init() {}
}

/// Incidents that were due in a turn that had said enough, in the order in which to look at them.
struct Backlog: Sendable {
    var ids: ArraySlice<String> = []
    /// The time of the last turn; nil while the end of an attempt is waited for.
    var due: Moment?
}

/// Ids in the order they came, of which nearly always one of the first goes.
struct Queue: Sendable {
    private(set) var ids: ArraySlice<String> = []

    mutating func append(_ id: String) { ids.append(id) }

    mutating func remove(_ id: String) {
        guard let place = ids.firstIndex(of: id) else { return }
        // Those before it, which are few, move up: those behind it may be ten thousand.
        for index in (ids.startIndex..<place).reversed() { ids[index + 1] = ids[index] }
        ids.removeFirst()
    }
}

/// The channels' own ids of the messages that opened incidents, as far as the history reaches back.
struct Threads: Sendable {
    private struct Key: Hashable, Sendable {
        let incident: String
        let channel: String
    }

    /// Oldest first.
    private var receipts: [Key: [String?]] = [:]

    /// The receipt of the incident's first message in the channel, where the channel gave one.
    func receipt(of incident: String, in channel: String) -> String? {
        receipts[Key(incident: incident, channel: channel)]?.first ?? nil
    }

    /// Takes in what has come to the end of the history.
    mutating func take(_ entry: HistoryEntry) {
        guard case .delivered(let receipt) = entry.end else { return }
        for key in Threads.keys(entry) { receipts[key, default: []].append(receipt) }
    }

    /// Lets go of what has left the history at its beginning.
    mutating func drop(_ entry: HistoryEntry) {
        guard case .delivered = entry.end else { return }
        for key in Threads.keys(entry) {
            receipts[key]?.removeFirst()
            if receipts[key]?.isEmpty == true { receipts[key] = nil }
        }
    }

    private static func keys(_ entry: HistoryEntry) -> [Key] {
        entry.delivery.incidents.map { Key(incident: $0, channel: entry.delivery.channel) }
    }
}

/// A token bucket: how many deliveries may leave at once.
struct Bucket: Sendable {
    var tokens: Double
    var at: Moment
}

extension [Incident] {
    /// By the time they began; the id settles ties, so that every run agrees.
    var inOrder: [Incident] { sorted { ($0.since, $0.id) < ($1.since, $1.id) } }
}
