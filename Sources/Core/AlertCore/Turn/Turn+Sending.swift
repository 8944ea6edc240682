internal import PluginKit

// One notification on its way: into the outbox, behind a gate, or nowhere.

extension Turn {
    /// What a channel wants to hear, given what it knows.
    func wanted(
        _ incident: Incident, _ standing: Standing, in channel: String
    ) -> (kind: Notification.Kind, reason: Reason)? {
        let want = wantedAnywhere(incident, standing, channel)
        if want?.kind.asksSomebody == true, isOffDuty(channel, for: incident) { return nil }
        // A correction behind an alert that is over would call people anew.
        return want?.kind == .revised && plan.isPager(channel) ? nil : want
    }

    private func wantedAnywhere(
        _ incident: Incident, _ standing: Standing, _ channel: String
    ) -> (kind: Notification.Kind, reason: Reason)? {
        switch incident.state {
        case .pending: return nil
        // Whoever has heard the end has nothing more to hear but that it was not as was said.
        case .resolved where standing.hasHeardEnd, .closed where standing.hasHeardEnd:
            return isRevisionDue(of: incident, standing) ? (.revised, .revised) : nil
        case .resolved: return standing.announced == nil ? nil : (.resolved, .resolved)
        case .closed: return standing.announced == nil ? nil : (.closed, .closed)
        case .firing, .recovering:
            guard let announced = standing.announced else {
                if let vain = [standing.dropped, standing.undelivered].compactMap({ $0 }).max(),
                    incident.severity <= vain
                {
                    return nil
                }
                // What is getting better by itself wakes nobody who has not heard of it, for as long as it may end so.
                return state.mayEndUnheard(incident, standing, plan, at: now) ? nil : (.opened, .first)
            }
            // Whoever took care of it when it was as bad is not to be told that it is so again.
            let known = incident.acknowledgement == nil ? standing.heard ?? announced : announced
            let isWorse = incident.severity > max(known, standing.dropped ?? known, standing.undelivered ?? known)
            if incident.state == .firing, isWorse { return (.escalated, .escalated) }
            if isRevisionDue(of: incident, standing) { return (.revised, .revised) }
            let reminder = state.reminderDue(incident, standing, in: channel, plan, at: now)
            return reminder.map { $0 <= now } == true ? (.reminder, .repeat) : nil
        }
    }

    /// Holds or drops what a gate is closed to.
    mutating func turnAway(_ notification: Notification, _ old: Standing, by closure: Closure) {
        var standing = old
        let (incident, kind, severity) = (notification.incident, notification.kind, notification.severity)
        if closure.fate == .drop, !kind.isEnd {
            decide(.drop, closure.reason, kind, of: incident, severity, notification.channel)
            if standing.hasHeardEnd {
                state.incidents.keep(nil, of: incident.id, in: notification.channel, &output)
                return rememberEnd(notification)
            }
            standing.dropped = max(severity, standing.dropped ?? severity)
            standing.droppedBy = closure.reason
            standing.lastSaid = now
            // What is never said is not offered again with the next look.
            if kind == .revised {
                if let correction = correction(of: incident, standing), correction.said == standing.alarmed {
                    standing.alarmed = correction.right
                }
                standing.said = figureToSay(of: incident, kind)
            }
            standing.hold = nil
        } else {
            let hold = state.hold(notification, standing.hold, by: closure, at: now, plan)
            standing.hold = hold
            if old.hold?.kind != kind || old.hold?.severity != severity || old.hold?.until != hold.until
                || old.hold?.reason != hold.reason
            {
                decide(.hold(until: hold.until), closure.reason, kind, of: incident, severity, notification.channel)
            }
        }
        guard old != standing else { return }
        state.incidents.keep(standing, of: incident.id, in: notification.channel, &output)
    }

    /// Keeps back what waits for a summary, because another gate is closed.
    mutating func postpone(_ notification: Notification, _ old: Standing, by closure: Closure) {
        var standing = old
        standing.hold?.checkAgain = closure.until
        standing.hold?.until = state.firstOpening(for: notification, after: closure, at: now, plan)
        // It waits for this gate now: whom the other gathers, and what room it has, is no business of its any more.
        standing.hold?.gathering = closure.fate.gathering
        if closure.fate.gathering != nil || closure.fate == .holdAndSummarize {
            standing.hold?.since = state.since(notification, waitsBehind: closure, at: now)
            standing.hold?.reason = closure.reason
        }
        state.incidents.keep(standing, of: notification.incident.id, in: notification.channel, &output)
    }

