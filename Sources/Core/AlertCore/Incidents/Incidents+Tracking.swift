internal import PluginKit

// Verdicts move incidents along: pending → firing → recovering → resolved.

extension Incidents {
    /// What is to become of the promise to look at an incident again.
    enum Touch {
        /// It has changed: whoever hears of it is to hear what is new.
        case revisit(String)
        /// What is due next about it may be due at another time.
        case reschedule(String)
    }

    /// Moves the incident of a rule and a subject along with what the rule thinks now.
    ///
    /// - Parameter isFresh: whether the figures that an incident rests on are young enough to be believed.
    mutating func track(
        _ rule: DetectorPlan, _ ruling: Ruling, _ judgement: Judgement, isFresh: Bool, _ plan: Plan, at now: Moment,
        _ output: inout Output
    ) -> Touch? {
        guard let incident = self[identity: ruling.identity] else {
            return open(rule, ruling, judgement, isFresh: isFresh, at: now, &output)
        }
        switch judgement.verdict {
        case .unknown:
            // While it must be well to end, too few cases are neither good news nor bad.
            return judgement.isUnsure && incident.hasFired && incident.endsFrom == nil
                ? goOn(incident, judgement.evidence, at: now, &output) : doubt(incident, &output)
        case .firing(let severity):
            if incident.state == .pending, incident.isUncertain, lostSight(of: incident, judgement, rule) {
                // Nobody knows that it held meanwhile, so the time it must hold begins anew.
                record(.ended(id: incident.id), &output)
                return open(rule, ruling, judgement, isFresh: isFresh, at: now, &output) ?? .reschedule(incident.id)
            }
            return fire(incident, severity, ruling.labels, judgement.evidence, at: now, &output)
        case .ok(let recovered):
            if incident.state == .pending {
                // It never held long enough: nobody was told, and nobody need be.
                record(.ended(id: incident.id), &output)
                return .reschedule(incident.id)
            }
            // On a grid of polls the hold is reached at the very instant of the next one: an end takes a good poll
            // after the opening.
            let isAfterOpening = rule.detector.holdTime <= .zero || now - incident.since > rule.detector.holdTime
            guard recovered, isAfterOpening else {
                return improve(incident, of: incident, judgement.evidence, at: now, &output)
            }
            return settle(incident, judgement.evidence, plan, at: now, &output)
        }
    }

    private mutating func open(
        _ rule: DetectorPlan, _ ruling: Ruling, _ judgement: Judgement, isFresh: Bool, at now: Moment,
        _ output: inout Output
    ) -> Touch? {
        guard case .firing(let severity) = judgement.verdict else { return nil }
        var incident = Incident(
            rule: rule.name, subject: ruling.subject, key: ruling.key, labels: ruling.labels, severity: severity,
            since: now, evidence: judgement.evidence)
        // Without a time to hold there is nothing to wait for, and one record says it all.
        if rule.detector.holdTime <= .zero, isFresh { incident.state = .firing }
        record(.incident(incident), &output)
        return .revisit(incident.id)
    }

    /// Notes that the last figures said nothing.
    private mutating func doubt(_ old: Incident, _ output: inout Output) -> Touch? {
        guard !old.isUncertain else { return nil }
        var incident = old
        incident.isUncertain = true
        record(.incident(incident), &output)
        return .reschedule(incident.id)
    }

    /// Keeps how it is now, where that is too close to call: it opens nothing and ends nothing, but it is known.
    private mutating func goOn(
        _ old: Incident, _ evidence: Evidence, at now: Moment, _ output: inout Output
    ) -> Touch {
        var incident = old
        incident.isUncertain = false
        incident.betterSince = nil
        incident.evidence = evidence
        // Beyond its limit again it is not getting better, whatever the figures can carry: people are reminded of it.
        if incident.state == .recovering, evidence.isBeyondLimit { incident.state = .firing }
        keep(incident, of: old, &output)
        return .revisit(incident.id)
    }

