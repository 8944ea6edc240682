import PluginKit
import PluginTesting
import ReleaseDetector
import Testing

@Suite struct `Releases, as every detector` {
    /// A release beside the one before it, over the same hour.
    private func seen(crashed: Double) -> [Observation] {
        [Observation].seen(
            ["sessions": 20_000, "crashed_sessions": 80], of: Subject(source: "ios", app: "shop", release: "1.0"),
            every: .hours(1))
            + .seen(
                ["sessions": 4000, "crashed_sessions": crashed],
                of: Subject(source: "ios", app: "shop", release: "1.1"), every: .hours(1))
    }

    @Test func `it does what every detector must do`() {
        let conformance = DetectorConformance(
            ReleaseDetector.self, ["metric": "crash_free_sessions"], firesOn: seen(crashed: 60),
            quietOn: seen(crashed: 16))
        #expect(conformance.violations() == [])
    }
}
