internal import Glibc

/// The best that can be done: a CUSUM on log-likelihood ratios that knows the true rate without the incident at every
/// moment, how spans of this app vary, and how deep the incident will be. It learns of the same counts of the same
/// spans at the same time as the others.
struct Oracle {
    let depth: Double
    let noise: Noise
    let watched: Watched
    private(set) var score = 0.0
    private(set) var excursion = 0.0

    init(depth: Double, _ noise: Noise, _ watched: Watched) {
        self.depth = depth
        self.noise = noise
        self.watched = watched
    }

    /// Takes in a span; gives back how high the score had risen when it falls back to nothing.
    mutating func take(_ tally: Tally) -> Double? {
        guard tally.users > 0 else { return nil }
        // Who knows the users need not look at sessions: what loops add says nothing of a fall.
        score += watched.knowsUsers ? gainOfUsers(tally) : gainOfSessions(tally)
        excursion = max(excursion, score)
        guard score <= 0 else { return nil }
        defer { excursion = 0 }
        score = 0
        return excursion
    }

    /// The logarithm of how much likelier the span is with the incident: beta-binomial with either mean.
    private func gainOfUsers(_ tally: Tally) -> Double {
        let (trials, hits) = (tally.users, tally.crashed)
        let worse = min(0.95, tally.truth + depth)
        let size = 1 / noise.spread - 1
        return likelihood(hits, trials, worse * size, (1 - worse) * size)
            - likelihood(hits, trials, tally.truth * size, (1 - tally.truth) * size)
    }

    private func likelihood(_ hits: Double, _ trials: Double, _ a: Double, _ b: Double) -> Double {
        logGamma(hits + a) + logGamma(trials - hits + b) - logGamma(trials + a + b)
            - (logGamma(a) + logGamma(b) - logGamma(a + b))
    }

    private func logGamma(_ number: Double) -> Double {
        var sign: Int32 = 0
        return lgamma_r(number, &sign)
    }

    /// The same of the crashed sessions alone.
    private func gainOfSessions(_ tally: Tally) -> Double {
        let count = Int(tally.crashedSessions)
        guard count <= Oracle.countMax else { return Oracle.certain }
        let worse = min(0.95, tally.truth + depth)
        return likelihood(count, tally.users, worse) - likelihood(count, tally.users, tally.truth)
    }

    /// So many crashed sessions in five minutes are a trouble at every app of this world.
    private static let countMax = 400
    private static let certain = 50.0

    /// The logarithm of the chance of so many crashed sessions: the users who crash as negative binomial, which is
    /// nearly beta-binomial where few of them do, each with one crash or, in a loop, one and a geometric number of
    /// others. By Panjer's recursion.
    private func likelihood(_ count: Int, _ users: Double, _ rate: Double) -> Double {
        let shape = rate * (1 / noise.spread - 1)
        let odds = users * rate / (users * rate + shape)
        let (single, more) = (1 - noise.loopShare, noise.loopShare / noise.loopLength)
        let fade = 1 - 1 / noise.loopLength
        var logarithm = shape * log1p(-odds)
        var (here, before, sum, weighted) = (1.0, 0.0, 0.0, 0.0)
        guard count > 0 else { return logarithm }
        for number in 1...count {
            weighted = fade * (weighted + sum) + 2 * before
            sum = fade * sum + before
            let step = (shape - 1) * odds / Double(number)
            (before, here) = (here, single * (odds + step) * here + more * (odds * sum + step * weighted))
            let scale = max(here, before)
            guard scale > 0 else { return -1e4 }
            if scale > 1e200 || scale < 1e-200 {
                here /= scale
                before /= scale
                sum /= scale
                weighted /= scale
                logarithm += log(scale)
            }
        }
        return logarithm + log(max(here, 1e-300))
    }
}
