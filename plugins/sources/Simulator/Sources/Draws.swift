internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Random draws that are the same for the same key, on every run.
///
/// The generator is SplitMix64: a counter, scrambled. Each moment of each app has a generator of its own, so that any
/// stretch of time can be drawn without the ones before it.
struct Draws {
    private var state: UInt64

    init(key: UInt64, tick: Int64) {
        state = key ^ (UInt64(bitPattern: tick) &* 0xD1B5_4A32_D192_ED03)
    }

    /// From 0 up to 1.
    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / 9_007_199_254_740_992
    }

    /// How many of many rare things happen when `mean` are expected (Poisson).
    mutating func count(mean: Double) -> Double {
        guard mean > 0 else { return 0 }
        // Beyond this the normal curve is as good, and e to the minus mean would come close to nothing.
        guard mean < 30 else {
            let distance = (-2 * log(1 - unit())).squareRoot() * cosine(turns: unit())
            return max(0, (mean + mean.squareRoot() * distance).rounded())
        }
        let draw = unit()
        var probability = exp(-mean)
        var sum = probability
        var count = 0.0
        // The sum may stop short of 1 by rounding; 200 is out of reach for a mean of 30.
        while draw > sum, count < 200 {
            count += 1
            probability *= mean / count
            sum += probability
        }
        return count
    }
}

func cosine(turns: Double) -> Double { cos(2 * .pi * turns) }

/// How many different ones are met when `count` are drawn from a pool, each `fresh` likely to be another's first.
func distinct(_ count: Double, fresh: Double, from pool: Double) -> Double {
    min(count, (pool * (1 - exp(-fresh * count / pool))).rounded(.up))
}
