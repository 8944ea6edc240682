/// Why a value is not written as its grammar wants it.
public struct GrammarError: Error, Hashable, Sendable {
    /// What is expected, with an example: `a duration such as 5m`.
    public let expected: String
    /// What was probably meant, ready to be pasted.
    public let suggestion: String?
    /// What to do where several things may be meant: a phrase that can follow after a semicolon.
    public let advice: String?
    /// The value itself, where it could be read and still is none that is wanted: `90s`.
    public let found: String?

    public init(expected: String, suggestion: String? = nil, advice: String? = nil, found: String? = nil) {
        self.expected = expected
        self.suggestion = suggestion
        self.advice = advice
        self.found = found
    }

    /// Suggestion and advice, for the end of a sentence; empty where there are none.
    public var hint: String {
        (suggestion.map { "; did you mean \($0)?" } ?? "") + (advice.map { "; \($0)" } ?? "")
    }
}

extension Duration {
    /// Reads `30s`, `5m`, `2h`, `1d`, and sums of them such as `1h30m`, each unit once; a bare `0` needs none.
    ///
    /// - Parameter range: what may stand there, for the advice to whoever left out the unit; it is not held against it.
    public init(grammar text: String, within range: ClosedRange<Duration>? = nil) throws(GrammarError) {
        let expected = "a duration such as 30s, 5m, 2h or 1d"
        if text == "0" {
            self = .zero
            return
        }
        var total = Duration.zero
        var digits = ""
        var units = ""
        for character in text {
            if character.isASCII, character.isNumber, digits.count < 9 {
                digits.append(character)
                continue
            }
            guard let count = Int64(digits) else {
                throw GrammarError(expected: expected, suggestion: Duration.meant(by: text))
            }
            switch character {
            case "s": total += .seconds(count)
            case "m": total += .minutes(count)
            case "h": total += .hours(count)
            case "d": total += .days(count)
            default: throw GrammarError(expected: expected, suggestion: Duration.meant(by: text))
            }
            digits = ""
            units.append(character)
        }
        guard digits.isEmpty, !units.isEmpty else {
            throw GrammarError(expected: expected, advice: Int64(text).flatMap { Duration.advice($0, within: range) })
        }
        guard Set(units).count == units.count else {
            throw GrammarError(expected: "\(expected), with each unit once", suggestion: total.grammar)
        }
        self = total
    }

    /// What somebody may mean who wrote no unit: the shortest two that may stand there.
    private static func advice(_ count: Int64, within range: ClosedRange<Duration>?) -> String? {
        let written = ["s", "m", "h", "d"].map { "\(count)\($0)" }
        let fitting = written.filter { word in
            (try? Duration(grammar: word)).map { range?.contains($0) ?? true } ?? false
        }
        return fitting.isEmpty ? nil : "write " + fitting.prefix(2).joined(separator: " or ")
    }

    /// The duration as config writes it: `1h30m`.
    public var grammar: String {
        let seconds = wholeMilliseconds / 1000
        guard seconds > 0 else { return wholeMilliseconds == 0 ? "0s" : "\(wholeMilliseconds)ms" }
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
    }

    /// How long something has lasted, in words: as `short`, but from ten minutes on without seconds, which nobody wants
    /// to know.
    public var rough: String { self < .minutes(10) ? short : Duration.minutes(wholeMilliseconds / 60_000).short }

    /// The duration in words short enough for a message: its two largest units.
    public var short: String {
        let seconds = Swift.max(0, wholeMilliseconds / 1000)
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        func words(_ large: Int64, _ largeUnit: String, _ small: Int64, _ smallUnit: String) -> String {
            String(large) + largeUnit + (small > 0 ? " " + String(small) + smallUnit : "")
        }
        if days > 0 { return words(days, " d", hours, " h") }
        if hours > 0 { return words(hours, " h", minutes, " min") }
        if minutes > 0 { return words(minutes, " min", seconds % 60, " s") }
        return String(seconds) + " s"
    }
}

/// So many of something in so much time: `10 per 1h`.
public struct Rate: Hashable, Sendable {
    public let count: Int
    public let per: Duration

    public init(_ count: Int, per: Duration) {
        self.count = count
        self.per = per
    }

