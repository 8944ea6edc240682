public import PluginKit

// The words of messages about several incidents.

/// One line of a message for many.
struct Member {
    let notification: Notification
    let standing: Standing
    let reason: Reason
    /// Since when nothing is known of it, where that is so.
    var silence: Silence?
    /// Since when the same goes on again, where it is over.
    var again: Moment?
    /// Whether it keeps coming and going.
    var isFlapping = false

    /// How bad it is, or was at worst where that is all there is to tell.
    var severity: Severity {
        let incident = notification.incident
        return notification.kind == .digest ? incident.worstSeverity : incident.severity
    }
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
    func text(in words: Words) -> String {
        count > 1 ? words(.digestPart, [.part: String(number), .parts: String(count)]) : ""
    }
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
    ///
    /// - Parameter others: how many came and went like them, and are not kept.
    func summary(of part: Portion<Incident>, reason: Reason, others: Int = 0) -> Message {
        begin()
        let incidents = part.members
        let what = words(.countIncidents, count: incidents.count + others)
        let hasStayed = incidents.contains(where: \.hasStayed)
        let during =
            switch reason {
            case .quietHours(let name): words(.duringQuietHours, [.gate: name])
            case .flapping: words[.duringFlapping]
            case .overtaken: words[.duringUnreachable]
            // A mute by hand has a random name that nobody knows it by.
            case .muted: words[.duringMute]
            case .gate(_, let name): words(.duringHold, [.gate: name])
            default: words(.duringHold, [.gate: reason.description])
            }
        let past = words(hasStayed ? .digestOpened : .digestPast, [.incidents: what, .during: during])
        var message = digest(
            of: incidents, incidents.map(\.worstSeverity).max(),
            words(.togetherEnded, [.who: names(of: Array(incidents)), .counts: past]) + part.text(in: words),
            reason: words(hasStayed ? .digestOpenedWhy : .digestWhy, [.during: during]))
        list(incidents.map(summaryLine), others, in: &message)
        message.links = statusLinks
        return message
    }

    /// What has held a message back until now; nil where nothing has for long.
    func held(by reasons: [Reason]) -> Message.Field? {
        var gates: [String] = []
        for reason in reasons {
            let gate =
                switch reason {
                case .quietHours(let name): words(.heldQuietHours, [.gate: name])
                case .flapping: words[.heldFlapping]
                // A mute by hand has a random name that nobody knows it by.
                case .muted: words[.heldMute]
                case .gate(_, let name): name
                default: reason.description
                }
            if !gates.contains(gate) { gates.append(gate) }
        }
        return gates.isEmpty ? nil : Message.Field(words[.fieldHeld], gates.joined(separator: ", "))
    }

    /// What is over, of a message about many that the channel refused.
    func message(ofEnds incidents: [Incident]) -> Message {
        begin()
        let inDoubt = incidents.filter(\.isInDoubt)
        let headline = words(
            .togetherEnded, [.who: names(of: incidents), .counts: counts(incidents, inDoubt: inDoubt.count)])
        var message = digest(of: incidents, incidents.map(\.worstSeverity).max(), headline)
        let lines = incidents.map { incident in
            let kind = incident.state.endKind ?? .digest
            return "\(mark(incident, kind)) \(self.headline(incident, kind))"
        }
        list(lines, in: &message)
        message.links = statusLinks
        return message
    }

    /// A digest that says so much and no more.
    func digest(
        of incidents: some Collection<Incident>, _ worst: Severity?, _ headline: String, reason: String = ""
    ) -> Message {
        let severity = worst ?? .info
        var message = Message(
            kind: .digest, severity: severity, at: now,
            headline: "\(Message.mark(kind: .digest, severity: severity)) \(headline)", reason: reason,
            incidents: incidents.map(IncidentSummary.init))
        message.labels = incidents.first?.labels ?? [:]
        return message
    }

    /// What was to be told while it went on, told when it is over.
    func past(_ old: Message) -> Message {
        begin()
        let only = old.incidents.count == 1 ? old.incidents.first.map { Incident($0) } : nil
        // A reminder says that it is 'still' so.
        let headline =
            old.kind == .reminder
            ? only.map { self.headline($0, .opened) } ?? old.unmarkedHeadline : old.unmarkedHeadline
        var message = Message(
            kind: .digest, severity: old.severity, at: now,
            headline: "\(Message.mark(kind: .digest, severity: old.severity)) "
                + words(.digestLate, [.headline: headline]),
            reason: words[.digestLateWhy],
            incidents: old.incidents.map(\.over))
        message.labels = old.labels
        let ofThen = [PhraseID.fieldSince, .fieldNow, .fieldBeforeNow, .fieldHeld].map { words[$0] }
        message.fields = old.fields.filter { !ofThen.contains($0.label) }
        if let only { message.fields.append(Message.Field(words[.fieldSince], clock(only.since))) }
        message.lines = old.lines
        message.linesLeftOut = old.linesLeftOut
        message.links = statusLinks
        message.footer = old.footer
        return message
    }

