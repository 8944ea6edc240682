internal import PluginKit

// What gates are asked. Nothing changes here: what a gate knows of the past is made of facts.

extension State {
    /// The first gate that is closed to the notification at a moment: now, or one to come.
    ///
    /// - Parameters:
    ///   - sparing: The name of a gate that is not asked.
    ///   - end: mutes by command that end before are not asked.
    ///   - isAhead: whether the moment is one to come.
    ///   - isGathered: whether it has waited for company already, so that gates which hold it for that alone are not asked.
    func closure(
        for notification: Notification, at moment: Moment, _ plan: Plan, sparing: String? = nil,
        outlasting end: Moment = .earliest, isAhead: Bool = false, isGathered: Bool = false
    ) -> Closure? {
        if let closure = mutes.closure(for: notification, at: moment), closure.until >= end { return closure }
        for gate in plan.gates where gate.name != sparing {
            if let closure = closure(of: gate, for: notification, at: moment, isAhead: isAhead), closure.until > moment,
                !isGathered || closure.fate.gathering?.style != .group || closure.reason == .flapping
            {
                return closure
            }
        }
        return nil
    }

    /// The first gate that lets the notification pass together with what it has gathered.
    func company(of notification: Notification, at now: Moment, _ plan: Plan) -> Closure? {
        for gate in plan.gates where gate.calendar == nil {
            if let closure = closure(of: gate, for: notification, at: now), closure.until == now,
                closure.fate.gathering != nil
            {
                return closure
            }
        }
        return nil
    }

    private func closure(
        of plan: GatePlan, for notification: Notification, at moment: Moment, isAhead: Bool = false
    ) -> Closure? {
        guard plan.concerns(notification.property), !plan.lets(notification.severity) else { return nil }
        guard let calendar = plan.calendar else {
            return plan.gate.closure(
                for: notification, at: moment, given: GateSight(self, ahead: isAhead ? moment : nil))
        }
        return calendar.closure(for: notification, at: moment)
    }

    /// Whether the notification is held still, as it was: its gate is closed, and the time to ask again has not come.
    ///
    /// Other gates are not asked before that, so that what comes of it does not hang on who happened to look meanwhile:
    /// the bot that was started anew, or another channel.
    func stands(_ hold: Hold, for notification: Notification, at now: Moment, _ plan: Plan) -> Bool {
        hold.kind == notification.kind && hold.severity == notification.severity
            && isClosed(hold, to: notification, at: now, plan)
    }

    /// Whether the gate that holds something is closed still, and not to be asked yet.
    func isClosed(_ hold: Hold, to notification: Notification, at now: Moment, _ plan: Plan) -> Bool {
        guard hold.checkAgain > now else { return false }
        if let muting = mutes.closure(for: notification, at: now), muting.reason == hold.reason {
            return muting.until == hold.checkAgain
        }
        return plan.gates.contains { gate in
            guard let closure = closure(of: gate, for: notification, at: now), closure.reason == hold.reason,
                closure.fate != .drop || hold.kind.isEnd, closure.fate.gathering == hold.gathering
            else { return false }
            // A calendar says the same at every hour, unless the config has changed; what else closes a gate may have
            // come to last longer.
            return gate.calendar == nil ? closure.until >= hold.checkAgain : closure.until == hold.checkAgain
        }
    }

    /// What is held until another incident changes, and may leave by now: no incident keeps the gate closed that holds it. All
    /// else stays as it is, so nobody asks about it: a storm may hold thousands for the sake of one.
    func released(_ plan: Plan, at now: Moment) -> [String] {
        var ids: Set<String> = []
        for (place, held) in incidents.waitingForEvents where !isKeptClosed(place, at: now, plan) {
            ids.formUnion(held)
        }
        return ids.sorted()
    }

    private func isKeptClosed(_ place: WaitingPlace, at now: Moment, _ plan: Plan) -> Bool {
        guard case .gate(_, let name) = place.reason, let gate = plan.gate(name)?.gate, let match = gate.waitsFor else {
            return false
        }
        return incidents.isExplained(by: match, at: now) { gate.isKeptClosed(by: $0, in: place.channel, at: now) }
    }

    /// The first mute or quiet hours that are closed to the notification now.
    func calendarClosure(for notification: Notification, at now: Moment, _ plan: Plan) -> Closure? {
        if let closure = mutes.closure(for: notification, at: now) { return closure }
        for plan in plan.gates where plan.concerns(notification.property) {
            if let closure = plan.calendar?.closure(for: notification, at: now), closure.until > now { return closure }
        }
        return nil
    }

    /// The first instant at which no gate is closed to the notification.
    func firstOpening(for notification: Notification, after closure: Closure, at now: Moment, _ plan: Plan) -> Moment {
        wait(of: notification, behind: closure, at: now, plan).opening
    }

