import MuteGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Mute, as every gate` {
    @Test func `it does what every gate must do`() {
        let conformance = GateConformance(MuteGate.self, ["from": "2026-03-01", "until": "2027-01-02 09:00"])
        #expect(conformance.violations() == [])
    }
}
