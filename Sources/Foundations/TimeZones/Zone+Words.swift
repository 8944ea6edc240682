public import AlertModel

extension Zone {
    /// A moment on the zone's clock: `Fri 20 Nov 23:00 CET`.
    public func words(_ moment: Moment) -> String { "\(wall(moment)) \(abbreviation(at: moment))" }

    /// A stretch of time on the zone's clock: `Fri 20 Nov 23:00 to 23:40 CET`.
    public func words(from: Moment, to: Moment) -> String {
        let isSameDay = civil(from).day == civil(to).day
        return "\(wall(from)) to \(isSameDay ? time(to) : wall(to)) \(abbreviation(at: to))"
    }

    private func wall(_ moment: Moment) -> String {
        let civil = civil(moment)
        let date = civil.date
        var words = Zone.weekdays[civil.weekday.rawValue]
        words += " "
        words += String(date.day)
        words += " "
        words += Zone.months[date.month - 1]
        words += " "
        words += time(civil)
        return words
    }

    private func time(_ moment: Moment) -> String { time(civil(moment)) }

    private func time(_ civil: CivilTime) -> String {
        var words = civil.hour < 10 ? "0" : ""
        words += String(civil.hour)
        words += civil.minute < 10 ? ":0" : ":"
        words += String(civil.minute)
        return words
    }

    private static let weekdays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
