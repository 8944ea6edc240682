import EscalateGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Escalate` {
    private let now = Moment(milliseconds: 1_800_000_000_000)

    private func incident(
        _ severity: Severity = .critical, told: [String: Int64] = ["team": 0], _ state: Incident.State = .firing
    ) -> Incident {
        var incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: "shop"), labels: [:], severity: severity, since: now,
            evidence: Evidence(sentence: ""))
        incident.state = state
        for (channel, minutes) in told {
            incident.standings[channel] = Standing(announced: severity, firstSaid: now + .minutes(minutes))
        }
        return incident
    }

    @Test func `half an hour after the first was announced, others are`() throws {
        let gate = try EscalateGate.written(["to": "oncall, boss"])
        #expect(gate.escalation(of: incident()) == Escalation(to: ["oncall", "boss"], from: now + .minutes(30)))
        let earlier = incident(told: ["team": 10, "ops": 5])
        #expect(gate.escalation(of: earlier)?.from == now + .minutes(35))
    }

    @Test func `what got worse than somebody took care of has its time anew`() throws {
        let gate = try EscalateGate.written(["to": "oncall"])
        var incident = incident(told: ["team": 0])
        incident.acknowledgement = Acknowledgement(at: now + .minutes(3))
        incident.leaveUnattended(at: now + .minutes(70))
        #expect(gate.escalation(of: incident)?.from == now + .minutes(100))
        let notification = Notification(incident: incident, kind: .opened, severity: .critical, channel: "oncall")
        let remark = gate.remark(on: notification, at: now + .minutes(100), given: RehearsedView())
        #expect(remark.map { Words.english.text($0.value, clock: \.description) } == "30 min since it got worse")
    }

    @Test func `what got as bad as the rule asks for only later has its time from then, once`() throws {
        let gate = try EscalateGate.written(["to": "oncall"])
        var incident = incident(.warning, told: ["team": 0])
        incident.become(.critical, at: now + .minutes(300))
        #expect(gate.escalation(of: incident)?.from == now + .minutes(330))
        let notification = Notification(incident: incident, kind: .opened, severity: .critical, channel: "oncall")
        let remark = gate.remark(on: notification, at: now + .minutes(330), given: RehearsedView())
        #expect(remark.map { Words.english.text($0.value, clock: \.description) } == "30 min since it got worse")
        // Coming and going between both, it would never be late.
        incident.become(.warning, at: now + .minutes(310))
        incident.become(.critical, at: now + .minutes(320))
        #expect(gate.escalation(of: incident)?.from == now + .minutes(330))
        // It was as bad as this one asks for from the beginning.
        let mild = try EscalateGate.written(["to": "oncall", "severity": "warning"])
        #expect(mild.escalation(of: incident)?.from == now + .minutes(30))
    }

    /// Nobody can acknowledge what never arrived: then more than ever somebody else is to hear of it.
    @Test func `where the only channel that was to hear of it refused it, others hear of it`() throws {
        let gate = try EscalateGate.written(["to": "oncall"])
        var refused = incident(told: [:])
        refused.standings["team"] = Standing(undelivered: .critical)
        #expect(gate.escalation(of: refused) == Escalation(to: ["oncall"], from: now + .minutes(30)))
        refused.standings["ops"] = Standing(announced: .critical, firstSaid: now + .minutes(7))
        #expect(gate.escalation(of: refused)?.from == now + .minutes(37))
    }

    @Test func `not what is milder, acknowledged, getting better, or untold`() throws {
        let gate = try EscalateGate.written(["to": "oncall", "after": "1h"])
        var acknowledged = incident()
        acknowledged.acknowledgement = Acknowledgement(at: now)
        for incident in [
            incident(.warning), acknowledged, incident(.critical, told: ["team": 0], .recovering), incident(told: [:]),
        ] {
            #expect(gate.escalation(of: incident) == nil)
        }
        #expect(try EscalateGate.written(["to": "oncall", "severity": "info"]).escalation(of: incident(.info)) != nil)
    }

    @Test(
        arguments: [
            (channel: "oncall", kind: Notification.Kind.opened, minutes: 30, isRemarked: true),
            (channel: "oncall", kind: .opened, minutes: 29, isRemarked: false),
            (channel: "oncall", kind: .reminder, minutes: 30, isRemarked: false),
            (channel: "team", kind: .opened, minutes: 30, isRemarked: false),
        ] as [(channel: String, kind: Notification.Kind, minutes: Int64, isRemarked: Bool)])
    func `the message there says why it comes`(
        channel: String, kind: Notification.Kind, minutes: Int64, isRemarked: Bool
    ) throws {
        let gate = try EscalateGate.written(["to": "oncall"], name: "wake-up")
        let notification = Notification(incident: incident(), kind: kind, severity: .critical, channel: channel)
        let remark = gate.remark(on: notification, at: now + .minutes(minutes), given: RehearsedView())
        #expect((remark != nil) == isRemarked)
        #expect(remark == nil || remark?.reason.description == "escalate:wake-up")
    }
}