    /// Accepts it into the outbox.
    mutating func send(_ notification: Notification, _ standing: Standing, _ reason: Reason) {
        let (incident, channel) = (notification.incident, notification.channel)
        let remarks = state.remarks(on: notification, at: now, plan)
        let story = story(of: incident)
        let writer = writer
        let flapping = remarks.first(where: \.isFlapping).map { worst(of: story, $0) }
        // An end tells how deep all of it went; an opening is about how bad it is this time.
        var message = writer.message(notification.kind.isEnd ? flapping ?? story : story, notification.kind)
        let correction = correction(of: incident, standing)
        if let correction { message.fields.append(writer.field(correction)) }
        var remarked = remarks.map(writer.field)
        if let held = writer.held(by: heldLong(notification, standing)) { remarked.insert(held, at: 0) }
        if let turn = handover(notification, writer) { remarked.append(turn) }
        message.fields += remarked
        if let flapping { writer.noteFlapping(&message, flapping) }
        let delivery = accept(message, about: story, notification.kind, in: channel, remarked: remarked)
        let told = standing.told(notification, figureToSay(of: incident, notification.kind), correction, at: now)
        state.incidents.keep(told, of: incident.id, in: channel, &output)
        rememberEnd(notification)
        noteSwings(notification, remarks)
        letLeave(
            delivery, delivery.kind == .digest ? .overtaken : remarks.first?.reason ?? reason,
            as: notification.severity)
    }

    /// What has held back news of something, which comes late for it. An end and a reminder say since when it is so.
    func heldLong(_ notification: Notification, _ standing: Standing) -> [Reason] {
        guard [.opened, .escalated].contains(notification.kind), let hold = standing.hold,
            hold.kind == notification.kind
        else { return [] }
        return hold.toldOf(at: now)
    }

    /// Accepts a message that no single incident is told by.
    ///
    /// - Parameters:
    ///   - severity: what the decision goes by where it is not how bad the message is.
    ///   - updates: what becomes of messages that the channel shows already.
    ///   - escalated: the incidents that it says are worse.
    mutating func sendDigest(
        _ message: Message, _ reason: Reason, to channel: String, as severity: Severity? = nil,
        updates: [Message] = [], escalated: [String] = []
    ) {
        let draft = Outbox.Draft(kind: message.kind, channel: channel, updates: updates, escalated: escalated)
        letLeave(accept(message, as: draft), reason, as: severity ?? message.severity)
    }

    /// Takes note that a channel is told that something keeps coming and going.
    mutating func noteSwings(_ notification: Notification, _ remarks: [Remark]) {
        guard remarks.contains(where: \.isFlapping) else { return }
        let incident = notification.incident
        state.incidents.record(
            .swingsTold(
                rule: incident.rule, incident.subject, key: incident.key, channel: notification.channel,
                SwingsTold(at: now, severity: notification.severity)), &output)
    }

    /// Accepts a message about one incident. One of the same incident that has certainly not arrived yet is replaced:
    /// newer truth overtakes it.
    ///
    /// - Parameter remarked: what gates add, whichever message it becomes.
    private mutating func accept(
        _ new: Message, about story: Story, _ newKind: Notification.Kind, in channel: String,
        remarked: [Message.Field]
    ) -> Delivery {
        var (message, kind) = (new, newKind)
        var remarked = remarked
        let heldLabel = plan.words[.fieldHeld]
        for old in state.outbox.overtaken(of: story.incident.id, in: channel) {
            if old.kind == .opened || old.kind == .digest {
                // The channel has heard nothing yet: the newer message is its first, or tells the whole story.
                kind = story.incident.isOpen ? .opened : .digest
                message =
                    kind == .digest
                    ? writer.summary(of: Portion(of: story.incident), reason: .overtaken)
                    : writer.message(story, .opened)
            }
            // Not so bad as to be told again and again, but bad enough to be told.
            if old.kind == .escalated, [.reminder, .revised, .acknowledged].contains(kind) {
                kind = .escalated
                message = writer.message(story, .escalated)
            }
            // An end that nobody has read yet is told as late figures have it.
            if old.kind.isEnd, kind == .revised {
                kind = old.kind
                message = writer.message(story, old.kind)
            }
            // Nor is a correction lost that nobody has read yet.
            if old.kind == .revised, [.reminder, .acknowledged].contains(kind) {
                kind = .revised
                message = writer.message(story, .revised)
                message.fields += old.message.fields.filter { $0.label == plan.words[.fieldCorrected] }
            }
            // Nor has anybody read yet what made it late.
            if [.opened, .escalated].contains(kind), !remarked.contains(where: { $0.label == heldLabel }) {
                remarked.insert(contentsOf: old.message.fields.filter { $0.label == heldLabel }, at: 0)
            }
            state.outbox.end(old, .replaced, at: now, &output)
        }
        for field in remarked where !message.fields.contains(field) { message.fields.append(field) }
        return accept(message, as: Outbox.Draft(kind: kind, channel: channel, incident: story.incident.id))
    }

