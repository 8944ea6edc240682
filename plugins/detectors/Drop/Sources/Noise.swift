internal import PluginKit

/// By how much the counts of an app's spans vary beyond chance: the variance of a span that expects `e` bad cases is
/// e · (1 + clumps + rate · e).
///
/// Clumps come at any traffic: one user who starts the app again and crashes again. The rate of single spans moves for
/// causes that many users share, which shows the more the more users there are. Quiet and busy spans tell the two
/// apart.
///
/// Each span is compared with those before and those after it, by the product of both differences. On average that is
/// the variance of the span in the middle, whatever the level is and however it drifts, and nothing at the edge of a
/// fall, where one of the two differences is small. So one long loop counts in full, while a fall that nobody has
/// noticed counts for little. Only what no loop and no change of the rate by its double explains is cut: a wave of
/// crashes that is over in one span would make the rule deaf for a month.
struct Noise: Hashable, Sendable {
    /// The normal equations of the two shares: e and e² by what is left of the products when chance is taken away.
    struct Sums: Hashable, Sendable {
        var clumpsClumps = 0.0
        var clumpsRate = 0.0
        var rateRate = 0.0
        var clumps = 0.0
        var rate = 0.0
    }

    var sums = Sums()
    /// The spans before the next one to learn from: a mean in which each counts half as much again as the one before
    /// it.
    var before: Baseline.Sums?
    /// Both shares as they were when an hour was learned last. What is judged in an hour is judged by the same.
    var clumps = Noise.clumpsUsual
    var rate = 0.0

    // Tried on the simulated apps of Benchmarks/Sources/Signal.

    /// Before anything is known counts vary by 1.3 times chance, and that weighs as much as this many expected bad
    /// cases, whatever the traffic.
    private static let clumpsUsual = 0.3
    private static let weight = 30.0
    /// A month of spans of five minutes.
    private static let fade = 1 - 1.0 / 8640
    /// How much a span counts in the mean of those before the next.
    private static let newness = 1.0 / 3
    /// Bad cases of the longest loop that counts in full.
    private static let loopMax = 60.0
    /// Far beyond any app, so that nothing overflows.
    static let most = 1e6

    /// Learns from the span that comes after `before`.
    ///
    /// - Parameters:
    ///   - span: its bad cases, and how many were expected.
    ///   - next: the mean of those after it.
    mutating func learn(_ span: Baseline.Sums, next: Baseline.Sums) {
        guard let before else {
            before = span
            return
        }
        self.before = Baseline.Sums(
            bad: before.bad + (span.bad - before.bad) * Noise.newness,
            expected: before.expected + (span.expected - before.expected) * Noise.newness)
        guard span.expected > 0 else { return }
        let (first, middle, last) = (
            before.bad - before.expected, span.bad - span.expected, next.bad - next.expected
        )
        let expected = span.expected
        // What chance alone gives is taken from how many there are, for in a fall that nobody has noticed there are
        // more.
        let byChance =
            expected * (before.bad + span.bad + next.bad) / (before.expected + expected + next.expected)
        let most = max(Noise.loopMax * Noise.loopMax, expected * expected)
        let excess = ((middle - first) * (middle - last) - byChance).clamped(to: -most...most)
        // Up to one expected case spans weigh by cases, above it each for itself: the squares of more vary more.
        let weight = 1 / (1 + expected)
        let share = expected * weight
        sums.clumpsClumps = sums.clumpsClumps * Noise.fade + share
        sums.clumpsRate = sums.clumpsRate * Noise.fade + share * expected
        sums.rateRate = sums.rateRate * Noise.fade + share * expected * expected
        sums.clumps = sums.clumps * Noise.fade + excess * weight
        sums.rate = sums.rate * Noise.fade + excess * share
    }

    /// The next span comes after a gap, or after one that says nothing.
    mutating func pause() { before = nil }

    /// Takes what was learned for the shares: by least squares, neither below zero.
    mutating func settle() {
        let clumpsClumps = sums.clumpsClumps + Noise.weight
        let clumpsSum = sums.clumps + Noise.weight * Noise.clumpsUsual
        // That there is no noise in the rate is as sure as what is thought of clumps, at the counts that are usual
        // here.
        let usual = sums.clumpsRate / max(sums.clumpsClumps, 1e-6)
        let rateRate = sums.rateRate + Noise.weight * usual * usual + 1e-12
        let determinant = clumpsClumps * rateRate - sums.clumpsRate * sums.clumpsRate
        guard determinant > 0, determinant.isFinite else { return }
        var clumps = (clumpsSum * rateRate - sums.rate * sums.clumpsRate) / determinant
        var rate = (sums.rate * clumpsClumps - clumpsSum * sums.clumpsRate) / determinant
        if clumps < 0 { (clumps, rate) = (0, sums.rate / rateRate) }
        if rate < 0 { (clumps, rate) = (clumpsSum / clumpsClumps, 0) }
        self.clumps = clumps.clamped(to: 0...Noise.most)
        self.rate = rate.clamped(to: 0...Noise.most)
    }

    /// The variance of a span over that of chance.
    func dispersion(expected: Double) -> Double { 1 + clumps + rate * expected }
}
