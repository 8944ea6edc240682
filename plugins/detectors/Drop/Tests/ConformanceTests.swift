import DropDetector
import PluginKit
import PluginTesting
import Testing

@Suite struct `Drop, as every detector` {
    /// Three weeks of ordinary hours, up to six hours ago.
    private var usual: [Observation] { seen(crashed: 3, hours: 21 * 24, until: DetectorConformance.now - .hours(6)) }

    /// Hours in which so many of a thousand users crash.
    private func seen(crashed: Double, hours: Int, until end: Moment) -> [Observation] {
        .seen(["users": 1000, "crashed_users": crashed], times: hours, every: .hours(1), until: end)
    }

    @Test func `it does what every detector must do`() {
        let conformance = DetectorConformance(
            DropDetector.self, firesOn: usual + seen(crashed: 300, hours: 6, until: DetectorConformance.now),
            quietOn: usual + seen(crashed: 3, hours: 6, until: DetectorConformance.now))
        #expect(conformance.violations() == [])
    }
}