    private mutating func fire(
        _ old: Incident, _ severity: Severity, _ labels: [String: String], _ evidence: Evidence, at now: Moment,
        _ output: inout Output
    ) -> Touch {
        var incident = old
        incident.isUncertain = false
        // Somebody took care of something that was not as bad.
        if incident.acknowledgement?.isOutdone(by: severity, after: incident.severity) == true {
            incident.leaveUnattended(at: now)
        }
        incident.become(severity, at: now)
        incident.labels = labels
        if incident.state == .recovering { incident.state = .firing }
        relapse(&incident, at: now, &output)
        incident.betterSince = nil
        incident.evidence = evidence
        note(evidence, of: &incident, &output)
        keep(incident, of: old, &output)
        return .revisit(incident.id)
    }

    /// Keeps what has become of an incident: mostly its figures alone are new, and it is written with every poll.
    private mutating func keep(_ incident: Incident, of old: Incident, _ output: inout Output) {
        // In `fire` and `improve` the newest is the worst, or what was the worst stays so.
        let isWorst = incident.isAtItsWorst
        var seen = old
        seen.see(incident.evidence, isWorst: isWorst, incident.state)
        if old.state != .pending, seen == incident {
            record(.seen(incident: incident.id, incident.state, incident.evidence, isWorst: isWorst), &output)
        } else {
            record(.incident(incident), &output)
        }
    }

    /// Takes a good poll for its end, or, where it has come and gone before, for the begin of a time in which it must be well.
    private mutating func settle(
        _ old: Incident, _ evidence: Evidence, _ plan: Plan, at now: Moment, _ output: inout Output
    ) -> Touch {
        var incident = old
        if incident.endsFrom == nil, let asked = steadiness(of: incident, after: swings(of: incident), plan) {
            incident.endsFrom = now + asked.wait
            noteSwing(of: incident, at: now, &output)
        }
        if let end = incident.endsFrom, now < end { return improve(incident, of: old, evidence, at: now, &output) }
        incident.isUncertain = false
        incident.evidence = evidence
        return resolve(incident, because: nil, at: now, &output)
    }

    /// Notes that what was well for a while and might have been over is not.
    private mutating func relapse(_ incident: inout Incident, at now: Moment, _ output: inout Output) {
        guard incident.endsFrom != nil else { return }
        noteSwing(of: incident, at: now, &output)
        incident.endsFrom = nil
    }

    /// How long it must be well to be over; nil where the first good poll is its end, as of one that does not count.
    func steadiness(of incident: Incident, after swings: [Moment], _ plan: Plan) -> Steadiness? {
        firstLook.hasTouched(incident.id) ? nil : plan.steadiness(of: incident, after: swings)
    }

    /// What comes and goes within an incident counts as if it had ended and begun anew.
    private mutating func noteSwing(of incident: Incident, at now: Moment, _ output: inout Output) {
        if firstLook.concerns(incident.identity), let fact = discount(incident.id) { record(fact, &output) }
        guard !firstLook.hasTouched(incident.id) else { return }
        record(.swung(rule: incident.rule, incident.subject, key: incident.key, at: now), &output)
    }

    /// - Parameter changed: the same as `old`, but for what is known of its end.
    private mutating func improve(
        _ changed: Incident, of old: Incident, _ evidence: Evidence, at now: Moment, _ output: inout Output
    ) -> Touch {
        var incident = changed
        incident.isUncertain = false
        incident.evidence = evidence
        incident.state = .recovering
        if incident.betterSince == nil { incident.betterSince = evidence.span?.to ?? now }
        keep(incident, of: old, &output)
        return .revisit(incident.id)
    }

    /// Whether the figures said nothing for longer than the condition must hold.
    private func lostSight(of incident: Incident, _ judgement: Judgement, _ rule: DetectorPlan) -> Bool {
        guard let last = incident.evidence.span?.to, let next = judgement.evidence.span?.to else { return false }
        return next - last > rule.detector.holdTime
    }

    /// Ends an incident of which it is known that it is over; whoever heard of it is to hear of that.
    mutating func resolve(
        _ old: Incident, because end: Phrase?, at now: Moment, _ output: inout Output
    ) -> Touch {
        self.end(old, as: .resolved, because: end?.saying(), at: now, &output)
    }

