import NewIssueDetector
import PluginKit
import PluginTesting
import Testing

@Suite struct `New issues, as every detector` {
    private let known = AlertModel.Issue(id: "SHOP-1", title: "old", users: 500, firstSeen: .earliest)
    private let new = AlertModel.Issue(
        id: "SHOP-12", title: "boom", users: 29, firstSeen: DetectorConformance.now - .minutes(3))

    private var quiet: [Observation] {
        .seen(["sessions": 1000], times: 3, issues: [known], until: DetectorConformance.now - .minutes(5))
    }

    @Test func `it does what every detector must do`() {
        let conformance = DetectorConformance(
            NewIssueDetector.self, firesOn: quiet + .seen(["sessions": 1000], issues: [known, new]), quietOn: quiet)
        #expect(conformance.violations() == [])
    }
}