    public init(grammar text: String) throws(GrammarError) {
        let expected = "a rate such as 10 per 1h or 1 per 90d"
        let words = text.split(separator: " ").map(String.init)
        // A slash is how many would write it.
        let parts = words.count == 1 ? text.split(separator: "/").map(String.init) : words
        guard let number = parts.first, let count = Int(number), number.isDigits else {
            throw GrammarError(expected: expected)
        }
        guard words.count == 3, words[1] == "per" else {
            let times = parts.dropFirst().compactMap {
                Rate.units[$0] ?? ((try? Duration(grammar: $0)) != nil ? $0 : nil)
            }
            throw GrammarError(
                expected: expected, suggestion: times.count == 1 ? "\(count) per \(times[0])" : nil)
        }
        guard count > 0 else { throw GrammarError(expected: "\(expected), of at least 1") }
        let per: Duration
        do {
            per = try Duration(grammar: words[2])
        } catch {
            throw GrammarError(expected: expected, suggestion: Rate.units[words[2]].map { "\(count) per \($0)" })
        }
        guard per > .zero else { throw GrammarError(expected: "\(expected), over more than no time") }
        self.init(count, per: per)
    }

    private static let units = [
        "second": "1s", "minute": "1m", "min": "1m", "m": "1m", "hour": "1h", "h": "1h", "day": "1d", "d": "1d",
        "week": "7d",
    ]

    /// The rate as config writes it.
    public var grammar: String { "\(count) per \(per.grammar)" }
}

/// A share written with its sign: `99.5%`. The value is a fraction.
public struct Percentage: Hashable, Sendable {
    public let fraction: Double

    public init(grammar text: String) throws(GrammarError) {
        guard let number = Percentage.number(text, unit: "%") else {
            let meant = Double(text).flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
            throw GrammarError(
                expected: "a percentage such as 99.5%",
                suggestion: meant.map { $0 <= 1 ? $0.percentTrimmed : "\(text)%" })
        }
        fraction = number
    }

    /// The fraction meant by a plain decimal number of hundredths followed by exactly this unit.
    ///
    /// The decimal point is moved before anything is rounded: 99.9 / 100 is not the number nearest to 0.999, and 999 of
    /// 1,000 would be below 99.9%.
    ///
    /// - Parameter takesExponent: whether `5e-05` is a number, too: earlier programs wrote small limits like that into the journal.
    static func number(_ text: String, unit: String, takesExponent: Bool = false) -> Double? {
        guard text.hasSuffix(unit) else { return nil }
        let written = text.dropLast(unit.count).trimmed
        let parts = written.split(separator: "e", maxSplits: 1, omittingEmptySubsequences: false)
        guard let digits = parts.first, !digits.isEmpty,
            digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let exponent = parts.count == 1 ? 0 : takesExponent ? Int16(parts[1]) : nil
        else { return nil }
        return Double("\(digits)e\(Int(exponent) - 2)").flatMap { $0.isFinite ? $0 : nil }
    }
}

extension Substring {
    fileprivate var trimmed: String { String(self).trimmed }
}

/// A difference of percentages: `0.5pp`. The value is a fraction.
public struct PercentagePoints: Hashable, Sendable {
    public let fraction: Double

    public init(grammar text: String) throws(GrammarError) {
        if text == "0" {
            fraction = 0
            return
        }
        guard let number = Percentage.number(text, unit: "pp"), number <= 1 else {
            let meant = "\(text.hasSuffix("%") ? text.dropLast() : text[...])pp"
            let isOne = Percentage.number(meant, unit: "pp").map { $0 <= 1 } ?? false
            throw GrammarError(expected: "percentage points such as 0.5pp", suggestion: isOne ? meant : nil)
        }
        fraction = number
    }
}

/// A comparison with a limit: `< 99.5%`, `>= 100`.
public struct Comparison: Hashable, Sendable, CustomStringConvertible {
    /// How a value must lie to the limit.
    public enum Relation: String, Hashable, Sendable, CaseIterable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="

