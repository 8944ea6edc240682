#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The usual rate of bad cases, learned hour by hour: a level that follows slow change, times what is usual at this hour of
/// the day and of the week.
///
/// The level is the logarithm of the rate in a scalar Kalman filter whose observations are counts: an hour moves it by its
/// variance times the difference of what was and what was expected. So it knows how sure it is. The rhythm is a sum of
/// counts over a sum of expectations for each slot, drawn towards 1 while it has seen little.
struct Baseline: Hashable, Sendable {
    /// The counts of one slot of the rhythm, fading with the weeks.
    struct Slot: Hashable, Sendable {
        var bad = 0.0
        var expected = 0.0
    }

    /// The logarithm of the rate of bad cases.
    private(set) var level = 0.0
    /// Its variance: 0.01 means that it is right within a tenth.
    private(set) var variance = 1.0
    /// Hours learned from.
    private(set) var hoursLearned = 0
    /// The newest hour that was learned from or passed over.
    private(set) var learnedUntil: Int64 = -1_000_000_000
    /// The counts of the beginning, while the level is their plain quotient.
    private var bad = 0.0
    private var total = 0.0
    private(set) var day = [Slot](repeating: Slot(), count: 24)
    private(set) var week = [Slot](repeating: Slot(), count: 168)
    /// By how much the counts of spans vary more than chance alone would have it: squares above and expected squares.
    private(set) var noise = Slot(bad: Tuning.noisePrior * Tuning.noiseWeight, expected: Tuning.noiseWeight)
    /// Counts the changes.
    private(set) var revision = 0

    enum Tuning {
        static let drift = 0.0025 / 24  // variance an hour: 5 % a day
        static let dayWeight = 25.0
        static let weekWeight = 100.0
        static let dayFade = 1 - 1.0 / 42
        static let weekFade = 1 - 1.0 / 6
        static let noisePrior = 0.04
        static let noiseWeight = 400.0
        static let noiseFade = 0.9999
        static let plainHours = 168
        static let readyHours = 48
        nonisolated(unsafe) static var margin = 0.7
    }

    var isReady: Bool { hoursLearned >= Tuning.readyHours }

    /// The hour is not learned from.
    mutating func pass(_ hour: Int64) {
        learnedUntil = max(learnedUntil, hour)
        variance = min(1, variance + Tuning.drift)
        revision &+= 1
    }

    mutating func learn(_ hour: History.Hour) {
        if hoursLearned > 0 { variance = min(1, variance + Tuning.drift * Double(min(max(1, hour.hour - learnedUntil), 1000))) }
        learnedUntil = max(learnedUntil, hour.hour)
        revision &+= 1
        hoursLearned += 1
        let (daySlot, weekSlot) = Baseline.slots(hour.hour)
        let dayFactor = day[daySlot].factor(Tuning.dayWeight)
        let factor = dayFactor * week[weekSlot].factor(Tuning.weekWeight)
        var hits = hour.bad
        if hoursLearned <= Tuning.plainHours {
            bad += hits
            total += hour.total * factor
            level = log((bad + 0.5) / max(total, 1))
            variance = 1 / (bad + 0.5)
        } else {
            let expected = hour.total * exp(level) * factor
            let most = 4 * (expected + expected * expected * 0.04 + 0.25).squareRoot()
            hits = min(hits, expected + most)
            variance = 1 / (1 / variance + expected)
            level += variance * (hits - expected)
        }
        let rate = exp(level)
        if hoursLearned > 72 {
            day[daySlot].add(hits, hour.total * rate, Tuning.dayFade)
            week[weekSlot].add(hits, hour.total * rate * dayFactor, Tuning.weekFade)
        }
    }

    /// Learns how much the counts of spans vary.
    mutating func learnNoise(_ bucket: History.Bucket, _ table: DropTable) {
        guard isReady, bucket.total > 0 else { return }
        let expected = bucket.total * table.plainRate
        let square = (bucket.bad - expected) * (bucket.bad - expected)
        noise.bad = noise.bad * Tuning.noiseFade
            + min(square, 16 * (expected + noisiness * expected * expected)) - expected
        noise.expected = noise.expected * Tuning.noiseFade + expected * expected
    }

    /// The squared relative deviation of the rate from span to span.
    var noisiness: Double { max(0.0001, noise.bad / noise.expected) }

    static func slots(_ hour: Int64) -> (day: Int, week: Int) {
        let week = Int(((hour % 168) + 168) % 168)
        return (week % 24, week)
    }

    func factor(_ hour: Int64) -> Double {
        let (daySlot, weekSlot) = Baseline.slots(hour)
        return day[daySlot].factor(Tuning.dayWeight) * week[weekSlot].factor(Tuning.weekWeight)
    }

    /// The usual rate of bad cases in that clock hour.
    func rate(_ hour: Int64) -> Double { min(1, exp(level) * factor(hour)) }

    /// How far off the rate may be: one standard deviation of its logarithm.
    func deviation(_ hour: Int64) -> Double {
        let (daySlot, weekSlot) = Baseline.slots(hour)
        let age = Double(min(max(0, hour - learnedUntil), 1000)) * Tuning.drift
        let rhythm = 1 / (Tuning.dayWeight + day[daySlot].expected) + 1 / (Tuning.weekWeight + week[weekSlot].expected)
        return min(1, (variance + age + rhythm).squareRoot())
    }
}

extension Baseline.Slot {
    fileprivate func factor(_ weight: Double) -> Double { (bad + weight) / (expected + weight) }

    fileprivate mutating func add(_ hits: Double, _ expectation: Double, _ fade: Double) {
        bad = bad * fade + hits
        expected = expected * fade + expectation
    }
}
