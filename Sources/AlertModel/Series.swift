/// What is kept of one subject: its recent figures, a coarse trail of the last day, and the issues named last.
public struct Series: Hashable, Sendable {
    public struct Sample: Hashable, Sendable {
        public let span: TimeSpan
        public let seen: Moment
        public let isComplete: Bool
        public let metrics: Metrics
    }

    /// The figures of one clock hour, pooled as far as they may be.
    public struct HourPoint: Hashable, Sendable {
        /// Whole hours since 1970.
        public let hour: Int64
        public fileprivate(set) var span: TimeSpan
        public fileprivate(set) var metrics: Metrics
    }

    /// By the end of their spans, oldest first.
    public internal(set) var samples: [Sample] = []
    /// Oldest first, at most `trailHoursMax`.
    public internal(set) var trail: [HourPoint] = []
    public private(set) var issues: [Issue] = []
    /// Which issues were ever named, and when.
    public private(set) var issueMemory = IssueMemory()
    /// How the subject began, where it is a release.
    public private(set) var launch = Launch()
    public private(set) var labels: [String: String] = [:]
    /// When the subject was last heard of.
    public internal(set) var lastSeen = Moment.earliest
    /// What is learned of single metrics, for the rules that ask for it.
    public internal(set) var histories: [History] = []

    /// A day and the hour that is still filling.
    public static let trailHoursMax = 25
    /// Most samples kept: a day of minutes. Beyond it the oldest go first.
    public static let samplesMax = 1440

    public init() {}

    init(
        samples: [Sample], trail: [HourPoint], issues: [Issue], issueMemory: IssueMemory, launch: Launch,
        labels: [String: String], lastSeen: Moment
    ) {
        self.samples = samples
        self.trail = trail
        self.issues = issues
        self.issueMemory = issueMemory
        self.launch = launch
        self.labels = labels
        self.lastSeen = lastSeen
    }

    /// Takes in an observation and lets go of samples that end more than `retention` before the newest.
    ///
    /// A span seen again replaces what was seen of it before: late figures are better figures. An older sight of a span
    /// changes nothing.
    public mutating func add(_ observation: Observation, keeping retention: Duration) {
        for index in histories.indices { histories[index].add(observation) }
        let sample = Sample(
            span: observation.span, seen: observation.seen, isComplete: observation.isComplete,
            metrics: observation.metrics)
        // Only what ends together can be the same span: few samples, however many there are.
        let end = samples.lastIndex { $0.span.to <= sample.span.to }.map { $0 + 1 } ?? 0
        let begin = samples[..<end].lastIndex { $0.span.to < sample.span.to }.map { $0 + 1 } ?? 0
        if let known = samples[begin..<end].firstIndex(where: { $0.span == sample.span }) {
            guard samples[known].seen <= sample.seen else { return }
            samples[known] = sample
        } else {
            samples.insert(sample, at: end)
        }
        if let newest = samples.last?.span.to {
            let horizon = newest - retention
            // The newest look always stays, and the one before it, so that the time between them is known.
            while samples.count > 2,
                (samples[0].span.to <= horizon && samples[1].span.to < newest) || samples.count > Series.samplesMax
            {
                samples.removeFirst()
            }
        }
        extendTrail(sample)
        if !observation.issues.isEmpty { issues = Array(observation.issues.prefix(Series.issuesMax)) }
        issueMemory.add(observation)
        launch.add(observation)
        labels = observation.labels
        lastSeen = max(lastSeen, observation.seen)
    }

    /// Of how many more a span was seen before than the observation says of the very same span, where that is more than twice as
    /// many: the metric, and both counts. Figures of a span grow while stragglers come; those that melt away have lost some.
    public func melting(in observation: Observation) -> (metric: String, before: Double, now: Double)? {
        for sample in samples.reversed() {
            guard sample.span.to >= observation.span.to else { return nil }
            guard sample.span == observation.span, sample.seen <= observation.seen else { continue }
            for metric in [MetricName.users, MetricName.sessions] {
                if let before = sample.metrics[metric], let now = observation.metrics[metric],
                    now < before * Series.meltingShare
                {
                    return (metric, before, now)
                }
            }
            return nil
        }
        return nil
    }

