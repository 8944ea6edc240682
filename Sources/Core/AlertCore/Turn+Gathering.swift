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

    /// Incidents that one message is about at most; what goes beyond becomes further messages. One takes some 560 bytes of
    /// the message's record in the journal, which takes 4 MiB: an eighth of that leaves room for long names and sentences.
    static let membersMax = 500

    /// Sends what was gathered for the channel as one message, but for what another gate holds. Of more than a message
    /// takes, the worst go first.
    mutating func sendTogether(_ gathering: Gathering, to channel: String) {
        let members = takeMembers(of: gathering, in: channel)
        guard let first = members.first else { return }
        if gathering.style == .group, members.count == 1, first.notification.kind != .digest {
            send(first.notification, first.standing, first.reason)
        } else {
            let reason = first.standing.hold?.reason ?? first.reason
            let ordered = members.sorted { $0.notification.incident.isWorse(than: $1.notification.incident) }
            for part in Part.split(ordered) { send(part, gathering, to: channel, reason) }
        }
        for member in members {
            let id = member.notification.incident.id
            endIfSettled(id)
            setIncidentTimer(id)
        }
    }

    private mutating func send(_ part: Part<Member>, _ gathering: Gathering, to channel: String, _ reason: Reason) {
        let message = composeTogether(part, gathering)
        let delivery = enqueue(message, message.kind, channel, incident: nil)
        for member in part.members {
            let incident = member.notification.incident
            keep(
                member.standing.told(member.notification, figureToSay(of: incident), at: now), of: incident,
                in: channel)
        }
        decide(
            .send, reason, message.kind, part.members.map(\.notification.severity).max() ?? message.severity, channel,
            message, incident: nil, delivery: delivery.id)
        dispatchSoon(channel)
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

    /// Sends a summary to each channel that has waited for one.
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
            for part in Part.split(ended.sorted { $0.isWorse(than: $1) }) {
                let message = composeSummary(of: part, reason: reason)
                let delivery = enqueue(message, .digest, channel, incident: nil)
                decide(.send, reason, .digest, message.severity, channel, message, incident: nil, delivery: delivery.id)
            }
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

/// Some of many that one message would not hold.
struct Part<Member> {
    let members: ArraySlice<Member>
    /// From 1.
    let number: Int
    /// How many parts there are.
    let count: Int

    /// All of them, in their order.
    static func split(_ members: [Member]) -> [Part] {
        let begins = Array(stride(from: 0, to: members.count, by: Turn.membersMax))
        return begins.enumerated().map { index, begin in
            Part(members: members[begin...].prefix(Turn.membersMax), number: index + 1, count: begins.count)
        }
    }

    /// What a headline says of it, where there are others.
    var text: String { count > 1 ? ", part \(number) of \(count)" : "" }
}

extension Part {
    /// The one part of one.
    init(of member: Member) { self.init(members: [member], number: 1, count: 1) }
}
