internal import PluginKit

// A wall clock that is set. Whatever counts time moves along with it, so that neither a flood nor a silence follows;
// calendars (quiet hours, mutes) do not move, and are asked anew.

extension Turn {
    mutating func moveClock(by step: Duration) {
        note(.warning, "the clock was set by \(step.inSeconds) s")
        moveSources(by: step)
        moveDeliveries(by: step)
        moveIncidents(by: step)
        for channel in plan.channels { dispatch(channel.name) }
        // Every source has its chance to be heard again before silence counts.
        state.timers.set(.housekeeping, now + .hours(1))
    }

    /// Notices a clock that was set back while the bot was down: what it did last lies in the future now. A clock that was
    /// set forward looks like a long sleep, and is treated as one.
    mutating func moveClockIfSetBack() {
        let past =
            state.sources.values.compactMap(\.lastPolled) + state.outbox.values.map(\.queued)
            + state.tellings.values.compactMap(\.last?.at)
        if let latest = past.max(), latest > now { moveClock(by: now - latest) }
    }

    private mutating func moveSources(by step: Duration) {
        for name in state.sources.keys.sorted() {
            guard var record = state.sources[name] else { continue }
            record.due = record.due.map { $0 + step }
            record.lastPolled = record.lastPolled.map { $0 + step }
            record.lastGood = record.lastGood.map { $0 + step }
            record.lastChanged = record.lastChanged.map { $0 + step }
            if let since = record.failure?.since { record.failure?.since = since + step }
            self.record(.source(name: name, record))
            setPollTimer(name)
        }
        for (subject, series) in state.series.sorted(by: { $0.key < $1.key }) where series.lastSeen > now {
            var moved = series
            moved.setBack(to: now)
            record(.series(subject, moved))
        }
    }

    private mutating func moveDeliveries(by step: Duration) {
        for name in state.channels.keys.sorted() {
            guard var record = state.channels[name], let paused = record.pausedUntil else { continue }
            record.pausedUntil = paused + step
            self.record(.channel(name: name, record))
        }
        state.buckets = state.buckets.mapValues { Bucket(tokens: $0.tokens, at: $0.at + step) }
        for (channel, tellings) in state.tellings.sorted(by: { $0.key < $1.key }) {
            let moved = tellings.map { Telling(number: $0.number, at: $0.at + step, apps: $0.apps) }
            record(.tellings(channel: channel, moved))
        }
        for old in state.outboxInOrder {
            var delivery = old
            delivery.queued = old.queued + step
            switch old.phase {
            case .waiting(let notBefore): delivery.phase = .waiting(notBefore: notBefore + step)
            case .attempting(let since): delivery.phase = .attempting(since: since + step)
            }
            record(.delivery(delivery))
        }
    }

    private mutating func moveIncidents(by step: Duration) {
        for old in state.incidentsInOrder {
            var incident = old
            if old.state == .pending {
                // Its beginning starts the wait, and makes its id: nobody has been told either yet.
                record(.incidentEnded(id: old.id))
                setIncidentTimer(old.id)
                incident = Incident(
                    rule: old.rule, subject: old.subject, labels: old.labels, severity: old.severity,
                    since: old.since + step, evidence: old.evidence)
                incident.worst = old.worst
                incident.isUncertain = old.isUncertain
            }
            incident.standings = incident.standings.mapValues { standing in
                var moved = standing
                moved.firstSaid = standing.firstSaid.map { $0 + step }
                moved.lastSaid = standing.lastSaid.map { $0 + step }
                // What was said of a span by the old clock is no correction of what the new one measures then.
                moved.said = nil
                if let hold = standing.hold {
                    moved.hold?.since = hold.since + step
                    moved.hold?.lookAgain = now
                }
                return moved
            }
            record(.incident(incident))
            reconsider(incident.id)
        }
    }
}
