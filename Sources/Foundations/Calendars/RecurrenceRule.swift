internal import AlertModel

/// When an event returns (RFC 5545, 3.3.10), in days.
///
/// The days of a period are those that every part of the rule allows; `positions` choose among them.
struct RecurrenceRule: Sendable, Hashable {
    enum Frequency: String, CaseIterable, Sendable { case daily, weekly, monthly, yearly }

    /// Every Friday, or the first of a month or a year, or the second last.
    struct WeekdayRule: Sendable, Hashable {
        let weekday: Weekday
        /// Counted from 1, or from -1 backwards; nil for every one.
        let ordinal: Int?
    }

    var frequency = Frequency.yearly
    var interval = 1
    /// How often in all, the first included; nil for no such end.
    var count: Int?
    /// The last beginning that there may be; nil for no such end.
    var until: Event.Start?
    var months: Set<Int> = []
    /// Of a month, counted from 1, or from -1 backwards.
    var monthDays: Set<Int> = []
    var weekdays: [WeekdayRule] = []
    /// Which of the days of a period, counted from 1, or from -1 backwards; none for all.
    var positions: Set<Int> = []
    var weekStart = Weekday.monday
    /// Where it stands.
    let line: Int

    /// The days on which an event begins, in order.
    ///
    /// - Parameters:
    ///   - first: the day on which it begins for the first time, whether the rule fits it or not.
    ///   - last: the last day that counts; nil for no such end.
    func days(from first: Int, through last: Int?, _ room: inout Expansion) throws(CalendarFault) -> [Int] {
        let end = min(last ?? .max, EventCalendar.horizon - 1)
        guard first <= end else { return [] }
        var found = [first]
        try room.takeOccurrence(line)
        var period = 0
        while found.count < count ?? .max {
            let stretches = stretches(of: period, from: first)
            guard stretches.first.map({ $0.lowerBound <= end }) ?? false else { break }
            var fitting: [Int] = []
            for day in stretches.joined() where day <= end || !positions.isEmpty {
                try room.takeTry(line)
                if fits(day, first) { fitting.append(day) }
            }
            for day in chosen(fitting) where day > first && day <= end && found.count < count ?? .max {
                try room.takeOccurrence(line)
                found.append(day)
            }
            period += 1
        }
        return found
    }

    /// The days of a period, counted from that of the first day; of a year with months, only those months. There is
    /// always one, so that a rule comes to its end.
    private func stretches(of period: Int, from first: Int) -> [Range<Int>] {
        let date = CivilTime(day: first, secondOfDay: 0).date
        switch frequency {
        case .daily:
            let day = first + period * interval
            return [day..<(day + 1)]
        case .weekly:
            let back = (Weekday(dayNumber: first).rawValue - weekStart.rawValue + 7) % 7
            let day = first - back + period * interval * 7
            return [day..<(day + 7)]
        case .monthly:
            return [RecurrenceRule.month(date.year * 12 + date.month - 1 + period * interval)]
        case .yearly:
            let year = date.year + period * interval
            let start = year * 12
            let months = months.isEmpty && isOnDate ? [date.month] : months.isEmpty ? Array(1...12) : months.sorted()
            return months.map { RecurrenceRule.month(start + $0 - 1) }
        }
    }

    /// The days of a month, counted from January of the year 0.
    private static func month(_ index: Int) -> Range<Int> {
        let (year, month) = (index / 12, index % 12 + 1)
        let day = CivilTime.dayNumber(year: year, month: month, day: 1)
        return day..<(day + CivilTime.days(inMonth: month, of: year))
    }

    /// Whether a month or a year says nothing of its days, so that the date of the first one counts.
    private var isOnDate: Bool { monthDays.isEmpty && weekdays.isEmpty }

    private func fits(_ day: Int, _ first: Int) -> Bool {
        let date = CivilTime(day: day, secondOfDay: 0).date
        if !months.isEmpty, !months.contains(date.month) { return false }
        let length = CivilTime.days(inMonth: date.month, of: date.year)
        if !monthDays.isEmpty, !monthDays.contains(date.day), !monthDays.contains(date.day - length - 1) {
            return false
        }
        if !weekdays.isEmpty { return weekdays.contains { fits($0, day, date, monthLength: length) } }
        switch frequency {
        case .daily: return true
        case .weekly: return Weekday(dayNumber: day) == Weekday(dayNumber: first)
        case .monthly, .yearly:
            return !isOnDate || date.day == CivilTime(day: first, secondOfDay: 0).date.day
        }
    }

    private func fits(
        _ rule: WeekdayRule, _ day: Int, _ date: (year: Int, month: Int, day: Int), monthLength: Int
    ) -> Bool {
        guard rule.weekday == Weekday(dayNumber: day) else { return false }
        guard let ordinal = rule.ordinal else { return true }
        // The second Friday of a year, unless the rule is about months.
        let isOfYear = frequency == .yearly && months.isEmpty
        let length = isOfYear ? (CivilTime.isLeap(date.year) ? 366 : 365) : monthLength
        let place = isOfYear ? day - CivilTime.dayNumber(year: date.year, month: 1, day: 1) : date.day - 1
        return ordinal > 0 ? place / 7 + 1 == ordinal : (length - 1 - place) / 7 + 1 == -ordinal
    }

    private func chosen(_ days: [Int]) -> [Int] {
        guard !positions.isEmpty else { return days }
        return days.enumerated().filter { index, _ in
            positions.contains(index + 1) || positions.contains(index - days.count)
        }.map(\.element)
    }
}