    /// How long the notification waits in all: the first instant at which no gate is closed to it, and what closes the gates
    /// behind the first, in the order in which they come.
    func wait(
        of notification: Notification, behind closure: Closure, at now: Moment, _ plan: Plan
    ) -> (opening: Moment, behind: [Reason]) {
        var (last, opening) = (closure, closure.until)
        var behind: [Reason] = []
        // What the last gate has held so long is news to the next.
        var since = self.since(notification, waitsBehind: closure, at: now)
        while opening < .latest {
            let waiting = Notification(
                incident: notification.incident, kind: notification.kind, severity: notification.severity,
                channel: notification.channel,
                held: .init(last.reason, since: since, style: last.fate.gathering?.style))
            guard let next = self.closure(for: waiting, at: opening, plan, isAhead: true) else {
                return (opening, behind)
            }
            // What drops it then holds it no longer.
            if next.fate == .drop, !notification.kind.isEnd { return (opening, behind) }
            guard opening - now < State.closedMax else { break }
            if next.reason != last.reason { since = opening }
            if next.reason != closure.reason, !behind.contains(next.reason) { behind.append(next.reason) }
            (last, opening) = (next, next.until)
        }
        return (.latest, behind)
    }

    /// Gates that hand over to each other for longer than this are as good as closed for ever.
    private static let closedMax = Duration.days(366)

    /// The hold that a closed gate makes of a notification.
    func hold(
        _ notification: Notification, _ old: Hold?, by closure: Closure, at now: Moment, _ plan: Plan
    ) -> Hold {
        var hold = Hold(
            kind: notification.kind, severity: notification.severity, reason: closure.reason,
            since: since(notification, waitsBehind: closure, at: now),
            until: firstOpening(for: notification, after: closure, at: now, plan), checkAgain: closure.until,
            // What a summary was promised for keeps the promise when a mute comes on top.
            summarizes: closure.fate == .holdAndSummarize || old?.summarizes == true && closure.fate != .explain)
        if case .gather(let gathering) = closure.fate {
            hold.gathering = gathering
            hold.summarizes = true
        }
        if let old, old.kind == hold.kind {
            hold.earlier =
                old.reason == hold.reason ? old.earlier : old.toldOf(at: now).suffix(Hold.earlierMax).map(\.self)
        }
        return hold
    }

    /// Since when a closed gate holds a notification, or those among whom it is gathered: they leave together.
    func since(_ notification: Notification, waitsBehind closure: Closure, at now: Moment) -> Moment {
        let own = notification.waits(behind: closure.reason, at: now)
        guard let gathering = closure.fate.gathering else { return own }
        let place = GatheringPlace(channel: notification.channel, gathering: gathering)
        return min(own, incidents.gatheredSince(place) ?? own)
    }

    /// When the channel is due a reminder, also where nothing is known any more; nil while there is nothing to remind
    /// of. Nobody is reminded of what is getting better, as long as that is known.
    func reminderDue(
        _ incident: Incident, _ standing: Standing, in channel: String, _ plan: Plan, at now: Moment
    ) -> Moment? {
        guard let due = plan.reminderDue(incident, standing, in: channel, at: now) else { return nil }
        guard incident.state == .firing || silence(of: incident, plan, at: now) != nil,
            !isClosedFirst(incident, remindedAt: due, plan, at: now)
        else { return nil }
        // After a start the source is asked first: what it answers may be the end. What a gate holds still waits for that anyway.
        if let hold = standing.hold, hold.checkAgain > now { return due }
        return schedule.catchesUp(incident.subject.source).map { max($0, due) } ?? due
    }

    /// Whether it is closed by the time of a reminder, or so soon after it that both would say the same: nothing has been
    /// known of it for as long as figures are kept.
    private func isClosedFirst(_ incident: Incident, remindedAt due: Moment, _ plan: Plan, at now: Moment) -> Bool {
        // Nearly all are younger, and need no look at what is known of them.
        guard due - incident.since >= Figures.lifetime.scaled(by: 0.5),
            let silence = silence(of: incident, plan, at: now)
        else { return false }
        return due >= silence.since + Figures.lifetime - Figures.forgottenEvery
    }

    /// What gates add to a notification that passes.
    func remarks(on notification: Notification, at now: Moment, _ plan: Plan) -> [Remark] {
        let remarks = plan.gates.compactMap { plan in
            // Of what passes all the same it holds nothing that comes after.
            plan.calendar == nil && plan.concerns(notification.property)
                && !(plan.gate.readsSwings && plan.lets(notification.severity))
                ? plan.gate.remark(on: notification, at: now, given: GateSight(self)) : nil
        }
        return remarks + [steadinessRemark(on: notification, plan)].compactMap(\.self)
    }

