internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The evidence that the rate of bad cases has risen, for falls of eight depths at once.
///
/// For each depth it is the Shiryaev-Roberts statistic: summed over all moments at which the fall could have begun, how much
/// likelier the counts since then are with it than without. While nothing has changed it grows on average by just the time
/// that passes, whatever the traffic and however often somebody looks. So it is measured in days, and it reaches 90 days
/// by chance once in 90 days at most, for as long as the usual rate is known. Counts are taken as negative binomial:
/// Poisson, with a rate that varies from span to span.
struct DropScore: Hashable, Sendable {
    typealias Depths = SIMD8<Double>

    /// A time in which something is probably wrong.
    struct Suspicion: Hashable, Sendable {
        /// When it began, in days since 1970.
        var since: Double
        /// The deepest fall there was most evidence for.
        var depth: Int
        /// How far the spans since then speak for the usual rate, as a logarithm.
        var calm = 0.0
        /// The spans since then that were seen, in days.
        var lasted = 0.0
    }

    /// For each depth, in days.
    var days = Depths.zero
    /// The same with each moment of beginning weighed in, in days since 1970.
    var moments = Depths.zero
    /// The end of the newest span, in milliseconds since 1970.
    var until = Moment.earliest.milliseconds
    var suspicion: Suspicion?
    /// The clock hours that are not learned from.
    var excluded: [ClosedRange<Int64>] = []

    /// Every depth is as good a guess as any other.
    private static let weight = 1.0 / 8
    /// From here on nothing is learned. Rules fire later, at a third of 15 days or more: see `DropMemory.rarityMin`.
    static let suspicious = 5.0
    private static let unsuspicious = 0.7
    /// The evidence for the usual rate that ends a suspicion: e to the fifth to one.
    private static let calmEnough = 5.0
    /// More is as good as certain; and the less there is, the sooner it is over.
    private static let most = 1e5
    private static let excludedMax = 16

    /// All depths together, in days.
    var total: Double { days.sum() * DropScore.weight }

    /// The evidence for falls that are at least about so deep, in days.
    func total(atLeast depth: Double, of by: Double) -> Double {
        var (sum, here) = (0.0, by)
        for index in 0..<8 {
            // A depth stands for all those from it to the next.
            if here * 2 > depth { sum += days[index] }
            here *= 2
        }
        return sum * DropScore.weight
    }

    var isSuspicious: Bool { suspicion != nil }

    /// The end of the newest span, in days since 1970.
    var now: Double { Double(until) / 86_400_000 }

    /// When the fall began, as far as can be told, in days since 1970.
    var onset: Double {
        let sum = days.sum()
        return sum > 0 ? moments.sum() / sum : now
    }

    /// Whether something was probably wrong in that clock hour, or in the one after it.
    func excludes(_ hour: Int64) -> Bool {
        if let suspicion, Double(hour + 2) / 24 >= suspicion.since { return true }
        return excluded.contains { $0.contains(hour) }
    }

    /// Lets a span pass that nothing is known to compare with.
    mutating func pass(_ bucket: DropMemory.Bucket) { until = bucket.to }

    mutating func add(_ bucket: DropMemory.Bucket, _ table: DropTable) {
        until = bucket.to
        // Of nobody nothing can be learned, and no time is spent in which something could have begun unseen.
        guard bucket.total > 0 else { return }
        let base = table.shape + bucket.total * table.rate
        let weight = table.shape + bucket.bad
        let extra = table.depths * (bucket.total / base)
        var gains = table.logs * bucket.bad
        var factors = Depths.zero
        for index in 0..<8 {
            gains[index] -= weight * log1p(extra[index])
            factors[index] = exp(min(gains[index], 100))
        }
        let length = Double(bucket.to - bucket.from) / 86_400_000
        days = (days + length) * factors
        moments = (moments + length * (Double(bucket.from) / 86_400_000)) * factors
        for index in 0..<8 where days[index] > DropScore.most {
            moments[index] *= DropScore.most / days[index]
            days[index] = DropScore.most
        }
        watch(gains, length)
    }

    private mutating func watch(_ gains: Depths, _ length: Double) {
        let total = total
        var current: Suspicion
        if let known = suspicion {
            current = known
            if total >= DropScore.suspicious {
                current.depth = max(current.depth, leading)
                current.since = min(current.since, onset)
            }
            current.lasted += length
            // Against half the depth: a fall that has halved is not over.
            current.calm = max(0, current.calm - gains[max(0, current.depth - 1)])
        } else if total >= DropScore.suspicious {
            current = Suspicion(since: onset, depth: leading)
        } else {
            return
        }
        suspicion = current
        guard current.calm >= DropScore.calmEnough || total < DropScore.unsuspicious else { return }
        let first = Int64((current.since * 24).rounded(.down).clamped(to: -1e8...1e8)) - 1
        clear()
        let last = (until - 1).hour
        if first <= last { excluded.append(first...last) }
        if excluded.count > DropScore.excludedMax { excluded.removeFirst() }
    }

    /// Begins anew: nothing is suspected.
    mutating func clear() {
        suspicion = nil
        days = .zero
        moments = .zero
    }

    /// The depth that there is most evidence for.
    private var leading: Int {
        var best = 0
        for index in 1..<8 where days[index] > days[best] { best = index }
        return best
    }
}

/// What all spans of a clock hour have in common: the usual rate, and what a case counts for.
struct DropTable: Hashable, Sendable {
    let hour: Int64
    /// The usual rate of bad cases.
    let usual: Double
    /// The same, with what it may be wrong by on top: what a fall is measured against.
    let rate: Double
    /// How deep the falls are that are looked for, as fractions: `by` and seven doublings.
    private(set) var depths = DropScore.Depths.zero
    /// By how much a bad case speaks for a fall of each depth.
    private(set) var logs = DropScore.Depths.zero
    /// The reciprocal of the noisiness: the shape of the negative binomial distribution.
    let shape: Double

    /// How many deviations the usual rate is raised by. With less, false alarms of small apps are more than promised.
    private static let margin = 0.45

    init(hour: Int64, _ baseline: Baseline, by: Double) {
        self.hour = hour
        usual = baseline.rate(hour)
        rate = (usual * exp(DropTable.margin * baseline.deviation(hour))).clamped(to: 1e-7...0.9)
        shape = 1 / baseline.noisiness
        var depth = by
        for index in 0..<8 {
            // Nothing falls below zero: deeper ones are looked for as far as there is room.
            depths[index] = min(depth, 0.95 - rate)
            logs[index] = log1p(depths[index] / rate)
            depth *= 2
        }
    }
}
