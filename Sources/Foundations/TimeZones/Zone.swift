public import AlertModel

// IANA time zones, read from the tz database that the system keeps up to date.
//
// Zones come from compiled TZif files (RFC 8536 and 9636) and from nothing else: no locale data, and no tables of our
// own that would grow old with the binary. The module answers two questions, which instant a wall clock shows and which
// instants show a given wall time, and on top of them says when a recurring `DailyWindow` is open. It formats nothing,
// and it does not know what time it is.

/// A time zone: how far a region's wall clocks were, are and will be ahead of UTC.
///
/// Moments and wall times outside the years 1 to 9999 are treated as the nearest ones inside.
public struct Zone: Sendable, Hashable {
    /// The name the zone was asked for, an alias included: `Europe/Madrid`, `US/Eastern`.
    public let name: String

    /// The Unix seconds at which the clock changes, in ascending order.
    let changes: [Int]
    /// Indices into `clocks`: what holds before the first change, then what each change brings. One more than
    /// `changes`.
    let clockIndices: [UInt8]
    let clocks: [LocalClock]
    /// What holds from the last change on, for ever; nil when the last clock simply stays.
    let rule: YearlyRule?

    /// Coordinated universal time, which needs no file.
    public static let utc = Zone(fixedToUTC: "UTC")

    /// UTC under one of its names.
    init(fixedToUTC name: String) {
        self.init(name: name, changes: [], clockIndices: [0], clocks: [LocalClock(offset: 0, abbreviation: "UTC")])
    }

    init(name: String, changes: [Int], clockIndices: [UInt8], clocks: [LocalClock], rule: YearlyRule? = nil) {
        self.name = name
        self.changes = changes
        self.clockIndices = clockIndices
        self.clocks = clocks
        self.rule = rule
    }

    /// How many seconds the wall clock is ahead of UTC at `moment`; negative west of Greenwich.
    public func offset(at moment: Moment) -> Int {
        stretch(at: Zone.seconds(moment)).clock.offset
    }

    /// What the clock of `moment` is called: `CEST`, `EST`, or `+03` where people have no name for it.
    public func abbreviation(at moment: Moment) -> String {
        stretch(at: Zone.seconds(moment)).clock.abbreviation
    }

    /// What the wall clock shows at `moment`, cut to whole seconds.
    public func civil(_ moment: Moment) -> CivilTime {
        let seconds = Zone.seconds(moment)
        return CivilTime(day: 0, secondOfDay: seconds + stretch(at: seconds).clock.offset)
    }

    /// When the wall clock shows a given time.
    public enum Occurrence: Sendable, Hashable {
        /// At one instant, as on nearly every day.
        case once(Moment)
        /// Never, because the clock was set forward past it.
        case skipped(firstInstantAfterGap: Moment)
        /// More than once, because the clock was set back.
        case twice(first: Moment, last: Moment)
    }

    /// The instants at which the wall clock shows `civil`.
    public func occurrences(of civil: CivilTime) -> Occurrence {
        let wall = Zone.seconds(civil)
        // Clocks are less than `offsetMax` away from UTC, so no other stretch can show this wall time.
        var from = wall - LocalClock.offsetMax
        let last = wall + LocalClock.offsetMax
        var first: Int?
        var latest: Int?
        var gapEnd: Int?
        var offsetBefore: Int?
        while from <= last {
            let (clock, end) = stretch(at: from)
            if let offsetBefore, gapEnd == nil, from + offsetBefore <= wall, wall < from + clock.offset {
                gapEnd = from
            }
            let instant = wall - clock.offset
            if from <= instant, instant < end {
                first = first ?? instant
                latest = instant
            }
            offsetBefore = clock.offset
            from = end
        }
        // A wall time that is never shown lies in a gap: between two stretches the clock can only have jumped over it.
        guard let first, let latest else { return .skipped(firstInstantAfterGap: Zone.moment(gapEnd ?? wall)) }
        return first == latest
            ? .once(Zone.moment(first)) : .twice(first: Zone.moment(first), last: Zone.moment(latest))
    }

    /// The instant at which something begins that is written to begin at `civil`: the first time the clock shows it, or
    /// the first instant after the gap that swallowed it.
    public func moment(beginning civil: CivilTime) -> Moment {
        switch occurrences(of: civil) {
        case .once(let moment), .skipped(let moment), .twice(let moment, _): moment
        }
    }

    /// The instant at which something ends that is written to end at `civil`: the last time the clock shows it, or the
    /// first instant after the gap that swallowed it.
    public func moment(ending civil: CivilTime) -> Moment {
        switch occurrences(of: civil) {
        case .once(let moment), .skipped(let moment), .twice(_, let moment): moment
        }
    }

    /// The clock in use at that Unix second, and a second up to which it certainly stays so; that is not always the
    /// next change, but always later than `second`.
    private func stretch(at second: Int) -> (clock: LocalClock, end: Int) {
        var low = 0
        var high = changes.count
        while low < high {
            let middle = (low + high) / 2
            if changes[middle] <= second { low = middle + 1 } else { high = middle }
        }
        if low == changes.count, let rule { return rule.stretch(at: second) }
        return (clocks[Int(clockIndices[low])], low < changes.count ? changes[low] : .max)
    }

    private static func seconds(_ moment: Moment) -> Int {
        Int(moment.clamped(to: .earliest ... .latest).unixSeconds)
    }

    private static func seconds(_ civil: CivilTime) -> Int {
        let days = CivilTime(.earliest).day...CivilTime(.latest).day
        return civil.day.clamped(to: days) * 86_400 + civil.secondOfDay
    }

    private static func moment(_ second: Int) -> Moment {
        Moment(milliseconds: Int64(second) * 1000)
    }
}

/// A way to set a clock: its distance from UTC and what people call it.
struct LocalClock: Sendable, Hashable {
    /// Seconds ahead of UTC, nearer to it than `offsetMax`.
    let offset: Int
    let abbreviation: String

    /// RFC 9636, 3.2: offsets lie between -24:59:59 and 25:59:59.
    static let offsetMax = 26 * 3600
    /// RFC 9636, 3.2 asks for at least three letters and names no most; the longest in use have six.
    static let abbreviationBytesMax = 30

    /// Whether the bytes can be an abbreviation: ASCII letters, digits, `+` and `-`, and not too many.
    static func isAbbreviation(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count <= abbreviationBytesMax
            && bytes.allSatisfy { $0.isASCIILetterOrDigit || "+-".utf8.contains($0) }
    }
}
