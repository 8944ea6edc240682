import AlertModel
import Testing

@Suite struct `The grammar of values` {
    /// What a reader makes of a text: the value, or `expected … (suggestion)`.
    private func outcome<Value>(_ read: () throws(GrammarError) -> Value) -> (value: Value?, error: GrammarError?) {
        do throws(GrammarError) {
            return (try read(), nil)
        } catch {
            return (nil, error)
        }
    }

    @Test(
        arguments: [
            ("30s", .seconds(30)), ("5m", .minutes(5)), ("2h", .hours(2)), ("1d", .days(1)), ("1h30m", .minutes(90)),
            ("1d2h3m4s", .seconds(93_784)), ("0s", .zero), ("0", .zero), ("007m", .minutes(7)), ("90m", .minutes(90)),
            ("999999999d", .days(999_999_999)),
        ] as [(String, Duration)])
    func `durations are read`(text: String, duration: Duration) throws {
        #expect(try Duration(grammar: text) == duration)
    }

    @Test(arguments: [
        ("5", "write 5s or 5m"), ("300", "write 300s or 300m"), ("", nil), ("m", nil), ("5x", nil),
        ("-5m", nil),
        ("1.5h", nil), ("5m3", nil), ("PT5M", nil), ("5M", nil), ("1 month", nil), ("1 h or so", nil), ("٣m", nil),
        ("9999999999d", nil), ("5mm", nil),
    ])
    func `what is no duration is refused`(text: String, advice: String?) {
        let error = outcome { () throws(GrammarError) in try Duration(grammar: text) }.error
        #expect(error == GrammarError(expected: "a duration such as 30s, 5m, 2h or 1d", advice: advice))
    }

    @Test(arguments: [
        ("5min", "5m"), ("5 m", "5m"), ("2 h", "2h"), ("2hours", "2h"), ("1 day", "1d"), ("1D", "1d"),
        ("300sec", "300s"),
        ("1 h 30 min", "1h30m"), ("2 weeks", "14d"),
    ])
    func `a unit in other words is the one that is meant`(text: String, meant: String) throws {
        let error = outcome { () throws(GrammarError) in try Duration(grammar: text) }.error
        #expect(error == GrammarError(expected: "a duration such as 30s, 5m, 2h or 1d", suggestion: meant))
        _ = try Duration(grammar: meant)
    }

    @Test(
        arguments: [
            ("4", .minutes(1) ... .days(30), "write 4m or 4h"), ("1", .hours(1) ... .days(366), "write 1h or 1d"),
            ("30", .seconds(1) ... .hours(1), "write 30s or 30m"), ("7", .days(1) ... .days(30), "write 7d"),
            ("900", .minutes(1) ... .minutes(5), nil),
        ] as [(String, ClosedRange<Duration>, String?)])
    func `a unit that was left out is one with which it could stand there`(
        text: String, range: ClosedRange<Duration>, advice: String?
    ) {
        let error = outcome { () throws(GrammarError) in try Duration(grammar: text, within: range) }.error
        #expect(error == GrammarError(expected: "a duration such as 30s, 5m, 2h or 1d", advice: advice))
    }

