public import PluginKit

/// What is learned of one metric of one subject: what is usual at this hour of the week, and how far the newest figures
/// speak against it.
///
/// It is fed with every observation and keeps what a `drop` rule needs: the usual rate of bad cases (`Baseline`), the
/// evidence for a fall that has begun (`DropScore`), the spans of the last hours, and the hours that are not learned
/// from yet. All of it follows from the observations in the order they came and from nothing else, so a replay gives
/// the same.
///
/// Only complete spans of at most an hour with the counts behind the rate are taken, each stretch of time once: a span
/// that overlaps one already taken is passed over, a span seen again is corrected as long as it is one of the last six
/// hours.
///
/// Memory: 3 KB for the rhythm, 48 bytes a span of the last six hours (at most 360), 24 bytes an hour of the last day:
/// some 8 KB with spans of five minutes, at most 20 KB. Where hours were not learned from in the last two weeks, up to
/// 6 KB more (`Rhythm`).
public struct DropMemory: AskedMemory {
    public static let name = "learned"

    /// What a rule wants to have learned.
    public struct Need: Hashable, Sendable {
        /// A share of what went well whose counts the source gives: `crash_free_users` or `crash_free_sessions`.
        public let metric: String
        /// The smallest fall to be found, as a fraction.
        public let by: Double
        /// When people's clocks change, for whom hours of the day are usual; nil where they never do.
        public let summertime: Summertime?

        public init(metric: String, by: Double, summertime: Summertime? = nil) {
            self.metric = metric
            self.by = by
            self.summertime = summertime
        }
    }

    /// The counts of one span. Milliseconds since 1970.
    struct Bucket: Hashable, Sendable {
        let from: Int64
        let to: Int64
        var bad: Double
        var total: Double
        var seen: Int64
        /// The bad cases that are judged and learned from: fewer than all where one user's loop is among them.
        var counted: Double

        /// - Parameter counted: all of them, unless said otherwise.
        init(from: Int64, to: Int64, bad: Double, total: Double, seen: Int64, counted: Double? = nil) {
            (self.from, self.to, self.bad, self.total, self.seen) = (from, to, bad, total, seen)
            self.counted = counted ?? bad
        }
    }

    /// The counts of one clock hour.
    struct Hour: Hashable, Sendable {
        /// Whole hours since 1970.
        let hour: Int64
        var bad: Double
        var total: Double
    }

    public private(set) var need: Need
    /// The spans of the last hours, oldest first.
    var recent: [Bucket] = []
    /// What the evidence was before the first of them.
    var mark = DropScore()
    var score = DropScore()
    /// The hours that are not learned from yet, oldest first.
    var hours: [Hour] = []
    var baseline: Baseline
    var loops = LoopSize.usual
    var grain = Grain()
    /// How many observations running were seen long before the newest span ended.
    var behind = 0
    /// When a fall that had lasted was taken for the new usual, last, in milliseconds since 1970; nil while none was.
    var stayed: Int64?
    /// For the newest spans, and for those that leave the last hours.
    private var table = Scratch<DropTable>()
    private var markTable = Scratch<DropTable>()
    private var search = Scratch<MetricSearch>()

    // In milliseconds, made once: they are compared at every observation.
    /// How long figures may be corrected: later ones are rare, and would cost a look at more spans.
    private static let correctionsLast = Duration.hours(6).wholeMilliseconds
    private static let clockSlackMax = Observation.clockSlackMax.wholeMilliseconds
    /// Most spans kept: six hours of minutes.
    static let recentMax = 360
    /// How long an hour waits until it is learned from: a fall that began yesterday is not taken for usual.
    static let quarantineHours: Int64 = 24

    public init(_ need: Need) {
        self.need = need
        baseline = Baseline(need.summertime)
    }

    /// A new release is judged from its first span on, by what is usual for the app: as a whole, or for the release
    /// that is known longest. Its own level is soon found, for how far it may be off is said, too.
    public static func beginning(_ need: Need, after elders: [DropMemory]) -> DropMemory {
        var memory = DropMemory(need)
        var elder: DropMemory?
        for other in elders where other.isReady && other.baseline.hoursLearned > elder?.baseline.hoursLearned ?? 0 {
            elder = other
        }
        guard let elder else { return memory }
        memory.baseline = elder.baseline
        memory.baseline.handOn()
        memory.loops = elder.loops
        memory.grain = Grain(length: elder.grain.length)
        return memory
    }

    /// Where the smallest fall to be found is another now, what is usual is what it was, and so is how far the newest figures
    /// speak against it.
    public static func beginning(_ need: Need, from other: DropMemory) -> DropMemory? {
        guard other.need.metric == need.metric else { return nil }
        var memory = other
        memory.need = need
        memory.mark = other.mark.lookingFor(need.by, before: other.need.by)
        memory.score = other.score.lookingFor(need.by, before: other.need.by)
        memory.baseline.follow(need.summertime)
        memory.forgetTables()
        return memory
    }

