/// What is learned of one metric of one subject: what is usual at this hour of the week, and how far the newest figures
/// speak against it.
///
/// It is fed with every observation and keeps what a `drop` rule needs: the usual rate of bad cases (`Baseline`), the
/// evidence for a fall that has begun (`DropScore`), the spans of the last hours, and those that are not to be learned
/// from. All of it follows from the observations in the order they came, and nothing else; so a replay gives the same.
///
/// Only complete spans with the counts behind the rate are taken, each stretch of time once: a span that overlaps one
/// already taken is passed over, a span seen again is corrected as long as it is among those of the last six hours.
public struct History: Hashable, Sendable {
    /// What a rule wants to have learned.
    public struct Need: Hashable, Sendable {
        /// A rate of good cases whose counts the source gives: `crash_free_users` or `crash_free_sessions`.
        public let metric: String
        /// The smallest fall to be found, as a fraction.
        public let by: Double

        public init(metric: String, by: Double) {
            self.metric = metric
            self.by = by
        }
    }

    /// The counts of one span. Milliseconds since 1970.
    struct Bucket: Hashable, Sendable {
        let from: Int64
        let to: Int64
        var bad: Double
        var total: Double
        var seen: Int64
    }

    /// The counts of one clock hour that waits to be learned from.
    struct Hour: Hashable, Sendable {
        /// Whole hours since 1970.
        let hour: Int64
        var bad: Double
        var total: Double
    }

    public let need: Need
    /// The spans of the last hours, oldest first.
    private(set) var recent: [Bucket] = []
    /// What the evidence was before the first of them.
    private(set) var mark = DropScore()
    private(set) var score = DropScore()
    /// The hours that are not learned from yet, oldest first.
    private(set) var hours: [Hour] = []
    private(set) var baseline = Baseline()
    /// How long the spans are that are taken, in milliseconds; 0 before the first.
    private(set) var grain: Int64 = 0
    /// What follows from the baseline for the clock hour judged last. Not written: it can be computed.
    private var table = DropTable()

    /// How long figures may be corrected: later ones are rare, and would cost a look at more spans.
    public static let correctionsLast = Duration.hours(6)
    /// Most spans kept: six hours of minutes.
    static let recentMax = 360
    /// How long an hour waits until it is learned from: so a fall that began yesterday is not taken for usual.
    static let quarantineHours: Int64 = 24
    /// A longer pause is no pause: with other spans after it, learning begins anew.
    private static let pauseMax: Int64 = 24 * 3_600_000
    /// Longest span that says something of its hour.
    private static let spanMax: Int64 = 3_600_000

    public init(_ need: Need) { self.need = need }

    /// Takes in an observation; gives back whether it changed anything.
    @discardableResult
    public mutating func add(_ observation: Observation) -> Bool {
        guard observation.isComplete, let share = observation.metrics.figure(need.metric)?.share else { return false }
        let bad = share.total - share.hits
        guard share.total >= 0, bad >= 0, bad <= share.total, share.total.isFinite else { return false }
        let bucket = Bucket(
            from: observation.span.from.milliseconds, to: observation.span.to.milliseconds, bad: bad,
            total: share.total, seen: observation.seen.milliseconds)
        forgetFuture(of: bucket.seen)
        guard fits(bucket) else { return false }
        return take(bucket)
    }

    // MARK: - Which spans are taken

    /// A wall clock that was ahead has left spans behind that have not been yet: they go, or nothing true would fit.
    private mutating func forgetFuture(of seen: Int64) {
        let limit = seen + Observation.clockSlackMax.wholeMilliseconds
        guard let newest = recent.last, newest.to > limit else { return }
        recent.removeAll { $0.to > limit }
        hours.removeAll { $0.hour * 3_600_000 >= limit }
        if recent.isEmpty { mark = DropScore() }
        rescore()
    }

    /// Whether a span is as long as those taken so far.
    ///
    /// Sources give spans of several lengths side by side, and distinct users of an hour are not those of five minutes:
    /// their rates can not be compared. The shortest counts, and when it comes no more, what comes instead.
    private mutating func fits(_ bucket: Bucket) -> Bool {
        let length = bucket.to - bucket.from
        guard length <= History.spanMax else { return false }
        if grain == 0 {
            grain = length
            return true
        }
        if length * 2 > grain * 3 {
            guard let newest = recent.last, bucket.from - newest.to > History.pauseMax else { return false }
            beginAnew(with: length)
        } else if length * 3 < grain * 2 {
            beginAnew(with: length)
        }
        return true
    }

