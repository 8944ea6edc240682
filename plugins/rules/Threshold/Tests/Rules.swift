import PluginKit
import Testing
import ThresholdRule

/// A rule's options as a config writes them, read by the grammar that the manifest names; each stands on its own line.
struct WrittenOptions: ExpressibleByDictionaryLiteral, Sendable {
    let entries: [(name: String, text: String)]

    init(dictionaryLiteral elements: (String, String)...) { entries = elements.map { (name: $0.0, text: $0.1) } }

    /// The position of the rule's name; options follow from line 2 on, their values at column 9.
    static let place = Position(line: 1, column: 3)

    func options() throws -> Options {
        var values: [String: Option] = [:]
        for (index, entry) in entries.enumerated() {
            let spec = try #require(ThresholdRule.manifest.options.first { $0.name == entry.name })
            values[entry.name] = Option(
                try WrittenOptions.value(entry.text, spec.kind), at: Position(line: index + 2, column: 9))
        }
        return Options(name: "floor", position: WrittenOptions.place, values: values)
    }

    private static func value(_ text: String, _ kind: OptionKind) throws -> Option.Value {
        switch kind {
        case .metric: return .text(GuardedText(text))
        case .comparison: return .comparison(try Comparison(grammar: text))
        case .duration: return .duration(try Duration(grammar: text))
        case .points: return .fraction(try PercentagePoints(grammar: text).fraction)
        case .percentage: return .fraction(try Percentage(grammar: text).fraction)
        case .integer: return .integer(try #require(Int(text)))
        case .orOff(let kind): return text == "off" ? .off : try value(text, kind)
        default:
            Issue.record("the manifest has an option of a kind that these tests do not know: \(kind)")
            return .off
        }
    }

    /// The rule, looking every minute.
    func rule(looksPerDay: Double = 1440) throws -> ThresholdRule {
        try ThresholdRule(
            options: options(), context: RuleContext(name: "floor", zone: .utc, looksPerDay: looksPerDay))
    }
}

extension Series {
    /// What is known after one look at one span that ends at `to`.
    init(_ metrics: Metrics, span: Duration = .hours(1), isComplete: Bool = true, to: Moment = .noon) {
        self.init()
        add(
            Observation(
                subject: Subject(source: "ios", app: "shop"), span: TimeSpan(lasting: span, until: to), seen: to,
                isComplete: isComplete, metrics: metrics),
            keeping: span)
    }
}

extension Moment {
    static let noon = Moment(milliseconds: 1_795_176_000_000)  // 2026-11-20T12:00:00Z
}

/// Random numbers that a seed repeats (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
