internal import PluginKit

// The outbox: what was accepted is tried until it has arrived or never can, in order for each incident and channel.

extension Turn {
    /// Accepts a message for a channel. A message of the same incident that has certainly not arrived yet is replaced:
    /// newer truth overtakes it.
    mutating func enqueue(
        _ message: Message, _ kind: Notification.Kind, _ channel: String, incident: Incident?
    ) -> Delivery {
        var message = message
        var kind = kind
        if let incident {
            for old in overtaken(of: incident.id, in: channel) {
                if old.kind == .opened || old.kind == .digest {
                    // The channel has heard nothing yet: the newer message is its first, or tells the whole story.
                    kind = incident.isOpen ? .opened : .digest
                    message =
                        kind == .digest
                        ? composeSummary(of: Part(of: incident), reason: .overtaken) : compose(incident, .opened)
                }
                // Not so bad as to be told again and again, but bad enough to be told.
                if old.kind == .escalated, [.reminder, .revised].contains(kind) {
                    kind = .escalated
                    message = compose(incident, .escalated)
                }
                // Nor is a correction lost that nobody has read yet.
                if old.kind == .revised, kind == .reminder {
                    kind = .revised
                    message = compose(incident, .revised)
                    message.facts += old.message.facts.filter { $0.label == Correction.label }
                }
                end(old, .replaced)
            }
        }
        let number = state.nextNumber
        var hash = StableHash()
        for part in [plan.botName, channel, String(number), now.description, incident?.id ?? ""] { hash.add(part) }
        let delivery = Delivery(
            id: hash.text, channel: channel, number: number, kind: kind, incident: incident?.id, message: message,
            queued: now)
        record(.delivery(delivery))
        acceptedCount += 1
        return delivery
    }

    /// Whether no channel has use for more before one of the attempts under way has ended: each of them would only keep it
    /// in memory. Such an end brings a turn, and what is composed then says how things are then.
    var isEveryChannelFull: Bool {
        !plan.channels.isEmpty
            && plan.channels.allSatisfy { channel in
                let underWay = state.sending[channel.name]?.count ?? 0
                return underWay > 0 && (state.queues[channel.name]?.ids.count ?? 0) - underWay >= Turn.acceptedMax
            }
    }

    private mutating func end(_ delivery: Delivery, _ end: DeliveryEnd) {
        record(.deliveryDone(id: delivery.id, end, at: now))
    }

    private func overtaken(of incident: String, in channel: String) -> [Delivery] {
        (state.deliveries[incident] ?? []).compactMap { state.outbox[$0] }.filter { delivery in
            guard case .waiting = delivery.phase else { return false }
            return delivery.channel == channel && delivery.incident == incident && !delivery.mayHaveArrived
        }
    }

    /// Has the channel dispatched before this turn ends: once, however many messages it got.
    mutating func dispatchSoon(_ name: String) { state.timers.set(.channel(name), now) }

