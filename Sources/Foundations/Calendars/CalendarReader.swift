internal import AlertModel
internal import TimeZones

/// One calendar being read.
struct CalendarReader {
    let zones: ZoneDatabase
    private(set) var faults: [CalendarFault] = []
    /// The zones that were asked for, those that are not there too.
    var zonesSeen: [String: Zone?] = [:]

    init(zones: ZoneDatabase) { self.zones = zones }

    mutating func report(_ line: Int, _ message: String, suggestion: String? = nil, advice: String? = nil) {
        report(CalendarFault(line, message, suggestion: suggestion, advice: advice))
    }

    private mutating func report(_ fault: CalendarFault) {
        if faults.count < CalendarFaults.toldMax { faults.append(fault) }
    }

    /// The events of a file; what is wrong with it is among the faults.
    mutating func events(_ bytes: [UInt8]) -> [Event] {
        do throws(CalendarFault) {
            return try read(bytes)
        } catch {
            report(error)
            return []
        }
    }

    /// - Throws: what makes the rest of the file mean nothing.
    private mutating func read(_ bytes: [UInt8]) throws(CalendarFault) -> [Event] {
        guard bytes.count <= EventCalendar.bytesMax else {
            throw CalendarFault(
                1, "the calendar is larger than \(EventCalendar.bytesMax >> 10) KiB", advice: "export fewer years of it"
            )
        }
        var events: [Event] = []
        // What was begun and has not ended, from the outside in.
        var open: [(name: String, line: Int)] = []
        var lines: [ContentLine] = []
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        for (number, bytes) in ContentLine.unfolded(start) where !bytes.isEmpty {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CalendarFault(number, "this line is not UTF-8 text", advice: "export the calendar again")
            }
            // Blank lines stand at the end of many a file.
            if text.allSatisfy(\.isWhitespace) { continue }
            guard let line = ContentLine(text, number: number) else {
                if open.isEmpty, events.isEmpty { throw CalendarFault.noCalendar(number, text) }
                throw CalendarFault(number, "expected NAME:VALUE, found \(text.quoted)")
            }
            switch line.name {
            case "BEGIN":
                let name = line.value.uppercased()
                guard !open.isEmpty || name == "VCALENDAR" else {
                    throw CalendarFault(
                        number, "expected BEGIN:VCALENDAR, found BEGIN:\(line.value.quotable)")
                }
                open.append((name, number))
            case "END":
                guard let begun = open.popLast(), begun.name == line.value.uppercased() else {
                    throw CalendarFault(number, "END:\(line.value.quotable) has no BEGIN before it")
                }
                guard begun.name == "VEVENT", open.map(\.name) == ["VCALENDAR"] else { break }
                if let event = event(begun.line, lines) { events.append(event) }
                lines = []
                guard events.count <= EventCalendar.eventsMax else {
                    throw CalendarFault(begun.line, "the calendar has more than \(EventCalendar.eventsMax) events")
                }
            default:
                guard !open.isEmpty else { throw CalendarFault.noCalendar(number, text) }
                // Alarms within an event are no part of it.
                if open.map(\.name) == ["VCALENDAR", "VEVENT"] { lines.append(line) }
            }
        }
        if let begun = open.last {
            throw CalendarFault(
                begun.line, "BEGIN:\(begun.name.quotable) has no END",
                advice: "export the calendar again")
        }
        if events.isEmpty, faults.isEmpty { throw CalendarFault(1, "the calendar has no event") }
        return events
    }

    private mutating func event(_ number: Int, _ lines: [ContentLine]) -> Event? {
        let count = faults.count
        func the(_ name: String) -> ContentLine? { lines.first { $0.name == name } }
        guard let written = the("DTSTART") else {
            report(number, "this event has no DTSTART, so nobody knows when it is")
            return nil
        }
        guard let start = start(written, written.value[...]) else { return nil }
        let length = length(of: start, the("DTEND"), the("DURATION"))
        var rules: [RecurrenceRule] = []
        for line in lines where line.name == "RRULE" {
            do throws(CalendarFault) {
                rules.append(try RecurrenceRule(line.value, line: line.number))
            } catch {
                report(error)
            }
        }
        if let line = the("EXRULE") {
            report(line.number, "EXRULE is not supported", advice: "write the days that are left out as EXDATE")
        }
        let more = starts("RDATE", lines)
        let without = starts("EXDATE", lines)
        var replaces: Event.Start?
        if let line = the("RECURRENCE-ID") {
            if line.parameters["RANGE"] != nil {
                report(
                    line.number, "RECURRENCE-ID with RANGE is not supported",
                    advice: "write an event of its own for the rest")
            }
            replaces = self.start(line, line.value[...])
        }
        guard faults.count == count else { return nil }
        return Event(
            id: the("UID")?.value, start: start, length: length, rules: rules, more: more, without: without,
            replaces: replaces, isCancelled: the("STATUS")?.value.uppercased() == "CANCELLED")
    }

    /// All beginnings of the lines with that name.
    private mutating func starts(_ name: String, _ lines: [ContentLine]) -> [Event.Start] {
        var starts: [Event.Start] = []
        for line in lines where line.name == name {
            for text in line.value.split(separator: ",") {
                if text.contains("/") {
                    report(
                        line.number, "\(name) with a period is not supported",
                        advice: "write an event of its own for it")
                } else if let start = start(line, text) {
                    starts.append(start)
                }
            }
        }
        return starts
    }

    /// How long it is: up to its end, for its duration, or else a day where it is one and no time at all otherwise (RFC
    /// 5545, 3.6.1).
    private mutating func length(of start: Event.Start, _ end: ContentLine?, _ duration: ContentLine?) -> Event.Length {
        let usual = if case .day = start { Event.Length.day } else { Event.Length() }
        if let duration {
            guard let length = CalendarReader.length(duration.value) else {
                report(
                    duration.number,
                    "DURATION is \(duration.value.quoted), expected one such as P1D or PT8H, of ten years at most")
                return usual
            }
            if case .day = start, length.seconds > 0 {
                report(duration.number, "DURATION is \(duration.value.quoted), but an event on a date lasts whole days")
                return usual
            }
            return length
        }
        guard let end, let last = self.start(end, end.value[...]) else { return usual }
        switch (start, last) {
        case (.day(let from), .day(let to)):
            guard to >= from, to - from <= CalendarReader.lengthDaysMax else { break }
            // Some programs write a single day as one that ends on itself.
            return Event.Length(wall: max(to - from, 1) * 86_400)
        case (.time(let from, let clock), .time(let to, let other)):
            guard clock == other else {
                guard case .of(let zone) = clock, case .of(let otherZone) = other else {
                    report(end.number, "one of DTSTART and DTEND has a time zone, and the other has none")
                    return usual
                }
                return between(from, zone.civil(otherZone.moment(beginning: to)), end)
            }
            return between(from, to, end)
        default:
            report(end.number, "one of DTSTART and DTEND is a date, and the other is a time")
            return usual
        }
        report(end.number, "this event ends before it begins, or more than ten years later")
        return usual
    }

    private mutating func between(_ from: CivilTime, _ to: CivilTime, _ end: ContentLine) -> Event.Length {
        let seconds = (to.day - from.day) * 86_400 + to.secondOfDay - from.secondOfDay
        guard seconds >= 0, seconds / 86_400 <= CalendarReader.lengthDaysMax else {
            report(end.number, "this event ends before it begins, or more than ten years later")
            return Event.Length()
        }
        return Event.Length(wall: seconds)
    }

    /// What Windows calls some zones, where people write calendars with it.
    static let windowsZones = [
        "W. Europe Standard Time": "Europe/Berlin", "Romance Standard Time": "Europe/Madrid",
        "GMT Standard Time": "Europe/London", "Central European Standard Time": "Europe/Warsaw",
        "Eastern Standard Time": "America/New_York", "Central Standard Time": "America/Chicago",
        "Mountain Standard Time": "America/Denver", "Pacific Standard Time": "America/Los_Angeles",
    ]
}

extension CalendarFault {
    fileprivate static func noCalendar(_ line: Int, _ text: String) -> CalendarFault {
        CalendarFault(line, "this is not an iCalendar file: expected BEGIN:VCALENDAR, found \(text.quoted)")
    }
}
