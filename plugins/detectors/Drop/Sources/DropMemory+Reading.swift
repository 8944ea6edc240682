public import PluginKit

// What a rule reads of what was learned.

extension DropMemory {
    /// Whether enough has been learned to compare with: two days that were as usual.
    public var isReady: Bool { baseline.isReady }

    /// How much has been learned, as a time; after three weeks little is gained by more.
    public var learned: Duration { .hours(Int64(baseline.hoursLearned)) }

    /// By how much the counts of a span like the newest vary, as a multiple of what chance alone gives: 1 is chance.
    public var dispersion: Double? {
        recent.last.map { baseline.noise.dispersion(expected: $0.total * baseline.rate($0.hour)) }
    }

    /// What must be learned before anything can be said.
    public static let leastLearned = Duration.hours(Int64(Baseline.readyHours))

    /// The newest span that was taken.
    public var newest: TimeSpan? { recent.last?.span }

    /// The counts of the newest span.
    public var newestShare: Share? { recent.last.map { Share(hits: $0.total - $0.bad, of: $0.total) } }

    /// What is usual at the hour of the newest span, as a share of what goes well.
    public var usual: Double? { recent.last.map { 1 - baseline.rate($0.hour) } }

    /// How far off the usual rate of what goes wrong may be, as a share of it: one standard deviation, at most 1.
    public var uncertainty: Double? { recent.last.map { baseline.deviation($0.hour) } }

    /// How rarely chance alone gives as much evidence for a fall as there is now, in days between two such times.
    ///
    /// The evidence itself is a bound: it reaches so many days at most once in as many. Counts are whole and jump past
    /// any limit, and the usual rate is raised by its uncertainty, so that truly it is reached more seldom: how often
    /// is measured in `Benchmarks/Sources/Signal`, and the factor chosen by it.
    public var rarity: Double { score.total * DropMemory.boundIsCarefulBy }

    /// The same for falls that are about as deep as `depth` or deeper.
    public func rarity(ofFallsOver depth: Double) -> Double {
        score.total(atLeast: depth, of: need.by) * DropMemory.boundIsCarefulBy
    }

    private static let boundIsCarefulBy = 2.5

    /// The least rarity that a rule may ask for: from here on nothing is learned, so that no fall is.
    public static let rarityMin = Duration.days(15)

    /// Whether something is probably wrong, or was until now and is not over for certain.
    public var isSuspicious: Bool { score.isSuspicious }

    /// What has been seen since the fall began, as far as that can be told.
    public struct Fall: Hashable, Sendable {
        public let span: TimeSpan
        public let share: Share
        /// What would have been usual at these times for as many, as a share of what goes well.
        public let usual: Double
        /// What there was, as a share of what goes well.
        public var value: Double { share.hits / share.total }
        /// How much less that is than usual; negative where it is more.
        public var depth: Double { usual - value }
    }

    /// The fall that there is evidence for; nil when there is none, or nobody was there. It looks at every span since,
    /// so it costs more than the other readings.
    ///
    /// - Parameter most: how far back it looks at most; nil for as far as it goes.
    public func fall(lasting most: Duration? = nil) -> Fall? {
        guard isSuspicious, let first = recent.first, let last = recent.last else { return nil }
        let onset = max(
            Int64(score.onset.clamped(to: -1e6...1e7) * 86_400_000),
            most.map { last.to - $0.wholeMilliseconds } ?? .min)
        var (from, bad, total, expected) = (last.from, 0.0, 0.0, 0.0)
        if onset < first.from {
            for hour in hours where (hour.hour + 1) * 3_600_000 > onset {
                from = min(from, hour.hour * 3_600_000)
                bad += hour.bad
                total += hour.total
                expected += hour.total * baseline.rate(hour.hour)
            }
        } else {
            for bucket in recent where bucket.to > onset {
                from = min(from, bucket.from)
                bad += bucket.bad
                total += bucket.total
                expected += bucket.total * baseline.rate(bucket.hour)
            }
        }
        guard total > 0, let span = TimeSpan(from: Moment(milliseconds: from), to: Moment(milliseconds: last.to)) else {
            return nil
        }
        return Fall(span: span, share: Share(hits: total - bad, of: total), usual: 1 - expected / total)
    }
}

extension DropMemory {
    /// The newest stretch in which a fall is so deep, and certainly deeper than as a whole: what was before it got worse would
    /// hide that for a day. Nil where there is none.
    ///
    /// - Parameters:
    ///   - depth: as a fraction.
    ///   - whole: the fall as a whole, which is not so deep.
    func deepened(to depth: Double, since whole: Fall) -> Fall? {
        let noise = max(dispersion ?? 1, Binomial.usualDispersion)
        return DropMemory.stretches.lazy.compactMap(fall(lasting:)).first { fall in
            let bad = fall.share.total - fall.share.hits
            // What goes on as it was, or half as deep, would hardly ever give so many bad cases.
            return fall.depth >= depth
                && Binomial.chance(
                    ofAtLeast: bad / noise, of: fall.share.total / noise,
                    rate: 1 - fall.usual + max(depth / 2, whole.depth))
                    <= DropMemory.chanceOfDeepening
        }
    }

    /// The newest stretch in which a fall is not that deep any more, where as a whole it still is. Nil where there is none.
    func left(below depth: Double) -> Fall? {
        DropMemory.stretches.lazy.compactMap(fall(lasting:)).first { $0.depth < depth && $0.depth > 0 }
    }

    private static let stretches = [6, 3, 1].map(Duration.hours)
    /// Asked for three stretches at every span: some hundred times a day that have little to do with each other, so less than
    /// once in a year while a fall goes on.
    private static let chanceOfDeepening = 1e-5

    /// Whether a fall that had begun by then was taken for the new usual since, because it lasted.
    func hasAccepted(fallSince moment: Moment) -> Bool { stayed.map { moment.milliseconds <= $0 } ?? false }

    /// What went well in the hours that are not learned from yet, about a day, as a share.
    var lately: (value: Double, span: TimeSpan)? {
        let (bad, total) = hours.reduce((0, 0)) { ($0.0 + $1.bad, $0.1 + $1.total) }
        guard total > 0, let first = hours.first, let last = recent.last,
            let span = TimeSpan(
                from: Moment(milliseconds: first.hour * 3_600_000), to: Moment(milliseconds: last.to))
        else { return nil }
        return (1 - bad / total, span)
    }
}

extension DropMemory.Bucket {
    var span: TimeSpan? { TimeSpan(from: Moment(milliseconds: from), to: Moment(milliseconds: to)) }
}
