internal import PluginKit

// Whom to tell, and whether now. What a channel should hear follows from what it has heard and from how things are; so
// something held back is simply looked at afresh when its gate opens.

extension Turn {
    /// Tells every channel what it should hear of the incident now.
    mutating func announce(_ incident: Incident) {
        guard incident.state != .pending else { return }
        guard mayAnnounce(incident.id) else { return }
        let concerned = incident.isOpen ? concernedChannels(of: incident) : []
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

    /// Tells every channel that has heard of the incident who takes care of it, but for what a gate is closed to:
    /// held until it opens, it would be no news.
    mutating func tellAcknowledged(_ incident: Incident) {
        guard mayAnnounce(incident.id) else { return }
        for channel in plan.channels where channel.hearsAcknowledgements {
            guard let standing = state.incidents[incident.id]?.standings[channel.name], standing.announced != nil,
                !standing.hasHeardEnd
            else { continue }
            let notification = Notification(.acknowledged, of: incident, standing, in: channel.name)
            if let closure = state.closure(for: notification, at: now, plan) {
                decide(.drop, closure.reason, .acknowledged, of: incident, incident.severity, channel.name)
            } else {
                send(notification, standing, .acknowledged)
            }
        }
    }

    /// What is held for a channel that no route leads to any more will not be said there.
    private mutating func letGo(_ incident: Incident, of channel: String) {
        guard var standing = incident.standings[channel], let hold = standing.hold else { return }
        standing.hold = nil
        decide(.drop, .unrouted, hold.kind, of: incident, hold.severity, channel)
        state.incidents.keep(standing, of: incident.id, in: channel, &output)
    }

    /// Says of what is held for channels that are not in the config any more that it will not be said.
    mutating func letGoOfHeldForOthers() {
        for incident in state.incidents.inOrder {
            for channel in incident.standings.keys.sorted() where plan.channel(channel) == nil {
                // What has ended is told by the channel's new name.
                if !incident.isOpen, !heirs(of: channel, for: incident.id).isEmpty { continue }
                letGo(incident, of: channel)
            }
        }
    }

    /// Decides about one incident and one channel.
    private mutating func consider(_ incident: Incident, for channel: String) {
        var standing = incident.standings[channel] ?? Standing()
        if !incident.isOpen, standing.announced == nil {
            settleUnannounced(incident, standing, channel)
            return
        }
        if tellsMilder(incident, standing, channel) { return }
        guard let (kind, reason) = wanted(incident, standing, in: channel) else {
            guard !standing.hasHeardEnd else {
                if let due = revisionDue(of: incident, standing), due > now { return }
                return state.incidents.keep(nil, of: incident.id, in: channel, &output)
            }
            guard let hold = standing.hold else { return }
            // What is getting better is not opened, but a digest names all that it held; and should it end so, it
            // becomes a line of the gate's summary.
            guard !incident.isUnheardRecovery(standing) else {
                if hold.gathering?.style == .digest {
                    waitForSummary(incident, standing, channel)
                } else if hold.checkAgain == .latest {
                    noteOpening(of: incident, standing, channel)
                }
                return
            }
            standing.hold = nil
            state.incidents.keep(standing, of: incident.id, in: channel, &output)
            return
        }
        let notification = Notification(kind, of: incident, standing, in: channel)
        if let hold = standing.hold, state.stands(hold, for: notification, at: now, plan) { return }
        if let closure = state.closure(for: notification, at: now, plan) {
            turnAway(notification, standing, by: closure)
        } else if waitsForAnswer(notification) {
            return
        } else if let gathering = standing.hold?.gathering, plan.isGathered(notification, by: gathering) {
            sendTogether(gathering, to: channel)
        } else if let closure = state.company(of: notification, at: now, plan), let gathering = closure.fate.gathering {
            standing.hold = state.hold(notification, standing.hold, by: closure, at: now, plan)
            state.incidents.keep(standing, of: incident.id, in: channel, &output)
            sendTogether(gathering, to: channel, news: incident.id)
        } else {
            send(notification, standing, reason)
        }
    }

    /// Whether it is to be seen first what its source answers after a start, for that may be the end: nobody is to be called
    /// because of how things were before the bot was away. What is gathered waits for all sources, or it would be torn.
    private mutating func waitsForAnswer(_ notification: Notification) -> Bool {
        guard notification.kind.asksSomebody, state.schedule.allCatchUp.map({ $0 > now }) == true else { return false }
        let incident = notification.incident
        guard state.schedule.catchesUp(incident.subject.source).map({ $0 > now }) != true else { return true }
        let isGathered = incident.standings[notification.channel]?.hold?.gathering != nil
        if isGathered { state.agenda.await(nil, incident.id) }
        return isGathered
    }

    /// Has an opening that waits for its channel tell how bad it is by now, where that is less: nobody is to be called for
    /// what was critical before they could hear of it.
    private mutating func tellsMilder(_ incident: Incident, _ standing: Standing, _ channel: String) -> Bool {
        guard incident.isOpen, let announced = standing.announced, incident.severity < announced,
            state.outbox.overtaken(of: incident.id, in: channel).contains(where: {
                $0.kind == .opened && $0.message.severity > incident.severity
            })
        else { return false }
        let notification = Notification(.opened, of: incident, standing, in: channel)
        // A gate that lets no milder one pass, or has no room for another, leaves the one that waits.
        guard state.closure(for: notification, at: now, plan, isGathered: true) == nil else { return false }
        send(notification, standing, .first)
        return true
    }

    /// Whom an open incident concerns.
    private func concernedChannels(of incident: Incident) -> [String] {
        plan.channels(for: incident, at: now, dead: state.incidents.deadChannels(for: incident, plan))
    }

    func isConcerned(_ channel: String, with incident: Incident) -> Bool {
        concernedChannels(of: incident).contains(channel)
    }

    /// Whether the channel is that of somebody whose turn it is not.
    func isOffDuty(_ channel: String, for incident: Incident) -> Bool {
        plan.isOffDuty(channel, for: incident, at: now, dead: state.incidents.deadChannels(for: incident, plan))
    }

    /// Notes when the gate opened that only an event could open: from then on it is a question of time whether what is
    /// getting better behind it is told.
    private mutating func noteOpening(of incident: Incident, _ old: Standing, _ channel: String) {
        // Other gates are asked when it is told: one that gathers would have it wait anew.
        let notification = Notification(.opened, of: incident, old, in: channel)
        guard let hold = old.hold, !state.isClosed(hold, to: notification, at: now, plan) else { return }
        var standing = old
        standing.hold?.checkAgain = now
        state.incidents.keep(standing, of: incident.id, in: channel, &output)
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
                .drop, .unannounced, incident.state == .closed ? .closed : .resolved, of: incident, incident.severity,
                channel)
        }
        if var hold = standing.hold {
            if hold.summarizes, !incident.isGoodNews {
                hold.isForSummary = true
                hold.countsFor += letGoOfFlapped(before: incident, hold, channel)
                standing.hold = hold
                state.incidents.keep(standing, of: incident.id, in: channel, &output)
                return
            }
            decide(.drop, hold.reason, hold.kind, of: incident, hold.severity, channel)
        }
        state.incidents.keep(nil, of: incident.id, in: channel, &output)
    }

    /// What flaps for days, or all night, is not kept each time that it does: of more than a summary needs, the least bad goes.
    ///
    /// - Returns: how many are counted with this one from now on.
    private mutating func letGoOfFlapped(before incident: Incident, _ hold: Hold, _ channel: String) -> Int {
        let ended = state.incidents.over(like: incident).filter { other in
            // It is counted as one that came and went.
            guard other.state == .resolved, let held = other.standings[channel]?.hold else { return false }
            return held.isForSummary && held.reason == hold.reason
        }
        guard ended.count >= Turn.flappedMax, let least = ended.max(by: { $0.isWorse(than: $1) }) else { return 0 }
        let count = least.standings[channel]?.hold?.countsFor ?? 0
        state.incidents.keep(nil, of: least.id, in: channel, &output)
        endIfSettled(least.id)
        return count + 1
    }

    /// What flaps is kept so often until it is calm: as many lines of one thing as anybody reads.
    private static let flappedMax = 8

    /// Looks whether the gate behind which something came and went has opened.
    private mutating func waitForSummary(_ incident: Incident, _ standing: Standing, _ channel: String) {
        guard let hold = standing.hold else { return }
        let notification = Notification(.digest, of: incident, standing, in: channel)
        guard !state.isClosed(hold, to: notification, at: now, plan), !dropIfOutdone(notification, hold) else { return }
        if let closure = state.closure(for: notification, at: now, plan) {
            postpone(notification, standing, by: closure)
        } else if let gathering = hold.gathering, plan.isGathered(notification, by: gathering) {
            sendTogether(gathering, to: channel)
        } else if hold.isForSummary {
            summariesDue.insert(channel)
        } else {
            leaveUnheard(incident, standing, hold, channel)
        }
    }

    /// The gate whose digest would have named what is getting better is gone: from now on it is a question of time whether that
    /// is told, as with any other.
    private mutating func leaveUnheard(_ incident: Incident, _ old: Standing, _ hold: Hold, _ channel: String) {
        var hold = hold
        hold.gathering = nil
        hold.checkAgain = min(hold.checkAgain, now)
        hold.until = state.mayEndUnheardUntil(incident, hold, plan) ?? now
        var standing = old
        standing.hold = hold
        state.incidents.keep(standing, of: incident.id, in: channel, &output)
    }
}

extension Incident {
    /// Whether it is getting better before the channel has heard of it: then nothing is to be said until it ends or
    /// fires anew.
    func isUnheardRecovery(_ standing: Standing) -> Bool { state == .recovering && standing.announced == nil }
}