    private mutating func accept(_ message: Message, as draft: Outbox.Draft) -> Delivery {
        acceptedCount += 1
        var message = dressed(message, for: draft.channel)
        // The numbers of a picture that nobody is shown have no place in the journal.
        if plan.hasCharts, plan.channel(draft.channel)?.hasCharts != true { message.chart = nil }
        return state.outbox.accept(message, as: draft, bot: plan.botName, at: now, &output)
    }

    /// Lets go of a resolved incident of which nobody has anything more to hear.
    mutating func endIfSettled(_ id: String) {
        handOverEnd(of: id)
        guard let incident = state.incidents[id], !incident.isOpen else { return }
        let isHeard = incident.standings.contains { plan.channel($0.key) != nil }
        guard !isHeard else { return }
        keepEnd(of: incident)
        state.incidents.record(.ended(id: id), &output)
    }

    /// Puts the end among the failed deliveries of the channels that heard of the incident and have left the config since:
    /// should one come back, it is sent there. One that has only another name now leads to the same chat.
    private mutating func keepEnd(of incident: Incident) {
        guard let kind = incident.state.endKind else { return }
        for (channel, standing) in incident.standings.sorted(by: { $0.key < $1.key })
        where plan.channel(channel) == nil && standing.announced != nil && !standing.hasHeardEnd {
            // What it never heard begin need not end there.
            guard state.outbox.opening(of: [incident.id], in: channel) != nil else { continue }
            if plan.channels.contains(where: { state.outbox.leads($0, whereLed: channel) }) { continue }
            let delivery = accept(
                writer.message(story(of: incident), kind),
                as: Outbox.Draft(kind: kind, channel: channel, incident: incident.id))
            receiveNews([state.outbox.abandon(delivery, at: now, &output)])
        }
    }

    /// Has the end told under the new name of a channel that left the config by its name alone, where nothing was told of the
    /// incident under that: after a start its opening waits for what the source answers, which may be the end.
    mutating func handOverEnd(of id: String) {
        guard let incident = state.incidents[id], !incident.isOpen else { return }
        for (channel, standing) in incident.standings.sorted(by: { $0.key < $1.key })
        where plan.channel(channel) == nil && standing.announced != nil && !standing.hasHeardEnd {
            let heirs = heirs(of: channel, for: id)
            guard let heir = heirs.first else { continue }
            state.incidents.keep(nil, of: id, in: channel, &output)
            guard !heirs.contains(where: { state.incidents[id]?.standings[$0]?.announced != nil }) else { continue }
            state.incidents.keep(standing, of: id, in: heir, &output)
            state.agenda.revisit(id, at: now)
        }
    }

    /// Has ends that still wait for a channel told under its new name, where it left the config by its name alone: nobody would
    /// hear of them under the old one. What is still open is told anew.
    mutating func handOverWaitingEnds() {
        for old in state.outbox.inOrder where old.kind.isEnd && plan.channel(old.channel) == nil {
            guard let id = old.incident, case .waiting = old.progress.phase, !old.progress.mayHaveArrived else {
                continue
            }
            let heirs = heirs(of: old.channel, for: id)
            guard let heir = heirs.first, heirs.allSatisfy({ state.outbox.opening(of: [id], in: $0) == nil }) else {
                continue
            }
            state.outbox.end(old, .replaced, at: now, &output)
            acceptedCount += 1
            // A template was applied when it was accepted first.
            _ = state.outbox.accept(
                old.message, as: Outbox.Draft(kind: old.kind, channel: heir, incident: id), bot: plan.botName, at: now,
                &output)
            guard let standings = state.incidents[id]?.standings, standings[heir] == nil,
                let standing = standings[old.channel]
            else { continue }
            state.incidents.keep(nil, of: id, in: old.channel, &output)
            state.incidents.keep(standing, of: id, in: heir, &output)
        }
    }

