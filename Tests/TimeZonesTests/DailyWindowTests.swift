import AlertModel
import Chance
import Testing
import TimeZones

@Suite struct `Daily windows` {
    struct Case: Sendable, CustomTestStringConvertible {
        let zone: String
        let hours: String
        let days: String
        /// An instant inside the window.
        let at: String
        let from: String
        let to: String
        let why: String

        var testDescription: String { "\(zone) \(hours) \(days): \(why)" }

        init(
            _ zone: String,
            _ hours: String,
            _ days: String = "mon-sun",
            at: String,
            _ from: String,
            _ to: String,
            _ why: String
        ) {
            (self.zone, self.hours, self.days, self.at) = (zone, hours, days, at)
            (self.from, self.to, self.why) = (from, to, why)
        }
    }

    static let cases = [
        Case(
            "Europe/Madrid", "22:00-07:00", at: "2025-06-15T23:00Z", "2025-06-15T20:00Z", "2025-06-16T05:00Z",
            "nine hours on a plain night"),
        Case(
            "Europe/Madrid", "22:00-07:00", at: "2025-03-30T01:00Z", "2025-03-29T21:00Z", "2025-03-30T05:00Z",
            "eight hours in the night that loses one"),
        Case(
            "Europe/Madrid", "22:00-07:00", at: "2025-10-26T01:00Z", "2025-10-25T20:00Z", "2025-10-26T06:00Z",
            "ten hours in the night that gains one"),
        Case(
            "Europe/Madrid", "02:30-03:30", at: "2025-03-30T01:15Z", "2025-03-30T01:00Z", "2025-03-30T01:30Z",
            "02:30 does not exist: begins after the gap"),
        Case(
            "Europe/Madrid", "01:30-02:30", at: "2025-03-30T00:45Z", "2025-03-30T00:30Z", "2025-03-30T01:00Z",
            "02:30 does not exist: ends after the gap"),
        Case(
            "Europe/Madrid", "02:30-03:30", at: "2025-10-26T01:10Z", "2025-10-26T00:30Z", "2025-10-26T02:30Z",
            "02:30 exists twice: begins the first time"),
        Case(
            "Europe/Madrid", "01:30-02:30", at: "2025-10-26T01:10Z", "2025-10-25T23:30Z", "2025-10-26T01:30Z",
            "02:30 exists twice: ends the last time"),
        Case(
            "Europe/Madrid", "22:00-07:00", "fri", at: "2025-06-07T04:59Z", "2025-06-06T20:00Z", "2025-06-07T05:00Z",
            "Friday's window ends on Saturday"),
        Case(
            "Europe/Madrid", "00:00-24:00", "sun", at: "2025-03-30T10:00Z", "2025-03-29T23:00Z", "2025-03-30T22:00Z",
            "a day of 23 hours"),
        Case(
            "America/New_York", "22:00-07:00", at: "2025-03-09T07:00Z", "2025-03-09T03:00Z", "2025-03-09T11:00Z",
            "eight hours in spring"),
        Case(
            "America/New_York", "22:00-07:00", at: "2025-11-02T06:30Z", "2025-11-02T02:00Z", "2025-11-02T12:00Z",
            "ten hours in autumn"),
        Case(
            "America/New_York", "01:30-01:45", at: "2025-11-02T06:00Z", "2025-11-02T05:30Z", "2025-11-02T06:45Z",
            "both ends exist twice"),
        Case(
            "Australia/Lord_Howe", "02:15-02:45", at: "2025-10-04T15:30Z", "2025-10-04T15:30Z", "2025-10-04T15:45Z",
            "a gap of half an hour"),
        Case(
            "Australia/Lord_Howe", "01:45-02:15", at: "2025-04-05T15:00Z", "2025-04-05T14:45Z", "2025-04-05T15:45Z",
            "half an hour twice"),
        Case(
            "Pacific/Apia", "22:00-07:00", "thu", at: "2011-12-30T09:00Z", "2011-12-30T08:00Z", "2011-12-30T10:00Z",
            "ends with the day that was skipped"),
        Case(
            "Pacific/Apia", "22:00-07:00", "fri", at: "2011-12-30T10:00Z", "2011-12-30T10:00Z", "2011-12-30T17:00Z",
            "begins after the Friday that was skipped"),
        Case(
            "Africa/Casablanca", "22:00-07:00", at: "2025-02-23T02:00Z", "2025-02-22T21:00Z", "2025-02-23T07:00Z",
            "Ramadan sets the clock back"),
        Case(
            "Africa/Casablanca", "22:00-07:00", at: "2025-04-06T02:00Z", "2025-04-05T22:00Z", "2025-04-06T06:00Z",
            "and its end forward"),
        Case(
            "America/Sao_Paulo", "00:00-06:00", at: "2018-11-04T03:00Z", "2018-11-04T03:00Z", "2018-11-04T08:00Z",
            "midnight does not exist: begins at 01:00"),
        Case(
            "America/Sao_Paulo", "22:00-24:00", at: "2018-11-04T02:59Z", "2018-11-04T01:00Z", "2018-11-04T03:00Z",
            "midnight does not exist: ends at 01:00"),
        Case(
            "America/Sao_Paulo", "22:00-24:00", at: "2019-02-17T02:00Z", "2019-02-17T00:00Z", "2019-02-17T03:00Z",
            "the hour before midnight exists twice"),
        Case(
            "Asia/Kathmandu", "22:00-07:00", at: "2025-06-01T16:15Z", "2025-06-01T16:15Z", "2025-06-02T01:15Z",
            "5:45 ahead, without changes"),
        Case(
            "Atlantic/Azores", "00:00-24:00", "sat", at: "2025-10-26T00:59Z", "2025-10-25T00:00Z", "2025-10-26T01:00Z",
            "Sunday's midnight comes twice, and Saturday ends at the last"),
    ]

