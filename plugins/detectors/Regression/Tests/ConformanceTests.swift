import PluginKit
import PluginTesting
import RegressionDetector
import Testing

@Suite struct `Regressions, as every detector` {
    /// One issue with these statuses, an hour apart.
    private func seen(_ statuses: [String]) -> [Observation] {
        statuses.enumerated().flatMap { index, status in
            [Observation].seen(
                ["sessions": 1000],
                issues: [.init(id: "SHOP-1", title: "boom", users: 50, firstSeen: .earliest, status: status)],
                every: .hours(1), until: DetectorConformance.now - .hours(1) * (statuses.count - 1 - index))
        }
    }

    @Test func `it does what every detector must do`() {
        let conformance = DetectorConformance(
            RegressionDetector.self, firesOn: seen(["resolved", "resolved", "unresolved"]),
            quietOn: seen(["unresolved", "unresolved", "resolved"]))
        #expect(conformance.violations() == [])
    }
}
