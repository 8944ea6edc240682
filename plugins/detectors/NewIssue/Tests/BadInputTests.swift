import AlertCore
import AlertTesting
import NewIssueDetector
import PluginKit
import PluginTesting
import Testing

@Suite struct `NewIssue and bad input` {
    @Test(arguments: BadInput.allCases)
    func `bad input rings no bell, and what is wrong afterwards is reported`(_ bad: BadInput) throws {
        let rule = try ([:] as WrittenOptions).detector(NewIssueDetector.self)
        let outcome = bad.played(DetectorPlan(name: "rule", detector: rule))
        #expect(outcome.falseAlarms == [])
        #expect(outcome.isTroubleTold)
        #expect(outcome.objections == [])
    }
}
