/// Why some bytes are not JSON, with the place.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1.
    public let line: Int
    /// In bytes of the line, from 1.
    public let column: Int
    public let problem: String

    public var description: String { "line \(line), column \(column): \(problem)" }
}

extension JSON {
    /// Nesting beyond this is refused. RFC 8259 lets a reader set a limit; stability answers nest less than ten deep.
    public static let depthMax = 128

    /// Reads one JSON text (RFC 8259) that fills all of `bytes`; a byte-order mark in front is skipped.
    ///
    /// Escaped lone surrogates become U+FFFD, because some services send them; anything else outside the grammar, bytes
    /// that are not UTF-8 and numbers beyond the range of a double are refused with their place.
    public init(parsing bytes: some Collection<UInt8>) throws(JSONSyntaxError) {
        let result: Result<JSON, JSONSyntaxError>? = bytes.withContiguousStorageIfAvailable { buffer in
            Result { () throws(JSONSyntaxError) in try JSON(parsing: buffer) }
        }
        if let result {
            self = try result.get()
        } else {
            self = try Array(bytes).withUnsafeBufferPointer { buffer in
                Result { () throws(JSONSyntaxError) in try JSON(parsing: buffer) }
            }.get()
        }
    }

    public init(parsing text: String) throws(JSONSyntaxError) {
        self = try JSON(parsing: Array(text.utf8))
    }

    private init(parsing buffer: UnsafeBufferPointer<UInt8>) throws(JSONSyntaxError) {
        var parser = JSONParser(bytes: buffer)
        self = try parser.document()
    }
}

/// A recursive-descent parser over bytes that stay alive while it runs; it never leaves this file.
private struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0

    mutating func document() throws(JSONSyntaxError) -> JSON {
        if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { position = 3 }
        skipSpace()
        guard position < bytes.count else { throw failure("the text is empty") }
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw failure("expected the end, found \(found())") }
        return value
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSON {
        guard depth < JSON.depthMax else { throw failure("nested deeper than \(JSON.depthMax) levels") }
        guard position < bytes.count else { throw failure("expected a value, found the end") }
        switch bytes[position] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw failure("expected a value, found \(found())")
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSON {
        position += 1
        var object = JSONObject()
        skipSpace()
        if take("}") { return .object(object) }
        while true {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw failure("expected a member's name in quotes, found \(found())")
            }
            let name = try string()
            skipSpace()
            guard take(":") else { throw failure("expected ':' after the name, found \(found())") }
            skipSpace()
            object.append(name, try value(depth: depth + 1))
            skipSpace()
            if take("}") { return .object(object) }
            guard take(",") else { throw failure("expected ',' or '}', found \(found())") }
        }
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSON {
        position += 1
        var elements: [JSON] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            skipSpace()
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { throw failure("expected ',' or ']', found \(found())") }
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONSyntaxError) -> JSON {
        let length = word.utf8CodeUnitCount
        guard position + length <= bytes.count,
            (0..<length).allSatisfy({ bytes[position + $0] == word.utf8Start[$0] })
        else { throw failure("expected '\(word)', found \(found())") }
        position += length
        return value
    }

    private mutating func number() throws(JSONSyntaxError) -> JSON {
        let start = position
        var isWhole = true
        _ = take("-")
        if take("0") {
            if let digit = peek(), digit.isASCIIDigit { throw failure("a number must not begin with 0") }
        } else {
            guard skipDigits() > 0 else { throw failure("expected a digit, found \(found())") }
        }
        if take(".") {
            isWhole = false
            guard skipDigits() > 0 else { throw failure("expected a digit after '.', found \(found())") }
        }
        if let mark = peek(), mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            if !take("+") { _ = take("-") }
            guard skipDigits() > 0 else { throw failure("expected a digit in the exponent, found \(found())") }
        }
        if isWhole, let whole = integer(from: start) { return .int(whole) }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Double(text), value.isFinite else {
            throw failure("the number is beyond the range of a double")
        }
        return .double(value)
    }

    private func integer(from start: Int) -> Int64? {
        var value: Int64 = 0
        let negative = bytes[start] == UInt8(ascii: "-")
        for index in (negative ? start + 1 : start)..<position {
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = scaled.subtractingReportingOverflow(Int64(bytes[index] - UInt8(ascii: "0")))
            if overflow || carried { return nil }
            value = sum
        }
        if negative { return value }
        return value == .min ? nil : -value
    }

    private mutating func string() throws(JSONSyntaxError) -> String {
        position += 1
        let start = position
        while let byte = peek(), byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        guard let byte = peek() else { throw failure("the string has no end") }
        if byte == UInt8(ascii: "\"") {
            let text = try utf8(bytes[start..<position])
            position += 1
            return text
        }
        return try stringWithEscapes(from: start)
    }

    private mutating func stringWithEscapes(from start: Int) throws(JSONSyntaxError) -> String {
        var content = Array(bytes[start..<position])
        while true {
            guard let byte = peek() else { throw failure("the string has no end") }
            switch byte {
            case UInt8(ascii: "\""):
                let text = try content.withUnsafeBufferPointer { buffer in
                    Result { () throws(JSONSyntaxError) in try utf8(buffer[...]) }
                }.get()
                position += 1
                return text
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &content)
            case 0..<0x20: throw failure("a control character in a string must be escaped")
            default:
                content.append(byte)
                position += 1
            }
        }
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONSyntaxError) {
        guard let mark = peek() else { throw failure("the string has no end") }
        position += 1
        switch mark {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(mark)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            content.append(contentsOf: String(try scalar()).utf8)
        default: throw failure("unknown escape in a string")
        }
    }

    /// Reads the four digits of `\uXXXX`, and those of the second half where the first is a high surrogate.
    private mutating func scalar() throws(JSONSyntaxError) -> Character {
        let first = try hexDigits()
        if (0xD800..<0xDC00).contains(first), position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        {
            let mark = position
            position += 2
            let second = try hexDigits()
            if (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
            {
                return Character(scalar)
            }
            position = mark
        }
        return Character(Unicode.Scalar(first) ?? "\u{FFFD}")
    }

    private mutating func hexDigits() throws(JSONSyntaxError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure("expected four hexadecimal digits after \\u")
            }
            value = value << 4 + UInt32(digit)
            position += 1
        }
        return value
    }

    private func utf8(_ slice: Slice<UnsafeBufferPointer<UInt8>>) throws(JSONSyntaxError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw failure("the string is not valid UTF-8")
        }
        return text
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = peek(), byte.isASCIIDigit { position += 1 }
        return position - start
    }

    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard let byte = peek(), byte == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private func found() -> String {
        guard let byte = peek() else { return "the end" }
        return (0x21...0x7E).contains(byte)
            ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x\(String(byte, radix: 16))"
    }

    private func failure(_ problem: String) -> JSONSyntaxError {
        var line = 1
        var lineStart = 0
        for index in 0..<min(position, bytes.count) where bytes[index] == 0x0A {
            line += 1
            lineStart = index + 1
        }
        return JSONSyntaxError(line: line, column: position - lineStart + 1, problem: problem)
    }
}
