internal import AlertModel

/// What a filter asks of a value, which is its `@`.
indirect enum Condition: Hashable, Sendable {
    case all([Condition])
    case any([Condition])
    case not(Condition)
    /// Whether the query finds anything, be it null.
    case finds(Query)
    case compares(Operand, Comparator, Operand)
    /// Whether a text is, or holds, what a pattern describes.
    case fits(Operand, PatternOperand, isWhole: Bool)

    enum Comparator: String, CaseIterable, Hashable {
        // Those of two characters first: they begin like the others.
        case equal = "=="
        case notEqual = "!="
        case atMost = "<="
        case atLeast = ">="
        case below = "<"
        case above = ">"
    }
}

/// A path inside of a filter, from the value at hand (`@`) or from the root (`$`).
struct Query: Hashable, Sendable {
    let isRelative: Bool
    let segments: [JSONPath.Segment]

    /// Whether it can find one value at most, whatever it is tried on.
    var isSingular: Bool {
        segments.allSatisfy { segment in
            guard case .children(let selectors) = segment, selectors.count == 1 else { return false }
            switch selectors[0] {
            case .name, .index: return true
            default: return false
            }
        }
    }
}

/// What is compared: a value, or nothing.
indirect enum Operand: Hashable, Sendable {
    case literal(JSON)
    /// A query that finds one value at most.
    case query(Query)
    case length(Operand)
    case count(Query)
    case value(Query)
}

enum PatternOperand: Hashable, Sendable {
    /// Written into the path; nil for one that is none.
    case fixed(Pattern?)
    /// Found when it is needed.
    case found(Operand)
}

/// The functions of RFC 9535.
enum Function: String, CaseIterable {
    case length, count, match, search, value

    /// What it takes, for messages.
    var needs: String {
        switch self {
        case .length: "one value, such as length(@.name)"
        case .count: "one path, such as count(@.tags[*])"
        case .value: "one path, such as value(@..id)"
        case .match: "two values, such as match(@.name, 'shop-.*')"
        case .search: "two values, such as search(@.title, 'Timeout')"
        }
    }
}