        /// Whether small values are the bad ones.
        public var isBelow: Bool { self == .less || self == .lessOrEqual }
    }

    public let relation: Relation
    /// A fraction where the limit was written in percent.
    public let limit: Double
    public let isPercentage: Bool

    public init(_ relation: Relation, _ limit: Double, isPercentage: Bool) {
        self.relation = relation
        self.limit = limit
        self.isPercentage = isPercentage
    }

    public init(grammar text: String) throws(GrammarError) {
        let expected = "a comparison such as \"< 99.5%\" or \"> 100\""
        // Longer marks first, or "<=" would be read as "<" and a stray "=".
        let relation = Relation.allCases.sorted { $0.rawValue.count > $1.rawValue.count }
            .first { text.hasPrefix($0.rawValue) }
        guard let relation else {
            let isNumber = Double(text.last == "%" ? String(text.dropLast()) : text) != nil
            throw GrammarError(
                expected: expected, suggestion: Comparison.meant(by: text),
                advice: isNumber ? "write \"< \(text)\" or \"> \(text)\"" : nil)
        }
        let number = String(text.dropFirst(relation.rawValue.count)).trimmed
        if number.hasSuffix("%") {
            guard let fraction = Percentage.number(number, unit: "%", takesExponent: true) else {
                throw GrammarError(expected: expected, suggestion: Comparison.meant(by: text))
            }
            self.init(relation, fraction, isPercentage: true)
        } else {
            guard let value = Double(number), value.isFinite, number.allSatisfy({ "0123456789.+-eE".contains($0) })
            else {
                throw GrammarError(expected: expected, suggestion: Comparison.meant(by: text))
            }
            self.init(relation, value, isPercentage: false)
        }
    }

    public func holds(_ value: Double) -> Bool {
        switch relation {
        case .less: value < limit
        case .lessOrEqual: value <= limit
        case .greater: value > limit
        case .greaterOrEqual: value >= limit
        }
    }

    /// The limit alone, in its unit.
    public var limitText: String {
        if isPercentage { return limit.percentTrimmed }
        // JSON would write what is smaller with an exponent.
        return limit == 0 || limit.magnitude >= 0.0001 ? JSON(limit).text : limit.decimals(timesTenTo: 0)
    }

    public var description: String { "\(relation.rawValue) \(limitText)" }

    /// The same in words: `below 99.5%`.
    public var words: String {
        switch relation {
        case .less: "below \(limitText)"
        case .lessOrEqual: "at or below \(limitText)"
        case .greater: "above \(limitText)"
        case .greaterOrEqual: "at or above \(limitText)"
        }
    }
}

extension Double {
    /// A fraction in percent with as few places as it needs: a limit is shown as it was written.
    public var percentTrimmed: String { hundredthsTrimmed + "%" }

    /// A difference of fractions in percentage points, likewise.
    public var pointsTrimmed: String { hundredthsTrimmed + "pp" }

    private var hundredthsTrimmed: String {
        let billionths = (self * 1_000_000_000).rounded()
        // What has at most nine places, and is neither so small nor so large that it would be written with an exponent.
        if billionths == 0
            ? self == 0 : billionths / 1_000_000_000 == self && (1000...1e15).contains(billionths.magnitude)
        {
            switch JSON(billionths / 10_000_000) {
            case .int(let whole): return String(whole)
            case .double(let value): return value.description
            default: break
            }
        }
        return inHundredths
    }

    /// The number in hundredths, in plain decimals. What was computed, which many digits show, is rounded to nine places, unless
    /// nothing would be left of it; what somebody wrote is not.
    private var inHundredths: String {
        guard isFinite else { return "null" }
        let billionths = (self * 1_000_000_000).rounded()
        let digits = magnitude.description.prefix { $0 != "e" }.filter { $0 != "." }
        if digits.drop(while: { $0 == "0" }).count > Double.writtenDigitsMax, (1..<1e15).contains(billionths.magnitude)
        {
            return (billionths / 1_000_000_000).hundredthsTrimmed
        }
        return decimals(timesTenTo: 2)
    }

    /// The finite number times a power of ten, in plain decimals.
    fileprivate func decimals(timesTenTo power: Int) -> String {
        // The digits and the exponent of ten, as in 5.25e-07.
        let parts = magnitude.description.split(separator: "e")
        let decimals = parts[0].split(separator: ".")
        var digits = decimals.joined()
        // Where the point is to stand among the digits.
        var place = decimals[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + power
        if place < 1 {
            digits = String(repeating: "0", count: 1 - place) + digits
            place = 1
        }
        digits += String(repeating: "0", count: max(0, place - digits.count))
        let whole = digits.prefix(place).drop { $0 == "0" }
        var fraction = digits.dropFirst(place)
        while fraction.last == "0" { fraction.removeLast() }
        return (self < 0 ? "-" : "") + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// A number with more digits than this is the result of a computation: what people write comes back from a `Double` as
    /// they wrote it up to here.
    private static let writtenDigitsMax = 15
}

/// Days of the week: `mon-fri`, `sat,sun`, `fri-mon`, `mon-fri,sun`.
public struct DaySet: Hashable, Sendable {
    public let days: Set<Weekday>

    public init(_ days: Set<Weekday>) { self.days = days }

    public static let everyDay = DaySet(Set(Weekday.allCases))

    public init(grammar text: String) throws(GrammarError) {
        var days: Set<Weekday> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
                String($0).trimmed.lowercased()
            }
            let named = ends.map { name in Weekday.allCases.first { $0.shortName == name } }
            guard (1...2).contains(named.count), let first = named[0], let last = named[named.count - 1] else {
                throw GrammarError(expected: "days such as mon-fri or sat,sun", suggestion: DaySet.meant(by: text))
            }
            var day = first
            days.insert(day)
            while day != last {
                day = day.next
                days.insert(day)
            }
        }
        self.days = days
    }

