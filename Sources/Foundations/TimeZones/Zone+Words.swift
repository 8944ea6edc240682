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
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = civil.weekday.shortName
        return
            "\(weekday.prefix(1).uppercased())\(weekday.dropFirst()) \(civil.date.day) \(months[civil.date.month - 1]) "
            + time(moment)
    }

    private func time(_ moment: Moment) -> String {
        let civil = civil(moment)
        return "\(civil.hour.padded(2)):\(civil.minute.padded(2))"
    }
}
