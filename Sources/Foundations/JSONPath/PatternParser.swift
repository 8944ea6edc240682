/// Reads a pattern by the grammar of RFC 9485, section 3.
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    /// Parentheses inside each other: each takes a part of the stack.
    private static let depthMax = 50
    /// Counted repetitions are written out.
    private static let repetitionsMax = 1000

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func pattern() throws(PatternError) -> PatternTree {
        let tree = try choice()
        guard position == scalars.count else { throw failure("expected the end, found '\(scalars[position])'") }
        return tree
    }

    private mutating func choice() throws(PatternError) -> PatternTree {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternTree {
        var parts: [PatternTree] = []
        while let scalar = peek, scalar != "|", scalar != ")" { parts.append(try piece()) }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func piece() throws(PatternError) -> PatternTree {
        let atom = try atom()
        switch peek {
        case "*":
            position += 1
            return .repeated(atom, least: 0, most: nil)
        case "+":
            position += 1
            return .repeated(atom, least: 1, most: nil)
        case "?":
            position += 1
            return .repeated(atom, least: 0, most: 1)
        case "{":
            position += 1
            let least = try count()
            var most: Int? = least
            if take(",") { most = peek == "}" ? nil : try count() }
            guard take("}") else { throw failure("expected '}' after a number of repetitions") }
            if let most, most < least { throw failure("it repeats \(least) times at least and \(most) at most") }
            return .repeated(atom, least: least, most: most)
        default: return atom
        }
    }

    private mutating func count() throws(PatternError) -> Int {
        let start = position
        while let scalar = peek, scalar.isDigit { position += 1 }
        guard position > start else { throw failure("expected a number of repetitions") }
        let written = scalars[start..<position].map { String(Character($0)) }.joined()
        guard let count = Int(written), count <= PatternParser.repetitionsMax else {
            throw failure("it repeats more than \(PatternParser.repetitionsMax) times")
        }
        return count
    }

    private mutating func atom() throws(PatternError) -> PatternTree {
        guard let scalar = peek else { throw failure("expected a character, found the end") }
        switch scalar {
        case "(":
            guard depth < PatternParser.depthMax else {
                throw failure("parentheses nest deeper than \(PatternParser.depthMax) levels")
            }
            position += 1
            depth += 1
            let inner = try choice()
            depth -= 1
            guard take(")") else { throw failure("a '(' is never closed") }
            return inner
        case ".":
            position += 1
            return .one(.dot)
        case "^":
            position += 1
            return .start
        case "$":
            position += 1
            return .end
        case "[": return .one(try characterClass())
        case "\\":
            if let categories = try categories() { return .one(CharacterSet(parts: [categories])) }
            return .one(.only(try escaped()))
        case "*", "+", "?", "{": throw failure("there is nothing in front of '\(scalar)' to repeat")
        case "]", "}": throw failure("'\(scalar)' must be written '\\\(scalar)'")
        default:
            position += 1
            return .one(.only(scalar))
        }
    }

    private mutating func characterClass() throws(PatternError) -> CharacterSet {
        position += 1
        var set = CharacterSet(parts: [])
        set.isNegated = take("^")
        if take("-") { set.parts.append(.range(0x2D...0x2D)) }
        while let scalar = peek, scalar != "]" {
            if scalar == "-" {
                position += 1
                guard peek == "]" else { throw failure("a '-' stands first or last in brackets, or is written '\\-'") }
                set.parts.append(.range(0x2D...0x2D))
            } else if let categories = try categories() {
                set.parts.append(categories)
            } else {
                set.parts.append(.range(try range()))
            }
        }
        guard take("]") else { throw failure("a '[' is never closed") }
        guard !set.parts.isEmpty else { throw failure("brackets without a character") }
        return set
    }

    private mutating func range() throws(PatternError) -> ClosedRange<UInt32> {
        let first = try classCharacter()
        // A '-' before the closing bracket is one by itself.
        guard peek == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
            return first.value...first.value
        }
        position += 1
        let last = try classCharacter()
        guard first.value <= last.value else {
            throw failure("the range '\(first)-\(last)' begins after its end")
        }
        return first.value...last.value
    }

    private mutating func classCharacter() throws(PatternError) -> Unicode.Scalar {
        guard let scalar = peek else { throw failure("a '[' is never closed") }
        switch scalar {
        case "\\": return try escaped()
        case "[", "-": throw failure("'\(scalar)' must be written '\\\(scalar)' in brackets")
        default:
            position += 1
            return scalar
        }
    }

    private mutating func escaped() throws(PatternError) -> Unicode.Scalar {
        position += 1
        guard let scalar = peek else { throw failure("expected a character after '\\', found the end") }
        position += 1
        switch scalar {
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}": return scalar
        default:
            position -= 1
            throw failure("there is no '\\\(scalar)'; \(PatternParser.advice(scalar))")
        }
    }

    private static func advice(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "d": "digits are [0-9]"
        case "w": "letters of words are [A-Za-z0-9_]"
        case "s": "white space is [ \\t\\n\\r]"
        case "$": "a dollar sign is [$]"
        default: "characters that mean themselves need none"
        }
    }

    /// `\p{Lu}` or `\P{L}`; nil where something else stands.
    private mutating func categories() throws(PatternError) -> CharacterSet.Part? {
        guard peek == "\\", position + 1 < scalars.count, scalars[position + 1] == "p" || scalars[position + 1] == "P"
        else { return nil }
        let isNegated = scalars[position + 1] == "P"
        position += 2
        guard take("{") else { throw failure("expected '{' and a category, such as \\p{Lu}") }
        var name = ""
        while let scalar = peek, scalar != "}", name.utf8.count < 3 {
            name.unicodeScalars.append(scalar)
            position += 1
        }
        guard take("}"), let mask = GeneralCategories.mask(name) else {
            throw failure("'\(name)' is not a category of characters; examples are L, Lu, Nd, P, Zs")
        }
        return .categories(mask, isNegated: isNegated)
    }

    private var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        position += 1
        return true
    }

    private func failure(_ problem: String) -> PatternError { PatternError(column: position + 1, problem: problem) }
}

