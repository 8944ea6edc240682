public import PluginKit

/// A gate that takes an incident of which nobody takes care to further channels.
///
/// The time counts from the first message about it to anybody, but from no sooner than it was as bad as the gate asks for:
/// nobody acknowledges a warning for what it may become. An acknowledgement ends it. Where it gets worse than what somebody
/// took care of, it counts anew from then. Where every channel that was to hear of it refused the message, nobody could take
/// care: then the time counts from the begin of the trouble.
public struct EscalateGate: Gate {
    public static let manifest = PluginManifest(
        name: "escalate",
        summary: "Notifies further channels of incidents that nobody has acknowledged for some time.",
        example: """
            after: 30m
            to: oncall
            """,
        options: [after, to, severity])

    static let after = Setting(
        "after", .duration(.minutes(1) ... .days(7)), default: .minutes(30),
        "How long an incident may fire without an acknowledgement.")
    static let to = RequiredSetting("to", .list(.name(of: .channel)), "The channels that are notified then.")
    static let severity = Setting("severity", .severity, default: .critical, "This severity and above.")

    private let name: String
    private let after: Duration
    private let channels: [String]
    private let severity: Severity

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        after = options[Self.after]
        channels = try options[Self.to]
        severity = options[Self.severity]
    }

    public var furtherChannels: [String] { channels }
    public var leastSeverity: Severity? { severity }

    public func escalation(of incident: Incident) -> Escalation? {
        guard incident.state == .firing, incident.acknowledgement == nil, incident.severity >= severity,
            let begin = begin(of: incident) ?? (incident.isUndelivered ? incident.since : nil)
        else { return nil }
        return Escalation(to: channels, from: begin + after)
    }

    public func remark(on notification: Notification, at now: Moment, given view: any GateView) -> Remark? {
        guard notification.kind == .opened, channels.contains(notification.channel),
            let begin = begin(of: notification.incident), let escalation = escalation(of: notification.incident),
            escalation.from <= now
        else { return nil }
        let isOfFirst = firstSaid(of: notification.incident) == begin
        return Remark(
            Phrase(.fieldEscalated), Phrase(isOfFirst ? .escalated : .escalatedWorse, [.period: .rough(now - begin)]),
            reason: .gate(plugin: EscalateGate.manifest.name, name: name))
    }

    private func begin(of incident: Incident) -> Moment? {
        firstSaid(of: incident).flatMap { told in
            [told, incident.unattendedSince, incident.worsened[severity]].compactMap(\.self).max()
        }
    }

    /// When anybody heard of it first.
    private func firstSaid(of incident: Incident) -> Moment? {
        incident.standings.values.compactMap(\.firstSaid).min()
    }
}

extension Incident {
    /// Whether a channel that was to hear of it gave the message up.
    fileprivate var isUndelivered: Bool { standings.values.contains { $0.undelivered != nil } }
}
