internal import PluginKit

// What came of attempts. What people are to hear of it, or no longer hear, comes back as news.

extension Outbox {
    /// What an outcome says of more than the delivery itself.
    enum News {
        /// The delivery never arrives, though its channel is there.
        case dead(Delivery, String)
        /// Its channel is not in the config any more; nobody else is to hear of that.
        case abandoned(Delivery)
        /// It is late already, or will be.
        case late(Delivery, told: Duration?, String)
        /// Some of those it is for never get it.
        case partial(Delivery, String)
        /// The channel has taken something.
        case works(String)
        /// The channel has room, or may have.
        case dispatch(String)
    }

    /// An attempt that never left counts as none: it takes its turn again, as the pace and the pauses of its channel
    /// allow by now.
    mutating func takeBack(_ id: String, _ plan: Plan, at now: Moment, _ output: inout Output) -> News? {
        guard var delivery = deliveries[id], case .attempting(let since) = delivery.progress.phase else { return nil }
        noteEnded(delivery)
        delivery.progress.attempts -= 1
        delivery.progress.phase = .waiting(notBefore: since)
        record(.progress(id: id, delivery.progress), &output)
        return plan.channel(delivery.channel) == nil
            ? abandon(delivery, at: now, &output) : .dispatch(delivery.channel)
    }

    /// Takes in what came of an attempt.
    ///
    /// - Parameter isEditing: whether older messages are edited behind it still: until it is told again without, its channel is
    ///   as busy as before.
    mutating func take(
        _ outcome: DeliveryOutcome, of id: String, isEditing: Bool = false, _ plan: Plan, at now: Moment,
        _ output: inout Output
    ) -> [News] {
        if !isEditing, let edited = editing[id] {
            noteEnded(edited)
            return [.dispatch(edited.channel)]
        }
        guard let delivery = deliveries[id] else { return [] }
        if isEditing { noteEditing(delivery) } else { noteEnded(delivery) }
        guard case .attempting = delivery.progress.phase else { return [] }
        guard let channel = plan.channel(delivery.channel) else {
            // Its channel left the config while it was in flight.
            guard let receipt = outcome.receipt else {
                guard case .unknown = outcome else { return [abandon(delivery, at: now, &output)] }
                return [abandon(perhapsArrived(delivery, at: now, &output), at: now, &output)]
            }
            end(delivery, .delivered(receipt: receipt), at: now, &output)
            return []
        }
        var record = channels[channel.name] ?? ChannelRecord()
        let recordBefore = record
        record.lastError = outcome.trouble
        let news: News?
        switch outcome {
        case .delivered(let receipt):
            record.failures = 0
            record.forgetPast(at: now)
            end(delivery, .delivered(receipt: receipt), at: now, &output)
            news = .works(channel.name)
        case .partly(let receipt, let sentence):
            record.failures = 0
            record.forgetPast(at: now)
            end(delivery, .delivered(receipt: receipt), at: now, &output)
            output.note(.warning, "channel \(delivery.channel): delivery \(delivery.id): \(sentence)", delivery.details)
            news = .partial(delivery, sentence)
        case .retry(let told, let sentence):
            news = tryAgain(delivery, &record, told: told, sentence, at: now, &output)
        case .unknown(let sentence):
            news = retryUnknown(delivery, channel, &record, sentence, at: now, &output)
        case .refusedBody(let sentence):
            // It answers, and understands: the channel itself is well.
            record.failures = 0
            news = handleRefusal(delivery, sentence, at: now, &output)
        case .refusedChannel(let sentence):
            record.failures = 0
            news = bury(delivery, sentence, at: now, &output)
        }
        // From here on its dead letter says what went wrong.
        if case .dead = news { record.lastError = nil }
        if record != recordBefore { self.record(.channel(name: channel.name, record), &output) }
        return [news].compactMap(\.self) + [.dispatch(channel.name)]
    }

    private mutating func tryAgain(
        _ old: Delivery, _ channel: inout ChannelRecord, told: Duration?, notBefore least: Duration = .zero,
        _ sentence: String, at now: Moment, _ output: inout Output
    ) -> News? {
        var delivery = old
        let wait = max(pause(delivery, &channel, told: told, at: now), least)
        delivery.progress.phase = .waiting(notBefore: now + wait)
        record(.progress(id: delivery.id, delivery.progress), &output)
        output.note(
            .warning,
            "channel \(delivery.channel): delivery \(delivery.id): \(sentence); next try in \(wait.short)",
            delivery.details)
        // The team should not learn of a broken channel only when the first message has died.
        let isLate = now - delivery.queued >= Outbox.lateAfter || (told ?? .zero) > Outbox.lateAfter
        return isLate ? .late(delivery, told: told, sentence) : nil
    }

