internal import PluginKit

// The way out: how many attempts begin, and when, as the pace, the pauses and the order of a channel allow.

extension Outbox {
    /// What came of having a look at a channel.
    struct Dispatch {
        /// When to look again; nil when the outcome of what is under way brings a turn.
        var next: Moment?
        var news: [News] = []
    }

    /// Starts as many attempts in the channel as its pace, its pauses and the order allow.
    ///
    /// - Parameter answers: sources whose first answers are waited for, and until when.
    mutating func dispatch(
        _ name: String, _ plan: Plan, awaiting answers: [String: Moment], at now: Moment, _ output: inout Output
    ) -> Dispatch {
        var dispatch = Dispatch()
        guard let channel = plan.channel(name) else { return dispatch }
        dispatch.news = buryExpired(name, at: now, &output)
        let record = channels[name] ?? ChannelRecord()
        if let paused = record.pausedUntil, paused > now {
            guard let first = queue(name).first.flatMap({ deliveries[$0] }) else { return dispatch }
            let end = end(of: first)
            dispatch.next = end > now ? min(paused, end) : paused
            return dispatch
        }
        // While the breaker is half open, one attempt at a time finds out whether the channel is back.
        let atOnce = record.failures >= Outbox.failuresToBreak ? 1 : channel.pace.atOnce
        let underWay = sendingCount(name)
        guard underWay < atOnce else { return dispatch }  // The outcome of what is under way brings us back.
        var (ready, nextDue) = ready(name, atMost: atOnce - underWay, answers, at: now)
        for delivery in ready {
            guard let wait = takeToken(name, channel.pace, at: now) else {
                attempt(delivery, in: plan.words, at: now, &output)
                continue
            }
            nextDue = min(nextDue ?? wait, wait)
            break
        }
        dispatch.next = nextDue
        return dispatch
    }

    /// Deliveries that may begin now, and when the next may of those that only have to wait.
    private func ready(
        _ name: String, atMost: Int, _ answers: [String: Moment], at now: Moment
    ) -> ([Delivery], next: Moment?) {
        var busy = Set<IncidentKey>(minimumCapacity: sendingCount(name) + atMost)
        for delivery in editing.values where delivery.channel == name { busy.formUnion(delivery.concerned) }
        var ready: [Delivery] = []
        var next: Moment?
        for id in queue(name) {
            guard let delivery = deliveries[id], mayBegin(delivery) else { continue }
            var isBehind = false
            for key in delivery.concerned where !busy.insert(key).inserted { isBehind = true }
            guard case .waiting(let notBefore) = delivery.progress.phase, !isBehind else { continue }
            let due = max(notBefore, answersDue(delivery, answers))
            if due <= now {
                ready.append(delivery)
            } else {
                next = min(next ?? due, due)
            }
            if ready.count >= atMost { break }
        }
        return (ready, next)
    }

    /// Until when a delivery waits for what its sources answer first after a start: it asks somebody to do something about
    /// what may be over, and then newer truth takes its place. What may have arrived is replaced by nothing.
    private func answersDue(_ delivery: Delivery, _ answers: [String: Moment]) -> Moment {
        guard !answers.isEmpty, delivery.kind.asksSomebody || delivery.message.announces != nil,
            !delivery.progress.mayHaveArrived
        else { return .earliest }
        return delivery.summaries.compactMap { answers[$0.subject.source] }.max() ?? .earliest
    }

    /// Whether it is under way, or could be: while the journal cannot be written only what says so may leave, and what
    /// may not is in nobody's way.
    private func mayBegin(_ delivery: Delivery) -> Bool {
        guard journalTrouble != nil, case .waiting = delivery.progress.phase else { return true }
        return delivery.isAboutJournal
    }

    /// Takes a token from the channel's bucket; gives back when there will be one if there is none now.
    private mutating func takeToken(_ name: String, _ pace: Pace, at now: Moment) -> Moment? {
        var bucket = buckets[name] ?? Bucket(tokens: pace.burst - lately(name, pace, at: now), at: now)
        bucket.tokens = min(pace.burst, bucket.tokens + max(0, (now - bucket.at).inSeconds) * pace.perSecond)
        bucket.at = now
        defer { buckets[name] = bucket }
        // Millisecond time leaves the last grain of a token missing; a thousandth never breaks a limit.
        guard bucket.tokens < 0.999 else {
            bucket.tokens -= 1
            return nil
        }
        return now + (.waitingTime(seconds: (1 - bucket.tokens) / pace.perSecond) ?? .milliseconds(1))
    }

