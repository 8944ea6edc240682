internal import PluginKit

// Observations become verdicts, verdicts become incidents.

extension Turn {
    /// Takes in lines of a file: what sources saw, or how polls ended that brought no figures.
    mutating func takeLines(_ lines: [ObservationLine], asked: Moment) {
        // Nearly always they are of one source.
        var seen: [(source: String, observations: [Observation])] = []
        for index in lines.indices {
            switch lines[index] {
            case .observed(let observation):
                let source = observation.subject.source
                if let index = seen.firstIndex(where: { $0.source == source }) {
                    seen[index].observations.append(observation)
                } else {
                    seen.append((source, [observation]))
                }
            case .empty(let poll):
                takeReport(
                    of: poll.source, PollReport(PollReport.Outcome(poll.outcome)),
                    validators: state.sources[poll.source]?.validators ?? [:])
            }
        }
        for (name, observations) in seen.sorted(by: { $0.source < $1.source }) {
            var record = state.sources[name] ?? SourceRecord()
            record.lastPolled = asked
            self.record(.source(name: name, record))
            takeReport(of: name, PollReport(.values(observations)), validators: record.validators)
        }
    }

    /// Keeps the figures and judges every subject among them; gives back how close the closest is to a limit.
    mutating func takeObservations(_ observations: [Observation], of source: String) -> Judgement.Closeness {
        let retention = plan.retention(of: source)
        var subjects: [Subject] = []
        var named: Set<Subject> = []
        subjects.reserveCapacity(observations.count)
        named.reserveCapacity(observations.count)
        // With room for what follows, which would move all of them.
        output.facts.reserveCapacity(output.facts.count + 2 * observations.count)
        for var observation in observations where observation.subject.source == source {
            guard prepare(&observation) else { continue }
            record(.observed(observation, keeping: retention))
            if named.insert(observation.subject).inserted { subjects.append(observation.subject) }
        }
        return judge(subjects)
    }

    /// Makes the observation what is kept of it; gives back whether it is kept.
    private mutating func prepare(_ observation: inout Observation) -> Bool {
        // One search for all; and the series is let go of before it changes, or that would copy it.
        let known = state.series[observation.subject]
        guard isKept(&observation, known) else { return false }
        observation.setBack(to: now)
        askToLearn(of: observation, known)
        return true
    }

    /// Sees to it that what the rules concerned want remembered of the subject is, from this observation on, and no more.
    private mutating func askToLearn(of observation: Observation, _ known: Series?) {
        let subject = observation.subject
        var needs = MemoryNeeds()
        for rule in plan.detectors where !rule.needs.isEmpty {
            guard rule.concerns(subject, labels: observation.labels), !isPart(subject, under: rule) else { continue }
            needs.formUnion(rule.needs)
        }
        guard !(known?.remembers(needs) ?? needs.isEmpty) else { return }
        record(.learning(subject, needs))
    }

    /// Makes the observation as the journal will give it back; not kept, with a note, is what it could not give back, and what has
    /// lost of what was there.
    private mutating func isKept(_ observation: inout Observation, _ known: Series?) -> Bool {
        do {
            if !observation.isAsWritten { observation = try observation.written() }
            if let exaggeration = observation.metrics.exaggeration {
                note(
                    .warning,
                    "source \(observation.subject.source): an observation makes no sense: \(exaggeration)")
                return false
            }
            if let (metric, before, now) = known?.melting(in: observation) {
                note(
                    .warning,
                    "source \(observation.subject.source): of \(observation.subject.app.tamed) from \(observation.span.from) to "
                        + "\(observation.span.to) there were \(before.plain) \(metric) and now are \(now.plain); "
                        + "what was seen before is kept")
                return false
            }
            return true
        } catch {
            note(.warning, "source \(observation.subject.source): an observation makes no sense: \(error)")
            return false
        }
    }

    /// Whether the subject is one release of an app that is also seen as a whole: a rule that does not ask for releases
    /// judges the whole alone, or one trouble would be told many times.
    func isPart(_ subject: Subject, under rule: DetectorPlan) -> Bool {
        guard subject.release != nil, rule.match["release"] == nil else { return false }
        return state.series.keys.contains(subject.whole)
    }

