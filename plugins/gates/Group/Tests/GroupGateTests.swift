import GroupGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Group gate` {
    private let now = Moment(milliseconds: 1_800_000_000_000)
    private let reason = Reason.gate(plugin: "group", name: "together")

    private func notification(
        _ kind: Notification.Kind = .opened, app: String = "shop", labels: [String: String] = [:],
        channel: String = "team", held: Notification.Held? = nil
    ) -> Notification {
        let incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: app), labels: labels, severity: .warning, since: now,
            evidence: Evidence(sentence: ""))
        return Notification(incident: incident, kind: kind, severity: .warning, channel: channel, held: held)
    }

    private func gate(_ entries: KeyValuePairs<String, String> = [:]) throws -> GroupGate {
        try .written(entries, name: "together")
    }

    private func key(_ closure: Closure?) -> String? {
        guard case .gather(let gathering) = closure?.fate else { return nil }
        return gathering.key
    }

    @Test func `beginnings and ends wait, each with their like; the rest does not`() throws {
        let keys = try Notification.Kind.ofIncidents.map { kind in
            key(try gate().closure(for: notification(kind), at: now, given: RehearsedView()))
        }
        #expect(keys == ["opened|shop", nil, nil, nil, "resolved|shop", nil, nil, nil])
    }

    @Test func `the first waits half a minute, the others as long as it still does`() throws {
        #expect(try gate().closure(for: notification(), at: now, given: RehearsedView())?.until == now + .seconds(30))
        var view = RehearsedView()
        view.gatheredSince = now - .seconds(20)
        #expect(try gate().closure(for: notification(), at: now, given: view)?.until == now + .seconds(10))
        view.gatheredSince = now - .seconds(30)
        #expect(try gate().closure(for: notification(), at: now, given: view) == nil)
    }

    @Test func `what has waited for it has waited enough, what waited for others has not`() throws {
        let held = { (reason: Reason) in self.notification(held: .init(reason, since: self.now - .seconds(30))) }
        #expect(try gate().closure(for: held(reason), at: now, given: RehearsedView()) == nil)
        #expect(try gate().closure(for: held(.quietHours("nights")), at: now, given: RehearsedView()) != nil)
    }

    @Test func `by names properties and labels`() throws {
        let gate = try gate(["by": "team, severity"])
        let closure = gate.closure(for: notification(labels: ["team": "checkout"]), at: now, given: RehearsedView())
        #expect(key(closure) == "opened|checkout|warning")
    }

    @Test func `another channel does not wait`() throws {
        let gate = try gate(["channel": "ops"])
        #expect(gate.closure(for: notification(), at: now, given: RehearsedView()) == nil)
        #expect(gate.closure(for: notification(channel: "ops"), at: now, given: RehearsedView()) != nil)
    }

    @Test func `a misspelt property is a mistake`() {
        let error = #expect(throws: ProblemList.self) { try gate(["by": "relase"]) }
        #expect(
            error
                == ProblemList(
                    Position(line: 2, column: 9), "'by' names 'relase', which is not a property", suggestion: "release")
        )
    }
}
