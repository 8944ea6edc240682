import PluginKit
import PluginTesting
import RepeatGate
import Testing

@Suite struct `Repeat` {
    private func incident(reminders: Int) -> Incident {
        var incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: "shop"), labels: [:], severity: .warning,
            since: Moment(milliseconds: 0), evidence: Evidence(sentence: ""))
        incident.standings["team"] = Standing(announced: .warning, reminders: reminders)
        return incident
    }

    @Test(
        arguments: [
            (options: ["every": "6h"], waits: [6, 6, 6]),
            (options: ["every": "off"], waits: [nil, nil, nil]),
            (options: ["every": "6h", "at_most": "2"], waits: [6, 6, nil]),
            (options: ["every": "6h", "backoff": "2"], waits: [6, 12, 24, 24, 24]),
            (options: ["every": "6h", "backoff": "10", "slowest": "30h"], waits: [6, 30, 30]),
            (options: ["every": "48h", "backoff": "2"], waits: [48, 48]),
        ] as [(options: KeyValuePairs<String, String>, waits: [Int64?])])
    func `hours to each reminder`(options: KeyValuePairs<String, String>, waits: [Int64?]) throws {
        let gate = try RepeatGate.written(options)
        for (said, wait) in waits.enumerated() {
            let expected = wait.map { Reminding.after(.hours($0)) } ?? .never
            #expect(gate.reminding(of: incident(reminders: said), in: "team") == expected)
        }
    }

    @Test func `the longest backoff ends at the slowest, however often it was said`() throws {
        let gate = try RepeatGate.written(["every": "30d", "backoff": "10", "slowest": "30d"])
        #expect(gate.reminding(of: incident(reminders: 1_000_000), in: "team") == .after(.days(30)))
    }

    @Test func `another channel keeps its rule's own`() throws {
        let gate = try RepeatGate.written(["every": "1h", "channel": "ops"])
        #expect(gate.reminding(of: incident(reminders: 0), in: "team") == nil)
        #expect(gate.reminding(of: incident(reminders: 0), in: "ops") == .after(.hours(1)))
    }

    @Test(
        arguments: [
            (["every": "off", "at_most": "3"], "'at_most' has no effect: 'every' is off"),
            (["every": "1h", "slowest": "1d"], "'slowest' has no effect without 'backoff'"),
            (["every": "6h", "backoff": "2", "slowest": "1h"], "'slowest' is 1h, shorter than 'every' (6h)"),
        ] as [(KeyValuePairs<String, String>, String)])
    func `options that do nothing are mistakes`(options: KeyValuePairs<String, String>, message: String) {
        let error = #expect(throws: ProblemList.self) { try RepeatGate.written(options) }
        #expect(error?.problems.map(\.message) == [message])
    }
}
