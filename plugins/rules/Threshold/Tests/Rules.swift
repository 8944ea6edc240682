import PluginKit
import PluginTesting
import Testing
import ThresholdRule

extension WrittenOptions {
    /// The rule, looking every minute.
    func rule(looksPerDay: Double = 1440) throws -> ThresholdRule {
        try detector(ThresholdRule.self, looksPerDay: looksPerDay)
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
