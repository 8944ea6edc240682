internal import PluginKit

/// The figures of several queries put together: what is about the same subject and the same span is one observation.
///
/// What is wrong with the figures of one app over one span is no fault of the others: it is left out, all releases of it,
/// lest the others pass for the app, and says so. Only where nothing else is there, the poll fails with it.
struct Join: Sendable {
    private struct Place: Hashable, Sendable {
        let subject: Subject
        let span: TimeSpan
    }

    /// What is left out together.
    private struct Part: Hashable, Sendable {
        let app: String
        let span: TimeSpan

        init(_ place: Place) { (app, span) = (place.subject.app, place.span) }
    }

    private struct Row: Sendable {
        var metrics = Metrics()
        var labels: [String: String]
    }

    private let naming: PrometheusSource.Naming
    private let poll: Poll
    /// In the order they came up.
    private var places: [Place] = []
    private var rows: [Place: Row] = [:]
    /// What is wrong with the figures of whom, the first of each.
    private var flaws: [Part: PollFailure] = [:]
    /// Series that are about nobody, the first of each metric: a target without the label.
    private var strays: [String: PollFailure] = [:]

    /// A sample may lie ahead of the bot by as much as two clocks differ.
    private static let clocksApartMax = Duration.minutes(5)
    /// How far a part may be above its whole before it is a mistake. `increase()` extrapolates each counter to the
    /// ends of the range by itself, so that two counters read a moment apart differ by less than this.
    static let extrapolationShareMax = 0.01
    /// The same where both are few: whoever crashes in a range may have begun before it, and of an old release that nobody starts
    /// any more the last crash is reported with the start of the next one.
    static let overlapMax = 2.0
    /// How far a difference of two counters may be below 0, where they are few: of many, a share of them would be more than what
    /// alarms are made of.
    private static let shortfallMax = 1.0

    init(_ naming: PrometheusSource.Naming, _ poll: Poll) {
        self.naming = naming
        self.poll = poll
    }

    /// Takes in what one query gave of one metric.
    mutating func add(_ metric: String, _ answer: QueryAnswer, over span: Duration) throws(PollFailure) {
        var told: [Subject: [String: String]] = [:]
        var stray: String?
        for series in answer.series {
            guard let subject = subject(series.labels) else {
                stray = stray ?? nameless(series.labels)
                continue
            }
            let other = told.updateValue(series.labels, forKey: subject)
            for sample in series.samples {
                guard let value = sample.value else { continue }
                guard sample.at <= poll.now + Join.clocksApartMax else {
                    throw PollFailure(
                        .badAnswer,
                        "a sample from \(sample.at) is ahead of the bot's clock, which shows \(poll.now)"
                    )
                }
                guard let covered = TimeSpan(from: sample.at - span, to: sample.at) else {
                    throw PollFailure(.badAnswer, "a sample from \(sample.at) is too far in the past")
                }
                let place = Place(subject: subject, span: covered)
                guard value.isFinite else {
                    let flaw = PollFailure(
                        .badAnswer,
                        "metric '\(metric)': the figure of \(Join.text(series.labels)) is infinite; something was divided "
                            + "by zero, or a bucket has no end"
                    )
                    flaws[Part(place)] = flaws[Part(place)] ?? flaw
                    continue
                }
                // One after the other, as when a pod is replaced by another, they may be about the same.
                if let other, rows[place]?.metrics[metric] != nil {
                    flaws[Part(place)] = flaws[Part(place)] ?? Join.clash(metric, subject, other, series.labels)
                    continue
                }
                add(value, of: metric, at: place, series.labels)
            }
        }
        guard let stray else { return }
        // Where all are about nobody, the query itself is wrong.
        if told.isEmpty { throw PollFailure(.badAnswer, stray) }
        strays[metric] = PollFailure(.badAnswer, "metric '\(metric)': \(stray)")
    }

    private mutating func add(_ value: Double, of metric: String, at place: Place, _ labels: [String: String]) {
        let rest = labels.filter { ![naming.app, naming.release, naming.environment].contains($0.key) }
        if rows[place] == nil {
            places.append(place)
            rows[place] = Row(labels: rest)
        }
        rows[place]?.metrics[metric] = value
        // A label on which the queries do not agree says nothing about their subject.
        rows[place]?.labels.merge(rest) { old, new in old == new ? old : "" }
    }

    /// Whom the labels are about; nil where that is nobody.
    private func subject(_ labels: [String: String]) -> Subject? {
        (labels[naming.app] ?? naming.fixedApp).map { app in
            Subject(
                source: poll.source, app: app, release: labels[naming.release], environment: labels[naming.environment])
        }
    }

