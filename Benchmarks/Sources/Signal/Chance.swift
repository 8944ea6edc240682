internal import Chance
internal import Glibc

/// Random numbers that a seed repeats, and the distributions that a population needs.
struct Chance: RandomNumberGenerator {
    private var seeded: SeededRandom
    private var spareNormal: Double?

    init(seed: UInt64) { seeded = SeededRandom(seed: seed) }

    mutating func next() -> UInt64 { seeded.next() }

    /// A number from 0 up to 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// Normal with mean 0 and variance 1 (Box and Muller).
    mutating func normal() -> Double {
        if let spare = spareNormal {
            spareNormal = nil
            return spare
        }
        let radius = (-2 * log(1 - unit())).squareRoot()
        let angle = 2 * Double.pi * unit()
        spareNormal = radius * sin(angle)
        return radius * cos(angle)
    }

    /// Gamma with that shape and scale 1 (Marsaglia and Tsang).
    mutating func gamma(_ shape: Double) -> Double {
        guard shape >= 1 else { return gamma(shape + 1) * pow(1 - unit(), 1 / shape) }
        let d = shape - 1.0 / 3
        let c = 1 / (9 * d).squareRoot()
        while true {
            let x = normal()
            let v = 1 + c * x
            guard v > 0 else { continue }
            let cube = v * v * v
            if log(1 - unit()) < 0.5 * x * x + d - d * cube + d * log(cube) { return d * cube }
        }
    }

    /// Beta with that mean; `spread` is the correlation of two draws of one Bernoulli trial each (the rho of the
    /// beta-binomial distribution).
    mutating func beta(mean: Double, spread: Double) -> Double {
        let size = 1 / spread - 1
        let hit = gamma(mean * size)
        return hit / (hit + gamma((1 - mean) * size))
    }

    mutating func poisson(_ mean: Double) -> Double {
        guard mean < 30 else { return max(0, (mean + mean.squareRoot() * normal()).rounded()) }
        let limit = exp(-mean)
        var (count, product) = (0.0, unit())
        while product > limit {
            count += 1
            product *= unit()
        }
        return count
    }

    mutating func binomial(_ trials: Double, _ rate: Double) -> Double {
        guard trials > 0, rate > 0 else { return 0 }
        guard rate <= 0.5 else { return trials - binomial(trials, 1 - rate) }
        let mean = trials * rate
        guard mean < 40 else {
            let drawn = (mean + (mean * (1 - rate)).squareRoot() * normal()).rounded()
            return min(max(0, drawn), trials)
        }
        // Inversion, term by term.
        let odds = rate / (1 - rate)
        var term = exp(trials * log1p(-rate))
        var (count, rest) = (0.0, unit())
        while rest > term, count < trials {
            rest -= term
            term *= odds * (trials - count) / (count + 1)
            count += 1
            if term < 1e-300 { break }
        }
        return count
    }
}