    public mutating func add(_ observation: Observation) { _ = takesIn(observation) }

    /// Takes in an observation; gives back whether it changed anything.
    mutating func takesIn(_ observation: Observation) -> Bool {
        guard isTimely(observation.seen.milliseconds), observation.isComplete, let share = share(observation.metrics)
        else { return false }
        var bucket = Bucket(
            from: observation.span.from.milliseconds, to: observation.span.to.milliseconds,
            bad: share.total - share.hits, total: share.total, seen: observation.seen.milliseconds)
        guard fits(bucket) else { return false }
        leaveOutLoops(of: observation.metrics, &bucket)
        return take(bucket)
    }

    /// A user who starts the app again and crashes again is a trouble of one. Where it is known how many users crashed
    /// in the very same span, what is far more than they usually cause does not count, and neither does what the same
    /// user causes in the next ones.
    private mutating func leaveOutLoops(of metrics: Metrics, _ bucket: inout Bucket) {
        guard search.value?.metric == .crashFreeSessions, let users = metrics[.crashedUsers], users >= 0,
            users <= bucket.total
        else { return }
        var loop = CrashLoop()
        for known in recent where known.counted < known.bad && known.to <= bucket.from {
            loop.note(Moment(milliseconds: known.from))
        }
        let (each, from) = (loops.each, Moment(milliseconds: bucket.from))
        bucket.counted = loop.counted(bucket.bad, ofUsers: users, each: each, since: from)
        guard bucket.from >= score.until else { return }
        // By itself: a source that knows no users of its sessions must not look like one long loop.
        var alone = CrashLoop()
        loops.learn(alone.counted(bucket.bad, ofUsers: users, each: each, since: from), of: users)
    }

    /// Whether the source says how many users crashed, so that loops are left out; else a loop may be among the cases.
    private var knowsUsers: Bool { loops != .usual }

    /// The share behind the rate. Of nobody nothing can be said, but the time has passed.
    private mutating func share(_ metrics: Metrics) -> Share? {
        if search.value == nil { search.value = MetricSearch(Metric(need.metric)) }
        guard let found = search.value?.find(metrics) else { return nil }
        guard let figure = found.figure else { return Share(hits: 0, of: 0) }
        guard let share = figure.share else { return nil }
        return share.hits >= 0 && share.hits <= share.total && share.total.isFinite ? share : nil
    }

    // MARK: - Which spans are taken

    /// Whether this was seen after the newest span, as far as clocks agree.
    ///
    /// A wall clock that was ahead has left spans behind that have not been yet: when it is back, they go, or nothing
    /// true would fit. A single old sight is passed over: it may have lain somewhere.
    private mutating func isTimely(_ seen: Int64) -> Bool {
        let limit = seen + DropMemory.clockSlackMax
        guard score.until > limit else {
            behind = 0
            return true
        }
        behind += 1
        guard behind >= DropMemory.behindEnough else { return false }
        behind = 0
        recent.removeAll { $0.to > limit }
        hours.removeAll { $0.hour >= limit.hour }
        if mark.until > limit { mark = DropScore() }
        if let last = stayed, last > limit { stayed = nil }
        rescore()
        return true
    }

    /// So many sights running from before the newest span show that the clock was set back.
    static let behindEnough = 3

    /// Whether a span is about as long as those taken so far, or the first of those that are taken from now on.
    private mutating func fits(_ bucket: Bucket) -> Bool {
        switch grain.note(bucket, after: score.until) {
        case .alike: return true
        case .odd: return false
        case .anew:
            beginAnew()
            return true
        }
    }

    private mutating func beginAnew() {
        recent.removeAll()
        mark = DropScore()
        score = DropScore()
        baseline.noise = Noise()
        forgetTables()
        // Rates of sessions are the same whatever the span.
        guard !Metric(need.metric).adds else { return }
        hours.removeAll()
        baseline = Baseline(need.summertime)
    }

    private mutating func take(_ bucket: Bucket) -> Bool {
        guard let newest = recent.last, bucket.from < newest.to else { return append(bucket) }
        guard bucket.from >= mark.until, newest.to - bucket.to < DropMemory.correctionsLast else {
            return false
        }
        let place = recent.firstIndex { $0.to > bucket.from } ?? recent.count
        let known = recent[place]
        if known.from == bucket.from, known.to == bucket.to {
            guard known.seen <= bucket.seen else { return false }
            recent[place] = bucket
            guard known.counted != bucket.counted || known.total != bucket.total else { return false }
            pool(bucket, bad: bucket.counted - known.counted, total: bucket.total - known.total)
        } else {
            guard bucket.to <= known.from else { return false }
            recent.insert(bucket, at: place)
            pool(bucket, bad: bucket.counted, total: bucket.total)
        }
        // What came after it is weighed again.
        rescore()
        letGo(before: Int64.min)
        return true
    }

