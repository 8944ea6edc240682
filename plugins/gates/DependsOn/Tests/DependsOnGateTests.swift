import DependsOnGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Depends on` {
    private let now = Moment(milliseconds: 1_800_000_000_000)

    private func incident(_ app: String, heldFor reason: Reason? = nil) -> Incident {
        var incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: app), labels: [:], severity: .warning, since: now,
            evidence: Evidence(sentence: ""))
        incident.state = .firing
        if let reason {
            let hold = Hold(
                kind: .opened, severity: .warning, reason: reason, since: now, until: .latest, checkAgain: .latest,
                summarizes: false)
            incident.standings["team"] = Standing(hold: hold)
        }
        return incident
    }

    private func closure(
        _ kind: Notification.Kind = .opened, app: String = "shop", firing: Incident...
    ) throws -> Closure? {
        let gate = try DependsOnGate.written(["when": "app=backend*"], name: "because")
        var view = RehearsedView()
        view.firing = firing
        let notification = Notification(incident: incident(app), kind: kind, severity: .warning, channel: "team")
        return gate.closure(for: notification, at: now, given: view)
    }

    @Test func `it is closed while something that explains it fires, until an event opens it`() throws {
        #expect(try closure() == nil)
        #expect(try closure(firing: incident("bank")) == nil)
        #expect(
            try closure(firing: incident("bank"), incident("backend-eu"))
                == Closure(
                    until: .latest, fate: .explain, reason: .gate(plugin: "depends_on", name: "because")))
    }

    @Test func `that something looks fine explains nothing, unless it is asked for`() throws {
        var fine = incident("backend")
        fine.severity = .info
        #expect(try closure(firing: fine) == nil)
        #expect(try closure(firing: fine, incident("backend-eu")) != nil)
        let gate = try DependsOnGate.written(["when": "app=backend severity=info"], name: "because")
        var view = RehearsedView()
        view.firing = [fine]
        let notification = Notification(incident: incident("shop"), kind: .opened, severity: .warning, channel: "team")
        #expect(gate.closure(for: notification, at: now, given: view) != nil)
    }

    @Test func `what explains is never held itself`() throws {
        #expect(try closure(app: "backend", firing: incident("backend-eu")) == nil)
    }

    @Test func `what is held for the sake of another explains nothing`() throws {
        let held = incident("backend", heldFor: .gate(plugin: "depends_on", name: "other"))
        #expect(try closure(firing: held) == nil)
        #expect(try closure(firing: incident("backend", heldFor: .muted("vacation"))) != nil)
    }

    @Test(arguments: [
        (Notification.Kind.opened, true), (.escalated, true), (.reminder, true), (.revised, true), (.resolved, false),
        (.digest, false),
    ])
    func `ends and summaries pass`(kind: Notification.Kind, isHeld: Bool) throws {
        #expect((try closure(kind, firing: incident("backend")) != nil) == isHeld)
    }

    @Test func `what waits for everything is a mistake`() {
        let error = #expect(throws: ProblemList.self) { try DependsOnGate.written(["when": ""]) }
        #expect(error?.problems.first?.message == "'when' names nothing, so everything would explain itself")
    }
}
