internal import PluginKit

/// What a message about an incident is made of: plain values, and nothing of the bot.
struct Story {
    let incident: Incident
    /// What is kept of whom it is about.
    let series: Series?
    /// What is kept of the app with all its releases, where it is about one.
    let whole: Series?
}

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
        let saysWhy = kind != .resolved && (incident.evidence.metric == nil || incident.evidence.figure == nil)
        var message = Message(
            kind: kind, severity: incident.severity, at: now,
            headline: "\(Message.mark(kind: kind, severity: incident.severity)) \(headline(incident, kind))",
            reason: saysWhy ? "" : incident.evidence.sentence, incidents: [IncidentSummary(incident)])
        message.fields = fields(story, kind)
        if let metric = incident.evidence.metric {
            message.sparkline = story.series.flatMap { sparkline(metric, of: $0) }
        }
        if kind != .resolved, let issue = incident.evidence.issue {
            message.issues = [issueLine(issue)]
        } else if kind != .resolved, let series = story.series {
            message.issues = series.issues.prefix(MessageWriter.issuesInMessage).map(issueLine)
        }
        message.links = links(incident, kind)
        message.footer = "Rule \(incident.rule) · incident \(incident.id)"
        return message
    }

    /// The bot's page, and mutes while there is something to mute.
    private func links(_ incident: Incident, _ kind: Notification.Kind) -> [Message.Link] {
        guard let url = publicURL else { return [] }
        let status = Message.Link("Status", url)
        guard incident.isOpen, kind != .resolved else { return [status] }
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        let mutes = [("Mute 2 h", "2h"), ("Mute 2 days", "2d")].map { title, word in
            Message.Link(title, "\(base)/mute?incident=\(incident.id)&for=\(word)")
        }
        return [status] + mutes
    }

    /// Issues named in a message: more are for the source's own page.
    static let issuesInMessage = 5

    func headline(_ incident: Incident, _ kind: Notification.Kind) -> String {
        let who = name(of: incident.subject)
        guard let metric = incident.evidence.metric, let figure = incident.evidence.figure else {
            let sentence = incident.evidence.sentence
            return kind == .resolved ? "\(who): \(what(incident)) has resolved" : "\(who): \(sentence)"
        }
        let title = Metric(metric).title
        let value = text(figure.value, of: metric)
        let limit = incident.evidence.limit.map { "limit \($0)" }
        switch kind {
        case .resolved:
            let after = "after \(lasted(incident).short)"
            // It may end without being better: its rule has gone, or its figures have stopped.
            let isBeyond = incident.evidence.limit?.holds(figure.value) ?? false
            return isBeyond
                ? "\(who): \(title) no longer watched, \(after)" : "\(who): \(title) \(value) again, \(after)"
        case .reminder:
            return "\(who): \(title) still \(value) (\([limit, "for \((now - incident.since).short)"].joined))"
        case .escalated:
            return "\(who): \(title) now \(value) (\([limit, "now \(incident.severity.rawValue)"].joined))"
        case .revised:
            return "\(who): \(title) \(value) (\([limit, "figures corrected"].joined))"
        case .opened, .digest:
            return "\(who): \(title) \(value)" + (limit.map { " (\($0))" } ?? "")
        }
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
        var fields: [Message.Field] = []
        let incident = story.incident
        let evidence = incident.evidence
        if let metric = evidence.metric, let figure = evidence.figure {
            if kind != .resolved, let before = figureBefore(story, metric) {
                fields.append(
                    Message.Field("Before → now", "\(text(before, of: metric)) → \(text(figure.value, of: metric))"))
            }
            if let hit = hit(kind == .resolved ? incident.worst : evidence, metric) {
                fields.append(Message.Field(kind == .resolved ? "Affected at worst" : "Affected", hit))
            }
            if kind == .resolved, let worst = incident.worst.figure {
                fields.append(Message.Field("At worst", text(worst.value, of: metric)))
            }
        }
        if kind == .resolved {
            let span = span(from: incident.since, to: incident.until ?? now)
            fields.append(Message.Field("Lasted", "\(span), \(lasted(incident).short)"))
        } else {
            let length = now - incident.since
            fields.append(
                Message.Field("Since", clock(incident.since) + (length > .zero ? ", for \(length.short)" : "")))
        }
        if let release = incident.subject.release, !release.isEmpty {
            fields.append(Message.Field("Release", release.clipped(to: 80) + (share(story) ?? "")))
        }
        return fields
    }

    /// How many were hit, of how many.
    private func hit(_ evidence: Evidence, _ metric: String) -> String? {
        guard let share = evidence.figure?.share, share.total > 0 else { return nil }
        let metric = Metric(metric)
        let failures = metric.failures == nil ? share.hits : share.total - share.hits
        let noun = metric.denominator?.name ?? "cases"
        return
            "\(failures.rounded().plain) of \(share.total.rounded().plain) \(noun) (\((failures / share.total).percent))"
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

    /// The figure of the last full hour before the trouble began.
    private func figureBefore(_ story: Story, _ metric: String) -> Double? {
        story.series?.lastFigure(of: metric, beforeTheHourOf: story.incident.since)
    }

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

    func issueLine(_ issue: Issue) -> Message.IssueLine {
        var details: [String] = []
        if let events = issue.events { details.append("\(events.plain) \(events == 1 ? "event" : "events")") }
        if let users = issue.users { details.append("\(users.plain) \(users == 1 ? "user" : "users")") }
        if let first = issue.firstSeen { details.append("first seen \(clock(first))") }
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
