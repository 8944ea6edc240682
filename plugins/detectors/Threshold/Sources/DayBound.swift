internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// How surprising a share of bad cases is, counting every check of a day.
///
/// One check asks for the exact binomial tail: the chance that at least `bad` of `total` cases are bad when each is
/// with the rate of the limit (the one-sided test behind the Clopper-Pearson bound). It is exact at a hundred cases and
/// at a million, where the Wilson interval is only near, and errs to the quiet side: with few cases Wilson's true
/// confidence drops below its name, which is just where false alarms at night come from.
///
/// But the bot checks again and again, and one bound per check would fire every few days. So the chance of *any* alarm
/// in a day is bounded, by the smaller of two sums that both hold whatever the overlap of the spans:
///
/// - the number of such checks in a day times the chance of one (Boole), where a check counts for the time since the
///   one before it;
/// - the expected number of times that the count in a window sliding over the day reaches `bad`. The count rises only
///   when a case arrives that is bad while the one that leaves is not, so with `b` the binomial density that is
///   P(start) + (day / span) · bad · (1 − rate) · b(bad). It holds however often the bot checks.
///
/// All of that is for cases that go wrong each for itself. Those of real apps come in clumps: one user starts the app
/// again and crashes again, one service fails many at once. Counts whose variance is so many times that of chance say
/// as much as so many times fewer cases, so both counts are divided by it (the design effect of sample surveys).
struct DayBound {
    let bad: Double
    let total: Double
    let span: Duration
    let checksPerDay: Double
    /// The variance of counts as a multiple of what chance alone gives.
    var dispersion = 1.0

    /// Whether it is more than one case. One alone is no trouble of an app, however seldom there should be any: at limits
    /// near to perfect it would be a surprise all the same.
    var isSeveral: Bool { bad.rounded() >= 2 }

    /// Whether the chance of such a day at that rate of bad cases is at most `chance`.
    func isExceeded(atRate rate: Double, chance: Double) -> Bool {
        chanceOfSuchADay(atRate: rate) <= chance
    }

    /// The largest rate of bad cases at which such a day would still be a surprise: what the rate is at least.
    func leastRate(chance: Double) -> Double {
        guard total > 0, bad > 0 else { return 0 }
        let day = Day(self)
        guard day.hits > 0 else { return 0 }
        // The logarithm of the chance rises in that of the rate, less and less. So a tangent (Newton) never leads beyond
        // where it is what is asked for, and each comes nearer by twice the digits.
        var (low, high) = (0.0, bad / total)
        var rate = high * exp(-DayBound.usualDistance / day.hits.squareRoot())
        for _ in 0..<DayBound.stepsMax where high - low > high * DayBound.grain {
            let (value, slope) = day.chance(atRate: rate)
            let distance = log(value) - log(chance)
            if distance <= 0 { low = max(low, rate) } else { high = min(high, rate) }
            let next = rate * exp(-distance * value / slope)
            if abs(next - rate) <= rate * DayBound.grain { return next }
            // Where nothing rises any more, or all is lost in the grain of a double, halves lead back.
            rate = next > low && next < high ? next : (low + high) / 2
        }
        return low
    }

    /// In steps of the deviation: where the bound of most days is about.
    private static let usualDistance = 4.0
    /// As many halvings bring it below the grain of a double; a tenth as many steps are usual.
    private static let stepsMax = 60
    /// Far below what the counts carry: see the precision of the logarithms in `Binomial`.
    private static let grain = 1e-12

    /// An upper bound on the chance that a day at that rate shows so many bad cases in any check.
    func chanceOfSuchADay(atRate rate: Double) -> Double {
        guard total.rounded() > 0, bad.rounded() > 0 else { return 1 }
        guard rate > 0 else { return 0 }
        return Day(self).chance(atRate: rate).value
    }

    /// The counts as they count, and what no rate changes.
    private struct Day {
        let hits: Double
        let trials: Double
        private let tail: Binomial.Tail
        private let checks: Double
        private let windows: Double

        init(_ bound: DayBound) {
            trials = bound.total.rounded() / bound.dispersion
            hits = bound.bad.rounded() / bound.dispersion
            tail = Binomial.Tail(hits, of: trials)
            checks = Swift.max(1, bound.checksPerDay)
            windows = Swift.max(1, Duration.days(1).inSeconds / Swift.max(bound.span.inSeconds, 1))
        }

        /// The chance, and by how much it grows with the logarithm of the rate; for a rate above 0.
        func chance(atRate rate: Double) -> (value: Double, slope: Double) {
            guard rate < 1, hits > trials * rate else { return (1, 0) }
            let (density, tail) = tail.at(rate)
            let rise = hits * density
            let byChecks = checks * tail
            let byRises = tail + windows * (1 - rate) * rise
            guard Swift.min(byChecks, byRises) < 1 else { return (1, 0) }
            return byChecks <= byRises
                ? (byChecks, checks * rise) : (byRises, rise * (1 + windows * (hits - trials * rate - rate)))
        }
    }
}
