internal import PluginKit

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Stretches of the week that are worse than the rest each time: weekends, the evening of an event.
///
/// Hours in which something seemed wrong are not learned from, so what is wrong every Saturday would never be known. They
/// are remembered for two weeks instead. When the same hours of the week before were missed, too, were as bad, and lay
/// between hours that were as usual, that is a rhythm and no incident, and from then on as much is expected there. What
/// happens once teaches nothing, nor does what goes on for a week.
///
/// A stretch has one factor for all of its hours: those of a small app have too few bad cases to be known one by one.
/// Where there are enough, `Baseline.week` learns how they differ.
///
/// Memory: none for most apps; 24 bytes an hour that was missed (at most 252), 48 a stretch (at most 8).
struct Rhythm: Hashable, Sendable {
    typealias Sums = Baseline.Sums

    /// An hour that was not learned from.
    struct Missed: Hashable, Sendable {
        /// Whole hours since 1970.
        let hour: Int64
        let counts: Sums
    }

    /// Hours of the week in a row that are worse.
    struct Stretch: Hashable, Sendable {
        /// The first of them, as `Baseline.week` counts.
        let first: Int
        let length: Int
        /// The bad cases of some weeks, and how many there would have been at other times.
        var sums: Sums
        /// The same of this week, and of how many hours.
        var newest = Sums()
        var newestHours = 0

        /// How many times the rate of other hours is usual.
        var factor: Double { sums.factor(Rhythm.weight) }
        /// How far off that may be: the variance of its logarithm.
        var variance: Double { Rhythm.varies + 1 / (sums.bad + Rhythm.weight) }

        func covers(_ slot: Int) -> Bool { (slot - first + Rhythm.week) % Rhythm.week < length }
    }

    /// Of the last two weeks, oldest first.
    var missed: [Missed] = []
    /// How many of them have come since the last hour that was learned from; one more than may be says that there were
    /// too many.
    var running = 0
    var stretches: [Stretch] = []

    static let week = 168
    /// Most hours of a week that may be worse; the others are what they are worse than. Five days, and the hours until
    /// it was clear that they were over.
    static let worseMax = 126
    static let missedMax = 2 * worseMax
    static let stretchesMax = 8
    /// One hour alone that is alike may be chance.
    private static let hoursMin = 2

    // Tried on the simulated apps of Benchmarks/Sources/Signal.

    /// By what factor two weeks may differ, beyond what chance explains.
    private static let alike = 1.5
    /// By how much single hours of two weeks may, as the mean of squares, where 1 is chance: two short incidents that
    /// touch are alike in sum alone.
    private static let unlikeMax = 4.0
    /// What is worse by less is hardly noticed. What is worse by more is reported each time.
    private static let factors = 1.2...6.0
    /// Hours at the edges belong to it from about here on.
    private static let edgeLeast = 1.1
    /// That it is like other hours is as sure beforehand as so many bad cases make it.
    private static let weight = 4.0
    /// What is left of a stretch's counts when those of the next week come: three weeks' worth.
    private static let fade = 1 - 1.0 / 3
    /// It is taken to vary by 10 % from week to week.
    private static let varies = 0.01
    /// The evidence that it was like other hours this week, from which on it is forgotten: e to the third to one.
    private static let awayEnough = 3.0

    /// How many times the rate of other hours is usual in that hour of the week.
    func factor(_ slot: Int) -> Double {
        var factor = 1.0
        for stretch in stretches where stretch.covers(slot) { factor *= stretch.factor }
        return factor
    }

    /// How far off that may be: the variance of its logarithm. Nil where no stretch is.
    func variance(_ slot: Int) -> Double? {
        var variance: Double?
        for stretch in stretches where stretch.covers(slot) { variance = (variance ?? 0) + stretch.variance }
        return variance
    }

    /// How many bad cases an hour is worth where the level is asked for: what differs in a stretch may be the stretch,
    /// so all of its hours together say no more than it is known itself.
    func weight(of expected: Double, _ slot: Int) -> Double {
        stretches.reduce(expected) { $1.covers(slot) ? min($0, 1 / ($1.variance * Double($1.length))) : $0 }
    }

    // MARK: - Learning

    /// Takes in an hour that is not learned from.
    ///
    /// - Parameter counts: its bad cases, and how many were expected.
    mutating func miss(_ hour: Int64, _ counts: Sums) {
        let oldest = hour - Int64(2 * Rhythm.week)
        missed.removeAll { $0.hour <= oldest || $0.hour >= hour }
        running = min(running + 1, Rhythm.worseMax + 1)
        guard running <= Rhythm.worseMax else {
            // An incident of many days is nothing to compare with.
            missed.removeAll()
            return
        }
        if missed.count >= Rhythm.missedMax { missed.removeFirst() }
        // A thousandth of a case is enough, and far shorter to write.
        let expected = (counts.expected * 1000).rounded() / 1000
        missed.append(Missed(hour: hour, counts: Sums(bad: counts.bad, expected: expected)))
    }

