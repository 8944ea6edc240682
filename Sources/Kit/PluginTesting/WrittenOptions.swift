public import PluginKit

/// A rule's options as a config writes them, read by the grammar that the manifest names.
///
/// The thing itself stands at 1:3, its options from line 2 on, their values at column 9; in a section of a list, each
/// value stands ten columns further than the one before it. Lists are written with commas, calendars as what is in them, matches as
/// `app=shop-* severity=critical`.
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
    ///
    /// - Throws: where no config could hold what was written.
    public func options(of manifest: PluginManifest, name: String = "rule") throws -> Options {
        var values: [String: Option] = [:]
        for (index, entry) in entries.enumerated() {
            let position = Position(line: index + 2, column: 9)
            values[entry.name] = try WrittenOptions.option(entry, manifest.options, position)
        }
        return Options(name: name, position: WrittenOptions.place, values: values)
    }

    /// What the plugin finds wrong with them, one line each: `LINE:COLUMN: message (suggestion) [advice]`.
    ///
    /// - Throws: where no config could hold what was written.
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
    ///
    /// - Throws: the same; a `ProblemList` where the detector refuses its options.
    public func detector<Rule: Detector>(_ rule: Rule.Type, checksPerDay: Double = 1440) throws -> Rule {
        try Rule(
            options: options(of: Rule.manifest),
            context: RuleContext(name: "rule", zone: .utc, checksPerDay: checksPerDay))
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
        case (.sections(let sections), .list(.section(let specs), _)):
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
        case (.text(let text), _): return try value(text, kind, at: position)
        default: throw Mistake(description: "'\(written)' does not fit \(kind)")
        }
    }

    private static func value(
        _ text: String, _ kind: OptionKind, at position: Position
    ) throws -> Option.Value {
        switch kind {
        case .orOff(let inner): return text == "off" ? .off : try value(text, inner, at: position)
        case .list(.calendar, _): return .list([Option(try value(text, .calendar, at: position), at: position)])
        case .list(let inner, _):
            var options: [Option] = []
            for part in text.split(separator: ",") {
                options.append(Option(try value(String(part).trimmed, inner, at: position), at: position))
            }
            return .list(options)
        case .match:
            return .match(
                Match(
                    text.split(separator: " ").map { condition in
                        let parts = condition.split(separator: "=", maxSplits: 1).map(String.init)
                        return Match.Condition(property: parts[0], patterns: [Glob(parts.count > 1 ? parts[1] : "")])
                    }))
        case .calendar:
            return .calendar(try EventCalendar(Array(text.utf8), name: "calendar.ics", zones: ZoneDatabase()))
        default:
            guard let value = try kind.value(GuardedText(text)) else {
                throw Mistake(description: "'\(text)' does not fit \(kind)")
            }
            return value
        }
    }
}
