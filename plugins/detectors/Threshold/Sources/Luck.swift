internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// How likely figures as good as these are where nothing has become better since the worst.
///
/// In a night with few sessions an hour without a crash comes by luck, too, and people who read "resolved" go back to bed. So
/// an end is weighed as an alarm is. The rate at the worst is what it is held against, not the limit: against that a
/// small app would need hours to show that a deep fall is over. What luck there is in one span it needs again in each
/// that follows.
struct Luck {
    let bad: Double
    let total: Double
    let span: TimeSpan
    /// When figures were first as good; nil where these are the first.
    let betterSince: Moment?

    /// The chance, where each case is bad with that rate, of so few bad ones in each of the spans since then.
    func chance(atRate rate: Double) -> Double {
        // Few bad cases are many good ones. They come in clumps, and so do the times without any.
        let once = Binomial.chance(
            ofAtLeast: (total - bad) / Binomial.usualDispersion, of: total / Binomial.usualDispersion, rate: 1 - rate)
        let since = betterSince.map { max(span.to - $0, .zero) } ?? .zero
        return pow(once, 1 + since.inSeconds / max(span.length.inSeconds, 1))
    }
}