    private mutating func beginAnew(with length: Int64) {
        let adds = MetricNature(of: need.metric).adds
        recent.removeAll()
        mark = DropScore()
        score = DropScore()
        grain = length
        // Rates of sessions are the same whatever the span.
        guard !adds else { return }
        hours.removeAll()
        baseline = Baseline()
    }

    private mutating func take(_ bucket: Bucket) -> Bool {
        let end = recent.lastIndex { $0.from < bucket.to }.map { $0 + 1 } ?? 0
        if end > 0, recent[end - 1].to > bucket.from {
            let known = recent[end - 1]
            guard known.from == bucket.from, known.to == bucket.to, known.seen <= bucket.seen else { return false }
            guard known.bad != bucket.bad || known.total != bucket.total else { return false }
            recent[end - 1] = bucket
            pool(bucket, bad: bucket.bad - known.bad, total: bucket.total - known.total)
            rescore()
            return true
        }
        guard end == recent.count else {
            // Late: what came after it is looked at again.
            recent.insert(bucket, at: end)
            pool(bucket, bad: bucket.bad, total: bucket.total)
            rescore()
            return true
        }
        guard bucket.to > score.until else { return false }
        recent.append(bucket)
        pool(bucket, bad: bucket.bad, total: bucket.total)
        learn(until: bucket.to)
        prepareTable(for: bucket)
        score.add(bucket, table, baseline.isReady)
        let horizon = bucket.to - History.correctionsLast.wholeMilliseconds
        var gone = 0
        while gone < recent.count - 1, recent[gone].to <= horizon || recent.count - gone > History.recentMax {
            prepareTable(for: recent[gone])
            mark.add(recent[gone], table, baseline.isReady)
            if !mark.isSuspicious, !score.isSuspicious { baseline.learnNoise(recent[gone], table) }
            gone += 1
        }
        if gone > 0 { recent.removeFirst(gone) }
        return true
    }

    /// Looks at the last hours again, after one of their spans was corrected.
    private mutating func rescore() {
        score = mark
        for bucket in recent {
            prepareTable(for: bucket)
            score.add(bucket, table, baseline.isReady)
        }
    }

    private mutating func prepareTable(for bucket: Bucket) {
        let hour = bucket.hour
        if table.hour != hour || table.revision != baseline.revision {
            table = DropTable(hour: hour, baseline, by: need.by)
        }
    }

    // MARK: - Learning

    private mutating func pool(_ bucket: Bucket, bad: Double, total: Double) {
        let hour = bucket.hour
        let index = hours.lastIndex { $0.hour <= hour }
        if let index, hours[index].hour == hour {
            hours[index].bad = max(0, hours[index].bad + bad)
            hours[index].total = max(0, hours[index].total + total)
        } else if hour > baseline.learnedUntil {
            hours.insert(Hour(hour: hour, bad: bad, total: total), at: index.map { $0 + 1 } ?? 0)
        }
    }

    /// Learns from the hours that have waited long enough and in which nothing was wrong.
    private mutating func learn(until now: Int64) {
        let ripe = (now - 1).hour - History.quarantineHours
        var gone = 0
        while gone < hours.count, hours[gone].hour <= ripe {
            let hour = hours[gone]
            if score.excludes(hour.hour) {
                baseline.pass(hour.hour)
            } else {
                baseline.learn(hour)
            }
            gone += 1
        }
        if gone > 0 { hours.removeFirst(gone) }
    }
}

extension History.Bucket {
    /// The clock hour in which it ends; half-open, so a span that ends with an hour belongs to it.
    var hour: Int64 { (to - 1).hour }
}

extension Int64 {
    /// The clock hour of these milliseconds, rounded down.
    var hour: Int64 {
        let (hours, rest) = quotientAndRemainder(dividingBy: 3_600_000)
        return rest < 0 ? hours - 1 : hours
    }
}