    /// What must be left of the users or sessions of a span that is seen again. Services correct by some percent, above all upwards;
    /// half is gone when a part of the service did not answer.
    static let meltingShare = 0.5

    /// From now on learns what is asked for; what was learned before and is not asked for any more is forgotten.
    public mutating func learn(_ needs: [History.Need]) {
        guard !histories.elementsEqual(needs, by: { $0.need == $1 }) else { return }
        histories = needs.map { need in history(for: need) ?? History(need) }
    }

    /// What was learned for that need; nil when nobody asked for it.
    public func history(for need: History.Need) -> History? { histories.first { $0.need == need } }

    /// Issues kept for messages.
    static let issuesMax = 5

    private mutating func extendTrail(_ sample: Sample) {
        let hour = (sample.span.to.milliseconds - 1) / 3_600_000
        guard let last = trail.last, last.hour >= hour else {
            trail.append(HourPoint(hour: hour, span: sample.span, metrics: sample.metrics))
            trail.removeAll { $0.hour <= hour - Int64(Series.trailHoursMax) }
            return
        }
        guard last.hour == hour, let index = trail.indices.last else { return }
        if sample.span.from >= last.span.to, let span = TimeSpan(from: last.span.from, to: sample.span.to) {
            trail[index].metrics = last.metrics.pooled(with: sample.metrics)
            trail[index].span = span
        } else if sample.span.length.distance(to: .hours(1)) <= last.span.length.distance(to: .hours(1)) {
            trail[index].metrics = sample.metrics
            trail[index].span = sample.span
        }
    }

    /// The time between the two newest looks: how much of a day this look stands for. Nil when it is the first.
    public var lookSpacing: Duration? {
        guard let newest = samples.last?.span.to, let before = samples.last(where: { $0.span.to < newest })?.span.to
        else { return nil }
        return newest - before
    }

    /// A figure with the span it covers.
    public struct Measured: Hashable, Sendable {
        public let figure: Figure
        public let span: TimeSpan
        public let isComplete: Bool
    }

    /// The figure of a metric over the newest stretch of that length.
    ///
    /// Either from the one span that the source measured nearest to the wish, or, for metrics that add up, pooled from
    /// spans that lie inside the stretch and do not overlap: whichever covers a stretch of nearer length. Nil when there
    /// is no figure.
    public func measured(_ metric: String, over window: Duration) -> Measured? {
        var search = MetricSearch(metric)
        guard let last = samples.lastIndex(where: { search.find($0.metrics) != nil }) else { return nil }
        let end = samples[last].span.to
        let whole = nearest(upTo: last, window, &search)
        guard search.nature.adds else { return whole }
        let pooled = pooled(upTo: last, since: end - window, &search)
        guard let whole, let pooled else { return pooled ?? whole }
        let (one, many) = (whole.span.length.distance(to: window), pooled.span.length.distance(to: window))
        return one <= many ? whole : pooled
    }

    /// The figure of a metric over that very span: as the source measured it, or pooled from spans that fill it from its
    /// begin to its end. Nil when it is not kept, or not any more.
    public func measured(_ metric: String, exactly span: TimeSpan) -> Measured? {
        var search = MetricSearch(metric)
        guard let last = samples.lastIndex(where: { $0.span.to <= span.to }), samples[last].span.to == span.to else {
            return nil
        }
        if let whole = nearest(upTo: last, span.length, &search), whole.span == span { return whole }
        guard search.nature.adds, let pooled = pooled(upTo: last, since: span.from, &search), pooled.span == span else {
            return nil
        }
        return pooled
    }

    // Both look from the newest back over samples in the order of their ends and make no list of any: this is done for every
    // observation and every rule.