    /// Moves the incident of a rule and a subject along with what the rule thinks now.
    mutating func track(
        _ rule: DetectorPlan, _ subject: Subject, key: String? = nil, _ labels: [String: String], _ judgement: Judgement
    ) {
        if tellsJudgements {
            output.judgements.append(JudgementRecord(rule: rule.name, subject: subject, key: key, judgement: judgement))
        }
        let identity = IncidentKey(rule: rule.name, subject: subject, key: key)
        guard var incident = state.incidentIDs[identity].flatMap({ state.incidents[$0] }) else {
            if case .firing(let severity) = judgement.verdict {
                var incident = Incident(
                    rule: rule.name, subject: subject, key: key, labels: labels, severity: severity, since: now,
                    evidence: judgement.evidence)
                // Without a time to hold there is nothing to wait for, and one record says it all.
                if rule.detector.holdTime <= .zero, areFiguresFresh(incident, rule) { incident.state = .firing }
                keep(incident, worsenedTo: nil)
                revisit(incident.id)
            }
            return
        }
        switch judgement.verdict {
        case .unknown:
            guard !incident.isUncertain else { return }
            incident.isUncertain = true
            record(.incident(incident))
            setIncidentTimer(incident.id)
        case .firing(let severity):
            if incident.state == .pending, incident.isUncertain, lostSight(of: incident, judgement, rule) {
                // Nobody knows that it held meanwhile, so the time it must hold begins anew.
                record(.incidentEnded(id: incident.id))
                setIncidentTimer(incident.id)
                track(rule, subject, key: key, labels, judgement)
                return
            }
            incident.isUncertain = false
            // Somebody took care of something that was not as bad.
            if severity > incident.severity { incident.acknowledgement = nil }
            incident.severity = severity
            incident.labels = labels
            if incident.state == .recovering { incident.state = .firing }
            keep(incident, worsenedTo: judgement.evidence)
            revisit(incident.id)
        case .ok(let recovered):
            if incident.state == .pending {
                // It never held long enough: nobody was told, and nobody need be.
                record(.incidentEnded(id: incident.id))
                setIncidentTimer(incident.id)
            } else if recovered {
                incident.isUncertain = false
                incident.evidence = judgement.evidence
                resolve(incident, because: nil)
            } else {
                incident.isUncertain = false
                incident.state = .recovering
                incident.evidence = judgement.evidence
                record(.incident(incident))
                revisit(incident.id)
            }
        }
    }

    /// Whether the figures said nothing for longer than the condition must hold.
    private func lostSight(of incident: Incident, _ judgement: Judgement, _ rule: DetectorPlan) -> Bool {
        guard let last = incident.evidence.span?.to, let next = judgement.evidence.span?.to else { return false }
        return next - last > rule.detector.holdTime
    }

    private mutating func keep(_ incident: Incident, worsenedTo evidence: Evidence?) {
        var incident = incident
        if let evidence {
            incident.evidence = evidence
            if evidence.isWorse(than: incident.worst) { incident.worst = evidence }
        }
        record(.incident(incident))
    }

    /// Ends an incident and tells whoever was told of it.
    mutating func resolve(_ incident: Incident, because sentence: String?) {
        var incident = incident
        if incident.state == .pending {
            record(.incidentEnded(id: incident.id))
            setIncidentTimer(incident.id)
            return
        }
        incident.state = .resolved
        incident.until = now
        if let sentence { incident.evidence.sentence = sentence }
        record(.incident(incident))
        revisit(incident.id)
    }

    /// Ends the incidents that the config has no place for any more.
    mutating func endIncidentsWithoutRule() {
        for incident in state.incidentsInOrder where incident.isOpen {
            if let sentence = whyOutdated(incident) { resolve(incident, because: sentence) }
        }
    }

    private func whyOutdated(_ incident: Incident) -> String? {
        let name = incident.subject.source
        if let trouble = Trouble(rawValue: incident.rule) {
            let isKnown =
                switch trouble {
                case .channelFailing: plan.channel(name) != nil
                case .sourceFailing, .sourceStopped: plan.source(name) != nil
                case .journalFailing: true
                }
            return isKnown ? nil : "\(name) is not in the config any more."
        }
        guard let rule = plan.detector(incident.rule) else {
            return "The rule \(incident.rule) is not in the config any more."
        }
        guard plan.source(name) != nil else { return "The source \(name) is not in the config any more." }
        let isConcerned =
            rule.scope == .source
            ? rule.canConcern(source: name)
            : rule.concerns(incident.subject, labels: incident.labels)
                && (rule.scope != .app || rule.shows(release: incident.subject.release))
        guard isConcerned else { return "The rule \(incident.rule) does not match it any more." }
        return canJudge(incident, rule) ? nil : "The rule \(incident.rule) is another one now and does not judge this."
    }

