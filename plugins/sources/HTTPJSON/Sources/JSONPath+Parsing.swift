extension JSONPath {
    init(_ text: String) throws(JSONPathError) {
        var parser = JSONPathParser(text)
        self = try parser.path()
        guard parser.isAtEnd else { throw parser.expected("'.', '[' or the end") }
    }
}

/// Reads a path from the front of a text, so that more may follow it.
struct JSONPathParser {
    private let scalars: [Unicode.Scalar]
    private(set) var position = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    var isAtEnd: Bool { position == scalars.count }

    /// What has not been read yet.
    var rest: String { text(scalars[position...]) }

    mutating func path() throws(JSONPathError) -> JSONPath {
        guard take("$") else { throw expected("'$', the start of every path") }
        var segments: [JSONPath.Segment] = []
        var end = position
        while let segment = try segment() {
            segments.append(segment)
            end = position
        }
        // Space may stand between segments, not behind the last.
        position = end
        return JSONPath(text: text(scalars[..<end]), segments: segments)
    }

    private mutating func segment() throws(JSONPathError) -> JSONPath.Segment? {
        skipSpace()
        if take(".") {
            guard take(".") else { return .children([try shorthand()]) }
            return .descendants(peek == "[" ? try brackets() : [try shorthand()])
        }
        return peek == "[" ? .children(try brackets()) : nil
    }

    /// What may follow a dot without brackets: `*` or a plain name.
    private mutating func shorthand() throws(JSONPathError) -> JSONPath.Selector {
        if take("*") { return .wildcard }
        let start = position
        while let scalar = peek, scalar.isNamePart, position > start || !scalar.isDigit { position += 1 }
        guard position > start else { throw expected("a name or '*'") }
        switch peek {
        case "(":
            throw failure("functions such as '\(text(scalars[start..<position]))()' are not supported")
        case "-":
            throw failure("a name with '-' must be in brackets and quotes: ['like-this']")
        default: return .name(text(scalars[start..<position]))
        }
    }

    private mutating func brackets() throws(JSONPathError) -> [JSONPath.Selector] {
        position += 1
        var selectors: [JSONPath.Selector] = []
        while true {
            skipSpace()
            selectors.append(try selector())
            skipSpace()
            if take("]") { return selectors }
            guard take(",") else { throw expected("',' or ']'") }
        }
    }

    private mutating func selector() throws(JSONPathError) -> JSONPath.Selector {
        switch peek {
        case "*":
            position += 1
            return .wildcard
        case "'", "\"": return .name(try quotedName())
        case "?": throw failure("filters ([?…]) are not supported; select all with [*]")
        case ":", "-": return try indexOrSlice()
        case let scalar? where scalar.isDigit: return try indexOrSlice()
        default: throw expected("a name in quotes, an index, a slice such as 0:3, or '*'")
        }
    }

    private mutating func indexOrSlice() throws(JSONPathError) -> JSONPath.Selector {
        let start = try integer()
        var probe = self
        probe.skipSpace()
        guard probe.take(":") else {
            guard let start else { throw expected("an index") }
            return .index(start)
        }
        self = probe
        skipSpace()
        let end = try integer()
        skipSpace()
        var step: Int?
        if take(":") {
            skipSpace()
            step = try integer()
        }
        return .slice(start: start, end: end, step: step ?? 1)
    }

    /// The range that RFC 9535 allows, that of whole numbers a double can tell apart.
    private static let integerMax = 9_007_199_254_740_991

    private mutating func integer() throws(JSONPathError) -> Int? {
        let start = position
        let isNegative = take("-")
        let digitsStart = position
        while let scalar = peek, scalar.isDigit { position += 1 }
        let digits = scalars[digitsStart..<position]
        guard let first = digits.first else {
            if isNegative { throw expected("a digit") }
            return nil
        }
        if first == "0", digits.count > 1 || isNegative {
            position = start
            throw failure(isNegative ? "an index must not begin with -0" : "an index must not begin with 0")
        }
        guard let number = Int(text(digits)), number <= JSONPathParser.integerMax else {
            position = start
            throw failure("the index is too large")
        }
        return isNegative ? -number : number
    }

    private mutating func quotedName() throws(JSONPathError) -> String {
        guard let quote = peek else { throw expected("a name in quotes") }
        position += 1
        var name = String.UnicodeScalarView()
        while let scalar = peek {
            switch scalar {
            case quote:
                position += 1
                return String(name)
            case "\\":
                position += 1
                name.append(try escape(in: quote))
            case _ where scalar.value < 0x20: throw failure("a control character in a name must be escaped")
            default:
                name.append(scalar)
                position += 1
            }
        }
        throw failure("the name has no closing \(quote)")
    }

    private mutating func escape(in quote: Unicode.Scalar) throws(JSONPathError) -> Unicode.Scalar {
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
            return try escapedScalar()
        default: throw failure("unknown escape '\\\(shown(mark))' in a name")
        }
        position += 1
        return mark
    }

    private mutating func escapedScalar() throws(JSONPathError) -> Unicode.Scalar {
        let start = position
        var value = try hexDigits()
        if (0xD800..<0xDC00).contains(value), take("\\"), take("u") {
            let low = try hexDigits()
            if (0xDC00..<0xE000).contains(low) { value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00) }
        }
        guard let scalar = Unicode.Scalar(value) else {
            position = start
            throw failure("half a surrogate pair in a name")
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

    private var peek: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    mutating func skipSpace() {
        while let scalar = peek, scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" { position += 1 }
    }

    private func text(_ slice: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: slice)
        return String(view)
    }

    private func shown(_ scalar: Unicode.Scalar) -> String {
        scalar.value < 0x20 ? "control character \(scalar.value)" : String(Character(scalar))
    }

    func failure(_ problem: String) -> JSONPathError { JSONPathError(column: position + 1, problem: problem) }

    func expected(_ what: String) -> JSONPathError {
        failure("expected \(what), found " + (peek.map { "'\(shown($0))'" } ?? "the end"))
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(value) }

    /// What a name without quotes may hold: ASCII letters, digits, `_`, and everything beyond ASCII.
    fileprivate var isNamePart: Bool {
        isDigit || (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value) || self == "_" || value >= 0x80
    }
}
