internal import PluginKit

// What each channel knows of incidents, as deliveries and people change it.

extension Incidents {
    /// A channel that certainly never got the message which said that something keeps coming and going is told anew.
    mutating func forgetSwingsTold(_ delivery: Delivery, _ output: inout Output) {
        guard !delivery.progress.mayHaveArrived else { return }
        for summary in delivery.message.incidents {
            guard swingsTold(summary.identity, in: delivery.channel)?.at == delivery.queued else { continue }
            record(
                .swingsTold(
                    rule: summary.rule, summary.subject, key: summary.key, channel: delivery.channel, nil), &output)
        }
    }

    /// A clock that was set back leaves changes ahead of it; those never were.
    mutating func dropSwings(after now: Moment, _ output: inout Output) {
        for (key, swings) in swingsAhead(of: now) {
            record(.swings(rule: key.rule, key.subject, key: key.key, swings.filter { $0 <= now }), &output)
        }
    }

    /// A channel that certainly never got the opening of an incident knows nothing of it: neither its end nor a
    /// reminder would make sense there. It is told anew when it works again, or when things get worse. One that never
    /// got an escalation knows of what was before.
    ///
    /// - Parameter forNow: whether the channel is still there, and only does not work.
    mutating func forgetAnnouncement(
        _ delivery: Delivery, forNow: Bool, at now: Moment, _ output: inout Output
    ) -> [Touch] {
        guard [.opened, .escalated, .digest].contains(delivery.kind), !delivery.progress.mayHaveArrived else {
            return []
        }
        // Of what was under way when its channel went, nobody has heard whether it arrived.
        if !forNow, case .attempting = delivery.progress.phase { return [] }
        var touched: [Touch] = []
        for id in delivery.message.incidents.map(\.id) {
            guard var standing = self[id]?.standings[delivery.channel], let announced = standing.announced else {
                continue
            }
            let isEscalation =
                delivery.kind == .escalated
                || delivery.escalated.contains(id) && standing.lastSaid == delivery.queued
            // A digest tells also of what the channel knows.
            if delivery.kind == .digest, standing.firstSaid != delivery.queued, !isEscalation { continue }
            if isEscalation {
                // Of how bad it was before at least something was said; what is worse is told anew.
                standing.announced = Severity.allCases.last { $0 < announced } ?? announced
            } else {
                standing.announced = nil
                standing.firstSaid = nil
            }
            standing.heard = nil
            standing.undelivered = forNow ? announced : nil
            if forNow { standing.lastSaid = now }
            keep(standing, of: id, in: delivery.channel, &output)
            touched.append(.reschedule(id))
        }
        return touched
    }

    /// An opening that was given up is on its way again, so what follows it is told as well: somebody has it tried
    /// again.
    mutating func announceAgain(_ delivery: Delivery, at now: Moment, _ output: inout Output) -> [Touch] {
        var touched: [Touch] = []
        for id in delivery.message.incidents.map(\.id) {
            guard var standing = self[id]?.standings[delivery.channel], let undelivered = standing.undelivered else {
                continue
            }
            standing.announced = max(undelivered, standing.announced ?? undelivered)
            standing.undelivered = nil
            standing.firstSaid = standing.firstSaid ?? now
            standing.lastSaid = now
            keep(standing, of: id, in: delivery.channel, &output)
            touched.append(.revisit(id))
        }
        return touched
    }

    /// The channel works again: what is still wrong and never reached it is told now.
    mutating func tellAnew(_ channel: String, _ output: inout Output) -> [Touch] {
        var touched: [Touch] = []
        for incident in inOrder {
            guard var standing = incident.standings[channel], standing.undelivered != nil else { continue }
            standing.undelivered = nil
            keep(standing, of: incident.id, in: channel, &output)
            touched.append(.revisit(incident.id))
        }
        return touched
    }

    /// What is open and never reached the channel, what was tried longest ago first, of equals the worst.
    ///
    /// - Parameter latest: what was tried later than that waits.
    func undelivered(in channel: String, triedBy latest: Moment) -> [Incident] {
        let waiting = inOrder.compactMap { incident -> (incident: Incident, tried: Moment)? in
            guard incident.isOpen, let standing = incident.standings[channel], standing.undelivered != nil else {
                return nil
            }
            let tried = standing.lastSaid ?? .earliest
            return tried <= latest ? (incident, tried) : nil
        }
        return waiting.sorted { left, right in
            left.tried != right.tried
                ? left.tried < right.tried : left.incident.severity > right.incident.severity
        }.map(\.incident)
    }

