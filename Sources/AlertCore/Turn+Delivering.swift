internal import PluginKit

// The outbox: what was accepted is tried until it has arrived or never can, in order for each incident and channel.

extension Turn {
    /// Accepts a message for a channel. A message of the same incident that has not been tried yet is replaced: newer
    /// truth overtakes it.
    mutating func enqueue(
        _ message: Message, _ kind: Notification.Kind, _ channel: String, incident: Incident?
    ) -> Delivery {
        var message = message
        var kind = kind
        if let incident {
            for old in untried(of: incident.id, in: channel) {
                if old.kind == .opened || old.kind == .digest {
                    // The channel has heard nothing yet: the newer message is its first, or tells the whole story.
                    kind = kind == .resolved ? .digest : .opened
                    message =
                        kind == .digest
                        ? composeSummary(of: [incident], reason: .overtaken) : compose(incident, .opened)
                }
                record(.deliveryEnded(HistoryEntry(delivery: old, end: .replaced, at: now)))
            }
        }
        let number = state.nextNumber
        var hash = StableHash()
        for part in [plan.botName, channel, String(number), now.description, incident?.id ?? ""] { hash.add(part) }
        let delivery = Delivery(
            id: hash.text, channel: channel, number: number, kind: kind, incident: incident?.id, message: message,
            queued: now)
        record(.delivery(delivery))
        return delivery
    }

    private func untried(of incident: String, in channel: String) -> [Delivery] {
        (state.deliveries[incident] ?? []).compactMap { state.outbox[$0] }.filter { delivery in
            guard case .waiting = delivery.phase else { return false }
            return delivery.channel == channel && delivery.attempts == 0
        }
    }

    /// Starts as many attempts in the channel as its pace, its pauses and the order allow, and promises to look again.
    mutating func dispatch(_ name: String) {
        state.timers.set(.channel(name), nil)
        guard let channel = plan.channel(name) else { return }
        buryExpired(name)
        let record = state.channels[name] ?? ChannelRecord()
        if let paused = record.pausedUntil, paused > now {
            guard let first = state.queues[name]?.first.flatMap({ state.outbox[$0] }) else { return }
            let end = first.queued + Turn.deliveryLifetime
            state.timers.set(.channel(name), end > now ? min(paused, end) : paused)
            return
        }
        // While the breaker is half open, one attempt at a time finds out whether the channel is back.
        let atOnce = record.failures >= Turn.failuresToBreak ? 1 : channel.pace.atOnce
        let underWay = state.sending[name]?.count ?? 0
        guard underWay < atOnce else { return }  // The outcome of what is under way brings us back.
        var busy: Set<String> = []
        var ready: [Delivery] = []
        var nextDue: Moment?
        for id in state.queues[name] ?? [] {
            guard let delivery = state.outbox[id] else { continue }
            let isBehind = delivery.incident.map { busy.contains($0) } ?? false
            if let incident = delivery.incident { busy.insert(incident) }
            guard case .waiting(let notBefore) = delivery.phase, !isBehind else { continue }
            if notBefore <= now {
                ready.append(delivery)
            } else {
                nextDue = min(nextDue ?? notBefore, notBefore)
            }
            if underWay + ready.count >= atOnce { break }
        }
        for delivery in ready {
            guard let wait = takeToken(name, channel.pace) else {
                attempt(delivery)
                continue
            }
            nextDue = min(nextDue ?? wait, wait)
            break
        }
        state.timers.set(.channel(name), nextDue)
    }

    /// Takes a token from the channel's bucket; gives back when there will be one if there is none now.
    private mutating func takeToken(_ name: String, _ pace: Pace) -> Moment? {
        var bucket = state.buckets[name] ?? Bucket(tokens: pace.burst, at: now)
        bucket.tokens = min(pace.burst, bucket.tokens + max(0, (now - bucket.at).inSeconds) * pace.perSecond)
        bucket.at = now
        defer { state.buckets[name] = bucket }
        // Millisecond time leaves the last grain of a token missing; a thousandth never breaks a limit.
        guard bucket.tokens < 0.999 else {
            bucket.tokens -= 1
            return nil
        }
        return now + (.waitingTime(seconds: (1 - bucket.tokens) / pace.perSecond) ?? .milliseconds(1))
    }

