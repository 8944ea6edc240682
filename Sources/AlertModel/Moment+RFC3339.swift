extension Moment: CustomStringConvertible {
    /// Reads an RFC 3339 instant such as `2026-11-20T22:00:00Z` or `2026-11-20T23:00:00.250+01:00`.
    ///
    /// Parts of a second beyond milliseconds are cut. A leap second (`:60`) counts as the second before it. Returns nil
    /// for anything else, a missing offset included: without one the text is no instant. An offset that leads out of the
    /// years 1 to 9999 is refused too: the instant could not be written again.
    public init?(rfc3339 text: some StringProtocol) {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2), scanner.skip(anyOf: "Tt "),
            let hour = scanner.number(digits: 2), scanner.skip(":"),
            let minute = scanner.number(digits: 2), scanner.skip(":"),
            let second = scanner.number(digits: 2), second <= 60,
            let civil = CivilTime(
                year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
        else { return nil }
        var milliseconds = 0
        if scanner.skip(".") {
            guard let fraction = scanner.fraction() else { return nil }
            milliseconds = fraction
        }
        var offset = 0
        if !scanner.skip(anyOf: "Zz") {
            let negative = scanner.skip("-")
            guard negative || scanner.skip("+"),
                let hours = scanner.number(digits: 2), hours <= 23, scanner.skip(":"),
                let minutes = scanner.number(digits: 2), minutes <= 59
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (negative ? -1 : 1)
        }
        guard scanner.isAtEnd else { return nil }
        let wholeSecond = civil.moment(offset: offset)
        guard wholeSecond >= .earliest, wholeSecond <= .latest else { return nil }
        self.init(milliseconds: wholeSecond.milliseconds + Int64(milliseconds))
    }

    /// The instant in UTC as RFC 3339, with milliseconds only when there are any.
    public var description: String {
        let civil = CivilTime(self)
        let date = civil.date
        let rest = Int(milliseconds - civil.moment().milliseconds)
        let fraction = rest == 0 ? "" : "." + rest.padded(3)
        return "\(date.year.padded(4))-\(date.month.padded(2))-\(date.day.padded(2))"
            + "T\(civil.hour.padded(2)):\(civil.minute.padded(2)):\(civil.second.padded(2))\(fraction)Z"
    }
}

extension BinaryInteger {
    /// The number with leading zeros to at least `width` digits.
    public func padded(_ width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Reads fixed-width decimal numbers and single marks from ASCII text.
package struct DigitScanner {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    package var isAtEnd: Bool { position == bytes.count }

    package mutating func number(digits: Int) -> Int? {
        guard position + digits <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + digits] {
            guard (48...57).contains(byte) else { return nil }
            value = value * 10 + Int(byte) - 48
        }
        position += digits
        return value
    }

    package mutating func skip(_ mark: Character) -> Bool { skip(anyOf: String(mark)) }

    package mutating func skip(anyOf marks: String) -> Bool {
        guard position < bytes.count, marks.utf8.contains(bytes[position]) else { return false }
        position += 1
        return true
    }

    /// Reads the digits after a decimal point as milliseconds; nil when there is none.
    fileprivate mutating func fraction() -> Int? {
        var value = 0
        var count = 0
        while position < bytes.count, (48...57).contains(bytes[position]) {
            if count < 3 { value = value * 10 + Int(bytes[position]) - 48 }
            count += 1
            position += 1
        }
        guard count > 0 else { return nil }
        for _ in 0..<max(0, 3 - count) { value *= 10 }
        return value
    }
}