    /// How many tokens the run before may have left spent: a restart is no reason to go faster than the service allows.
    private func lately(_ name: String, _ pace: Pace, at now: Moment) -> Double {
        guard let window = Duration.waitingTime(seconds: pace.burst / pace.perSecond), window >= .seconds(1) else {
            return 0
        }
        let ended = history.reversed().prefix { now - $0.at < window }.count { $0.delivery.channel == name }
        return min(Double(ended), pace.burst)
    }

    private mutating func attempt(_ delivery: Delivery, in words: Words, at now: Moment, _ output: inout Output) {
        var delivery = delivery
        // What opened the thread may be forgotten before the next attempt, which must be the same message.
        let hasMoved = channels[delivery.channel]?.movedAt.map { delivery.queued < $0 } ?? false
        if delivery.progress.attempts == 0 || hasMoved { delivery.progress.thread = thread(of: delivery) }
        delivery.progress.attempts += 1
        delivery.progress.phase = .attempting(since: now)
        record(.progress(id: delivery.id, delivery.progress), &output)
        noteBegun(delivery)
        if delivery.message.words != words { delivery.message.words = words }
        for index in delivery.updates.indices { delivery.updates[index].words = words }
        let edits = edits(behind: delivery)
        output.effects.append(
            .send(
                SendOrder(
                    delivery: delivery, thread: delivery.progress.thread,
                    isThreadOwn: edits.isEmpty && isThreadOwn(delivery), edits: edits,
                    mayLeaveUnsafe: delivery.isAboutJournal)))
    }

    /// What follows goes where it began: also what is about many, as long as one message was the first of all of them.
    private func thread(of delivery: Delivery) -> String? {
        opening(of: delivery.incidents, in: delivery.channel)?.receipt
    }

    /// Whether the delivery says how all of those are by now that the message which opened its thread is about.
    private func isThreadOwn(_ delivery: Delivery) -> Bool {
        guard let thread = delivery.progress.thread, delivery.changesStanding else { return false }
        let incidents = delivery.incidents
        guard let opening = opening(of: incidents, in: delivery.channel) else { return false }
        return opening.receipt == thread && opening.count == incidents.count
    }

    /// The messages that opened what the delivery is about, each of one incident alone, as they should read by now.
    private func edits(behind delivery: Delivery) -> [SendOrder.Edit] {
        delivery.updates.compactMap { update in
            guard let incident = update.incidents.first?.id,
                let opening = opening(of: [incident], in: delivery.channel), opening.count == 1,
                let receipt = opening.receipt
            else { return nil }
            return SendOrder.Edit(incident: incident, opening: receipt, message: update)
        }
    }

    /// Gives up what has had its day.
    private mutating func buryExpired(_ name: String, at now: Moment, _ output: inout Output) -> [News] {
        var news: [News] = []
        let old = queue(name).prefix { id in
            deliveries[id].map { now - $0.queued >= Outbox.deliveryLifetime } ?? true
        }
        for id in Array(old) {
            guard let delivery = deliveries[id], case .waiting = delivery.progress.phase, end(of: delivery) <= now
            else { continue }
            let sentence = "it could not be delivered within \(Outbox.deliveryLifetime.grammar)"
            news.append(bury(delivery, sentence, at: now, &output))
        }
        return news
    }

    /// When a delivery has had its day. What waited while the bot was away is tried for a while at least, unless it may have
    /// arrived: nobody could try it, and the channel may be fine.
    private func end(of delivery: Delivery) -> Moment {
        let end = delivery.queued + Outbox.deliveryLifetime
        guard let comeback, delivery.queued <= comeback, !delivery.progress.mayHaveArrived else { return end }
        return max(end, comeback + Outbox.lateAfter)
    }

    /// How long a message is worth trying. Matrix forgets transaction ids after as long, so a later try could double.
    static let deliveryLifetime = Duration.hours(24)
}

extension Delivery {
    /// Whether it tells of a new standing of something that was told before. Of a digest, its kind does not say: it may
    /// be a reminder, or news of a mute.
    fileprivate var changesStanding: Bool {
        kind.changesStanding
            && (kind != .digest || message.announces != nil || tellsEnds)
    }

    /// Whether it tells of anything that it is over: by itself, or among what a digest lists.
    var tellsEnds: Bool { kind.isEnd || kind == .digest && summaries.contains { $0.state.endKind != nil } }

    /// What it is about: what is said of one thing arrives in the order in which it was said, from one trouble of it to
    /// the next. Each thing once, though a digest may tell of several troubles of it.
    fileprivate var concerned: [IncidentKey] {
        let keys = summaries.map(\.identity)
        return keys.count > 1 ? Array(Set(keys)) : keys
    }
}
