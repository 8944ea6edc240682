internal import PluginKit

/// Finds the words. People decide in three seconds: what, how bad, since when, which release, what now.
struct MessageWriter {
    let zone: Zone
    /// Where people reach the bot's page; nil leaves links to it out.
    let publicURL: String?
    let now: Moment

    /// The message for an incident as it stands.
    func message(_ story: Story, _ kind: Notification.Kind) -> Message {
        let incident = story.incident
        // Without a figure, the headline is the sentence.
        let evidence = incident.evidence(for: kind)
        let isWhyInHeadline = !kind.isEnd && (evidence.metric == nil || evidence.figure == nil)
        var message = Message(
            kind: kind, severity: incident.severity, at: now,
            headline: "\(mark(incident, kind)) \(headline(incident, kind, story.silence))",
            reason: kind == .acknowledged || isWhyInHeadline && words(of: evidence, incident) == evidence.sentence
                ? "" : evidence.sentence,
            incidents: [IncidentSummary(incident)])
        message.fields = fields(story, kind)
        if let metric = evidence.metric {
            message.sparkline = story.series.flatMap { sparkline(metric, of: $0) }
        }
        // Who has been told of it knows the rest.
        if !kind.isEnd, kind != .acknowledged {
            let issues = evidence.issue.map { [$0] } ?? ordered(story.issues, for: incident)
            message.issues = issues.prefix(MessageWriter.issuesInMessage).map { issueLine($0, of: incident) }
        }
        message.links = story.links + links(incident, kind)
        message.footer = "Rule \(incident.rule) · incident \(incident.id)"
        return message
    }

    /// What is over has the mark of its end, whatever is said of it.
    private func mark(_ incident: Incident, _ kind: Notification.Kind) -> String {
        let end: Notification.Kind? = kind != .revised || incident.isOpen ? nil : incident.state.endKind
        return Message.mark(kind: end ?? kind, severity: incident.severity)
    }

    /// The bot's page, and what can be done while it is open.
    private func links(_ incident: Incident, _ kind: Notification.Kind) -> [Message.Link] {
        guard let url = publicURL else { return [] }
        let status = Message.Link("Status", url)
        guard incident.isOpen, !kind.isEnd else { return [status] }
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let mutes = [("Mute 2 h", "2h"), ("Mute 2 days", "2d")].map { title, word in
            Message.Link(title, "\(base)/mute?incident=\(incident.id)&for=\(word)")
        }
        let acknowledge = Message.Link("Acknowledge", "\(base)/ack?incident=\(incident.id)")
        return [status, acknowledge] + mutes
    }

    /// Issues named in a message: more are for the source's own page.
    static let issuesInMessage = 5

    func headline(_ incident: Incident, _ kind: Notification.Kind, _ silence: Silence? = nil) -> String {
        let who = name(of: incident.subject)
        let after = "after \(lasted(incident).rough)"
        let evidence = incident.evidence(for: kind)
        guard let metric = evidence.metric, let figure = evidence.figure else {
            return switch kind {
            case .resolved: "\(who): \(what(incident)) has resolved"
            case .closed: "\(who): \(what(incident)) \(closed(incident)), \(after)"
            case .acknowledged: "\(who): \(carers(incident)) on it; \(words(of: evidence, incident))"
            case .reminder where silence != nil:
                "\(who): no news for \((now - (silence?.since ?? now)).rough), last \(evidence.sentence)"
            default: "\(who): \(words(of: evidence, incident))"
            }
        }
        let title = Metric(metric).title
        let value = text(figure.value, of: metric)
        let limit = comparison(evidence, metric)
        switch kind {
        case .resolved: return "\(who): \(title) \(value) again, \(after)"
        case .closed: return "\(who): \(title) \(closed(incident)), \(after); last known \(value)"
        case .reminder:
            guard let silence else {
                return "\(who): \(title) still \(value) (\([limit, "for \((now - incident.since).rough)"].joined))"
            }
            let length = (now - silence.since).rough
            return "\(who): \(title) last known \(value), no news for \(length)" + (limit.map { " (\($0))" } ?? "")
        case .escalated:
            return "\(who): \(title) now \(value) (\([limit, "now \(incident.severity.rawValue)"].joined))"
        case .revised where !incident.isOpen:
            let end = incident.state == .closed ? closed(incident) : "resolved"
            return "\(who): \(title) \(value) at worst (\([limit, "figures corrected"].joined)), \(end) \(after)"
        case .revised:
            return "\(who): \(title) \(value) (\([limit, "figures corrected"].joined))"
        case .acknowledged:
            return "\(who): \(carers(incident)) on it; \(title) \(value)" + (limit.map { " (\($0))" } ?? "")
        case .opened, .digest, .test:
            return "\(who): \(title) \(value)" + (limit.map { " (\($0))" } ?? "")
        }
    }

