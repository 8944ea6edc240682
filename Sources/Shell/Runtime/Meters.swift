internal import AlertCore
internal import PluginKit

/// What the bot has done since it started, counted for `/metrics`.
///
/// Counts begin with zero at every start, as those who read them expect; what outlives a start is in the state.
public struct Meters: Sendable {
    /// What was measured of an input on its way.
    enum Took: Sendable {
        case poll(Duration)
        case attempt(channel: String, Duration)
    }

    /// How the polls of a source ended.
    struct Polls: Sendable {
        var outcomes = Counts<PollEnd>()
        var observations = 0
    }

    /// How the attempts of a channel's deliveries ended.
    struct Attempts: Sendable {
        private(set) var outcomes = Counts<AttemptEnd>()
        private(set) var durations = Histogram()

        fileprivate mutating func add(_ end: AttemptEnd, _ duration: Duration) {
            outcomes.add(end)
            durations.add(duration)
        }
    }

    enum PollEnd: String, CaseIterable, Sendable {
        case answered
        case noData = "no_data"
        case stale, unchanged, failed

        fileprivate init(_ outcome: PollOutcome) {
            switch outcome {
            case .values: self = .answered
            case .noData: self = .noData
            case .stale: self = .stale
            case .unchanged: self = .unchanged
            case .failed: self = .failed
            }
        }
    }

    enum AttemptEnd: String, CaseIterable, Sendable {
        case delivered, partly, retry, unknown
        case refusedBody = "refused_body"
        case refusedChannel = "refused_channel"

        fileprivate init(_ outcome: DeliveryOutcome) {
            switch outcome {
            case .delivered: self = .delivered
            case .partly: self = .partly
            case .retry: self = .retry
            case .unknown: self = .unknown
            case .refusedBody: self = .refusedBody
            case .refusedChannel: self = .refusedChannel
            }
        }
    }

    /// By source.
    private(set) var polls: [String: Polls] = [:]
    /// How long polls took, pages and tokens included.
    private(set) var pollDurations = Histogram()
    private(set) var judgements = 0
    /// What gates decided, by kind of notification.
    private(set) var decisions: [Notification.Kind: Counts<DecisionName>] = [:]
    /// By channel.
    private(set) var attempts: [String: Attempts] = [:]
    /// How long the journal took to make facts durable.
    private(set) var syncs = Histogram()

    private(set) var reloads = Reloads()

    /// How loading the config anew went.
    struct Reloads: Sendable {
        var done = 0
        var refused = 0
        /// When the config that holds was loaded; nil for at the start.
        var last: Moment?
        /// Whether the last try was refused, so that the file says something else than the bot does.
        var isLastRefused = false
    }

    enum DecisionName: String, CaseIterable, Sendable {
        case send, hold, drop

        fileprivate init(_ decision: Decision) {
            switch decision {
            case .send: self = .send
            case .hold: self = .hold
            case .drop: self = .drop
            }
        }
    }

    init() {}

    mutating func note(_ input: Input, took: Took?) {
        switch (input, took) {
        case (.polled(let source, let report, _), .poll(let duration)):
            pollDurations.add(duration)
            note(report.outcome, of: source)
        case (.pushed(let source, let report, _), _): note(report.outcome, of: source)
        case (.delivered(_, let outcome, _), .attempt(let channel, let duration)):
            attempts[channel, default: Attempts()].add(AttemptEnd(outcome), duration)
        default: break
        }
    }

    private mutating func note(_ outcome: PollOutcome, of source: String) {
        polls[source, default: Polls()].outcomes.add(PollEnd(outcome))
        if case .values(let observations) = outcome { polls[source]?.observations += observations.count }
    }

    mutating func note(_ output: Output) {
        judgements += output.judged
        for case .decided(let record) in output.effects {
            decisions[record.kind, default: Counts()].add(DecisionName(record.decision))
        }
    }

    mutating func noteSync(_ duration: Duration) { syncs.add(duration) }

    /// Another config holds. Sources and channels that it does not name are forgotten: their lines would stand for ever.
    mutating func noteReload(_ setup: Bot.Setup, at now: Moment) {
        reloads.done += 1
        reloads.last = now
        reloads.isLastRefused = false
        polls = polls.filter { setup.sources[$0.key] != nil }
        attempts = attempts.filter { setup.channels[$0.key] != nil }
    }

    mutating func noteRefusedReload() {
        reloads.refused += 1
        reloads.isLastRefused = true
    }
}

/// How often each of a few things happened.
struct Counts<Thing: CaseIterable & RawRepresentable<String> & Hashable & Sendable>: Sendable {
    private var counts: [Thing: Int] = [:]

    mutating func add(_ thing: Thing) { counts[thing, default: 0] += 1 }

    /// All of them, those that never happened too: a rate can only be seen from a zero on.
    var all: [(name: String, count: Int)] { Thing.allCases.map { ($0.rawValue, counts[$0] ?? 0) } }
}

/// How long something took, in Prometheus's way: how often it took no longer than each of a few bounds.
struct Histogram: Sendable {
    /// In seconds: those that Prometheus's own clients begin with, and the longest that an attempt may take.
    static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    /// How many fell between the bound before and each, and last those beyond all.
    private var counts = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var total = 0
    /// In seconds.
    private(set) var sum = 0.0

    mutating func add(_ duration: Duration) {
        let seconds = duration / .seconds(1)
        counts[Histogram.bounds.firstIndex { seconds <= $0 } ?? Histogram.bounds.count] += 1
        total += 1
        sum += seconds
    }

    /// How many took no longer than each bound.
    var cumulative: [(bound: Double, count: Int)] {
        var sum = 0
        return zip(Histogram.bounds, counts).map { bound, count in
            sum += count
            return (bound, sum)
        }
    }
}
