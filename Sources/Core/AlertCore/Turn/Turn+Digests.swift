internal import PluginKit

// One message for many: what came and went unseen, what a budget held back, what opened together.

extension Turn {
    /// Sends what was gathered for the channel as one message, but for what another gate holds. Of more than a message
    /// takes, the worst go first.
    ///
    /// - Parameter news: an incident that no gate held and that joins this message; it is sent alone where it is the only
    ///   member left.
    mutating func sendTogether(_ gathering: Gathering, to channel: String, news: String? = nil) {
        let members = takeMembers(of: gathering, in: channel)
        guard let first = members.first else { return }
        if plan.isPager(channel) {
            for member in members { sendAlone(member) }
        } else if members.count == 1, first.notification.kind != .digest,
            gathering.style == .group || first.notification.incident.id == news
        {
            send(first.notification, first.standing, first.reason)
        } else {
            let reason = first.standing.hold?.reason ?? first.reason
            let ordered = members.sorted { $0.notification.incident.isWorse(than: $1.notification.incident) }
            for part in Portion.split(ordered) { send(part, gathering, to: channel, reason) }
        }
        for member in members {
            let id = member.notification.incident.id
            endIfSettled(id)
            reschedule(id)
        }
    }

    /// Sends what was gathered for a pager, which keeps an alert for each incident. What came and went meanwhile calls
    /// nobody.
    private mutating func sendAlone(_ member: Member) {
        guard member.notification.kind == .digest else {
            return send(member.notification, member.standing, member.reason)
        }
        dropUnheard(member.notification, member.standing.hold?.reason ?? member.reason)
    }

    /// Nobody hears of it in that channel.
    private mutating func dropUnheard(_ notification: Notification, _ reason: Reason) {
        let incident = notification.incident
        decide(.drop, reason, .digest, of: incident, notification.severity, notification.channel)
        state.incidents.keep(nil, of: incident.id, in: notification.channel, &output)
    }

    /// Drops what came and went while it flapped, where the same goes on and the channel was told of that, as bad or worse: once
    /// it is calm it is told how things are, and this would be the last that it hears. Gives back whether it did.
    mutating func dropIfOutdone(_ notification: Notification, _ hold: Hold?) -> Bool {
        let incident = notification.incident
        guard notification.kind == .digest, !incident.isOpen, let hold, let gathering = hold.gathering,
            plan.gate(gathering.gate)?.gate.readsSwings == true,
            let announced = state.incidents[identity: incident.identity]?.standings[notification.channel]?.announced,
            announced >= incident.worstSeverity
        else { return false }
        dropUnheard(notification, hold.reason)
        endIfSettled(incident.id)
        reschedule(incident.id)
        return true
    }

    private mutating func send(_ part: Portion<Member>, _ gathering: Gathering, to channel: String, _ reason: Reason) {
        let remarks = part.members.map { state.remarks(on: $0.notification, at: now, plan) }
        let members = zip(part.members, remarks).map { member, remarks in
            var member = member
            member.isFlapping = remarks.contains(where: \.isFlapping)
            return member
        }
        let part = Portion(members: members[...], number: part.number, count: part.count)
        let issues = part.members.first.map { state.issues(about: $0.notification.incident.subject) } ?? []
        // What goes on flapping is not calm, as the gate that gathers what flaps would say; nor is what is over the state where
        // the same goes on without being told of here.
        let gate = plan.gate(gathering.gate)?.gate
        let isCalm =
            gate?.readsSwings != true || !members.contains { $0.isFlapping || goesOnElsewhere($0, than: members) }
        var message = writer.message(part, gathering, why: isCalm ? gate?.gathers : nil, issues: issues)
        if members.allSatisfy(\.isFlapping) { writer.noteFlapping(&message) }
        if message.kind == .digest {
            message.announces =
                part.members.filter { [.opened, .escalated].contains($0.notification.kind) }.map(\.severity).max()
        }
        let remarked = remarked(part.members, remarks)
        // A digest says in its headline what has held it.
        if message.kind != .digest { message.fields += held(part.members) }
        message.fields += remarked
        let updates = updates(for: part.members, in: channel)
        let escalated = part.members.filter { $0.notification.kind == .escalated }.map(\.notification.incident.id)
        sendDigest(
            message, reason, to: channel, as: part.members.map(\.notification.severity).max(), updates: updates,
            escalated: escalated)
        for (member, remarks) in zip(part.members, remarks) {
            // Of what the message has no room for, the channel is told another time.
            noteSwings(
                member.notification,
                remarks.filter { remarked.contains(field($0, on: member, among: part.members.count)) })
            let incident = member.notification.incident
            let told = member.standing.told(
                member.notification, figureToSay(of: incident, member.notification.kind), at: now)
            state.incidents.keep(told, of: incident.id, in: channel, &output)
            if member.standing.announced != nil { rememberEnd(member.notification) }
        }
    }

    /// Whether a member is over, and the same goes on without being one.
    private func goesOnElsewhere(_ member: Member, than members: [Member]) -> Bool {
        let identity = member.notification.incident.identity
        return member.again != nil
            && !members.contains { $0.notification.incident.isOpen && $0.notification.incident.identity == identity }
    }

