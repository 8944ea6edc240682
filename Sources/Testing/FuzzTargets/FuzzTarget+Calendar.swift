internal import AlertModel
internal import Calendars
internal import TimeZones

extension FuzzTarget {
    private static let zones = ZoneDatabase()

    /// A calendar of holidays: its days are given in order, or there is a fault with a line.
    static let calendar = FuzzTarget(
        "calendar",
        seeds: [
            """
            BEGIN:VCALENDAR
            VERSION:2.0
            BEGIN:VEVENT
            UID:1
            DTSTART;VALUE=DATE:20261225
            RRULE:FREQ=YEARLY;BYMONTH=12;BYDAY=-1FR;COUNT=5
            EXDATE;VALUE=DATE:20271231
            SUMMARY:Christmas
            END:VEVENT
            BEGIN:VEVENT
            DTSTART;TZID=America/New_York:20261224T200000
            DURATION:P1DT1H
            RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU;UNTIL=20270301T000000Z
            RDATE:20270105T100000Z
            END:VEVENT
            END:VCALENDAR
            """,
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261025T000000\nDTEND:20261026\n 000000\nEND:VEVENT\nEND:VCALENDAR\n",
        ],
        words: [
            "DTSTART", "DTEND", "DURATION:", "P1W", "PT8H", "999999999W", "RRULE:FREQ=", "DAILY", "MONTHLY", "BYDAY=",
            "BYMONTHDAY=", "BYSETPOS=", "COUNT=", "UNTIL=", "INTERVAL=", "EXDATE", "RDATE", "RECURRENCE-ID", "TZID=",
            "Asia/Tokyo", "VALUE=DATE", "VALUE=PERIOD", "99991231", "00000101T000000Z", "STATUS:CANCELLED", "\r\n ",
        ]
    ) { bytes in
        guard let zone = try? zones.zone("Europe/Madrid") else { return "this machine has no time zones" }
        do throws(CalendarFaults) {
            let days = try EventCalendar(bytes, name: "holidays.ics", zones: zones).days(in: zone)
            let isInOrder = zip(days.ranges, days.ranges.dropFirst()).allSatisfy { earlier, later in
                earlier.days.upperBound + 1 < later.days.lowerBound
            }
            return isInOrder ? nil : "days that are not in order"
        } catch {
            guard !error.faults.isEmpty, error.faults.count <= CalendarFaults.toldMax else {
                return "\(error.faults.count) faults"
            }
            return error.faults.allSatisfy { $0.line >= 1 && !$0.message.isEmpty } ? nil : "a fault without a place"
        }
    }
}