    private func nameless(_ labels: [String: String]) -> String {
        "the series \(Join.text(labels)) has no label '\(naming.app)'; keep it, as in sum by (\(naming.app)) (…), or name "
            + "the app in 'app'"
    }

    private static func clash(
        _ metric: String,
        _ subject: Subject,
        _ left: [String: String],
        _ right: [String: String]
    ) -> PollFailure {
        let names = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
        let differing = names.map { "'\($0)'" }.joined(separator: ", ").clipped(to: 100)
        return PollFailure(
            .badAnswer,
            "metric '\(metric)': two series are about app '\(subject.app.quotable)': \(text(left)) and \(text(right)); "
                + "aggregate over \(differing.isEmpty ? "what they differ in" : differing), "
                + "or set which label is the release or the environment"
        )
    }

    private static func text(_ labels: [String: String]) -> String {
        let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\($0.value)\"" }
        return "{\(pairs.joined(separator: ", "))}".tamed.clipped(to: 120)
    }

    /// What came of all of it.
    struct Joined: Sendable {
        /// The longest spans first: of spans that end together, the one told last counts as the newest.
        var observations: [Observation] = []
        /// What is left out, and why.
        var warnings: [String] = []
        /// Of whom not everything could be read.
        var unread = Unread.nothing
        /// Why the first of them could not: a part of the answer that is missing.
        var broken: PollFailure?
    }

    func joined() throws(PollFailure) -> Joined {
        var joined = Joined()
        var flaws = flaws
        for place in places where flaws[Part(place)] == nil {
            flaws[Part(place)] = rows[place].flatMap { Join.flaw(in: Join.settled($0.metrics), of: place.subject) }
        }
        joined.observations = observations(without: flaws)
        let inOrder = flaws.sorted { ($0.key.app, $0.key.span.to) < ($1.key.app, $1.key.span.to) }
        if joined.observations.isEmpty, let first = inOrder.first { throw first.value }
        let leftOut = strays.sorted { $0.key < $1.key }.map(\.value) + inOrder.map(\.value)
        joined.warnings = leftOut.prefix(Join.flawsToldMax).map { "left out: \($0.description)" }
        if leftOut.count > Join.flawsToldMax {
            joined.warnings.append("left out for similar reasons: \(leftOut.count - Join.flawsToldMax) more")
        }
        for (part, _) in inOrder { joined.unread.add(part.app) }
        if !strays.isEmpty { joined.unread.add(nil) }
        joined.broken = leftOut.first
        return joined
    }

    /// Where all of them are wrong in the same way, more than these say nothing new.
    private static let flawsToldMax = 3

    private static func flaw(in metrics: Metrics, of subject: Subject) -> PollFailure? {
        guard let flaw = metrics.flaw else { return nil }
        let isPercent = metrics.entries.contains { $0.metric.unit == .rate && $0.value > 1 }
        return PollFailure(
            .badAnswer,
            "app '\(subject.app.quotable)': \(flaw)" + (isPercent ? " (divide percentages by 100)" : "")
        )
    }

    private func observations(without flaws: [Part: PollFailure]) -> [Observation] {
        var observations: [Observation] = []
        for place in places where flaws[Part(place)] == nil {
            guard let row = rows[place] else { continue }
            let metrics = Join.settled(row.metrics)
            observations.append(
                Observation(
                    subject: place.subject,
                    span: place.span,
                    seen: poll.now,
                    metrics: metrics,
                    labels: row.labels.filter { !$0.value.isEmpty }
                )
            )
        }
        let order = observations.indices.sorted { left, right in
            let (a, b) = (observations[left].span, observations[right].span)
            return a.to != b.to ? a.to < b.to : a.from != b.from ? a.from < b.from : left < right
        }
        return order.map { observations[$0] }
    }

    /// The figures without the traces of computing them.
    private static func settled(_ metrics: Metrics) -> Metrics {
        var metrics = metrics
        metrics.settleRounding()
        for (part, whole) in Metrics.parts {
            guard let crashed = metrics[part], let all = metrics[whole] else { continue }
            if crashed > all, crashed <= all + max(overlapMax, all * extrapolationShareMax) { metrics[part] = all }
            // What crashed may be the difference of two counters.
            if crashed < 0, -crashed <= min(shortfallMax, all * extrapolationShareMax) { metrics[part] = 0 }
        }
        return metrics
    }
}