    /// An hour: a chat is seldom away for longer, and nobody should be called for less.
    static let lateAfter = Duration.hours(1)

    /// An attempt of which nobody knows whether it arrived is made again: freely where the channel takes two as one,
    /// once and marked elsewhere.
    private mutating func retryUnknown(
        _ old: Delivery, _ plan: ChannelPlan, _ channel: inout ChannelRecord, _ sentence: String, at now: Moment,
        _ output: inout Output
    ) -> News? {
        var delivery = old
        if !plan.isIdempotent, delivery.progress.possiblyRepeated {
            _ = pause(delivery, &channel, told: nil, at: now)
            return bury(
                delivery, "it is unknown, for the second time, whether it arrived: \(sentence)", at: now, &output)
        }
        delivery.progress.mayHaveArrived = true
        if !plan.isIdempotent { delivery.progress.possiblyRepeated = true }
        return tryAgain(
            delivery, &channel, told: nil, notBefore: plan.isIdempotent ? .zero : Outbox.repeatedAfter, sentence,
            at: now, &output)
    }

    /// Tries the plain form of what was refused, or gives it up.
    private mutating func handleRefusal(
        _ old: Delivery, _ sentence: String, at now: Moment, _ output: inout Output
    ) -> News? {
        var delivery = old
        guard !delivery.progress.isPlain else {
            return bury(delivery, "the channel refused it in every form: \(sentence)", at: now, &output)
        }
        delivery.progress.isPlain = true
        delivery.progress.phase = .waiting(notBefore: now)
        record(.progress(id: delivery.id, delivery.progress), &output)
        output.note(
            .warning, "channel \(delivery.channel): delivery \(delivery.id): \(sentence); trying the plain form",
            delivery.details)
        return nil
    }

    /// How long to wait after a failed attempt. What a service asks for holds for its whole channel and is kept
    /// exactly, as long as it is no mere moment; otherwise the wait doubles from attempt to attempt, and after some failures
    /// in a row the channel pauses with it.
    private func pause(
        _ delivery: Delivery, _ channel: inout ChannelRecord, told: Duration?, at now: Moment
    ) -> Duration {
        // While the channel pauses nothing is begun, so what fails now was under way beside what made it pause. That is
        // one bad moment, and thirty attempts at once must not count it thirty times.
        let isSameMoment = (channel.pausedUntil ?? now) > now
        if !isSameMoment { channel.failures += 1 }
        // To come back at once is no wait at all: a service that says so is spared all the same.
        if let told, told > .zero {
            let wait = max(told, Outbox.toldWaitMin)
            channel.pausedUntil = max(channel.pausedUntil ?? now, now + wait)
            channel.askedUntil = max(channel.askedUntil ?? now, now + told)
            return wait
        }
        let chance = StableHash.unit(delivery.id, String(delivery.progress.attempts), "retry")
        let wait = Outbox.backoff(after: delivery.progress.attempts).scaled(by: 0.8 + 0.4 * chance)
        if !isSameMoment, channel.failures >= Outbox.failuresToBreak {
            let silence = Outbox.backoff(after: channel.failures - Outbox.failuresToBreak + 1).scaled(
                by: 0.8 + 0.4 * chance)
            channel.pausedUntil = max(channel.pausedUntil ?? now, now + silence)
        }
        return wait
    }

    /// Leaves a service alone for as long as it asked when a message was edited behind a delivery, with everything for the
    /// channel: what it wants of edits it mostly wants of messages, too.
    mutating func keepAway(for told: Duration, after id: String, at now: Moment, _ output: inout Output) {
        guard told > .zero, let name = (editing[id] ?? deliveries[id])?.channel else { return }
        var record = channels[name] ?? ChannelRecord()
        record.pausedUntil = max(record.pausedUntil ?? now, now + max(told, Outbox.toldWaitMin))
        record.askedUntil = max(record.askedUntil ?? now, now + told)
        self.record(.channel(name: name, record), &output)
    }

    /// The least wait where the service says for how long: none counts in less, and some ban whoever comes back for hours.
    static let toldWaitMin = Duration.seconds(1)

    static func backoff(after attempts: Int) -> Duration {
        min(backoffMax, backoffFirst.scaled(by: Double(1 << min(max(attempts - 1, 0), 20))))
    }