    /// Lines of a summary; nobody reads more of them, and chats cut long messages.
    private static let summaryLinesMax = 30

    /// Gives a message its lines; where there are more than anybody reads, the last says how many.
    ///
    /// - Parameter others: how many there are besides.
    func list(_ lines: [String], _ others: Int = 0, in message: inout Message) {
        let told = lines.prefix(MessageWriter.summaryLinesMax)
        let rest = lines.count - told.count + others
        message.lines = rest > 0 ? told + [words(.digestMore, count: rest)] : lines
        message.linesLeftOut = rest
    }

    private func summaryLine(_ incident: Incident) -> String {
        // Late figures may have shown that it never was beyond its limit.
        let isFalse = isWithin(incident.worst.limit, incident) && isWithin(incident.evidence.limit, incident)
        let isClosed = incident.state == .closed
        let isOpened = !isFalse && !isClosed && !incident.isOverByAnotherLimit
        let mark = Message.mark(kind: isOpened ? .opened : .closed, severity: incident.worstSeverity)
        let remark: String? = isOpened ? nil : isFalse ? words[.detailCorrected] : whyOver(incident)
        func remarked(_ line: String) -> String { "\(mark) \(line)" + (remark.map { " (\($0))" } ?? "") }
        let who = name(of: incident.subject)
        let when = incident.until.map { span(from: incident.since, to: $0) } ?? clock(incident.since)
        guard let metric = incident.worst.metric, let figure = incident.worst.figure else {
            let what = incident.key == nil ? what(incident) : sentence(incident.worst)
            return remarked(words(.digestWhat, [.who: who, .what: what, .when: when]))
        }
        let line = words(
            .digestFigure,
            [
                .who: who, .metric: words.title(of: Metric(metric)), .figure: text(figure.value, in: incident.worst),
                .when: when,
            ])
        return remarked(line)
    }

    /// How that ended which is not known to have got better.
    private func whyOver(_ incident: Incident) -> String {
        if incident.isClosedByConfig {
            let why = sentence(incident.evidence)
            return why.hasSuffix(".") ? String(why.dropLast()) : why
        }
        guard incident.isOverByAnotherLimit, let limit = incident.evidence.limit else { return words[.detailClosed] }
        return words(.detailWithin, [.limit: words.limit(limit)])
    }

    /// Whether the worst is within a limit: that which fired, or that which it had to be within to end.
    private func isWithin(_ limit: Comparison?, _ incident: Incident) -> Bool {
        guard let limit, let figure = incident.worst.figure else { return false }
        return !limit.holds(figure.value)
    }

    /// One message about what a gate has gathered. Who reads the first names and lines only must have read the worst,
    /// so they come first.
    ///
    /// - Parameters:
    ///   - why: Why they are told together.
    ///   - issues: Those of whom the first of them is about.
    func message(_ part: Portion<Member>, _ gathering: Gathering, why: Phrase?, issues: [Issue]) -> Message {
        begin()
        let members = part.members
        let incidents = members.map(\.notification.incident)
        let kinds = Set(members.map(\.notification.kind))
        let kind = gathering.style == .group && kinds.count == 1 ? kinds.first ?? .digest : .digest
        let severity = members.map(\.severity).max() ?? .info
        let who = names(of: incidents)
        let count = words(.countIncidents, count: incidents.count)
        let inDoubt = members.filter(isInDoubt)
        let past = members.count(where: isPast)
        let others = members.reduce(0) { $0 + ($1.standing.hold?.countsFor ?? 0) }
        let firing = firing(members)
        let worst = others == 0 ? firing.flatMap { self.worst($0, members, severity) } : nil
        let calm = calm(members, who, others)
        var headline: String
        switch kind {
        case .opened: headline = words(.togetherOpened, [.who: who, .incidents: count])
        case .resolved:
            headline = words(inDoubt.isEmpty ? .togetherResolved : .togetherOver, [.who: who, .incidents: count])
        default:
            let counts = counts(incidents, inDoubt: inDoubt.count, past: past, others: others)
            // Of several the figure of one would be taken for that of the worst.
            let only = members.count(where: \.notification.incident.isOpen) == 1 ? firing.flatMap { figure($0) } : nil
            headline = calm ?? held(by: gate(of: gathering, members), who, counts, worst, only)
        }
        headline += part.text(in: words)
        if let worst, kind == .opened || kind == .resolved {
            headline = words(.togetherWorst, [.headline: headline, .what: worst])
        }
        var message = Message(
            kind: kind, severity: severity, at: now,
            headline: "\(mark(members, calm == nil ? kind : .resolved, severity)) \(headline)",
            reason: why.map { words.text($0) { clock($0) } } ?? "", incidents: incidents.map(IncidentSummary.init))
        message.labels = incidents.first?.labels ?? [:]
        list(members.map(line), others, in: &message)
        // The worst one's issues are the likeliest cause.
        if kind == .opened {
            message.issues = issues.prefix(MessageWriter.issuesInMessage).map { issueLine($0) }
        }
        message.links = statusLinks
        return message
    }