    @Test(arguments: [("1h1h", "2h"), ("1h5m1h", "2h5m")])
    func `a unit twice is no duration`(text: String, meant: String) {
        let error = outcome { () throws(GrammarError) in try Duration(grammar: text) }.error
        #expect(
            error
                == GrammarError(
                    expected: "a duration such as 30s, 5m, 2h or 1d, with each unit once", suggestion: meant))
    }

    @Test(
        arguments: [
            (.seconds(30), "30s", "30 s"), (.minutes(90), "1h30m", "1 h 30 min"), (.zero, "0s", "0 s"),
            (.days(2) + .hours(3) + .minutes(4), "2d3h4m", "2 d 3 h"), (.hours(24), "1d", "1 d"),
            (.days(1) + .minutes(5), "1d5m", "1 d"), (.milliseconds(250), "250ms", "0 s"),
            (.seconds(-5), "-5000ms", "0 s"),
        ] as [(Duration, String, String)])
    func `durations are written for configs and for people`(duration: Duration, grammar: String, short: String) {
        #expect(duration.grammar == grammar)
        #expect(duration.short == short)
    }

    @Test(
        arguments: [
            (.seconds(599), "9 min 59 s"), (.seconds(600), "10 min"), (.seconds(1579), "26 min"),
            (.hours(2) + .seconds(59), "2 h"), (.zero, "0 s"),
        ] as [(Duration, String)])
    func `how long something has lasted is no matter of seconds from ten minutes on`(duration: Duration, rough: String)
    {
        #expect(duration.rough == rough)
    }

    @Test(arguments: [
        ("99.5%", 0.995), ("99.9%", 0.999), ("94.2%", 0.942), ("0.47%", 0.0047), ("0%", 0), ("100%", 1), ("10 %", 0.1),
        ("250%", 2.5), (".5%", 0.005),
    ])
    func `percentages are read as the nearest fraction`(text: String, fraction: Double) throws {
        #expect(try Percentage(grammar: text).fraction == fraction)
    }

    @Test(arguments: [
        ("99.5", "99.5%"), ("0.995", "99.5%"), ("1", "100%"), ("0", "0%"), ("-1%", nil), ("%", nil), ("1e2%", nil),
        ("1,5%", nil), ("abc", nil), ("", nil), ("1.2.3%", nil), ("99.5%%", nil), ("0.999999", "99.9999%"),
        ("nan", nil), ("inf", nil),
    ])
    func `what is no percentage is refused`(text: String, suggestion: String?) {
        let error = outcome { () throws(GrammarError) in try Percentage(grammar: text) }.error
        #expect(error == GrammarError(expected: "a percentage such as 99.5%", suggestion: suggestion))
    }

    @Test(arguments: [("0.5pp", 0.005), ("0.2pp", 0.002), ("0", 0), ("0pp", 0), ("100pp", 1), ("0.7 pp", 0.007)])
    func `percentage points are read`(text: String, fraction: Double) throws {
        #expect(try PercentagePoints(grammar: text).fraction == fraction)
    }

    @Test(arguments: [
        ("0.5%", "0.5pp"), ("0.5", "0.5pp"), ("101pp", nil), ("-1pp", nil), ("", nil), ("half", nil), ("-1", nil),
        ("< 90%", nil), ("950", nil),
    ])
    func `what are no percentage points is refused`(text: String, suggestion: String?) {
        let error = outcome { () throws(GrammarError) in try PercentagePoints(grammar: text) }.error
        #expect(error == GrammarError(expected: "percentage points such as 0.5pp", suggestion: suggestion))
    }

    @Test(
        arguments: [
            ("0.2pp", Margin(0.002, isPoints: true)), ("0", Margin(0, isPoints: true)),
            ("50", Margin(50, isPoints: false)), ("0.5", Margin(0.5, isPoints: false)), ("10%", nil), ("-5", nil),
            ("1e3", nil), ("inf", nil), ("", nil), (".", nil),
        ] as [(String, Margin?)])
    func `a margin is percentage points or a plain number`(text: String, margin: Margin?) {
        #expect((try? Margin(grammar: text)) == margin)
    }

    @Test(
        arguments: [
            ("< 99.5%", .less, 0.995, true, "< 99.5%"), ("<=99%", .lessOrEqual, 0.99, true, "<= 99%"),
            ("> 100", .greater, 100, false, "> 100"), (">=0.5", .greaterOrEqual, 0.5, false, ">= 0.5"),
            ("> 0.47%", .greater, 0.0047, true, "> 0.47%"), ("> -3", .greater, -3, false, "> -3"),
            ("> 1e3", .greater, 1000, false, "> 1000"), ("<  99.99 %", .less, 0.9999, true, "< 99.99%"),
        ] as [(String, Comparison.Relation, Double, Bool, String)])
    func `comparisons are read and written`(
        text: String, relation: Comparison.Relation, limit: Double, isPercentage: Bool, written: String
    ) throws {
        let comparison = try Comparison(grammar: text)
        #expect(comparison == Comparison(relation, limit, isPercentage: isPercentage))
        #expect(comparison.description == written)
        #expect(try Comparison(grammar: written) == comparison)
    }

    @Test(arguments: [
        ("99.5%", "write \"< 99.5%\" or \"> 99.5%\""), ("100", "write \"< 100\" or \"> 100\""), ("= 5", nil),
        ("<", nil), ("< abc", nil), ("< 99,500%", nil), ("≥ 1.000", nil), ("< 1,2,3", nil), ("> 0x10", nil),
        ("> 0X10", nil),
        ("> nan", nil), ("> inf", nil),
        ("> infinity", nil), ("> 1e999", nil), ("< -5%", nil), ("<> 5", nil), ("", nil), ("below 5", nil),
    ])
    func `what is no comparison is refused`(text: String, advice: String?) {
        let error = outcome { () throws(GrammarError) in try Comparison(grammar: text) }.error
        #expect(
            error == GrammarError(expected: "a comparison such as \"< 99.5%\" or \"> 100\"", advice: advice))
    }

    @Test(arguments: [
        ("< 99,5%", "< 99.5%"), ("≤ 99%", "<= 99%"), ("=< 99%", "<= 99%"), ("=> 5", ">= 5"), ("< 1,000", "< 1000"),
        ("> 12,345,678.5", "> 12345678.5"), ("> 0,125", "> 0.125"), ("≥99,9 %", ">= 99.9 %"),
    ])
    func `a comparison in other signs is the one that is meant`(text: String, meant: String) throws {
        let error = outcome { () throws(GrammarError) in try Comparison(grammar: text) }.error
        #expect(
            error == GrammarError(expected: "a comparison such as \"< 99.5%\" or \"> 100\"", suggestion: meant))
        _ = try Comparison(grammar: meant)
    }

    @Test(arguments: [
        ("< 5", [true, false, false]), ("<= 5", [true, true, false]), ("> 5", [false, false, true]),
        (">= 5", [false, true, true]),
    ])
    func `a comparison holds on its side of the limit`(text: String, holds: [Bool]) throws {
        let comparison = try Comparison(grammar: text)
        #expect([4, 5, 6].map(comparison.holds) == holds)
    }

    /// 999 of 1,000 is exactly 99.9 %, whatever a binary fraction thinks of either.
    @Test func `a share of exactly the limit is not below it`() throws {
        for thousandths in 1...1000 {
            let text = "\(thousandths / 10).\(thousandths % 10)%"
            let below = try Comparison(grammar: "< \(text)")
            let atMost = try Comparison(grammar: "<= \(text)")
            for thousands in [1, 2, 7, 40] {
                let total = Double(thousands * 1000)
                let crashed = Double((1000 - thousandths) * thousands)
                let value = try #require(
                    (["users": total, "crashed_users": crashed] as Metrics).figure("crash_free_users")
                ).value
                guard !below.holds(value), atMost.holds(value) else {
                    Issue.record("\(total - crashed) of \(total) against \(text): \(value) and \(below.limit)")
                    return
                }
            }
        }
    }

    @Test(arguments: [
        ("mon-fri", "mon tue wed thu fri"), ("sat,sun", "sat sun"), ("fri-mon", "mon fri sat sun"),
        ("mon-fri,sun", "mon tue wed thu fri sun"), ("mon", "mon"), ("Mon - FRI , sun", "mon tue wed thu fri sun"),
        ("mon-sun", "mon tue wed thu fri sat sun"), ("tue-mon", "mon tue wed thu fri sat sun"), ("wed-wed", "wed"),
        ("sat,sat", "sat"),
    ])
    func `days are read`(text: String, days: String) throws {
        let set = try DaySet(grammar: text)
        #expect(Weekday.allCases.filter(set.contains).map(\.shortName).joined(separator: " ") == days)
    }

    @Test(arguments: [
        ("monday", "mon"), ("mno", "mon"), ("mon-fry", "mon-fri"), ("tues,wed", "tue,wed"), ("Sat, Sundae", "sat,sun"),
        ("monday-friday", "mon-fri"), ("Monday – Friday", "mon-fri"), ("mon—fri", "mon-fri"), ("mo-fr", "mon-fri"),
        ("mon fri", "mon,fri"), ("sa+su", "sat,sun"), ("mon-fri sun", "mon-fri,sun"), ("mo - thu , sa", "mon-thu,sat"),
        ("", nil), ("mon,", "mon"), ("mon-", nil), ("mon-xyz,tues", nil),
        ("mon-tue-wed", nil), ("mon;tue", "mon,tue"), ("weekend", nil), ("mon to fri", "mon-fri"),
        ("mon..fri", "mon-fri"), ("mon_fri", "mon-fri"), ("mon:fri", "mon-fri"), ("monday..friday", "mon-fri"),
        ("mon…fri", "mon-fri"), ("mon...fri", "mon-fri"), ("satsun", nil), ("monfri", nil),
        ("mondays, thurs", "mon,thu"), ("sonday", nil), ("sunda", "sun"),
        ("weds", "wed"), ("Wendesday", "wed"), ("m-f", nil), ("mon..", nil),
    ])
    func `what are no days is refused`(text: String, suggestion: String?) {
        let error = outcome { () throws(GrammarError) in try DaySet(grammar: text) }.error
        #expect(error == GrammarError(expected: "days such as mon-fri or sat,sun", suggestion: suggestion))
    }

    @Test(arguments: [
        ("22:00-07:00", 79_200, 25_200, true), ("00:00-24:00", 0, 86_400, false), ("7:00-9:30", 25_200, 34_200, false),
        ("22:00-00:00", 79_200, 86_400, false), ("22:00-24:00", 79_200, 86_400, false),
        ("07:00 - 09:00:30", 25_200, 32_430, false),
        ("23:59:59-00:00:01", 86_399, 1, true), ("12:00-11:59", 43_200, 43_140, true),
    ])
    func `times of day are read`(text: String, begin: Int, end: Int, crossesMidnight: Bool) throws {
        let hours = try DailyHours(grammar: text)
        #expect((hours.begin, hours.end, hours.crossesMidnight) == (begin, end, crossesMidnight))
    }

    @Test(arguments: [
        "", "22:00", "22:00-07:60", "22:00-24:01", "24:00-07:00", "25:00-07:00", "22:00-07:00-08:00",
        "22:0-07:00",
        "2200-0700", "-1:00-07:00", "22:00:60-23:00", "٢٢:00-07:00", "10pm-7am", "022:00-07:00",
        "9-5", "10 - 6", "22:00-", "-07:00", "22:00 - ", "22-", "22:00 to ", "-",
    ])
    func `what are no times is refused`(text: String) {
        let error = outcome { () throws(GrammarError) in try DailyHours(grammar: text) }.error
        #expect(error == GrammarError(expected: "times such as 22:00-07:00"))
    }

    @Test(arguments: [
        ("22-07", "22:00-07:00"), ("9-17", "09:00-17:00"), ("22:00–07:00", "22:00-07:00"),
        ("22:00 to 7:00", "22:00-7:00"),
        ("22.00-6", "22:00-06:00"),
    ])
    func `times of day in other signs are those that are meant`(text: String, meant: String) throws {
        let error = outcome { () throws(GrammarError) in try DailyHours(grammar: text) }.error
        #expect(error == GrammarError(expected: "times such as 22:00-07:00", suggestion: meant))
        _ = try DailyHours(grammar: meant)
    }

    @Test(arguments: ["22:00-22:00", "00:00-00:00", "0:00-00:00:00", "7:00-07:00"])
    func `equal ends never open`(text: String) {
        let error = outcome { () throws(GrammarError) in try DailyHours(grammar: text) }.error
        #expect(
            error
                == GrammarError(
                    expected: "times such as 22:00-07:00, with two different times: equal ends never open",
                    advice: "the whole day is 00:00-24:00"))
    }

    @Test(arguments: [
        ("2026-12-24", 2026, 12, 24, 0, 0, 0), ("2027-01-02 09:00", 2027, 1, 2, 9, 0, 0),
        ("2027-01-02T09:00", 2027, 1, 2, 9, 0, 0), ("2027-01-02 09:00:30", 2027, 1, 2, 9, 0, 30),
        ("2024-02-29 23:59", 2024, 2, 29, 23, 59, 0),
    ])
    func `local dates and times are read`(
        text: String, year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
    ) throws {
        let civil = try #require(
            CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second))
        #expect(try WrittenInstant(grammar: text) == .local(civil))
    }

    @Test func `an offset makes an instant`() throws {
        let expected = WrittenInstant.instant(Fixtures.start)
        #expect(try WrittenInstant(grammar: "2026-11-20T22:00:00Z") == expected)
        #expect(try WrittenInstant(grammar: "2026-11-20 23:00:00+01:00") == expected)
    }

    @Test(arguments: [
        "2026-11-20 23:00+01:00", "2026-11-20 23:00 +01:00", "2026-11-20T23:00+01:00", "2026-11-20T22:00Z",
        "2026-11-20 23:00:00 +01:00", "2026-11-20t17:00-05:00",
    ])
    func `nobody has to write seconds before an offset`(text: String) throws {
        #expect(try WrittenInstant(grammar: text) == .instant(Fixtures.start))
    }

    @Test(arguments: [
        "", "tomorrow", "2026-13-01", "2026-02-29", "24.12.2026", "2026-12-24 9:00", "2026-12-24 09",
        "2026-12-24 24:00",
        "2026-12-24 09:00:60", "2026-12-24 09:00 CET", "2026-12-24 24:00Z", "2026-12-24+01:00", "2026-12-24 09:00+1",
        "2026-12-24T", "1795212000", "2026-12-24 09:00:00.5",
    ])
    func `what is no instant is refused`(text: String) {
        let error = outcome { () throws(GrammarError) in try WrittenInstant(grammar: text) }.error
        #expect(error?.expected == "an instant such as 2026-12-24, 2026-12-24 09:00 or 2026-12-24 09:00+01:00")
    }
}

