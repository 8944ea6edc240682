/// What is kept of one subject: its recent figures, a coarse trail of the last day, the issues named last, and what
/// detectors remember of it.
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
        public internal(set) var span: TimeSpan
        public internal(set) var metrics: Metrics
    }

    /// In an array of one, which all copies share: every rule is shown the series, and none changes it.
    private var shared: [Kept]

    /// By the end of their spans, oldest first. Where there are figures, each has some.
    public var samples: [Sample] { shared[0].samples }
    /// Oldest first, at most `trailHoursMax`.
    public var trail: [HourPoint] { shared[0].trail }
    public var issues: [Issue] { shared[0].issues }
    public var labels: [String: String] { shared[0].labels }
    /// When the subject was first heard of; nil before that.
    public var firstSeen: Moment? { shared[0].firstSeen }
    /// When the subject was last heard of.
    public var lastSeen: Moment { shared[0].lastSeen }
    /// Whether there are figures of it, and not issues alone.
    public var hasFigures: Bool { shared[0].hasFigures }
    /// When figures were last seen; of what never had any, when it was last heard of.
    public var figuresSeen: Moment { shared[0].figuresSeen ?? lastSeen }
    /// The newest poll that brought figures, and as many before it as the rule wants that asks for most, with the
    /// figures as they were then: oldest first. Empty where no rule asks for any (`Detector.earlierPolls`).
    public var polls: [Poll] { shared[0].polls }
    /// Over how many releases the newest figures were summed up; nil where the source itself gave them.
    public var releasesSummed: Int? { shared[0].releasesSummed }
    /// Older figures of which something was said that late ones may change, by the end of their spans, oldest first.
    /// Rules are not shown them.
    public var past: [Sample] { shared[0].past }
    /// Since when older figures are kept; nil where only those that rules read are.
    public var reach: Moment? { shared[0].reach }
    var remembered: SeriesMemory { shared[0].memory }

    /// A day and the hour that is still filling.
    public static let trailHoursMax = 25
    /// Most samples kept: a day of minutes. Beyond it the oldest go first.
    public static let samplesMax = 1440
    /// How long spans are believed to fill: sources that correct theirs do so within a day.
    static let fillingMax = Duration.days(1)
    /// How old the newest stretch of a kind may be beside newer ones of another: four weeks that are measured once a week, a day late.
    static let kindAgeMax = Duration.days(8)
    /// How many kinds of spans, of several lengths or of different metrics, a source may give in turns and have those let
    /// go that have slid on; of more they stay until they are outdated.
    static let kindsMax = 16
    /// What all samples together may take as JSON, before the oldest go: a day of minutes with some two dozen metrics.
    /// With the rest of a series, of which the trail's hours are the most, it stays below the 4 MiB of a record of the
    /// journal.
    public static let samplesBytesMax = 3 << 19
    /// What older figures that wait for late ones may take as JSON, before the oldest go: some 500 spans with a handful
    /// of metrics, two days of five minutes each.
    public static let pastBytesMax = 128 << 10
    /// Figures that do not come for so long, and for twice what one of them covers, have stopped: longer than the usual
    /// `slowest` of half an hour.
    static let silenceMin = Duration.hours(1)
    /// What the metrics of one observation may take as JSON; those beyond, of hundreds, are not kept.
    public static let metricsBytesMax = 32 << 10
    /// The same for the labels of an observation.
    public static let labelsBytesMax = 32 << 10

    /// One of which nothing is known yet.
    ///
    /// - Parameter kinds: the memories that it may hold.
    public init(remembering kinds: MemoryKinds = .none) { shared = [Kept(memory: kinds.beginning)] }

    init(_ kept: Kept) { shared = [kept] }

    /// Takes in an observation and lets go of samples that end more than `retention` before the newest.
    ///
    /// A span seen again replaces what was seen of it before: late figures are better figures. An older sight of a span
    /// changes no sample.
    ///
    /// - Parameters:
    ///   - releases: over how many releases the observation was summed up; nil where the source gave it.
    ///   - elders: what memories are shown of others; none where the observation names no issues.
    public mutating func add(
        _ observation: Observation, keeping retention: Retention, summedOver releases: Int? = nil,
        after elders: Elders = .none
    ) {
        shared[0].add(observation, keeping: retention, after: elders)
        if !observation.metrics.isEmpty, !observation.isHistory { shared[0].releasesSummed = releases }
    }

    public mutating func add(_ observation: Observation, keeping lookback: Duration) {
        add(observation, keeping: Retention(lookback))
    }

    /// Of how many more a span was seen before than the observation says of the very same span, where that is more than
    /// twice as many: the metric, and both counts. Figures of a span grow while stragglers come; those that melt away
    /// have lost some.
    public func melting(in observation: Observation) -> (metric: String, before: Double, now: Double)? {
        // What is older than all that rules read may be among what is kept for late figures.
        let isOld = samples.first.map { observation.span.to < $0.span.to } ?? false
        for sample in (isOld ? past : samples).reversed() {
            guard sample.span.to >= observation.span.to else { return nil }
            guard sample.span == observation.span, sample.seen <= observation.seen else { continue }
            for metric in [Metric.users, .sessions] {
                if let before = sample.metrics[metric], let now = observation.metrics[metric],
                    now < before * Series.meltingShare
                {
                    return (metric.name, before, now)
                }
            }
            return nil
        }
        return nil
    }

    /// What must be left of the users or sessions of a span that is seen again. Services correct by some percent, above
    /// all upwards; half is gone when a part of the service did not answer.
    static let meltingShare = 0.5

    /// From now on remembers what is needed; what was remembered before and is not needed any more is forgotten.
    ///
    /// - Parameter elders: the app as a whole and its other releases, where this is a release. They may hand on what
    ///   they know.
    public mutating func remember(_ needs: MemoryNeeds, after elders: [Series] = []) {
        guard !remembers(needs) else { return }
        shared[0].memory.keep(needs, after: elders.flatMap(\.memoryBoxes))
    }

    /// Takes over what has to be remembered of a release, or of the app as a whole, that is forgotten.
    public mutating func inherit(_ gone: Series) { shared[0].memory.inherit(gone.remembered) }

    /// Whether it remembers just that, besides what is remembered of every subject.
    public func remembers(_ needs: MemoryNeeds) -> Bool { shared[0].memory.needs == needs }

    @usableFromInline var memoryBoxes: [MemoryBox] { shared[0].memory.boxes }

    // Made for each type in its own module: rules ask at every observation.

    /// What is remembered of every subject; nothing yet where this program does not know the kind.
    @inlinable public func memory<Memory: StandingMemory>(_ kind: Memory.Type) -> Memory {
        for box in memoryBoxes {
            if let box = box as? TypedMemoryBox<Memory> { return box.kept }
        }
        return Memory()
    }

    /// What is remembered for that need; nil where nobody has asked for it.
    @inlinable public func memory<Memory: AskedMemory>(_ kind: Memory.Type, _ need: Memory.Need) -> Memory? {
        for box in memoryBoxes {
            if let box = box as? TypedMemoryBox<Memory>, box.kept.need == need { return box.kept }
        }
        return nil
    }

    /// Everything of a kind that rules have asked for.
    public func memories<Memory: AskedMemory>(_ kind: Memory.Type) -> [Memory] {
        memoryBoxes.compactMap { ($0 as? TypedMemoryBox<Memory>)?.kept }
    }

    /// Moves what was seen after `now` back so far that the last look was at `now`.
    public mutating func setBack(to now: Moment) {
        guard lastSeen > now else { return }
        shared[0].setBack(to: now)
    }

    /// What was seen of that very span; nil when it is not kept, or not any more.
    public func sample(of span: TimeSpan) -> Sample? { samples.sample(of: span) ?? past.sample(of: span) }

    /// The newest look before that span which knows of the metric, of any length; it may overlap the span.
    public func sample(before span: TimeSpan, knowing metric: Metric) -> Sample? {
        samples.sample(before: span, knowing: metric) ?? past.sample(before: span, knowing: metric)
    }

    /// The same without figures of spans that are still filling.
    public var complete: Series {
        var kept = shared[0]
        kept.samples.removeAll { !$0.isComplete }
        return Series(kept)
    }

    /// The oldest look that is kept.
    public var oldestSample: Sample? { past.first ?? samples.first }

    /// The time between the two newest looks: how much of a day this look stands for. Nil when it is the first.
    public var sampleSpacing: Duration? {
        guard let newest = samples.last?.span.to, let before = samples.last(where: { $0.span.to < newest })?.span.to
        else { return nil }
        return newest - before
    }

    /// A figure with the span it covers.
    public struct Measured: Hashable, Sendable {
        public let figure: Figure
        public let span: TimeSpan
        public let isComplete: Bool
        /// How much of the span there are figures of: all of it, but where spans that leave gaps were pooled.
        public let covered: Duration

        /// - Parameter covered: nil for the whole span.
        public init(figure: Figure, span: TimeSpan, isComplete: Bool, covered: Duration? = nil) {
            self.figure = figure
            self.span = span
            self.isComplete = isComplete
            self.covered = covered ?? span.length
        }
    }

    /// The figure of a metric over the newest stretch of that length.
    ///
    /// Either from the one span that the source measured nearest to the wish, or, for metrics that add up, pooled from
    /// spans that lie inside the stretch and do not overlap: whichever covers a stretch of nearer length. Nil when
    /// there is no figure.
    public func measured(_ metric: Metric, over window: Duration) -> Measured? {
        Series.measured(metric, over: window, in: samples)
    }

    static func measured(_ metric: Metric, over window: Duration, in samples: [Sample]) -> Measured? {
        var search = MetricSearch(metric)
        guard case (let newest, var whole)? = Series.nearest(samples[...], window, &search) else { return nil }
        if let length = whole?.span.length, Series.isMisfit(length, window, metric) {
            whole = Series.fitting(samples[...newest], window, &search) ?? whole
        }
        guard metric.adds else { return whole }
        let pooled = Series.pooled(samples[...newest], since: samples[newest].span.to - window, &search)
        guard let whole, let pooled else { return pooled ?? whole }
        let (one, many) = (whole.span.length.distance(to: window), pooled.span.length.distance(to: window))
        return one <= many ? whole : pooled
    }

    /// The figure of a metric over that very span: as the source measured it, or pooled from spans that fill it from
    /// its begin to its end. Nil when it is not kept, or not any more.
    public func measured(_ metric: String, exactly span: TimeSpan) -> Measured? {
        if let measured = Series.measured(metric, exactly: span, in: samples) { return measured }
        guard !past.isEmpty else { return nil }
        return Series.measured(metric, exactly: span, in: past + samples.prefix { $0.span.to <= span.to })
    }

    private static func measured(_ metric: String, exactly span: TimeSpan, in samples: [Sample]) -> Measured? {
        guard samples.last(where: { $0.span.to <= span.to })?.span.to == span.to,
            let measured = measured(Metric(metric), within: span, in: samples[...]), measured.span == span
        else { return nil }
        return measured
    }

    /// The figure of a metric over as much of that span as there are figures of: as the source measured it, or, for
    /// metrics that add up, pooled from spans that lie inside it. Nil when there is no figure.
    public func measured(_ metric: Metric, within span: TimeSpan) -> Measured? {
        Series.measured(metric, within: span, in: samples[...])
    }

    static func measured(_ metric: Metric, within span: TimeSpan, in samples: ArraySlice<Sample>) -> Measured? {
        var search = MetricSearch(metric)
        guard let last = samples.lastIndex(where: { $0.span.to <= span.to }),
            let nearest = Series.nearest(samples[...last], span.length, &search)
        else { return nil }
        let whole = nearest.whole.flatMap { $0.span.from >= span.from ? $0 : nil }
        guard metric.adds, whole?.span != span else { return whole }
        let pooled = Series.pooled(samples[...nearest.newest], since: span.from, &search)
        guard let whole, let pooled else { return pooled ?? whole }
        return whole.span.length >= pooled.span.length ? whole : pooled
    }

    /// The shares of a metric that adds up in the spans, none of which overlap, that make up that span: newest first.
    /// Empty where it was measured in one piece, or does not add up.
    public func pieces(of metric: Metric, in span: TimeSpan) -> [(span: TimeSpan, share: Share)] {
        guard metric.adds, let newest = samples.lastIndex(where: { $0.span.to <= span.to }) else { return [] }
        var search = MetricSearch(metric)
        var pieces: [(TimeSpan, Share)] = []
        Series.visitDisjoint(samples[...newest], since: span.from, &search) { sample, figure in
            if let share = figure?.share { pieces.append((sample.span, share)) }
        }
        return pieces.count > 1 ? pieces : []
    }

    // All look from the newest back over samples in the order of their ends and make no list of any: this is done for
    // every observation and every rule.

    /// The newest sample that knows of the metric; and of the spans that end with it the figure of the one whose length
    /// is nearest to the wish, of equal ones the one seen last.
    private static func nearest(
        _ samples: ArraySlice<Sample>, _ window: Duration, _ search: inout MetricSearch
    ) -> (newest: Int, whole: Measured?)? {
        var newest: Int?
        var best: (sample: Int, distance: Duration, figure: Figure?)?
        for index in samples.indices.reversed() {
            if let newest, samples[index].span.to != samples[newest].span.to { break }
            guard let found = search.find(samples[index].metrics) else { continue }
            newest = newest ?? index
            let distance = samples[index].span.length.distance(to: window)
            if let best {
                guard distance <= best.distance else { continue }
                if distance == best.distance, samples[index].seen < samples[best.sample].seen { continue }
            }
            best = (index, distance, found.figure)
        }
        guard let newest, let best else { return nil }
        let sample = samples[best.sample]
        return (newest, best.figure.map { Measured(figure: $0, span: sample.span, isComplete: sample.isComplete) })
    }

    /// Whether a stretch is no answer to the wish: far too long, or far too short for what cannot be added up.
    private static func isMisfit(_ length: Duration, _ window: Duration, _ metric: Metric) -> Bool {
        length > window.scaled(by: 2) || !metric.adds && length < window.scaled(by: 0.5)
    }

    /// The newest stretch that fits the wish and is still the newest of its kind, of a source that measures several and
    /// not all of them to the same end: days once a day and hours every hour.
    private static func fitting(
        _ samples: ArraySlice<Sample>, _ window: Duration, _ search: inout MetricSearch
    ) -> Measured? {
        let lengths = window.scaled(by: 0.5)...window.scaled(by: 2)
        // In place: a copy of each sample would take longer than the look at it, and a day of minutes has 1,440.
        return samples.withUnsafeBufferPointer { samples in
            guard let newest = samples.last?.span.to else { return nil }
            for index in samples.indices.reversed() {
                let span = samples[index].span
                // Of all that fits the longest is outdated last.
                if span.isOutdated(of: lengths.upperBound, besides: newest) { return nil }
                guard lengths.contains(span.length), !span.isOutdated(of: span.length, besides: newest),
                    let found = search.find(samples[index].metrics)
                else { continue }
                return found.figure.map {
                    Measured(figure: $0, span: span, isComplete: samples[index].isComplete)
                }
            }
            return nil
        }
    }

    /// Pools spans that begin at `start` or later from the newest back, passing over those that overlap what is already
    /// in.
    private static func pooled(
        _ samples: ArraySlice<Sample>, since start: Moment, _ search: inout MetricSearch
    ) -> Measured? {
        let isRate = search.metric.unit == .rate
        var (hits, total) = (0.0, 0.0)
        var (from, to): (Moment?, Moment?)
        var covered = Duration.zero
        var isComplete = true
        visitDisjoint(samples, since: start, &search) { sample, figure in
            if let figure {
                hits += isRate ? figure.share?.hits ?? 0 : figure.value
                total += figure.share?.total ?? 0
            }
            from = sample.span.from
            to = to ?? sample.span.to
            covered += sample.span.length
            isComplete = isComplete && sample.isComplete
        }
        guard let from, let to, let span = TimeSpan(from: from, to: to) else { return nil }
        guard isRate else {
            return Measured(
                figure: Figure(value: hits, share: nil), span: span, isComplete: isComplete, covered: covered)
        }
        guard total > 0 else { return nil }
        let figure = Figure(value: hits / total, share: Share(hits: hits, of: total))
        return Measured(figure: figure, span: span, isComplete: isComplete, covered: covered)
    }

    /// Visits the samples that know of the metric and begin at `start` or later from the newest back, passing over
    /// those that overlap one that was visited.
    private static func visitDisjoint(
        _ samples: ArraySlice<Sample>, since start: Moment, _ search: inout MetricSearch,
        _ visit: (Sample, Figure?) -> Void
    ) {
        var from: Moment?
        samples.withUnsafeBufferPointer { samples in
            var index = samples.count - 1
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
                from = samples[shortest.index].span.from
                visit(samples[shortest.index], shortest.found.figure)
            }
        }
    }

    /// The figure of a metric for each of the last 24 clock hours up to `hour`, oldest first; nil where there is none.
    public func lastDay(of metric: String, until moment: Moment) -> [Double?] {
        let metric = Metric(metric)
        let hour = (moment.milliseconds - 1) / 3_600_000
        return (0..<24).map { back in
            trail.first { $0.hour == hour - Int64(23 - back) }?.metrics.figure(metric)?.value
        }
    }
}

