public import PluginKit

// What people tell the bot: mutes, acknowledgements, another try for a dead letter.

extension Turn {
    /// Does what a command says, as far as the durable state goes; what follows from it is left to the next look.
    mutating func obey(_ command: Command) -> CommandAnswer {
        switch command {
        case .mute(let match, let until, let reason, let by): mute(match.withoutRepeats, until, reason, by)
        case .unmute(let which): unmute(which)
        case .acknowledge(let ids, let by): acknowledge(ids, by)
        case .retry(let id): retry(id)
        }
    }

    private mutating func mute(
        _ match: Match, _ until: Command.Until, _ reason: String?, _ by: String?
    ) -> CommandAnswer {
        let end =
            switch until {
            case .after(let length): now + length
            case .at(let moment): moment
            }
        guard end > now else {
            return .refused("a mute that ends at \(plan.zone.words(end, readAt: now)) would already be over")
        }
        if case .after(let length) = until, length > Mute.lengthMax {
            return .refused(
                "a mute for \(length.short) is longer than a year; give the date on which it ends, "
                    + "or write it into the config, as a rule of plugin mute")
        }
        if let stranger = stranger(in: match) { return .refused(stranger) }
        withdrawNewsOfEndedMutes()
        let count = state.mutes.inForce(at: now).count
        guard count < Mute.countMax else {
            return .refused("there are \(count) mutes already; end some with 'alertbot unmute'")
        }
        // Whoever sets thousands in a day keeps those that are over for no longer.
        if state.mutes.count >= 2 * Mute.countMax { state.mutes.forget(endedBefore: now, &output) }
        let mute = Mute(
            id: freshMuteID(match), match: match, from: now, until: end,
            reason: reason.map { $0.tamed.clipped(to: Mute.reasonCharactersMax) },
            by: by.map { $0.tamed.clipped(to: Mute.reasonCharactersMax) })
        let incidents = state.incidents.inOrder
        let hearers = hearers(of: match, among: incidents, until: end)
        state.mutes.record(.mute(mute), &output)
        let covered = checkAgain(at: mute, among: incidents)
        announce(mute, to: hearers)
        return .done(
            "muted \(match.sentence) until \(plan.zone.words(end, readAt: now)) (\(mute.id))"
                + (covered == 0 ? "" : "; it covers \(covered) open \(covered == 1 ? "incident" : "incidents")")
                + unseen(in: match), mute.json)
    }

    /// That a source or a rule in it is none, so that it would cover nothing; nil where all are known.
    private func stranger(in match: Match) -> String? {
        // Of the bot's own troubles the source is what they are about: a channel, say.
        let about = state.incidents.all.map(\.subject.source)
        let known = [
            "source": plan.sources.map(\.name) + about,
            "rule": plan.detectors.map(\.name) + Trouble.allCases.map(\.rawValue),
        ]
        for condition in match.conditions {
            guard let names = known[condition.property] else { continue }
            for pattern in condition.patterns where !names.contains(where: pattern.fits) {
                let name = pattern.pattern.quotable
                return "there is no \(condition.property) '\(name)'\(pattern.pattern.guess(in: names))"
            }
        }
        return nil
    }

    /// That nothing has arrived which a part of it fits: that may be what was wanted, and may be a slip of the hand.
    private func unseen(in match: Match) -> String {
        let subjects = Array(state.figures.series.keys) + state.incidents.all.map(\.subject)
        guard !subjects.isEmpty else { return "" }
        for condition in match.conditions {
            var known: Set<String>
            let what: String
            switch condition.property {
            // These are in the config, and were looked for there; severities come and go; of an issue its incident alone knows.
            case "source", "rule", "severity", "issue": continue
            case "app":
                // Of the bot's own troubles there are no figures.
                known = Set(subjects.map(\.app) + [Subject.botApp])
                what = "of app "
            case "release":
                known = Set(subjects.compactMap(\.release))
                what = "of release "
            case "environment":
                known = Set(subjects.compactMap(\.environment))
                what = "of environment "
            case let name:
                let labels = labels
                known = Set(labels.compactMap { $0[name] })
                what = "with \(name.tamed) "
                if known.isEmpty {
                    let names = Set(labels.flatMap(\.keys)).union(Match.properties)
                    return "; no figures with a label \(name.tamed) have arrived so far"
                        + name.guess(in: names.sorted())
                }
            }
            guard let first = condition.patterns.first(where: { $0.pattern != "*" && !known.contains(where: $0.fits) })
            else { continue }
            known.remove(Subject.botApp)
            return "; no figures \(what)\(first.pattern.tamed) have arrived so far"
                + first.pattern.guess(in: known.sorted())
        }
        return ""
    }

