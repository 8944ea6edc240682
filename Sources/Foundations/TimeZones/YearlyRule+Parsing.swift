import AlertModel

/// Where a `TZ` string stops making sense.
struct RuleError: Error, Hashable {
    /// Bytes from the beginning of the string.
    let position: Int
    let expected: String
}

extension YearlyRule {
    /// Reads a `TZ` string as TZif footers have it: POSIX, with RFC 9636's hours from -167 to 167 in times of change.
    ///
    /// POSIX leaves it open what a season without dates means; here it is an error.
    init(tz bytes: ArraySlice<UInt8>) throws(RuleError) {
        text = String(decoding: bytes, as: UTF8.self)
        var scanner = RuleScanner(bytes)
        let name = try scanner.abbreviation()
        standard = LocalClock(offset: try -scanner.offset(), abbreviation: name)
        guard !scanner.isAtEnd else {
            season = nil
            return
        }
        let seasonName = try scanner.abbreviation()
        let hasOffset = !scanner.isAtEnd && !scanner.isAt(",")
        let seasonOffset = hasOffset ? try -scanner.offset() : standard.offset + 3600
        try scanner.skip(",", or: "the dates of the season, as in ,M3.5.0,M10.5.0/3")
        let begin = try scanner.yearlyTime()
        try scanner.skip(",", or: "a comma and the end of the season")
        let end = try scanner.yearlyTime()
        guard scanner.isAtEnd else { throw scanner.error("the end of the rule") }
        season = Season(clock: LocalClock(offset: seasonOffset, abbreviation: seasonName), begin: begin, end: end)
    }
}

/// Reads the pieces of a `TZ` string from left to right.
private struct RuleScanner {
    private let all: ArraySlice<UInt8>
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        all = bytes
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    func isAt(_ mark: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: mark) }

    func error(_ expected: String) -> RuleError {
        RuleError(position: rest.startIndex - all.startIndex, expected: expected)
    }

    private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard isAt(mark) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func skip(_ mark: Unicode.Scalar, or expected: String) throws(RuleError) {
        guard skip(mark) else { throw error(expected) }
    }

    /// `CET`, or `<+03>` where the name is more than letters.
    mutating func abbreviation() throws(RuleError) -> String {
        let isQuoted = skip("<")
        let name = isQuoted ? rest.prefix { $0 != UInt8(ascii: ">") } : rest.prefix(while: \.isASCIILetter)
        guard name.count >= 3, LocalClock.isAbbreviation(name) else {
            throw error("an abbreviation such as CET or <+03>")
        }
        rest = rest[name.endIndex...]
        if isQuoted { try skip(">", or: "> after the abbreviation") }
        return String(decoding: name, as: UTF8.self)
    }

    /// `5`, `-3:30`: seconds, in the sign of the string, which is positive west of Greenwich.
    mutating func offset() throws(RuleError) -> Int {
        try clockTime(hoursMax: 24, "an offset such as 5 or -3:30, of at most 24 hours")
    }

    /// `M3.5.0/2`, `J60`, `59/-1:30`.
    mutating func yearlyTime() throws(RuleError) -> YearlyTime {
        let day: YearlyTime.Day
        if skip("M") {
            let expected = "a month, a week and a weekday, as in M3.5.0"
            let month = try number(in: 1...12, expected)
            try skip(".", or: expected)
            let week = try number(in: 1...5, expected)
            try skip(".", or: expected)
            day = .weekday(month: month, week: week, weekday: try number(in: 0...6, expected))
        } else if skip("J") {
            day = .withoutLeapDay(try number(in: 1...365, "a day from J1 to J365"))
        } else {
            day = .ordinal(try number(in: 0...365, "a date such as M3.5.0, J60 or 59"))
        }
        let time =
            skip("/") ? try clockTime(hoursMax: 167, "a time such as 2 or -1:30, of at most 167 hours") : 2 * 3600
        return YearlyTime(day: day, secondOfDay: time)
    }

    /// `[+-]h[h[h]][:mm[:ss]]` in seconds.
    private mutating func clockTime(hoursMax: Int, _ expected: String) throws(RuleError) -> Int {
        let sign = skip("-") ? -1 : 1
        if sign > 0 { _ = skip("+") }
        var seconds = try number(in: 0...hoursMax, expected) * 3600
        if skip(":") {
            seconds += try number(in: 0...59, expected) * 60
            if skip(":") { seconds += try number(in: 0...59, expected) }
        }
        return sign * seconds
    }

    private mutating func number(in range: ClosedRange<Int>, _ expected: String) throws(RuleError) -> Int {
        let digits = rest.prefix(while: \.isASCIIDigit)
        guard (1...3).contains(digits.count) else { throw error(expected) }
        let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard range.contains(number) else { throw error(expected) }
        rest = rest[digits.endIndex...]
        return number
    }
}
