internal import PluginKit

/// One step under way: it takes in what has happened, and then looks once at what is due.
///
/// What comes in goes one way: *report → figures → verdicts → incidents → notifications → gates → outbox*. Each room of
/// the state does its own part; a turn only leads from one to the next. What a later room has to say to an earlier one
/// (a channel that fails is an incident, too) becomes a promise in the agenda and has its turn there, so nothing runs
/// in circles.
struct Turn {
    let plan: Plan
    let now: Moment
    var state: State
    var output = Output()
    var tellsJudgements = false
    var reportsClock = true
    /// Channels that get a summary at the end of this turn.
    var summariesDue: Set<String> = []
    /// Messages that this turn has accepted.
    var acceptedCount = 0

    init(plan: Plan, now: Moment, state: State) {
        self.plan = plan
        self.now = now
        self.state = state
        self.state.incidents.serve(plan)
        self.state.outbox.rememberTellings(plan.remembersTellings)
    }

    /// Notices when the machine has slept: whatever was due is late, and sources are asked before anybody is called.
    mutating func noticeSleep() {
        guard let due = state.nextDue, now - due > Turn.latenessMax else { return }
        state.schedule.noteCatchUp(plan, at: now)
        state.outbox.noteComeback(at: now, isStart: false)
    }

    /// A machine that is awake looks at what is due within seconds, however busy it is.
    private static let latenessMax = Duration.minutes(1)

    mutating func take(_ input: Input) {
        switch input {
        case .started: start()
        case .tick: break
        case .polled(let source, let report, let validators):
            // A preview takes in what nobody asked for here: it was asked for now.
            let asked = state.schedule.isPolling(source) ? nil : now
            state.schedule.endPoll(of: source, plan)
            let isOfBefore = plan.source(source).map { state.schedule.takeAskedBefore($0, at: now) } ?? false
            if state.schedule.takeOvertaken(source) {
                // It asked what had been told, and more has been told since.
                state.schedule.requeue(source, plan)
            } else {
                receiveReport(of: source, report, asked: asked, isOfBefore: isOfBefore, validators: validators)
            }
        case .pushed(let source, let report, let id):
            output.effects.append(.answered(receivePush(of: source, report), id: id))
        case .observed(let lines, let asked): receiveLines(lines, asked: min(asked ?? now, now))
        case .delivered(let id, let outcome, let wait):
            if let wait { state.outbox.keepAway(for: wait, after: id, at: now, &output) }
            receiveNews(state.outbox.take(outcome, of: id, plan, at: now, &output))
        case .arrived(let id, let outcome):
            receiveNews(state.outbox.take(outcome, of: id, isEditing: true, plan, at: now, &output))
        case .unsent(let ids):
            for id in ids { receiveNews([state.outbox.takeBack(id, plan, at: now, &output)].compactMap(\.self)) }
        case .power(let isLow): state.schedule.setPower(isLow: isLow)
        case .journal(let trouble): noteJournal(trouble)
        case .journalDamaged(let what):
            state.schedule.forgetAnswers(&output)
            raiseTrouble(
                .journalDamaged, about: Trouble.journal,
                Phrase(.troubleDamage, [.cause: .text(what)]))
        case .configRefused(let why):
            raiseTrouble(
                .configRefused, about: Trouble.config,
                Phrase(.troubleConfig, [.cause: .text(why)]))
        case .command(let command, let id): output.effects.append(.answered(obey(command), id: id))
        case .clockStepped(let step): moveClock(by: step)
        }
    }

    /// Looks at everything that is due.
    mutating func passTime() {
        repeat {
            while mayAccept, let id = state.agenda.popBacklog() { reconsider(id) }
            while let due = takeDue() { look(at: due) }
            sendSummaries()
        } while state.incidents.hasEvent
        state.agenda.resumeBacklog(at: state.outbox.isEveryChannelFull(plan) ? nil : now)
        state.schedule.startDue(plan, at: now, &output)
    }

    private var mayAccept: Bool { acceptedCount < Outbox.acceptedMax && !state.outbox.isEveryChannelFull(plan) }

    /// Takes out what is due, and what may be since another incident has changed.
    private mutating func takeDue() -> Agenda.Due? {
        if state.incidents.takeEvent() {
            for id in state.released(plan, at: now) { state.agenda.revisit(id, at: now) }
        }
        // At the end of time, whatever is put off is due at once, for ever.
        guard now < .latest else { return nil }
        return state.agenda.popAllDue(now)
    }

    private mutating func look(at due: Agenda.Due) {
        // However the promises lay in the heap: a budget is for what is worst before it is for reminders.
        let incidents = byUrgency(due.incidents)
        // What explains others must fire before they are asked about.
        for id in incidents { ripen(id) }
        for id in incidents {
            reconsiderInTurn(id)
        }
        for channel in due.channels.sorted() { dispatch(channel) }
        if due.housekeeping { keepHouse() }
    }

    /// Looks at an incident whose time has come, or that has changed: whether it fires now, and whom to tell.
    mutating func reconsider(_ id: String) {
        ripen(id)
        state.incidents.noteWaning(of: id, at: now)
        handOverEnd(of: id)
        guard let incident = state.incidents[id] else { return }
        announce(incident)
        reschedule(id)
    }

    /// The same in this turn or, once it has accepted what one turn may, in one of the next: what is said already can leave
    /// while the rest is looked at.
    mutating func reconsiderInTurn(_ id: String) {
        if mayAccept { reconsider(id) } else { state.agenda.postpone(id, isUrgent: isUrgent(id)) }
    }

