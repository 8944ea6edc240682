import PluginKit
import PluginTesting
import Testing
import ThresholdDetector

@Suite struct `Threshold, as every detector` {
    @Test func `it does what every detector must do`() {
        let conformance = DetectorConformance(
            ThresholdDetector.self,
            ["metric": "crash_free_users", "warning": "< 99.5%", "critical": "< 99%", "window": "5m"],
            firesOn: .seen(["users": 2000, "crashed_users": 100], times: 3),
            quietOn: .seen(["users": 2000, "crashed_users": 1], times: 3))
        #expect(conformance.violations() == [])
    }
}
