extension Moment: CustomStringConvertible {
    /// Reads an RFC 3339 instant such as `2026-11-20T22:00:00Z` or `2026-11-20T23:00:00.250+01:00`.
    ///
    /// Parts of a second beyond milliseconds are cut. A leap second (`:60`) counts as the second before it. Returns nil
    /// for anything else, a missing offset included: without one the text is no instant. An offset that leads out of
    /// the years 1 to 9999 is refused too: the instant could not be written again.
    public init?(rfc3339 text: some StringProtocol) {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2), scanner.skip(anyOf: "T", "t", " "),
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
        if !scanner.skip(anyOf: "Z", "z") {
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
        String(unsafeUninitializedCapacity: Moment.bytesMax) { buffer in
            guard let place = buffer.baseAddress else { return 0 }
            return write(to: place)
        }
    }

    /// Writes the same to memory that has room for `bytesMax`; gives back how many bytes it took. Records are full of
    /// moments, so they are put together digit by digit.
    func write(to place: UnsafeMutablePointer<UInt8>) -> Int {
        let civil = CivilTime(self)
        let date = civil.date
        let rest = Int(milliseconds - civil.moment().milliseconds)
        // Within the years that can be written there are four digits.
        let year = date.year.clamped(to: 0...9999)
        func put(_ number: Int, at index: Int, before mark: Unicode.Scalar) {
            let number = UInt8(truncatingIfNeeded: number)
            place[index] = UInt8(ascii: "0") + number / 10
            place[index + 1] = UInt8(ascii: "0") + number % 10
            place[index + 2] = UInt8(ascii: mark)
        }
        put(year / 100, at: 0, before: "0")
        put(year % 100, at: 2, before: "-")
        put(date.month, at: 5, before: "-")
        put(date.day, at: 8, before: "T")
        put(civil.hour, at: 11, before: ":")
        put(civil.minute, at: 14, before: ":")
        put(civil.second, at: 17, before: rest == 0 ? "Z" : ".")
        guard rest != 0 else { return 20 }
        place[20] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / 100)
        put(rest % 100, at: 21, before: "Z")
        return Moment.bytesMax
    }

    /// `2026-11-20T22:00:00.250Z`.
    static let bytesMax = 24
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

    package mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    package mutating func skip(anyOf marks: Unicode.Scalar...) -> Bool { marks.contains { skip($0) } }

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
