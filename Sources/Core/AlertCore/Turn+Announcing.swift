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

    /// The channels that the routes name for an incident, in the order of the config, and those it has escalated to.
    func channels(for incident: Incident) -> [String] {
        var names = routes(of: incident)
        for escalation in escalations(of: incident) where escalation.from <= now {
            names += escalation.channels.filter { !names.contains($0) && !isSilent($0, about: incident) }
        }
        return names
    }

    /// A channel cannot report its own silence.
    private func isSilent(_ channel: String, about incident: Incident) -> Bool {
        incident.subject.app == Subject.botApp && incident.rule == Trouble.channelFailing.rawValue
            && incident.subject.source == channel
    }

    private func routes(of incident: Incident) -> [String] {
        if Trouble(rawValue: incident.rule) != nil, incident.subject.app == Subject.botApp {
            if let reportTo = plan.reportTo, !isSilent(reportTo, about: incident) { return [reportTo] }
            return routed(incident).filter { !isSilent($0, about: incident) }
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
    func wanted(
        _ incident: Incident, _ standing: Standing, in channel: String
    ) -> (kind: Notification.Kind, reason: Reason)? {
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
            let isWorse = incident.severity > max(announced, standing.dropped ?? announced)
            if incident.state == .firing, isWorse { return (.escalated, .escalated) }
            if correction(of: incident, standing) != nil { return (.revised, .revised) }
            guard incident.state == .firing else { return nil }
            if let due = reminderDue(incident, standing, in: channel), due <= now { return (.reminder, .repeat) }
            return nil
        }
    }

    /// What gates are asked about.
    func notification(
        _ kind: Notification.Kind, of incident: Incident, _ standing: Standing, in channel: String
    ) -> Notification {
        let hold = standing.hold
        let severity =
            kind == .digest
            ? hold?.severity ?? incident.severity
            : max(incident.severity, incident.isOpen ? .info : standing.announced ?? .info)
        return Notification(
            incident: incident, kind: kind, severity: severity, channel: channel,
            held: hold.map { .init($0.reason, since: $0.since, isGathered: $0.gathering != nil) })
    }

    /// Decides about one incident and one channel.
    private mutating func consider(_ incident: Incident, for channel: String) {
        var incident = incident
        var standing = incident.standings[channel] ?? Standing()
        if !incident.isOpen, standing.announced == nil {
            settleUnannounced(incident, standing, channel)
            return
        }
        guard let (kind, reason) = wanted(incident, standing, in: channel) else {
            guard standing.hold != nil else { return }
            standing.hold = nil
            keep(standing, of: incident, in: channel)
            return
        }
        let notification = notification(kind, of: incident, standing, in: channel)
        if let hold = standing.hold, stands(hold, for: notification) { return }
        if kind == .reminder, let rule = plan.detector(incident.rule), !areFiguresFresh(incident, rule) {
            incident.isUncertain = true
            record(.incident(incident))
            return
        }
        if let closure = closure(for: notification) {
            turnAway(notification, standing, by: closure)
        } else if let gathering = standing.hold?.gathering, isGathered(notification, by: gathering) {
            sendTogether(gathering, to: channel)
        } else {
            send(notification, standing, reason)
        }
    }

    /// Holds or drops what a gate is closed to.
    mutating func turnAway(_ notification: Notification, _ old: Standing, by closure: Closure) {
        var standing = old
        let (incident, kind, severity) = (notification.incident, notification.kind, notification.severity)
        if closure.fate == .drop, kind != .resolved {
            decide(
                .drop, closure.reason, kind, severity, notification.channel, compose(incident, kind),
                incident: incident.id)
            standing.dropped = max(severity, standing.dropped ?? severity)
            standing.lastSaid = now
            // What is never said is not offered again with the next look.
            if kind == .revised { standing.said = figureToSay(of: incident) }
            standing.hold = nil
        } else {
            standing.hold = hold(notification, standing.hold, by: closure)
            if let until = standing.hold?.until,
                old.hold?.kind != kind || old.hold?.severity != severity || old.hold?.until != until
            {
                decide(
                    .hold(until: until), closure.reason, kind, severity, notification.channel,
                    compose(incident, kind), incident: incident.id)
            }
        }
        guard old != standing else { return }
        keep(standing, of: incident, in: notification.channel)
    }

    /// The hold that a closed gate makes of a notification.
    private func hold(_ notification: Notification, _ old: Hold?, by closure: Closure) -> Hold {
        var hold = Hold(
            kind: notification.kind, severity: notification.severity, reason: closure.reason,
            since: notification.waits(behind: closure.reason, at: now),
            until: firstOpening(for: notification, after: closure), lookAgain: closure.until,
            // What a summary was promised for keeps the promise when a mute comes on top.
            summarizes: closure.fate == .holdAndSummarize || old?.summarizes == true)
        if case .gather(let gathering) = closure.fate {
            hold.gathering = gathering
            hold.summarizes = true
            let place = GatheringPlace(channel: notification.channel, gathering: gathering)
            hold.since = min(hold.since, state.gathered[place]?.since ?? hold.since)
        }
        return hold
    }

    /// Keeps what a channel knows of an incident; nil when it has nothing more to hear of it.
    mutating func keep(_ standing: Standing?, of incident: Incident, in channel: String) {
        record(.standing(incident: incident.id, channel: channel, standing))
    }

    /// Says it.
    mutating func send(_ notification: Notification, _ standing: Standing, _ reason: Reason) {
        let (incident, channel) = (notification.incident, notification.channel)
        let remarks = remarks(on: notification)
        var message = compose(incident, notification.kind)
        if let correction = correction(of: incident, standing) { message.facts.append(fact(correction)) }
        message.facts += remarks.map(\.fact)
        let delivery = enqueue(message, notification.kind, channel, incident: incident)
        keep(standing.told(notification, figureToSay(of: incident), at: now), of: incident, in: channel)
        decide(
            .send, delivery.kind == .digest ? .overtaken : remarks.first?.reason ?? reason, delivery.kind,
            notification.severity, channel, delivery.message, incident: incident.id, delivery: delivery.id)
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

    /// Lets go of a resolved incident of which nobody has anything more to hear.
    mutating func endIfSettled(_ id: String) {
        guard let incident = state.incidents[id], !incident.isOpen else { return }
        let waiting = incident.standings.filter { plan.channel($0.key) != nil }
        if waiting.isEmpty { record(.incidentEnded(id: id)) }
    }

    mutating func decide(
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

extension Standing {
    /// What the channel knows once it has heard the notification; nil when it will hear no more.
    func told(_ notification: Notification, _ figure: Said?, at now: Moment) -> Standing? {
        guard notification.incident.isOpen else { return nil }
        var standing = self
        standing.announced = max(notification.severity, announced ?? notification.severity)
        standing.undelivered = nil
        standing.firstSaid = firstSaid ?? now
        standing.lastSaid = now
        standing.said = figure
        standing.reminders = notification.kind == .reminder ? reminders + 1 : 0
        standing.hold = nil
        return standing
    }
}