@Suite struct `Rates` {
    @Test(arguments: [
        ("10 per 1h", 10, Duration.hours(1)), ("1 per 90d", 1, .days(90)), ("3 per 1h30m", 3, .minutes(90)),
    ])
    func `so many in so much time`(text: String, count: Int, per: Duration) throws {
        let rate = try Rate(grammar: text)
        #expect(rate == Rate(count, per: per))
        #expect(rate.grammar == text)
    }

    @Test(
        arguments: [
            ("10", nil), ("10/h", "10 per 1h"), ("10/30m", "10 per 30m"), ("10 per hour", "10 per 1h"),
            ("ten per 1h", nil),
            ("10 in 1h", "10 per 1h"), ("10 per 1h per 2h", nil), ("10 messages per hour", "10 per 1h"),
            ("0 per 1h", nil), ("-1 per 1h", nil), ("10 per 0s", nil), ("", nil), ("/", nil),
            ("10 per", nil), ("99999999999999999999 per 1h", nil), ("+5 per 1h", nil),
        ] as [(String, String?)])
    func `anything else is told what is expected`(text: String, suggestion: String?) {
        let error = #expect(throws: GrammarError.self) { try Rate(grammar: text) }
        #expect(error?.expected.hasPrefix("a rate such as 10 per 1h or 1 per 90d") == true)
        #expect(error?.suggestion == suggestion)
    }
}
