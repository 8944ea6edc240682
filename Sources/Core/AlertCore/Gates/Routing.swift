internal import PluginKit

// Whom an incident concerns.

extension Plan {
    /// The channels that the routes name for an incident, in the order of the config, and those it has escalated to.
    func channels(for incident: Incident, at now: Moment) -> [String] {
        var names = routes(of: incident)
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

    private func routes(of incident: Incident) -> [String] {
        if Trouble(rawValue: incident.rule) != nil, incident.subject.app == Subject.botApp {
            if let reportTo, !isSilent(reportTo, about: incident) { return [reportTo] }
            return routed(incident).filter { !isSilent($0, about: incident) }
        }
        return routed(incident)
    }

    private func routed(_ incident: Incident) -> [String] {
        guard !routes.isEmpty else { return channels.map(\.name) }
        var names: [String] = []
        for route in routes where route.match.fits(incident.property) {
            names += route.to.filter { !names.contains($0) }
            if !route.continues { break }
        }
        return names
    }
}
