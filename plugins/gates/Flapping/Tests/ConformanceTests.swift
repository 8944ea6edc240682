import FlappingGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Flapping, as every gate` {
    @Test func `it does what every gate must do`() {
        var view = RehearsedView()
        // As many as make it so, which is said, and one more, which is not.
        for count in [4, 5] {
            view.changes = (0..<count).map { GateConformance.now - .minutes(Int64(count - $0)) }
            #expect(GateConformance(FlappingGate.self, given: view).violations() == [])
        }
    }
}
