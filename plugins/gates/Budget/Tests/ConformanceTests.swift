import BudgetGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Budget, as every gate` {
    @Test func `it does what every gate must do`() {
        var view = RehearsedView()
        view.tellings = [50, 40, 20].enumerated().map { index, minutes in
            Telling(number: index, at: GateConformance.now - .minutes(minutes), apps: ["shop"])
        }
        view.apps = ["shop", "backend"]
        let conformance = GateConformance(BudgetGate.self, ["at_most": "3 per 1h"], given: view)
        #expect(conformance.violations() == [])
        view.gatheredSince = GateConformance.now - .minutes(10)
        #expect(GateConformance(BudgetGate.self, ["at_most": "4 per 1h"], given: view).violations() == [])
    }
}
