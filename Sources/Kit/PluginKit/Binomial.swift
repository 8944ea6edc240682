#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The binomial distribution, exact at a hundred trials and at a million.
public enum Binomial {
    /// The density at `hits`, and the chance of at least so many, for `hits` above the mean.
    ///
    /// The density by logarithms of the gamma function, the tail by adding terms, each a known share of the one before,
    /// until they no longer count. `rate` lies between 0 and 1, both excluded.
    public static func upper(_ hits: Double, of trials: Double, rate: Double) -> (density: Double, tail: Double) {
        guard hits <= trials else { return (0, 0) }
        let logarithm =
            logGamma(trials + 1) - logGamma(hits + 1) - logGamma(trials - hits + 1) + hits * log(rate)
            + (trials - hits) * log1p(-rate)
        let density = exp(logarithm)
        let odds = rate / (1 - rate)
        var (term, sum, next) = (density, density, hits)
        while next < trials, term > sum * 1e-16 {
            term *= (trials - next) / (next + 1) * odds
            sum += term
            next += 1
        }
        return (density, Swift.min(1, sum))
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
