internal import Glibc

/// The best that can be done: a CUSUM on log-likelihood ratios that knows the true rate without the incident at every
/// moment, how spans vary, and how deep the incident will be. It learns of the same spans at the same time as the
/// others.
struct Oracle {
    let depth: Double
    private(set) var score = 0.0
    private(set) var excursion = 0.0

    init(depth: Double) { self.depth = depth }

    /// Takes in a span; gives back how high the score had risen when it falls back to nothing.
    mutating func take(_ tally: Tally) -> Double? {
        guard tally.users > 0 else { return nil }
        score += Oracle.gain(tally, depth)
        excursion = max(excursion, score)
        guard score <= 0 else { return nil }
        defer { excursion = 0 }
        score = 0
        return excursion
    }

    /// The logarithm of how much likelier the span is with the incident: beta-binomial with either mean.
    static func gain(_ tally: Tally, _ depth: Double) -> Double {
        let (trials, hits) = (tally.users, tally.crashed)
        let worse = min(0.95, tally.truth + depth)
        if trials < 30 {
            return hits * log(worse / tally.truth) + (trials - hits) * log((1 - worse) / (1 - tally.truth))
        }
        let size = 1 / App.spread - 1
        return likelihood(hits, trials, worse * size, (1 - worse) * size)
            - likelihood(hits, trials, tally.truth * size, (1 - tally.truth) * size)
    }

    private static func likelihood(_ hits: Double, _ trials: Double, _ a: Double, _ b: Double) -> Double {
        logGamma(hits + a) + logGamma(trials - hits + b) - logGamma(trials + a + b)
            - (logGamma(a) + logGamma(b) - logGamma(a + b))
    }

    private static func logGamma(_ number: Double) -> Double {
        var sign: Int32 = 0
        return lgamma_r(number, &sign)
    }
}
