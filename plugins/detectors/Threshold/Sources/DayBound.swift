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

    /// What rules take it to be. Of apps it is known that they lie between one and two; `drop` learns it of each.
    static let usualDispersion = 1.5

    /// Whether the chance of such a day at that rate of bad cases is at most `chance`.
    func isExceeded(atRate rate: Double, chance: Double) -> Bool {
        chanceOfSuchADay(atRate: rate) <= chance
    }

    /// The largest rate of bad cases at which such a day would still be a surprise: what the rate is at least.
    func leastRate(chance: Double) -> Double {
        guard total > 0, bad > 0 else { return 0 }
        // The logarithm of the chance is nearly straight in that of the rate, so where the line through both ends
        // crosses is soon near (regula falsi, Illinois). Every third step halves, for where it is not.
        var (low, high) = (0.0, bad / total)
        var (below, above): (Double?, Double) = (nil, -log(chance))
        var wasLow: Bool?
        for step in 0..<DayBound.stepsMax where high - low > high * DayBound.grain {
            var middle = (low + high) / 2
            if let below, step % 3 < 2, above > below {
                let line = exp(log(low) - (log(high) - log(low)) * below / (above - below))
                if line > low, line < high { middle = line }
            }
            let value = log(chanceOfSuchADay(atRate: middle)) - log(chance)
            if value <= 0 {
                (low, below) = (middle, value)
                // An end that stays would draw all further lines to itself.
                if wasLow == true { above /= 2 }
            } else {
                (high, above) = (middle, value)
                if wasLow == false { below = below.map { $0 / 2 } }
            }
            wasLow = value <= 0
        }
        return low
    }

    /// As many halvings bring it below the grain of a double; a third as many steps are usual.
    private static let stepsMax = 60
    /// Far below what the counts carry: see the precision of the logarithms in `Binomial`.
    private static let grain = 1e-12

    /// An upper bound on the chance that a day at that rate shows so many bad cases in any check.
    func chanceOfSuchADay(atRate rate: Double) -> Double {
        let trials = total.rounded() / dispersion
        let hits = bad.rounded() / dispersion
        guard trials > 0, hits > 0 else { return 1 }
        guard rate > 0 else { return 0 }
        guard rate < 1, hits > trials * rate else { return 1 }
        let (density, tail) = Binomial.upper(hits, of: trials, rate: rate)
        let windowsPerDay = Swift.max(1, Duration.days(1).inSeconds / Swift.max(span.inSeconds, 1))
        let byChecks = Swift.max(1, checksPerDay) * tail
        let byRises = tail + windowsPerDay * hits * (1 - rate) * density
        return Swift.min(1, byChecks, byRises)
    }
}
