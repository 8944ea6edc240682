internal import PluginKit

// What the outbox has to say to the incidents: a channel that fails is one, and what never arrived was never announced.

extension Turn {
    /// Starts as many attempts in the channel as it allows, and promises to look again.
    mutating func dispatch(_ name: String) {
        state.agenda.set(.channel(name), nil)
        // News of a mute that is over by now must not leave.
        withdrawNewsOfEndedMutes()
        let dispatch = state.outbox.dispatch(
            name, plan, awaiting: state.schedule.catchingUp, at: now, &output)
        receiveNews(dispatch.news)
        state.agenda.set(.channel(name), dispatch.next)
    }

    mutating func receiveNews(_ news: [Outbox.News]) {
        for news in news { receiveNews(news) }
    }

    private mutating func receiveNews(_ news: Outbox.News) {
        switch news {
        case .dispatch(let channel): state.agenda.dispatch(channel, at: now)
        case .works(let channel):
            if clearTrouble(.channelFailing, about: channel) {
                tellMissed(channel)
            }
        case .partial(let delivery, let sentence):
            raiseTrouble(
                .channelFailing, about: delivery.channel,
                Phrase(.troublePartial, [.channel: .text(delivery.channel), .cause: .text(sentence)]))
        case .late(let delivery, let told, let sentence):
            let channel = Phrase.Value.text(delivery.channel)
            // What has waited longest may have been replaced since; the channel has taken nothing all the same.
            let known = state.incidents[identity: Trouble.channelFailing.identity(about: delivery.channel)]
            let waiting = min(delivery.queued, known?.evidence.phrase?.moment ?? delivery.queued)
            let (since, cause) = (Phrase.Value.moment(waiting), Phrase.Value.text(sentence))
            raiseTrouble(
                .channelFailing, about: delivery.channel,
                told.map {
                    Phrase(
                        .troubleLateWait,
                        [.channel: channel, .moment: since, .cause: cause, .period: .period($0)])
                } ?? Phrase(.troubleLate, [.channel: channel, .moment: since, .cause: cause]))
        case .dead(let delivery, let sentence):
            let wasDead = state.incidents.deadChannels(plan).contains(delivery.channel)
            raiseTrouble(
                .channelFailing, about: delivery.channel, severity: .critical,
                Phrase(.troubleDead, [.channel: .text(delivery.channel), .cause: .text(sentence)]))
            follow(state.incidents.forgetAnnouncement(delivery, forNow: true, at: now, &output))
            state.incidents.forgetSwingsTold(delivery, &output)
            guard !wasDead else { return }
            // The bot's troubles that were told to this channel alone are told to others.
            for incident in state.incidents.inOrder where incident.isOpen && incident.subject.app == Subject.botApp {
                state.agenda.revisit(incident.id, at: now)
            }
        case .abandoned(let delivery):
            follow(state.incidents.forgetAnnouncement(delivery, forNow: false, at: now, &output))
            state.incidents.forgetSwingsTold(delivery, &output)
        }
    }

    /// The channel works: tells it what it missed, first of what is over and then of what is still wrong.
    mutating func tellMissed(_ channel: String) {
        sendEndsAgain(channel, diedBy: now, atMost: Outbox.acceptedMax)
        follow(state.incidents.tellAnew(channel, &output))
    }

    /// Has ends of what was told in the channel, and that never arrived there, tried again, as far as no gate is closed to them
    /// now: the oldest first.
    mutating func sendEndsAgain(_ channel: String, diedBy latest: Moment, atMost most: Int) {
        var count = 0
        for missed in state.outbox.missedEnds(in: channel, diedBy: latest, since: now - Turn.endsOfferedFor)
        where count < most {
            guard let end = stillToTell(of: missed) else { continue }
            _ = state.outbox.acceptAgain(end, at: now, &output)
            state.agenda.dispatch(channel, at: now)
            count += 1
        }
    }

    /// The message, or of one about many what is over of what the channel heard begin; what goes on is told by itself. Nil where
    /// nothing is, and while a gate is closed to any of it: what is left out then would never be told.
    private func stillToTell(of missed: Delivery) -> Delivery? {
        let ends = missed.summaries.filter(isOver)
        let incidents = ends.map { summary in
            var incident = Incident(summary, labels: state.figures.series[summary.subject]?.labels ?? [:])
            // The incident itself is forgotten by now; what is left is how it ended.
            incident.worst = Evidence(sentence: "")
            return incident
        }
        guard !ends.isEmpty, !incidents.contains(where: { isHeld($0, of: missed) }) else { return nil }
        guard ends.count < missed.summaries.count else { return missed }
        let told = incidents.filter { state.outbox.opening(of: [$0.id], in: missed.channel) != nil }
        guard !told.isEmpty else { return nil }
        var again = missed
        again.kind = .digest
        again.message = plan.dressed(writer.message(ofEnds: told), for: missed.channel)
        again.updates = updates(ofEnds: told, in: missed.channel)
        return again
    }

    /// Whether it is over and has not come again since, for then its end would read as if that were over.
    private func isOver(_ summary: IncidentSummary) -> Bool {
        summary.state.endKind != nil && state.incidents[identity: summary.identity] == nil
    }

    private func isHeld(_ incident: Incident, of missed: Delivery) -> Bool {
        let notification = Notification(
            incident: incident, kind: missed.kind, severity: max(incident.severity, missed.message.severity),
            channel: missed.channel)
        return state.closure(for: notification, at: now, plan, isGathered: true) != nil
    }

    /// As long as anybody tracks what nothing is known of. A team mends a channel after a long weekend.
    private static let endsOfferedFor = Figures.lifetime

    /// What is accepted must be safe, so while the journal cannot be written nothing is accepted; polls and rules go
    /// on. Only the message that says so leaves all the same.
    mutating func noteJournal(_ trouble: String?) {
        let wasFailing = state.outbox.journalTrouble != nil
        state.outbox.journalTrouble = trouble
        if let trouble {
            raiseTrouble(
                .journalFailing, about: Trouble.journal,
                Phrase(.troubleJournal, [.cause: .text(trouble)]))
        } else {
            clearTrouble(.journalFailing, about: Trouble.journal)
            guard wasFailing else { return }
            for incident in state.incidents.inOrder { state.agenda.revisit(incident.id, at: now) }
            // What was accepted before could not leave.
            for channel in plan.channels { state.agenda.dispatch(channel.name, at: now) }
        }
    }
}