    /// What gates remark of the members of a message, the first few, each with whom it is about.
    private func remarked(_ members: ArraySlice<Member>, _ remarks: [[Remark]]) -> [Message.Field] {
        var fields: [Message.Field] = []
        for (member, remarks) in zip(members, remarks) {
            for remark in remarks where fields.count < Turn.remarksMax {
                let field = field(remark, on: member, among: members.count)
                // Of what came and went several times, each time is a member.
                if !fields.contains(field) { fields.append(field) }
            }
        }
        return fields
    }

    private func field(_ remark: Remark, on member: Member, among count: Int) -> Message.Field {
        let field = writer.field(remark)
        guard count > 1 else { return field }
        return Message.Field(field.label, "\(member.notification.incident.subject.app.tamed): \(field.value)")
    }

    /// What has held members of a message for long: once where that is the same for all, or else of the first few, each with
    /// whom it is about.
    private func held(_ members: ArraySlice<Member>) -> [Message.Field] {
        let holds = members.map { writer.held(by: heldLong($0.notification, $0.standing)) }
        let isCommon = Set(holds).count == 1
        var fields: [Message.Field] = []
        for (member, held) in zip(members, holds) where fields.count < Turn.remarksMax {
            guard let held else { continue }
            let app = member.notification.incident.subject.app.tamed
            let field = isCommon ? held : Message.Field(held.label, "\(held.value) – \(app)")
            if !fields.contains(field) { fields.append(field) }
        }
        return fields
    }

    /// A message for many is to stay one that people read.
    private static let remarksMax = 3

    private mutating func takeMembers(of gathering: Gathering, in channel: String) -> [Member] {
        let place = GatheringPlace(channel: channel, gathering: gathering)
        var members: [Member] = []
        for incident in state.incidents.gathered(place) {
            guard var standing = incident.standings[channel], mayAnnounce(incident.id) else { continue }
            // A digest names what it held, also what is getting better by now; a group is a beginning, which that is
            // none of.
            let isUnseen =
                standing.announced == nil
                && (!incident.isOpen || gathering.style == .digest && incident.state == .recovering)
            guard let want = isUnseen ? (.digest, .unannounced) : wanted(incident, standing, in: channel) else {
                // Should it end without having been opened, it becomes a line of a summary.
                if incident.isUnheardRecovery(standing) {
                    standing.hold?.gathering = nil
                } else {
                    standing.hold = nil
                }
                state.incidents.keep(standing, of: incident.id, in: channel, &output)
                reschedule(incident.id)
                continue
            }
            let notification = Notification(want.kind, of: incident, standing, in: channel)
            if dropIfOutdone(notification, standing.hold) { continue }
            if let closure = state.closure(for: notification, at: now, plan, sparing: gathering.gate) {
                if isUnseen {
                    postpone(notification, standing, by: closure)
                } else {
                    turnAway(notification, standing, by: closure)
                }
                reschedule(incident.id)
            } else {
                members.append(
                    Member(
                        notification: notification, standing: standing, reason: want.reason,
                        silence: state.silence(of: incident, plan, at: now),
                        again: state.incidents.again(incident)))
            }
        }
        return members
    }

    // MARK: - What came and went

    /// Sends a summary to each channel that has waited for one.
    mutating func sendSummaries() {
        guard state.outbox.journalTrouble == nil else { return }
        for channel in summariesDue.sorted() {
            let ended = takeEnded(for: channel)
            guard let reason = ended.compactMap({ $0.standings[channel]?.hold?.reason }).first else { continue }
            guard !plan.isPager(channel) else {
                for incident in ended {
                    let standing = incident.standings[channel] ?? Standing()
                    dropUnheard(
                        Notification(.digest, of: incident, standing, in: channel), standing.hold?.reason ?? reason)
                    endIfSettled(incident.id)
                    reschedule(incident.id)
                }
                continue
            }
            for part in Portion.split(ended.sorted { $0.isWorse(than: $1) }) {
                let others = part.members.reduce(0) { $0 + ($1.standings[channel]?.hold?.countsFor ?? 0) }
                sendDigest(writer.summary(of: part, reason: reason, others: others), reason, to: channel)
            }
            for incident in ended {
                state.incidents.keep(nil, of: incident.id, in: channel, &output)
                endIfSettled(incident.id)
                reschedule(incident.id)
            }
        }
        summariesDue = []
    }

    private mutating func takeEnded(for channel: String) -> [Incident] {
        var ended: [Incident] = []
        for incident in state.incidents.inOrder {
            guard let standing = incident.standings[channel], let hold = standing.hold, hold.isForSummary else {
                continue
            }
            let notification = Notification(.digest, of: incident, standing, in: channel)
            guard !state.isClosed(hold, to: notification, at: now, plan) else { continue }
            // What was said since it was asked may have closed a gate.
            if let closure = state.closure(for: notification, at: now, plan) {
                postpone(notification, standing, by: closure)
                reschedule(incident.id)
            } else {
                ended.append(incident)
            }
        }
        return ended
    }
}
