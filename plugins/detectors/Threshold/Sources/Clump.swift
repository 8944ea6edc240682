internal import PluginKit

/// Bad cases of one short stretch that stand out from the rest of the window, as those of one user do who starts a
/// crashing app again and again.
///
/// A fall goes on: in the next stretch the others are bad as well, and nothing stands out any more. One loop is over by
/// then. So for the question whether the figures can carry an alarm what stands out is left out, up to as many cases as
/// one loop is likely to have; more than that is no loop, and counts at once.
///
/// Measured with `scripts/bench signal`: at 500 users a day on sessions every false alarm of this rule had been one such
/// stretch.
struct Clump {
    /// How many bad cases stand out.
    let excess: Double
    /// All bad cases of the stretch.
    let bad: Double
    let span: TimeSpan

    /// Of fewer stretches none can be said to stand out: it may be where a fall began.
    private static let stretchesMin = 4
    /// What is usual beside the mean of the others, which are few and often have none at all.
    private static let usual = (cases: 2.0, timesMean: 3.0)
    /// Loops have five on average and go on by four chances in five, as `drop` takes them: one in eighty is longer.
    private static let casesMax = 20.0

    init?(in stretches: [(span: TimeSpan, share: Share)], bad: (Share) -> Double) {
        guard stretches.count >= Clump.stretchesMin else { return nil }
        var (sum, worst) = (0.0, 0.0)
        var span = stretches[0].span
        for stretch in stretches {
            let bad = bad(stretch.share)
            sum += bad
            if bad > worst { (worst, span) = (bad, stretch.span) }
        }
        let mean = (sum - worst) / Double(stretches.count - 1)
        let excess = worst - Clump.usual.cases - Clump.usual.timesMean * mean
        guard excess > 0 else { return nil }
        self.excess = min(excess, Clump.casesMax)
        self.bad = worst
        self.span = span
    }
}
