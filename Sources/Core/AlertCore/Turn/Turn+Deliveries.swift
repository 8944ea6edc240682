internal import PluginKit

// What the outbox has to say to the incidents: a channel that fails is one, and what never arrived was never announced.

extension Turn {
    /// Starts as many attempts in the channel as it allows, and promises to look again.
    mutating func dispatch(_ name: String) {
        state.agenda.set(.channel(name), nil)
        let dispatch = state.outbox.dispatch(name, plan, at: now, &output)
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
                follow(state.incidents.tellAnew(channel, &output))
            }
        case .partial(let delivery, let sentence):
            raiseTrouble(
                .channelFailing, about: delivery.channel, severity: .warning,
                "Messages to channel \(delivery.channel) do not reach everybody: \(sentence)")
        case .late(let delivery, let told, let sentence):
            raiseTrouble(
                .channelFailing, about: delivery.channel, severity: .warning,
                "Messages to channel \(delivery.channel) have been waiting since "
                    + "\(plan.zone.words(delivery.queued)): \(sentence)"
                    + (told.map { "; it asks to be left alone for \($0.short)" } ?? ""))
        case .dead(let delivery, let sentence):
            raiseTrouble(
                .channelFailing, about: delivery.channel, severity: .critical,
                "A message to channel \(delivery.channel) cannot be delivered: \(sentence)")
            follow(state.incidents.forgetAnnouncement(delivery, forNow: true, &output))
        case .abandoned(let delivery):
            follow(state.incidents.forgetAnnouncement(delivery, forNow: false, &output))
        }
    }

    /// What is accepted must be safe, so while the journal cannot be written nothing is accepted; polls and rules go
    /// on. Only the message that says so leaves all the same.
    mutating func noteJournal(_ trouble: String?) {
        let wasFailing = state.outbox.journalTrouble != nil
        state.outbox.journalTrouble = trouble
        if let trouble {
            raiseTrouble(
                .journalFailing, about: Trouble.journal, severity: .critical,
                "The journal cannot be written, so nothing new is sent until it can be: \(trouble)")
        } else {
            clearTrouble(.journalFailing, about: Trouble.journal)
            guard wasFailing else { return }
            for incident in state.incidents.inOrder { state.agenda.revisit(incident.id, at: now) }
            // What was accepted before could not leave.
            for channel in plan.channels { state.agenda.dispatch(channel.name, at: now) }
        }
    }
}