    private mutating func attempt(_ delivery: Delivery) {
        var delivery = delivery
        delivery.attempts += 1
        delivery.phase = .attempting(since: now)
        record(.delivery(delivery))
        state.sending[delivery.channel, default: []].insert(delivery.id)
        output.effects.append(
            .send(
                SendOrder(
                    delivery: delivery, thread: thread(of: delivery), mayLeaveUnsafe: isAboutJournal(delivery.incident))
            ))
    }

    /// The receipt of the incident's first message in the channel, where the channel gave one.
    private func thread(of delivery: Delivery) -> String? {
        guard let incident = delivery.incident else { return nil }
        let first = state.history.first { entry in
            guard case .delivered = entry.end else { return false }
            return entry.delivery.incident == incident && entry.delivery.channel == delivery.channel
        }
        guard case .delivered(let receipt) = first?.end else { return nil }
        return receipt
    }

    /// Takes in what came of an attempt.
    mutating func takeOutcome(of id: String, _ outcome: DeliveryOutcome) {
        if let channel = state.outbox[id]?.channel { state.sending[channel]?.remove(id) }
        guard var delivery = state.outbox[id], case .attempting = delivery.phase else { return }
        let name = delivery.channel
        guard plan.channel(name) != nil else {
            // Its channel left the config while it was in flight.
            if case .delivered(let receipt) = outcome {
                record(.deliveryEnded(HistoryEntry(delivery: delivery, end: .delivered(receipt: receipt), at: now)))
            } else {
                abandon(delivery)
            }
            return
        }
        var channel = state.channels[name] ?? ChannelRecord()
        let channelBefore = channel
        switch outcome {
        case .delivered(let receipt):
            channel.failures = 0
            // A wait that the service asked for in the meantime is kept all the same.
            if let paused = channel.pausedUntil, paused <= now { channel.pausedUntil = nil }
            record(.deliveryEnded(HistoryEntry(delivery: delivery, end: .delivered(receipt: receipt), at: now)))
            clearTrouble(.channelFailing, about: name)
        case .retry(let told, let sentence):
            let wait = pause(delivery, &channel, told: told)
            delivery.phase = .waiting(notBefore: now + wait)
            record(.delivery(delivery))
            note(.warning, "channel \(name): delivery \(id) \(sentence); next try in \(wait.short)")
        case .unknown(let sentence):
            takeUnknown(delivery, &channel, sentence)
        case .refusedBody(let sentence):
            if delivery.isPlain {
                bury(delivery, "the channel refused it in every form: \(sentence)")
            } else {
                delivery.isPlain = true
                delivery.phase = .waiting(notBefore: now)
                record(.delivery(delivery))
                note(.warning, "channel \(name): delivery \(id) \(sentence); trying the plain form")
            }
        case .refusedChannel(let sentence):
            bury(delivery, sentence)
        }
        if channel != channelBefore { record(.channel(name: name, channel)) }
        dispatch(name)
    }

    /// An attempt of which nobody knows whether it arrived is made again: freely where the channel takes two as one,
    /// once and marked elsewhere.
    private mutating func takeUnknown(_ delivery: Delivery, _ channel: inout ChannelRecord, _ sentence: String) {
        var delivery = delivery
        let isIdempotent = plan.channel(delivery.channel)?.isIdempotent ?? false
        let wait = pause(delivery, &channel, told: nil)
        if !isIdempotent, delivery.possiblyRepeated {
            bury(delivery, "nobody knows whether it arrived, twice over: \(sentence)")
            return
        }
        if !isIdempotent { delivery.possiblyRepeated = true }
        delivery.phase = .waiting(notBefore: now + wait)
        record(.delivery(delivery))
        note(.warning, "channel \(delivery.channel): delivery \(delivery.id): \(sentence); next try in \(wait.short)")
    }

