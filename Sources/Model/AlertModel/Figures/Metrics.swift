/// One kind of figure: those that alertbot knows, which are told apart without a look at their letters, and any other
/// that a source gives by a name of its own.
public enum Metric: Hashable, Sendable, ExpressibleByStringLiteral {
    case users, crashedUsers, crashFreeUsers
    case sessions, crashedSessions, crashFreeSessions
    case crashEvents, anrRate, adoption
    case other(String)

    /// Those that alertbot knows.
    public static let wellKnown: [Metric] = [
        .users, .crashedUsers, .crashFreeUsers, .sessions, .crashedSessions, .crashFreeSessions, .crashEvents, .anrRate,
        .adoption,
    ]

    private enum Name {
        static let users = "users"
        static let crashedUsers = "crashed_users"
        static let crashFreeUsers = "crash_free_users"
        static let sessions = "sessions"
        static let crashedSessions = "crashed_sessions"
        static let crashFreeSessions = "crash_free_sessions"
        static let crashEvents = "crash_events"
        static let anrRate = "anr_rate"
        static let adoption = "adoption"
    }

    public init(_ name: String) {
        switch name {
        case Name.users: self = .users
        case Name.crashedUsers: self = .crashedUsers
        case Name.crashFreeUsers: self = .crashFreeUsers
        case Name.sessions: self = .sessions
        case Name.crashedSessions: self = .crashedSessions
        case Name.crashFreeSessions: self = .crashFreeSessions
        case Name.crashEvents: self = .crashEvents
        case Name.anrRate: self = .anrRate
        case Name.adoption: self = .adoption
        default: self = .other(name)
        }
    }

    public init(stringLiteral name: String) { self.init(name) }

    /// As sources, configs and the journal write it: `crash_free_users`.
    public var name: String {
        switch self {
        case .users: Name.users
        case .crashedUsers: Name.crashedUsers
        case .crashFreeUsers: Name.crashFreeUsers
        case .sessions: Name.sessions
        case .crashedSessions: Name.crashedSessions
        case .crashFreeSessions: Name.crashFreeSessions
        case .crashEvents: Name.crashEvents
        case .anrRate: Name.anrRate
        case .adoption: Name.adoption
        case .other(let name): name
        }
    }

    /// The word for people: `crash-free users`.
    public var title: String {
        switch self {
        case .users: "users"
        case .crashedUsers: "crashed users"
        case .crashFreeUsers: "crash-free users"
        case .sessions: "sessions"
        case .crashedSessions: "crashed sessions"
        case .crashFreeSessions: "crash-free sessions"
        case .crashEvents: "crash events"
        case .anrRate: "ANR rate"
        case .adoption: "adoption"
        case .other(let name): name
        }
    }

    /// A share shown in percent, a number of things, or whatever the source means by it.
    public enum Unit: Hashable, Sendable { case rate, count, unknown }

    public var unit: Unit {
        switch self {
        case .crashFreeUsers, .crashFreeSessions, .anrRate, .adoption: .rate
        case .users, .crashedUsers, .sessions, .crashedSessions, .crashEvents: .count
        case .other: .unknown
        }
    }

    /// Whether figures are shares where they are judged by that limit: what a metric of a source's own means, the limit
    /// tells.
    public func isRate(by limit: Comparison?) -> Bool {
        unit == .rate || unit == .unknown && limit?.isPercentage == true
    }

    /// Whether figures of neighbouring spans add up. Sessions and events do; distinct users never do.
    public var adds: Bool {
        switch self {
        case .sessions, .crashedSessions, .crashFreeSessions, .crashEvents: true
        default: false
        }
    }

    /// The count of everything that the rate is a share of.
    public var denominator: Metric? {
        switch self {
        case .crashFreeUsers, .anrRate: .users
        case .crashFreeSessions: .sessions
        default: nil
        }
    }

    /// The count of what went wrong, for rates of what went right.
    public var failures: Metric? {
        switch self {
        case .crashFreeUsers: .crashedUsers
        case .crashFreeSessions: .crashedSessions
        default: nil
        }
    }

    /// Whether a source that gives these metrics gives the counts that this one is computed from.
    public func canBeComputed(from given: Set<Metric>) -> Bool {
        guard let denominator, let failures else { return false }
        return given.contains(denominator) && given.contains(failures)
    }
}

