import AlertCore
import AlertTesting
import PluginKit
import PluginTesting
import Testing
import VelocityDetector

@Suite struct `Velocity and bad input` {
    @Test(arguments: BadInput.allCases)
    func `bad input rings no bell, and what is wrong afterwards is reported`(_ bad: BadInput) throws {
        let rule = try ([:] as WrittenOptions).detector(VelocityDetector.self)
        let outcome = bad.played(DetectorPlan(name: "rule", detector: rule))
        #expect(outcome.falseAlarms == [])
        #expect(outcome.isTroubleTold)
        #expect(outcome.objections == [])
    }
}