    /// The first wait, and the longest: a chat that was down for an hour should hear of it within minutes of its
    /// return.
    static let backoffFirst = Duration.seconds(2)
    static let backoffMax = Duration.minutes(10)
    /// How long the one repeat of what may have arrived waits at least: there is no other, and neither what hangs nor what
    /// starts anew, and breaks connections meanwhile, is well after the seconds of a first wait.
    static let repeatedAfter = Duration.minutes(1)
    /// Failed attempts in a row, over all deliveries, after which a channel is left alone for a while.
    static let failuresToBreak = 3

    /// Puts a delivery to the dead letters.
    mutating func bury(_ delivery: Delivery, _ sentence: String, at now: Moment, _ output: inout Output) -> News {
        end(delivery, .dead(sentence), at: now, &output)
        output.note(
            .error, "channel \(delivery.channel): delivery \(delivery.id) failed for good: \(sentence)",
            delivery.details)
        return .dead(delivery, sentence)
    }

    /// The delivery with a note that it may have arrived, if it was under way: should its channel come back, it is not to be
    /// sent there again.
    private mutating func perhapsArrived(_ old: Delivery, at now: Moment, _ output: inout Output) -> Delivery {
        guard case .attempting = old.progress.phase else { return old }
        var delivery = old
        delivery.progress.mayHaveArrived = true
        delivery.progress.phase = .waiting(notBefore: now)
        record(.progress(id: delivery.id, delivery.progress), &output)
        return delivery
    }

    /// Puts a delivery to the dead letters whose channel is not in the config any more.
    mutating func abandon(_ delivery: Delivery, at now: Moment, _ output: inout Output) -> News {
        let sentence = "the channel is no longer in the config"
        end(delivery, .dead(sentence), at: now, &output)
        output.note(
            .warning, "channel \(delivery.channel): delivery \(delivery.id) failed for good: \(sentence)",
            delivery.details)
        return .abandoned(delivery)
    }

    /// Ends the waits of channels that lead elsewhere since the config was loaded anew: who asked for them is asked no more.
    mutating func noteMoves(_ plan: Plan, at now: Moment, _ output: inout Output) {
        for name in noteMoved(plan) {
            if var record = channels[name] {
                (record.failures, record.pausedUntil, record.askedUntil, record.lastError) = (0, nil, nil, nil)
                self.record(.channel(name: name, record), &output)
            }
            for var delivery in inOrder where delivery.channel == name {
                guard case .waiting(let notBefore) = delivery.progress.phase, notBefore > now else { continue }
                delivery.progress.phase = .waiting(notBefore: now)
                record(.progress(id: delivery.id, delivery.progress), &output)
            }
            output.note(
                .info, "channel \(name) has a new address or credential: what was waiting is sent now",
                ["channel": name])
        }
    }

    /// After a start: whatever the run before had under way may or may not have arrived; deliveries to channels that
    /// are gone never will. What this run has under way, when the config is loaded anew, is waited for.
    mutating func settleInterrupted(_ plan: Plan, at now: Moment, _ output: inout Output) -> [News] {
        var news: [News] = []
        for delivery in inOrder where !isSending(delivery) {
            guard let channel = plan.channel(delivery.channel) else {
                news.append(abandon(perhapsArrived(delivery, at: now, &output), at: now, &output))
                continue
            }
            guard case .attempting = delivery.progress.phase else { continue }
            var interrupted = delivery
            interrupted.progress.mayHaveArrived = true
            if !channel.isIdempotent {
                guard !delivery.progress.possiblyRepeated else {
                    news.append(
                        bury(delivery, "the bot was stopped twice while it was being sent", at: now, &output))
                    continue
                }
                interrupted.progress.possiblyRepeated = true
            }
            interrupted.progress.phase = .waiting(notBefore: now)
            record(.progress(id: delivery.id, interrupted.progress), &output)
        }
        return news
    }
}

extension DeliveryOutcome {
    /// What went wrong; nil when nothing did.
    fileprivate var trouble: String? {
        switch self {
        case .delivered: nil
        case .partly(_, let sentence), .retry(_, let sentence), .unknown(let sentence), .refusedBody(let sentence),
            .refusedChannel(let sentence):
            sentence
        }
    }

    /// What the channel gave for it, which may be nothing; nil altogether where it did not arrive.
    fileprivate var receipt: String?? {
        switch self {
        case .delivered(let receipt), .partly(let receipt, _): receipt
        case .retry, .unknown, .refusedBody, .refusedChannel: nil
        }
    }
}

extension Delivery {
    /// Which it is, for the log.
    fileprivate var details: [String: String] {
        var details = ["channel": channel, "delivery": id]
        if let incident { details["incident"] = incident }
        return details
    }
}