    /// The figure of the span whose length is nearest to the wish, of those that end with the newest; of equal ones, the one
    /// seen last.
    private func nearest(upTo last: Int, _ window: Duration, _ search: inout MetricSearch) -> Measured? {
        let end = samples[last].span.to
        var best: (index: Int, distance: Duration)?
        for index in (0...last).reversed() {
            guard samples[index].span.to == end else { break }
            guard search.find(samples[index].metrics) != nil else { continue }
            let distance = samples[index].span.length.distance(to: window)
            if let best {
                guard distance <= best.distance else { continue }
                if distance == best.distance, samples[index].seen < samples[best.index].seen { continue }
            }
            best = (index, distance)
        }
        guard let best, let figure = search.find(samples[best.index].metrics)?.figure else { return nil }
        return Measured(figure: figure, span: samples[best.index].span, isComplete: samples[best.index].isComplete)
    }

    /// Pools spans that begin at `start` or later from the newest back, passing over those that overlap what is already in.
    private func pooled(upTo last: Int, since start: Moment, _ search: inout MetricSearch) -> Measured? {
        let isRate = search.nature.unit == .rate
        var (hits, total) = (0.0, 0.0)
        var (from, to): (Moment?, Moment?)
        var isComplete = true
        samples.withUnsafeBufferPointer { samples in
            var index = last
            while index >= 0, samples[index].span.to > start {
                // Among spans that end together the shortest goes first: it leaves most room for its neighbours.
                let end = samples[index].span.to
                let isFree = from.map { end <= $0 } ?? true
                var shortest: (index: Int, found: MetricSearch.Found)?
                while index >= 0, samples[index].span.to == end {
                    let begin = samples[index].span.from
                    if isFree, begin >= start, shortest.map({ begin > samples[$0.index].span.from }) ?? true,
                        let found = search.find(samples[index].metrics)
                    {
                        shortest = (index, found)
                    }
                    index -= 1
                }
                guard let shortest else { continue }
                if let figure = shortest.found.figure {
                    hits += isRate ? figure.share?.hits ?? 0 : figure.value
                    total += figure.share?.total ?? 0
                }
                from = samples[shortest.index].span.from
                to = to ?? end
                isComplete = isComplete && samples[shortest.index].isComplete
            }
        }
        guard let from, let to, let span = TimeSpan(from: from, to: to) else { return nil }
        guard isRate else {
            return Measured(figure: Figure(value: hits, share: nil), span: span, isComplete: isComplete)
        }
        guard total > 0 else { return nil }
        let figure = Figure(value: hits / total, share: Share(hits: hits, of: total))
        return Measured(figure: figure, span: span, isComplete: isComplete)
    }

    /// The figure of a metric in the last clock hour that had one, of the 23 before that of the moment.
    public func lastFigure(of metric: String, beforeTheHourOf moment: Moment) -> Double? {
        let hour = (moment.milliseconds - 1) / 3_600_000
        for point in trail.reversed() where point.hour < hour && point.hour > hour - 24 {
            if let figure = point.metrics.figure(metric) { return figure.value }
        }
        return nil
    }

    /// The figure of a metric for each of the last 24 clock hours up to `hour`, oldest first; nil where there is none.
    public func lastDay(of metric: String, until moment: Moment) -> [Double?] {
        let hour = (moment.milliseconds - 1) / 3_600_000
        return (0..<24).map { back in
            trail.first { $0.hour == hour - Int64(23 - back) }?.metrics.figure(metric)?.value
        }
    }
}

extension Duration {
    fileprivate func distance(to other: Duration) -> Duration { self < other ? other - self : self - other }
}

extension Metrics {
    /// The figures of two neighbouring spans together: sums of what adds up, and of the rest the newer span's.
    func pooled(with other: Metrics) -> Metrics {
        var result = other
        for name in [MetricName.sessions, MetricName.crashedSessions, MetricName.crashEvents] {
            let values = [self[name], other[name]].compactMap { $0 }
            if !values.isEmpty { result[name] = values.reduce(0, +) }
        }
        return result
    }
}
