public import AlertModel

/// A stretch of the day that returns on a zone's wall clock, such as quiet hours on weekdays from 22:00 to 07:00.
///
/// `days` and `dates` name the local days on which a window begins: Friday's 22:00-07:00 ends on Saturday. Windows follow the wall
/// clock through every change of it: a time that does not exist begins or ends at the first instant after the gap, a
/// time that exists twice begins at its first occurrence and ends at its last. A window that lies inside a gap is left
/// out.
public struct DailyWindow: Sendable, Hashable {
    public let zone: Zone
    public let days: DaySet
    public let dates: DateSet
    public let hours: DailyHours

    public init(zone: Zone, days: DaySet = .everyDay, dates: DateSet = .none, hours: DailyHours) {
        self.zone = zone
        self.days = days
        self.dates = dates
        self.hours = hours
    }

    /// How far ahead windows are looked for: a year and some weeks, so that whatever returns yearly is seen.
    public static let daysAheadMax = 400

    /// Whether there is no window at all: it has dates alone, and on each of them the clock skips its hours.
    public var isNever: Bool {
        days.days.isEmpty && !dates.ranges.contains { $0.days.contains { window(beginningOn: $0) != nil } }
    }

    /// The window that holds `moment`, with its end excluded; nil when none does. Of two that overlap, where a clock
    /// was set back across midnight, it is the earlier.
    public func window(containing moment: Moment) -> TimeSpan? {
        let day = zone.civil(moment).day
        let latest = day + DailyWindow.reach
        return firstWindow(from: day - DailyWindow.reach, through: latest) { $0.to > moment }
            .flatMap { $0.window.from <= moment ? $0.window : nil }
    }

    /// The next window that begins at `moment` or later; nil when none does within 400 days.
    public func next(after moment: Moment) -> TimeSpan? {
        let day = zone.civil(moment).day
        return firstWindow(from: day - DailyWindow.reach, through: day + DailyWindow.daysAheadMax) {
            $0.from >= moment
        }?
        .window
    }

    /// The end of the window that holds `moment`, or of the last one of those that follow it without a pause; nil when
    /// none holds it.
    ///
    /// 00:00-24:00 on every day never ends: `Moment.latest`. Other windows that do not pause for so long end 400 days
    /// from `moment`.
    public func quietUntil(_ moment: Moment) -> Moment? {
        if days == .everyDay, hours.isWholeDay { return .latest }
        let bound = moment + .days(Int64(DailyWindow.daysAheadMax))
        let today = zone.civil(moment).day
        let lastDay = today + DailyWindow.daysAheadMax + DailyWindow.reach
        var found = firstWindow(from: today - DailyWindow.reach, through: lastDay) { $0.to > moment }
        var end: Moment?
        while let (day, window) = found, window.from <= end ?? moment {
            end = min(window.to, bound)
            guard window.to < bound else { break }
            found = firstWindow(from: day + 1, through: lastDay) { _ in true }
        }
        return end
    }

    /// A window begins at most a day before the wall day it ends on, and a clock can be set back or forward by little
    /// more than another day: three days to either side hold every window that can hold a moment.
    private static let reach = 3

    /// The first window that begins on one of these wall days and is as wanted. Windows of later days neither begin nor
    /// end earlier, because both follow the same clock.
    private func firstWindow(from firstDay: Int, through lastDay: Int, where isWanted: (TimeSpan) -> Bool) -> (
        day: Int, window: TimeSpan
    )? {
        for day in firstDay...lastDay where begins(on: day) {
            if let window = window(beginningOn: day), isWanted(window) { return (day, window) }
        }
        return nil
    }

    private func begins(on day: Int) -> Bool {
        days.contains(Weekday(dayNumber: day)) || dates.contains(day)
    }

    private func window(beginningOn day: Int) -> TimeSpan? {
        TimeSpan(
            from: zone.moment(beginning: CivilTime(day: day, secondOfDay: hours.begin)),
            to: zone.moment(ending: CivilTime(day: hours.crossesMidnight ? day + 1 : day, secondOfDay: hours.end)))
    }
}