    public func contains(_ day: Weekday) -> Bool { days.contains(day) }

    /// The days as config writes them, Monday first: `mon-fri,sun`.
    public var grammar: String {
        var runs: [(first: Weekday, last: Weekday)] = []
        for day in Weekday.allCases where days.contains(day) {
            if let last = runs.last?.last, last.next == day {
                runs[runs.count - 1].last = day
            } else {
                runs.append((day, day))
            }
        }
        return runs.map { $0.first == $0.last ? $0.first.shortName : "\($0.first.shortName)-\($0.last.shortName)" }
            .joined(separator: ",")
    }
}

/// A stretch of the day on a wall clock, half-open: `22:00-07:00` crosses midnight, `00:00-24:00` is the whole day.
public struct DailyHours: Hashable, Sendable {
    /// Seconds after midnight, 0 to 86,399.
    public let begin: Int
    /// Seconds after midnight, 1 to 86,400; at most `begin` when the stretch crosses midnight.
    public let end: Int

    public var crossesMidnight: Bool { end <= begin }
    public var isWholeDay: Bool { begin == 0 && end == 86_400 }

    public init(grammar text: String) throws(GrammarError) {
        let expected = "times such as 22:00-07:00"
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { String($0).trimmed }
        guard ends.count == 2, let begin = DailyHours.seconds(ends[0]), let end = DailyHours.seconds(ends[1]),
            begin < 86_400
        else { throw GrammarError(expected: expected, suggestion: DailyHours.meant(by: text)) }
        guard begin != end else {
            throw GrammarError(
                expected: "\(expected), with two different times: equal ends never open",
                advice: "the whole day is 00:00-24:00")
        }
        self.begin = begin
        self.end = end == 0 ? 86_400 : end
    }

    /// The hours as config writes them.
    public var grammar: String { "\(DailyHours.text(begin))-\(DailyHours.text(end))" }

    private static func text(_ seconds: Int) -> String {
        let parts = [seconds / 3600, seconds / 60 % 60] + (seconds % 60 == 0 ? [] : [seconds % 60])
        return parts.map { $0.padded(2) }.joined(separator: ":")
    }

    /// Reads `7:00`, `07:00`, `07:00:30` or `24:00`.
    static func seconds(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), parts.allSatisfy({ (1...2).contains($0.count) }),
            parts.dropFirst().allSatisfy({ $0.count == 2 }), parts.allSatisfy(\.isDigits)
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count, numbers[1] < 60, numbers.count < 3 || numbers[2] < 60 else { return nil }
        let seconds = numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
        return seconds <= 86_400 ? seconds : nil
    }
}

/// An instant as config writes it: RFC 3339, or a local date with or without a time.
public enum WrittenInstant: Hashable, Sendable {
    case instant(Moment)
    case local(CivilTime)

    public init(grammar text: String) throws(GrammarError) {
        if let moment = Moment(rfc3339: text) ?? WrittenInstant.moment(withoutSeconds: text) {
            self = .instant(moment)
            return
        }
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"), let month = scanner.number(digits: 2),
            scanner.skip("-"), let day = scanner.number(digits: 2)
        else { throw WrittenInstant.error }
        var (hour, minute, second) = (0, 0, 0)
        if !scanner.isAtEnd {
            guard scanner.skip(anyOf: " ", "T", "t"), let hours = scanner.number(digits: 2), scanner.skip(":"),
                let minutes = scanner.number(digits: 2)
            else { throw WrittenInstant.error }
            (hour, minute) = (hours, minutes)
            if scanner.skip(":") {
                guard let seconds = scanner.number(digits: 2) else { throw WrittenInstant.error }
                second = seconds
            }
        }
        guard scanner.isAtEnd,
            let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { throw WrittenInstant.error }
        self = .local(civil)
    }

    /// An instant as people write it who have an offset and no seconds, or a blank between: `2027-01-02 09:00 +01:00`.
    private static func moment(withoutSeconds text: String) -> Moment? {
        let written = text.wholeMatch(
            of: /([0-9]{4}-[0-9]{2}-[0-9]{2}[ Tt][0-9]{2}:[0-9]{2})(:[0-9]{2})? ?([Zz]|[+\-][0-9]{2}:[0-9]{2})/)
        return written.flatMap { Moment(rfc3339: "\($0.output.1)\($0.output.2 ?? ":00")\($0.output.3)") }
    }

    /// The instant as config writes it.
    public var grammar: String {
        switch self {
        case .instant(let moment): moment.description
        case .local(let civil): String(civil.moment().description.dropLast())
        }
    }

    private static var error: GrammarError {
        GrammarError(expected: "an instant such as 2026-12-24, 2026-12-24 09:00 or 2026-12-24 09:00+01:00")
    }
}
