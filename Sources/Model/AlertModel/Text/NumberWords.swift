extension Double {
    /// The number as people write it: whole numbers with separators for thousands, others with at most three places, or below
    /// one with as many as three digits take. What is below a millionth of a millionth is what arithmetic leaves of nothing.
    public var plain: String { plain(besides: nil) }

    /// The same with as many more places as it takes to see on which side of a limit it is.
    public func plain(besides limit: Double?) -> String {
        guard isFinite, abs(self) < 1e15 else { return "\(self)" }
        var shown = ShownNumber(of: self)
        while let limit, limit.isFinite, !shown.isOnItsSide(of: limit) {
            guard let next = shown.withOneMorePlace else {
                shown.steps += self < limit ? -1 : 1
                break
            }
            shown = next
        }
        return String(digitsBytesMax: 32) { digits in
            // From behind; zeros at the end of the places say nothing.
            var rest = shown.steps.magnitude
            var left = shown.places
            while left > 0, rest % 10 == 0 {
                rest /= 10
                left -= 1
            }
            if left > 0 {
                for _ in 0..<left {
                    digits.prepend(digit: rest % 10)
                    rest /= 10
                }
                digits.prepend(".")
            }
            digits.prepend(grouped: rest)
            if shown.steps < 0 { digits.prepend("-") }
        }
    }

    /// `29 users`, `1 user`.
    public func counted(_ noun: String) -> String {
        let whole = rounded().plain
        return whole == "1" && noun.hasSuffix("s") ? "1 \(noun.dropLast())" : "\(whole) \(noun)"
    }

    /// A fraction in percent with two places, or three where two would hide what matters: beyond 99.9% and below 0.1%.
    /// What is not all of it is never told as 100%, nor what is more than nothing as 0%.
    public var percent: String { percent(besides: nil) }

    /// The same with as many more places as it takes to see on which side of a limit it is.
    public func percent(besides limit: Double?) -> String {
        guard isFinite, abs(self) < 1e9 else { return "\(self)" }
        let isExtreme = (self > 0.999 && self < 1) || (self > 0 && self < 0.001)
        var shown = ShownPercentage(of: self, places: isExtreme ? 3 : 2)
        while let mark = shown.markCrossed(limit) {
            guard shown.places < ShownPercentage.placesMax else {
                shown.steps += self < mark ? -1 : 1
                break
            }
            shown = ShownPercentage(of: self, places: shown.places + 1)
        }
        return String(digitsBytesMax: 24) { digits in
            digits.prepend("%")
            var rest = shown.steps.magnitude
            var written = 0
            repeat {
                if written == shown.places { digits.prepend(".") }
                digits.prepend(digit: rest % 10)
                rest /= 10
                written += 1
            } while rest > 0 || written <= shown.places
            if shown.steps < 0 { digits.prepend("-") }
        }
    }
}

/// A number as people see it, rounded.
private struct ShownNumber {
    let number: Double
    /// Behind the point.
    let places: Int
    /// The number in steps of its last place.
    var steps: Int64

    private static let placesUsual = 3
    private static let placesUsualMax = 12
    private static let placesMax = 15
    /// Beyond this a number has no more digits of its own.
    private static let stepsMax = 0x1p53

    /// With the places that it usually has.
    init(of number: Double) {
        let magnitude = abs(number)
        var (places, power) = (0, 1.0)
        while places < ShownNumber.placesUsualMax, magnitude * power * 10 < ShownNumber.stepsMax,
            places < ShownNumber.placesUsual || magnitude > 0 && magnitude * power < 100
        {
            places += 1
            power *= 10
        }
        self.init(of: number, places: places, power: power)
    }

    private init(of number: Double, places: Int, power: Double) {
        self.number = number
        self.places = places
        steps = Int64((number * power).rounded())
    }

    /// Nil where the number has no more.
    var withOneMorePlace: ShownNumber? {
        let power = self.power * 10
        guard places < ShownNumber.placesMax, abs(number) * power < ShownNumber.stepsMax else { return nil }
        return ShownNumber(of: number, places: places + 1, power: power)
    }

    /// Whether it is shown where it is, of a limit that it is not at.
    func isOnItsSide(of limit: Double) -> Bool {
        guard number != limit else { return true }
        let shown = Double(steps) / power
        return number < limit ? shown < limit : shown > limit
    }

    private var power: Double { (0..<places).reduce(1) { power, _ in power * 10 } }
}

/// A fraction as people see it: its percentage, rounded.
private struct ShownPercentage {
    let fraction: Double
    /// Behind the point.
    let places: Int
    /// The percentage in steps of its last place.
    var steps: Int64

    /// As many as limits have.
    static let placesMax = 7

    init(of fraction: Double, places: Int) {
        self.fraction = fraction
        self.places = places
        steps = Int64((fraction * 100 * Double(ShownPercentage.power(of: places))).rounded())
    }

    /// Nothing, all or the limit, where the fraction is on one side of it and is shown at it or on the other.
    func markCrossed(_ limit: Double?) -> Double? {
        if !isOnItsSide(of: 0) { return 0 }
        if !isOnItsSide(of: 1) { return 1 }
        return limit.flatMap { abs($0) < 1e9 && !isOnItsSide(of: $0) ? $0 : nil }
    }

    private func isOnItsSide(of mark: Double) -> Bool {
        guard fraction != mark else { return true }
        let shown = steps * ShownPercentage.power(of: ShownPercentage.placesMax - places)
        let at = ShownPercentage(of: mark, places: ShownPercentage.placesMax).steps
        return fraction < mark ? shown < at : shown > at
    }

    private static func power(of places: Int) -> Int64 {
        var power: Int64 = 1
        for _ in 0..<places { power *= 10 }
        return power
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
