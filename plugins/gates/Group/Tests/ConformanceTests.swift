import GroupGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Group, as every gate` {
    @Test func `it does what every gate must do`() {
        #expect(GateConformance(GroupGate.self, ["by": "app, team"]).violations() == [])
        var view = RehearsedView()
        view.gatheredSince = GateConformance.now - .seconds(20)
        #expect(GateConformance(GroupGate.self, given: view).violations() == [])
    }
}
