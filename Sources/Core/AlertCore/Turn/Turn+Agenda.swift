internal import PluginKit

// What a change of one room makes due, and what was changed on the way.

extension Turn {
    /// Keeps the promises about incidents in step with what has become of them.
    mutating func follow(_ touched: some Sequence<Incidents.Touch>) {
        for touch in touched {
            switch touch {
            case .revisit(let id): state.agenda.revisit(id, at: now)
            case .reschedule(let id): reschedule(id)
            }
        }
    }

    mutating func follow(_ touch: Incidents.Touch?) {
        if let touch { follow(CollectionOfOne(touch)) }
    }

    /// Ends an incident of which nobody knows any more how it is.
    mutating func close(_ incident: Incident, because why: Phrase, isSilent: Bool = false) {
        follow(
            state.incidents.close(
                incident, because: why.saying { plan.zone.words($0) }, isSilent: isSilent, at: now, &output))
    }

    /// Opens an incident about a source, a channel or the bot itself, unless one is open that is as bad, and has the rest follow.
    ///
    /// - Parameters:
    ///   - severity: how bad it is, where that is worse than such a trouble is at least.
    ///   - since: when it began, where that was before now.
    mutating func raiseTrouble(
        _ trouble: Trouble, about name: String, severity: Severity? = nil, since: Moment? = nil, _ phrase: Phrase
    ) {
        follow(
            state.incidents.raise(
                trouble, about: name, severity: severity ?? trouble.leastSeverity, since: since ?? now,
                Evidence(saying: phrase) { plan.zone.words($0) }, at: now, &output))
    }

    /// Ends a trouble; gives back whether there was one.
    @discardableResult
    mutating func clearTrouble(_ trouble: Trouble, about name: String) -> Bool {
        let touch = state.incidents.clear(trouble, about: name, at: now, &output)
        follow(touch)
        return touch != nil
    }

    /// Ends a trouble that began so long ago, or on a clock that was ahead and has been set back since.
    mutating func clearTrouble(_ trouble: Trouble, about name: String, ifOlderThan age: Duration) {
        guard let incident = state.incidents[identity: trouble.identity(about: name)],
            now - incident.since >= age || incident.since > now
        else {
            return
        }
        clearTrouble(trouble, about: name)
    }

    /// Lets a pending incident fire whose time has come.
    mutating func ripen(_ id: String) {
        guard state.incidents.isPending(id), let incident = state.incidents[id],
            let rule = plan.detector(incident.rule),
            state.incidents.isRipe(incident, rule, at: now)
        else { return }
        state.incidents.ripen(id, isFresh: state.isFresh(incident, for: rule, plan, at: now), &output)
    }

    /// How soon an incident that has just been looked at may be due again.
    static let secondLookAfter = Duration.milliseconds(1)

    /// Promises to look at the incident when the next thing about it is due.
    mutating func reschedule(_ id: String) {
        guard let incident = state.incidents[id] else { return state.agenda.set(.incident(id), nil) }
        var due: [Moment] = []
        if incident.state == .pending, !incident.isUncertain, let rule = plan.detector(incident.rule) {
            due.append(incident.since + rule.detector.holdTime)
        }
        // What is due waits for the first answers after a start: the agenda is told when they come, and not every moment.
        let source = incident.subject.source
        let answers = (own: state.schedule.catchesUp(source) ?? .earliest, all: state.schedule.allCatchUp ?? .earliest)
        if incident.isOpen, answers.own > now {
            state.agenda.await(source, id)
            due.append(answers.own)
        }
        // A channel that has left the config has nothing to wait for.
        let isHeard = mayAnnounce(id)
        for (channel, standing) in incident.standings where isHeard && plan.channel(channel) != nil {
            if let hold = standing.hold {
                if incident.isUnheardRecovery(standing), hold.gathering?.style != .digest {
                    if let end = state.mayEndUnheardUntil(incident, hold, plan), end > now { due.append(end) }
                    continue
                }
                // The summary that this turn sends looks after it.
                if hold.isForSummary, hold.checkAgain <= now, summariesDue.contains(channel) { continue }
                // What only an event can release, the event brings back.
                if hold.checkAgain < .latest {
                    due.append(max(hold.checkAgain, hold.gathering == nil ? answers.own : answers.all))
                }
                continue
            }
            // Whoever was sent no correction yet is sent the first at once.
            if standing.corrected != nil, let revision = revisionDue(of: incident, standing) { due.append(revision) }
            if let reminder = state.reminderDue(incident, standing, in: channel, plan, at: now),
                !isOffDuty(channel, for: incident)
            {
                due.append(reminder)
            }
        }
        // Of what was getting better, reminders begin when its figures have stopped.
        if incident.state == .recovering, let end = state.knownUntil(incident, plan), end > now { due.append(end) }
        if let end = state.incidents.waningMoment(of: id), end > now { due.append(end) }
        due += plan.escalations(of: incident).map(\.from).filter { $0 > now }
        // Whoever comes on call hears of what is still open.
        if incident.isOpen, let handover = plan.nextHandover(of: incident, after: now) { due.append(handover) }
        // Whatever should have been settled by now and is not must not keep the turn from ending.
        state.agenda.set(.incident(id), due.min().map { max($0, now + Turn.secondLookAfter) })
    }

    /// Whether anything may be accepted about the incident: whatever is not accepted while the journal cannot be
    /// written is looked at again when it can be.
    func mayAnnounce(_ id: String) -> Bool {
        state.outbox.journalTrouble == nil || state.incidents.isAboutJournal(id)
    }
}
