#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What a clock hour has in common for all its spans: the usual rate, and the logarithms that a case counts for.
struct DropTable: Hashable, Sendable {
    var hour = Int64.min
    var revision = -1
    var plainRate = 0.0
    /// The usual rate with its uncertainty on top.
    var rate = 0.0
    /// How deep the falls are that are looked for, as fractions: `by` and seven doublings.
    var depths = SIMD8<Double>.zero
    /// By how much a bad case speaks for a fall of each depth.
    var logs = SIMD8<Double>.zero
    /// 1 over the noisiness.
    var shape = 0.0

    init() {}

    init(hour: Int64, _ baseline: Baseline, by: Double) {
        self.hour = hour
        revision = baseline.revision
        plainRate = baseline.rate(hour)
        rate = min(0.9, max(1e-6, plainRate * exp(Baseline.Tuning.margin * baseline.deviation(hour))))
        shape = 1 / baseline.noisiness
        var depth = by
        for index in 0..<8 {
            depths[index] = min(depth, 0.95 - rate)
            logs[index] = log1p(max(0, depths[index]) / rate)
            depth *= 2
        }
    }
}

/// The evidence that the rate of bad cases has risen, for falls of eight depths at once.
///
/// For each depth it is the Shiryaev-Roberts statistic: the sum over all moments at which the fall could have begun, of how
/// much likelier the counts since then are with it than without. While nothing has changed it grows by the time that
/// passes, on average, whatever the traffic; so it is measured in days, and "it reaches 90 days" happens by chance once in 90
/// days at most. Counts are taken as negative binomial: Poisson, with a rate that varies from span to span.
struct DropScore: Hashable, Sendable {
    /// For each depth, in days.
    private(set) var days = SIMD8<Double>.zero
    /// The same, each moment of beginning weighed with itself: days since 1970.
    private(set) var moments = SIMD8<Double>.zero
    /// The end of the newest span.
    private(set) var until = Int64.min
    private(set) var suspicion: Suspicion?
    /// The spans that are not learned from, as clock hours.
    private(set) var excluded: [ClosedRange<Int64>] = []

    /// A time in which something is probably wrong.
    struct Suspicion: Hashable, Sendable {
        var since: Double
        /// The deepest fall there was evidence for.
        var depth: Int
        /// How far the newest spans speak for the usual rate.
        var calm = 0.0
    }

    enum Tuning {
        nonisolated(unsafe) static var weights = SIMD8<Double>(1, 1, 1, 1, 1, 1, 1, 1) / 8
        static let suspicious = 7.0
        static let unsuspicious = 1.0
        static let calmEnough = 5.0
        static let most = 1e5
        static let excludedMax = 16
    }

    /// All depths together, in days.
    var total: Double { (days * Tuning.weights).sum() }

    var isSuspicious: Bool { suspicion != nil }

    func excludes(_ hour: Int64) -> Bool {
        if let suspicion, Double(hour + 1) / 24 >= suspicion.since - 1.0 / 24 { return true }
        return excluded.contains { $0.contains(hour) }
    }

    mutating func add(_ bucket: History.Bucket, _ table: DropTable, _ isReady: Bool) {
        until = bucket.to
        guard isReady else { return }
        let expected = bucket.total * table.rate
        let extra = table.depths * bucket.total
        let base = table.shape + expected
        let weight = table.shape + bucket.bad
        var gains = table.logs * bucket.bad
        var factors = SIMD8<Double>.zero
        for index in 0..<8 {
            gains[index] -= weight * log1p(extra[index] / base)
            factors[index] = exp(gains[index])
        }
        let length = Double(bucket.to - bucket.from) / 86_400_000
        let begin = Double(bucket.from) / 86_400_000
        days = (days + length) * factors
        moments = (moments + length * begin) * factors
        for index in 0..<8 where days[index] > Tuning.most {
            moments[index] *= Tuning.most / days[index]
            days[index] = Tuning.most
        }
        watch(gains)
    }

    private var leading: Int {
        let weighted = days * Tuning.weights
        var best = 0
        for index in 1..<8 where weighted[index] > weighted[best] { best = index }
        return best
    }

    /// When the fall began, as far as can be told: days since 1970.
    var onset: Double { (moments * Tuning.weights).sum() / max((days * Tuning.weights).sum(), 1e-300) }

    private mutating func watch(_ gains: SIMD8<Double>) {
        let total = total
        guard var current = suspicion else {
            if total >= Tuning.suspicious { suspicion = Suspicion(since: onset, depth: leading) }
            return
        }
        if total >= Tuning.suspicious { 
            current.depth = max(current.depth, leading)
            current.since = min(current.since, onset)
        }
        current.calm = max(0, current.calm - gains[max(0, current.depth - 1)])
        suspicion = current
        guard current.calm >= Tuning.calmEnough || total < Tuning.unsuspicious else { return }
        suspicion = nil
        let first = Int64((current.since * 24).rounded(.down)) - 1
        let last = (until - 1).hour
        if first <= last { excluded.append(first...last) }
        if excluded.count > Tuning.excludedMax { excluded.removeFirst() }
        days = .zero
        moments = .zero
    }
}
