/// Reads lines of observations straight from their bytes, without a tree in between.
///
/// It knows the plain form in which lines are nearly always written, and gives nil for everything else: escapes,
/// exponents, offsets other than Z, members it does not know, mistakes. The general reader has the last word on those,
/// and a test holds the two to the same answers.
public struct ObservationScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The line in these bytes, where it is written plainly; nil where the general reader has to look at it.
    public static func plainLine(_ bytes: UnsafeBufferPointer<UInt8>) -> RecordedLine? {
        var scanner = ObservationScanner(bytes)
        guard let found = scanner.observation(), found.observation.flaw == nil else { return nil }
        return RecordedLine(.observed(found.observation), asked: found.asked, arrived: found.arrived)
    }

    /// What has been found of a line so far; a member that comes twice is not plain.
    private struct Found {
        var source, app, release, environment: String?
        var from, to, seen, asked, arrived: Moment?
        var isComplete: Bool?
        var metrics: Metrics?
        var issues: [Issue]?
        var labels: [String: String]?
    }

    private mutating func observation() -> (observation: Observation, asked: Moment?, arrived: Moment?)? {
        var found = Found()
        let isPlain = members { scanner, name in
            switch name.count {
            case 2 where name.reads("to"): scanner.set(&found.to) { $0.moment() }
            case 3 where name.reads("app"): scanner.set(&found.app) { $0.text() }
            case 4 where name.reads("from"): scanner.set(&found.from) { $0.moment() }
            case 4 where name.reads("seen"): scanner.set(&found.seen) { $0.moment() }
            case 5 where name.reads("asked"): scanner.set(&found.asked) { $0.moment() }
            case 6 where name.reads("source"): scanner.set(&found.source) { $0.text() }
            case 6 where name.reads("issues"): scanner.set(&found.issues) { $0.issues() }
            case 6 where name.reads("labels"): scanner.set(&found.labels) { $0.labels() }
            case 7 where name.reads("metrics"): scanner.set(&found.metrics) { $0.metrics() }
            case 7 where name.reads("release"): scanner.set(&found.release) { $0.text() }
            case 7 where name.reads("arrived"): scanner.set(&found.arrived) { $0.moment() }
            case 8 where name.reads("complete"): scanner.set(&found.isComplete) { $0.flag() }
            case 11 where name.reads("environment"): scanner.set(&found.environment) { $0.text() }
            default: false
            }
        }
        skipSpace()
        guard isPlain, position == bytes.count, let source = found.source, !source.isEmpty, let app = found.app,
            !app.isEmpty, let from = found.from, let to = found.to, let span = TimeSpan(from: from, to: to),
            let seen = found.seen, let metrics = found.metrics
        else { return nil }
        let observation = Observation(
            subject: Subject(source: source, app: app, release: found.release, environment: found.environment),
            span: span, seen: seen, isComplete: found.isComplete ?? true, metrics: metrics,
            issues: found.issues ?? [], labels: found.labels ?? [:])
        return (observation, found.asked, found.arrived)
    }

    private mutating func metrics() -> Metrics? {
        var metrics = Metrics(reserving: ObservationScanner.metricsUsual)
        let isPlain = members { scanner, name in
            guard let value = scanner.number() else { return false }
            metrics[name.metric] = value
            return true
        }
        return isPlain ? metrics : nil
    }

    /// Users and sessions, each with those that crashed.
    private static let metricsUsual = 4

    private mutating func labels() -> [String: String]? {
        var labels: [String: String] = [:]
        let isPlain = members { scanner, name in
            guard let value = scanner.text() else { return false }
            return labels.updateValue(value, forKey: name.string) == nil
        }
        return isPlain ? labels : nil
    }

    private mutating func issues() -> [Issue]? {
        guard take("[") else { return nil }
        var issues: [Issue] = []
        if take("]") { return issues }
        repeat {
            guard let issue = issue() else { return nil }
            if issues.count < Issue.countMax { issues.append(issue) }
        } while take(",")
        return take("]") ? issues : nil
    }

    private mutating func issue() -> Issue? {
        var id, title, release, status, url: String?
        var events, users: Double?
        var firstSeen, lastSeen: Moment?
        let isPlain = members { scanner, name in
            switch name.count {
            case 2 where name.reads("id"): scanner.set(&id) { $0.text() }
            case 3 where name.reads("url"): scanner.set(&url) { $0.text() }
            case 5 where name.reads("title"): scanner.set(&title) { $0.text() }
            case 5 where name.reads("users"): scanner.set(&users) { $0.number() }
            case 6 where name.reads("events"): scanner.set(&events) { $0.number() }
            case 6 where name.reads("status"): scanner.set(&status) { $0.text() }
            case 7 where name.reads("release"): scanner.set(&release) { $0.text() }
            case 9 where name.reads("last_seen"): scanner.set(&lastSeen) { $0.moment() }
            case 10 where name.reads("first_seen"): scanner.set(&firstSeen) { $0.moment() }
            default: false
            }
        }
        guard isPlain, let id, !id.isEmpty else { return nil }
        return Issue(
            id: id, title: title?.clipped(to: Issue.titleCharactersMax) ?? "", events: events, users: users,
            firstSeen: firstSeen, lastSeen: lastSeen, release: release, status: status, url: url)
    }
}

