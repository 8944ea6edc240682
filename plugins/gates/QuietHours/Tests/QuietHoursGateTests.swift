import PluginKit
import PluginTesting
import QuietHoursGate
import Testing

@Suite struct `Quiet hours` {
    /// Quiet hours as a config writes them.
    private func quietHours(_ entries: KeyValuePairs<String, String>, zone: String = "Europe/Madrid") throws
        -> QuietHoursGate
    {
        let written = WrittenOptions(entries.map { ($0.key, .text($0.value)) })
        let options = try written.options(of: QuietHoursGate.manifest, name: "nights")
        return try QuietHoursGate(
            options: options,
            context: RuleContext(name: "nights", zone: try ZoneDatabase().zone(zone), checksPerDay: 1440))
    }

    @Test(arguments: [
        ("2026-12-25", nil, "2026-12-25T12:00:00Z", true), ("2026-12-25", nil, "2026-12-26T12:00:00Z", false),
        ("2026-12-24/2027-01-02", nil, "2027-01-02T22:59:00Z", true),
        ("2026-12-24/2027-01-02", nil, "2027-01-02T23:00:00Z", false),
        // A Sunday, and a Monday that is no holiday.
        ("2026-12-25", "sat,sun", "2026-12-27T12:00:00Z", true),
        ("2026-12-25", "sat,sun", "2026-12-28T12:00:00Z", false),
    ])
    func `dates are days on which a window begins, besides the days of the week`(
        _ date: String, _ days: String?, _ now: String, _ isQuiet: Bool
    ) throws {
        var entries: [(String, Option.Value)] = [
            ("between", .text("00:00-24:00")),
            ("dates", .list([Option(.text(GuardedText(date)), at: Position(line: 3, column: 5))])),
        ]
        if let days { entries.append(("days", .days(try DaySet(grammar: days)))) }
        let gate = try QuietHoursGate(
            options: Options(
                Dictionary(uniqueKeysWithValues: entries).merging(
                    ["between": .hours(try DailyHours(grammar: "00:00-24:00"))]) { $1 }),
            context: RuleContext(name: "nights", zone: try ZoneDatabase().zone("Europe/Madrid"), checksPerDay: 1440))
        #expect((gate.closure(for: notification(), at: try moment(now)) != nil) == isQuiet)
    }

    @Test(
        arguments: [
            ("02:00-03:00", ["2027-03-28"], nil, true), ("02:10-02:50", ["2026-03-29", "2027-03-28"], nil, true),
            ("02:00-03:00", ["2027-03-28/2027-03-29"], nil, false), ("02:00-03:00", ["2027-03-28"], "mon", false),
            ("02:00-03:01", ["2027-03-28"], nil, false), ("02:00-03:00", ["2020-01-01"], nil, false),
        ] as [(String, [String], String?, Bool)])
    func `hours that the clock skips on all their dates are refused`(
        _ hours: String, _ dates: [String], _ days: String?, _ isNever: Bool
    ) throws {
        let place = Position(line: 3, column: 5)
        let listed = dates.map { Option(.text(GuardedText($0)), at: place) }
        var values: [String: Option] = [
            "between": Option(.hours(try DailyHours(grammar: hours)), at: place),
            "dates": Option(.list(listed), at: place),
        ]
        if let days { values["days"] = Option(.days(try DaySet(grammar: days)), at: place) }
        let options = Options(name: "nights", position: Position(line: 1, column: 1), values: values)
        let context = RuleContext(name: "nights", zone: try ZoneDatabase().zone("Europe/Madrid"), checksPerDay: 1440)
        let expected = ProblemList(
            place, "no window ever opens: the clock skips \(hours) on every day of 'dates'",
            advice: "choose other hours, or more days")
        if isNever {
            #expect(throws: expected) { try QuietHoursGate(options: options, context: context) }
        } else {
            #expect(throws: Never.self) { try QuietHoursGate(options: options, context: context) }
        }
    }