    /// Starts as many attempts in the channel as its pace, its pauses and the order allow, and promises to look again.
    mutating func dispatch(_ name: String) {
        state.timers.set(.channel(name), nil)
        guard let channel = plan.channel(name) else { return }
        buryExpired(name)
        let record = state.channels[name] ?? ChannelRecord()
        if let paused = record.pausedUntil, paused > now {
            guard let first = state.queues[name]?.ids.first.flatMap({ state.outbox[$0] }) else { return }
            let end = first.queued + Turn.deliveryLifetime
            state.timers.set(.channel(name), end > now ? min(paused, end) : paused)
            return
        }
        // While the breaker is half open, one attempt at a time finds out whether the channel is back.
        let atOnce = record.failures >= Turn.failuresToBreak ? 1 : channel.pace.atOnce
        let underWay = state.sending[name]?.count ?? 0
        guard underWay < atOnce else { return }  // The outcome of what is under way brings us back.
        var busy: Set<IncidentKey> = []
        var ready: [Delivery] = []
        var nextDue: Moment?
        for id in state.queues[name]?.ids ?? [] {
            guard let delivery = state.outbox[id], mayBegin(delivery) else { continue }
            let concerned = delivery.concerned
            let isBehind = !busy.isDisjoint(with: concerned)
            busy.formUnion(concerned)
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

    /// Whether it is under way, or could be: while the journal can not be written only what says so may leave, and what may
    /// not is in nobody's way.
    private func mayBegin(_ delivery: Delivery) -> Bool {
        guard state.journalTrouble != nil, case .waiting = delivery.phase else { return true }
        return delivery.isAboutJournal
    }

    /// Takes a token from the channel's bucket; gives back when there will be one if there is none now.
    private mutating func takeToken(_ name: String, _ pace: Pace) -> Moment? {
        var bucket = state.buckets[name] ?? Bucket(tokens: pace.burst - lately(name, pace), at: now)
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

    /// How many tokens the run before may have left spent: a restart is no reason to go faster than the service allows.
    private func lately(_ name: String, _ pace: Pace) -> Double {
        guard let window = Duration.waitingTime(seconds: pace.burst / pace.perSecond), window >= .seconds(1) else {
            return 0
        }
        let ended = state.history.reversed().prefix { now - $0.at < window }.count { $0.delivery.channel == name }
        return min(Double(ended), pace.burst)
    }

    private mutating func attempt(_ delivery: Delivery) {
        var delivery = delivery
        // What opened the thread may be forgotten before the next attempt, which must be the same message.
        if delivery.attempts == 0 { delivery.thread = thread(of: delivery) }
        delivery.attempts += 1
        delivery.phase = .attempting(since: now)
        record(.deliveryProgress(id: delivery.id, delivery.progress))
        state.sending[delivery.channel, default: []].insert(delivery.id)
        output.effects.append(
            .send(
                SendOrder(
                    delivery: delivery, thread: delivery.thread, mayLeaveUnsafe: delivery.isAboutJournal)))
    }

    private func thread(of delivery: Delivery) -> String? {
        delivery.incident.flatMap { state.threads.receipt(of: $0, in: delivery.channel) }
    }

    /// An attempt that never left counts as none: it takes its turn again, as the pace and the pauses of its channel allow
    /// by now.
    mutating func takeBack(_ id: String) {
        guard var delivery = state.outbox[id], case .attempting(let since) = delivery.phase else { return }
        state.sending[delivery.channel]?.remove(id)
        delivery.attempts -= 1
        delivery.phase = .waiting(notBefore: since)
        record(.deliveryProgress(id: id, delivery.progress))
        if plan.channel(delivery.channel) == nil { abandon(delivery) } else { dispatchSoon(delivery.channel) }
    }

    /// Takes in what came of an attempt.
    mutating func takeOutcome(of id: String, _ outcome: DeliveryOutcome) {
        if let channel = state.outbox[id]?.channel { state.sending[channel]?.remove(id) }
        guard var delivery = state.outbox[id], case .attempting = delivery.phase else { return }
        let name = delivery.channel
        guard plan.channel(name) != nil else {
            // Its channel left the config while it was in flight.
            if case .delivered(let receipt) = outcome {
                end(delivery, .delivered(receipt: receipt))
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
            end(delivery, .delivered(receipt: receipt))
            if clearTrouble(.channelFailing, about: name) { tellAnew(name) }
        case .retry(let told, let sentence):
            let wait = pause(delivery, &channel, told: told)
            complainIfLate(delivery, told: told, sentence)
            delivery.phase = .waiting(notBefore: now + wait)
            record(.deliveryProgress(id: id, delivery.progress))
            note(.warning, "channel \(name): delivery \(id) \(sentence); next try in \(wait.short)")
        case .unknown(let sentence):
            takeUnknown(delivery, &channel, sentence)
        case .refusedBody(let sentence):
            // It answers, and understands: the channel itself is well.
            channel.failures = 0
            if delivery.isPlain {
                bury(delivery, "the channel refused it in every form: \(sentence)")
            } else {
                delivery.isPlain = true
                delivery.phase = .waiting(notBefore: now)
                record(.deliveryProgress(id: id, delivery.progress))
                note(.warning, "channel \(name): delivery \(id) \(sentence); trying the plain form")
            }
        case .refusedChannel(let sentence):
            channel.failures = 0
            bury(delivery, sentence)
        }
        if channel != channelBefore { record(.channel(name: name, channel)) }
        dispatchSoon(name)
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
        delivery.mayHaveArrived = true
        if !isIdempotent { delivery.possiblyRepeated = true }
        complainIfLate(delivery, told: nil, sentence)
        delivery.phase = .waiting(notBefore: now + wait)
        record(.deliveryProgress(id: delivery.id, delivery.progress))
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
        for id in state.queues[name]?.ids ?? [] {
            guard let delivery = state.outbox[id] else { continue }
            guard now - delivery.queued >= Turn.deliveryLifetime else { break }
            guard case .waiting = delivery.phase else { continue }
            bury(delivery, "it could not be delivered within \(Turn.deliveryLifetime.grammar)")
        }
    }

    /// Puts a delivery to the dead letters and says so.
    private mutating func bury(_ delivery: Delivery, _ sentence: String) {
        end(delivery, .dead(sentence))
        note(.error, "channel \(delivery.channel): delivery \(delivery.id) is dead: \(sentence)")
        raiseTrouble(
            .channelFailing, about: delivery.channel, severity: .critical,
            "A message to channel \(delivery.channel) can not be delivered: \(sentence)")
        forgetAnnouncement(delivery)
    }

    /// A channel that certainly never got the opening of an incident knows nothing of it: neither its end nor a reminder
    /// would make sense there. It is told anew when it works again, or when things get worse.
    ///
    /// - Parameter forNow: whether the channel is still there, and only does not work.
    private mutating func forgetAnnouncement(_ delivery: Delivery, forNow: Bool = true) {
        guard delivery.kind == .opened || delivery.kind == .digest, !delivery.mayHaveArrived else { return }
        // Of what was under way when its channel went, nobody has heard whether it arrived.
        if !forNow, case .attempting = delivery.phase { return }
        for id in delivery.message.incidents.map(\.id) {
            guard let incident = state.incidents[id], var standing = incident.standings[delivery.channel],
                let announced = standing.announced
            else { continue }
            // A digest tells also of what the channel knows.
            if delivery.kind == .digest, standing.firstSaid != delivery.queued { continue }
            standing.announced = nil
            standing.firstSaid = nil
            standing.undelivered = forNow ? announced : nil
            record(.standing(incident: id, channel: delivery.channel, standing))
            setIncidentTimer(id)
        }
    }

    /// An opening that was given up is on its way again, so what follows it is told as well: somebody has it tried again.
    mutating func announceAgain(_ delivery: Delivery) {
        for id in delivery.message.incidents.map(\.id) {
            guard let incident = state.incidents[id], var standing = incident.standings[delivery.channel],
                let undelivered = standing.undelivered
            else { continue }
            standing.announced = max(undelivered, standing.announced ?? undelivered)
            standing.undelivered = nil
            standing.firstSaid = standing.firstSaid ?? now
            standing.lastSaid = now
            record(.standing(incident: id, channel: delivery.channel, standing))
            revisit(id)
        }
    }

    /// The channel works again: what is still wrong and never reached it is told now.
    mutating func tellAnew(_ channel: String) {
        for incident in state.incidentsInOrder {
            guard var standing = incident.standings[channel], standing.undelivered != nil else { continue }
            standing.undelivered = nil
            record(.standing(incident: incident.id, channel: channel, standing))
            revisit(incident.id)
        }
    }

    /// Says so when a message is late already, or will be: the team should not learn of a broken channel only when the
    /// first message has died.
    private mutating func complainIfLate(_ delivery: Delivery, told: Duration?, _ sentence: String) {
        guard now - delivery.queued >= Turn.lateAfter || (told ?? .zero) > Turn.lateAfter else { return }
        raiseTrouble(
            .channelFailing, about: delivery.channel, severity: .warning,
            "Messages to channel \(delivery.channel) wait since \(clock(delivery.queued)): \(sentence)"
                + (told.map { "; it wants to be left alone for \($0.short)" } ?? ""))
    }

    /// An hour: a chat is seldom away for longer, and nobody should be called for less.
    static let lateAfter = Duration.hours(1)

    private mutating func abandon(_ delivery: Delivery) {
        end(delivery, .dead("the channel is not in the config any more"))
        forgetAnnouncement(delivery, forNow: false)
    }

    /// After a start: whatever the run before had under way may or may not have arrived; deliveries to channels that are
    /// gone never will. What this run has under way, when the config is loaded anew, is waited for.
    mutating func settleInterruptedDeliveries() {
        for delivery in state.outboxInOrder where state.sending[delivery.channel]?.contains(delivery.id) != true {
            if plan.channel(delivery.channel) == nil {
                abandon(delivery)
            } else if case .attempting = delivery.phase {
                var interrupted = delivery
                interrupted.mayHaveArrived = true
                if plan.channel(delivery.channel)?.isIdempotent != true {
                    if delivery.possiblyRepeated {
                        bury(delivery, "the bot was stopped twice while it was being sent")
                        continue
                    }
                    interrupted.possiblyRepeated = true
                }
                interrupted.phase = .waiting(notBefore: now)
                record(.deliveryProgress(id: delivery.id, interrupted.progress))
            }
        }
    }
}

extension Delivery {
    /// Whether it says how the journal is, and nothing else.
    fileprivate var isAboutJournal: Bool {
        !message.incidents.isEmpty && message.incidents.allSatisfy { $0.rule == Trouble.journalFailing.rawValue }
    }

    /// What it is about: what is said of one thing arrives in the order in which it was said, from one trouble of it to
    /// the next.
    fileprivate var concerned: [IncidentKey] {
        message.incidents.map { IncidentKey(rule: $0.rule, subject: $0.subject, key: $0.key) }
    }
}
