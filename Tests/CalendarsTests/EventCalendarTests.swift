import AlertModel
import Calendars
import Testing
import TimeZones

private func calendar(_ lines: String...) throws -> EventCalendar { try calendar(lines) }

private func calendar(_ lines: [String]) throws -> EventCalendar {
    let text = (["BEGIN:VCALENDAR", "BEGIN:VEVENT"] + lines + ["END:VEVENT", "END:VCALENDAR", ""])
    return try EventCalendar(Array(text.joined(separator: "\r\n").utf8), name: "x.ics", zones: ZoneDatabase())
}

/// The days of one event, `2026-12-24` or `2026-12-24/2026-12-26`; of more than twelve the first three and how many.
private func days(_ lines: [String], in zone: String = "Europe/Madrid") throws -> String {
    let ranges = try calendar(lines).days(in: ZoneDatabase().zone(zone)).ranges
    func text(_ day: Int) -> String {
        let date = CivilTime(day: day, secondOfDay: 0).date
        return "\(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2))"
    }
    let texts = ranges.map { range in
        let (first, last) = (text(range.days.lowerBound), text(range.days.upperBound))
        return first == last ? first : "\(first)/\(last)"
    }
    return texts.count > 12
        ? texts.prefix(3).joined(separator: " ") + " … \(texts.count)" : texts.joined(separator: " ")
}

private func faults(_ text: String) -> [String] {
    do throws(CalendarFaults) {
        let calendar = try EventCalendar(Array(text.utf8), name: "x.ics", zones: ZoneDatabase())
        _ = try calendar.days(in: .utc)
        return []
    } catch {
        return error.faults.map { fault in
            "\(fault.line): \(fault.message)" + (fault.suggestion.map { " -> \($0)" } ?? "")
                + (fault.advice.map { " (\($0))" } ?? "")
        }
    }
}

@Suite struct `Days of a calendar` {
    @Test(arguments: [
        // Whole days.
        ("DTSTART;VALUE=DATE:20261225", "2026-12-25"),
        ("DTSTART;VALUE=DATE:20261224|DTEND;VALUE=DATE:20261227", "2026-12-24/2026-12-26"),
        ("DTSTART;VALUE=DATE:20261224|DTEND;VALUE=DATE:20261224", "2026-12-24"),
        ("DTSTART;VALUE=DATE:20261224|DURATION:P1W", "2026-12-24/2026-12-30"),
        ("dtstart;value=date:20261225", "2026-12-25"), ("DTSTART:20261225", "2026-12-25"),
        // Times: by the rule's own clock, UTC or a zone.
        ("DTSTART:20261224T180000|DTEND:20261225T000000", "2026-12-24"),
        ("DTSTART:20261224T180000|DTEND:20261225T000001", "2026-12-24/2026-12-25"),
        ("DTSTART:20261224T230000Z", "2026-12-25"), ("DTSTART:20261224T225959Z|DURATION:PT1S", "2026-12-24"),
        ("DTSTART;TZID=America/New_York:20261224T200000|DURATION:PT1H", "2026-12-25"),
        ("DTSTART;TZID=\"America/New_York\":20261224T200000", "2026-12-25"),
        ("DTSTART;TZID=/softwarestudio.org/Tzfile/America/New_York:20261224T200000", "2026-12-25"),
        ("DTSTART;TZID=Asia/Tokyo:20261225T000000|DTEND;TZID=Asia/Tokyo:20261226T000000", "2026-12-24/2026-12-25"),
        ("DTSTART;TZID=Asia/Tokyo:20261225T080000|DTEND:20261225T230000Z", "2026-12-25"),
        ("DTSTART;TZID=Asia/Tokyo:20261225T080000|DTEND:20261225T230001Z", "2026-12-25/2026-12-26"),
        // The night that gains an hour: 22:00 and nine hours on the wall, or ten that pass.
        ("DTSTART:20261024T220000|DTEND:20261025T000000", "2026-10-24"),
        ("DTSTART:20261025T000000|DURATION:PT24H", "2026-10-25"),
        ("DTSTART:20261025T000000|DURATION:PT26H", "2026-10-25/2026-10-26"),
        ("DTSTART:20261025T000000|DURATION:P1DT1H", "2026-10-25/2026-10-26"),
        // A leap second, and the last moment of a day.
        ("DTSTART:20161231T235960Z", "2017-01-01"),
        // Status, and what is no part of the event.
        ("DTSTART:20261225|STATUS:CONFIRMED|TRANSP:TRANSPARENT|SUMMARY:A\\, b:c;d", "2026-12-25"),
        ("DTSTART:20261225|STATUS:CANCELLED", ""),
        ("DTSTART:20261225|BEGIN:VALARM|TRIGGER:-PT1H|DURATION:x|END:VALARM", "2026-12-25"),
    ])
    func `single events`(_ lines: String, _ expected: String) throws {
        #expect(try days(lines.split(separator: "|").map(String.init)) == expected)
    }