    /// The channels that lead to the chat of one that left the config, if that has heard of the incident.
    func heirs(of channel: String, for id: String) -> [String] {
        let heirs = plan.channels.filter { state.outbox.leads($0, whereLed: channel) }.map(\.name)
        return heirs.isEmpty || state.outbox.opening(of: [id], in: channel) == nil ? [] : heirs
    }

    // MARK: - Words

    var writer: MessageWriter {
        MessageWriter(
            zone: plan.zone, words: plan.words, publicURL: plan.publicURL, now: now, makesCharts: plan.hasCharts)
    }

    /// What a message about the incident is made of.
    func story(of incident: Incident) -> Story { state.story(of: incident, plan, at: now) }

    /// The story of what keeps coming and going with the worst of all its times.
    private func worst(of story: Story, _ remark: Remark) -> Story {
        guard let begin = remark.flappingSince else { return story }
        var story = story
        story.incident.worst = state.incidents.worst(ofAll: story.incident, since: begin)
        return story
    }

    /// What late figures have changed of what the channel was told; nil when it was told nothing wrong.
    func correction(of incident: Incident, _ standing: Standing) -> Correction? {
        if standing.hasHeardEnd { return Correction(ofEnd: standing.said, worst: incident.worst) }
        guard standing.said != nil || standing.alarmed != nil else { return nil }
        return Correction(of: standing, in: state.figures.series[incident.subject])
    }

    /// When late figures call for a correction; nil where they have changed nothing. They come in slices, so what merely
    /// goes on in the same direction waits for a while after a correction, and then is told in one.
    func revisionDue(of incident: Incident, _ standing: Standing) -> Moment? {
        guard let correction = correction(of: incident, standing) else { return nil }
        guard let last = standing.corrected, !correction.crossesLimit else { return .earliest }
        return last + Correction.pace
    }

    private func isRevisionDue(of incident: Incident, _ standing: Standing) -> Bool {
        revisionDue(of: incident, standing).map { $0 <= now } ?? false
    }

    /// The figure that a message of that kind says.
    func figureToSay(of incident: Incident, _ kind: Notification.Kind) -> Said? {
        Said(incident.evidence(for: kind), in: state.figures.series[incident.subject])
    }

    /// Keeps in mind for a day what a channel was told of an incident that is over: how it was at worst.
    mutating func rememberEnd(_ notification: Notification) {
        let incident = notification.incident
        guard !incident.isOpen, let said = Said(incident.worst, in: state.figures.series[incident.subject]) else {
            return
        }
        state.incidents.rememberEnd(
            of: incident, in: notification.channel, notification.severity, said,
            isCorrection: notification.kind == .revised, at: now, &output)
    }

    // MARK: - What was decided

    /// Says what became of a notification that does not leave.
    mutating func decide(
        _ decision: Decision, _ reason: Reason, _ kind: Notification.Kind, of incident: Incident,
        _ severity: Severity, _ channel: String
    ) {
        let message = plan.dressed(writer.message(story(of: incident), kind), for: channel)
        output.effects.append(
            .decided(
                DecisionRecord(
                    at: now, incident: incident.id, kind: kind, severity: severity, channel: channel,
                    decision: decision, reason: reason, message: inPlansLanguage(message), delivery: nil)))
    }

    /// Says that a message which was accepted leaves, and has its channel dispatched.
    private mutating func letLeave(_ delivery: Delivery, _ reason: Reason, as severity: Severity) {
        output.effects.append(
            .decided(
                DecisionRecord(
                    at: now, incident: delivery.incident, kind: delivery.kind, severity: severity,
                    channel: delivery.channel, decision: .send, reason: reason,
                    message: inPlansLanguage(delivery.message), delivery: delivery.id)))
        state.agenda.dispatch(delivery.channel, at: now)
    }

    private func inPlansLanguage(_ message: Message) -> Message {
        var message = message
        if message.words != plan.words { message.words = plan.words }
        return message
    }
}

extension Notification.Kind {
    /// Whether somebody is to do something about it.
    var asksSomebody: Bool { [.opened, .escalated, .reminder].contains(self) }
}

extension Notification {
    /// What gates are asked about.
    init(_ kind: Kind, of incident: Incident, _ standing: Standing, in channel: String) {
        let hold = standing.hold
        let severity =
            kind == .digest
            ? hold?.severity ?? incident.severity
            : max(incident.severity, incident.isOpen ? .info : standing.announced ?? .info)
        self.init(
            incident: incident, kind: kind, severity: severity, channel: channel,
            held: hold.map { .init($0.reason, since: $0.since, style: $0.gathering?.style) })
    }
}