    /// Whether the rule looks at such things at all: under its name another plugin may have opened the incident.
    private func canJudge(_ incident: Incident, _ rule: DetectorPlan) -> Bool {
        let subject = incident.subject
        return switch rule.scope {
        case .source: subject.app == subject.source || state.series[subject] != nil
        case .app: state.series.keys.contains { $0.whole == subject.whole }
        case .subject: state.series[subject] != nil && (incident.key == nil || rule.judge == nil)
        }
    }

    /// Has an incident that has changed looked at before this turn ends, after those that began before it.
    mutating func revisit(_ id: String) { state.timers.set(.incident(id), now) }

    /// Lets a pending incident fire whose time has come.
    mutating func ripen(_ id: String) {
        guard var incident = state.incidents[id], incident.state == .pending, !incident.isUncertain,
            let rule = plan.detector(incident.rule), now - incident.since >= rule.detector.holdTime
        else { return }
        if areFiguresFresh(incident, rule) {
            incident.state = .firing
        } else {
            incident.isUncertain = true
        }
        record(.incident(incident))
    }

    /// Looks at an incident whose time has come, or that has changed: whether it fires now, and whom to tell.
    mutating func reconsider(_ id: String) {
        ripen(id)
        guard let incident = state.incidents[id] else { return }
        announce(incident)
        setIncidentTimer(id)
    }

    /// Whether the last figures are young enough to be believed.
    func areFiguresFresh(_ incident: Incident, _ rule: DetectorPlan) -> Bool {
        // How fresh the figures are is what such a rule is about.
        if rule.scope == .source { return true }
        guard let series = state.series[incident.subject] else { return false }
        return now - lastKnown(series, of: incident.subject.source)
            <= plan.figuresLast(incident.subject.source, for: rule)
    }

    /// When the figures were last known to hold: an answer that says 'as before' says it of all that came before it.
    private func lastKnown(_ series: Series, of source: String) -> Moment {
        guard let record = state.sources[source], record.lastOutcome == .unchanged, let lastGood = record.lastGood,
            let lastChanged = record.lastChanged, series.lastSeen >= lastChanged
        else { return series.lastSeen }
        return max(series.lastSeen, lastGood)
    }

    /// How soon an incident that has just been looked at may be due again.
    static let secondLookAfter = Duration.milliseconds(1)

    /// Promises to look at the incident when the next thing about it is due.
    mutating func setIncidentTimer(_ id: String) {
        guard let incident = state.incidents[id] else {
            state.timers.set(.incident(id), nil)
            return
        }
        var due: [Moment] = []
        if incident.state == .pending, !incident.isUncertain, let rule = plan.detector(incident.rule) {
            due.append(incident.since + rule.detector.holdTime)
        }
        // A channel that has left the config has nothing to wait for.
        let isHeard = state.journalTrouble == nil || isAboutJournal(id)
        for (channel, standing) in incident.standings where isHeard && plan.channel(channel) != nil {
            if let hold = standing.hold {
                // The summary that this turn sends looks after it.
                if hold.isForSummary, hold.lookAgain <= now, summariesDue.contains(channel) { continue }
                // What only an event can release, the event brings back.
                if hold.lookAgain < .latest { due.append(hold.lookAgain) }
            } else if let reminder = reminderDue(incident, standing, in: channel) {
                due.append(reminder)
            }
        }
        due += escalations(of: incident).map(\.from).filter { $0 > now }
        // Whatever should have been settled by now and is not must not keep the turn from ending.
        state.timers.set(.incident(id), due.min().map { max($0, now + Turn.secondLookAfter) })
    }
}

extension Evidence {
    /// Whether the figure is further beyond its limit than the other one.
    func isWorse(than other: Evidence) -> Bool {
        guard let mine = figure?.value, let theirs = other.figure?.value else { return false }
        return (limit ?? other.limit)?.relation.isBelow == false ? mine > theirs : mine < theirs
    }
}
