import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import RegressionDetector
import Testing

@Suite struct `Regression and bad input` {
    @Test(arguments: BadInput.allCases)
    func `bad input rings no bell, and what is wrong afterwards is reported`(_ bad: BadInput) throws {
        let rule = try ([:] as WrittenOptions).detector(RegressionDetector.self)
        let outcome = bad.played(DetectorPlan(name: "rule", detector: rule))
        #expect(outcome.falseAlarms == [])
        #expect(outcome.isTroubleTold)
        #expect(outcome.objections == [])
    }
}