    /// `shop, game and 3 more`.
    private func names(of incidents: [Incident]) -> String {
        var names: [String] = []
        for incident in incidents where !names.contains(incident.subject.app) { names.append(incident.subject.app) }
        guard names.count > MessageWriter.namesMax else { return names.joined(separator: ", ") }
        return words(
            .togetherWho, count: names.count - MessageWriter.namesMax,
            [.names: names.prefix(MessageWriter.namesMax).joined(separator: ", ")])
    }

    /// Apps named in a headline; it must fit on the screen of a telephone.
    private static let namesMax = 3

    /// The mark of a message for many: how bad that is which goes on, and a tick where all of it is over for good.
    private func mark(_ members: ArraySlice<Member>, _ kind: Notification.Kind, _ severity: Severity) -> String {
        let incidents = members.map(\.notification.incident)
        if kind == .digest, let open = incidents.filter(\.isOpen).map(\.severity).max() {
            return Message.mark(kind: .opened, severity: open)
        }
        let isAllWell = kind != .resolved || !members.contains(where: isInDoubt)
        return Message.mark(kind: isAllWell ? kind : .closed, severity: severity)
    }

    private func mark(_ member: Member) -> String {
        let notification = member.notification
        return member.isFlapping
            ? flappingMark(notification.incident).rawValue
            : mark(notification.incident, notification.kind, member.again)
    }

    /// Whether it is over, and has no tick for it.
    private func isInDoubt(_ member: Member) -> Bool {
        let incident = member.notification.incident
        return incident.state == .resolved && !isPast(member)
            && (incident.isInDoubt || member.notification.kind == .digest || member.isFlapping || member.again != nil)
    }

    /// Whether nobody has heard of it, and it has gone: what was never announced is not resolved.
    private func isPast(_ member: Member) -> Bool {
        let incident = member.notification.incident
        return member.notification.kind == .digest && incident.state == .resolved && !incident.hasStayed
    }

    /// `2 firing, 1 resolved, 1 closed without a known end`.
    ///
    /// - Parameters:
    ///   - inDoubt: how many are over without being resolved.
    ///   - past: how many came and went.
    ///   - others: how many did so besides.
    private func counts(_ incidents: [Incident], inDoubt: Int, past: Int = 0, others: Int = 0) -> String {
        let open = incidents.count { $0.isOpen }
        let closed = incidents.count { $0.state == .closed }
        let counts: [(Int, PhraseID)] = [
            (open, .countFiring), (incidents.count - open - closed - inDoubt - past, .countResolved),
            (inDoubt, .countEnded), (past + others, .countPast), (closed, .countClosed),
        ]
        return counts.filter { $0.0 > 0 }.map { words($0.1, count: $0.0) }.joined(separator: ", ")
    }

    /// The first of the most severe that go on, of which there is a figure that is known to hold.
    private func firing(_ members: ArraySlice<Member>) -> Member? {
        let open = members.filter { $0.notification.incident.isOpen }
        guard let severity = open.map(\.severity).max() else { return nil }
        return open.first { $0.severity == severity && $0.silence == nil && figure($0) != nil }
    }

    /// How bad the worst is, for whoever is woken by it. What is out of sight may be worse, and what is over may have been:
    /// then nil.
    private func worst(_ firing: Member, _ members: ArraySlice<Member>, _ severity: Severity) -> String? {
        let isInSight = members.allSatisfy { !$0.notification.incident.isOpen || $0.silence == nil }
        guard isInSight, firing.severity == severity, !isBeaten(firing, members) else { return nil }
        return figure(firing)
    }

