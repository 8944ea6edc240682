import PluginKit
import PluginTesting
import StaleDetector
import Testing

@Suite struct `Stale, as every detector` {
    /// Answers with figures that are so old.
    private func seen(late: Duration) -> [Observation] {
        [Observation].seen(["users": 100], times: 3, every: .minutes(10)).map { observation in
            var observation = observation
            observation.span = TimeSpan(lasting: .minutes(10), until: observation.seen - late)
            return observation
        }
    }

    @Test func `it does what every detector must do`() {
        let conformance = DetectorConformance(
            StaleDetector.self, ["after": "1h"], firesOn: seen(late: .hours(2)), quietOn: seen(late: .minutes(5)))
        #expect(conformance.violations() == [])
    }
}