/// The named figures of one observation, in the order they came. Rates are fractions from 0 to 1.
public struct Metrics: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A figure and its name.
    public struct Entry: Hashable, Sendable {
        public let metric: Metric
        public var value: Double

        public var name: String { metric.name }
    }

    public private(set) var entries: [Entry]

    public init(dictionaryLiteral elements: (Metric, Double)...) {
        entries = elements.map { Entry(metric: $0.0, value: $0.1) }
    }

    public init() { entries = [] }

    /// No figures yet, with room for so many.
    init(reserving count: Int) {
        entries = []
        entries.reserveCapacity(count)
    }

    /// Figures by name, however many; of a name that comes twice the last one counts.
    init(_ named: [(name: String, value: Double)]) {
        self.init(reserving: named.count)
        guard named.count > Metrics.kindsMax else {
            for (name, value) in named { self[name] = value }
            return
        }
        var places: [Metric: Int] = [:]
        for (name, value) in named {
            let metric = Metric(name)
            if let place = places[metric] {
                entries[place].value = value
            } else {
                places[metric] = entries.count
                entries.append(Entry(metric: metric, value: value))
            }
        }
    }

    /// The first so many figures.
    func prefix(_ count: Int) -> Metrics {
        var prefix = self
        prefix.entries.removeLast(max(0, entries.count - count))
        return prefix
    }

    // A handful of entries: looking along them is quicker than hashing.
    public subscript(_ metric: Metric) -> Double? {
        get { place(of: metric).map { entries[$0].value } }
        set {
            switch (place(of: metric), newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(metric: metric, value: value))
            case (nil, nil): break
            }
        }
    }

    public subscript(_ name: String) -> Double? {
        get { self[Metric(name)] }
        set { self[Metric(name)] = newValue }
    }

    fileprivate func place(of metric: Metric) -> Int? {
        for index in entries.indices where entries[index].metric == metric { return index }
        return nil
    }

    public var isEmpty: Bool { entries.isEmpty }

    /// The figure of that metric with the counts behind it, computed from counts where both are there.
    public func figure(_ metric: Metric) -> Figure? {
        var search = MetricSearch(metric)
        return search.find(self)?.figure
    }

    /// What is wrong with these figures as a sentence, or nil: every figure finite, no negative count, no rate outside
    /// 0 to 1, no more crashed than there are.
    public var flaw: String? {
        for entry in entries {
            guard entry.value.isFinite else { return "'\(entry.name)' is \(entry.value), not a finite number" }
            switch entry.metric.unit {
            case .rate where !(0...1).contains(entry.value):
                return "'\(entry.name)' is \(entry.value), but a rate is a fraction from 0 to 1"
            case .count where entry.value < 0: return "'\(entry.name)' is \(entry.value), but a count is never negative"
            default: break
            }
        }
        return excess(of: .crashedUsers, over: .users) ?? excess(of: .crashedSessions, over: .sessions)
    }

    /// What is too large among these figures to be one, as a sentence, or nil. The journal of a release that took such
    /// figures is still read; nothing new is made of them.
    public var exaggeration: String? {
        guard entries.count <= Metrics.kindsMax else {
            return "it has \(entries.count) metrics, expected at most \(Metrics.kindsMax)"
        }
        for entry in entries {
            let most = entry.metric.unit == .count ? Metrics.countMax : Metrics.valueMax
            guard abs(entry.value) <= most else { return "'\(entry.name)' is \(entry.value), expected at most \(most)" }
        }
        return nil
    }

    /// Ten times as many as a Prometheus source may have. Figures are looked along, and not hashed: sixty thousand in one line would
    /// take seconds.
    public static let kindsMax = 256
    /// Beyond this no count is one: a hundred for everybody on earth in one span. Sums and squares of such counts stay
    /// far within what the journal's readers take.
    public static let countMax = 1e12
    /// Beyond this nobody measures anything: nanoseconds since 1970 are below. Sums of a year of such figures are
    /// finite.
    public static let valueMax = 1e19

    private func excess(of part: Metric, over whole: Metric) -> String? {
        guard let crashed = self[part], let all = self[whole], crashed > all else { return nil }
        return "'\(part.name)' (\(crashed.plain)) is more than '\(whole.name)' (\(all.plain))"
    }
}

extension Metrics {
    /// Takes a little more that crashed than there is for all of it: a release that is no longer used has crash reports that
    /// come late, and no sessions.
    public mutating func settle() {
        settleRounding()
        for (part, whole) in Metrics.parts {
            guard let hit = self[part], let all = self[whole], hit > all, all >= 0 else { continue }
            self[part] = hit.crashed(of: all) ?? hit
        }
    }

