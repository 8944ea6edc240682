internal import PluginKit

// One message for many: what came and went unseen, what a budget held back, what opened together.

extension Turn {
    /// One line of such a message.
    struct Member {
        let notification: Notification
        let standing: Standing
        let reason: Reason
    }

    /// Whether the gate that has gathered the notification is still there and still concerned with it.
    func isGathered(_ notification: Notification, by gathering: Gathering) -> Bool {
        plan.gate(gathering.gate).map { !$0.lets(notification.severity) } ?? false
    }

    /// Sends what was gathered for the channel as one message, but for what another gate holds.
    mutating func sendTogether(_ gathering: Gathering, to channel: String) {
        let members = takeMembers(of: gathering, in: channel)
        guard let first = members.first else { return }
        if gathering.style == .group, members.count == 1, first.notification.kind != .digest {
            send(first.notification, first.standing, first.reason)
        } else {
            let message = composeTogether(members, gathering)
            let delivery = enqueue(message, message.kind, channel, incident: nil)
            for member in members {
                let incident = member.notification.incident
                keep(
                    member.standing.told(member.notification, figureToSay(of: incident), at: now), of: incident,
                    in: channel)
            }
            decide(
                .send, first.standing.hold?.reason ?? first.reason, message.kind,
                members.map(\.notification.severity).max() ?? message.severity, channel, message, incident: nil,
                delivery: delivery.id)
            dispatchSoon(channel)
        }
        for member in members {
            let id = member.notification.incident.id
            endIfSettled(id)
            setIncidentTimer(id)
        }
    }

    private mutating func takeMembers(of gathering: Gathering, in channel: String) -> [Member] {
        let place = GatheringPlace(channel: channel, gathering: gathering)
        var members: [Member] = []
        for incident in (state.gathered[place]?.incidents ?? []).compactMap({ state.incidents[$0] }).inOrder {
            guard var standing = incident.standings[channel],
                state.journalTrouble == nil || isAboutJournal(incident.id)
            else { continue }
            let isUnseen = !incident.isOpen && standing.announced == nil
            guard let want = isUnseen ? (.digest, .unannounced) : wanted(incident, standing, in: channel) else {
                standing.hold = nil
                keep(standing, of: incident, in: channel)
                setIncidentTimer(incident.id)
                continue
            }
            let notification = notification(want.kind, of: incident, standing, in: channel)
            if let closure = closure(for: notification, at: now, sparing: gathering.gate) {
                if isUnseen {
                    postpone(incident, standing, channel, notification, by: closure)
                } else {
                    turnAway(notification, standing, by: closure)
                }
                setIncidentTimer(incident.id)
            } else {
                members.append(Member(notification: notification, standing: standing, reason: want.reason))
            }
        }
        return members
    }

    // MARK: What came and went

    /// Looks whether the gate behind which something came and went has opened.
    mutating func waitForSummary(_ incident: Incident, _ standing: Standing, _ channel: String) {
        guard let hold = standing.hold else { return }
        let notification = notification(.digest, of: incident, standing, in: channel)
        guard !isClosed(hold, to: notification) else { return }
        if let closure = closure(for: notification) {
            postpone(incident, standing, channel, notification, by: closure)
        } else if let gathering = hold.gathering, isGathered(notification, by: gathering) {
            sendTogether(gathering, to: channel)
        } else {
            summariesDue.insert(channel)
        }
    }

    private mutating func postpone(
        _ incident: Incident, _ standing: Standing, _ channel: String, _ notification: Notification,
        by closure: Closure
    ) {
        var standing = standing
        standing.hold?.lookAgain = closure.until
        standing.hold?.until = firstOpening(for: notification, after: closure)
        if case .gather(let gathering) = closure.fate {
            standing.hold?.reason = closure.reason
            standing.hold?.gathering = gathering
        }
        keep(standing, of: incident, in: channel)
    }

    /// Sends one summary to each channel that has waited for one.
    mutating func sendSummaries() {
        guard state.journalTrouble == nil else { return }
        for channel in summariesDue.sorted() {
            var ended: [Incident] = []
            for incident in state.incidentsInOrder {
                guard let standing = incident.standings[channel], let hold = standing.hold, hold.isForSummary else {
                    continue
                }
                let notification = notification(.digest, of: incident, standing, in: channel)
                guard !isClosed(hold, to: notification) else { continue }
                // What was said since it was asked may have closed a gate.
                if let closure = closure(for: notification) {
                    postpone(incident, standing, channel, notification, by: closure)
                    setIncidentTimer(incident.id)
                } else {
                    ended.append(incident)
                }
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
            dispatchSoon(channel)
        }
        summariesDue = []
    }
}