// The grammar. Every function leaves the position behind what it has read, or gives up.
extension ObservationScanner {
    /// The bytes of a string without escapes.
    private struct Text {
        let bytes: UnsafeBufferPointer<UInt8>

        var count: Int { bytes.count }
        var string: String { String(decoding: bytes, as: UTF8.self) }

        func reads(_ word: StaticString) -> Bool {
            guard word.utf8CodeUnitCount == count else { return false }
            for index in 0..<count where bytes[index] != word.utf8Start[index] { return false }
            return true
        }

        /// The metric of that name; those that everybody uses need no string.
        var metric: Metric {
            switch count {
            case 5 where reads("users"): .users
            case 8 where reads("sessions"): .sessions
            case 13 where reads("crashed_users"): .crashedUsers
            case 16 where reads("crash_free_users"): .crashFreeUsers
            case 16 where reads("crashed_sessions"): .crashedSessions
            default: Metric(string)
            }
        }
    }

    /// Reads an object; `take` reads the value of each member, and says whether it could.
    private mutating func members(_ take: (inout ObservationScanner, Text) -> Bool) -> Bool {
        guard self.take("{") else { return false }
        if self.take("}") { return true }
        repeat {
            skipSpace()
            guard let name = rawText(), self.take(":") else { return false }
            skipSpace()
            guard take(&self, name) else { return false }
        } while self.take(",")
        return self.take("}")
    }

    private mutating func set<Value>(_ place: inout Value?, _ read: (inout ObservationScanner) -> Value?) -> Bool {
        guard place == nil, let value = read(&self) else { return false }
        place = value
        return true
    }

    private mutating func text() -> String? { rawText()?.string }

    /// A string of printable ASCII without escapes.
    private mutating func rawText() -> Text? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var end = start
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] >= 0x20, bytes[end] < 0x80, bytes[end] != UInt8(ascii: "\\") else { return nil }
            end += 1
        }
        guard end < bytes.count else { return nil }
        position = end + 1
        return Text(bytes: UnsafeBufferPointer(rebasing: bytes[start..<end]))
    }

    private mutating func flag() -> Bool? {
        for (word, flag) in [("true" as StaticString, true), ("false", false)] {
            let length = word.utf8CodeUnitCount
            guard position + length <= bytes.count,
                (0..<length).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
            else { continue }
            position += length
            return flag
        }
        return nil
    }

    /// A number without sign and exponent, of few enough digits that one division rounds it rightly.
    private mutating func number() -> Double? {
        let start = position
        var mantissa: Int64 = 0
        var digits = 0
        while let digit = digit(at: position) {
            mantissa = mantissa &* 10 &+ Int64(digit)
            digits += 1
            position += 1
        }
        guard digits > 0, digits == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        var places = 0
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            while let digit = digit(at: position) {
                mantissa = mantissa &* 10 &+ Int64(digit)
                places += 1
                position += 1
            }
            guard places > 0 else { return nil }
        }
        // Both stay below 2^53 and 10^22, so both are exact, and the quotient is rounded once.
        guard digits + places <= ObservationScanner.digitsMax, !isExponent(at: position) else { return nil }
        return places == 0 ? Double(mantissa) : Double(mantissa) / ObservationScanner.powersOfTen[places]
    }

    private static let digitsMax = 15
    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]

    private func isExponent(at index: Int) -> Bool { index < bytes.count && bytes[index] | 0x20 == UInt8(ascii: "e") }

    private func digit(at index: Int) -> UInt8? {
        guard index < bytes.count else { return nil }
        let digit = bytes[index] &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    /// An instant of the form `2026-11-20T22:00:00Z` or `2026-11-20T22:00:00.250Z`.
    private mutating func moment() -> Moment? {
        guard let text = instant() else { return nil }
        func number(_ place: Int, _ digits: Int = 2) -> Int? {
            var value = 0
            for index in place..<place + digits {
                let digit = text[index] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                value = value * 10 + Int(digit)
            }
            return value
        }
        guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[10] == UInt8(ascii: "T"),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            let year = number(0, 4), let month = number(5), let day = number(8), let hour = number(11),
            let minute = number(14), let second = number(17),
            let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        guard text.count > 20 else { return civil.moment() }
        guard text[19] == UInt8(ascii: "."), let milliseconds = number(20, 3) else { return nil }
        return civil.moment() + .milliseconds(Int64(milliseconds))
    }

    /// The bytes of a string that has the length and the end of an instant.
    private mutating func instant() -> UnsafeBufferPointer<UInt8>? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        for length in [20, 24] {
            let end = position + 1 + length
            guard end < bytes.count, bytes[end] == UInt8(ascii: "\""), bytes[end - 1] == UInt8(ascii: "Z") else {
                continue
            }
            defer { position = end + 1 }
            return UnsafeBufferPointer(rebasing: bytes[end - length..<end])
        }
        return nil
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 || bytes[position] == 0x0D {
            position += 1
        }
    }
}
