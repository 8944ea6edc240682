internal import AlertModel

extension JSONPath {
    /// Reads a path that fills all of a text.
    public init(_ text: String) throws(JSONPathError) {
        var parser = JSONPathParser(text)
        self = try parser.path()
        guard parser.isAtEnd else { throw parser.expected("'.', '[' or the end") }
    }
}

/// Reads a path from the front of a text, so that more may follow it.
public struct JSONPathParser {
    let scalars: [Unicode.Scalar]
    var position = 0
    /// Filters and parentheses that are open.
    var depth = 0
    var doubt: JSONPathError?

    public init(_ text: String) { scalars = Array(text.unicodeScalars) }

    public var isAtEnd: Bool { position == scalars.count }

    /// What has not been read yet.
    public var rest: String { text(scalars[position...]) }

    public mutating func path() throws(JSONPathError) -> JSONPath {
        guard take("$") else { throw expected("'$', the start of every path") }
        let segments = try segments()
        return JSONPath(text: text(scalars[..<position]), segments: segments, doubt: doubt)
    }

    /// Space may stand between segments; that behind the last is left.
    mutating func segments() throws(JSONPathError) -> [JSONPath.Segment] {
        var segments: [JSONPath.Segment] = []
        var end = position
        while let segment = try segment() {
            segments.append(segment)
            end = position
        }
        position = end
        return segments
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
        let name = text(scalars[start..<position])
        switch peek {
        case "(": throw failure("'\(name)()' cannot follow a path; functions are for filters: [?\(name)(@) == 1]")
        case "-": throw failure("a name with '-' must be in brackets and quotes: ['like-this']")
        default: return .name(name)
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
        case "'", "\"": return .name(try quoted("name"))
        case "?":
            position += 1
            return .filter(try filter())
        case ":", "-": return try indexOrSlice()
        case let scalar? where scalar.isDigit: return try indexOrSlice()
        default: throw expected("a name in quotes, an index, a slice such as 0:3, a filter such as ?@.users, or '*'")
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

    // MARK: Single characters

    var peek: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }

    mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    public mutating func skipSpace() {
        while let scalar = peek, scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" { position += 1 }
    }

    func text(_ slice: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: slice)
        return String(view)
    }

    func shown(_ scalar: Unicode.Scalar) -> String {
        scalar.value < 0x20 ? "control character \(scalar.value)" : String(Character(scalar))
    }

    func failure(_ problem: String) -> JSONPathError { JSONPathError(column: position + 1, problem: problem) }

    public func expected(_ what: String) -> JSONPathError {
        failure("expected \(what), found " + (peek.map { "'\(shown($0))'" } ?? "the end"))
    }
}

extension Unicode.Scalar {
    var isDigit: Bool { (0x30...0x39).contains(value) }

    /// What a name without quotes may hold: ASCII letters, digits, `_`, and everything beyond ASCII.
    fileprivate var isNamePart: Bool {
        isDigit || (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value) || self == "_" || value >= 0x80
    }
}
