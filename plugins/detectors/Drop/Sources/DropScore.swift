internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The evidence that the rate of bad cases has risen, for falls of eight depths at once.
///
/// For each depth it is the Shiryaev-Roberts statistic: summed over all moments at which the fall could have begun, how
/// much likelier the counts since then are with it than without. While nothing has changed it grows on average by just
/// the time that passes, whatever the traffic and however often somebody looks. So it is measured in days, and it
/// reaches 90 days by chance once in 90 days at most, for as long as the usual rate and the noise are known (see
/// `DropTable`).
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
        /// The most evidence there was, in days.
        var peak = 0.0
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

    /// How good a guess each depth is. The deepest are seen at once even so, and take nothing from the others.
    private static let weights: Depths = {
        var weights = Depths(1, 1, 1, 1, 0.5, 0.25, 0.125, 0.0625)
        weights /= weights.sum()
        return weights
    }()
    /// From here on nothing is learned. Rules fire later, at two fifths of 15 days or more: see `DropMemory.rarityMin`.
    static let suspicious = 6.0
    /// What was no more than this was chance once it is over, and its hours are learned from like others. Without them
    /// a small app would learn too low a rate, from the hours alone in which it was lucky.
    private static let memorable = 24.0
    private static let unsuspicious = 0.7
    /// The evidence for the usual rate that ends a suspicion: e to the fifth to one.
    private static let calmEnough = 5.0
    /// For the end of a suspicion counts are taken to vary at most so many times as much as by chance: twice the noise of
    /// the noisiest apps that are known.
    private static let noiseMax = 4.0
    /// More is as good as certain; and the less there is, the sooner it is over.
    private static let most = 1e5
    private static let excludedMax = 16

    /// All depths together, in days.
    var total: Double { (days * DropScore.weights).sum() }

    /// The evidence for falls that are at least about so deep, in days.
    func total(atLeast depth: Double, of by: Double) -> Double {
        var (sum, here) = (0.0, by * DropTable.first)
        for index in 0..<8 {
            // A depth stands for all those from it to the next.
            if here * 2 > depth { sum += days[index] * DropScore.weights[index] }
            here *= 2
        }
        return sum
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
        let factors = table.likelihoods(bad: bucket.counted, of: bucket.total)
        let length = Double(bucket.to - bucket.from) / 86_400_000
        days = (days + length) * factors
        moments = (moments + length * (Double(bucket.from) / 86_400_000)) * factors
        for index in 0..<8 where days[index] > DropScore.most {
            moments[index] *= DropScore.most / days[index]
            days[index] = DropScore.most
        }
        watch(bucket, factors, table, length)
    }

    private mutating func watch(
        _ bucket: DropMemory.Bucket, _ factors: Depths, _ table: DropTable, _ length: Double
    ) {
        let total = total
        var current: Suspicion
        if let known = suspicion {
            current = known
            if total >= DropScore.suspicious {
                current.depth = max(current.depth, leading)
                current.since = min(current.since, onset)
            }
            current.lasted += length
            current.peak = max(current.peak, total)
            // Against half the depth: a fall that has halved is not over.
            let half = max(0, current.depth - 1)
            let calm = -log(max(factors[half], 1e-40))
            // An app that is thought to be so noisy that nothing says anything is as usual all the same once it is.
            let plain = table.plainCalm(bad: bucket.counted, of: bucket.total, half) / DropScore.noiseMax
            current.calm = max(0, current.calm + (plain > 0 ? max(calm, plain) : calm))
        } else if total >= DropScore.suspicious {
            current = Suspicion(since: onset, depth: leading, peak: total)
        } else {
            return
        }
        suspicion = current
        guard current.calm >= DropScore.calmEnough || total < DropScore.unsuspicious else { return }
        let first = Int64((current.since * 24).rounded(.down).clamped(to: -1e8...1e8)) - 1
        clear()
        let last = (until - 1).hour
        if first <= last, current.peak >= DropScore.memorable { excluded.append(first...last) }
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