    /// Takes in an hour that is learned from.
    ///
    /// - Parameter summertime: the clocks that hours of the week go by.
    /// - Returns: the hours of a stretch that has been found by it, with what is expected of them now.
    mutating func pass(_ slot: Int, _ counts: Sums, by summertime: Summertime?) -> [Missed] {
        let found = running > 0 ? findStretch(summertime) : []
        for index in stretches.indices.reversed() {
            if stretches[index].covers(slot) {
                stretches[index].newest.bad += counts.bad
                stretches[index].newest.expected += counts.expected / stretches[index].factor
                stretches[index].newestHours += 1
            } else if stretches[index].newestHours > 0 {
                endWeek(of: index)
            }
        }
        return found
    }

    mutating func forgetMissed() { (missed, running) = ([], 0) }

    /// Moves what is known along with the clock, by so many hours of the week.
    mutating func move(by shift: Int) {
        stretches = stretches.map { stretch in
            Stretch(
                first: (stretch.first + shift + Rhythm.week) % Rhythm.week, length: stretch.length, sums: stretch.sums,
                newest: stretch.newest, newestHours: stretch.newestHours)
        }
    }

    /// What has been as at other times is no rhythm any more: so what was two incidents in truth is known for a week.
    private mutating func endWeek(of index: Int) {
        let (newest, hours) = (stretches[index].newest, stretches[index].newestHours)
        (stretches[index].newest, stretches[index].newestHours) = (Sums(), 0)
        // Of one that was mostly missed, what is left are the edges.
        guard hours * 2 > stretches[index].length else { return }
        let factor = stretches[index].factor
        let away = newest.expected * (factor - 1) - newest.bad * log(factor)
        stretches[index].sums.add(newest.bad, expected: newest.expected, fade: Rhythm.fade)
        if away > Rhythm.awayEnough || stretches[index].factor < Rhythm.factors.lowerBound {
            stretches.remove(at: index)
        }
    }

    /// Compares the missed hours that are over now with those of the week before.
    private mutating func findStretch(_ summertime: Summertime?) -> [Missed] {
        let run = missed.suffix(running)
        running = 0
        guard let last = run.last?.hour, stretches.count < Rhythm.stretchesMax,
            missed.count(where: { $0.hour > last - Int64(Rhythm.week) }) <= Rhythm.worseMax
        else { return [] }
        var pairs = run.compactMap { now in
            missed.first { $0.hour == now.hour - Int64(Rhythm.week) }.map { Pair(now: now, before: $0) }
        }
        pairs = Pair.worst(of: pairs, edge: Rhythm.edgeLeast)
        // Hours that are worse by less than half are where it begins and ends.
        pairs = Pair.worst(of: pairs, edge: max(Rhythm.edgeLeast, Pair.sum(pairs.map(\.both)).ratio.squareRoot()))
        guard pairs.count >= Rhythm.hoursMin, let first = pairs.first?.now.hour, let end = pairs.last?.now.hour,
            end - first < Int64(Rhythm.worseMax)
        else { return [] }
        let (now, before) = (Pair.sum(pairs.map(\.now.counts)), Pair.sum(pairs.map(\.before.counts)))
        let stretch = Stretch(
            first: Baseline.slots(first, by: summertime).week, length: Int(end - first) + 1,
            sums: Pair.sum([now, before]))
        guard min(now.ratio, before.ratio) >= Rhythm.factors.lowerBound, Rhythm.factors.contains(stretch.factor),
            abs(log(now.ratio / before.ratio)) <= log(Rhythm.alike) + (1 / now.bad + 1 / before.bad).squareRoot(),
            pairs.reduce(0, { $0 + $1.unlike }) <= Rhythm.unlikeMax * Double(pairs.count)
        else { return [] }
        stretches.append(stretch)
        return pairs.map { pair in
            Missed(
                hour: pair.now.hour, counts: Sums(bad: pair.both.bad, expected: pair.both.expected * stretch.factor))
        }
    }
}

extension Rhythm {
    /// A missed hour, and the same hour of the week before.
    private struct Pair {
        let now: Missed
        let before: Missed

        var both: Sums { Pair.sum([now.counts, before.counts]) }

        /// By how much they differ, squared, as a multiple of what chance and the hour's own noise explain.
        var unlike: Double {
            let (bad, other) = (now.counts.bad, before.counts.bad)
            let scale = before.counts.expected > 0 ? now.counts.expected / before.counts.expected : 1
            let difference = bad - other * scale
            let (square, otherSquare) = (bad * bad, other * other * scale * scale)
            return difference * difference
                / max(1, bad + other * scale * scale + Baseline.hourNoise * (square + otherSquare))
        }

        static func sum(_ all: [Sums]) -> Sums {
            all.reduce(into: Sums()) {
                $0.bad += $1.bad
                $0.expected += $1.expected
            }
        }

        /// Those in a row that speak most for a rate of about the square of `edge` and against the usual one.
        static func worst(of pairs: [Pair], edge: Double) -> [Pair] {
            var (best, range, sum, begin) = (0.0, 0..<0, 0.0, 0)
            for (index, pair) in pairs.enumerated() {
                if sum <= 0 { (sum, begin) = (0, index) }
                sum += pair.both.bad * log(edge) - pair.both.expected * (edge - 1)
                if sum > best { (best, range) = (sum, begin..<(index + 1)) }
            }
            return Array(pairs[range])
        }
    }
}

extension Baseline.Sums {
    /// Of nothing expected it is as usual.
    fileprivate var ratio: Double { expected > 0 ? bad / expected : 1 }
}
