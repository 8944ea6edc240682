internal import PluginKit

// The words of messages about several incidents.

/// One line of a message for many.
struct Member {
    let notification: Notification
    let standing: Standing
    let reason: Reason
}

/// Some of many that one message would not hold.
struct Portion<Member> {
    let members: ArraySlice<Member>
    /// From 1.
    let number: Int
    /// How many parts there are.
    let count: Int

    /// All of them, in their order.
    static func split(_ members: [Member]) -> [Portion] {
        let begins = Array(stride(from: 0, to: members.count, by: MessageWriter.membersMax))
        return begins.enumerated().map { index, begin in
            Portion(members: members[begin...].prefix(MessageWriter.membersMax), number: index + 1, count: begins.count)
        }
    }

    /// What a headline says of it, where there are others.
    var text: String { count > 1 ? ", part \(number) of \(count)" : "" }
}

extension Portion {
    /// The one part of one.
    init(of member: Member) { self.init(members: [member], number: 1, count: 1) }
}

extension MessageWriter {
    /// Incidents that one message is about at most; what goes beyond becomes further messages. One takes some 560 bytes
    /// of the message's record in the journal, which takes 4 MiB: an eighth of that leaves room for long names and
    /// sentences.
    static let membersMax = 500

    /// One message about what came and went unseen, the worst first.
    func summary(of part: Portion<Incident>, reason: Reason) -> Message {
        let incidents = part.members
        let severity = incidents.map(\.severity).max() ?? .info
        let what = incidents.count == 1 ? "1 incident" : "\(incidents.count) incidents"
        let whileWhat =
            switch reason {
            case .quietHours(let name): "during quiet hours (\(name))"
            case .flapping: "while flapping"
            case .overtaken: "while this channel could not be reached"
            default: "while on hold (\(reason))"
            }
        var message = Message(
            kind: .digest, severity: severity, at: now,
            headline:
                "\(Message.mark(kind: .digest, severity: severity)) \(what) came and went \(whileWhat)\(part.text)",
            reason: "What opened and resolved \(whileWhat) is summarised once, afterwards.",
            incidents: incidents.map(IncidentSummary.init))
        message.lines = shortened(incidents.map(summaryLine))
        if let url = publicURL { message.links = [Message.Link("Status", url)] }
        return message
    }

    /// What was to be told while it went on, told when it is over.
    func past(_ old: Message) -> Message {
        var message = Message(
            kind: .digest, severity: old.severity, at: now,
            headline: "\(Message.mark(kind: .digest, severity: old.severity)) Resolved in the meantime: "
                + old.headline.drop { !$0.isLetter && !$0.isNumber },
            reason: "It could not be delivered while it was open, and was retried.",
            incidents: old.incidents.map(\.over))
        message.fields = old.fields
        message.lines = old.lines
        if let url = publicURL { message.links = [Message.Link("Status", url)] }
        message.footer = old.footer
        return message
    }

    /// Lines of a summary; nobody reads more of them, and chats cut long messages.
    private static let summaryLinesMax = 30

    private func shortened(_ lines: [String]) -> [String] {
        guard lines.count > MessageWriter.summaryLinesMax else { return lines }
        return lines.prefix(MessageWriter.summaryLinesMax) + ["and \(lines.count - MessageWriter.summaryLinesMax) more"]
    }

    private func summaryLine(_ incident: Incident) -> String {
        let mark = Message.mark(kind: .opened, severity: incident.severity)
        let when = incident.until.map { "\(span(from: incident.since, to: $0)), \(($0 - incident.since).rough)" }
        guard let metric = incident.worst.metric, let figure = incident.worst.figure else {
            return "\(mark) \(name(of: incident.subject)): \(what(incident)) · \(when ?? clock(incident.since))"
        }
        return
            "\(mark) \(name(of: incident.subject)): \(Metric(metric).title) \(text(figure.value, of: metric)) "
            + "at worst · \(when ?? clock(incident.since))"
    }

    /// One message about what a gate has gathered. Who reads the first names and lines only must have read the worst,
    /// so they come first.
    ///
    /// - Parameters:
    ///   - why: Why they are told together.
    ///   - issues: Those of whom the first of them is about.
    func message(_ part: Portion<Member>, _ gathering: Gathering, why: String, issues: [Issue]) -> Message {
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
            case .resolved: "\(who): \(count) resolved"
            default: "\(who): \(counts(incidents)), held by \(gathering.gate)"
            }
        var message = Message(
            kind: kind, severity: severity, at: now,
            headline: "\(Message.mark(kind: kind, severity: severity)) \(headline)\(part.text)",
            reason: why, incidents: incidents.map(IncidentSummary.init))
        message.lines = shortened(members.map(line))
        // The worst one's issues are the likeliest cause.
        if kind == .opened {
            message.issues = issues.prefix(MessageWriter.issuesInMessage).map { issueLine($0) }
        }
        if let url = publicURL { message.links = [Message.Link("Status", url)] }
        return message
    }

    /// `shop, game and 3 more`.
    private func names(of incidents: [Incident]) -> String {
        var names: [String] = []
        for incident in incidents where !names.contains(incident.subject.app) { names.append(incident.subject.app) }
        guard names.count > MessageWriter.namesMax else { return names.joined(separator: ", ") }
        return names.prefix(MessageWriter.namesMax).joined(separator: ", ")
            + " and \(names.count - MessageWriter.namesMax) more"
    }

    /// Apps named in a headline; it must fit on the screen of a telephone.
    private static let namesMax = 3

    /// `2 firing, 1 over`.
    private func counts(_ incidents: [Incident]) -> String {
        let open = incidents.count { $0.isOpen }
        return [(open, "firing"), (incidents.count - open, "resolved")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
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
    /// Whether it is to be named first: what goes on before what is over, then the more severe, then what is further
    /// beyond its limit, then the older.
    func isWorse(than other: Incident) -> Bool {
        if isOpen != other.isOpen { return isOpen }
        if severity != other.severity { return severity > other.severity }
        let (mine, others) = (worst.excess, other.worst.excess)
        return mine == others ? (since, id) < (other.since, other.id) : mine > others
    }
}
