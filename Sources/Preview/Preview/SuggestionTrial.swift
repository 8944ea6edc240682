public import AlertCore
internal import Glibc
public import PluginKit

/// Tries many settings of `threshold` and `drop` on observations as they pass, all in one playing, and proposes for
/// each app those that would have rung about once a month.
///
/// Every candidate is a rule of a config without gates and with one channel, so the figures are what the rule itself
/// says. Memory is bounded by the number of apps, not by the length of the span.
public struct SuggestionTrial: Sendable {
    private let metric: Metric
    private let app: Glob?
    private let truth: [TrueIncident]?
    private let candidates: [Candidate]
    private let places: [String: Int]
    private let night: Night
    private let plan: Plan
    private var preview: Preview?
    private var pasts: [String: AppPast] = [:]

    /// - Parameters:
    ///   - plan: the config's; its sources and its time zone count, its rules do not.
    ///   - metric: `crash_free_users` or `crash_free_sessions`.
    ///   - app: only apps that fit; nil for all.
    ///   - floor: the plugin `threshold`.
    ///   - drop: the plugin `drop`.
    ///   - truth: what really happened, if somebody knows.
    /// - Throws: what a plugin finds wrong with the metric.
    public init(
        _ plan: Plan, metric: String, app: Glob? = nil, floor: any Detector.Type, drop: any Detector.Type,
        truth: [TrueIncident]? = nil
    ) throws(ProblemList) {
        self.metric = Metric(metric)
        self.app = app
        self.truth = truth
        let fastest = plan.sources.map(\.throttle).min() ?? PollingSettings.throttle.default
        candidates = try Candidate.all(
            metric, floor: floor, drop: drop, zone: plan.zone,
            checksPerDay: Duration.days(1).inSeconds / max(fastest.inSeconds, 1))
        places = Dictionary(candidates.enumerated().map { ($1.name, $0) }) { first, _ in first }
        night = Night(plan.zone)
        self.plan = Plan(
            botName: plan.botName, zone: plan.zone, sources: plan.sources, detectors: candidates.map(\.rule),
            channels: [ChannelPlan(name: "suggest")])
    }

    /// The config that is played: what its rules ask of the sources is what the suggested rules will ask.
    public var played: Plan { plan }

    /// Takes in what one source saw at one moment.
    public mutating func feed(_ batch: ObservationReader.Batch) {
        let lines = batch.lines.filter { line in
            guard case .observed(let observation) = line else { return true }
            return app?.fits(observation.subject.app) ?? true
        }
        guard !lines.isEmpty else { return }
        for case .observed(let observation) in lines { note(observation) }
        if preview == nil { preview = Preview(plan: plan, state: State(memories: plan.memories), start: batch.seen) }
        preview?.feed(lines, asked: batch.asked, at: batch.seen)
        if let count = preview?.decisions.count, count >= SuggestionTrial.decisionsMax { countSaid() }
    }

    /// What is proposed, by what was seen so far.
    public consuming func finish() -> Suggestions {
        countSaid()
        let apps = pasts.sorted { $0.key < $1.key }.map { name, past in
            AppSuggestion(name, past, metric.name, candidates, truth?.filter { $0.app == name })
        }
        return Suggestions(metric: metric.name, apps: apps, hasTruth: truth != nil)
    }

    /// Decisions that may wait to be counted.
    private static let decisionsMax = 1000

    private mutating func note(_ observation: Observation) {
        let share = observation.metrics.figure(metric)?.share
        pasts[observation.subject.app, default: AppPast(candidates.count, at: observation.seen)]
            .add(observation, share, isPooled: metric.adds)
    }

    private mutating func countSaid() {
        guard let said = preview?.takeDecisions() else { return }
        for record in said.decisions where record.isMessage {
            let isNight = night.covers(record.at)
            for incident in record.message.incidents {
                guard let place = places[incident.rule] else { continue }
                pasts[incident.subject.app]?.tallies[place].take(record, about: incident, isNight: isNight)
            }
        }
        for incident in said.ended {
            guard let place = places[incident.rule] else { continue }
            pasts[incident.subject.app]?.tallies[place].end(incident, isKept: truth != nil)
        }
    }
}

/// Spans by the share of bad cases in them, in bounded space.
struct Spread: Sendable {
    private var bins = Array(repeating: (spans: 0, bad: 0.0, total: 0.0), count: Spread.binsMax)

    /// None bad, then eight bins for each power of ten from 0.001 % to all.
    private static let binsMax = 42
    /// The share of spans that are not called usual: the worst, where trouble would be.
    private static let worstShare = 0.05

    mutating func add(bad: Double, of total: Double) {
        let place = bad > 0 && total > 0 ? Int((log10(bad / total) * 8).rounded(.down)) + 41 : 0
        let bin = min(max(place, bad > 0 ? 1 : 0), Spread.binsMax - 1)
        bins[bin].spans += 1
        bins[bin].bad += bad
        bins[bin].total += total
    }

    /// The share of bad cases over all spans but the worst.
    var usual: Double {
        let spans = bins.reduce(0) { $0 + $1.spans }
        var (seen, bad, total) = (0, 0.0, 0.0)
        for bin in bins where bin.spans > 0 {
            if seen > 0, Double(seen + bin.spans) > Double(spans) * (1 - Spread.worstShare) { break }
            seen += bin.spans
            bad += bin.bad
            total += bin.total
        }
        return total > 0 ? bad / total : 0
    }
}

/// What is kept of the past of one app.
struct AppPast: Sendable {
    private(set) var first: Moment
    private(set) var last: Moment
    /// What was seen of the whole app, and of its releases.
    private var whole = Volume()
    private var parts = Volume()
    /// One for each candidate.
    var tallies: [Tally]

    struct Volume: Sendable {
        /// Spans seen; those with the counts behind the metric; of these, those at whose volume a threshold judges;
        /// those short enough for a drop.
        var spans = 0, counted = 0, judged = 0, short = 0
        var spread = Spread()
    }

    /// With less than this a threshold says nothing unless told otherwise.
    static let volumeMin = 50.0
    /// A drop learns from spans up to this, and a threshold's window is as long.
    private static let spanMax = Duration.hours(1)

    init(_ candidates: Int, at moment: Moment) {
        (first, last) = (moment, moment)
        tallies = Array(repeating: Tally(), count: candidates)
    }

    /// - Parameter isPooled: whether a threshold adds up what its window holds.
    mutating func add(_ observation: Observation, _ share: Share?, isPooled: Bool) {
        first = min(first, observation.seen)
        last = max(last, observation.seen)
        if observation.subject.release == nil {
            AppPast.add(observation, share, isPooled, to: &whole)
        } else {
            AppPast.add(observation, share, isPooled, to: &parts)
        }
    }

    private static func add(
        _ observation: Observation, _ share: Share?, _ isPooled: Bool, to volume: inout Volume
    ) {
        volume.spans += 1
        guard let share else { return }
        volume.counted += 1
        let length = observation.span.length
        let perWindow =
            isPooled && length < spanMax ? share.total * (spanMax.inSeconds / length.inSeconds) : share.total
        if perWindow >= volumeMin { volume.judged += 1 }
        if length <= spanMax { volume.short += 1 }
        volume.spread.add(bad: share.total - share.hits, of: share.total)
    }

    /// What rules judge: the whole app where it is seen, else its releases.
    var volume: Volume { whole.spans > 0 ? whole : parts }
    var length: Duration { last - first }
}
