internal import AlertModel

// Filters: conditions, what they compare, and functions, each of the types that RFC 9535 gives it.

extension JSONPathParser {
    /// What stands in a condition before it is known whether it is compared.
    private enum Term {
        case operand(Operand)
        case query(Query)
        case condition(Condition)
    }

    /// Filters and parentheses inside each other; nobody can read more, and each takes a part of the stack.
    private static let depthMax = 32

    /// What follows a question mark.
    mutating func filter() throws(JSONPathError) -> Condition {
        guard depth < JSONPathParser.depthMax else {
            throw failure("filters and parentheses nest deeper than \(JSONPathParser.depthMax) levels")
        }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        return try alternatives()
    }

    private mutating func alternatives() throws(JSONPathError) -> Condition {
        var conditions = [try conjunction()]
        while takeBehindSpace("||") { conditions.append(try conjunction()) }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }

    private mutating func conjunction() throws(JSONPathError) -> Condition {
        var conditions = [try basic()]
        while takeBehindSpace("&&") { conditions.append(try basic()) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func basic() throws(JSONPathError) -> Condition {
        if take("!") {
            skipSpace()
            if peek == "(" { return .not(try parenthesized()) }
            return .not(try tested(try term()))
        }
        if peek == "(" { return try parenthesized() }
        let start = position
        let left = try term()
        let end = position
        skipSpace()
        guard let comparator = takeComparator() else {
            position = end
            return try tested(left)
        }
        let first = try compared(left, from: start)
        skipSpace()
        let second = position
        return .compares(first, comparator, try compared(try term(), from: second))
    }

    private mutating func parenthesized() throws(JSONPathError) -> Condition {
        position += 1
        let inner = try filter()
        skipSpace()
        guard take(")") else { throw expected("'&&', '||' or ')'") }
        return inner
    }

    /// A term that stands alone.
    private mutating func tested(_ term: Term) throws(JSONPathError) -> Condition {
        switch term {
        case .query(let query): return .finds(query)
        case .condition(let condition): return condition
        case .operand(.literal):
            throw expected("a comparison of the value, such as == 1")
        case .operand:
            throw expected("a comparison of what the function gives, such as > 1")
        }
    }

    /// A term beside a comparator.
    private mutating func compared(_ term: Term, from start: Int) throws(JSONPathError) -> Operand {
        switch term {
        case .operand(let operand): return operand
        case .query(let query):
            guard query.isSingular else {
                position = start
                throw failure("a path that may find several values cannot be compared; value(…) or count(…) can")
            }
            return .query(query)
        case .condition:
            position = start
            throw failure("match() and search() are true or false by themselves and cannot be compared")
        }
    }

    private mutating func term() throws(JSONPathError) -> Term {
        switch peek {
        case "@", "$": return .query(try query())
        case "'", "\"": return .operand(.literal(.string(try quoted("text"))))
        case "-": return .operand(.literal(try number()))
        case let scalar? where scalar.isDigit: return .operand(.literal(try number()))
        case let scalar? where scalar.isLetter: return try word()
        default: throw expected("'@', '$', a value, a function, '!' or '('")
        }
    }

    private mutating func query() throws(JSONPathError) -> Query {
        let isRelative = take("@")
        if !isRelative { position += 1 }
        return Query(isRelative: isRelative, segments: try segments())
    }

    private mutating func number() throws(JSONPathError) -> JSON {
        let start = position
        _ = take("-")
        let digits = position
        try takeDigits()
        if scalars[digits] == "0", position - digits > 1 {
            position = start
            throw failure("a number must not begin with 0")
        }
        var isWhole = true
        if take(".") {
            isWhole = false
            try takeDigits()
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            try takeDigits()
        }
        let written = text(scalars[start..<position])
        if isWhole, let whole = Int64(written) { return .int(whole) }
        guard let number = Double(written), number.isFinite else {
            position = start
            throw failure("the number is too large")
        }
        return .double(number)
    }

    private mutating func takeDigits() throws(JSONPathError) {
        let start = position
        while let scalar = peek, scalar.isDigit { position += 1 }
        guard position > start else { throw expected("a digit") }
    }

    /// `true`, `false`, `null` or a function.
    private mutating func word() throws(JSONPathError) -> Term {
        let start = position
        while let scalar = peek, scalar.isLetter || scalar.isDigit || scalar == "_" { position += 1 }
        let name = text(scalars[start..<position])
        switch name {
        case "true": return .operand(.literal(.bool(true)))
        case "false": return .operand(.literal(.bool(false)))
        case "null": return .operand(.literal(.null))
        default: break
        }
        guard let function = Function(rawValue: name) else {
            position = start
            let known = Function.allCases.map(\.rawValue) + ["true", "false", "null"]
            let meant = name.nearest(in: known).map { "; did you mean '\($0)'?" } ?? ", and texts need quotes"
            throw failure("there is no function '\(name.clipped(to: 40))'" + meant)
        }
        guard take("(") else { throw expected("'(' right after '\(name)'") }
        // Arguments nest like parentheses do.
        guard depth < JSONPathParser.depthMax else {
            throw failure("filters and parentheses nest deeper than \(JSONPathParser.depthMax) levels")
        }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        let term: Term
        switch function {
        case .length: term = .operand(.length(try value(for: function)))
        case .count: term = .operand(.count(try nodes(for: function)))
        case .value: term = .operand(.value(try nodes(for: function)))
        case .match, .search:
            let text = try value(for: function)
            skipSpace()
            guard take(",") else { throw needs(function) }
            skipSpace()
            term = .condition(.fits(text, try pattern(for: function), isWhole: function == .match))
        }
        skipSpace()
        guard take(")") else { throw needs(function) }
        return term
    }

    private func needs(_ function: Function) -> JSONPathError {
        failure("\(function.rawValue)() takes \(function.needs)")
    }

    private mutating func value(for function: Function) throws(JSONPathError) -> Operand {
        let start = position
        if peek == ")" { throw needs(function) }
        switch try term() {
        case .operand(let operand): return operand
        case .query(let query) where query.isSingular: return .query(query)
        case .query, .condition:
            position = start
            throw needs(function)
        }
    }

    private mutating func nodes(for function: Function) throws(JSONPathError) -> Query {
        guard peek == "@" || peek == "$" else { throw needs(function) }
        return try query()
    }

    private mutating func pattern(for function: Function) throws(JSONPathError) -> PatternOperand {
        let start = position
        let operand = try value(for: function)
        guard case .literal(let literal) = operand else { return .found(operand) }
        // What is no regular expression is never matched, says RFC 9535; whoever wrote it will want to know.
        do throws(PatternError) {
            guard case .string(let text) = literal else {
                throw PatternError(column: 1, problem: "expected a text, found \(literal.kindName)")
            }
            return .fixed(try Pattern(text))
        } catch {
            if doubt == nil {
                doubt = JSONPathError(column: start + 1, problem: "no regular expression (RFC 9485): \(error)")
            }
            return .fixed(nil)
        }
    }

    // MARK: Marks

    private mutating func takeBehindSpace(_ mark: String) -> Bool {
        var probe = self
        probe.skipSpace()
        guard probe.take(mark) else { return false }
        probe.skipSpace()
        self = probe
        return true
    }

    private mutating func takeComparator() -> Condition.Comparator? {
        for comparator in Condition.Comparator.allCases where take(comparator.rawValue) { return comparator }
        return nil
    }

    private mutating func take(_ mark: String) -> Bool {
        let marks = Array(mark.unicodeScalars)
        guard scalars.count - position >= marks.count,
            scalars[position..<position + marks.count].elementsEqual(marks)
        else { return false }
        position += marks.count
        return true
    }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool { (0x61...0x7A).contains(value) || (0x41...0x5A).contains(value) }
}
