public import PluginKit

extension Options {
    /// Options as a config writes them, each on its own line from line 2 on, its value at column 9.
    ///
    /// Lists are written with commas, matches as `app=shop-* severity=critical`. What the manifest does not declare, or a
    /// value that its grammar refuses, is a mistake of the test.
    public static func written(
        _ entries: KeyValuePairs<String, String>, for manifest: PluginManifest, name: String = "rule"
    ) throws(GrammarError) -> Options {
        var values: [String: Option] = [:]
        for (index, entry) in entries.enumerated() {
            guard let spec = manifest.options.first(where: { $0.name == entry.key }) else {
                throw GrammarError(expected: "an option of \(manifest.name), not \(entry.key)")
            }
            let position = Position(line: index + 2, column: 9)
            values[entry.key] = Option(try value(entry.value, spec.kind, at: position), at: position)
        }
        return Options(name: name, position: Position(line: 1, column: 3), values: values)
    }

    private static func value(
        _ text: String, _ kind: OptionKind, at position: Position
    ) throws(GrammarError) -> Option.Value {
        switch kind {
        case .integer(let range):
            guard let number = Int(text), range.contains(number) else {
                throw GrammarError(expected: "a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
            }
            return .integer(number)
        case .duration(let range):
            let duration = try Duration(grammar: text)
            guard range.contains(duration) else {
                throw GrammarError(expected: "\(range.lowerBound.grammar) to \(range.upperBound.grammar), not \(text)")
            }
            return .duration(duration)
        case .rate:
            let rate = try Rate(grammar: text)
            return .rate(count: rate.count, per: rate.per)
        case .flag: return .flag(text == "true")
        case .percentage: return .fraction(try Percentage(grammar: text).fraction)
        case .points: return .fraction(try PercentagePoints(grammar: text).fraction)
        case .comparison: return .comparison(try Comparison(grammar: text))
        case .days: return .days(try DaySet(grammar: text))
        case .hours: return .hours(try DailyHours(grammar: text))
        case .instant: return .instant(try WrittenInstant(grammar: text))
        case .orOff(let inner): return text == "off" ? .off : try value(text, inner, at: position)
        case .list(let inner):
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
        case .choice(let words):
            guard words.contains(text) else { throw GrammarError(expected: "one of \(words), not \(text)") }
            return .text(GuardedText(text))
        case .text, .url, .path, .metric, .name, .map: return .text(GuardedText(text))
        }
    }
}

extension RuleContext {
    /// What a rule is told in tests.
    public static func rehearsed(_ name: String = "rule", zone: Zone = .utc) -> RuleContext {
        RuleContext(name: name, zone: zone, looksPerDay: 1440)
    }
}

extension Gate {
    /// A gate as a config writes it.
    public static func written(_ entries: KeyValuePairs<String, String>, name: String = "rule") throws -> Self {
        try Self(options: .written(entries, for: manifest, name: name), context: .rehearsed(name))
    }
}

/// A past as a test wants it.
public struct RehearsedView: GateView {
    public var tellings: [Telling] = []
    public var gatheredSince: Moment?
    public var changes: [Moment] = []
    public var firing: [Incident] = []
    public var apps: Set<String> = []

    public init() {}

    public func told(_ channel: String) -> [Telling] { tellings }
    public func gathered(_ gathering: Gathering, for channel: String) -> Moment? { gatheredSince }
    public func swings(of incident: Incident) -> [Moment] { changes }
    public func isFiring(_ isMeant: (Incident) -> Bool) -> Bool { firing.contains(where: isMeant) }
    public var appCount: Int { apps.count }
    public func hasFigures(ofApp app: String) -> Bool { apps.contains(app) }
}
