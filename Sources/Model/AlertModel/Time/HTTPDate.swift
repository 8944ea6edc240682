extension Moment {
    /// Reads an HTTP date (RFC 9110, section 5.6.7): the usual form and the two obsolete ones.
    ///
    /// A two-digit year is read as the nearest year that is not more than fifty years ahead of `now`.
    public init?(httpDate text: String, now: Moment) {
        let words = text.split { " ,-".contains($0) }.map(String.init)
        let civil: CivilTime? =
            switch words.count {
            // Every HTTP date is in GMT; one that says otherwise would be read hours wrong.
            case 6 where ["gmt", "utc"].contains(words[5].lowercased()):
                Moment.civil(day: words[1], month: words[2], year: words[3], time: words[4], now: now)
            case 5: Moment.civil(day: words[2], month: words[1], year: words[4], time: words[3], now: now)
            default: nil
            }
        guard let civil else { return nil }
        self = civil.moment()
    }

    private static let monthNames = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func civil(day: String, month: String, year: String, time: String, now: Moment) -> CivilTime? {
        let clock = time.split(separator: ":").map { Int($0) }
        guard let day = Int(day), let month = monthNames.firstIndex(of: month.lowercased()), var year = Int(year),
            clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2], second <= 60
        else { return nil }
        if year < 100 {
            let thisYear = CivilTime(now).date.year
            year += thisYear / 100 * 100
            if year > thisYear + 50 { year -= 100 }
            if year <= thisYear - 50 { year += 100 }
        }
        return CivilTime(year: year, month: month + 1, day: day, hour: hour, minute: minute, second: min(second, 59))
    }
}

extension HTTPResponse {
    /// How long the service asked us to stay away by `Retry-After`, as seconds (parts allowed) or as an HTTP date; some
    /// write Unix time.
    ///
    /// Nil when there is none, or when it makes no sense: negative, zero, in the past, or longer than anybody means.
    public func retryAfter(now: Moment) -> Duration? {
        guard let value = header("Retry-After") else { return nil }
        if let seconds = Double(value) { return HTTPResponse.wait(untilReset: seconds, now: now) }
        guard let moment = Moment(httpDate: value, now: now), moment > now else { return nil }
        return Duration.told(seconds: (moment - now).inSeconds)
    }
}

extension Duration {
    /// The wait that a service means which says so many seconds; nil when it makes no sense.
    public static func told(seconds: Double) -> Duration? {
        waitingTime(seconds: seconds).flatMap { $0 <= toldMax ? $0 : nil }
    }

    /// The longest wait that a service is believed to mean: thirty days, as quotas of a month have. One that says more
    /// has made a mistake, and to keep to it would be silence for years.
    private static let toldMax = Duration.days(30)

    /// The longest wait: ten years, so that sums cannot overflow.
    private static let waitSecondsMax = 315_360_000.0

    /// A wait of that many seconds, rounded up to whole milliseconds; nil when it makes no sense.
    public static func waitingTime(seconds: Double) -> Duration? {
        guard seconds > 0, seconds.isFinite else { return nil }
        return .milliseconds(Int64((min(seconds, waitSecondsMax) * 1000).rounded(.up)))
    }
}