    @Test(arguments: cases)
    func `windows follow the wall clock`(of row: Case) throws {
        let window = try window(row.zone, row.hours, row.days)
        let expected = try TimeSpan(from: instant(row.from), to: instant(row.to))
        let tick = Duration.milliseconds(1)
        #expect(try window.window(containing: instant(row.at)) == expected)
        #expect(try window.window(containing: instant(row.from)) == expected)
        #expect(try window.window(containing: instant(row.to) - tick) == expected)
        #expect(try window.window(containing: instant(row.to)) != expected)
        #expect(try window.window(containing: instant(row.from) - tick) != expected)
        #expect(try window.next(after: instant(row.from)) == expected)
        #expect(try window.next(after: instant(row.from) - tick) == expected)
        #expect(try window.next(after: instant(row.from) + tick) != expected)
    }

    @Test(arguments: [
        ("Europe/Madrid", "02:15-02:45", "mon-sun", "2025-03-29T12:00Z", "2025-03-31T00:15Z"),
        ("Europe/Madrid", "02:00-03:00", "mon-sun", "2025-03-29T12:00Z", "2025-03-31T00:00Z"),
        ("Pacific/Apia", "09:00-17:00", "fri", "2011-12-27T00:00Z", "2012-01-05T19:00Z"),
        ("Europe/Madrid", "22:00-07:00", "mon", "2025-06-03T00:00Z", "2025-06-09T20:00Z"),
    ])
    func `a window inside a gap is left out`(
        zone: String,
        hours: String,
        days: String,
        from: String,
        next: String
    ) throws {
        let window = try window(zone, hours, days)
        #expect(try window.next(after: instant(from))?.from == instant(next))
    }

    @Test(arguments: [
        // On its own; nothing; touching across days; overlapping; a whole weekend.
        ("Europe/Madrid", "22:00-07:00", "mon-sun", "2025-06-15T23:00Z", "2025-06-16T05:00Z"),
        ("Europe/Madrid", "22:00-07:00", "mon-sun", "2025-06-15T12:00Z", nil),
        ("Pacific/Apia", "22:00-07:00", "thu,fri", "2011-12-30T09:00Z", "2011-12-30T17:00Z"),
        ("Atlantic/Azores", "00:00-24:00", "sat,sun", "2025-10-25T12:00Z", "2025-10-27T01:00Z"),
        ("Europe/Madrid", "00:00-24:00", "sat,sun", "2025-03-29T12:00Z", "2025-03-30T22:00Z"),
        ("Europe/Madrid", "00:00-23:59", "mon-sun", "2025-06-15T12:00Z", "2025-06-15T21:59Z"),
    ])
    func `windows without a pause are one stretch of quiet`(
        zone: String,
        hours: String,
        days: String,
        at: String,
        until: String?
    ) throws {
        let window = try window(zone, hours, days)
        #expect(try window.quietUntil(instant(at)) == until.map { try instant($0) })
    }

