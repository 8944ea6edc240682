internal import PluginKit

// What gates are asked.

extension Turn {
    /// The first gate that is closed to the notification at a moment: now, or one to come.
    ///
    /// - Parameter sparing: The name of a gate that is not asked.
    func closure(for notification: Notification, at moment: Moment, sparing: String? = nil) -> Closure? {
        if let closure = muting(notification, at: moment) { return closure }
        for gate in plan.gates where gate.name != sparing {
            if let closure = closure(of: gate, for: notification, at: moment), closure.until > moment { return closure }
        }
        return nil
    }

    private func closure(of plan: GatePlan, for notification: Notification, at moment: Moment) -> Closure? {
        guard plan.match.fits(notification.incident.property), !plan.lets(notification.severity) else { return nil }
        guard let calendar = plan.calendar else {
            return plan.gate.closure(for: notification, at: moment, given: StateView(state: state))
        }
        return calendar.closure(for: notification, at: moment)
    }

    func closure(for notification: Notification) -> Closure? { closure(for: notification, at: now) }

    /// Whether the notification is held still, as it was: its gate is closed, and the time to ask again has not come.
    ///
    /// Other gates are not asked before that, so that what comes of it does not hang on who happened to look meanwhile: the
    /// bot that was started anew, or another channel.
    func stands(_ hold: Hold, for notification: Notification) -> Bool {
        hold.kind == notification.kind && hold.severity == notification.severity && isClosed(hold, to: notification)
    }

    /// Whether the gate that holds something is closed still, and not to be asked yet.
    func isClosed(_ hold: Hold, to notification: Notification) -> Bool {
        guard hold.lookAgain > now else { return false }
        if let muting = muting(notification, at: now), muting.reason == hold.reason {
            return muting.until == hold.lookAgain
        }
        return plan.gates.contains { gate in
            guard let closure = closure(of: gate, for: notification, at: now), closure.reason == hold.reason,
                closure.fate != .drop || hold.kind == .resolved, closure.fate.gathering == hold.gathering
            else { return false }
            // A calendar says the same at every hour, unless the config has changed; what else closes a gate may have
            // come to last longer.
            return gate.calendar == nil ? closure.until >= hold.lookAgain : closure.until == hold.lookAgain
        }
    }

    /// The first mute or quiet hours that are closed to the notification now.
    func calendarClosure(for notification: Notification) -> Closure? {
        if let closure = muting(notification, at: now) { return closure }
        for plan in plan.gates where plan.match.fits(notification.incident.property) {
            if let closure = plan.calendar?.closure(for: notification, at: now), closure.until > now { return closure }
        }
        return nil
    }

    /// The first instant at which no gate is closed to the notification.
    func firstOpening(for notification: Notification, after closure: Closure) -> Moment {
        var (last, opening) = (closure, closure.until)
        // What the last gate has held so long is news to the next.
        var since = notification.waits(behind: closure.reason, at: now)
        while opening - now < Turn.closedMax {
            let waiting = Notification(
                incident: notification.incident, kind: notification.kind, severity: notification.severity,
                channel: notification.channel,
                held: .init(last.reason, since: since, isGathered: last.fate.gathering != nil))
            guard let next = self.closure(for: waiting, at: opening) else { break }
            if next.reason != last.reason { since = opening }
            (last, opening) = (next, next.until)
        }
        return opening
    }

    /// Gates that hand over to each other for longer than this are as good as closed for ever.
    private static let closedMax = Duration.days(366)

    /// What gates add to a notification that passes.
    func remarks(on notification: Notification) -> [Remark] {
        let view = StateView(state: state)
        return plan.gates.compactMap { plan in
            plan.calendar == nil && plan.match.fits(notification.incident.property)
                ? plan.gate.remark(on: notification, at: now, given: view) : nil
        }
    }

    /// When the channel is due a reminder; nil while there is nothing certain to remind of.
    func reminderDue(_ incident: Incident, _ standing: Standing, in channel: String) -> Moment? {
        guard incident.state == .firing, !incident.isUncertain, incident.acknowledgement == nil,
            standing.announced != nil, let said = standing.lastSaid
        else { return nil }
        for plan in plan.gates where plan.calendar == nil && plan.match.fits(incident.property) {
            switch plan.gate.reminding(of: incident, in: channel) {
            case .after(let time): return said + time
            case .never: return nil
            case nil: continue
            }
        }
        guard let rule = plan.detector(incident.rule) else {
            return Trouble(rawValue: incident.rule) == nil ? nil : said + Trouble.repeatInterval
        }
        return rule.repeat.map { said + $0 }
    }

    /// Where else an incident of which nobody takes care is to be told.
    func escalations(of incident: Incident) -> [Escalation] {
        plan.gates.compactMap { plan in
            plan.calendar == nil && plan.match.fits(incident.property) ? plan.gate.escalation(of: incident) : nil
        }
    }

    // MARK: Events

    /// Notices changes that may open a gate which waits for an incident.
    mutating func noteEvent(_ fact: Fact) {
        guard !state.waitingForEvents.isEmpty, !mayOpenGates else { return }
        switch fact {
        case .incidentEnded: mayOpenGates = true
        case .incident(let incident):
            guard let old = state.incidents[incident.id] else { return }
            // Standings count too: an incident that is held for another's sake explains nothing.
            mayOpenGates =
                old.state != incident.state || old.severity != incident.severity || old.standings != incident.standings
        case .standing(let id, let channel, let standing):
            mayOpenGates = state.incidents[id]?.standings[channel] != standing
        default: break
        }
    }

    /// What gates will want to know of a fact that is about to be taken in.
    func past(of fact: Fact) -> Fact? {
        switch fact {
        case .retried(let delivery): return .told(channel: delivery.channel, Telling(delivery))
        case .delivery(let delivery):
            return state.outbox[delivery.id] == nil ? .told(channel: delivery.channel, Telling(delivery)) : nil
        case .incident(let incident):
            let old = state.incidents[incident.id]
            let begins = incident.isOpen && incident.hasFired && old?.hasFired != true
            let ends = !incident.isOpen && old?.isOpen == true && old?.hasFired == true
            guard begins || ends else { return nil }
            return .swung(
                rule: incident.rule, incident.subject, key: incident.key,
                at: begins ? incident.since : incident.until ?? now)
        default: return nil
        }
    }

    /// Takes out what is due, and what may be since another incident has changed.
    mutating func takeDue() -> Timers.Due? {
        if mayOpenGates {
            mayOpenGates = false
            for id in state.waitingForEvents.sorted() { revisit(id) }
        }
        return state.timers.popAllDue(now)
    }

    mutating func forgetOldSwings() {
        let old = state.swings.filter { now - ($0.value.last ?? .earliest) >= State.swingLifetime }
        for key in old.keys.sorted() { record(.swings(rule: key.rule, key.subject, key: key.key, [])) }
    }
}