    /// How long to wait after a failed attempt. What a service asks for holds for its whole channel and is kept exactly;
    /// otherwise the wait doubles from attempt to attempt, and after some failures in a row the channel pauses with it.
    private func pause(_ delivery: Delivery, _ channel: inout ChannelRecord, told: Duration?) -> Duration {
        // While the channel pauses nothing is begun, so what fails now was under way beside what made it pause. That is
        // one bad moment, and thirty attempts at once must not count it thirty times.
        let isSameMoment = (channel.pausedUntil ?? now) > now
        if !isSameMoment { channel.failures += 1 }
        // To come back at once is no wait at all: a service that says so is spared all the same.
        if let told, told > .zero {
            channel.pausedUntil = max(channel.pausedUntil ?? now, now + told)
            return told
        }
        let chance = StableHash.unit(delivery.id, String(delivery.attempts), "retry")
        let wait = Turn.backoff(after: delivery.attempts).scaled(by: 0.8 + 0.4 * chance)
        if !isSameMoment, channel.failures >= Turn.failuresToBreak {
            let silence = Turn.backoff(after: channel.failures - Turn.failuresToBreak + 1).scaled(
                by: 0.8 + 0.4 * chance)
            channel.pausedUntil = max(channel.pausedUntil ?? now, now + silence)
        }
        return wait
    }

    static func backoff(after attempts: Int) -> Duration {
        min(backoffMax, backoffFirst.scaled(by: Double(1 << min(max(attempts - 1, 0), 20))))
    }

    /// The first wait, and the longest: a chat that was down for an hour should hear of it within minutes of its return.
    static let backoffFirst = Duration.seconds(2)
    static let backoffMax = Duration.minutes(10)
    /// Failed attempts in a row, over all deliveries, after which a channel is left alone for a while.
    static let failuresToBreak = 3
    /// How long a message is worth trying. Matrix forgets transaction ids after as long, so a later try could double.
    static let deliveryLifetime = Duration.hours(24)

    private mutating func buryExpired(_ name: String) {
        for id in state.queues[name] ?? [] {
            guard let delivery = state.outbox[id] else { continue }
            guard now - delivery.queued >= Turn.deliveryLifetime else { break }
            guard case .waiting = delivery.phase else { continue }
            bury(delivery, "it could not be delivered within \(Turn.deliveryLifetime.grammar)")
        }
    }

    /// Puts a delivery to the dead letters and says so.
    private mutating func bury(_ delivery: Delivery, _ sentence: String) {
        record(.deliveryEnded(HistoryEntry(delivery: delivery, end: .dead(sentence), at: now)))
        note(.error, "channel \(delivery.channel): delivery \(delivery.id) is dead: \(sentence)")
        raiseTrouble(
            .channelFailing, about: delivery.channel, severity: .critical,
            "A message to channel \(delivery.channel) can not be delivered: \(sentence)")
    }

    private mutating func abandon(_ delivery: Delivery) {
        record(
            .deliveryEnded(
                HistoryEntry(delivery: delivery, end: .dead("the channel is not in the config any more"), at: now)))
    }

    /// After a start: whatever the run before had under way may or may not have arrived; deliveries to channels that are
    /// gone never will. What this run has under way, when the config is loaded anew, is waited for.
    mutating func settleInterruptedDeliveries() {
        for delivery in state.outboxInOrder where state.sending[delivery.channel]?.contains(delivery.id) != true {
            if plan.channel(delivery.channel) == nil {
                abandon(delivery)
            } else if case .attempting = delivery.phase {
                var interrupted = delivery
                if plan.channel(delivery.channel)?.isIdempotent != true {
                    if delivery.possiblyRepeated {
                        bury(delivery, "the bot was stopped twice while it was being sent")
                        continue
                    }
                    interrupted.possiblyRepeated = true
                }
                interrupted.phase = .waiting(notBefore: now)
                record(.delivery(interrupted))
            }
        }
    }
}
