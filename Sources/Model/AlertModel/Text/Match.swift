/// Which subjects, rules or notifications something is about: every named property must be one of its patterns.
public struct Match: Hashable, Sendable {
    /// What one property must be.
    public struct Condition: Hashable, Sendable {
        public let property: String
        /// Exact values and globs; one of them must fit.
        public let patterns: [Glob]

        public init(property: String, patterns: [Glob]) {
            self.property = property
            self.patterns = patterns
        }
    }

    public let conditions: [Condition]

    public init(_ conditions: [Condition] = []) { self.conditions = conditions }

    /// The properties that every notification has; other names are labels.
    public static let properties = ["source", "app", "release", "environment", "rule", "severity", "issue"]

    /// The label that the config itself gives, with the `owner` of a source.
    public static let owner = "owner"

    /// What people take for properties: words of rules and of incidents, which would be labels.
    public static let takenForProperties = ["channel", "kind", "metric", "plugin", "state"]

    /// Matches everything.
    public static let all = Match()

    /// Whether every condition holds; a property without a value fits no pattern but `*`.
    public func fits(_ value: (_ property: String) -> String?) -> Bool {
        conditions.allSatisfy { condition in
            let value = value(condition.property) ?? ""
            return condition.patterns.contains { $0.fits(value) }
        }
    }

    /// The same, with each pattern named once.
    public var withoutRepeats: Match {
        Match(
            conditions.map { condition in
                var seen: Set<Glob> = []
                return Condition(
                    property: condition.property, patterns: condition.patterns.filter { seen.insert($0).inserted })
            })
    }

    /// The condition on that property, if there is one.
    public subscript(_ property: String) -> Condition? { conditions.first { $0.property == property } }
}

/// A pattern in which `*` stands for any characters and `?` for one; everything else stands for itself.
public struct Glob: Hashable, Sendable, CustomStringConvertible {
    public let pattern: String
    private let scalars: [Unicode.Scalar]

    public init(_ pattern: String) {
        self.pattern = pattern
        scalars = Array(pattern.unicodeScalars)
    }

    /// What fits that name. Apps and releases may have any, and one with a `*` in it must not make the pattern wider: a `?`
    /// in its place fits the name too, and otherwise only names of the same length.
    public static func fitting(_ name: String) -> Glob {
        Glob(String(String.UnicodeScalarView(name.unicodeScalars.map { $0 == "*" ? "?" : $0 })))
    }

    public var description: String { pattern }

    public var isExact: Bool { !scalars.contains("*") && !scalars.contains("?") }

    /// Whether the whole of `text` fits; takes at most the product of both lengths in steps, whatever the pattern.
    public func fits(_ text: String) -> Bool {
        if isExact { return text == pattern }
        let text = Array(text.unicodeScalars)
        var (inText, inPattern) = (0, 0)
        var lastStar: (pattern: Int, text: Int)?
        while inText < text.count {
            if inPattern < scalars.count, scalars[inPattern] == "*" {
                lastStar = (inPattern, inText)
                inPattern += 1
            } else if inPattern < scalars.count, scalars[inPattern] == "?" || scalars[inPattern] == text[inText] {
                inPattern += 1
                inText += 1
            } else if let star = lastStar {
                lastStar = (star.pattern, star.text + 1)
                inPattern = star.pattern + 1
                inText = star.text + 1
            } else {
                return false
            }
        }
        return scalars[inPattern...].allSatisfy { $0 == "*" }
    }
}
