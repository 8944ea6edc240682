import AlertModel

/// How a zone's clock goes on for ever: the POSIX `TZ` string in the footer of a TZif file.
///
/// `CET-1CEST,M3.5.0,M10.5.0/3` reads: CET is an hour ahead of UTC (the sign is the other way round), CEST one more,
/// from the last Sunday of March at 02:00 to the last Sunday of October at 03:00, each on the clock that is about to
/// go.
struct YearlyRule: Sendable, Hashable {
    /// As it was read.
    let text: String
    let standard: LocalClock
    let season: Season?

    /// The part of every year that has another clock. It may span the new year, as it does south of the equator, or be
    /// the whole year; and its clock may be behind the standard one, as Ireland's is in winter.
    struct Season: Sendable, Hashable {
        let clock: LocalClock
        /// On the standard clock.
        let begin: YearlyTime
        /// On the season's clock.
        let end: YearlyTime
    }

    /// The clock in use at that Unix second, and a later second up to which it certainly stays so.
    func stretch(at second: Int) -> (clock: LocalClock, end: Int) {
        guard let season else { return (standard, .max) }
        let year = CivilTime(day: 0, secondOfDay: second).date.year
        var isInSeason = false
        var stretchEnd = Int.max
        // A rule's time reaches up to a week beyond its day, thus into a neighbouring year: two years on either side
        // always hold a season before this second and one after it. Where seasons overlap or touch they count as one:
        // that is how a permanent season is written.
        for year in year - 2...year + 2 {
            let from = season.begin.second(in: year) - standard.offset
            var to = season.end.second(in: year) - season.clock.offset
            if to < from { to = season.end.second(in: year + 1) - season.clock.offset }
            if from <= second, second < to { isInSeason = true }
            if from > second { stretchEnd = min(stretchEnd, from) }
            if to > second { stretchEnd = min(stretchEnd, to) }
        }
        return (isInSeason ? season.clock : standard, stretchEnd)
    }
}

/// A wall time that returns every year.
struct YearlyTime: Sendable, Hashable {
    enum Day: Sendable, Hashable {
        /// `Jn`: 1 to 365, with 29 February never counted.
        case withoutLeapDay(Int)
        /// `n`: 0 to 365, with 29 February counted.
        case ordinal(Int)
        /// `Mm.w.d`: a weekday (0 is Sunday) in a week of a month, where the fifth is the last.
        case weekday(month: Int, week: Int, weekday: Int)
    }

    let day: Day
    /// Seconds from the day's midnight, within a week of it to either side.
    let secondOfDay: Int

    /// The wall time of one year, in seconds since 1970-01-01 on the wall.
    func second(in year: Int) -> Int { dayNumber(in: year) * 86_400 + secondOfDay }

    private func dayNumber(in year: Int) -> Int {
        let newYear = CivilTime.dayNumber(year: year, month: 1, day: 1)
        switch day {
        case .withoutLeapDay(let count):
            return newYear + count - 1 + (count >= 60 && CivilTime.isLeap(year) ? 1 : 0)
        case .ordinal(let count):
            return newYear + count
        case .weekday(let month, let week, let weekday):
            let first = CivilTime.dayNumber(year: year, month: month, day: 1)
            let sundayFirst = (Weekday(dayNumber: first).rawValue + 1) % 7
            let day = (weekday - sundayFirst + 7) % 7 + (week - 1) * 7
            return first + (day < CivilTime.days(inMonth: month, of: year) ? day : day - 7)
        }
    }
}
