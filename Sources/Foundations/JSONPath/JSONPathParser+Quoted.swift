// Texts in quotes: names of members, and what filters compare.

extension JSONPathParser {
    /// - Parameter what: what it is, for messages.
    mutating func quoted(_ what: String) throws(JSONPathError) -> String {
        guard let quote = peek else { throw expected("a \(what) in quotes") }
        position += 1
        var result = String.UnicodeScalarView()
        while let scalar = peek {
            switch scalar {
            case quote:
                position += 1
                return String(result)
            case "\\":
                position += 1
                result.append(try escape(in: quote, of: what))
            case _ where scalar.value < 0x20: throw failure("a control character in a \(what) must be escaped")
            default:
                result.append(scalar)
                position += 1
            }
        }
        throw failure("the \(what) has no closing \(quote)")
    }

    private mutating func escape(in quote: Unicode.Scalar, of what: String) throws(JSONPathError) -> Unicode.Scalar {
        guard let mark = peek else { throw expected("an escaped character") }
        switch mark {
        case "\\", "/", quote: break
        case "b": position += 1; return "\u{08}"
        case "f": position += 1; return "\u{0C}"
        case "n": position += 1; return "\n"
        case "r": position += 1; return "\r"
        case "t": position += 1; return "\t"
        case "u":
            position += 1
            return try escapedScalar(of: what)
        default: throw failure("unknown escape '\\\(shown(mark))' in a \(what)")
        }
        position += 1
        return mark
    }

    private mutating func escapedScalar(of what: String) throws(JSONPathError) -> Unicode.Scalar {
        let start = position
        var value = try hexDigits()
        if (0xD800..<0xDC00).contains(value), take("\\"), take("u") {
            let low = try hexDigits()
            if (0xDC00..<0xE000).contains(low) { value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00) }
        }
        guard let scalar = Unicode.Scalar(value) else {
            position = start
            throw failure("half a surrogate pair in a \(what)")
        }
        return scalar
    }

    private mutating func hexDigits() throws(JSONPathError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let scalar = peek, scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
                throw expected("four hexadecimal digits after \\u")
            }
            value = value << 4 + UInt32(digit)
            position += 1
        }
        return value
    }
}
