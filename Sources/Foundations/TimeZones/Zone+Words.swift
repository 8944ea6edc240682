public import AlertModel

extension Zone {
    /// A moment on the zone's clock: `Fri 20 Nov 23:00 CET`.
    public func words(_ moment: Moment, in words: Words = .english) -> String {
        "\(wall(moment, in: words)) \(abbreviation(at: moment))"
    }

    /// A moment on the zone's clock, with its year where nobody would think of it: `Sat 20 Nov 2027 23:00 CET`.
    ///
    /// - Parameter now: when it is read.
    public func words(_ moment: Moment, readAt now: Moment) -> String {
        "\(wall(moment, readAt: now)) \(abbreviation(at: moment))"
    }

    /// The same for where the zone has been named: `Sat 20 Nov 2027 23:00`.
    public func wall(_ moment: Moment, readAt now: Moment) -> String {
        let text = wall(moment, in: .english)
        guard Zone.isFar(moment, from: now), let space = text.lastIndex(of: " ") else { return text }
        return "\(text[..<space]) \(civil(moment).date.year)\(text[space...])"
    }

    /// Whether a moment is so far from now that its day and its month are nearly those of today, or of tomorrow: then
    /// people need its year.
    public static func isFar(_ moment: Moment, from now: Moment) -> Bool {
        (moment < now ? now - moment : moment - now) > yearGoesUnsaid
    }

    /// Eleven months.
    private static let yearGoesUnsaid = Duration.days(330)

    /// A stretch of time on the zone's clock: `Fri 20 Nov 23:00 to 23:40 CET`.
    public func words(from: Moment, to: Moment) -> String {
        let stretch = wall(from: from, to: to, in: .english)
        return changes(from: from, to: to) ? stretch : "\(stretch) \(abbreviation(at: to))"
    }

    /// A moment on the zone's clock for where the zone has been named: `Fri 20 Nov 23:00`; with its year where that is
    /// another than the one of a reader: `Tue 5 Mar 2024 11:00`.
    ///
    /// - Parameter now: when it is read; nil for what goes without a year.
    public func wall(_ moment: Moment, in words: Words, readAt now: Moment? = nil) -> String {
        let civil = civil(moment)
        let date = civil.date
        let (weekday, month) = (civil.weekday.rawValue, date.month - 1)
        let year = now.flatMap { self.civil($0).date.year == date.year ? nil : " \(date.year)" }
        if words.hasEnglishDates {
            var text = words.weekdays[weekday]
            text += " "
            text += String(date.day)
            text += " "
            text += words.months[month]
            if let year { text += year }
            text += " "
            text += time(civil)
            return text
        }
        return words(
            .date,
            [
                .weekday: words.weekdays.indices.contains(weekday) ? words.weekdays[weekday] : "",
                .day: String(date.day),
                .month: (words.months.indices.contains(month) ? words.months[month] : "") + (year ?? ""),
                .time: time(civil),
            ])
    }

    /// The same of a stretch of time: `Fri 20 Nov 23:00 to 23:40`; over a change of the clocks with both their names.
    ///
    /// - Parameter now: when it is read, where it began in another year.
    public func wall(from: Moment, to: Moment, in words: Words, readAt now: Moment? = nil) -> String {
        let isSameDay = civil(from).day == civil(to).day
        var (begin, end) = (wall(from, in: words, readAt: now), isSameDay ? time(civil(to)) : wall(to, in: words))
        if changes(from: from, to: to) {
            begin += " \(abbreviation(at: from))"
            end += " \(abbreviation(at: to))"
        }
        return words(.stretch, [.from: begin, .to: end])
    }

    /// Whether the clocks go by another name at the end of a stretch than at its begin: then each end is told with its
    /// own, for an hour that exists twice would end when it began.
    public func changes(from: Moment, to: Moment) -> Bool { abbreviation(at: from) != abbreviation(at: to) }

    private func time(_ civil: CivilTime) -> String {
        var words = civil.hour < 10 ? "0" : ""
        words += String(civil.hour)
        words += civil.minute < 10 ? ":0" : ":"
        words += String(civil.minute)
        return words
    }
}
