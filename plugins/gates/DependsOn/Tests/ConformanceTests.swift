import DependsOnGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Depends on, as every gate` {
    @Test func `it does what every gate must do`() {
        var backend = Incident(
            rule: "floor", subject: Subject(source: "web", app: "backend"), labels: [:], severity: .critical,
            since: GateConformance.now - .hours(1), evidence: Evidence(sentence: ""))
        backend.state = .firing
        var view = RehearsedView()
        view.firing = [backend]
        let conformance = GateConformance(DependsOnGate.self, ["when": "app=backend"], given: view)
        #expect(conformance.violations() == [])
    }
}
