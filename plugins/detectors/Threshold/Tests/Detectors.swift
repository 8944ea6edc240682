import AlertTesting
import Chance
import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

extension WrittenOptions {
    /// The rule, looking every minute.
    func rule(checksPerDay: Double = 1440) throws -> ThresholdDetector {
        try detector(ThresholdDetector.self, checksPerDay: checksPerDay)
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

extension SeededRandom {
    /// A number from 0 up to 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
