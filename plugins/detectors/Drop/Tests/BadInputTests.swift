import AlertCore
import AlertTesting
import DropDetector
import PluginKit
import PluginTesting
import Testing

@Suite struct `Drop and bad input` {
    @Test(arguments: BadInput.allCases)
    func `bad input rings no bell, and what is wrong afterwards is reported`(_ bad: BadInput) throws {
        let rule = try ([:] as WrittenOptions).detector(DropDetector.self)
        let outcome = bad.played(DetectorPlan(name: "rule", detector: rule))
        #expect(outcome.falseAlarms == [])
        // What is usual takes two days to learn.
        #expect(outcome.isTroubleTold == (bad != .littleHistory))
        #expect(outcome.objections == [])
    }
}