    /// Ends an incident of which nobody knows any more how it is.
    ///
    /// - Parameter isSilent: whether its figures have stopped; otherwise nothing judges them any more.
    mutating func close(
        _ old: Incident, because why: Evidence.Words, isSilent: Bool = false, at now: Moment, _ output: inout Output
    ) -> Touch {
        var incident = old
        incident.isUncertain = isSilent
        return end(incident, as: .closed, because: why, at: now, &output)
    }

    private mutating func end(
        _ old: Incident, as state: Incident.State, because why: Evidence.Words?, at now: Moment, _ output: inout Output
    ) -> Touch {
        var incident = old
        if incident.state == .pending {
            record(.ended(id: incident.id), &output)
            return .reschedule(incident.id)
        }
        incident.state = state
        incident.until = now
        incident.endsFrom = nil
        if let why {
            incident.evidence.sentence = why.sentence
            incident.evidence.phrase = why.phrase
        }
        record(.incident(incident), &output)
        return .revisit(incident.id)
    }

    /// Ends whatever a rule tracks of a subject.
    mutating func end(
        trackedBy rule: String, _ subject: Subject, because why: Phrase, at now: Moment, _ output: inout Output
    ) -> [Touch] {
        tracked(by: rule, [subject]).compactMap { tracked in
            let identity = IncidentKey(rule: rule, subject: subject, key: tracked.key)
            return self[identity: identity].map { close($0, because: why.saying(), at: now, &output) }
        }
    }

    /// Whether a pending incident has held for as long as its rule wants.
    func isRipe(_ incident: Incident, _ rule: DetectorPlan, at now: Moment) -> Bool {
        incident.state == .pending && !incident.isUncertain && now - incident.since >= rule.detector.holdTime
    }

    /// Lets a pending incident fire whose time has come; in doubt where its figures are too old.
    mutating func ripen(_ id: String, isFresh: Bool, _ output: inout Output) {
        guard var incident = self[id] else { return }
        if isFresh {
            incident.state = .firing
        } else {
            incident.isUncertain = true
        }
        record(.incident(incident), &output)
    }

    mutating func forgetOldSwings(at now: Moment, _ output: inout Output) {
        for key in outdatedSwings(at: now) {
            record(.swings(rule: key.rule, key.subject, key: key.key, []), &output)
        }
    }
}

extension Judgement {
    /// Whether the figure is known and near its limit, and the rule cannot say on which side it truly is.
    var isUnsure: Bool {
        guard case .unknown = verdict else { return false }
        return closeness == .near && evidence.figure != nil
    }
}

extension Evidence {
    /// Whether the figure is further beyond its limit than the other one.
    func isWorse(than other: Evidence) -> Bool {
        // A rule about several metrics: figures of two kinds have only their distance from a limit in common.
        if metric != other.metric { return excess > other.excess }
        guard let mine = figure?.value, let theirs = other.figure?.value else { return false }
        return (limit ?? other.limit)?.relation.isBelow == false ? mine > theirs : mine < theirs
    }

    /// Whether the figure is known and on the bad side of its limit.
    var isBeyondLimit: Bool { figure.flatMap { figure in limit.map { $0.holds(figure.value) } } ?? false }

    /// How far the figure is from the limit, as a share of the limit; 0 where there is none. Of a rate from below the bad
    /// share counts: 97% is half as bad again as 98%, and not a hundredth.
    var excess: Double {
        guard let value = figure?.value, let limit else { return 0 }
        let isShare = metric.map { Metric($0).isRate(by: limit) } == true
        let allowed = isShare && limit.relation.isBelow ? max(1 - limit.limit, Evidence.shareMin) : limit.limit
        let excess = abs(value - limit.limit) / max(abs(allowed), .leastNormalMagnitude)
        return excess.isFinite ? excess : 0
    }

    /// Of a limit of 100% nothing is allowed, and what is beyond it must still compare.
    private static let shareMin = 0.0001
}