/// Unicode's general categories by the names that patterns give them.
private enum GeneralCategories {
    private static let names: [String: Unicode.GeneralCategory] = [
        "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter, "Lm": .modifierLetter,
        "Lo": .otherLetter, "Mn": .nonspacingMark, "Mc": .spacingMark, "Me": .enclosingMark, "Nd": .decimalNumber,
        "Nl": .letterNumber, "No": .otherNumber, "Pc": .connectorPunctuation, "Pd": .dashPunctuation,
        "Ps": .openPunctuation, "Pe": .closePunctuation, "Pi": .initialPunctuation, "Pf": .finalPunctuation,
        "Po": .otherPunctuation, "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol, "So": .otherSymbol,
        "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator, "Cc": .control, "Cf": .format,
        "Co": .privateUse, "Cn": .unassigned,
    ]

    /// One bit for each category of that name; a single letter stands for all that begin with it.
    static func mask(_ name: String) -> UInt32? {
        let found =
            name.utf8.count == 1 ? names.filter { $0.key.hasPrefix(name) }.map(\.value) : names[name].map { [$0] } ?? []
        return found.isEmpty ? nil : found.reduce(0) { $0 | 1 << $1.bit }
    }
}

extension Unicode.GeneralCategory {
    /// A number from 0 to 29.
    var bit: UInt32 {
        switch self {
        case .uppercaseLetter: 0
        case .lowercaseLetter: 1
        case .titlecaseLetter: 2
        case .modifierLetter: 3
        case .otherLetter: 4
        case .nonspacingMark: 5
        case .spacingMark: 6
        case .enclosingMark: 7
        case .decimalNumber: 8
        case .letterNumber: 9
        case .otherNumber: 10
        case .connectorPunctuation: 11
        case .dashPunctuation: 12
        case .openPunctuation: 13
        case .closePunctuation: 14
        case .initialPunctuation: 15
        case .finalPunctuation: 16
        case .otherPunctuation: 17
        case .mathSymbol: 18
        case .currencySymbol: 19
        case .modifierSymbol: 20
        case .otherSymbol: 21
        case .spaceSeparator: 22
        case .lineSeparator: 23
        case .paragraphSeparator: 24
        case .control: 25
        case .format: 26
        case .surrogate: 27
        case .privateUse: 28
        case .unassigned: 29
        @unknown default: 30
        }
    }
}
