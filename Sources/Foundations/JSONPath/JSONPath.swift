// JSONPath is the query language of RFC 9535, filters and functions included, with the regular expressions of RFC 9485:
// a path is read once, with the place of every mistake, and selects from JSON with the way to everything that it finds.
// It knows nothing of what is selected or why. Whoever writes a path is trusted, whoever writes what it is tried on is
// not: how much a path looks at, selects and compares is bounded by a `SelectionBudget`.

/// A JSONPath query.
///
///     let path = try JSONPath("$.apps[?@.platform == 'ios' && length(@.name) > 0].users")
///     path.select(from: answer, within: &budget)
public struct JSONPath: Hashable, Sendable {
    /// As it was written.
    public let text: String
    let segments: [Segment]
    /// What RFC 9535 allows and nobody can mean: a pattern, written into the path, that is no regular expression, so
    /// that nothing ever matches it.
    public let doubt: JSONPathError?

    /// `$`: all of it.
    public static let whole = JSONPath(text: "$", segments: [], doubt: nil)

    enum Segment: Hashable, Sendable {
        /// Selects among the members or elements of a value.
        case children([Selector])
        /// The same for a value and everything below it.
        case descendants([Selector])
    }

    enum Selector: Hashable, Sendable {
        case name(String)
        /// From 0; negative ones count from the end.
        case index(Int)
        case slice(start: Int?, end: Int?, step: Int)
        case wildcard
        /// Those of which it is true.
        case filter(Condition)
    }
}

/// Why a text is not a JSONPath.
public struct JSONPathError: Error, Hashable, Sendable, CustomStringConvertible {
    /// In characters of the text, from 1.
    public let column: Int
    public let problem: String

    public init(column: Int, problem: String) {
        self.column = column
        self.problem = problem
    }

    public var description: String { "at character \(column): \(problem)" }
}

extension JSONPath {
    /// Whether it selects one value at most, whatever it is tried on.
    public var isSingular: Bool { Query(isRelative: false, segments: segments).isSingular }

    /// Whether what it selects depends on a filter.
    public var hasFilter: Bool { segments.contains { $0.selectors.contains(where: \.isFilter) } }

    /// The same path where everything passes its filters.
    public var unfiltered: JSONPath {
        let open = segments.map { segment -> Segment in
            guard segment.selectors.contains(where: \.isFilter) else { return segment }
            switch segment {
            case .children: return .children([.wildcard])
            case .descendants: return .descendants([.wildcard])
            }
        }
        return JSONPath(text: text, segments: open, doubt: nil)
    }
}

extension JSONPath.Segment {
    fileprivate var selectors: [JSONPath.Selector] {
        switch self {
        case .children(let selectors), .descendants(let selectors): selectors
        }
    }
}

extension JSONPath.Selector {
    var isFilter: Bool { if case .filter = self { true } else { false } }
}