extension [Series.Sample] {
    /// Behind the last that ends at that moment or before.
    fileprivate func endIndex(endingBy end: Moment) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].span.to <= end { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Series.Sample {
    /// Whether another of its kind should have come long ago, of a source whose newest is that.
    func isOutdated(besides newest: Series.Sample) -> Bool { span.isOutdated(of: span.length, besides: newest.span.to) }
}

extension TimeSpan {
    /// Whether another that long should have come since, of a source whose newest span ends then.
    fileprivate func isOutdated(of length: Duration, besides newest: Moment) -> Bool {
        newest - to > min(length.scaled(by: 1.5), Series.kindAgeMax)
    }
}

extension Duration {
    func distance(to other: Duration) -> Duration { self < other ? other - self : self - other }
}

extension [Series.Sample] {
    fileprivate func sample(of span: TimeSpan) -> Series.Sample? {
        var index = endIndex(endingBy: span.to)
        while index > 0, self[index - 1].span.to == span.to {
            index -= 1
            if self[index].span == span { return self[index] }
        }
        return nil
    }

    fileprivate func sample(before span: TimeSpan, knowing metric: Metric) -> Series.Sample? {
        self[..<endIndex(endingBy: span.to)].last { $0.span != span && $0.metrics[metric] != nil }
    }
}
