import EscalateGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Escalate, as every gate` {
    @Test func `it does what every gate must do`() {
        #expect(GateConformance(EscalateGate.self, ["to": "team"]).violations() == [])
    }
}
