public import PluginKit

/// What one rule thinks of one thing now, and what came or would come of it.
public struct Explanation: Sendable {
    /// What one channel knows, and what keeps it from hearing more.
    public struct Way: Sendable {
        public let channel: String
        public let standing: Standing?
        /// The gate that is closed to what it would hear now; nil when none is.
        public let closure: Closure?
        /// Every gate that concerns it, in the order in which they are asked.
        public let gates: [Asked]
        /// When it is reminded next, if nothing changes.
        public let reminder: Moment?
    }

    /// One gate, and what it says.
    public struct Asked: Sendable {
        public let name: String
        /// When it opens; nil when it lets pass.
        public let closedUntil: Moment?
        /// What it has left for the channel, in a few words.
        public let account: String?
    }

    public let rule: String
    public let subject: Subject
    public let key: String?
    public let judgement: Judgement
    public let incident: Incident?
    /// When a pending incident begins to fire, if the condition holds until then.
    public let firesAt: Moment?
    /// The channels that the routes name for it, and those that know of it.
    public let ways: [Way]
    /// Earlier incidents of it that are over and of which a channel has something to hear still, oldest first.
    public let over: [Incident]
}

extension Core {
    /// What the rules think of what the bot has seen, and what would come of it.
    ///
    /// - Parameters:
    ///   - isAsked: whether somebody wants to know of this rule and this subject.
    public func explain(
        _ state: State, at now: Moment, _ isAsked: (_ rule: String, _ subject: Subject) -> Bool
    ) -> [Explanation] {
        let turn = Turn(plan: plan, now: now, state: state)
        return plan.detectors.flatMap { rule in turn.sights(of: rule).flatMap { turn.explain(rule, $0, isAsked) } }
    }
}

extension Turn {
    fileprivate func explain(
        _ rule: DetectorPlan, _ sight: Sight, _ isAsked: (String, Subject) -> Bool
    ) -> [Explanation] {
        rule.detector.findings(in: sight, at: now).filter(rule.concerns).compactMap { finding in
            let subject = finding.subject ?? sight.subject
            guard isAsked(rule.name, subject) else { return nil }
            let identity = IncidentKey(rule: rule.name, subject: subject, key: finding.key)
            let incident = state.incidentIDs[identity].flatMap { state.incidents[$0] }
            return Explanation(
                rule: rule.name, subject: subject, key: finding.key, judgement: finding.judgement, incident: incident,
                firesAt: incident.flatMap { $0.state == .pending ? $0.since + rule.detector.holdTime : nil },
                ways: ways(incident ?? wouldBe(rule, subject, finding)),
                over: state.incidentsInOrder.filter { !$0.isOpen && $0.identity == identity })
        }
    }

    /// The incident that there would be if the rule fired now.
    private func wouldBe(_ rule: DetectorPlan, _ subject: Subject, _ finding: Finding) -> Incident {
        var severity = Severity.warning
        if case .firing(let found) = finding.judgement.verdict { severity = found }
        return Incident(
            rule: rule.name, subject: subject, key: finding.key, labels: state.series[subject]?.labels ?? [:],
            severity: severity, since: now, evidence: finding.judgement.evidence)
    }

    private func asked(_ notification: Notification) -> [Explanation.Asked] {
        let view = StateView(state: state)
        return plan.gates.filter { $0.match.fits(notification.incident.property) }.map { plan in
            let closure =
                plan.lets(notification.severity) ? nil : plan.gate.closure(for: notification, at: now, given: view)
            return Explanation.Asked(
                name: plan.name, closedUntil: closure.flatMap { $0.until > now ? $0.until : nil },
                account: plan.gate.account(of: notification.channel, at: now, given: view))
        }
    }

    private func ways(_ incident: Incident) -> [Explanation.Way] {
        let routed = channels(for: incident)
        return plan.channels.map(\.name).filter { routed.contains($0) || incident.standings[$0] != nil }.map {
            channel in
            let standing = incident.standings[channel]
            let kind: Notification.Kind = standing?.announced == nil ? .opened : .reminder
            let notification = notification(kind, of: incident, standing ?? Standing(), in: channel)
            return Explanation.Way(
                channel: channel, standing: standing, closure: closure(for: notification), gates: asked(notification),
                reminder: standing.flatMap { reminderDue(incident, $0, in: channel) })
        }
    }
}
