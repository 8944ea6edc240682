import AlertModel
import Testing
import TimeZones

@Suite struct `Rules that go on for ever` {
    /// Rule, instant, offset in seconds, abbreviation.
    @Test(arguments: [
        ("<+03>-3", "2500-07-01T00:00Z", 10_800, "+03"),
        ("<-0330>+3:30:15", "2500-07-01T00:00Z", -12_615, "-0330"),
        ("AAA24:59:59", "2500-07-01T00:00Z", -89_999, "AAA"),
        ("AAA-24:59:59BBB,J1/0,J60/0", "2500-01-20T00:00Z", 93_599, "BBB"),
        // A season is an hour ahead unless it says otherwise, and its dates are at 02:00.
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2500-03-28T00:59:59Z", 3600, "CET"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2500-03-28T01:00Z", 7200, "CEST"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2500-10-31T00:59:59Z", 7200, "CEST"),
        ("CET-1CEST,M3.5.0,M10.5.0/3", "2500-10-31T01:00Z", 3600, "CET"),
        // Over the new year, in the south.
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2499-12-31T23:59:59Z", 46_800, "NZDT"),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2500-01-01T00:00Z", 46_800, "NZDT"),
        ("NZST-12NZDT,M9.5.0,M4.1.0/3", "2500-07-01T00:00Z", 43_200, "NZST"),
        // Ireland's season is winter, on a clock behind.
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2500-01-01T00:00Z", 0, "GMT"),
        ("IST-1GMT0,M10.5.0,M3.5.0/1", "2500-07-01T00:00Z", 3600, "IST"),
        // J60 is 1 March in every year, 59 the sixtieth day, and 365 the last day of leap years alone.
        ("AAA0BBB,J60/0,J300/0", "2024-02-29T23:59:59Z", 0, "AAA"),
        ("AAA0BBB,J60/0,J300/0", "2024-03-01T00:00Z", 3600, "BBB"),
        ("AAA0BBB,J60/0,J300/0", "2023-03-01T00:00Z", 3600, "BBB"),
        ("AAA0BBB,J59/0,J300/0", "2024-02-28T00:00Z", 3600, "BBB"),
        ("AAA0BBB,59/0,300/0", "2024-02-28T23:59:59Z", 0, "AAA"),
        ("AAA0BBB,59/0,300/0", "2024-02-29T00:00Z", 3600, "BBB"),
        ("AAA0BBB,59/0,300/0", "2023-03-01T00:00Z", 3600, "BBB"),
        ("AAA0BBB,300/0,365/0", "2024-12-30T22:59:59Z", 3600, "BBB"),
        ("AAA0BBB,300/0,365/0", "2024-12-30T23:00Z", 0, "AAA"),
        ("AAA0BBB,300/0,365/0", "2023-12-31T22:59:59Z", 3600, "BBB"),
        // The fourth and the last week differ where a month has five; and 2024-02 has five Thursdays.
        ("AAA0BBB,M2.4.4/0,M10.1.0", "2024-02-22T00:00Z", 3600, "BBB"),
        ("AAA0BBB,M2.5.4/0,M10.1.0", "2024-02-28T23:59:59Z", 0, "AAA"),
        ("AAA0BBB,M2.5.4/0,M10.1.0", "2024-02-29T00:00Z", 3600, "BBB"),
        ("AAA0BBB,M2.5.4/0,M10.1.0", "2023-02-23T00:00Z", 3600, "BBB"),
        // Times before the day, after it, and a week to either side, into the neighbouring year.
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2500-03-28T00:59:59Z", -7200, "-02"),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2500-03-28T01:00Z", -3600, "-01"),
        ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2500-03-27T00:00Z", 10_800, "EEST"),
        ("AAA0BBB,J1/-167,J1/167", "2499-12-25T00:59:59Z", 0, "AAA"),
        ("AAA0BBB,J1/-167,J1/167", "2499-12-25T01:00Z", 3600, "BBB"),
        ("AAA0BBB,J1/-167,J1/167", "2500-01-07T21:59:59Z", 3600, "BBB"),
        ("AAA0BBB,J1/-167,J1/167", "2500-01-07T22:00Z", 0, "AAA"),
        ("AAA0BBB,J364/167,J365/167", "2500-01-05T22:59:59Z", 0, "AAA"),
        ("AAA0BBB,J364/167,J365/167", "2500-01-05T23:00Z", 3600, "BBB"),
        ("AAA0BBB,J364/167,J365/167", "2500-01-06T22:00Z", 0, "AAA"),
        ("AAA0BBB,J365/167,J364/167", "2500-01-03T00:00Z", 3600, "BBB"),
    ])
    func `a rule gives the clock of any instant`(
        rule: String,
        at text: String,
        offset: Int,
        abbreviation: String
    ) throws {
        let zone = try TZif.zone(rule: rule)
        #expect(try zone.offset(at: instant(text)) == offset)
        #expect(try zone.abbreviation(at: instant(text)) == abbreviation)
    }

    @Test(arguments: ["EST5EDT,0/0,J365/25", "XXX3EDT4,0/0,J365/23", "EST5EDT,0/0,J365/30"])
    func `a season can last for ever`(rule: String) throws {
        let zone = try TZif.zone(rule: rule)
        let newYear = try instant("2025-01-01T00:00Z")
        for hour in stride(from: Int64(-24), to: 3 * 8784, by: 1) {
            #expect(zone.offset(at: newYear + .hours(hour)) == -4 * 3600)
        }
        #expect(try zone.occurrences(of: wall("2025-01-01 00:30")) == .once(instant("2025-01-01T04:30Z")))
    }

    @Test func `an empty footer keeps the last clock`() throws {
        let file = TZif(
            changes: [(1000, 1)], clocks: [(0, 0), (-3600, 4)], abbreviations: Array("AAA\0BBB\0".utf8), footer: "\n\n")
        let zone = try Zone(name: "Test/Plain", tzif: file.bytes)
        #expect(try zone.abbreviation(at: instant("1970-01-01T00:00Z")) == "AAA")
        #expect(try zone.abbreviation(at: instant("2500-01-01T00:00Z")) == "BBB")
    }

    @Test func `a rule takes over at the last change and not before`() throws {
        let file = TZif(
            changes: [(1000, 0), (2000, 1)], clocks: [(0, 0), (-3600, 4)], abbreviations: Array("AAA\0BBB\0".utf8),
            footer: "\nBBB1\n")
        let zone = try Zone(name: "Test/Rule", tzif: file.bytes)
        #expect(zone.abbreviation(at: Moment(milliseconds: 1_999_999)) == "AAA")
        #expect(zone.abbreviation(at: Moment(milliseconds: 2_000_000)) == "BBB")
    }

    @Test(arguments: [
        ("CE-1", "lacks an abbreviation such as CET or <+03>"),
        ("<+03-3", "lacks > after the abbreviation"),
        ("<a b>-3", "lacks an abbreviation"),
        ("CET", "lacks an offset such as 5 or -3:30, of at most 24 hours"),
        ("CET25", "lacks an offset"),
        ("CET-1:60", "lacks an offset"),
        ("CET-99999999999999999999", "lacks an offset"),
        ("CET-1CEST", "lacks the dates of the season"),
        ("CET-1CEST,M3.5.0", "lacks a comma and the end of the season"),
        ("CET-1CEST,M13.5.0,M10.5.0", "lacks a month, a week and a weekday"),
        ("CET-1CEST,M3.6.0,M10.5.0", "lacks a month, a week and a weekday"),
        ("CET-1CEST,M3.5.7,M10.5.0", "lacks a month, a week and a weekday"),
        ("CET-1CEST,M3.5,M10.5.0", "lacks a month, a week and a weekday"),
        ("CET-1CEST,J0,J300", "lacks a day from J1 to J365"),
        ("CET-1CEST,J366,J300", "lacks a day from J1 to J365"),
        ("CET-1CEST,366,J300", "lacks a date such as M3.5.0, J60 or 59"),
        ("CET-1CEST,J1/168,J300", "lacks a time such as 2 or -1:30, of at most 167 hours"),
        ("CET-1CEST,J1,J300x", "lacks the end of the rule"),
    ])
    func `a rule that makes no sense is refused with the place`(rule: String, problem: String) {
        let error = #expect(throws: ZoneError.self) { try TZif.zone(rule: rule) }
        #expect(error?.description.contains(problem) == true, "\(String(describing: error))")
    }
}