    private mutating func append(_ bucket: Bucket) -> Bool {
        guard bucket.from >= mark.until else { return false }
        recent.append(bucket)
        pool(bucket, bad: bucket.counted, total: bucket.total)
        learn(until: bucket.to)
        weigh(bucket, in: \.score, with: \.table)
        acceptWhatStays(seen: bucket.seen)
        letGo(before: bucket.to - DropMemory.correctionsLast)
        return true
    }

    /// Spans that ended by then, and those that are too many, cannot be corrected any more: they become part of the mark.
    private mutating func letGo(before horizon: Int64) {
        var gone = 0
        while gone < recent.count - 1, recent[gone].to <= horizon || recent.count - gone > DropMemory.recentMax {
            let wasSuspicious = mark.isSuspicious
            weigh(recent[gone], in: \.mark, with: \.markTable)
            if wasSuspicious || !baseline.isReady {
                baseline.noise.pause()
            } else if let usual = markTable.value?.usual {
                learnNoise(at: gone, usual)
            }
            gone += 1
        }
        if gone > 0 { recent.removeFirst(gone) }
    }

    private mutating func rescore() {
        score = mark
        for bucket in recent { weigh(bucket, in: \.score, with: \.table) }
    }

    private mutating func weigh(
        _ bucket: Bucket, in score: WritableKeyPath<DropMemory, DropScore>,
        with table: WritableKeyPath<DropMemory, Scratch<DropTable>>
    ) {
        guard baseline.isReady else {
            self[keyPath: score].pass(bucket)
            return
        }
        let hour = bucket.hour
        let current: DropTable
        if let known = self[keyPath: table].value, known.hour == hour {
            current = known
        } else {
            current = DropTable(
                hour: hour, baseline, by: need.by,
                loopsGoOn: Metric(need.metric) == .crashFreeSessions && !knowsUsers)
            self[keyPath: table].value = current
        }
        self[keyPath: score].add(bucket, current)
    }

    private mutating func forgetTables() {
        table.value = nil
        markTable.value = nil
    }

    // MARK: - Learning

    private mutating func pool(_ bucket: Bucket, bad: Double, total: Double) {
        let hour = bucket.hour
        let index = hours.lastIndex { $0.hour <= hour }
        if let index, hours[index].hour == hour {
            hours[index].bad = max(0, hours[index].bad + bad)
            hours[index].total = max(hours[index].bad, hours[index].total + total)
        } else if hour > baseline.learnedUntil {
            hours.insert(Hour(hour: hour, bad: bad, total: total), at: index.map { $0 + 1 } ?? 0)
        }
    }

    /// Learns from the hours that have waited long enough, but for those in which something was wrong.
    private mutating func learn(until now: Int64) {
        let ripe = (now - 1).hour - DropMemory.quarantineHours
        var gone = 0
        while gone < hours.count, hours[gone].hour <= ripe {
            baseline.learn(hours[gone], isUsual: !score.excludes(hours[gone].hour))
            gone += 1
        }
        guard gone > 0 else { return }
        hours.removeFirst(gone)
        forgetTables()
    }

    /// A span that began no suspicion, or was the first of one, shows by how much counts vary: what rings for one span
    /// alone is noise, too.
    private mutating func learnNoise(at place: Int, _ usual: Double) {
        let bucket = recent[place]
        guard recent[place + 1].from - bucket.to < Grain.lengthMax else {
            baseline.noise.pause()
            return
        }
        // Two are nearer to the level than one, and still near in time.
        let next = recent[(place + 1)...].prefix(2)
        let share = 1 / Double(next.count)
        baseline.noise.learn(
            Baseline.Sums(bad: bucket.counted, expected: bucket.total * usual),
            next: Baseline.Sums(
                bad: next.reduce(0) { $0 + $1.counted } * share,
                expected: next.reduce(0) { $0 + $1.total } * share * usual))
    }

    /// What has been otherwise for a fortnight is how it is now: somebody was told, and it has stayed.
    private mutating func acceptWhatStays(seen: Int64) {
        guard let lasted = score.suspicion?.lasted, lasted >= DropMemory.acceptedAfterDays else { return }
        stayed = seen
        score.clear()
        mark.clear()
        baseline.levelAnew()
        forgetTables()
    }

    /// After so many days a lasting fall is taken for the new usual.
    static let acceptedAfter = Duration.days(14)
    private static let acceptedAfterDays = acceptedAfter.inSeconds / 86_400
}

extension DropMemory.Bucket {
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

/// Something computed that may be forgotten: it takes no part in comparing.
struct Scratch<Value: Sendable>: Hashable, Sendable {
    var value: Value?

    static func == (left: Scratch, right: Scratch) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
