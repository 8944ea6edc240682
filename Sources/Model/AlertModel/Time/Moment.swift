/// A point in wall time, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// Moments are for people, calendars and records. Delays are `Duration`s, and waiting is the shell's business: nothing
/// in the core reads a clock, `now` always arrives as a parameter.
public struct Moment: Hashable, Comparable, Sendable {
    /// Milliseconds since the epoch; negative before 1970.
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Makes a moment from Unix seconds, or nil when the number is not finite or lies outside the years 1 to 9999.
    public init?(unixSeconds: Double) {
        let scaled = (unixSeconds * 1000).rounded()
        guard scaled >= Double(Moment.earliest.milliseconds), scaled <= Double(Moment.latest.milliseconds) else {
            return nil
        }
        self.init(milliseconds: Int64(scaled))
    }

    /// The first moment that RFC 3339 can write: 0001-01-01T00:00:00Z.
    public static let earliest = Moment(milliseconds: -62_135_596_800_000)
    /// The last whole second that RFC 3339 can write: 9999-12-31T23:59:59Z.
    public static let latest = Moment(milliseconds: 253_402_300_799_000)

    /// Nil for `.latest`, which stands for an end that only an event can bring.
    public var ifKnown: Moment? { self < .latest ? self : nil }

    /// Whole Unix seconds, rounded down.
    public var unixSeconds: Int64 {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return rest < 0 ? seconds - 1 : seconds
    }

    public static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }

    public static func + (moment: Moment, duration: Duration) -> Moment {
        let (sum, overflow) = moment.milliseconds.addingReportingOverflow(duration.wholeMilliseconds)
        guard !overflow else { return duration < .zero ? earliest : latest }
        return Moment(milliseconds: min(max(sum, earliest.milliseconds), latest.milliseconds))
    }

    public static func - (moment: Moment, duration: Duration) -> Moment { moment + (.zero - duration) }

    /// The time from `right` to `left`; negative when `left` is earlier.
    public static func - (left: Moment, right: Moment) -> Duration {
        .milliseconds(left.milliseconds - right.milliseconds)
    }
}

extension Duration {
    public static func minutes(_ minutes: Int64) -> Duration { .seconds(minutes * 60) }
    public static func hours(_ hours: Int64) -> Duration { .seconds(hours * 3600) }
    public static func days(_ days: Int64) -> Duration { .seconds(days * 86_400) }

    /// The duration in milliseconds, parts of a millisecond cut; saturates instead of overflowing.
    public var wholeMilliseconds: Int64 {
        let attoseconds = attoseconds
        let whole = attoseconds.magnitude
        let (high, low) = (UInt64(truncatingIfNeeded: whole >> 64), UInt64(truncatingIfNeeded: whole))
        // The division of 128 bits by 64 that the processor has: moments are added and compared all the time. A quotient
        // of more than 64 bits is beyond all bounds.
        guard high < Duration.attosecondsInMillisecond,
            let length = Int64(exactly: Duration.attosecondsInMillisecond.dividingFullWidth((high, low)).quotient)
        else { return attoseconds < 0 ? .min : .max }
        return attoseconds < 0 ? -length : length
    }

    private static let attosecondsInMillisecond: UInt64 = 1_000_000_000_000_000

    /// The duration in seconds, with parts.
    public var inSeconds: Double { Double(wholeMilliseconds) / 1000 }

    /// The duration stretched by a factor, rounded to whole milliseconds and bounded by ten thousand years.
    public func scaled(by factor: Double) -> Duration {
        let product = Double(wholeMilliseconds) * factor
        let most = Duration.days(3_650_000)
        guard product.isFinite else { return most }
        let bound = Double(most.wholeMilliseconds)
        return .milliseconds(Int64(product.rounded().clamped(to: -bound...bound)))
    }
}

extension Comparable {
    /// The nearest value inside `range`.
    public func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
