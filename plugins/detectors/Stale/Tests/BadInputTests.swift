import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import StaleDetector
import Testing

@Suite struct `Stale and bad input` {
    @Test(arguments: BadInput.allCases)
    func `bad input rings no bell, and what is wrong afterwards is reported`(_ bad: BadInput) throws {
        let rule = try ([:] as WrittenOptions).detector(StaleDetector.self)
        let outcome = bad.played(DetectorPlan(name: "rule", detector: rule))
        #expect(outcome.falseAlarms == [])
        #expect(outcome.isTroubleTold)
        #expect(outcome.objections == [])
    }
}
