/// A date and time on a wall, without a zone: what people write and calendars show.
///
/// The day arithmetic is that of the proleptic Gregorian calendar, counted in days from 1970-01-01 with the year
/// shifted to begin in March, so that the leap day is the last of its year.
public struct CivilTime: Hashable, Comparable, Sendable {
    /// Days since 1970-01-01 on the wall.
    public let day: Int
    /// Seconds since the wall's midnight, 0 to 86,399.
    public let secondOfDay: Int

    public init(day: Int, secondOfDay: Int) {
        let carried = secondOfDay >= 0 ? secondOfDay / 86_400 : -((86_399 - secondOfDay) / 86_400)
        self.day = day + carried
        self.secondOfDay = secondOfDay - carried * 86_400
    }

    public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= CivilTime.days(inMonth: month, of: year), (0...23).contains(hour), (0...59).contains(minute),
            (0...59).contains(second)
        else { return nil }
        self.init(
            day: CivilTime.dayNumber(year: year, month: month, day: day),
            secondOfDay: hour * 3600 + minute * 60 + second)
    }

    /// The wall time that a clock running `offset` seconds ahead of UTC shows at `moment`; milliseconds are cut.
    public init(_ moment: Moment, offset: Int = 0) {
        let seconds = Int(moment.unixSeconds) + offset
        let day = seconds >= 0 ? seconds / 86_400 : -((-seconds + 86_399) / 86_400)
        self.init(day: day, secondOfDay: seconds - day * 86_400)
    }

    /// The moment at which a clock running `offset` seconds ahead of UTC shows this wall time.
    public func moment(offset: Int = 0) -> Moment {
        Moment(milliseconds: Int64(day * 86_400 + secondOfDay - offset) * 1000)
    }

    public static func < (left: CivilTime, right: CivilTime) -> Bool {
        (left.day, left.secondOfDay) < (right.day, right.secondOfDay)
    }

    public var weekday: Weekday { Weekday(dayNumber: day) }
    public var hour: Int { secondOfDay / 3600 }
    public var minute: Int { secondOfDay / 60 % 60 }
    public var second: Int { secondOfDay % 60 }

    /// Year, month (1 to 12) and day of the month.
    public var date: (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468  // days since 0000-03-01
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// The date as config and files write it: `2026-11-20`.
    public var dateText: String {
        let (year, month, day) = date
        return "\(year.padded(4))-\(month.padded(2))-\(day.padded(2))"
    }

    /// The hour and the minute: `22:05`.
    public var clockText: String { "\(hour.padded(2)):\(minute.padded(2))" }

    /// The number of days from 1970-01-01 to the given date.
    public static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    public static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    public static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

/// A day of the week, Monday first.
public enum Weekday: Int, CaseIterable, Hashable, Sendable {
    case monday, tuesday, wednesday, thursday, friday, saturday, sunday

    /// The weekday of the day that many days after 1970-01-01, a Thursday.
    public init(dayNumber: Int) {
        let index = ((dayNumber + 3) % 7 + 7) % 7
        self = Weekday.allCases[index]
    }

    /// `mon` to `sun`, as config and messages write it.
    public var shortName: String { ["mon", "tue", "wed", "thu", "fri", "sat", "sun"][rawValue] }

    /// `monday` to `sunday`, as people write it who do not cut it short.
    var name: String { "\(self)" }

    public var next: Weekday { Weekday.allCases[(rawValue + 1) % 7] }
}
