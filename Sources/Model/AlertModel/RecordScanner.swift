/// Looks along a record as this program writes it, without making a tree of it.
///
/// It knows nothing but what `JSON.bytes` writes: no space, members in their order. Whatever it does not recognise it
/// leaves to the parser, which knows the whole grammar, so every method says nil or false instead of complaining. It
/// never outlives the bytes it was given.
package struct RecordScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    package var isAtEnd: Bool { position == bytes.count }

    /// Passes over exactly this text, if it comes next.
    package mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        for index in 0..<count where bytes[position + index] != text.utf8Start[index] { return false }
        position += count
        return true
    }

    /// A string without escapes, its opening quote passed already; the closing one is passed, too.
    package mutating func string() -> String? {
        let start = position
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            guard bytes[position] != UInt8(ascii: "\\"), bytes[position] >= 0x20 else { return nil }
            position += 1
        }
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return String(validating: bytes[start..<position], as: UTF8.self)
    }

    /// A whole number that is not negative, of at most 15 digits: any double holds it exactly.
    package mutating func integer() -> Int64? {
        let start = position
        var value: Int64 = 0
        while position < bytes.count, position - start <= 15, case 48...57 = bytes[position] {
            value = value * 10 + Int64(bytes[position] - 48)
            position += 1
        }
        return (1...15).contains(position - start) ? value : nil
    }

    /// A number of any form.
    package mutating func number() -> Double? {
        let start = position
        if let whole = integer(), position < bytes.count, !bytes[position].continuesNumber { return Double(whole) }
        while position < bytes.count, bytes[position].continuesNumber { position += 1 }
        return Double(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// An instant in quotes, as `Moment.description` writes it.
    package mutating func moment() -> Moment? {
        guard skip("\""), let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
            skip("T"), let hour = digits(2), skip(":"), let minute = digits(2), skip(":"), let second = digits(2),
            let civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        var milliseconds = 0
        if skip(".") {
            guard let fraction = digits(3) else { return nil }
            milliseconds = fraction
        }
        guard skip("Z\"") else { return nil }
        return Moment(milliseconds: civil.moment().milliseconds + Int64(milliseconds))
    }

    private mutating func digits(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for index in position..<position + count {
            guard case 48...57 = bytes[index] else { return nil }
            value = value * 10 + Int(bytes[index] - 48)
        }
        position += count
        return value
    }
}

extension UInt8 {
    fileprivate var continuesNumber: Bool {
        switch self {
        case 48...57, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}

extension Observation {
    /// Reads an observation as `ObservationLine.json` writes it, without issues; nil leaves it to the parser.
    package init?(_ scanner: inout RecordScanner) {
        guard scanner.skip("{\"source\":\""), let source = scanner.string(), scanner.skip(",\"app\":\""),
            let app = scanner.string(), !source.isEmpty, !app.isEmpty
        else { return nil }
        var release: String?
        if scanner.skip(",\"release\":\"") {
            guard let text = scanner.string() else { return nil }
            release = text
        }
        var environment: String?
        if scanner.skip(",\"environment\":\"") {
            guard let text = scanner.string() else { return nil }
            environment = text
        }
        guard scanner.skip(",\"from\":"), let from = scanner.moment(), scanner.skip(",\"to\":"),
            let to = scanner.moment(), let span = TimeSpan(from: from, to: to), scanner.skip(",\"seen\":"),
            let seen = scanner.moment(), scanner.skip(",\"complete\":")
        else { return nil }
        let isComplete = scanner.skip("true")
        guard isComplete || scanner.skip("false"), scanner.skip(",\"metrics\":{"),
            let metrics = Metrics(&scanner)
        else { return nil }
        var labels: [String: String] = [:]
        if scanner.skip(",\"labels\":{") {
            repeat {
                guard scanner.skip("\""), let name = scanner.string(), scanner.skip(":\""),
                    let value = scanner.string()
                else { return nil }
                labels[name] = value
            } while scanner.skip(",")
            guard scanner.skip("}") else { return nil }
        }
        self.init(
            subject: Subject(source: source, app: app, release: release, environment: environment), span: span,
            seen: seen, isComplete: isComplete, metrics: metrics, labels: labels)
        guard scanner.skip("}"), flaw == nil else { return nil }
    }
}

extension Metrics {
    fileprivate init?(_ scanner: inout RecordScanner) {
        self.init()
        guard !scanner.skip("}") else { return }
        repeat {
            guard scanner.skip("\""), let name = scanner.string(), scanner.skip(":"), let value = scanner.number()
            else { return nil }
            self[name] = value
        } while scanner.skip(",")
        guard scanner.skip("}") else { return nil }
    }
}
