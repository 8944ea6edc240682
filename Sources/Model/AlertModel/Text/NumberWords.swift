extension Double {
    /// The number as people write it: whole numbers with separators for thousands, others with at most three places.
    public var plain: String {
        guard isFinite, abs(self) < 1e15 else { return "\(self)" }
        let thousandths = Int64((self * 1000).rounded())
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
        return String(digitsBytesMax: 32) { digits in
            // From behind; zeros at the end of the places say nothing.
            var places = rest
            var left = 3
            while left > 0, places % 10 == 0 {
                places /= 10
                left -= 1
            }
            if left > 0 {
                for _ in 0..<left {
                    digits.prepend(digit: places % 10)
                    places /= 10
                }
                digits.prepend(".")
            }
            digits.prepend(grouped: whole)
            if thousandths < 0 { digits.prepend("-") }
        }
    }

    /// A fraction in percent with two places, or three where two would hide what matters: beyond 99.9% and below 0.1%.
    public var percent: String {
        guard isFinite, abs(self) < 1e9 else { return "\(self)" }
        let isExtreme = (self > 0.999 && self < 1) || (self > 0 && self < 0.001)
        let places = isExtreme ? 3 : 2
        let scaled = Int64((self * 100 * (isExtreme ? 1000 : 100)).rounded())
        return String(digitsBytesMax: 24) { digits in
            digits.prepend("%")
            var rest = scaled.magnitude
            var written = 0
            repeat {
                if written == places { digits.prepend(".") }
                digits.prepend(digit: rest % 10)
                rest /= 10
                written += 1
            } while rest > 0 || written <= places
            if scaled < 0 { digits.prepend("-") }
        }
    }
}

/// A number that is written digit by digit from behind: every verdict and every message is full of them, and this makes
/// no other string on the way.
private struct Digits {
    fileprivate var start: Int
    private let buffer: UnsafeMutableBufferPointer<UInt8>

    fileprivate init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        self.buffer = buffer
        start = buffer.count
    }

    mutating func prepend(_ mark: Unicode.Scalar) {
        start -= 1
        buffer[start] = UInt8(ascii: mark)
    }

    mutating func prepend(digit: UInt64) {
        start -= 1
        buffer[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
    }

    /// With a comma between thousands.
    mutating func prepend(grouped number: UInt64) {
        var rest = number
        var written = 0
        repeat {
            if written > 0, written % 3 == 0 { prepend(",") }
            prepend(digit: rest % 10)
            rest /= 10
            written += 1
        } while rest > 0
    }
}

extension String {
    fileprivate init(digitsBytesMax: Int, _ write: (inout Digits) -> Void) {
        self.init(unsafeUninitializedCapacity: digitsBytesMax) { buffer in
            // The last ones are written first, so they move to the front at the end.
            let whole = UnsafeMutableBufferPointer(rebasing: buffer[..<digitsBytesMax])
            var digits = Digits(whole)
            write(&digits)
            let count = digitsBytesMax - digits.start
            for index in 0..<count { whole[index] = whole[digits.start + index] }
            return count
        }
    }
}
