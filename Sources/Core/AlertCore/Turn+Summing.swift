internal import PluginKit

// The words of messages about several incidents.

extension Turn {
    /// One message about what came and went unseen, the worst first.
    func composeSummary(of part: Part<Incident>, reason: Reason) -> Message {
        let incidents = part.members
        let severity = incidents.map(\.severity).max() ?? .info
        let what = incidents.count == 1 ? "1 incident" : "\(incidents.count) incidents"
        let whileWhat =
            switch reason {
            case .quietHours(let name): "during quiet hours (\(name))"
            case .flapping: "while it kept changing"
            case .overtaken: "while this channel could not be reached"
            default: "while held back (\(reason))"
            }
        var message = Message(
            kind: .digest, severity: severity, at: now,
            headline:
                "\(Message.mark(kind: .digest, severity: severity)) \(what) came and went \(whileWhat)\(part.text)",
            reason: "What begins and ends \(whileWhat) is told once, afterwards.",
            incidents: incidents.map(IncidentSummary.init))
        message.lines = shortened(incidents.map(summaryLine))
        if let url = plan.publicURL { message.links = [Message.Link("Status", url)] }
        return message
    }

    /// What was to be told while it went on, told when it is over.
    func composePast(_ old: Message) -> Message {
        var message = Message(
            kind: .digest, severity: old.severity, at: now,
            headline: "\(Message.mark(kind: .digest, severity: old.severity)) Over by now: "
                + old.headline.drop { !$0.isLetter && !$0.isNumber },
            reason: "It could not be delivered while it went on, and was tried again.",
            incidents: old.incidents.map(\.over))
        message.facts = old.facts
        message.lines = old.lines
        if let url = plan.publicURL { message.links = [Message.Link("Status", url)] }
        message.footer = old.footer
        return message
    }

    /// Lines of a summary; nobody reads more of them, and chats cut long messages.
    private static let summaryLinesMax = 30

    private func shortened(_ lines: [String]) -> [String] {
        guard lines.count > Turn.summaryLinesMax else { return lines }
        return lines.prefix(Turn.summaryLinesMax) + ["and \(lines.count - Turn.summaryLinesMax) more"]
    }

    private func summaryLine(_ incident: Incident) -> String {
        let mark = Message.mark(kind: .opened, severity: incident.severity)
        let when = incident.until.map { "\(span(from: incident.since, to: $0)), \(($0 - incident.since).short)" }
        guard let metric = incident.worst.metric, let figure = incident.worst.figure else {
            return "\(mark) \(name(of: incident.subject)): \(what(incident)) · \(when ?? clock(incident.since))"
        }
        return
            "\(mark) \(name(of: incident.subject)): \(Metric(metric).title) \(text(figure.value, of: metric)) "
            + "at worst · \(when ?? clock(incident.since))"
    }

    /// One message about what a gate has gathered. Who reads the first names and lines only must have read the worst, so
    /// they come first.
    func composeTogether(_ part: Part<Member>, _ gathering: Gathering) -> Message {
        let members = part.members
        let incidents = members.map(\.notification.incident)
        let kinds = Set(members.map(\.notification.kind))
        let kind = gathering.style == .group && kinds.count == 1 ? kinds.first ?? .digest : .digest
        let severity = incidents.map(\.severity).max() ?? .info
        let who = names(of: incidents)
        let count = "\(incidents.count) \(incidents.count == 1 ? "incident" : "incidents")"
        let headline =
            switch kind {
            case .opened: "\(who): \(count) at once"
            case .resolved: "\(who): \(count) over"
            default: "\(who): \(counts(incidents)), held back by \(gathering.gate)"
            }
        var message = Message(
            kind: kind, severity: severity, at: now,
            headline: "\(Message.mark(kind: kind, severity: severity)) \(headline)\(part.text)",
            reason: plan.gate(gathering.gate)?.gate.gathers ?? "", incidents: incidents.map(IncidentSummary.init))
        message.lines = shortened(members.map(line))
        // The worst one's issues are the likeliest cause.
        if kind == .opened, let worst = incidents.first,
            let series = state.series[worst.subject]
        {
            message.issues = series.issues.prefix(Turn.issuesInMessage).map(issueLine)
        }
        if let url = plan.publicURL { message.links = [Message.Link("Status", url)] }
        return message
    }

    /// `shop, game and 3 more`.
    private func names(of incidents: [Incident]) -> String {
        var names: [String] = []
        for incident in incidents where !names.contains(incident.subject.app) { names.append(incident.subject.app) }
        guard names.count > Turn.namesMax else { return names.joined(separator: ", ") }
        return names.prefix(Turn.namesMax).joined(separator: ", ") + " and \(names.count - Turn.namesMax) more"
    }

    /// Apps named in a headline; it must fit on the screen of a telephone.
    private static let namesMax = 3

    /// `2 firing, 1 over`.
    private func counts(_ incidents: [Incident]) -> String {
        let open = incidents.count { $0.isOpen }
        return [(open, "firing"), (incidents.count - open, "over")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
            .joined(separator: ", ")
    }

    private func line(_ member: Member) -> String {
        let notification = member.notification
        let incident = notification.incident
        guard notification.kind != .digest else { return summaryLine(incident) }
        let mark = Message.mark(kind: notification.kind, severity: incident.severity)
        let since = incident.isOpen ? " · since \(clock(incident.since))" : ""
        return "\(mark) \(headline(incident, notification.kind))\(since)"
    }
}

extension Incident {
    /// Whether it is to be named first: what goes on before what is over, then the more severe, then what is further beyond
    /// its limit, then the older.
    func isWorse(than other: Incident) -> Bool {
        if isOpen != other.isOpen { return isOpen }
        if severity != other.severity { return severity > other.severity }
        let (mine, others) = (worst.excess, other.worst.excess)
        return mine == others ? (since, id) < (other.since, other.id) : mine > others
    }
}

extension Evidence {
    /// How far the figure is from the limit, as a share of the limit; 0 where there is none.
    fileprivate var excess: Double {
        guard let value = figure?.value, let limit = limit?.limit else { return 0 }
        let excess = abs(value - limit) / max(abs(limit), .leastNormalMagnitude)
        return excess.isFinite ? excess : 0
    }
}
