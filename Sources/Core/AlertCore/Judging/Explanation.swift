public import PluginKit

/// What one rule thinks of one thing now, and what came or would come of it.
public struct Explanation: Sendable {
    /// What one channel knows, and what keeps it from hearing more.
    public struct Way: Sendable {
        public let channel: String
        public let standing: Standing?
        /// The gate that is closed to what it would hear now, or once it fires; nil when none is.
        public let closure: Closure?
        /// The first instant at which no gate is closed to that any more; nil when none is, and when nobody knows.
        public let opening: Moment?
        /// What closes the gates that hold that after the first, until then.
        public let behind: [Reason]
        /// The mildest worse severity with which no gate would be closed, where there is no incident yet and a milder one is
        /// meant; nil where none is closed, and where the rule has no severity that all let pass.
        public let passing: Severity?
        /// Every gate that concerns it, in the order in which they are asked.
        public let gates: [Asked]
        /// When it is reminded next, if nothing changes.
        public let reminder: Moment?
        /// Why it is not reminded, where neither the figures nor the passing of time alone change that.
        public let unreminded: Unreminded?
    }

    /// Why a channel is not reminded of what is open.
    public enum Unreminded: Hashable, Sendable {
        /// It is that of somebody whose turn it is not.
        case offDuty
        /// Nothing leads there any more.
        case unrouted
        /// The gate of that name wants no reminders, or no more; nil where the rule wants none. Whoever takes turns with others
        /// gets one all the same when the next turn begins.
        case never(gate: String?, isToldAtTurns: Bool)
    }

    /// One gate, and what it says.
    public struct Asked: Sendable {
        public let name: String
        /// When it opens; nil when it lets pass.
        public let closedUntil: Moment?
        /// How it stands to that, in a few words.
        public let account: String?
    }

    /// A channel that hears of it later, and what would keep it from that.
    public struct Step: Sendable {
        public let channel: String
        public let from: Moment
        /// The gate that is closed then; nil when none is.
        public let closure: Closure?
        /// The first instant at which no gate is closed any more; nil when none is, and when nobody knows.
        public let opening: Moment?
    }

    public let rule: String
    public let subject: Subject
    public let key: String?
    public let judgement: Judgement
    /// Whether a rule judges it still; otherwise the judgement is the last word on what is over.
    public var isJudged = true
    /// When the figures behind the judgement were last known to hold, where that is too long ago to be believed.
    public let noNewsSince: Moment?
    public let incident: Incident?
    /// When a pending incident begins to fire, if the condition holds until then.
    public let firesAt: Moment?
    /// The channels that the routes name for it, and those that know of it.
    public let ways: [Way]
    /// Of which severities which channels would hear, where none does as it is.
    public var routes: [(severity: Severity, channels: [String])] = []
    /// Where else it will be told, and from when on, unless somebody acknowledges it.
    public let escalations: [Step]
    /// Earlier incidents of it that are over and of which a channel has something to hear still, oldest first.
    public let over: [Incident]
}

extension Explanation {
    /// Of what no rule judges any more.
    fileprivate init(_ judged: Judged, over: [Incident]) {
        self.init(
            rule: judged.rule, subject: judged.subject, key: judged.key, judgement: judged.judgement, isJudged: false,
            noNewsSince: nil, incident: nil, firesAt: nil, ways: [], escalations: [], over: over)
    }
}

extension Core {
    /// What the rules think of what the bot has seen, and what would come of it.
    ///
    /// - Parameters:
    ///   - most: how many are kept, as `Judgements` chooses; the others are not explained, which takes far longer than to
    ///     judge.
    ///   - isAsked: whether somebody wants to know of this rule and this subject.
    /// - Returns: the explanations, and the judgements among which are also those that were left out.
    public func explain(
        _ state: State, at now: Moment, most: Int = .max, _ isAsked: (_ rule: String, _ subject: Subject) -> Bool
    ) -> (explanations: [Explanation], judgements: Judgements) {
        var judgements = Judgements(most: most)
        let open = state.openIncidentsByRule
        let over = Dictionary(grouping: state.incidents.inOrder.filter { !$0.isOpen }, by: \.identity)
        var held = over.filter { identity, incidents in
            Trouble(rawValue: identity.rule) == nil
                && incidents.contains { $0.standings.contains { $0.value.hold != nil } }
        }
        for rule in plan.detectors {
            // What a source that has left the config brought is judged no more.
            judge(
                state, rule, open[rule.name] ?? [], at: now,
                where: { plan.source($0.source) != nil && isAsked(rule.name, $0) }
            ) {
                judgements.add($0)
                held[$0.identity] = nil
            }
        }
        // What is over and held still is told also where no rule judges any more what it was about: an issue that nobody names,
        // or what the config has no place for.
        for (identity, incidents) in held.sorted(by: { $0.key < $1.key }) where isAsked(identity.rule, identity.subject)
        {
            guard let last = incidents.last else { continue }
            // Of what was closed nobody knows.
            let verdict: Judgement.Verdict = last.state == .resolved ? .ok(recovered: true) : .unknown("")
            judgements.add(
                Judged(
                    rule: identity.rule, subject: identity.subject, key: identity.key,
                    judgement: Judgement(verdict, .far, last.evidence), noNewsSince: nil))
        }
        let explanations = judgements.kept.map { judged in
            guard held[judged.identity] == nil, let rule = plan.detector(judged.rule) else {
                return Explanation(judged, over: over[judged.identity] ?? [])
            }
            return explain(state, rule, judged, over, at: now)
        }
        return (explanations, judgements)
    }

