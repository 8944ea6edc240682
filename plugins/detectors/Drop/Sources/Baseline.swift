internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The usual rate of bad cases, learned hour by hour: a level that follows slow change, times what is usual at this
/// hour of the day and of the week.
///
/// The level is the logarithm of the rate in a scalar Kalman filter whose observations are counts: an hour moves it by
/// its variance times the difference between what was and what was expected. So it knows how sure it is, whatever the
/// traffic. The rhythm is a sum of counts over a sum of expectations for each slot, drawn towards 1 while it has seen
/// little.
struct Baseline: Hashable, Sendable {
    /// Counts, and what was expected of them.
    struct Sums: Hashable, Sendable {
        var bad = 0.0
        var expected = 0.0
    }

    /// Hours of the day and of the week are those of clocks that change so; nil for clocks that do not.
    private(set) var summertime: Summertime?
    /// The logarithm of the rate of bad cases.
    var level = 0.0
    /// Its variance: 0.01 means that it is right within about a tenth.
    var variance = Baseline.varianceMax
    /// Hours learned from since the level was last found anew.
    var hoursLearned = 0
    /// The newest hour that was learned from or passed over, in whole hours since 1970.
    var learnedUntil = Baseline.never
    /// Bad cases and all cases of about a week: the mean that the rhythm is relative to. The level follows too quickly
    /// for that, it would take part of the rhythm for its own.
    var mean = Sums()
    var day = [Sums](repeating: Sums(), count: 24)
    /// From Thursday on, as the hours since 1970 are.
    var week = [Sums](repeating: Sums(), count: 168)
    /// What is worse in the week than anything that is learned as usual.
    var rhythm = Rhythm()
    /// By how much the counts of spans vary more than chance would have it.
    var noise = Noise()

    // The numbers below are guesses at what apps are like, tried on the simulated apps of Benchmarks/Sources/Signal.

    /// How much the logarithm of the rate is taken to wander in an hour, squared: 5 % in a day.
    private static let drift = 0.0025 / 24
    /// How sure it is beforehand that an hour of the day is like any other, in bad cases: within 20 %.
    private static let dayWeight = 25.0
    /// That an hour of the week is like the same hour of other days: within 10 %.
    private static let weekWeight = 100.0
    /// What is left of a slot's counts when the next come: six weeks' worth.
    private static let dayFade = 1 - 1.0 / 42
    private static let weekFade = 1 - 1.0 / 6
    private static let meanFade = 1 - 1.0 / 168
    /// The rate of an hour is taken to vary by 20 %.
    static let hourNoise = 0.04
    /// The level is a plain quotient for a week; the rhythm is learned when a day has given it a meaning.
    private static let plainHours = 168
    private static let rhythmAfterHours = 24
    /// Nothing is judged before so many hours have been learned.
    static let readyHours = 48
    private static let varianceMax = 1.0
    /// A new release is taken to crash as often as the app within 20 %.
    private static let releaseVariance = 0.04
    /// Before every hour there is, and far from overflowing.
    private static let never: Int64 = -100_000_000

    init(_ summertime: Summertime? = nil) { self.summertime = summertime }

    var isReady: Bool { hoursLearned >= Baseline.readyHours }

