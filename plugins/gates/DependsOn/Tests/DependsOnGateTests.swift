import DependsOnGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Depends on` {
    private let now = Moment(milliseconds: 1_800_000_000_000)

    private func incident(
        _ app: String, heldFor reason: Reason? = nil, until end: Moment = .latest, _ style: Gathering.Style? = nil,
        in channel: String = "team", since age: Duration = .zero
    ) -> Incident {
        var incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: app), labels: [:], severity: .warning,
            since: now - age, evidence: Evidence(sentence: ""))
        incident.state = .firing
        if let reason {
            let hold = Hold(
                kind: .opened, severity: .warning, reason: reason, since: now, until: end, checkAgain: end,
                summarizes: false, gathering: style.map { Gathering(gate: "calm", style: $0) })
            incident.standings[channel] = Standing(hold: hold)
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

    @Test func `it says which incident it waits for, the oldest, and of what passes nothing`() throws {
        let gate = try DependsOnGate.written(["when": "app=backend*", "except": "critical"], name: "because")
        let older = incident("backend-eu", since: .hours(1))
        var view = RehearsedView()
        view.firing = [incident("bank"), incident("backend-us"), older]
        func account(_ app: String, _ kind: Notification.Kind = .opened, _ severity: Severity = .warning) -> String? {
            let notification = Notification(incident: incident(app), kind: kind, severity: severity, channel: "team")
            return gate.account(of: notification, at: now, given: view)
        }
        #expect(account("shop") == "while incident \(older.id) of floor about backend-eu is open")
        #expect(account("shop", .resolved) == nil)
        #expect(account("shop", .opened, .critical) == nil)
        #expect(account("backend-us") == nil)
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

    @Test func `what nobody hears of for now explains nothing, wherever it waits`() throws {
        let soon = now + .minutes(5)
        for channel in ["team", "other"] {
            func explains(_ reason: Reason, until end: Moment, _ style: Gathering.Style? = nil) throws -> Bool {
                try closure(firing: incident("backend", heldFor: reason, until: end, style, in: channel)) != nil
            }
            let budget = Reason.gate(plugin: "budget", name: "calm")
            #expect(try !explains(.quietHours("nights"), until: soon))
            #expect(try !explains(budget, until: soon, .digest))
            #expect(try explains(.gate(plugin: "group", name: "calm"), until: soon, .group))
            #expect(try explains(.muted("vacation"), until: soon))
            // It is told in this very moment, or held by another gate.
            #expect(try explains(.quietHours("nights"), until: now))
            #expect(try explains(budget, until: now, .digest))
        }
        var better = incident("backend", heldFor: .quietHours("nights"), until: now)
        better.state = .recovering
        #expect(try closure(firing: better) == nil, "what is getting better unheard is told to nobody")
        better.standings["team"]?.announced = .warning
        #expect(try closure(firing: better) != nil)
        var dropped = incident("backend")
        dropped.standings["team"] = Standing(dropped: .warning)
        #expect(try closure(firing: dropped) == nil)
        dropped.standings["other"] = Standing(announced: .warning)
        #expect(try closure(firing: dropped) == nil, "the channel's own standing counts first")
        dropped.standings["team"] = Standing(undelivered: .warning)
        #expect(try closure(firing: dropped) != nil)
        dropped.standings["team"] = Standing()
        #expect(try closure(firing: dropped) != nil)
        dropped.standings["team"] = Standing(
            announced: .warning, hold: incident("a", heldFor: .quietHours("n")).standings["team"]?.hold)
        #expect(try closure(firing: dropped) != nil, "its opening was told")
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
