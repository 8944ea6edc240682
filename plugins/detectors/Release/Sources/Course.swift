public import PluginKit

/// How a release has fared for some days, three hours by three hours.
///
/// The window of a rule knows neither what a release was like while many had it, nor what it was like before it became
/// better. And whether a new one is as good as the one before it takes more cases than a window has.
///
/// Only complete spans that do not overlap are counted, of rolling ones those that end behind multiples of their length:
/// so both releases are counted over the same hours, whichever came first.
///
/// It takes some 35 bytes of JSON a slot, at most 2.5 kB for each release and metric; where counts are no whole numbers, 3.5 kB.
public struct Course: AskedMemory {
    public static let name = "course"

    public struct Need: Hashable, Sendable {
        public let metric: Metric

        public init(_ metric: Metric) { self.metric = metric }
    }

    /// What ended within three hours of the clock.
    struct Slot: Hashable, Sendable {
        /// Whole slots since 1970.
        let number: Int64
        /// When the first of its spans began.
        let from: Moment
        var tally: Tally

        var to: Moment { Moment(milliseconds: (number + 1) * Course.length) }

        /// Whether both cover the same time: in the slot in which a release is launched, the one before it has hours that the
        /// new one has not.
        func begins(with other: Slot) -> Bool {
            let apart = from < other.from ? other.from - from : from - other.from
            return apart <= (to - min(from, other.from)).scaled(by: Course.overlapMax)
        }
    }

    public let need: Need
    /// Oldest first.
    private(set) var slots: [Slot] = []
    private var countedTo = Moment.earliest

    /// Of a slot, in milliseconds.
    private static let length = Duration.hours(3).wholeMilliseconds
    /// A week of slots.
    static let slotsMax = 56
    /// Of sources that count days or weeks, slots are kept for as long as the longest window is.
    private static let slotsBack = 8 * Int64(30)
    fileprivate static let overlapMax = 0.1

    public init(_ need: Need) { self.need = need }

    public mutating func add(_ observation: Observation) {
        let span = observation.span
        guard observation.subject.release != nil, observation.isComplete,
            let tally = need.metric.tally(of: observation.metrics.figure(need.metric)), tally.total > 0
        else { return }
        let number = Course.slot(endingWith: span.to)
        let slotsLong = (span.length.wholeMilliseconds + Course.length - 1) / Course.length
        if let last = slots.last?.number {
            guard number >= last, slotsLong <= 1 || number / slotsLong != last / slotsLong else { return }
            // Polls come a little sooner or later.
            let overlap = slotsLong > 1 ? span.length.scaled(by: Course.overlapMax) : .zero
            if span.from < countedTo - overlap {
                // The first one was counted wherever it ended, and this is the first that ends where it should.
                guard slotsLong > 1, slots.count == 1 else { return }
                slots = []
            }
        }
        countedTo = span.to
        if slots.last?.number == number {
            slots[slots.count - 1].tally += tally
        } else {
            slots.append(Slot(number: number, from: span.from, tally: tally))
            slots.removeFirst(max(0, slots.count - Course.slotsMax))
            slots.removeAll { $0.number <= number - Course.slotsBack }
        }
    }

    private static func slot(endingWith end: Moment) -> Int64 {
        // The last millisecond counts, not the one after it.
        let last = end.milliseconds - 1
        return last >= 0 ? last / length : (last + 1) / length - 1
    }

    // MARK: - Reading

    /// Everything that is kept of it, and over how long a time that is.
    var whole: (tally: Tally, span: TimeSpan)? {
        guard let first = slots.first, let span = TimeSpan(from: first.from, to: countedTo) else { return nil }
        return (slots.reduce(Tally()) { $0 + $1.tally }, span)
    }

    /// What lies between both moments; parts of slots do not count.
    func tally(from: Moment, to: Moment) -> Tally {
        slots.reduce(Tally()) { $1.from >= from && $1.to <= to ? $0 + $1.tally : $0 }
    }
}

/// Two releases over all slots that both have.
struct SameSlots {
    /// As many cases as the weighted ones are worth, at their rate.
    let new: Tally
    let old: Tally
    /// How many there truly were.
    let newTotal: Double
    let oldTotal: Double
    let from: Moment

