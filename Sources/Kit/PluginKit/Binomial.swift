#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The binomial distribution, exact at a hundred trials and at a million.
public enum Binomial {
    /// By how many times the counts of bad cases vary more than by chance, as rules take it to be that do not learn it:
    /// those of real apps come in clumps. Of apps it is known that they lie between one and two; `drop` learns it of each.
    ///
    /// Such counts say as much as so many times fewer cases, so both counts are divided by it (the design effect of
    /// sample surveys).
    public static let usualDispersion = 1.5

    /// The density at `hits`, and the chance of at least so many, for `hits` above the mean.
    ///
    /// The density by logarithms of the gamma function, the tail by adding terms, each a known share of the one before,
    /// until they no longer count. `rate` lies between 0 and 1, both excluded.
    public static func upper(_ hits: Double, of trials: Double, rate: Double) -> (density: Double, tail: Double) {
        Tail(hits, of: trials).at(rate)
    }

    /// So many hits of so many trials, to be asked for at several rates.
    public struct Tail: Sendable {
        private let hits: Double
        private let trials: Double
        /// The logarithm of how many ways there are to have so many hits: the dear part, which no rate changes.
        private let ways: Double

        public init(_ hits: Double, of trials: Double) {
            self.hits = hits
            self.trials = trials
            ways =
                hits <= trials
                ? logGamma(trials + 1) - logGamma(hits + 1) - logGamma(trials - hits + 1) : -.infinity
        }

        /// The density at the hits, and the chance of at least so many, at a rate whose mean they exceed.
        public func at(_ rate: Double) -> (density: Double, tail: Double) {
            guard hits <= trials else { return (0, 0) }
            let density = exp(ways + hits * log(rate) + (trials - hits) * log1p(-rate))
            let odds = rate / (1 - rate)
            var (term, sum, next) = (density, density, hits)
            while next < trials, term > sum * 1e-16 {
                term *= (trials - next) / (next + 1) * odds
                sum += term
                next += 1
            }
            return (density, Swift.min(1, sum))
        }
    }

    /// The chance of at least `hits`; 1 where the mean is not exceeded, which is never too little.
    public static func chance(ofAtLeast hits: Double, of trials: Double, rate: Double) -> Double {
        guard hits > 0, trials > 0 else { return 1 }
        guard rate > 0 else { return 0 }
        guard rate < 1, hits > trials * rate else { return 1 }
        return upper(hits, of: trials, rate: rate).tail
    }

    /// The logarithm of the gamma function; `lgamma` itself writes a global that other threads write too.
    private static func logGamma(_ number: Double) -> Double {
        var sign: Int32 = 0
        return lgamma_r(number, &sign)
    }
}