    /// Who takes care of it: `ana is`, `ana and ben are`.
    private func carers(_ incident: Incident) -> String {
        let names = incident.acknowledgement?.names ?? "somebody"
        return names + (incident.acknowledgement?.also.isEmpty ?? true ? " is" : " are")
    }

    /// What a headline says of an incident without a figure. A trouble of the bot begins with what is wrong and why, and
    /// ends with what to do: where that is too long for one line, the end goes, and the whole stands below.
    private func words(of evidence: Evidence, _ incident: Incident) -> String {
        guard Trouble(rawValue: incident.rule) != nil else { return evidence.sentence }
        return evidence.sentence.shortened(to: MessageWriter.troubleCharactersMax)
    }

    /// With the mark and the name in front, what a headline of Slack takes without cutting its middle out, where the
    /// cause stands.
    static let troubleCharactersMax = 135

    /// What the figure is to be measured by, in a few words.
    private func comparison(_ evidence: Evidence, _ metric: String) -> String? {
        switch evidence.reference {
        case .usual(let value): "usually \(text(value, of: metric))"
        case .olderRelease(let value): "older release \(text(value, of: metric))"
        case nil: evidence.limit.map { "alert \($0.words)" }
        }
    }

    /// How it ended, where nobody knows whether it is over.
    private func closed(_ incident: Incident) -> String {
        incident.isUncertain ? "closed without news" : "no longer watched"
    }

    /// How long it lasted, whenever that is told.
    private func lasted(_ incident: Incident) -> Duration { (incident.until ?? now) - incident.since }

    /// What an incident without a figure is about.
    func what(_ incident: Incident) -> String {
        incident.rule + (incident.subject.app == Subject.botApp ? " of \(incident.subject.source)" : "")
    }

    func name(of subject: Subject) -> String {
        if subject.app == Subject.botApp { return subject.app }
        var name = subject.app
        if let release = subject.release, !release.isEmpty { name += " \(release.clipped(to: 80))" }
        if let environment = subject.environment, !environment.isEmpty { name += " (\(environment.clipped(to: 40)))" }
        return name
    }

    private func fields(_ story: Story, _ kind: Notification.Kind) -> [Message.Field] {
        let incident = story.incident
        var fields = figureFields(story, kind)
        if kind.isEnd || !incident.isOpen {
            let span = span(from: incident.since, to: incident.until ?? now)
            fields.append(Message.Field("Lasted", "\(span), \(lasted(incident).rough)"))
        } else {
            let length = now - incident.since
            fields.append(
                Message.Field("Since", clock(incident.since) + (length > .zero ? ", for \(length.rough)" : "")))
        }
        if incident.isOpen, kind != .acknowledged, let acknowledgement = incident.acknowledgement {
            fields.append(Message.Field("On it", acknowledgement.names))
        }
        if !kind.isEnd, let owner = incident.labels["owner"], !owner.isEmpty {
            fields.append(Message.Field("Owner", owner.clipped(to: 80)))
        }
        if !kind.isEnd, let silence = story.silence {
            fields.append(
                Message.Field(
                    "No news since",
                    "\(clock(silence.since)), for \((now - silence.since).rough): \(silence.cause.words)"))
        }
        if let release = incident.subject.release, !release.isEmpty {
            fields.append(Message.Field("Release", release.clipped(to: 80) + (share(story) ?? "")))
        } else if !kind.isEnd, let field = standout(story) {
            fields.append(field)
        }
        return fields
    }