    /// Takes in an hour, or lets it pass when it was not a usual one.
    mutating func learn(_ hour: DropMemory.Hour, isUsual: Bool) {
        let passed = min(max(1, hour.hour - learnedUntil), 1000)
        learnedUntil = max(learnedUntil, hour.hour)
        variance = min(Baseline.varianceMax, variance + Baseline.drift * Double(passed))
        noise.settle()
        let (daySlot, weekSlot) = slots(hour.hour)
        let dayFactor = day[daySlot].factor(Baseline.dayWeight)
        let factor = dayFactor * week[weekSlot].factor(Baseline.weekWeight)
        // What is worse each time is worth as many more cases of other times.
        let total = hour.total * rhythm.factor(weekSlot)
        let counts = Sums(bad: hour.bad, expected: total * exp(level) * factor)
        guard isUsual else {
            if isReady { rhythm.miss(hour.hour, counts) }
            return
        }
        for found in rhythm.pass(weekSlot, counts, by: summertime) {
            let slot = slots(found.hour).week
            let known = week[slot].factor(Baseline.weekWeight)
            week[slot].add(found.counts.bad, expected: found.counts.expected / known, fade: Baseline.weekFade)
        }
        hoursLearned += 1
        var bad = hour.bad
        if hoursLearned > Baseline.plainHours {
            let expected = counts.expected
            // One wild hour does not carry the level away.
            let spread = 0.25 + expected * (1 + noise.clumps) + Baseline.hourNoise * expected * expected
            bad = min(bad, expected + 4 * spread.squareRoot())
            let weight = rhythm.weight(of: expected, weekSlot)
            variance = 1 / (1 / variance + weight)
            if expected > 0 { level = (level + variance * weight * (bad / expected - 1)).clamped(to: -30...0) }
        }
        mean.add(bad, expected: total, fade: Baseline.meanFade)
        let rate = (mean.bad + 0.5) / max(mean.expected, 1)
        if hoursLearned <= Baseline.plainHours {
            level = log(rate).clamped(to: -30...0)
            variance = min(Baseline.varianceMax, 1 / (mean.bad + 0.5))
        }
        guard hoursLearned > Baseline.rhythmAfterHours else { return }
        day[daySlot].add(bad, expected: total * rate, fade: Baseline.dayFade)
        week[weekSlot].add(bad, expected: total * rate * dayFactor, fade: Baseline.weekFade)
    }

    /// Forgets how many bad cases are usual, but not when in the week they come.
    mutating func levelAnew() {
        hoursLearned = 0
        mean = Sums()
        variance = Baseline.varianceMax
        rhythm.forgetMissed()
    }

    /// Becomes that of a new release: how often it crashes is known less well.
    mutating func handOn() {
        variance = max(variance, Baseline.releaseVariance)
        noise.pause()
    }

    /// The usual rate of bad cases in that clock hour.
    func rate(_ hour: Int64) -> Double {
        let (daySlot, weekSlot) = slots(hour)
        let factor = day[daySlot].factor(Baseline.dayWeight) * week[weekSlot].factor(Baseline.weekWeight)
        return min(1, exp(level) * factor * rhythm.factor(weekSlot))
    }

    /// How far off that rate may be: one standard deviation of its logarithm, at most 1.
    func deviation(_ hour: Int64) -> Double {
        let (daySlot, weekSlot) = slots(hour)
        let age = Baseline.drift * Double(min(max(0, hour - learnedUntil), 10_000))
        let slots =
            1 / (Baseline.dayWeight + day[daySlot].expected) + 1 / (Baseline.weekWeight + week[weekSlot].expected)
        return min(1, (variance + age + slots + (rhythm.variance(weekSlot) ?? 0)).squareRoot())
    }

    /// Goes on with clocks that change otherwise: what was learned keeps its place on the clock of the newest hour.
    mutating func follow(_ new: Summertime?) {
        guard new != summertime else { return }
        let ahead = [summertime, new].map { Baseline.hoursAhead(learnedUntil, by: $0) }
        summertime = new
        let shift = Int(ahead[1] - ahead[0])
        guard shift != 0 else { return }
        day = day.indices.map { day[($0 - shift + 24) % 24] }
        week = week.indices.map { week[($0 - shift + Rhythm.week) % Rhythm.week] }
        rhythm.move(by: shift)
    }

    /// Where an hour since 1970 lies in the day and in the week: what is usual at four in the morning goes by the clock that
    /// wakes people.
    func slots(_ hour: Int64) -> (day: Int, week: Int) { Baseline.slots(hour, by: summertime) }

    static func slots(_ hour: Int64, by summertime: Summertime?) -> (day: Int, week: Int) {
        let slot = Int((hour + hoursAhead(hour, by: summertime)) % 168)
        let week = slot < 0 ? slot + 168 : slot
        return (week % 24, week)
    }

    private static func hoursAhead(_ hour: Int64, by summertime: Summertime?) -> Int64 {
        summertime?.hoursAhead(at: Moment(milliseconds: hour * 3_600_000)) ?? 0
    }
}

extension Baseline.Sums {
    func factor(_ weight: Double) -> Double { (bad + weight) / (expected + weight) }

    mutating func add(_ bad: Double, expected: Double, fade: Double) {
        self.bad = self.bad * fade + bad
        self.expected = self.expected * fade + expected
    }
}
