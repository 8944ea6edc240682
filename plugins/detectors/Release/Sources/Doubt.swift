internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Whether a release that looks good beside another may be worse all the same.
struct Doubt {
    let new: Tally
    let old: Tally

    /// The chance, where the new one is worse by that margin, that it looks as good beside the old one as it does.
    ///
    /// Nobody knows the true rate of the old one. Whatever it is, two things that have nothing to do with each other
    /// must have happened: the old one looks as bad as it does, and the new one as good, at a rate worse by the margin.
    /// That the product of both chances is at most `c` has a chance of `c (1 - ln c)` (Fisher, 1932); the rate of the
    /// old one that explains most is believed. So a handful of users of an old release prove as little as a handful of
    /// the new one.
    func chance(worseBy margin: Double) -> Double {
        guard new.total > 0, old.total > 0 else { return 1 }
        // Where the new one is at least as bad, or the old one as good, as expected, no luck at all is needed.
        var (low, high) = (max(0, new.rate - margin), old.rate)
        guard low < high || high == 0 && new.rate < margin else { return 1 }
        let bad = Scaled(old.bad, of: old.total)
        let good = Scaled(new.total - new.bad, of: new.total)
        func both(_ rate: Double) -> (old: Double, new: Double) {
            (bad.chance(atRate: rate), good.chance(atRate: 1 - rate - margin))
        }
        func product(_ rate: Double) -> Double {
            let both = both(rate)
            return both.old * both.new
        }
        var best = max(product(low), product(high))
        // Both are logarithmically concave, so there is one summit between the ends.
        for _ in 0..<Doubt.steps {
            let (left, right) = (low + (high - low) / 3, high - (high - low) / 3)
            let (one, other) = (product(left), product(right))
            best = max(best, one, other)
            // Too small for a number on both sides: towards where the smaller of the two chances grows.
            let isRight = one == other ? both(left).old < both(left).new : one < other
            if isRight { low = left } else { high = right }
        }
        return best > 0 ? min(1, best * (1 - log(best))) : 0
    }

    /// Each leaves two thirds: to within a ten thousandth.
    private static let steps = 24

    /// At least so many cases of so many. They come in clumps, so they say as much as fewer that come one by one.
    private struct Scaled {
        private let hits: Double
        private let total: Double
        private let tail: Binomial.Tail

        init(_ hits: Double, of total: Double) {
            self.hits = hits / Binomial.usualDispersion
            self.total = total / Binomial.usualDispersion
            tail = Binomial.Tail(self.hits, of: self.total)
        }

        func chance(atRate rate: Double) -> Double {
            guard hits > 0 else { return 1 }
            guard rate > 0 else { return 0 }
            guard rate < 1, hits > total * rate else { return 1 }
            return tail.at(rate).tail
        }
    }
}