    private mutating func start() {
        moveClockIfSetBack()
        state.incidents.beginFirstLook(at: plan.sources.map(\.name), now: now)
        state.schedule.forgetJudged()
        let open = state.incidents.all.filter(\.isOpen)
        state.schedule.awaitFigures(of: open.map(\.subject.source))
        state.wellSources.forgetAll()
        for source in plan.sources {
            guard var record = state.schedule.sources[source.name] else { continue }
            // A new start, or a new config, is a new chance for a credential that was refused, and for an address that was
            // wrong; what a service has asked for is waited for all the same.
            let isFailing = record.failure.map { $0.reason != .rateLimited } ?? false
            guard record.stopped != nil || isFailing else { continue }
            let soonest = record.lastPolled.map { max($0 + source.throttle, record.silentUntil ?? $0) }
            if record.stopped != nil {
                record.stopped = nil
                record.failure = nil
                record.due = soonest
            } else if let due = record.due, let soonest {
                record.due = min(due, soonest)
            }
            state.schedule.keep(record, of: source.name, &output)
        }
        for source in plan.sources { hasten(source) }
        state.schedule.enroll(plan)
        state.schedule.noteCatchUp(plan, at: now)
        state.outbox.noteComeback(at: now, isStart: true)
        state.outbox.noteMoves(plan, at: now, &output)
        for channel in state.outbox.noteHomes(plan, at: now, &output) {
            output.note(
                .info, "channel \(channel) leads to another chat now; incidents that are still open are reported there",
                ["channel": channel])
            follow(state.incidents.introduce(channel, sparing: state.outbox.waiting(for: channel), &output))
        }
        handOverWaitingEnds()
        receiveNews(state.outbox.settleInterrupted(plan, at: now, &output))
        // Should it still be so, the first write will tell.
        if state.outbox.journalTrouble == nil { clearTrouble(.journalFailing, about: Trouble.journal) }
        clearTrouble(.configRefused, about: Trouble.config)
        endIncidentsWithoutRule()
        letGoOfHeldForOthers()
        // A new start, or a new config, is a new chance for what was refused, too.
        offerAgain(triedBy: now)
        for source in plan.sources { judgeSource(source.name) }
        for incident in state.incidents.inOrder { ripen(incident.id) }
        state.incidents.firstLook.endLoading()
        for id in byUrgency(state.incidents.all.map(\.id)) { reconsiderInTurn(id) }
        for channel in plan.channels { dispatch(channel.name) }
        state.agenda.set(.housekeeping, now + Figures.forgottenEvery)
    }

    /// Polls a source no later than its intervals allow that the config has by now.
    private mutating func hasten(_ source: SourcePlan) {
        guard var record = state.schedule.sources[source.name], let due = record.due, due > now,
            let latest = PollPace(as: record, source).latest(record), latest < due
        else { return }
        record.due = max(latest, now)
        state.schedule.keep(record, of: source.name, &output)
    }

    /// Lets go of what nobody has heard of for long: old releases, apps that are gone, and incidents about them.
    private mutating func keepHouse() {
        forgetMutes()
        state.schedule.forgetEndedWaits(at: now)
        state.incidents.forgetOldSwings(at: now, &output)
        state.incidents.forgetAftermaths(at: now, &output)
        closeSilent()
        offerAgain(triedBy: now - Turn.offeredAgainAfter)
        for subject in state.outdated(at: now) {
            state.figures.record(.forgotten(subject), &output)
            state.wellSources.forget(subject.source)
        }
        clearTrouble(.clockStepped, about: Trouble.clock, ifOlderThan: Trouble.clockLifetime)
        clearTrouble(.journalDamaged, about: Trouble.journal, ifOlderThan: Trouble.damageLifetime)
        state.agenda.set(.housekeeping, now + Figures.forgottenEvery)
    }

    /// Tries each channel that gave something up with one of what it missed. If that arrives, the rest follows.
    private mutating func offerAgain(triedBy latest: Moment) {
        let dead = state.incidents.deadChannels(plan)
        for channel in plan.channels.map(\.name) {
            if dead.contains(channel) {
                tryAgain(channel, triedBy: latest)
            } else {
                // One that has gone and come back has nobody who says that it works again.
                tellMissed(channel)
            }
        }
    }

    /// Has a channel that gave something up tried with one of what it missed and would still hear. Where nothing else is sent
    /// there, nobody would ever know that it works again, or that what refused it was somebody else's mistake.
    private mutating func tryAgain(_ channel: String, triedBy latest: Moment) {
        for incident in state.incidents.undelivered(in: channel, triedBy: latest)
        where isConcerned(channel, with: incident) {
            guard var standing = incident.standings[channel] else { continue }
            standing.undelivered = nil
            guard wanted(incident, standing, in: channel) != nil else { continue }
            state.incidents.keep(standing, of: incident.id, in: channel, &output)
            state.agenda.revisit(incident.id, at: now)
            return
        }
        sendEndsAgain(channel, diedBy: latest, atMost: 1)
    }

    /// As long as a message waits before somebody hears of it.
    private static let offeredAgainAfter = Outbox.lateAfter

    /// Closes incidents of which nothing has been known for as long as figures are kept. That is no good news, and is
    /// not told as such.
    private mutating func closeSilent() {
        for incident in state.incidents.inOrder where incident.isOpen {
            guard let silence = state.silence(of: incident, plan, at: now), now - silence.since >= Figures.lifetime
            else { continue }
            close(
                incident,
                because: Phrase(silence.cause.asEnd, [.moment: .moment(silence.since)]),
                isSilent: true)
        }
    }
}