    @Test func `what is quiet all day and every day never ends`() throws {
        let always = try window("Europe/Madrid", "00:00-24:00", "mon-sun")
        #expect(try always.quietUntil(instant("2025-06-15T12:00Z")) == .latest)
        // Dates may be as many: somebody counted them, so they end.
        let dates = try DateRange(grammar: "2025-01-01/2027-12-31")
        let years = DailyWindow(
            zone: always.zone, days: DaySet([]), dates: DateSet([dates]), hours: always.hours)
        #expect(try years.quietUntil(instant("2025-06-15T12:00Z")) == instant("2026-07-20T12:00Z"))
        #expect(try years.quietUntil(instant("2027-06-15T12:00Z")) == instant("2027-12-31T23:00Z"))
    }

    @Test func `of two windows that overlap the earlier is found`() throws {
        let window = try window("Atlantic/Azores", "00:00-24:00", "mon-sun")
        let found = try window.window(containing: instant("2025-10-26T00:30Z"))
        #expect(try found == TimeSpan(from: instant("2025-10-25T00:00Z"), to: instant("2025-10-26T01:00Z")))
        let next = try window.next(after: instant("2025-10-26T00:00Z"))
        #expect(try next == TimeSpan(from: instant("2025-10-26T00:00Z"), to: instant("2025-10-27T01:00Z")))
    }

    @Test func `without days there is no window`() throws {
        let window = DailyWindow(zone: .utc, days: DaySet([]), hours: try DailyHours(grammar: "22:00-07:00"))
        let moment = try instant("2025-06-15T23:00Z")
        #expect(window.window(containing: moment) == nil)
        #expect(window.next(after: moment) == nil)
        #expect(window.quietUntil(moment) == nil)
    }

    @Test func `the ends of time are no trap`() throws {
        let window = try window("Pacific/Auckland", "22:00-07:00", "mon-sun")
        for milliseconds in [Int64.min, .max, Moment.earliest.milliseconds, Moment.latest.milliseconds] {
            let moment = Moment(milliseconds: milliseconds)
            #expect(window.window(containing: moment).map { $0.from <= moment } ?? true)
            #expect(window.next(after: moment).map { $0.from >= moment } ?? true)
            #expect(window.quietUntil(moment).map { $0 > moment } ?? true)
        }
    }

    /// Reads the wall clock every quarter of an hour around a change, and finds windows by looking at it.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `windows are where a look at the clock says`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let names = [
            "Europe/Madrid", "America/Sao_Paulo", "Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca",
            "Atlantic/Azores", "Pacific/Kwajalein", "America/St_Johns", "Asia/Gaza",
        ]
        for name in names {
            let entry = try #require(ZoneTable.entries.first { $0.name == name })
            let zone = try entry.zone()
            let changes = entry.changes.filter { $0.moment.unixSeconds % 900 == 0 }
            for _ in 0..<12 {
                let change = try #require(changes.randomElement(using: &random))
                let looks = (Int64(-5 * 96)..<5 * 96).map { quarter -> (moment: Moment, wall: CivilTime) in
                    let moment = change.moment + .minutes(15 * quarter)
                    return (moment, zone.civil(moment))
                }
                let begin = Int.random(in: 0..<24 * 4, using: &random) * 900
                let end = Int.random(in: 1...24 * 4, using: &random) * 900
                guard begin != end else { continue }
                let hours = try DailyHours(grammar: "\(clock(begin))-\(clock(end))")
                let window = DailyWindow(zone: zone, hours: hours)
                let today = zone.civil(change.moment).day
                for day in today - 2...today + 2 {
                    let from = CivilTime(day: day, secondOfDay: begin)
                    let to = CivilTime(day: hours.crossesMidnight ? day + 1 : day, secondOfDay: end)
                    let first = try #require(looks.first { $0.wall >= from }).moment
                    let shown = looks.last { $0.wall == to }
                    let last = try #require(shown ?? looks.first { $0.wall > to }).moment
                    let context: Comment = "\(name) \(change.moment.unixSeconds) \(clock(begin))-\(clock(end))"
                    guard let expected = TimeSpan(from: first, to: last) else {
                        #expect(first == last, context)
                        continue
                    }
                    #expect(window.next(after: first) == expected, context)
                    #expect(window.quietUntil(first).map { $0 >= last } == true, context)
                }
            }
        }
    }

    private func clock(_ second: Int) -> String {
        let (hour, minute) = (second / 3600, second / 60 % 60)
        return "\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    private func window(_ zone: String, _ hours: String, _ days: String) throws -> DailyWindow {
        DailyWindow(
            zone: try ZoneTable.zone(zone), days: try DaySet(grammar: days), hours: try DailyHours(grammar: hours))
    }
}