    /// The troubles of the bot itself that are open, or of whose end a channel has still to hear.
    ///
    /// - Parameters:
    ///   - isAsked: whether somebody wants to know of this trouble and this subject.
    public func explainTroubles(
        _ state: State, at now: Moment, _ isAsked: (_ trouble: String, _ subject: Subject) -> Bool
    ) -> [Explanation] {
        let incidents = state.incidents.inOrder.filter {
            Trouble(rawValue: $0.rule) != nil && isAsked($0.rule, $0.subject)
        }
        let over = Dictionary(grouping: incidents.filter { !$0.isOpen }, by: \.identity)
        let newest = Dictionary(incidents.map { ($0.identity, $0) }) { $1.isOpen || !$0.isOpen ? $1 : $0 }
        return newest.sorted { $0.key < $1.key }.map { identity, incident in
            let verdict: Judgement.Verdict = incident.isOpen ? .firing(incident.severity) : .ok(recovered: true)
            return Explanation(
                rule: incident.rule, subject: incident.subject, key: nil,
                judgement: Judgement(verdict, .between, incident.evidence), noNewsSince: nil,
                incident: incident.isOpen ? incident : nil, firesAt: nil,
                ways: incident.isOpen ? ways(state, incident, at: now) : [],
                escalations: escalations(of: incident, state, at: now),
                over: over[identity] ?? [])
        }
    }

    private func explain(
        _ state: State, _ rule: DetectorPlan, _ judged: Judged, _ over: [IncidentKey: [Incident]], at now: Moment
    ) -> Explanation {
        let identity = judged.identity
        let incident = state.incidents[identity: identity]
        let asItIs = incident ?? wouldBe(judged, rule, state, at: now)
        let worse = incident == nil ? severities(of: rule).filter { $0 > asItIs.severity } : []
        let firesAt = incident.flatMap { $0.state == .pending ? $0.since + rule.detector.holdTime : nil }
        let ways = ways(state, asItIs, worse: worse, firesAt: firesAt, at: now)
        return Explanation(
            rule: rule.name, subject: judged.subject, key: judged.key, judgement: judged.judgement,
            noNewsSince: judged.noNewsSince, incident: incident,
            firesAt: firesAt,
            ways: ways, routes: ways.isEmpty ? routes(of: asItIs, rule, at: max(now, firesAt ?? now)) : [],
            escalations: incident.map { escalations(of: $0, state, at: now) } ?? [], over: over[identity] ?? [])
    }

    /// Where it would be told if it were as bad as that, for each severity with which the rule can fire, the worst first.
    private func routes(
        of incident: Incident, _ rule: DetectorPlan, at now: Moment
    ) -> [(severity: Severity, channels: [String])] {
        let severities = rule.detector.severities ?? Set(Severity.allCases)
        return severities.sorted(by: >).compactMap { severity in
            var other = incident
            other.severity = severity
            let routed = plan.channels(for: other, at: now)
            let channels = plan.channels.map(\.name).filter(routed.contains)
            return channels.isEmpty ? nil : (severity, channels)
        }
    }

    private func escalations(of incident: Incident, _ state: State, at now: Moment) -> [Explanation.Step] {
        guard incident.isOpen, incident.acknowledgement == nil else { return [] }
        // Who is told of it anyway is not called, and nobody is called twice.
        var known = Set(plan.channels(for: incident, at: now))
        return plan.escalations(of: incident).filter { $0.from > now }.sorted { $0.from < $1.from }.flatMap {
            escalation in
            let (from, routed) = (escalation.from, plan.routes(of: incident, at: escalation.from))
            return escalation.channels.filter { channel in
                incident.standings[channel]?.announced == nil && !routed.contains(channel)
                    && known.insert(channel).inserted
            }.map { channel in
                let standing = incident.standings[channel] ?? Standing()
                let notification = Notification(.opened, of: incident, standing, in: channel)
                let closure = state.closure(for: notification, at: from, plan, isAhead: true)
                return Explanation.Step(
                    channel: channel, from: from, closure: closure,
                    opening: closure.flatMap {
                        state.firstOpening(for: notification, after: $0, at: from, plan).ifKnown
                    })
            }
        }
    }

