public import PluginKit

/// A rule's options as a config writes them, read by the grammar that the manifest names.
///
/// The thing itself stands at 1:3, its options from line 2 on, their values at column 9; in a section of a list, each
/// value stands ten columns further than the one before it.
public struct WrittenOptions: ExpressibleByDictionaryLiteral, Sendable {
    public indirect enum Value: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, Sendable {
        case text(String)
        case sections([WrittenOptions])

        public init(stringLiteral text: String) { self = .text(text) }
        public init(arrayLiteral sections: WrittenOptions...) { self = .sections(sections) }
    }

    public let entries: [(name: String, value: Value)]

    public init(dictionaryLiteral elements: (String, Value)...) { self.init(elements) }

    public init(_ entries: [(String, Value)]) { self.entries = entries.map { (name: $0.0, value: $0.1) } }

    /// What a test wrote that no config could hold.
    public struct Mistake: Error, CustomStringConvertible {
        public let description: String
    }

    public static let place = Position(line: 1, column: 3)

    /// The options as a plugin gets them.
    public func options(of manifest: PluginManifest, name: String = "rule") throws -> Options {
        var values: [String: Option] = [:]
        for (index, entry) in entries.enumerated() {
            let position = Position(line: index + 2, column: 9)
            values[entry.name] = try WrittenOptions.option(entry, manifest.options, position)
        }
        return Options(name: name, position: WrittenOptions.place, values: values)
    }

    /// What the plugin finds wrong with them, one line each: `LINE:COLUMN: message (suggestion) [advice]`.
    public func problems(for rule: any Detector.Type) throws -> [String] {
        do {
            _ = try detector(rule)
            return []
        } catch let list as ProblemList {
            return list.problems.map { problem in
                "\(problem.position.line):\(problem.position.column): \(problem.message)"
                    + (problem.suggestion.map { " (\($0))" } ?? "") + (problem.advice.map { " [\($0)]" } ?? "")
            }
        }
    }

    /// The detector they make, which can look every minute.
    public func detector<Rule: Detector>(_ rule: Rule.Type, looksPerDay: Double = 1440) throws -> Rule {
        try Rule(
            options: options(of: Rule.manifest),
            context: RuleContext(name: "rule", zone: .utc, looksPerDay: looksPerDay))
    }

    private static func option(
        _ entry: (name: String, value: Value), _ specs: [OptionSpec], _ position: Position
    ) throws -> Option {
        guard let spec = specs.first(where: { $0.name == entry.name }) else {
            throw Mistake(description: "the manifest has no option '\(entry.name)'")
        }
        return Option(try read(entry.value, spec.kind, position), at: position)
    }

    private static func read(_ written: Value, _ kind: OptionKind, _ position: Position) throws -> Option.Value {
        switch (written, kind) {
        case (.sections(let sections), .list(.section(let specs))):
            var column = position.column
            return .list(
                try sections.map { section in
                    let place = Position(line: position.line, column: column)
                    var values: [String: Option] = [:]
                    for entry in section.entries {
                        values[entry.name] = try option(entry, specs, Position(line: position.line, column: column))
                        column += 10
                    }
                    return Option(.section(Options(name: "", position: place, values: values)), at: place)
                })
        case (.text(let text), .text), (.text(let text), .metric): return .text(GuardedText(text))
        case (.text(let text), .choice(let words)) where words.contains(text): return .text(GuardedText(text))
        case (.text(let text), .comparison): return .comparison(try Comparison(grammar: text))
        case (.text(let text), .duration): return .duration(try Duration(grammar: text))
        case (.text(let text), .points): return .fraction(try PercentagePoints(grammar: text).fraction)
        case (.text(let text), .percentage): return .fraction(try Percentage(grammar: text).fraction)
        case (.text("true"), .flag): return .flag(true)
        case (.text("false"), .flag): return .flag(false)
        case (.text("off"), .orOff): return .off
        case (_, .orOff(let inner)): return try read(written, inner, position)
        case (.text(let text), .integer(let range)):
            guard let number = Int(text), range.contains(number) else {
                throw Mistake(description: "'\(text)' is no number of \(range)")
            }
            return .integer(number)
        default: throw Mistake(description: "'\(written)' does not fit \(kind)")
        }
    }
}
