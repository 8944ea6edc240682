internal import PluginKit

/// What the things of one kind are called. A config may name a thousand of them a thousand times, rightly or not, so each name
/// is looked up, and what is told of those that are not there is made once.
///
/// A class, because that is made when somebody asks for it.
final class NameList {
    /// In the order of the config.
    let names: [String]
    private lazy var all: Set<String> = Set(names)
    /// Where each name stands; those that are shown as masks are the same.
    private lazy var ranks: [String: [Int]] = Dictionary(grouping: names.indices) { names[$0] }
    /// Those that there are, behind what is missing; empty where there are none. Those that are refused for what they are
    /// called are no names to write.
    private(set) lazy var known: String = {
        let valid = names.filter(ConfigLoader.isName).sorted()
        return valid.isEmpty ? "" : "; known: \(valid.shortened.joined(separator: ", "))"
    }()

    init(_ names: [String]) { self.names = names }

    func contains(_ name: String) -> Bool { all.contains(name) }

    /// Where the first of that name stands.
    func place(_ name: String) -> Int? { ranks[name]?.first }

    /// Where those stand that a condition fits, in the order of the config.
    func places(of condition: Match.Condition) -> [Int] {
        guard condition.isExact else { return names.indices.filter { condition.fits(names[$0]) } }
        return Set(condition.patterns.flatMap { ranks[$0.pattern] ?? [] }).sorted()
    }

    /// Whether a pattern fits any of them.
    func hasAny(like pattern: Glob) -> Bool { pattern.fitsAny(of: all) }

    func nearest(to name: String) -> String? { name.nearest(in: names) }
}

extension Glob {
    /// Whether any of these names fits: one that it names is looked up.
    func fitsAny(of names: Set<String>) -> Bool { isExact ? names.contains(pattern) : names.contains(where: fits) }
}

extension Match.Condition {
    /// Whether it names what fits it, and has no patterns.
    var isExact: Bool { patterns.allSatisfy(\.isExact) }

    func fits(_ value: String) -> Bool { patterns.contains { $0.fits(value) } }

    /// Whether any of these values fits it.
    func fitsAny(of values: Set<String>) -> Bool { patterns.contains { $0.fitsAny(of: values) } }

    /// Those of the values that fit it.
    func fitting(_ values: Set<String>) -> Set<String> {
        guard isExact else { return values.filter(fits) }
        return Set(patterns.compactMap { pattern in values.firstIndex(of: pattern.pattern).map { values[$0] } })
    }
}