    /// Those of everything that is known.
    private var labels: [[String: String]] {
        state.figures.series.values.map(\.labels) + state.incidents.all.map(\.labels)
            + plan.sources.compactMap(\.owner).map { [Match.owner: $0] }
    }

    /// Short enough to be typed, and never that of a mute in force.
    private func freshMuteID(_ match: Match) -> String {
        var hash = StableHash()
        for part in [plan.botName, now.description, match.json.text] { hash.add(part) }
        while true {
            let id = String(hash.text.prefix(6))
            if state.mutes[id] == nil { return id }
            hash.add(id)
        }
    }

    private mutating func unmute(_ which: Command.Muted) -> CommandAnswer {
        withdrawNewsOfEndedMutes()
        let ended: [Mute]
        switch which {
        case .all:
            ended = state.mutes.inForce(at: now)
            // What only looks as if it were over, by a clock that is wrong, is not to come back.
            state.mutes.forget(endedBefore: now, &output)
        case .id(let id):
            let found = mutes(named: id)
            guard found.count < 2 else { return ambiguous(id, found.map(\.id)) }
            guard let mute = found.first else {
                if plan.gates.contains(where: { $0.name == id && $0.gate.stage == .mutes }) {
                    return .refused("'\(id.tamed)' is a rule in the config; remove it there and reload")
                }
                let known = state.mutes.inForce(at: now).map(\.id).sorted()
                return .refused(
                    "there is no mute '\(id.tamed)'; "
                        + (known.isEmpty ? "none is set" : "those set are \(known.joined(separator: ", "))")
                        + id.guess(in: known))
            }
            ended = [mute]
        }
        for mute in ended { state.mutes.record(.ended(id: mute.id), &output) }
        var told = Told(state.outbox)
        // Put in their order once: somebody may end a thousand mutes at once.
        let incidents = state.incidents.inOrder
        for mute in ended {
            _ = checkAgain(at: mute, among: incidents)
            takeBack(mute, among: incidents, unlessIn: &told)
        }
        let what = ended.count == 1 ? "the mute of \(ended[0].match.sentence) has" : "\(ended.count) mutes have"
        return .done(ended.isEmpty ? "nothing was muted" : "\(what) ended", .array(ended.map(\.json)))
    }

    /// The mute of that id, or those whose ids begin so. A rule of the config that is called so is meant rather than these.
    private func mutes(named name: String) -> [Mute] {
        if let mute = state.mutes[name], now < mute.until { return [mute] }
        guard !name.isEmpty, !plan.gates.contains(where: { $0.name == name }) else { return [] }
        return state.mutes.inForce(at: now).filter { $0.id.hasPrefix(name) }
    }

    /// That more than one thing has an id that begins so.
    private func ambiguous(_ name: String, _ ids: [String]) -> CommandAnswer {
        .refused("'\(name.tamed)' is ambiguous: \(ids.sorted().joined(separator: " or ")); type more of the id")
    }

    private mutating func acknowledge(_ names: [String], _ by: String?) -> CommandAnswer {
        var incidents: [Incident] = []
        var taken: Set<String> = []
        var earlier: [String: Acknowledgement] = [:]
        for name in names {
            let found = openIncidents(named: name)
            guard found.count < 2 else { return ambiguous(name, found.map(\.id)) }
            guard let incident = found.first, !name.isEmpty else {
                return .refused(noIncident(name))
            }
            // By two names it is acknowledged once.
            if taken.insert(incident.id).inserted { incidents.append(incident) }
        }
        let by = by.map { $0.tamed.trimmed.clipped(to: Mute.reasonCharactersMax) }
        for var incident in incidents {
            let new = Acknowledgement(at: now, by: by, of: incident.severity)
            if var known = incident.acknowledgement {
                earlier[incident.id] = known
                guard known.join(new) else { continue }
                incident.acknowledgement = known
            } else {
                incident.acknowledgement = new
            }
            state.incidents.record(.incident(incident), &output)
            tellAcknowledged(incident)
            state.agenda.revisit(incident.id, at: now)
        }
        let what = incidents.map { incident in
            let first =
                earlier[incident.id].map { known in
                    "; acknowledged before by \(known.names), first at \(plan.zone.words(known.at))"
                } ?? ""
            return "\(incident.id) (\(incident.rule), \(incident.subject.app.tamed)\(first))"
        }.joined(separator: ", ")
        return .done(
            "acknowledged \(what): no more reminders unless it gets worse", .array(incidents.map { .string($0.id) }))
    }

    /// Those whose ids begin so; all of them are looked at only where it is no whole id.
    private func openIncidents(named name: String) -> [Incident] {
        if let incident = state.incidents[name], incident.isOpen { return [incident] }
        return state.incidents.all.filter { $0.isOpen && $0.id.hasPrefix(name) }
    }

