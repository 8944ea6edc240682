/// Reads JSON straight from its bytes, without a tree in between.
///
/// It knows the plain form in which this program and most others write, and gives nil for everything else: escapes,
/// exponents, offsets other than Z, mistakes. The general reader has the last word on those. Every function leaves the
/// position behind what it has read, or gives up. It never outlives the bytes it was given.
package struct PlainJSON {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Whether nothing but space is left.
    package var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    /// The bytes of a string without escapes.
    package struct Text {
        fileprivate let bytes: UnsafeBufferPointer<UInt8>

        package var count: Int { bytes.count }
        package var string: String { String(decoding: bytes, as: UTF8.self) }

        package func reads(_ word: StaticString) -> Bool {
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
    package mutating func members(_ take: (inout PlainJSON, Text) -> Bool) -> Bool {
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

    /// Reads a value into its place; a member that comes twice is not plain.
    @inlinable package mutating func set<Value>(_ place: inout Value?, _ read: (inout PlainJSON) -> Value?) -> Bool {
        guard place == nil, let value = read(&self) else { return false }
        place = value
        return true
    }

    package mutating func text() -> String? { rawText()?.string }

    /// A string without escapes.
    package mutating func rawText() -> Text? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
        let start = position + 1
        var end = start
        var isASCII = true
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            guard bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\\") else { return nil }
            isASCII = isASCII && bytes[end] < 0x80
            end += 1
        }
        guard end < bytes.count, isASCII || String(validating: bytes[start..<end], as: UTF8.self) != nil else {
            return nil
        }
        position = end + 1
        return Text(bytes: UnsafeBufferPointer(rebasing: bytes[start..<end]))
    }

    package mutating func flag() -> Bool? {
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

    /// A number without sign and exponent.
    package mutating func number() -> Double? {
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
        guard !isExponent(at: position) else { return nil }
        guard digits + places <= PlainJSON.exactDigitsMax else {
            return Double(String(decoding: bytes[start..<position], as: UTF8.self))
        }
        // Both stay below 2^53 and 10^22, so both are exact, and the quotient is rounded once.
        return places == 0 ? Double(mantissa) : Double(mantissa) / PlainJSON.powersOfTen[places]
    }

    private static let exactDigitsMax = 15
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
    package mutating func moment() -> Moment? {
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

    /// Passes over a mark, and the space before it, if it comes next.
    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 || bytes[position] == 0x0D {
            position += 1
        }
    }
}