    /// The incident that there would be if the rule fired now: the mildest that it has, as gates let pass what is worse.
    private func wouldBe(_ judged: Judged, _ rule: DetectorPlan, _ state: State, at now: Moment) -> Incident {
        var severity = severities(of: rule).first ?? .warning
        if case .firing(let found) = judged.judgement.verdict { severity = found }
        return Incident(
            rule: judged.rule, subject: judged.subject, key: judged.key,
            labels: state.figures.series[judged.subject]?.labels ?? [:], severity: severity, since: now,
            evidence: judged.judgement.evidence)
    }

    /// With which severities the rule can raise an alarm, the mildest first; of one that does not say, with which most do. That
    /// all is well with a release is none, unless the rule knows nothing else.
    private func severities(of rule: DetectorPlan) -> [Severity] {
        let all = (rule.detector.severities ?? [.warning, .critical]).sorted()
        let alarms = all.filter { $0 > .info }
        return alarms.isEmpty ? all : alarms
    }

    /// The mildest of these severities with which no gate would be closed in the channel; nil where some is to all of them.
    private func passing(
        _ worse: [Severity], than incident: Incident, in channel: String, _ state: State, at now: Moment, isAhead: Bool
    ) -> Severity? {
        worse.first { severity in
            var other = incident
            other.severity = severity
            let notification = Notification(.opened, of: other, Standing(), in: channel)
            return plan.channels(for: other, at: now).contains(channel)
                && state.closure(for: notification, at: now, plan, isAhead: isAhead) == nil
        }
    }

    /// - Parameters:
    ///   - worse: as what else it might be told, the mildest first, where it is none yet.
    ///   - firesAt: when it would be told, where that is later: what gates say now is no answer then.
    private func ways(
        _ state: State, _ incident: Incident, worse: [Severity] = [], firesAt: Moment? = nil, at now: Moment
    ) -> [Explanation.Way] {
        let moment = max(now, firesAt ?? now)
        let isAhead = moment > now
        let dead = state.incidents.deadChannels(for: incident, plan)
        let routed = plan.channels(for: incident, at: moment, dead: dead)
        return plan.channels.map(\.name).filter { routed.contains($0) || incident.standings[$0] != nil }.map {
            channel in
            let standing = incident.standings[channel]
            let kind: Notification.Kind = standing?.announced == nil ? .opened : .reminder
            let notification = Notification(kind, of: incident, standing ?? Standing(), in: channel)
            let closure = state.closure(for: notification, at: moment, plan, isAhead: isAhead)
            let wait = closure.map { state.wait(of: notification, behind: $0, at: moment, plan) }
            let isOffDuty = plan.isOffDuty(channel, for: incident, at: moment, dead: dead)
            let reminder =
                isOffDuty ? nil : standing.flatMap { state.reminderDue(incident, $0, in: channel, plan, at: now) }
            return Explanation.Way(
                channel: channel, standing: standing, closure: closure, opening: wait?.opening.ifKnown,
                behind: wait?.behind ?? [],
                passing: closure == nil
                    ? nil : passing(worse, than: incident, in: channel, state, at: moment, isAhead: isAhead),
                gates: state.asked(notification, at: moment, plan, isAhead: isAhead), reminder: reminder,
                unreminded: reminder == nil ? unreminded(channel, incident, isOffDuty: isOffDuty) : nil)
        }
    }

    private func unreminded(
        _ channel: String, _ incident: Incident, isOffDuty: Bool
    ) -> Explanation.Unreminded? {
        if isOffDuty { return plan.mayTakeTurns(channel, for: incident) ? .offDuty : .unrouted }
        // A pager reminds by itself, and whoever takes care of it needs no reminder.
        guard incident.isOpen, incident.acknowledgement == nil, incident.standings[channel]?.announced != nil,
            !plan.isPager(channel)
        else { return nil }
        let reminding = plan.reminding(of: incident, in: channel)
        guard reminding.after == nil else { return nil }
        return .never(gate: reminding.gate, isToldAtTurns: plan.isToldAtTurns(channel, for: incident))
    }
}