    /// Each case counts by the share that the other release has in its slot: so both have the same weight in each, and
    /// hours in which everything crashed while few had the new one yet do not speak for it (the weights of Mantel and
    /// Haenszel, 1959). Weighted cases are worth somewhat fewer (the effective sample size of Kish, 1965). Nil where
    /// they have no slot in common.
    init?(_ new: Course, _ old: Course) {
        var (newer, older) = (WeightedTally(), WeightedTally())
        var from: Moment?
        var others = old.slots[...]
        for slot in new.slots {
            others = others.drop { $0.number < slot.number }
            guard let other = others.first, other.number == slot.number, slot.begins(with: other) else { continue }
            let all = slot.tally.total + other.tally.total
            newer.add(slot.tally, weight: other.tally.total / all)
            older.add(other.tally, weight: slot.tally.total / all)
            from = from ?? max(slot.from, other.from)
        }
        guard let from else { return nil }
        self.new = newer.worth
        self.old = older.worth
        newTotal = newer.total
        oldTotal = older.total
        self.from = from
    }
}

private struct WeightedTally {
    private(set) var total = 0.0
    private var weighted = Tally()
    private var squares = 0.0

    mutating func add(_ tally: Tally, weight: Double) {
        total += tally.total
        weighted += Tally(bad: tally.bad * weight, of: tally.total * weight)
        squares += tally.total * weight * weight
    }

    var worth: Tally {
        guard squares > 0 else { return Tally() }
        let factor = weighted.total / squares
        return Tally(bad: weighted.bad * factor, of: weighted.total * factor)
    }
}

extension Metric {
    /// The cases that a figure is of; nil where nobody counted them.
    func tally(of figure: Figure?) -> Tally? {
        guard let share = figure?.share else { return nil }
        return Tally(bad: failures == nil ? share.hits : share.total - share.hits, of: share.total)
    }

    /// The figure that is so much of bad cases.
    func figure(atBad rate: Double) -> Double { failures == nil ? rate : 1 - rate }
    /// The rate of bad cases behind a figure; the same the other way round.
    func bad(at figure: Double) -> Double { failures == nil ? figure : 1 - figure }
}

// MARK: - JSON

extension Course.Need: JSONWritable, JSONReadable {
    public func put(into json: inout JSONWriter) { json.object { json in json.member("metric", metric.name) } }

    public init(_ reader: JSONReader) throws(JSONMismatch) { metric = Metric(try reader.member("metric").string()) }
}

extension Course {
    public func put(into json: inout JSONWriter) {
        json.object { json in
            json.member("need", need)
            guard countedTo > .earliest else { return }
            json.member("to", countedTo)
            json.array("slots", slots) { json, slot in
                json.array { json in
                    json.put(slot.number)
                    json.put(slot.from.milliseconds)
                    slot.tally.bad.put(into: &json)
                    slot.tally.total.put(into: &json)
                }
            }
        }
    }

    public init(_ reader: JSONReader) throws(JSONMismatch) {
        self.init(try Need(reader.member("need")))
        guard let to = try reader.optional("to") else { return }
        countedTo = try to.moment()
        for element in try reader.member("slots").elements().prefix(Course.slotsMax) {
            let row = try element.elements()
            guard row.count >= 4 else { throw element.mismatch(expected: "a slot, its beginning, bad cases and all") }
            let number = Int64(try row[0].int())
            guard abs(number) < Course.numberMax, slots.last.map({ $0.number < number }) ?? true else {
                throw row[0].mismatch(expected: "slots in order")
            }
            let (from, bad, total) = (Int64(try row[1].int()), try row[2].number(), try row[3].number())
            guard Course.instants.contains(from), total > 0 else {
                throw element.mismatch(expected: "a slot, its beginning, bad cases and all")
            }
            // Earlier programs took a rate of 100% for 11 good ones of 10.6, and wrote that less than none were bad.
            let tally = Tally(bad: bad.clamped(to: 0...total), of: total)
            slots.append(Slot(number: number, from: Moment(milliseconds: from), tally: tally))
        }
    }

    private static let instants = Moment.earliest.milliseconds...Moment.latest.milliseconds
    /// Far beyond all moments; a slot of a larger number has none.
    private static let numberMax: Int64 = 100_000_000
}
