internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// What all spans of a clock hour have in common: the usual rate, how counts vary, and which falls are looked for.
///
/// Counts are taken as compound: how many troubles there are is negative binomial, for the rate varies from span to
/// span, and each is one bad case or, rarely, a loop of them with a geometric tail. So a long loop is a rare accident
/// and no proof of a fall, though a plain negative binomial of the same variance would call it impossible. In a fall
/// there are more troubles of the same kind: the shape grows with the rate.
///
/// A loop may go on in the next span, which would be as rare an accident once more if spans knew nothing of each other.
/// So the chance that one does is handed from span to span where nothing else tells loops from falls.
struct DropTable: Hashable, Sendable {
    typealias Depths = DropScore.Depths

    let hour: Int64
    /// The usual rate of bad cases.
    let usual: Double
    /// The same, with what it may be wrong by on top: what a fall is measured against.
    let rate: Double
    /// How deep the falls are that are looked for, as fractions: somewhat less than `by`, and seven doublings.
    private(set) var depths = Depths.zero
    /// How many times the usual rate there is in a fall of each depth.
    private(set) var times = Depths.zero
    /// What loops do not explain of the noise: of clumps, and for each case that is expected.
    let scatter: Double
    let rateNoise: Double
    /// Of the troubles, those that are loops.
    let loops: Double
    /// Bad cases of a trouble on average.
    let size: Double
    /// Whether loops may last longer than a span.
    let loopsGoOn: Bool

    // Tried on the simulated apps of Benchmarks/Sources/Signal.

    /// How many deviations the usual rate is raised by. With less, false alarms of small apps are more than promised.
    private static let margin = 0.5
    /// The first depth as a share of `by`: a fall of just that depth is found sooner by one that is looked for below
    /// it.
    static let first = 0.6
    /// Bad cases in a loop on average, and how likely one more is.
    static let loopLength = 5.0
    private static let loopGoesOn = 1 - 1 / loopLength
    /// How much of the clumps is taken for loops; the rest is small.
    private static let loopsShare = 0.5
    /// No app is so good that no loop can come, and more than the most would have to be longer ones.
    private static let loopsRange = 0.02...4.0
    private static let scatterLeast = 1e-3
    /// Counts beyond this are taken in units of several cases: no rate is known so well that more would say more.
    private static let countMax = 128.0
    /// More troubles than this need not be told apart.
    private static let troublesMax = 800.0
    private static let evidenceMax = 1e43

    init(hour: Int64, _ baseline: Baseline, by: Double, loopsGoOn: Bool = false) {
        self.hour = hour
        self.loopsGoOn = loopsGoOn
        usual = baseline.rate(hour)
        rate = (usual * exp(DropTable.margin * baseline.deviation(hour))).clamped(to: 1e-7...0.9)
        let noise = baseline.noise
        rateNoise = noise.rate
        let looping = (noise.clumps * DropTable.loopsShare).clamped(to: DropTable.loopsRange)
        scatter = max(0, noise.clumps - looping)
        let more = DropTable.loopLength - 1
        loops = looping / (more * (2 * DropTable.loopLength - looping))
        size = 1 + loops * more
        var depth = by * DropTable.first
        for index in 0..<8 {
            // Nothing falls below zero: deeper ones are looked for as far as there is room.
            depths[index] = min(depth, 0.95 - rate)
            times[index] = 1 + depths[index] / rate
            depth *= 2
        }
    }

    /// How far so many bad cases speak for the usual rate and against a fall of a depth, as a logarithm, where counts
    /// vary by chance alone.
    func plainCalm(bad: Double, of total: Double, depth: Double) -> Double {
        total * depth - bad * log(1 + depth / rate)
    }

    /// How much likelier so many bad cases are with a fall of that depth than without.
    func likelihood(bad: Double, of total: Double, depth: Double) -> Double {
        likelihoods(bad: bad, of: total, loop: 0, times: Depths(repeating: 1 + depth / rate)).factors[0]
    }

    /// For each depth, how much likelier so many bad cases are with such a fall than without; and the chance that a loop
    /// is among them, without a fall, where it may go on.
    ///
    /// - Parameter loop: the chance that a loop of the span before goes on in this one.
    func likelihoods(bad: Double, of total: Double, loop: Double) -> (factors: Depths, loop: Double) {
        likelihoods(bad: bad, of: total, loop: loop, times: times)
    }

    private func likelihoods(
        bad: Double, of total: Double, loop: Double, times: Depths
    ) -> (factors: Depths, loop: Double) {
        var (count, expected) = (bad, total * rate)
        var spread = (scatter + rateNoise * expected) / size
        let units = (max(count, expected) / DropTable.countMax).rounded(.up)
        if units > 1 {
            count /= units
            expected /= units
            spread = max(0, (1 + scatter) / units - 1 + rateNoise * expected) / size
        }
        spread = max(spread, DropTable.scatterLeast)
        let troubles = expected / size
        let shape = troubles / spread
        let odds = spread / (1 + spread)
        let times = pointwiseMin(times, Depths(repeating: DropTable.troublesMax / troubles))
        // Of no bad case at all.
        let exponents = (times - 1) * (-shape * log1p(spread))
        var result = Depths.zero
        for index in 0..<8 { result[index] = exp(exponents[index]) }
        let last = Int(count.rounded())
        guard last > 0 else { return (result, 0) }
        // Panjer's recursion, for all depths and for no fall; what both have in common is left out.
        let steps = (times * shape - 1) * odds
        let step = (shape - 1) * odds
        let (one, more) = (1 - loops, loops / DropTable.loopLength)
        // The same for no fall and no loop.
        var single = 1.0
        var (here, sums, weighted) = (Depths(repeating: 1), Depths.zero, Depths.zero)
        var (usual, usualSum, usualWeighted) = (1.0, 0.0, 0.0)
        for number in 1...last {
            let share = 1 / Double(number)
            sums = sums * DropTable.loopGoesOn + here
            weighted = weighted * DropTable.loopGoesOn + sums
            let part = steps * share
            here = (part + odds) * here * one + (sums * odds + part * weighted) * more
            usualSum = usualSum * DropTable.loopGoesOn + usual
            usualWeighted = usualWeighted * DropTable.loopGoesOn + usualSum
            let usualPart = step * share
            usual = (usualPart + odds) * usual * one + (usualSum * odds + usualPart * usualWeighted) * more
            single *= (usualPart + odds) * one
        }
        // The sums are what a loop from before adds: geometric, and at least one.
        let (ended, goesOn) = (1 - loop, loop / DropTable.loopLength)
        here = here * ended + sums * goesOn
        usual = max(usual * ended + usualSum * goesOn, 1e-290)
        result *= here / usual
        return (
            pointwiseMin(result, Depths(repeating: DropTable.evidenceMax)),
            loopsGoOn ? loopChance(without: single * ended / usual, shape, spread) : 0
        )
    }

    /// How much likelier a loop is among the cases of a span than it always is among so many.
    ///
    /// - Parameter without: the chance that there is none, as the count has it.
    private func loopChance(without: Double, _ shape: Double, _ spread: Double) -> Double {
        let usually = exp(-shape * log1p(spread * loops))
        return max(0, 1 - without / max(usually, 1e-9))
    }
}