    @Test(arguments: [
        ("20261225", "FREQ=YEARLY;UNTIL=20281225", "2026-12-25 2027-12-25 2028-12-25"),
        ("20261225", "FREQ=YEARLY;COUNT=2", "2026-12-25 2027-12-25"),
        ("20261225", "FREQ=YEARLY", "2026-12-25 2027-12-25 2028-12-25 … 74"),
        ("20240229", "FREQ=YEARLY;COUNT=3", "2024-02-29 2028-02-29 2032-02-29"),
        ("20260131", "FREQ=MONTHLY;COUNT=4", "2026-01-31 2026-03-31 2026-05-31 2026-07-31"),
        ("20260131", "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3", "2026-01-31 2026-02-28 2026-03-31"),
        // Thanksgiving, Memorial Day, Advent, the second Monday.
        ("20261126", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=3", "2026-11-26 2027-11-25 2028-11-23"),
        ("20260525", "FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;COUNT=2", "2026-05-25 2027-05-31"),
        (
            "20261129", "FREQ=YEARLY;BYMONTH=11,12;BYMONTHDAY=27,28,29,30,1,2,3;BYDAY=SU;COUNT=2",
            "2026-11-29 2026-12-27"
        ),
        ("20260112", "FREQ=MONTHLY;BYDAY=2MO;COUNT=2", "2026-01-12 2026-02-09"),
        ("20260105", "FREQ=YEARLY;BYDAY=1MO,-1FR;COUNT=3", "2026-01-05 2026-12-25 2027-01-04"),
        ("20260130", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2", "2026-01-30 2026-02-27"),
        ("20261107", "FREQ=WEEKLY;BYDAY=SA,SU;COUNT=3", "2026-11-07/2026-11-08 2026-11-14"),
        (
            "20260804", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO;COUNT=4",
            "2026-08-04 2026-08-09 2026-08-18 2026-08-23"
        ),
        (
            "20260804", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;COUNT=4",
            "2026-08-04 2026-08-16 2026-08-18 2026-08-30"
        ),
        ("20261224", "FREQ=DAILY;COUNT=3", "2026-12-24/2026-12-26"),
        ("20260213", "FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR;COUNT=3", "2026-02-13 2026-03-13 2026-11-13"),
        ("20261224", "FREQ=DAILY;BYMONTH=12;BYMONTHDAY=24,31;COUNT=2", "2026-12-24 2026-12-31"),
        // What ended before it began, and what begins when nobody looks any more.
        ("20261224", "FREQ=DAILY;UNTIL=20261223", ""), ("21000101", "FREQ=DAILY", ""),
        // Midnight of a date, as many write it.
        ("20261224", "FREQ=DAILY;UNTIL=20261226T000000Z", "2026-12-24/2026-12-26"),
        // A first day that the rule does not fit counts all the same.
        ("20261224", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25;COUNT=2", "2026-12-24/2026-12-25"),
        ("20261225", "freq=yearly;count=1", "2026-12-25"),
    ])
    func `recurring events`(_ start: String, _ rule: String, _ expected: String) throws {
        #expect(try days(["DTSTART;VALUE=DATE:\(start)", "RRULE:\(rule)"]) == expected)
    }

    @Test(arguments: [
        ("DTSTART:20261224|RRULE:FREQ=DAILY;COUNT=4|EXDATE:20261225,20261226", "2026-12-24 2026-12-27"),
        ("DTSTART:20261224T180000|RRULE:FREQ=DAILY;COUNT=3|EXDATE:20261225T180000", "2026-12-24 2026-12-26"),
        // Another hour is another occurrence; a date is the whole day; UTC is told by the clock.
        ("DTSTART:20261224T180000|RRULE:FREQ=DAILY;COUNT=3|EXDATE:20261225T190000", "2026-12-24/2026-12-26"),
        ("DTSTART:20261224T180000|RRULE:FREQ=DAILY;COUNT=3|EXDATE;VALUE=DATE:20261225", "2026-12-24 2026-12-26"),
        (
            "DTSTART;TZID=Europe/Madrid:20261224T180000|RRULE:FREQ=DAILY;COUNT=3|EXDATE:20261225T170000Z",
            "2026-12-24 2026-12-26"
        ),
        ("DTSTART:20261224|RRULE:FREQ=DAILY;COUNT=3|EXDATE:20261225T000000", "2026-12-24 2026-12-26"),
        ("DTSTART:20261224|RDATE:20261231,20270106", "2026-12-24 2026-12-31 2027-01-06"),
        ("DTSTART:20261224|RDATE:20261224", "2026-12-24"),
        ("DTSTART;TZID=Europe/Madrid:20261224T180000|RRULE:FREQ=DAILY;UNTIL=20261226T170000Z", "2026-12-24/2026-12-26"),
        ("DTSTART;TZID=Europe/Madrid:20261224T180000|RRULE:FREQ=DAILY;UNTIL=20261226T165959Z", "2026-12-24/2026-12-25"),
        ("DTSTART:20261224T180000|RRULE:FREQ=DAILY;UNTIL=20261226", "2026-12-24/2026-12-26"),
    ])
    func `days more and days less`(_ lines: String, _ expected: String) throws {
        #expect(try days(lines.split(separator: "|").map(String.init)) == expected)
    }

    @Test func `one occurrence may be elsewhere, or cancelled`() throws {
        let moved = [
            "UID:a", "DTSTART;VALUE=DATE:20261224", "RRULE:FREQ=DAILY;COUNT=4", "END:VEVENT", "BEGIN:VEVENT", "UID:a",
            "RECURRENCE-ID;VALUE=DATE:20261225", "DTSTART;VALUE=DATE:20270106", "END:VEVENT", "BEGIN:VEVENT", "UID:a",
            "RECURRENCE-ID;VALUE=DATE:20261226", "DTSTART;VALUE=DATE:20261226", "STATUS:CANCELLED", "END:VEVENT",
            "BEGIN:VEVENT", "UID:b", "RECURRENCE-ID;VALUE=DATE:20261224", "DTSTART;VALUE=DATE:20270108",
        ]
        #expect(try days(moved) == "2026-12-24 2026-12-27 2027-01-06 2027-01-08")
    }

    @Test func `lines are folded, even within a character, and end as they like`() throws {
        let text =
            "\u{FEFF}BEGIN:VCALENDAR\nBEGIN:VTIMEZONE\nTZID:x\nBEGIN:STANDARD\nDTSTART:x\nEND:STANDARD\nEND:VTIMEZONE\n"
            + "BEGIN:VTODO\nDTSTART:never\nEND:VTODO\nBEGIN:VEVENT\r\nDTSTART;VALUE=\r\n DATE:2026\n\t1225\nSUMMARY:Navid"
        var bytes = Array(text.utf8) + [0xC3] + Array("\r\n ".utf8) + [0xA1]
        bytes += Array("d\nEND:VEVENT\nEND:VCALENDAR\n\n  \n".utf8)
        let calendar = try EventCalendar(bytes, name: "x.ics", zones: ZoneDatabase())
        #expect(try calendar.days(in: .utc).ranges.map(\.days.count) == [1])
    }

    @Test func `an event within a gap of the clock begins after it`() throws {
        #expect(try days(["DTSTART:20260329T023000"]) == "2026-03-29")
    }
}

@Suite struct `Calendars with faults` {
    @Test(arguments: [
        ("", "1: the calendar has no event"),
        (
            "<!DOCTYPE html>\n<html>",
            "1: this is not an iCalendar file: expected BEGIN:VCALENDAR, found '<!DOCTYPE html>'"
        ),
        ("a: b", "1: this is not an iCalendar file: expected BEGIN:VCALENDAR, found 'a: b'"),
        ("BEGIN:VCARD\nEND:VCARD", "1: expected BEGIN:VCALENDAR, found BEGIN:VCARD"),
        ("BEGIN:VCALENDAR\nEND:VCALENDAR", "1: the calendar has no event"),
        (
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261225",
            "2: BEGIN:VEVENT has no END (export the calendar again)"
        ),
        ("BEGIN:VCALENDAR\nEND:VEVENT", "2: END:VEVENT has no BEGIN before it"),
        ("BEGIN:VCALENDAR\nMETHOD PUBLISH", "2: expected NAME:VALUE, found 'METHOD PUBLISH'"),
    ])
    func `of its shape`(_ text: String, _ expected: String) {
        #expect(faults(text) == [expected])
    }

    @Test(arguments: [
        ("SUMMARY:x", "2: this event has no DTSTART, so nobody knows when it is"),
        (
            "DTSTART:24 Dec",
            "3: DTSTART is '24 Dec', expected a date such as 20261224 or a time such as 20261224T180000"
        ),
        (
            "DTSTART:20260230",
            "3: DTSTART is '20260230', expected a date such as 20261224 or a time such as 20261224T180000"
        ),
        (
            "DTSTART:20261224T250000",
            "3: DTSTART is '20261224T250000', expected a date such as 20261224 or a time such as 20261224T180000"
        ),
        (
            "DTSTART;TZID=Romance Standard Time:20261224T180000",
            "3: TZID 'Romance Standard Time' is not an IANA time zone -> Europe/Madrid"
        ),
        (
            "DTSTART;TZID=../../etc/passwd:20261224T180000",
            "3: TZID '../../etc/passwd' is not an IANA time zone (export the calendar with zones such as Europe/Madrid, or with events that last whole days)"
        ),
        ("DTSTART:20261224\nDTEND:20261223", "4: this event ends before it begins, or more than ten years later"),
        (
            "DTSTART:20261224T180000\nDTEND:20261224T170000",
            "4: this event ends before it begins, or more than ten years later"
        ),
        ("DTSTART:20261224\nDTEND:20261224T170000", "4: one of DTSTART and DTEND is a date, and the other is a time"),
        (
            "DTSTART:20261224T180000\nDTEND:20261224T200000Z",
            "4: one of DTSTART and DTEND has a time zone, and the other has none"
        ),
        (
            "DTSTART:20261224\nDURATION:1D",
            "4: DURATION is '1D', expected one such as P1D or PT8H, of ten years at most"
        ),
        (
            "DTSTART:20261224\nDURATION:P999999999W",
            "4: DURATION is 'P999999999W', expected one such as P1D or PT8H, of ten years at most"
        ),
        (
            "DTSTART:20261224\nDURATION:P\(String(repeating: "999999999W", count: 16_000))",
            "4: DURATION is 'P999999999W999999999W999999999…99999999W999999999W999999999W', "
                + "expected one such as P1D or PT8H, of ten years at most"
        ),
        ("DTSTART:20261224\nDURATION:PT8H", "4: DURATION is 'PT8H', but an event on a date lasts whole days"),
        (
            "DTSTART:20261224\nEXRULE:FREQ=DAILY",
            "4: EXRULE is not supported (write the days that are left out as EXDATE)"
        ),
        (
            "DTSTART:20261224\nRDATE;VALUE=PERIOD:20261224T180000Z/PT1H",
            "4: RDATE with a period is not supported (write an event of its own for it)"
        ),
        (
            "DTSTART:20261224\nEXDATE:Friday",
            "4: EXDATE is 'Friday', expected a date such as 20261224 or a time such as 20261224T180000"
        ),
        (
            "DTSTART:20261224\nRECURRENCE-ID;RANGE=THISANDFUTURE:20261224",
            "4: RECURRENCE-ID with RANGE is not supported (write an event of its own for the rest)"
        ),
        (
            "DTSTART:20261224\nRRULE:FREQ=HOURLY",
            "4: FREQ of RRULE is 'HOURLY', expected DAILY, WEEKLY, MONTHLY or YEARLY"
        ),
        ("DTSTART:20261224\nRRULE:COUNT=3", "4: RRULE 'COUNT=3' has no FREQ (expected one such as FREQ=YEARLY)"),
        (
            "DTSTART:20261224\nRRULE:FREQ=DAILY;COUNT=3;UNTIL=20270101",
            "4: RRULE has both COUNT and UNTIL (keep one of them)"
        ),
        ("DTSTART:20261224\nRRULE:FREQ=DAILY;FREQ=DAILY", "4: RRULE has FREQ twice"),
        ("DTSTART:20261224\nRRULE:FREQ=DAILY;COUNT", "4: RRULE has 'COUNT', expected NAME=VALUE"),
        (
            "DTSTART:20261224\nRRULE:FREQ=YEARLY;BYWEEKNO=20",
            "4: RRULE has 'BYWEEKNO', which is not supported; known are FREQ, INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY, BYDAY, BYSETPOS, WKST (write those days as RDATE)"
        ),
        (
            "DTSTART:20261224\nRRULE:FREQ=YEARLY;BYMONTHS=2",
            "4: RRULE has 'BYMONTHS', which is not supported; known are FREQ, INTERVAL, COUNT, UNTIL, BYMONTH, BYMONTHDAY, BYDAY, BYSETPOS, WKST -> BYMONTH"
        ),
        (
            "DTSTART:20261224\nRRULE:FREQ=DAILY;INTERVAL=0",
            "4: INTERVAL of RRULE is '0', expected a whole number from 1 to 1000"
        ),
        (
            "DTSTART:20261224\nRRULE:FREQ=MONTHLY;BYDAY=0MO",
            "4: BYDAY of RRULE is '0MO', expected days such as MO,TU or 1MO or -1FR"
        ),
        (
            "DTSTART:20261224\nRRULE:FREQ=WEEKLY;BYDAY=1MO",
            "4: RRULE numbers the days of BYDAY, which only FREQ=MONTHLY and FREQ=YEARLY can"
        ),
        (
            "DTSTART:20261224\nRRULE:FREQ=WEEKLY;BYMONTHDAY=1",
            "4: RRULE has BYMONTHDAY with FREQ=WEEKLY (write FREQ=MONTHLY)"
        ),
        ("DTSTART:20261224\nRRULE:FREQ=YEARLY;BYMONTH=13", "4: BYMONTH of RRULE is '13', expected months from 1 to 12"),
        (
            "DTSTART:20261224\nRRULE:FREQ=YEARLY;BYMONTHDAY=32",
            "4: BYMONTHDAY of RRULE is '32', expected days from 1 to 31, or from -1 to -31"
        ),
    ])
    func `of its events`(_ lines: String, _ expected: String) {
        #expect(faults("BEGIN:VCALENDAR\nBEGIN:VEVENT\n\(lines)\nEND:VEVENT\nEND:VCALENDAR\n") == [expected])
    }

    @Test func `every event's faults are told, up to a number`() {
        let events = (0..<30).map { "BEGIN:VEVENT\nDTSTART:\($0)\nEND:VEVENT\n" }.joined()
        let found = faults("BEGIN:VCALENDAR\n\(events)END:VCALENDAR\n")
        #expect(found.count == CalendarFaults.toldMax)
        #expect(found.last?.hasPrefix("30: DTSTART is '9'") == true)
    }

    @Test func `files, occurrences and rules that never fit are bounded`() {
        func many(_ event: String, _ count: Int) -> String {
            "BEGIN:VCALENDAR\n" + String(repeating: "BEGIN:VEVENT\n\(event)\nEND:VEVENT\n", count: count)
                + "END:VCALENDAR\n"
        }
        #expect(
            faults(String(repeating: "x", count: EventCalendar.bytesMax + 1)).first?.hasPrefix(
                "1: the calendar is larger than 1024 KiB") == true)
        #expect(faults(many("DTSTART:1", EventCalendar.eventsMax + 1)).count == CalendarFaults.toldMax)
        #expect(
            faults(many("DTSTART:20000101\nRRULE:FREQ=DAILY", 3)) == [
                "12: with this rule the calendar has more than 100000 occurrences until 2100 (give it an UNTIL)"
            ])
        #expect(
            faults(many("DTSTART:00010101\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", 8)).first?.hasSuffix(
                "the rules of this calendar ask for too many days that never come (give them an UNTIL, or remove those that fit no day)"
            )
                == true)
    }
}
