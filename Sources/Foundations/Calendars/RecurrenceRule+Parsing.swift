internal import AlertModel
internal import TimeZones

extension RecurrenceRule {
    /// The parts of a rule that are read.
    private enum Part: String, CaseIterable {
        case frequency = "FREQ"
        case interval = "INTERVAL"
        case count = "COUNT"
        case until = "UNTIL"
        case months = "BYMONTH"
        case monthDays = "BYMONTHDAY"
        case weekdays = "BYDAY"
        case positions = "BYSETPOS"
        case weekStart = "WKST"
    }

    /// The longest interval: whoever meets every hundred years needs no bot.
    private static let intervalMax = 1_000

    /// Reads a rule: `FREQ=YEARLY;BYMONTH=11;BYDAY=4TH`.
    ///
    /// - Parameter line: where it stands.
    init(_ text: String, line: Int) throws(CalendarFault) {
        self.line = line
        var isSet: Set<Part> = []
        for written in text.split(separator: ";") {
            let pieces = written.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pieces.count == 2 else {
                throw CalendarFault(line, "RRULE has \(String(written).quoted), expected NAME=VALUE")
            }
            let name = pieces[0].uppercased()
            guard let part = Part(rawValue: name) else { throw RecurrenceRule.unread(name, line) }
            guard isSet.insert(part).inserted else { throw CalendarFault(line, "RRULE has \(name) twice") }
            let value = pieces[1].uppercased()
            guard read(part, value) else { throw RecurrenceRule.fault(name, value, part, line) }
        }
        guard isSet.contains(.frequency) else {
            throw CalendarFault(line, "RRULE \(text.quoted) has no FREQ", advice: "expected one such as FREQ=YEARLY")
        }
        guard count == nil || until == nil else {
            throw CalendarFault(line, "RRULE has both COUNT and UNTIL", advice: "keep one of them")
        }
        if weekdays.contains(where: { $0.ordinal != nil }), frequency == .daily || frequency == .weekly {
            throw CalendarFault(line, "RRULE numbers the days of BYDAY, which only FREQ=MONTHLY and FREQ=YEARLY can")
        }
        if frequency == .weekly, !monthDays.isEmpty {
            throw CalendarFault(line, "RRULE has BYMONTHDAY with FREQ=WEEKLY", advice: "write FREQ=MONTHLY")
        }
    }

    private static func unread(_ name: String, _ line: Int) -> CalendarFault {
        let known = Part.allCases.map(\.rawValue)
        return CalendarFault(
            line, "RRULE has \(name.quoted), which is not supported; known are \(known.joined(separator: ", "))",
            suggestion: name.nearest(in: known),
            advice: name.nearest(in: known) == nil ? "write those days as RDATE" : nil)
    }

    private static func fault(_ name: String, _ value: String, _ part: Part, _ line: Int) -> CalendarFault {
        let expected =
            switch part {
            case .frequency: "DAILY, WEEKLY, MONTHLY or YEARLY"
            case .interval: "a whole number from 1 to \(intervalMax)"
            case .count: "a whole number from 1 to \(EventCalendar.occurrencesMax)"
            case .until: "a date such as 20301231 or a time such as 20301231T225959Z"
            case .months: "months from 1 to 12"
            case .monthDays: "days from 1 to 31, or from -1 to -31"
            case .weekdays: "days such as MO,TU or 1MO or -1FR"
            case .positions: "places from 1 to 366, or from -1 to -366"
            case .weekStart: "MO, TU, WE, TH, FR, SA or SU"
            }
        return CalendarFault(line, "\(name) of RRULE is \(value.quoted), expected \(expected)")
    }

    /// - Returns: whether the value could be read.
    private mutating func read(_ part: Part, _ value: String) -> Bool {
        switch part {
        case .frequency:
            guard let read = Frequency(rawValue: value.lowercased()) else { return false }
            frequency = read
        case .interval:
            guard let read = RecurrenceRule.number(value[...], 1...RecurrenceRule.intervalMax) else { return false }
            interval = read
        case .count:
            guard let read = RecurrenceRule.number(value[...], 1...EventCalendar.occurrencesMax) else { return false }
            count = read
        case .until:
            guard let (day, second, isUTC) = CalendarReader.dateAndTime(value[...]) else { return false }
            until =
                second.map { .time(CivilTime(day: day, secondOfDay: $0), isUTC ? .of(.utc) : .floating) } ?? .day(day)
        case .months: return RecurrenceRule.read(value, &months) { RecurrenceRule.number($0, 1...12) }
        case .monthDays: return RecurrenceRule.read(value, &monthDays) { RecurrenceRule.place($0, 31) }
        case .positions: return RecurrenceRule.read(value, &positions) { RecurrenceRule.place($0, 366) }
        case .weekdays:
            for written in value.split(separator: ",", omittingEmptySubsequences: false) {
                guard let weekday = RecurrenceRule.weekday(written.suffix(2)) else { return false }
                let number = written.dropLast(2)
                let ordinal = number.isEmpty ? nil : RecurrenceRule.place(number, 53)
                guard number.isEmpty || ordinal != nil else { return false }
                weekdays.append(WeekdayRule(weekday: weekday, ordinal: ordinal))
            }
        case .weekStart:
            guard let read = RecurrenceRule.weekday(value[...]) else { return false }
            weekStart = read
        }
        return true
    }

    private static func read(_ value: String, _ numbers: inout Set<Int>, _ number: (Substring) -> Int?) -> Bool {
        let read = value.split(separator: ",", omittingEmptySubsequences: false).map(number)
        numbers = Set(read.compactMap(\.self))
        return !read.contains(nil)
    }

    private static func number(_ text: Substring, _ range: ClosedRange<Int>) -> Int? {
        guard text.isDigits, let number = Int(text) else { return nil }
        return range.contains(number) ? number : nil
    }

    /// A place counted from 1, or from -1 backwards.
    private static func place(_ text: Substring, _ most: Int) -> Int? {
        if text.hasPrefix("-") { return number(text.dropFirst(), 1...most).map { -$0 } }
        return number(text.hasPrefix("+") ? text.dropFirst() : text, 1...most)
    }

    private static func weekday(_ text: Substring) -> Weekday? {
        ["MO", "TU", "WE", "TH", "FR", "SA", "SU"].firstIndex(of: text).flatMap { Weekday(rawValue: $0) }
    }
}