    @Test func `what is no date is refused`() throws {
        let options = Options([
            "between": .hours(try DailyHours(grammar: "00:00-24:00")),
            "dates": .list(
                [(2, "2026-12-23"), (3, "24 Dec"), (4, "2026-12-25"), (5, "boxing day")].map { line, date in
                    Option(.text(GuardedText(date)), at: Position(line: line, column: 5))
                }),
        ])
        let problems = #expect(throws: ProblemList.self) {
            try QuietHoursGate(options: options, context: RuleContext(name: "nights", zone: .utc, checksPerDay: 1440))
        }?.problems
        #expect(
            problems?.map(\.message) == [
                "'dates' holds '24 Dec', expected a date such as 2026-12-24, or two with a slash: 2026-12-24/2027-01-02",
                "'dates' holds 'boxing day', expected a date such as 2026-12-24, or two with a slash: 2026-12-24/2027-01-02",
            ])
        #expect(problems?.map(\.position.line) == [3, 5])
    }

    private func moment(_ text: String) throws -> Moment { try #require(Moment(rfc3339: text)) }

    private func notification(_ severity: Severity = .warning, _ kind: Notification.Kind = .opened) -> Notification {
        let incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: "shop"), labels: [:], severity: severity,
            since: Moment(milliseconds: 0), evidence: Evidence(sentence: ""))
        return Notification(incident: incident, kind: kind, severity: severity, channel: "team")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let why: String
        let days: String
        let between: String
        /// The window around the time in question.
        let begin: String
        let end: String

        var testDescription: String { "\(days) \(between): \(why)" }

        init(_ why: String, _ days: String, _ between: String, _ begin: String, _ end: String) {
            (self.why, self.days, self.between, self.begin, self.end) = (why, days, between, begin, end)
        }
    }

    @Test(arguments: [
        Case("a night in winter", "mon-sun", "22:00-07:00", "2026-11-20T21:00:00Z", "2026-11-21T06:00:00Z"),
        Case("a night in summer", "mon-sun", "22:00-07:00", "2026-07-01T20:00:00Z", "2026-07-02T05:00:00Z"),
        Case("Friday's night ends on Saturday", "fri", "22:00-07:00", "2026-11-20T21:00:00Z", "2026-11-21T06:00:00Z"),
        Case("hours of one day", "sat,sun", "09:00-18:00", "2026-11-21T08:00:00Z", "2026-11-21T17:00:00Z"),
        Case("the whole of Sunday", "sun", "00:00-24:00", "2026-11-21T23:00:00Z", "2026-11-22T23:00:00Z"),
        Case(
            "a weekend that never pauses is one window", "sat,sun", "00:00-24:00", "2026-11-20T23:00:00Z",
            "2026-11-22T23:00:00Z"),
        Case("up to midnight", "mon-sun", "22:00-00:00", "2026-11-20T21:00:00Z", "2026-11-20T23:00:00Z"),
        Case("the night that loses an hour", "mon-sun", "22:00-07:00", "2026-03-28T21:00:00Z", "2026-03-29T05:00:00Z"),
        Case("the night that gains one", "mon-sun", "22:00-07:00", "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"),
        Case("a begin in the gap", "sun", "02:30-05:00", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00Z"),
        Case("an end in the gap", "sun", "01:00-02:30", "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z"),
        Case(
            "a begin that exists twice is its first", "sun", "02:30-05:00", "2026-10-25T00:30:00Z",
            "2026-10-25T04:00:00Z"),
        Case(
            "an end that exists twice is its last", "sun", "01:00-02:30", "2026-10-24T23:00:00Z", "2026-10-25T01:30:00Z"
        ),
        Case(
            "Saturday's night into the long Sunday", "sat", "22:00-02:30", "2026-10-24T20:00:00Z",
            "2026-10-25T01:30:00Z"),
    ])
    func `a window is closed from its begin up to its end`(test: Case) throws {
        let rule = try quietHours(["days": test.days, "between": test.between])
        let (begin, end) = (try moment(test.begin), try moment(test.end))
        let closed = Closure(until: end, fate: .holdAndSummarize, reason: .quietHours("nights"))
        #expect(rule.closure(for: notification(), at: begin - .milliseconds(1)) == nil)
        #expect(rule.closure(for: notification(), at: begin) == closed)
        #expect(rule.closure(for: notification(), at: end - .milliseconds(1)) == closed)
        #expect(rule.closure(for: notification(), at: end) == nil)
    }

    @Test(arguments: [
        ("2026-11-19T22:00:00Z", false), ("2026-11-20T22:00:00Z", true), ("2026-11-21T05:59:59Z", true),
        ("2026-11-21T22:00:00Z", false), ("2026-11-22T03:00:00Z", false),
    ])
    func `days name the day on which a window begins`(at: String, isClosed: Bool) throws {
        let rule = try quietHours(["days": "fri", "between": "22:00-07:00"])
        #expect((rule.closure(for: notification(), at: try moment(at)) != nil) == isClosed)
    }

    @Test func `without days it is every day`() throws {
        let rule = try quietHours(["between": "22:00-07:00"])
        for day in 0..<7 as Range<Int64> {
            #expect(rule.closure(for: notification(), at: try moment("2026-11-16T23:00:00Z") + .days(day)) != nil)
        }
        #expect(rule.stage == .quietHours)
    }

    @Test func `other zones keep their own clock`() throws {
        let at = try moment("2026-11-20T22:00:00Z")
        #expect(try quietHours(["between": "22:00-07:00"], zone: "UTC").closure(for: notification(), at: at) != nil)
        #expect(
            try quietHours(["between": "22:00-07:00"], zone: "America/New_York").closure(for: notification(), at: at)
                == nil)
        #expect(
            try quietHours(["between": "22:00-07:00"], zone: "Asia/Kolkata").closure(for: notification(), at: at)?.until
                == moment("2026-11-21T01:30:00Z"))
    }

    @Test(
        arguments: [
            (nil, []), ("critical", [.critical]), ("warning", [.warning, .critical]),
            ("info", [.info, .warning, .critical]),
        ] as [(String?, [Severity])])
    func `except lets a severity and above pass`(except: String?, passing: [Severity]) throws {
        let rule =
            try except.map { try quietHours(["between": "22:00-07:00", "except": $0]) }
            ?? quietHours(["between": "22:00-07:00"])
        let night = try moment("2026-11-20T23:00:00Z")
        #expect(Severity.allCases.filter { rule.closure(for: notification($0), at: night) == nil } == passing)
    }

    @Test(
        arguments: [(nil, .holdAndSummarize), ("hold", .holdAndSummarize), ("drop", .drop)] as [(String?, Closure.Fate)]
    ) func `then says what becomes of it`(then: String?, fate: Closure.Fate) throws {
        let rule =
            try then.map { try quietHours(["between": "22:00-07:00", "then": $0]) }
            ?? quietHours(["between": "22:00-07:00"])
        for kind in Notification.Kind.ofIncidents {
            let closure = rule.closure(for: notification(.warning, kind), at: try moment("2026-11-20T23:00:00Z"))
            #expect(closure?.fate == fate)
        }
    }

    @Test func `the schedule follows the clock through a change`() throws {
        let rule = try quietHours(["days": "sat,sun", "between": "22:00-07:00"])
        let spans = [
            ("2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"), ("2026-10-25T21:00:00Z", "2026-10-26T06:00:00Z"),
            ("2026-10-31T21:00:00Z", "2026-11-01T06:00:00Z"),
        ]
        let expected = try spans.map { TimeSpan(from: try moment($0.0), to: try moment($0.1)) }
        #expect(rule.schedule(from: try moment("2026-10-20T00:00:00Z"), count: 3) == expected)
        // Asked in the middle of a window, it shows the whole of it.
        #expect(rule.schedule(from: try moment("2026-10-25T03:00:00Z"), count: 1).first == expected[0])
        // At its end the window is over.
        #expect(rule.schedule(from: try moment("2026-10-25T06:00:00Z"), count: 1).first == expected[1])
        #expect(rule.schedule(from: try moment("2026-10-25T06:00:00Z"), count: 0) == [])
    }

    @Test func `the schedule has a window for every day of a fortnight, each as long as the clock makes it`() throws {
        let rule = try quietHours(["between": "22:00-07:00"])
        let spans = rule.schedule(from: try moment("2026-03-20T12:00:00Z"), count: 14)
        #expect(spans.map { Int($0.length.inSeconds) / 3600 } == [9, 9, 9, 9, 9, 9, 9, 9, 8, 9, 9, 9, 9, 9])
    }

    @Test func `windows without a pause are one of its schedule, and what never opens has no end`() throws {
        let weekends = try quietHours(["days": "sat,sun", "between": "00:00-24:00"])
        let saturday = try moment("2026-11-21T12:00:00Z")
        let spans = [
            ("2026-11-20T23:00:00Z", "2026-11-22T23:00:00Z"), ("2026-11-27T23:00:00Z", "2026-11-29T23:00:00Z"),
        ]
        let expected = try spans.map { TimeSpan(from: try moment($0.0), to: try moment($0.1)) }
        #expect(weekends.schedule(from: saturday, count: 2) == expected)
        let always = try quietHours(["between": "00:00-24:00"])
        #expect(always.closure(for: notification(.warning), at: saturday)?.until == .latest)
        let forGood = TimeSpan(from: try moment("2026-11-20T23:00:00Z"), to: .latest)
        #expect(always.schedule(from: saturday, count: 3) == [forGood])
    }

    @Test func `without hours there is nothing to keep quiet`() {
        #expect(
            throws: ProblemList(Position(line: 1, column: 3), "'between' is missing")
        ) { try quietHours(["days": "mon-fri"]) }
    }
}