    /// That the incident whose id begins so is over, as far as anything is known of it.
    private func over(_ name: String) -> String? {
        guard !name.isEmpty else { return nil }
        let said = state.outbox.history.map(\.delivery) + state.outbox.deliveries.values
        let known = said.flatMap(\.summaries) + state.incidents.all.map { IncidentSummary($0) }
        let meant = known.filter { $0.id.hasPrefix(name) }
        guard let incident = meant.last, meant.allSatisfy({ $0.id == incident.id }) else { return nil }
        let end =
            meant.lazy.compactMap(\.until).last.map { "ended at \(plan.zone.words($0, readAt: now))" } ?? "is over"
        return "incident \(incident.id) (\(incident.rule), \(incident.subject.app.tamed)) \(end): "
            + "there is nothing to acknowledge"
    }

    /// That no open incident has that id, and which was probably meant: people write apps and rules, too.
    private func noIncident(_ name: String) -> String {
        if let over = over(name) { return over }
        let open = state.incidents.inOrder.filter { $0.isOpen }
        let named = open.filter { $0.subject.app == name || $0.rule == name }
        let shown = (named.isEmpty ? open : named).prefix(Turn.namedMax)
        let list = shown.map { "\($0.id) (\($0.rule), \($0.subject.app.tamed))" }.joined(separator: ", ")
        let more = (named.isEmpty ? open : named).count - shown.count
        return "there is no open incident '\(name.tamed)'; "
            + (open.isEmpty
                ? "none is open" : named.isEmpty ? "those open are \(list)" : "those of that name are \(list)")
            + (more > 0 ? " and \(more) more" : "") + name.guess(in: open.map(\.id))
    }

    /// Incidents named in an answer; more are for `alertbot incidents`.
    private static let namedMax = 10

    private mutating func retry(_ name: String) -> CommandAnswer {
        let found = deliveries(named: name)
        guard found.count < 2 else { return ambiguous(name, found) }
        let id = found.first ?? name
        if let delivery = state.outbox[id] {
            return .refused(
                "delivery \(id) has not failed: it is waiting for channel \(delivery.channel), "
                    + "after \(delivery.progress.attempts.counted("attempt"))"
            )
        }
        guard let entry = state.outbox.history.last(where: { $0.delivery.id == id }) else {
            return .refused(
                "there is no delivery '\(id.tamed)'; 'alertbot history --dead' lists failed deliveries"
                    + id.guess(in: state.outbox.history.filter(\.end.isDead).map(\.delivery.id)))
        }
        guard entry.end.isDead else {
            return .refused("delivery \(id) has not failed: it was \(entry.end.name) at \(plan.zone.words(entry.at))")
        }
        var again = entry.delivery
        guard state.failedDeliveries.contains(where: { $0.delivery.id == id }) else {
            return .refused(
                "the message of delivery \(id) has been sent to channel \(again.channel) again since it failed, or is on its way"
            )
        }
        if isPast(again) {
            again.message = writer.past(again.message)
            again.kind = again.message.kind
        }
        guard plan.channel(again.channel) != nil else {
            return .refused(
                "its channel \(again.channel) is no longer in the config; add a channel of that name first")
        }
        again = state.outbox.acceptAgain(again, at: now, &output)
        follow(state.incidents.announceAgain(again, at: now, &output))
        state.agenda.dispatch(again.channel, at: now)
        return .done("delivery \(id) is queued again for channel \(again.channel)", ["id": .string(id)])
    }

    /// The id of the delivery that is called so, or those of failed ones that begin so.
    private func deliveries(named name: String) -> [String] {
        let isWhole = state.outbox[name] != nil || state.outbox.history.contains { $0.delivery.id == name }
        guard !isWhole, !name.isEmpty else { return [name] }
        return Set(state.failedDeliveries.map(\.delivery.id).filter { $0.hasPrefix(name) }).sorted()
    }

    /// Whether it tells of things as going on that are over by now; no end would follow it.
    private func isPast(_ delivery: Delivery) -> Bool {
        let incidents = delivery.message.incidents
        return !delivery.kind.isEnd && delivery.kind != .digest && !incidents.isEmpty
            && incidents.allSatisfy { state.incidents[$0.id]?.isOpen != true }
    }

    /// Has every incident that a mute concerns looked at anew; gives back how many there are.
    private mutating func checkAgain(at mute: Mute, among incidents: [Incident]) -> Int {
        let concerned = state.incidents.askAnew(mute, among: incidents, at: now, &output)
        for incident in concerned { state.agenda.revisit(incident.id, at: now) }
        return concerned.count { $0.isOpen && $0.state != .pending }
    }
}

extension Match {
    /// `app shop-*, rule floor`, or `everything`.
    public var sentence: String { Words.english.sentence(of: self) }
}
