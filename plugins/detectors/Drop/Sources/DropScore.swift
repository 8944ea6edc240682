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
        /// How far the newest spans speak for the usual rate, as a logarithm: 0 where it is as likely to go on.
        var calm = 0.0
        /// The spans since then that were seen, in days.
        var lasted = 0.0
        /// The most evidence there was, in days.
        var peak = 0.0
        /// How deep it is.
        var fall = Excess()
        /// The same of the spans that may come after its end: they count once it is clear that they do not.
        var pending = Excess()
        /// The evidence that it is over, in days: as counts are thought to vary, and as the noisiest do.
        var over = Over()
    }

    /// The bad cases that are too many, of how many cases.
    struct Excess: Hashable, Sendable {
        var bad = 0.0
        var total = 0.0
    }

    /// The Shiryaev-Roberts statistic turned round: summed over all moments at which the fall could have ended, how much
    /// likelier the counts since then are without it. While it goes on, it grows on average by no more than the time
    /// that passes, however often somebody looks, so it reaches 20 days at most once in 20.
    struct Over: Hashable, Sendable {
        var days = 0.0
        var plainDays = 0.0

        /// Either may be right. Each is half of the bet.
        var total: Double { (days + plainDays) / 2 }
    }

    /// For each depth, in days.
    var days = Depths.zero
    /// The same with each moment of beginning weighed in, in days since 1970.
    var moments = Depths.zero
    /// The end of the newest span, in milliseconds since 1970.
    var until = Moment.earliest.milliseconds
    /// The chance that one user's loop was among the newest span's cases.
    var loop = 0.0
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
    /// The evidence that a fall is over, in days: so rarely one that goes on is said to be over.
    private static let overEnough = 20.0
    /// Each end is weighed against a fall of this share of the depth there was: one that has halved is not over. With 0.6,
    /// a release that went from 2.8 to 1.8 times the usual crashes was said to be over.
    private static let overShare = 0.5
    /// But not less than this share of the shallowest that is looked for, or a false alarm would hardly end.
    private static let overLeast = 1.0 / 3
    /// How deep a fall is thought to be when it is noticed (half of what there is most evidence for, for luck is in
    /// that) weighs as much as so many cases.
    private static let fallWeight = 3.0
    /// A fall is as deep as it was in the last so many days.
    private static let fallDays = 1.0
    /// For the end of a suspicion counts are taken to vary at most so many times as much as by chance: twice the noise of
    /// the noisiest apps that are known.
    private static let noiseMax = 4.0
    /// More is as good as certain; and the less there is, the sooner it is over.
    private static let most = 1e5
    /// How long a loop goes on on average, in milliseconds.
    private static let loopLasts = Double(CrashLoop.usual.wholeMilliseconds)
    private static let excludedMax = 16
    /// What begins again within so many hours had not ended: they are not learned from.
    private static let soon: Int64 = 6

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

    /// The same evidence where falls are looked for from another depth on: what is known of a depth counts for the nearest.
    ///
    /// - Parameters:
    ///   - by: the smallest fall to be found, as a fraction.
    ///   - known: the smallest that was to be found.
    func lookingFor(_ by: Double, before known: Double) -> DropScore {
        let steps = Int(log2(by / known).rounded().clamped(to: -8...8))
        var score = self
        for depth in 0..<8 {
            let source = depth + steps
            score.days[depth] = (0..<8).contains(source) ? days[source] : 0
            score.moments[depth] = (0..<8).contains(source) ? moments[source] : 0
        }
        if let depth = suspicion?.depth { score.suspicion?.depth = (depth - steps).clamped(to: 0...7) }
        return score
    }

    /// The end of the newest span, in days since 1970.
    var now: Double { Double(until) / 86_400_000 }

    /// When the fall began, as far as can be told, in days since 1970.
    var onset: Double {
        let sum = days.sum()
        return sum > 0 ? moments.sum() / sum : now
    }

    /// Whether something was probably wrong in that clock hour, or in the one after it, or shortly before and after it.
    func excludes(_ hour: Int64) -> Bool {
        if let suspicion {
            if Double(hour + 2) / 24 >= suspicion.since { return true }
            // If it began soon after an end, that was none.
            if let end = excluded.last?.upperBound, hour > end,
                suspicion.since * 24 - Double(end) <= Double(DropScore.soon)
            {
                return true
            }
        }
        return excluded.contains { $0.contains(hour) }
    }

    /// Lets a span pass that nothing is known to compare with.
    mutating func pass(_ bucket: DropMemory.Bucket) { (until, loop) = (bucket.to, 0) }

    mutating func add(_ bucket: DropMemory.Bucket, _ table: DropTable) {
        let goesOn = chanceOfLoop(in: bucket, table)
        (until, loop) = (bucket.to, 0)
        // Of nobody nothing can be learned, and no time is spent in which something could have begun unseen.
        guard bucket.total > 0 else { return }
        let factors: Depths
        (factors, loop) = table.likelihoods(bad: bucket.counted, of: bucket.total, loop: goesOn)
        let length = Double(bucket.to - bucket.from) / 86_400_000
        days = (days + length) * factors
        moments = (moments + length * (Double(bucket.from) / 86_400_000)) * factors
        for index in 0..<8 where days[index] > DropScore.most {
            moments[index] *= DropScore.most / days[index]
            days[index] = DropScore.most
        }
        watch(bucket, table, length)
    }

    /// The chance that a loop of the span before goes on in this one.
    private func chanceOfLoop(in bucket: DropMemory.Bucket, _ table: DropTable) -> Double {
        guard loop > 0 else { return 0 }
        let most = CrashLoop.sessionsPerMinute * Double(bucket.to - bucket.from) / 60_000
        guard bucket.counted - bucket.total * table.usual <= most else { return 0 }
        return loop * exp(-Double(bucket.to - until) / DropScore.loopLasts)
    }

    private mutating func watch(_ bucket: DropMemory.Bucket, _ table: DropTable, _ length: Double) {
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
            weighEnd(of: &current, bucket, table, length)
        } else if total >= DropScore.suspicious {
            current = Suspicion(since: onset, depth: leading, peak: total)
            current.fall = Excess(
                bad: DropScore.fallWeight, total: DropScore.fallWeight / table.depths[max(0, leading - 1)])
        } else {
            return
        }
        suspicion = current
        let isChance = current.peak < DropScore.memorable && total < DropScore.unsuspicious
        guard isChance || current.over.total >= DropScore.overEnough else { return }
        clear()
        guard current.peak >= DropScore.memorable else { return }
        var first = Int64((current.since * 24).rounded(.down).clamped(to: -1e8...1e8)) - 1
        let last = (until - 1).hour
        guard first <= last else { return }
        if let known = excluded.last, first - known.upperBound <= DropScore.soon {
            first = min(first, known.lowerBound)
            excluded.removeLast()
        }
        excluded.append(first...last)
        if excluded.count > DropScore.excludedMax { excluded.removeFirst() }
    }

    /// Weighs how far a span speaks for the end of what is suspected.
    private func weighEnd(
        of suspicion: inout Suspicion, _ bucket: DropMemory.Bucket, _ table: DropTable, _ length: Double
    ) {
        let half = table.depths[max(0, suspicion.depth - 1)]
        let seen = suspicion.fall.bad / max(suspicion.fall.total, 1e-9) * DropScore.overShare
        let depth = min(half, max(seen, table.depths[0] * DropScore.overLeast))
        let calm = -log(max(table.likelihood(bad: bucket.counted, of: bucket.total, depth: depth), 1e-40))
        // An app that is thought to be so noisy that nothing says anything is as usual all the same once it is.
        let plain = table.plainCalm(bad: bucket.counted, of: bucket.total, depth: depth) / DropScore.noiseMax
        suspicion.over.days = min((suspicion.over.days + length) * exp(calm), DropScore.most)
        suspicion.over.plainDays = min((suspicion.over.plainDays + length) * exp(plain), DropScore.most)
        suspicion.calm = max(0, suspicion.calm + max(calm, plain))
        suspicion.pending.bad += bucket.counted - bucket.total * table.usual
        suspicion.pending.total += bucket.total
        let fade = max(0, 1 - length / DropScore.fallDays)
        suspicion.fall.bad *= fade
        suspicion.fall.total *= fade
        guard suspicion.calm == 0 else { return }
        suspicion.fall.bad += suspicion.pending.bad
        suspicion.fall.total += suspicion.pending.total
        suspicion.pending = Excess()
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
