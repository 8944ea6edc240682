internal import AlertModel
internal import TimeZones

// Dates, times and lengths as calendars write them (RFC 5545, 3.3).

extension CalendarReader {
    /// `20261224`, `20261224T180000`, `20261224T170000Z`: what the value says and the clock it is read on. Nil, and a fault,
    /// for anything else.
    mutating func start(_ line: ContentLine, _ text: Substring) -> Event.Start? {
        guard let (day, second, isUTC) = CalendarReader.dateAndTime(text) else {
            report(
                line.number,
                "\(line.name) is \(String(text).quoted), expected a date such as 20261224 or a time such as "
                    + "20261224T180000")
            return nil
        }
        guard let second else { return .day(day) }
        let civil = CivilTime(day: day, secondOfDay: second)
        if isUTC { return .time(civil, .of(.utc)) }
        guard let name = line.parameters["TZID"] else { return .time(civil, .floating) }
        return zone(name, line.number).map { .time(civil, .of($0)) }
    }

    /// A date, and of a time the second of its day and whether it is of UTC.
    static func dateAndTime(_ text: Substring) -> (day: Int, second: Int?, isUTC: Bool)? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let date = digits(parts[0], [4, 2, 2]),
            let day = CivilTime(year: date[0], month: date[1], day: date[2])?.day
        else { return nil }
        guard parts.count == 2 else { return (day, nil, false) }
        let isUTC = parts[1].hasSuffix("Z")
        guard let time = digits(isUTC ? parts[1].dropLast() : parts[1], [2, 2, 2]), time[0] < 24, time[1] < 60,
            // A leap second is a second of the clocks that count it, and the next one's begin for all others.
            time[2] <= 60
        else { return nil }
        return (day, min(time[0] * 3600 + time[1] * 60 + time[2], 86_399), isUTC)
    }

    /// Digits in groups of those lengths, without anything between them.
    private static func digits(_ text: Substring, _ lengths: [Int]) -> [Int]? {
        guard text.utf8.count == lengths.reduce(0, +), text.isDigits else { return nil }
        var rest = text
        return lengths.map { length in
            defer { rest = rest.dropFirst(length) }
            return Int(rest.prefix(length)) ?? 0
        }
    }

    /// The zone of a name. Each name is looked up once, since every event has it.
    private mutating func zone(_ written: String, _ line: Int) -> Zone? {
        if let known = zonesSeen[written] { return known }
        // Some programs put a path in front: /freeassociation.sourceforge.net/Europe/Madrid.
        let parts = written.split(separator: "/")
        let names = [written] + (written.hasPrefix("/") ? [2, 3].map { parts.suffix($0).joined(separator: "/") } : [])
        var zone: Zone?
        for name in names where zone == nil { zone = try? zones.zone(name) }
        zonesSeen[written] = .some(zone)
        if zone == nil {
            report(
                line, "TZID \(written.quoted) is not an IANA time zone",
                suggestion: CalendarReader.windowsZones[written],
                advice: CalendarReader.windowsZones[written] == nil
                    ? "export the calendar with zones such as Europe/Madrid, or with events that last whole days" : nil)
        }
        return zone
    }

    /// `P1D`, `PT36H`, `P2W`: RFC 5545, 3.3.6. Nil for anything else, for nothing and for more than ten years.
    static func length(_ text: String) -> Event.Length? {
        var rest = text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard rest.popFirst() == "P" else { return nil }
        var length = Event.Length()
        var isTime = false
        var count = 0
        while let character = rest.popFirst() {
            if character == "T", !isTime {
                isTime = true
                continue
            }
            var number = String(character)
            while let next = rest.first, next.isASCII, next.isNumber {
                number.append(next)
                rest = rest.dropFirst()
            }
            guard number.utf8.count <= 9, let value = Int(number), value >= 0, let unit = rest.popFirst() else {
                return nil
            }
            switch (unit, isTime) {
            case ("W", false): length.wall += value * 7 * 86_400
            case ("D", false): length.wall += value * 86_400
            case ("H", true): length.seconds += value * 3600
            case ("M", true): length.seconds += value * 60
            case ("S", true): length.seconds += value
            default: return nil
            }
            // With every unit, for a text may have any number of them.
            guard (length.wall + length.seconds) / 86_400 <= lengthDaysMax else { return nil }
            count += 1
        }
        return count > 0 ? length : nil
    }

    /// No event of people lasts longer than ten years.
    static let lengthDaysMax = 3660
}