    /// The channel leads to another chat, which has heard of nothing: what is open begins there, and of what is over no
    /// more is said.
    ///
    /// - Parameter waiting: the incidents of which messages wait for the channel: these tell the new chat.
    mutating func introduce(_ channel: String, sparing waiting: Set<String>, _ output: inout Output) -> [Touch] {
        var touched: [Touch] = []
        for incident in inOrder where !waiting.contains(incident.id) {
            guard let standing = incident.standings[channel], standing.announced != nil || standing.hasHeardEnd else {
                continue
            }
            keep(nil, of: incident.id, in: channel, &output)
            touched.append(.revisit(incident.id))
        }
        return touched
    }

    /// Has what a mute concerns asked anew; gives back those incidents.
    ///
    /// - Parameter all: all incidents in their order, as they were before any mute of the same command: what is asked anew has
    ///   changed in nothing that a mute goes by.
    mutating func askAnew(_ mute: Mute, among all: [Incident], at now: Moment, _ output: inout Output) -> [Incident] {
        let reason = Reason.muted(mute.id)
        let concerned = all.filter { incident in
            mute.match.fits(incident.property) || incident.standings.values.contains { $0.hold?.reason == reason }
        }
        for id in concerned.map(\.id) {
            guard let old = self[id] else { continue }
            var incident = old
            for channel in incident.standings.keys { incident.standings[channel]?.hold?.checkAgain = now }
            if incident != old { record(.incident(incident), &output) }
        }
        return concerned
    }

    /// Moves along with a wall clock that was set.
    mutating func moveClock(
        of old: Incident, by step: Duration, at now: Moment, onCallSince turn: (String, Moment) -> Moment?,
        _ output: inout Output
    ) -> Incident {
        var incident = old
        if old.state == .pending {
            // Its beginning starts the wait, and makes its id: nobody has been told either yet.
            record(.ended(id: old.id), &output)
            incident = Incident(
                rule: old.rule, subject: old.subject, key: old.key, labels: old.labels, severity: old.severity,
                since: old.since + step, evidence: old.evidence)
            incident.worst = old.worst
            incident.isUncertain = old.isUncertain
        } else {
            incident.setBack(to: now, by: step)
            incident.acknowledgement?.setBack(to: now, by: step)
        }
        incident.unattendedSince = old.unattendedSince.map { $0 + step }
        incident.worsened = old.worsened.mapValues { $0 + step }
        incident.betterSince = old.betterSince.map { $0 + step }
        incident.endsFrom = old.endsFrom.map { $0 + step }
        for (channel, standing) in old.standings {
            var moved = standing
            moved.firstSaid = standing.firstSaid.map { $0 + step }
            moved.lastSaid = standing.lastSaid.map { said in
                // Handovers stay where the wall has them: what was said in this turn was, and what was said before it, too.
                guard let turn = turn(channel, said + step) else { return said + step }
                return said < turn ? min(said + step, turn - .milliseconds(1)) : max(said + step, turn)
            }
            moved.corrected = standing.corrected.map { $0 + step }
            // What was said of a span by the old clock is no correction of what the new one measures then.
            moved.said = nil
            moved.alarmed = nil
            if let hold = standing.hold {
                moved.hold?.since = hold.since + step
                moved.hold?.checkAgain = now
            }
            incident.standings[channel] = moved
        }
        record(.incident(incident), &output)
        return incident
    }
}

extension Standing {
    /// What the channel knows once it has heard the notification; nil when it will hear no more.
    ///
    /// - Parameters:
    ///   - figure: what the message says.
    ///   - correction: what it puts right.
    func told(
        _ notification: Notification, _ figure: Said?, _ correction: Correction? = nil, at now: Moment
    ) -> Standing? {
        guard notification.incident.isOpen else { return nil }
        var standing = self
        let worst = max(notification.severity, announced ?? notification.severity)
        standing.announced = worst
        standing.heard = notification.severity == worst ? nil : notification.severity
        // What was kept from it is past, too: from now on it goes by what it has heard.
        standing.dropped = nil
        standing.droppedBy = nil
        standing.undelivered = nil
        standing.firstSaid = firstSaid ?? now
        standing.lastSaid = now
        if notification.kind == .revised { standing.corrected = now }
        standing.said = figure
        switch notification.kind {
        case .opened, .escalated, .digest, .test: standing.alarmed = nil
        case .reminder, .revised, .resolved, .closed, .acknowledged: standing.alarmed = alarmed ?? said
        }
        // What was put right is what is known from then on.
        if let correction, correction.said == standing.alarmed { standing.alarmed = correction.right }
        if let said = standing.said, said.span == standing.alarmed?.span { standing.alarmed = nil }
        standing.reminders = notification.kind == .reminder ? reminders + 1 : 0
        standing.hold = nil
        return standing
    }
}
