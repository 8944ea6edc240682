/// A JSONPath query as RFC 9535 defines it, with every selector but filters: names, indexes, slices, wildcards, and all
/// of them at any depth behind `..`.
///
/// Filters (`?…`) and functions are refused when the config is read. Mapping figures out of an answer needs to say
/// *where*; a language that also computes would need its own limits on time and memory.
struct JSONPath: Hashable, Sendable {
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
    }

    /// As it was written.
    let text: String
    let segments: [Segment]
}

/// Why a text is not a JSONPath.
struct JSONPathError: Error, Hashable, CustomStringConvertible {
    /// In characters of the text, from 1.
    let column: Int
    let problem: String

    var description: String { "at character \(column): \(problem)" }
}