    /// What was before, how it is now, who was hit.
    private func figureFields(_ story: Story, _ kind: Notification.Kind) -> [Message.Field] {
        let incident = story.incident
        let evidence = incident.evidence(for: kind)
        guard let metric = evidence.metric, let figure = evidence.figure else { return [] }
        var fields: [Message.Field] = []
        let worst = incident.worst
        if kind.isEnd || !incident.isOpen {
            if let hit = hit(worst, metric) {
                fields.append(Message.Field("Peak affected", "\(hit.count) \(hit.noun) (\(hit.share))"))
            }
            if let worst = worst.figure { fields.append(Message.Field("At worst", text(worst.value, of: metric))) }
            return fields
        }
        let current = incident.evidence
        let isPast = current.metric == metric && current.figure?.value != figure.value
        if let before = figureBefore(story, evidence) {
            fields.append(
                Message.Field(
                    isPast ? "Before → at worst" : "Before → now",
                    "\(text(before, of: metric)) → \(text(figure.value, of: metric))"))
        }
        // How it is now stands by itself, beside what fired.
        if isPast, let now = current.figure { fields.append(Message.Field("Now", text(now.value, of: metric))) }
        if let hit = hit(evidence, metric) {
            fields.append(Message.Field("\(hit.noun.capitalizedFirst) affected", "\(hit.count) (\(hit.share))"))
        }
        return fields
    }

    /// How many of what were hit, of how many, and the share.
    private func hit(_ evidence: Evidence, _ metric: String) -> (count: String, noun: String, share: String)? {
        guard let share = evidence.figure?.share, share.total > 0 else { return nil }
        let metric = Metric(metric)
        let failures = metric.failures == nil ? share.hits : share.total - share.hits
        let noun = metric.denominator?.name ?? "cases"
        return (
            "\(failures.rounded().plain) of \(share.total.rounded().plain)", noun, (failures / share.total).percent
        )
    }

    /// The release's share of the app, where the whole app is seen too.
    private func share(_ story: Story) -> String? {
        for metric in [Metric.users, .sessions] {
            if let part = story.series?.samples.last?.metrics[metric],
                let all = story.whole?.samples.last?.metrics[metric], all > 0, part <= all
            {
                return ", \((part / all).percent) of \(metric.name)"
            }
        }
        return nil
    }

    /// The release that has far more of the bad cases than of all of them.
    private func standout(_ story: Story) -> Message.Field? {
        guard let name = story.incident.evidence(for: .opened).metric, let failures = Metric(name).failures,
            let total = Metric(name).denominator
        else { return nil }
        let counts = story.releases.compactMap { release -> (name: String, bad: Double, all: Double)? in
            guard let bad = release.metrics[failures], let all = release.metrics[total] else { return nil }
            return (release.name, bad, all)
        }
        let (bad, all) = counts.reduce((0, 0)) { ($0.0 + $1.bad, $0.1 + $1.all) }
        guard counts.count > 1, bad >= MessageWriter.standoutCasesMin, all > 0,
            let worst = counts.max(by: { $0.bad / bad - $0.all / all < $1.bad / bad - $1.all / all }),
            worst.bad / bad - worst.all / all >= MessageWriter.standoutShare
        else { return nil }
        return Message.Field(
            "Stands out",
            "release \(worst.name.clipped(to: 80)): \((worst.bad / bad).percent) of \(failures.title), "
                + "\((worst.all / all).percent) of \(total.name)")
    }

    /// By how much its share of the bad cases must exceed its share of all, and of how many bad cases: below that it is
    /// chance.
    private static let standoutShare = 0.2
    private static let standoutCasesMin = 10.0

    /// The figure of a span before the trouble began that compares with the one judged: of like length, and with cases
    /// enough. Nil where there is none, or where the headline says what is usual.
    private func figureBefore(_ story: Story, _ evidence: Evidence) -> Double? {
        guard let metric = evidence.metric, evidence.reference == nil else { return nil }
        return story.series?.lastFigure(
            of: metric, beforeTheHourOf: story.incident.since, lasting: evidence.span?.length,
            casesMin: (evidence.figure?.share?.total ?? 0) * MessageWriter.likeShare)
    }

