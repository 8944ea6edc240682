internal import PluginKit

// What a poll's end makes of what is remembered of its source. What people are to hear of it comes back as a value.

/// What a poll says of its source itself.
enum SourceNews {
    /// Nothing to say yet.
    case nothing
    /// It has given nothing usable for too long.
    case failing(Phrase, since: Moment)
    /// It is not polled any more.
    case stopped(Phrase)
}

extension SourceRecord {
    /// Takes in that a poll brought figures.
    mutating func noteFigures(_ closeness: Judgement.Closeness) {
        isNear = closeness == .near
        calmCount = closeness == .far ? calmCount + 1 : 0
    }

    /// Takes in that the source gave a usable answer.
    ///
    /// - Parameters:
    ///   - unread: what it leaves open.
    ///   - isAsBefore: whether it has no figures, as the one before, which was the same.
    mutating func noteAnswer(
        _ outcome: Outcome, of source: SourcePlan, unread: Unread = .nothing, isAsBefore: Bool = false, at now: Moment
    ) {
        let before = lastGood ?? now
        if outcome != .unchanged { endConfirmation() }
        if outcome == .unchanged, unread != .nothing {
            doubt = doubt ?? Doubt(unread: .nothing, since: before)
            doubt?.unread.formUnion(unread)
        } else {
            doubt = nil
        }
        failure = nil
        stopped = nil
        lastOutcome = outcome
        switch outcome {
        case .values:
            noteUsable(of: source, at: now)
            breaks.noteOpen(unread, since: before, of: source, at: now)
            lastChanged = lastPolled
            unchangedCount = 0
        case .unchanged:
            noteUsable(of: source, at: now)
            unchangedCount += 1
        case .noData:
            noteUsable(of: source, at: now)
            breaks.noteOpen(unread, since: before, of: source, at: now)
            unchangedCount = isAsBefore ? unchangedCount + 1 : 0
            isNear = false
            calmCount += 1
        case .stale: unchangedCount += 1
        case .failed: break
        }
        notePolled(at: now)
    }

    private mutating func noteUsable(of source: SourcePlan, at now: Moment) {
        breaks.noteAnswer(after: lastGood, of: source, at: now)
        lastGood = now
    }

    /// From when on it counts that a source gives nothing usable: by the ends of polls, which a recording has, too.
    private mutating func notePolled(at now: Moment) { firstPolled = lastGood == nil ? firstPolled ?? now : nil }

    /// What there is to say of figures that were measured too long ago.
    func staleNews(
        of source: SourcePlan, measured: Moment, figuresLast: Duration, at now: Moment
    ) -> SourceNews {
        guard now - (lastGood ?? measured) >= figuresLast else { return .nothing }
        return .failing(
            Phrase(
                source.isPushed ? .troubleUnpushed : .troubleStale,
                [.source: .text(source.name), .moment: .moment(measured)]),
            since: silentSince ?? now)
    }

    /// Takes in what a usable answer lacked. One that says 'as before' lacks what the one before did, and of a part that waits
    /// for a budget nothing new is known.
    mutating func noteLack(_ report: PollReport, at now: Moment) {
        if let missing = report.missing {
            lack = Failure(
                reason: missing.reason, sentence: missing.description, since: lack?.since ?? now,
                count: (lack?.count ?? 0) + 1)
        } else if report.outcome == .unchanged {
            lack?.count += 1
        } else if !report.isPartWaiting {
            lack = nil
        }
    }

    /// Takes in that a poll has failed, or that whoever pushes says so. Of these no refusal is the last: they are not polled.
    ///
    /// - Parameter figuresLast: How long the source's figures stay good.
    mutating func noteFailure(
        _ new: PollFailure, of source: SourcePlan, figuresLast: Duration, at now: Moment
    ) -> SourceNews {
        let isSecondRefusal =
            !source.isPushed && new.reason == .unauthorized && failure?.reason == .unauthorized
        let failing = Failure(
            reason: new.reason, sentence: new.description, since: failure?.since ?? now,
            count: (failure?.count ?? 0) + 1)
        failure = failing
        endConfirmation()
        lastOutcome = .failed
        notePolled(at: now)
        if isSecondRefusal {
            stopped = new.description
            return .stopped(
                Phrase(.troubleStopped, [.source: .text(source.name), .cause: .text(new.description)]))
        }
        let silentSince = silentSince ?? failing.since
        // One failure is no trouble yet, unless the service says that its next answer will come too late.
        let isLate = failing.count >= 2 && now - silentSince >= figuresLast
        let willBeLate = new.retryAt.map { $0 - now >= figuresLast } ?? false
        guard isLate || willBeLate else { return .nothing }
        let name = Phrase.Value.text(source.name)
        let (since, cause) = (Phrase.Value.moment(silentSince), Phrase.Value.text(new.description))
        let phrase =
            new.retryAt.map {
                Phrase(
                    .troubleFailingWait, [.source: name, .moment: since, .cause: cause, .until: .moment($0)])
            } ?? Phrase(.troubleFailing, [.source: name, .moment: since, .cause: cause])
        return .failing(phrase, since: silentSince)
    }

    /// Has it polled as soon as it may be: its throttle and what its service asked for are kept.
    mutating func hurry(_ source: SourcePlan, at now: Moment) {
        let soonest = max(now, lastPolled.map { $0 + source.throttle } ?? now, silentUntil ?? now)
        due = due.map { min($0, soonest) }
    }

    /// Moves along with a wall clock that was set, and is `now` since.
    mutating func move(by step: Duration, at now: Moment) {
        due = due.map { $0 + step }
        limit = limit.map { $0 + step }
        told = told.map { $0 + step }
        lastPolled = lastPolled.map { $0 + step }
        firstPolled = firstPolled.map { $0 + step }
        lastGood = lastGood.map { $0 + step }
        breaks.move(by: step)
        // These are compared with when figures were seen, and of such only what is ahead of the clock moves.
        let asFigures = { (moment: Moment) in moment > now ? moment + step : moment }
        lastChanged = lastChanged.map(asFigures)
        if let since = doubt?.since { doubt?.since = asFigures(since) }
        confirmed = confirmed.compactMap { TimeSpan(from: asFigures($0.from), to: $0.to + step) }
        if let since = failure?.since { failure?.since = since + step }
        if let since = lack?.since { lack?.since = since + step }
    }
}
