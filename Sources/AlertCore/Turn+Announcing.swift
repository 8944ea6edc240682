internal import PluginKit

// Whom to tell, and whether now. What a channel should hear follows from what it has heard and from how things are; so
// something held back is simply looked at afresh when its gate opens.

extension Turn {
    /// Tells every channel what it should hear of the incident now.
    mutating func announce(_ incident: Incident) {
        guard incident.state != .pending else { return }
        // Whatever is not accepted now is looked at again when the journal can be written.
        guard state.journalTrouble == nil || isAboutJournal(incident.id) else { return }
        let concerned = incident.isOpen ? channels(for: incident) : []
        for channel in plan.channels.map(\.name)
        where concerned.contains(channel) || incident.standings[channel] != nil {
            guard let current = state.incidents[incident.id] else { return }
            if current.isOpen, !concerned.contains(channel), current.standings[channel]?.announced == nil {
                letGo(current, of: channel)
            } else {
                consider(current, for: channel)
            }
        }
        endIfSettled(incident.id)
    }

    /// What is held for a channel that the routes do not lead to any more will not be said there.
    private mutating func letGo(_ incident: Incident, of channel: String) {
        guard var standing = incident.standings[channel], standing.hold != nil else { return }
        standing.hold = nil
        keep(standing, of: incident, in: channel)
    }

    /// The channels that the routes name for an incident, in the order of the config.
    func channels(for incident: Incident) -> [String] {
        if let trouble = Trouble(rawValue: incident.rule), incident.subject.app == Subject.botApp {
            // A channel cannot report its own silence.
            let itself = trouble == .channelFailing ? incident.subject.source : nil
            if let reportTo = plan.reportTo, reportTo != itself { return [reportTo] }
            return routed(incident).filter { $0 != itself }
        }
        return routed(incident)
    }

    private func routed(_ incident: Incident) -> [String] {
        guard !plan.routes.isEmpty else { return plan.channels.map(\.name) }
        var names: [String] = []
        for route in plan.routes where route.match.fits(incident.property) {
            names += route.to.filter { !names.contains($0) }
            if !route.continues { break }
        }
        return names
    }

    /// What a channel wants to hear, given what it knows.
    private func wanted(_ incident: Incident, _ standing: Standing) -> (kind: Notification.Kind, reason: Reason)? {
        switch incident.state {
        case .pending: return nil
        case .resolved: return standing.announced == nil ? nil : (.resolved, .resolved)
        case .firing, .recovering:
            guard let announced = standing.announced else {
                if let vain = [standing.dropped, standing.undelivered].compactMap({ $0 }).max(),
                    incident.severity <= vain
                {
                    return nil
                }
                return (.opened, .first)
            }
            guard incident.state == .firing else { return nil }
            if incident.severity > max(announced, standing.dropped ?? announced) { return (.escalated, .escalated) }
            if let due = reminderDue(incident, standing), due <= now { return (.reminder, .repeat) }
            return nil
        }
    }

    /// When the channel is due a reminder; nil while there is nothing certain to remind of.
    func reminderDue(_ incident: Incident, _ standing: Standing) -> Moment? {
        guard incident.state == .firing, !incident.isUncertain, incident.acknowledgement == nil,
            standing.announced != nil, let said = standing.lastSaid
        else { return nil }
        guard let rule = plan.detector(incident.rule) else {
            return Trouble(rawValue: incident.rule) == nil ? nil : said + Trouble.repeatInterval
        }
        return rule.repeat.map { said + $0 }
    }

    /// Decides about one incident and one channel.
    private mutating func consider(_ incident: Incident, for channel: String) {
        var incident = incident
        var standing = incident.standings[channel] ?? Standing()
        if !incident.isOpen, standing.announced == nil {
            settleUnannounced(incident, standing, channel)
            return
        }
        guard let (kind, reason) = wanted(incident, standing) else {
            guard standing.hold != nil else { return }
            standing.hold = nil
            keep(standing, of: incident, in: channel)
            return
        }
        if kind == .reminder, let rule = plan.detector(incident.rule), !areFiguresFresh(incident, rule) {
            incident.isUncertain = true
            record(.incident(incident))
            return
        }
        let severity = max(incident.severity, incident.isOpen ? .info : standing.announced ?? .info)
        let notification = Notification(incident: incident, kind: kind, severity: severity, channel: channel)
        guard let closure = closure(for: notification) else {
            send(incident, standing, kind, severity, channel, reason)
            return
        }
        if closure.fate == .drop, kind != .resolved {
            decide(.drop, closure.reason, kind, severity, channel, compose(incident, kind), incident: incident.id)
            standing.dropped = max(severity, standing.dropped ?? severity)
            standing.lastSaid = now
            standing.hold = nil
        } else {
            let until = firstOpening(for: notification, after: closure)
            let hold = Hold(
                kind: kind, severity: severity, reason: closure.reason, until: until, lookAgain: closure.until,
                // What a summary was promised for keeps the promise when a mute comes on top.
                summarizes: closure.fate == .holdAndSummarize || standing.hold?.summarizes == true)
            if standing.hold?.kind != kind || standing.hold?.severity != severity || standing.hold?.until != until {
                decide(
                    .hold(until: until), closure.reason, kind, severity, channel, compose(incident, kind),
                    incident: incident.id)
            }
            standing.hold = hold
        }
        guard incident.standings[channel] != standing else { return }
        keep(standing, of: incident, in: channel)
    }

