import PluginKit
import PluginTesting
import Testing
import VelocityDetector

@Suite struct `Velocity, as every detector` {
    /// One issue that hits so many users in half an hour.
    private func seen(users: Double) -> [Observation] {
        .seen(
            ["sessions": 1000], issues: [.init(id: "SHOP-12", title: "boom", events: users, users: users)],
            every: .minutes(30))
    }

    @Test func `it does what every detector must do`() {
        let conformance = DetectorConformance(
            VelocityDetector.self, firesOn: seen(users: 30), quietOn: seen(users: 3))
        #expect(conformance.violations() == [])
    }
}
