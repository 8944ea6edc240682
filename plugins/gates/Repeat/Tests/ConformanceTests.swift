import PluginKit
import PluginTesting
import RepeatGate
import Testing

@Suite struct `Repeat, as every gate` {
    @Test func `it does what every gate must do`() {
        let conformance = GateConformance(RepeatGate.self, ["every": "1h", "backoff": "2", "at_most": "5"])
        #expect(conformance.violations() == [])
    }
}