    /// What is said of many that a gate has held: how bad it is before whom it is about, as a screen shows the beginning only.
    private func held(
        by gate: String, _ who: String, _ counts: String, _ worst: String?, _ firing: String?
    ) -> String {
        if let worst { return words(.togetherHeldWorst, [.counts: counts, .what: worst, .who: who, .gate: gate]) }
        if let firing { return words(.togetherHeldFiring, [.counts: counts, .what: firing, .who: who, .gate: gate]) }
        return words(.togetherHeld, [.who: who, .counts: counts, .gate: gate])
    }

    /// What has gathered them, as people know it: its name alone is a word of the config.
    private func gate(of gathering: Gathering, _ members: ArraySlice<Member>) -> String {
        for member in members {
            switch member.standing.hold?.reason {
            case .flapping: return words[.heldFlapping]
            case .gate(let plugin, let name) where name == gathering.gate: return "\(plugin) \(name)"
            default: break
            }
        }
        return gathering.gate
    }

    /// That what kept coming and going has been well for a while; nil where some of it is not, or was held for another reason.
    private func calm(_ members: ArraySlice<Member>, _ who: String, _ others: Int) -> String? {
        let isCalm = members.allSatisfy { member in
            let incident = member.notification.incident
            return member.standing.hold?.reason == .flapping && !member.isFlapping && member.again == nil
                && incident.state == .resolved && !incident.hasStayed
        }
        let incidents = members.map(\.notification.incident)
        guard isCalm, let end = incidents.compactMap(\.until).max(),
            let begin = members.compactMap({ $0.standing.hold?.since }).min()
        else { return nil }
        let calm = words(
            .togetherCalm,
            [
                .who: who, .period: words.rough(now - end),
                .incidents: words(.countIncidents, count: incidents.count + others), .moment: clock(begin),
            ])
        var worst = incidents[0].worst
        for other in incidents.map(\.worst) {
            // Figures of two kinds have no worst.
            guard other.metric == worst.metric else { return calm }
            if other.isWorse(than: worst) { worst = other }
        }
        return figure(worst).map { words(.togetherWorst, [.headline: calm, .what: $0]) } ?? calm
    }

    /// The figure and the limit of what goes on and is known, as its own headline has them.
    private func figure(_ member: Member) -> String? {
        figure(member.notification.incident.figureEvidence(for: member.notification.kind))
    }

    private func figure(_ evidence: Evidence) -> String? {
        guard let metric = evidence.metric, let figure = evidence.figure else { return nil }
        let value = text(figure.value, in: evidence)
        return detailed(
            words(.figureOf, [.metric: words.title(of: Metric(metric)), .figure: value]), [comparison(evidence)])
    }

    /// Whether the line of another has a worse figure of the same metric, though that is milder by now; of what is over
    /// counts how bad it was.
    private func isBeaten(_ worst: Member, _ members: ArraySlice<Member>) -> Bool {
        func evidence(_ member: Member) -> Evidence {
            let incident = member.notification.incident
            return incident.isOpen ? incident.figureEvidence(for: member.notification.kind) : incident.worst
        }
        let told = evidence(worst)
        return members.contains { evidence($0).metric == told.metric && evidence($0).isWorse(than: told) }
    }

    private func line(_ member: Member) -> String {
        let notification = member.notification
        let incident = notification.incident
        guard notification.kind != .digest else { return summaryLine(incident) }
        let mark = mark(member)
        let headline =
            member.isFlapping
            ? flapping(incident, isKnown: member.silence == nil, again: member.again)
            : headline(incident, notification.kind, member.silence, again: member.again)
        guard incident.isOpen else { return "\(mark) \(headline)" }
        return "\(mark) \(words(.digestSince, [.headline: headline, .moment: clock(incident.since)]))"
    }
}

extension Incident {
    /// Whether it is to be named first: what goes on before what is over, then the more severe, then what is further
    /// beyond its limit, then the older.
    public func isWorse(than other: Incident) -> Bool {
        if isOpen != other.isOpen { return isOpen }
        let (mine, others) = isOpen ? (severity, other.severity) : (worstSeverity, other.worstSeverity)
        if mine != others { return mine > others }
        let (excess, otherExcess) = (worst.excess, other.worst.excess)
        return excess == otherExcess ? (since, id) < (other.since, other.id) : excess > otherExcess
    }
}