    /// The share of the cases judged that what it is compared with must have at least: traffic at night is a fifth of
    /// that at noon.
    private static let likeShare = 0.2

    private func sparkline(_ metric: String, of series: Series) -> String? {
        guard series.trail.count >= MessageWriter.sparklinePointsMin else { return nil }
        let values = series.lastDay(of: metric, until: now)
        let known = values.compactMap { $0 }
        guard known.count >= MessageWriter.sparklinePointsMin, let low = known.min(), let high = known.max() else {
            return nil
        }
        let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
        return String(
            values.map { value -> Character in
                guard let value else { return "·" }
                let share = (value - low) / (high - low)
                return share.isFinite ? bars[Int((share * 7).rounded())] : "▅"
            })
    }

    /// Fewer points than this make no picture.
    private static let sparklinePointsMin = 3

    /// What has appeared since shortly before the trouble began comes first: it explains more than what has always been
    /// there.
    private func ordered(_ issues: [Issue], for incident: Incident) -> [Issue] {
        issues.filter { isNew($0, to: incident) } + issues.filter { !isNew($0, to: incident) }
    }

    private func isNew(_ issue: Issue, to incident: Incident) -> Bool {
        let reach = incident.worst.span?.length ?? .hours(1)
        return issue.firstSeen.map { $0 >= incident.since - reach } ?? false
    }

    func issueLine(_ issue: Issue, of incident: Incident? = nil) -> Message.IssueLine {
        var details: [String] = []
        if let incident, isNew(issue, to: incident), let first = issue.firstSeen {
            details.append("new, \(max(.zero, now - first).rough) old")
        }
        if let events = issue.events { details.append("\(events.plain) \(events == 1 ? "event" : "events")") }
        if let users = issue.users { details.append("\(users.plain) \(users == 1 ? "user" : "users")") }
        if details.first?.hasPrefix("new") != true, let first = issue.firstSeen {
            details.append("first seen \(clock(first))")
        }
        return Message.IssueLine(
            title: issue.title.isEmpty ? issue.id : issue.title, detail: details.joined(separator: ", "), url: issue.url
        )
    }

    func text(_ value: Double, of metric: String) -> String {
        Metric(metric).unit == .rate ? value.percent : value.plain
    }

    /// A moment on the clock of the bot's zone: `Fri 20 Nov 23:00 CET`.
    func clock(_ moment: Moment) -> String { zone.words(moment) }

    func span(from: Moment, to: Moment) -> String { zone.words(from: from, to: to) }
}

extension [String?] {
    /// The parts that are there, with commas between.
    fileprivate var joined: String { compactMap { $0 }.joined(separator: ", ") }
}

extension Incident.State {
    /// The kind of message that says that it is so; nil while it goes on.
    fileprivate var endKind: Notification.Kind? {
        switch self {
        case .resolved: .resolved
        case .closed: .closed
        case .pending, .firing, .recovering: nil
        }
    }
}

extension Incident {
    /// What a message of that kind is about: what fired, the worst since, where something begins; how things are, where
    /// they go on.
    func evidence(for kind: Notification.Kind) -> Evidence {
        switch kind {
        case .opened, .escalated, .digest, .test: worst.figure == nil ? evidence : worst
        case .revised where !isOpen: worst.figure == nil ? evidence : worst
        case .reminder, .revised, .resolved, .closed, .acknowledged: evidence
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

    /// The text without its last clauses, or without its end, where it is longer than so many characters.
    fileprivate func shortened(to length: Int) -> String {
        guard count > length else { return self }
        let room = prefix(length - 1)
        let ends = ["; ", ". "].flatMap { room.ranges(of: $0).map(\.lowerBound) }
        // A clause that ends early may lead to the cause, which must stay.
        guard let end = ends.max(), distance(from: startIndex, to: end) >= length / 2 else {
            return cutAtTheEnd(to: length) { _ in 1 }
        }
        return self[..<end] + "…"
    }
}