    /// Keeps what a channel knows of an incident; nil when it has nothing more to hear of it.
    private mutating func keep(_ standing: Standing?, of incident: Incident, in channel: String) {
        record(.standing(incident: incident.id, channel: channel, standing))
    }

    private mutating func send(
        _ incident: Incident, _ standing: Standing, _ kind: Notification.Kind, _ severity: Severity, _ channel: String,
        _ reason: Reason
    ) {
        var standing = standing
        standing.announced = max(severity, standing.announced ?? severity)
        standing.lastSaid = now
        standing.hold = nil
        let delivery = enqueue(compose(incident, kind), kind, channel, incident: incident)
        keep(incident.isOpen ? standing : nil, of: incident, in: channel)
        decide(
            .send, delivery.kind == .digest ? .overtaken : reason, delivery.kind, severity, channel, delivery.message,
            incident: incident.id, delivery: delivery.id)
        dispatchSoon(channel)
    }

    /// What ended without the channel having heard of it: a line of a summary, or nothing.
    private mutating func settleUnannounced(_ incident: Incident, _ standing: Standing, _ channel: String) {
        var standing = standing
        guard standing.hold?.isForSummary != true else {
            waitForSummary(incident, standing, channel)
            return
        }
        // Wherever the opening was held or dropped, a resolution would answer a question that nobody asked.
        if standing.hold != nil || standing.dropped != nil || standing.undelivered != nil {
            decide(
                .drop, .unannounced, .resolved, incident.severity, channel, compose(incident, .resolved),
                incident: incident.id)
        }
        if var hold = standing.hold {
            if hold.summarizes {
                hold.isForSummary = true
                standing.hold = hold
                keep(standing, of: incident, in: channel)
                return
            }
            decide(
                .drop, hold.reason, hold.kind, hold.severity, channel, compose(incident, hold.kind),
                incident: incident.id)
        }
        keep(nil, of: incident, in: channel)
    }

    private mutating func waitForSummary(_ incident: Incident, _ standing: Standing, _ channel: String) {
        guard var hold = standing.hold, hold.lookAgain <= now else { return }
        let notification = Notification(incident: incident, kind: .digest, severity: hold.severity, channel: channel)
        guard let closure = closure(for: notification) else {
            summariesDue.insert(channel)
            return
        }
        var standing = standing
        hold.lookAgain = closure.until
        hold.until = firstOpening(for: notification, after: closure)
        standing.hold = hold
        keep(standing, of: incident, in: channel)
    }

    /// Sends one summary to each channel that has waited for one.
    mutating func sendSummaries() {
        guard state.journalTrouble == nil else { return }
        for channel in summariesDue.sorted() {
            let ended = state.incidentsInOrder.filter { incident in
                guard let hold = incident.standings[channel]?.hold else { return false }
                return hold.isForSummary && hold.lookAgain <= now
            }
            guard let reason = ended.compactMap({ $0.standings[channel]?.hold?.reason }).first else { continue }
            let message = composeSummary(of: ended, reason: reason)
            let delivery = enqueue(message, .digest, channel, incident: nil)
            decide(.send, reason, .digest, message.severity, channel, message, incident: nil, delivery: delivery.id)
            for incident in ended {
                keep(nil, of: incident, in: channel)
                endIfSettled(incident.id)
                setIncidentTimer(incident.id)
            }
            dispatch(channel)
        }
        summariesDue = []
    }

    /// Lets go of a resolved incident of which nobody has anything more to hear.
    private mutating func endIfSettled(_ id: String) {
        guard let incident = state.incidents[id], !incident.isOpen else { return }
        let waiting = incident.standings.filter { plan.channel($0.key) != nil }
        if waiting.isEmpty { record(.incidentEnded(id: id)) }
    }

    private mutating func decide(
        _ decision: Decision, _ reason: Reason, _ kind: Notification.Kind, _ severity: Severity, _ channel: String,
        _ message: Message, incident: String?, delivery: String? = nil
    ) {
        output.effects.append(
            .decided(
                DecisionRecord(
                    at: now, incident: incident, kind: kind, severity: severity, channel: channel, decision: decision,
                    reason: reason, message: message, delivery: delivery)))
    }
}

extension Turn {
    /// The first gate that is closed to the notification now.
    func closure(for notification: Notification) -> Closure? { closure(for: notification, at: now) }

    private func closure(for notification: Notification, at moment: Moment) -> Closure? {
        if let closure = muting(notification, at: moment) { return closure }
        for plan in plan.gates where plan.match.fits(notification.incident.property) {
            if let closure = plan.gate.closure(for: notification, at: moment), closure.until > moment { return closure }
        }
        return nil
    }

    /// The first instant at which no gate is closed to the notification.
    private func firstOpening(for notification: Notification, after closure: Closure) -> Moment {
        var opening = closure.until
        while opening - now < Turn.closedMax {
            guard let next = self.closure(for: notification, at: opening) else { break }
            opening = next.until
        }
        return opening
    }

    /// Gates that hand over to each other for longer than this are as good as closed for ever.
    private static let closedMax = Duration.days(366)
}
