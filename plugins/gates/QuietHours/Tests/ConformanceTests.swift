import PluginKit
import PluginTesting
import QuietHoursGate
import Testing

@Suite struct `Quiet hours, as every gate` {
    @Test func `it does what every gate must do`() {
        let midnight = GateConformance(QuietHoursGate.self, ["between": "00:00-04:00", "days": "mon-sun"])
        #expect(midnight.violations() == [])
        // Both ends lie in hours that some clocks leave out, or show twice.
        let gaps = GateConformance(
            QuietHoursGate.self, ["between": "01:30-02:30"], at: GateConformance.now + .minutes(105))
        #expect(gaps.violations() == [])
        let drops = GateConformance(QuietHoursGate.self, ["between": "00:00-24:00", "days": "sat,sun", "then": "drop"])
        #expect(drops.violations() == [])
    }
}
