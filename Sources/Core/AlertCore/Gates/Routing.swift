internal import PluginKit

// Whom an incident concerns.

extension Plan {
    /// The channels that the routes name for an incident, in the order of the config, and those it has escalated to.
    ///
    /// - Parameter dead: the channels that nothing reaches. Where a trouble of the bot would be told to these alone, all others
    ///   hear of it rather than nobody.
    func channels(for incident: Incident, at now: Moment, dead: Set<String> = []) -> [String] {
        var names = routes(of: incident, at: now)
        if !dead.isEmpty, incident.isTroubleOfBot, dead.isSuperset(of: names) {
            // Those that are dead as well, too: by now they may not be.
            names += channels.map(\.name).filter { !names.contains($0) && !isSilent($0, about: incident) }
        }
        for escalation in escalations(of: incident) where escalation.from <= now {
            names += escalation.channels.filter { !names.contains($0) && !isSilent($0, about: incident) }
        }
        return names
    }

    /// A channel cannot report its own silence.
    private func isSilent(_ channel: String, about incident: Incident) -> Bool {
        incident.subject.app == Subject.botApp && incident.rule == Trouble.channelFailing.rawValue
            && incident.subject.source == channel
    }

    /// The same without those that it has escalated to.
    func routes(of incident: Incident, at now: Moment) -> [String] {
        if incident.isTroubleOfBot {
            if let reportTo, !isSilent(reportTo, about: incident) { return [reportTo] }
            let others = routed(incident, at: now).filter { !isSilent($0, about: incident) }
            // Where the routes lead to the channel alone that it is about, all others hear of it rather than nobody.
            return others.isEmpty ? channels.map(\.name).filter { !isSilent($0, about: incident) } : others
        }
        return routed(incident, at: now)
    }

    private func routed(_ incident: Incident, at now: Moment) -> [String] {
        guard !routes.isEmpty else { return channels.map(\.name) }
        var names: [String] = []
        for route in ways(of: incident) {
            let channels = route.to + route.onCall.compactMap { $0.person(on: now).channel }
            for name in channels where !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The routes that take an incident.
    private func ways(of incident: Incident) -> [Route] {
        var ways: [Route] = []
        for route in routes where route.match.fits(incident.property) {
            ways.append(route)
            if !route.continues { break }
        }
        return ways
    }

    // MARK: - Who is on call

    /// Whether the channel is that of somebody whose turn is over, or has not come, or one that the config asks nothing of any
    /// more: they hear how it ends, and nothing that asks anybody to do something.
    func isOffDuty(_ channel: String, for incident: Incident, at now: Moment, dead: Set<String>) -> Bool {
        guard !routes.isEmpty else { return false }
        guard takesTurns(channel, for: incident) || !mayAsk(channel, about: incident, at: now) else { return false }
        return !channels(for: incident, at: now, dead: dead).contains(channel)
    }

    /// Whether the channel is that of somebody whom the incident concerns in turns.
    func takesTurns(_ channel: String, for incident: Incident) -> Bool {
        !rotations.isEmpty
            && ways(of: incident).contains { $0.onCall.contains { $0.people.contains { $0.channel == channel } } }
    }

    /// Whether it is told at the begin of such a turn that the incident goes on: some turns are another's.
    func isToldAtTurns(_ channel: String, for incident: Incident) -> Bool {
        let ways = ways(of: incident)
        guard !rotations.isEmpty, !ways.contains(where: { $0.to.contains(channel) }) else { return false }
        return ways.flatMap(\.onCall).contains { rotation in
            rotation.people.contains { $0.channel == channel } && rotation.people.contains { $0.channel != channel }
        }
    }

    /// Whether it takes turns, were the incident as bad as it was.
    func mayTakeTurns(_ channel: String, for incident: Incident) -> Bool {
        routes.contains { route in
            route.onCall.contains { $0.people.contains { $0.channel == channel } } && route.mayFit(incident)
        }
    }

    /// Whether anything leads to the channel: by its name, whatever the incident, or because it is somebody's turn whom the
    /// incident would concern if it were as bad as it was.
    private func mayAsk(_ channel: String, about incident: Incident, at now: Moment) -> Bool {
        reportTo == channel
            || routes.contains { route in
                route.to.contains(channel)
                    || route.onCall.contains { $0.person(on: now).channel == channel } && route.mayFit(incident)
            }
            || gates.contains { $0.gate.furtherChannels.contains(channel) }
    }

    /// Since when it is the turn of somebody whom the incident concerns and who has that channel; nil where nobody's turn
    /// leads there, or always did.
    func onCallSince(_ now: Moment, channel: String, for incident: Incident) -> Moment? {
        guard !rotations.isEmpty else { return nil }
        let ways = ways(of: incident)
        guard !ways.contains(where: { $0.to.contains(channel) }) else { return nil }
        let leading = ways.flatMap(\.onCall).filter { $0.person(on: now).channel == channel }
        let turns = leading.compactMap { $0.onCallSince(now, channel: channel) }
        return turns.count == leading.count ? turns.min() : nil
    }

    /// When somebody else is on call whom the incident concerns; nil where nobody ever is.
    func nextHandover(of incident: Incident, after now: Moment) -> Moment? {
        guard !rotations.isEmpty else { return nil }
        return ways(of: incident).flatMap(\.onCall).compactMap { $0.nextChange(after: now) }.min()
    }
}

extension Incident {
    /// Whether it is about the bot itself.
    fileprivate var isTroubleOfBot: Bool { subject.app == Subject.botApp && Trouble(rawValue: rule) != nil }
}

extension Route {
    /// Whether it would take the incident, were that as bad as it was.
    fileprivate func mayFit(_ incident: Incident) -> Bool {
        Match(match.conditions.filter { $0.property != "severity" }).fits(incident.property)
    }
}