    /// Takes a rate that a division has rounded beyond 0 or 1 for that, and a count that a subtraction has rounded below 0 for
    /// none.
    public mutating func settleRounding() {
        for entry in entries {
            let nearest: Double
            var scale = 1.0
            switch entry.metric.unit {
            case .rate: nearest = entry.value.clamped(to: 0...1)
            case .count:
                nearest = max(0, entry.value)
                // What is left of two large numbers is off by a part of those.
                let whole = Metrics.parts.first { $0.part == entry.metric }?.whole
                scale = max(scale, whole.flatMap { self[$0] } ?? 0)
            case .unknown: continue
            }
            if nearest != entry.value, abs(nearest - entry.value) <= scale * Metrics.roundingMax {
                self[entry.metric] = nearest
            }
        }
    }

    /// What crashed, and all that there is of it.
    public static let parts: [(part: Metric, whole: Metric)] = [(.crashedUsers, .users), (.crashedSessions, .sessions)]

    /// As much as a division of numbers with 15 digits is off, and more than sums of thousands of such are.
    private static let roundingMax = 1e-9
}

extension Double {
    /// What crashed of a whole; nil where it is too much for that. Whoever crashes in a window may have begun before it, so
    /// that the part can be a little above the whole where both are small: then all of it is meant.
    public func crashed(of whole: Double) -> Double? {
        self <= whole + max(Double.overlapMax, whole * Double.overlapShareMax) ? min(self, whole) : nil
    }

    /// Two of a night's few sessions began before it; of many, one in a hundred.
    private static let overlapMax = 2.0
    private static let overlapShareMax = 0.01
}

/// Looks for one metric in the figures of many observations.
///
/// Those of one source come in the same order again and again, so it looks first where each name stood the last time.
public struct MetricSearch: Sendable {
    public let metric: Metric
    private let total: Metric?
    private let failures: Metric?
    private var (ownPlace, totalPlace, failuresPlace) = (0, 0, 0)

    public init(_ metric: Metric) {
        self.metric = metric
        total = metric.denominator
        failures = metric.failures
    }

    /// That something is known of the metric.
    public struct Found {
        /// Nil when the share behind it is known to be empty: nobody was there, which is a figure too when pooling.
        public let figure: Figure?
    }

    /// The figure with the counts behind it, computed from counts where both are there; nil when nothing is known.
    public mutating func find(_ metrics: Metrics) -> Found? {
        let total = total.flatMap { metrics.value($0, &totalPlace) }
        if let total, let failures = failures.flatMap({ metrics.value($0, &failuresPlace) }) {
            guard total > 0 else { return total == 0 ? Found(figure: nil) : nil }
            // Not 1 - failures / total, which is rounded twice and can land beside the limit that it equals.
            return Found(
                figure: Figure(value: (total - failures) / total, share: Share(hits: total - failures, of: total)))
        }
        if let total, total == 0 { return Found(figure: nil) }
        guard let value = metrics.value(metric, &ownPlace) else { return nil }
        guard metric.unit == .rate, let total else { return Found(figure: Figure(value: value, share: nil)) }
        guard total > 0 else { return nil }
        return Found(figure: Figure(value: value, share: Share(hits: MetricSearch.hits(value, of: total), of: total)))
    }

    /// How many cases a rate is: whole ones of a whole number, which 0.999 times 1,000 is not by itself. Of 10.6, which is what
    /// extrapolated counters give, all are 10.6 and not 11.
    private static func hits(_ rate: Double, of total: Double) -> Double {
        let hits = rate * total
        return total == total.rounded() ? hits.rounded() : hits
    }
}

extension Metrics {
    /// The value of that name, which may stand at the place given; tells where it stood.
    fileprivate func value(_ metric: Metric, _ place: inout Int) -> Double? {
        if place < entries.count, entries[place].metric == metric { return entries[place].value }
        guard let found = self.place(of: metric) else { return nil }
        place = found
        return entries[found].value
    }
}

/// One figure, with the counts it is a share of where the source gave them.
public struct Figure: Hashable, Sendable {
    public let value: Double
    public let share: Share?

    public init(value: Double, share: Share?) {
        self.value = value
        self.share = share
    }
}

/// A number of hits out of a number of trials.
public struct Share: Hashable, Sendable {
    public let hits: Double
    public let total: Double

    public init(hits: Double, of total: Double) {
        self.hits = hits
        self.total = total
    }
}