    /// What must be well for a while to be over says so with whatever says that it is there.
    private func steadinessRemark(on notification: Notification, _ plan: Plan) -> Remark? {
        let (incident, kind) = (notification.incident, notification.kind)
        guard plan.remembersSwings, [.opened, .escalated, .reminder].contains(kind) else { return nil }
        // While it is well, the last change is an end.
        let swings = incidents.swings(of: incident)
        let changes = incident.endsFrom == nil ? swings : swings.dropLast()
        guard let asked = incidents.steadiness(of: incident, after: changes, plan) else { return nil }
        return Remark(
            Phrase(.fieldFlapping),
            Phrase(
                .flappingSlowly,
                [
                    .count: .count(Double(asked.changes)), .span: .period(asked.span), .period: .period(asked.wait),
                ]),
            reason: kind == .reminder ? .repeat : kind == .opened ? .flapping : .escalated)
    }

    /// What each gate that concerns a notification says of it, for `why`.
    func asked(
        _ notification: Notification, at now: Moment, _ plan: Plan, isAhead: Bool = false
    ) -> [Explanation.Asked] {
        let sight = GateSight(self, ahead: isAhead ? now : nil)
        return plan.gates.filter { $0.concerns(notification.property) }.map { plan in
            let closure =
                plan.lets(notification.severity) ? nil : plan.gate.closure(for: notification, at: now, given: sight)
            return Explanation.Asked(
                name: plan.name, closedUntil: closure.flatMap { $0.until > now ? $0.until : nil },
                account: plan.gate.account(of: notification, at: now, given: sight))
        }
    }
}

extension Plan {
    /// When the channel is due a reminder of what is open; nil while there is nothing to remind of.
    fileprivate func reminderDue(
        _ incident: Incident, _ standing: Standing, in channel: String, at now: Moment
    ) -> Moment? {
        // A pager reminds by itself until somebody answers.
        guard incident.isOpen, incident.acknowledgement == nil,
            standing.announced != nil, let said = standing.lastSaid, !isPager(channel)
        else { return nil }
        let due = reminding(of: incident, in: channel).after.map { said + $0 }
        if let due, due <= now { return due }
        // Whoever comes back on call is told at the handover that it goes on, whatever the reminders.
        guard let turn = onCallSince(now, channel: channel, for: incident), turn > said else { return due }
        return min(turn, due ?? turn)
    }

    /// How long after its last message the channel is reminded of what is open, nil where it is not, or no more; and the gate
    /// that says so, nil where the rule does.
    func reminding(of incident: Incident, in channel: String) -> (after: Duration?, gate: String?) {
        for plan in gates where plan.calendar == nil && plan.concerns(incident.property) {
            switch plan.gate.reminding(of: incident, in: channel) {
            case .after(let time): return (time, plan.name)
            case .never: return (nil, plan.name)
            case nil: continue
            }
        }
        guard let rule = detector(incident.rule) else {
            return (Trouble(rawValue: incident.rule)?.repeatInterval, nil)
        }
        return (rule.repeat, nil)
    }

    /// Where else an incident of which nobody takes care is to be told.
    func escalations(of incident: Incident) -> [Escalation] {
        gates.compactMap { plan in
            plan.calendar == nil && plan.concerns(incident.property) ? plan.gate.escalation(of: incident) : nil
        }
    }

    /// Whether the gate that has gathered the notification is still there and still concerned with it.
    func isGathered(_ notification: Notification, by gathering: Gathering) -> Bool {
        gate(gathering.gate).map { !$0.lets(notification.severity) } ?? false
    }
}

/// The state as gates may see it.
struct GateSight: GateView {
    private let incidents: Incidents
    private let tellings: [String: [Telling]]
    private let figures: Figures
    /// The moment to come that gates are asked about; nil for now.
    private let ahead: Moment?

    init(_ state: State, ahead: Moment? = nil) {
        self.ahead = ahead
        incidents = state.incidents
        tellings = state.outbox.tellings
        figures = state.figures
    }

    func told(_ channel: String) -> [Telling] { tellings[channel] ?? [] }

    func gathered(_ gathering: Gathering, for channel: String) -> Moment? {
        incidents.gatheredSince(GatheringPlace(channel: channel, gathering: gathering), lastingBeyond: ahead)
    }

    func swings(of incident: Incident) -> [Moment] { incidents.swings(of: incident) }
    func swingsTold(of incident: Incident, in channel: String) -> SwingsTold? {
        incidents.swingsTold(incident.identity, in: channel)
    }

    func explaining(_ match: Match, at now: Moment) -> [Incident] { incidents.explaining(match, at: now) }
    func isExplained(by match: Match, at now: Moment, where isAsked: (Incident) -> Bool) -> Bool {
        incidents.isExplained(by: match, at: now, where: isAsked)
    }

    var appCount: Int { figures.appCount }
    func hasFigures(ofApp app: String) -> Bool { figures.hasFigures(ofApp: app) }
}
