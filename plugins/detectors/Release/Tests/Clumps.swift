import AlertTesting
import Chance

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How many of so many sessions crash, one time in three two at once: counts vary 1.5 times as much as by chance.
func crashes(among total: Double, rate: Double, _ random: inout SeededRandom) -> Double {
    let each = rate * 3 / 4
    var (bad, rest) = (0.0, total)
    while true {
        // How many do not crash before the next that does.
        rest -= (log(1 - Double.random(in: 0..<1, using: &random)) / log1p(-each)).rounded(.down) + 1
        guard rest >= 0 else { return min(bad, total) }
        bad += random.happens(1.0 / 3) ? 2 : 1
    }
}
