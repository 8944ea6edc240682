internal import PluginKit

// The way in: what was accepted is tried until it has arrived or never can.

extension Outbox {
    /// How many messages a turn accepts: beyond this many, what is due waits for the next turn, which follows at once.
    /// 64 are some 100 KB in one commit; they keep a channel that takes as many at once busy while the next are
    /// written.
    static let acceptedMax = 64

    /// What a message that is accepted becomes.
    struct Draft {
        let kind: Notification.Kind
        let channel: String
        /// The incident it is about; nil for a message about several.
        var incident: String?
        /// For the messages that opened what it is about.
        var updates: [Message] = []
        /// Of several incidents, those that the channel knew and that got worse by it.
        var escalated: [String] = []
    }

    /// Accepts a message for a channel.
    mutating func accept(
        _ message: Message, as draft: Draft, bot: String, at now: Moment, _ output: inout Output
    ) -> Delivery {
        var hash = StableHash()
        for part in [bot, draft.channel, String(nextNumber), now.description, draft.incident ?? ""] { hash.add(part) }
        var delivery = Delivery(
            id: hash.text, channel: draft.channel, number: nextNumber, kind: draft.kind, incident: draft.incident,
            message: message, queued: now)
        delivery.updates = draft.updates
        delivery.escalated = draft.escalated
        record(.delivery(delivery), &output)
        return delivery
    }

    /// Accepts a dead letter once more.
    mutating func acceptAgain(_ delivery: Delivery, at now: Moment, _ output: inout Output) -> Delivery {
        var again = delivery
        again.number = nextNumber
        again.queued = now
        again.progress.attempts = 0
        again.isAgain = true
        // Whatever refused the rich form may have been mended.
        again.progress.isPlain = false
        again.progress.phase = .waiting(notBefore: now)
        record(.retried(again), &output)
        return again
    }

    mutating func end(_ delivery: Delivery, _ end: DeliveryEnd, at now: Moment, _ output: inout Output) {
        record(.done(id: delivery.id, end, at: now), &output)
    }

    /// Whether no channel has use for more before one of the attempts under way has ended: each of them would only keep
    /// it in memory. Such an end brings a turn, and what is composed then says how things are then.
    func isEveryChannelFull(_ plan: Plan) -> Bool {
        !plan.channels.isEmpty
            && plan.channels.allSatisfy { channel in
                let underWay = sendingCount(channel.name)
                return underWay > 0 && queue(channel.name).count - underWay >= Outbox.acceptedMax
            }
    }

    /// Moves along with a wall clock that was set.
    mutating func moveClock(by step: Duration, _ output: inout Output) {
        moveComeback(by: step)
        for name in channels.keys.sorted() {
            guard var record = channels[name], let paused = record.pausedUntil else { continue }
            record.pausedUntil = paused + step
            record.askedUntil = record.askedUntil.map { $0 + step }
            self.record(.channel(name: name, record), &output)
        }
        buckets = buckets.mapValues { Bucket(tokens: $0.tokens, at: $0.at + step) }
        for (channel, tellings) in tellings.sorted(by: { $0.key < $1.key }) {
            let moved = tellings.map { Telling(number: $0.number, at: $0.at + step, apps: $0.apps) }
            record(.tellings(channel: channel, moved), &output)
        }
        for old in inOrder {
            var delivery = old
            delivery.queued = old.queued + step
            switch old.progress.phase {
            case .waiting(let notBefore): delivery.progress.phase = .waiting(notBefore: notBefore + step)
            case .attempting(let since): delivery.progress.phase = .attempting(since: since + step)
            }
            record(.delivery(delivery), &output)
        }
    }
}

extension Delivery {
    /// Whether it says how the journal is, and nothing else.
    var isAboutJournal: Bool {
        !summaries.isEmpty && summaries.allSatisfy { $0.rule == Trouble.journalFailing.rawValue }
    }
}
