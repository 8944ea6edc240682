internal import PluginKit
internal import SourceKit

/// How long a figure of Play's is.
enum Period: String, CaseIterable, Sendable {
    case hourly, daily

    /// Play is up to 4 hours late by the hour, and up to 48 by the day; three times the one and twice the other is trouble.
    var maxAge: Duration { self == .hourly ? .hours(12) : .days(4) }
    /// How long after its end a figure is there, usually and at the latest, as people report it; Play itself promises nothing.
    var lateness: ClosedRange<Duration> {
        switch self {
        case .hourly: .hours(2) ... .hours(4)
        case .daily: .days(1) ... .days(2)
        }
    }
    /// The word of the API.
    var word: String { self == .hourly ? "HOURLY" : "DAILY" }
    /// How many are asked for at first, for something to compare with.
    var first: Int { self == .hourly ? 24 : 7 }
    /// How many are asked for again later: late reports still change them.
    var again: Int { self == .hourly ? 4 : 3 }
}

/// Hours of UTC, or days as a clock in Los Angeles shows them: the API takes no others, and writes its times by them.
struct PlayCalendar: Sendable {
    let period: Period
    private let zone: Zone
    private let zoneName: String

    init(_ period: Period, _ zones: ZoneDatabase) throws(ZoneError) {
        self.period = period
        zoneName = period == .hourly ? "UTC" : "America/Los_Angeles"
        zone = period == .hourly ? .utc : try zones.zone(zoneName)
    }

    // MARK: - Counting

    /// The begin of the hour or day in which a moment lies.
    func begin(around moment: Moment) -> Moment {
        switch period {
        case .hourly: Recall.floor(moment, to: .hours(1))
        // Clocks in Los Angeles are set at two in the morning, so every day has its midnight.
        case .daily: zone.moment(beginning: CivilTime(day: zone.civil(moment).day, secondOfDay: 0))
        }
    }

    /// The end of the hour or day that begins there.
    func end(of start: Moment) -> Moment { moved(start, by: 1) }

    /// So many hours or days earlier or later; the clock may be set on the way.
    func moved(_ moment: Moment, by count: Int) -> Moment {
        switch period {
        case .hourly: return moment + .hours(Int64(count))
        case .daily: return movedByDays(moment, count)
        }
    }

    func movedByDays(_ moment: Moment, _ count: Int) -> Moment {
        let wall = zone.civil(moment)
        return zone.moment(beginning: CivilTime(day: wall.day + count, secondOfDay: wall.secondOfDay))
    }

    // MARK: - As the API writes it

    /// A begin or an end of an hour or a day.
    func json(_ moment: Moment) -> JSON {
        let members =
            PlayCalendar.parts(moment, period, zone).map { ($0.name, JSON($0.value)) } + [
                ("timeZone", ["id": .string(zoneName)])
            ]
        return .object(JSONObject(members))
    }

    /// An hour as pieces of an address. Where issues are searched, the API takes UTC alone, whatever figures are counted by.
    static func query(_ name: String, _ moment: Moment) -> AddressQuery {
        parts(moment, .hourly, .utc).map { ("\(name).\($0.name)", "\($0.value)") } + [("\(name).timeZone.id", "UTC")]
    }

    /// Days have no hours, not even 0, and nothing has minutes.
    private static func parts(_ moment: Moment, _ period: Period, _ zone: Zone) -> [(name: String, value: Int)] {
        let wall = zone.civil(moment)
        let date = wall.date
        let day = [("year", date.year), ("month", date.month), ("day", date.day)]
        return period == .hourly ? day + [("hours", wall.hour)] : day
    }

    /// Reads a begin or an end.
    func moment(_ reader: JSONReader) throws(JSONMismatch) -> Moment {
        let name = try reader.member("timeZone").member("id")
        guard try name.string() == zoneName else { throw name.mismatch(expected: "\"\(zoneName)\"") }
        let hour = try reader.optional("hours")
        for finer in ["minutes", "seconds", "nanos"] {
            guard let part = try reader.optional(finer) else { continue }
            guard try part.number() == 0 else {
                throw part.mismatch(expected: "0, because a figure is an hour or a day")
            }
        }
        if period == .daily, let hour, try hour.int() != 0 {
            throw hour.mismatch(expected: "0, because days are whole")
        }
        let wall = CivilTime(
            year: try reader.member("year").int(), month: try reader.member("month").int(),
            day: try reader.member("day").int(), hour: try hour?.int() ?? 0)
        guard let wall else { throw reader.mismatch(expected: "a date that exists") }
        return zone.moment(beginning: wall)
    }
}