@Suite struct `Quiet hours on the days of a calendar` {
    private func gate(_ options: WrittenOptions) throws -> QuietHoursGate {
        try QuietHoursGate(
            options: options.options(of: QuietHoursGate.manifest, name: "holidays"),
            context: RuleContext(name: "holidays", zone: try ZoneDatabase().zone("Europe/Madrid"), checksPerDay: 1440))
    }

    private func calendar(_ event: String) -> WrittenOptions.Value {
        .text("BEGIN:VCALENDAR\nBEGIN:VEVENT\n\(event)\nEND:VEVENT\nEND:VCALENDAR")
    }

    /// When it is closed from a Monday on, in UTC.
    private func spans(_ gate: QuietHoursGate, _ count: Int) throws -> [String] {
        let now = try #require(Moment(rfc3339: "2026-12-21T12:00:00Z"))
        return gate.schedule(from: now, count: count).map { "\($0.from) \($0.to)" }
    }

    @Test func `a calendar is the equal of dates`() throws {
        let holidays = try gate([
            "calendar": calendar("DTSTART:20001225\nRRULE:FREQ=YEARLY"), "between": "00:00-24:00",
        ])
        #expect(
            try spans(holidays, 2) == [
                "2026-12-24T23:00:00Z 2026-12-25T23:00:00Z", "2027-12-24T23:00:00Z 2027-12-25T23:00:00Z",
            ])
    }

    @Test func `beside days and dates, all of them count`() throws {
        let holidays = try gate([
            "days": "sat", "dates": "2026-12-24", "calendar": calendar("DTSTART:20261225"), "between": "22:00-23:00",
        ])
        #expect(
            try spans(holidays, 3) == [
                "2026-12-24T21:00:00Z 2026-12-24T22:00:00Z", "2026-12-25T21:00:00Z 2026-12-25T22:00:00Z",
                "2026-12-26T21:00:00Z 2026-12-26T22:00:00Z",
            ])
    }

    @Test func `a calendar is over with its last day, by the clock of the gate's zone`() throws {
        let gate = try gate([
            "calendar": calendar("DTSTART:20261224\nDTEND:20261227"), "between": "22:00-23:00",
        ])
        let calendar = try #require(gate.calendars.first)
        #expect(gate.calendars.count == 1)
        let end = try #require(Moment(rfc3339: "2026-12-26T23:00:00Z"))
        #expect(calendar.exhaustion(at: end - .seconds(1)) == nil)
        #expect(calendar.exhaustion(at: end) == "its last day was 2026-12-26")
    }

    @Test func `a calendar of nothing is refused, for nobody would notice`() {
        #expect(
            throws: ProblemList(
                Position(line: 2, column: 9), "no event of 'calendar.ics' falls on any day",
                advice: "remove it, or export the calendar again")
        ) { try gate(["calendar": calendar("DTSTART:20261225\nSTATUS:CANCELLED"), "between": "00:00-24:00"]) }
    }
}
