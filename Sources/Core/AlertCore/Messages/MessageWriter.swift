internal import PluginKit

/// Finds the words. People decide in three seconds: what, how bad, since when, which release, what now.
struct MessageWriter {
    let words: Words
    /// Where people reach the bot's page; nil leaves links to it out.
    let publicURL: String?
    let now: Moment
    private let face: ClockFace
    /// Whether any channel shows pictures of figures.
    private let makesCharts: Bool

    init(zone: Zone, words: Words, publicURL: String?, now: Moment, makesCharts: Bool = false) {
        self.makesCharts = makesCharts
        self.words = words
        self.publicURL = publicURL
        self.now = now
        face = ClockFace(zone, words, readAt: now)
    }

    /// The message for an incident as it stands. What is written with the same writer after that belongs to it, too.
    func message(_ story: Story, _ kind: Notification.Kind) -> Message {
        face.begin()
        let incident = story.incident
        let evidence = incident.evidence(for: kind)
        // Without a figure, the headline is the sentence.
        let isHeadline = !kind.isEnd && (evidence.metric == nil || evidence.figure == nil)
        // In the order in which people read: the zone is named where the first time stands.
        let leading = isHeadline ? sentence(evidence) : nil
        // What is judged by its absence is known: only what was measured is as it was last known.
        let silence = story.silence.flatMap { $0.isMeant(by: evidence) ? nil : $0 }
        let headline =
            "\(mark(incident, kind, story.again)) "
            + headline(incident, kind, silence, leading, again: story.again)
        // What was cut off a headline names no zone.
        face.forget(besides: headline)
        let fields = fields(story, kind)
        var message = Message(
            kind: kind, severity: incident.severity, at: now, headline: headline, fields: fields,
            reason: reason(
                story, kind, story.silence == nil ? incident.reasonEvidence(for: kind) : evidence, leading),
            incidents: [IncidentSummary(incident)])
        message.labels = incident.labels
        if let metric = evidence.metric {
            message.sparkline = story.series.flatMap { sparkline(metric, of: $0) }
            if makesCharts, message.sparkline != nil { message.chart = chart(story, metric, kind) }
        }
        // Who has been told of it knows the rest.
        if !kind.isEnd, kind != .acknowledged {
            let issues = evidence.issue.map { [$0] + evidence.otherIssues } ?? ordered(story.issues, for: incident)
            message.issues = issues.prefix(MessageWriter.issuesInMessage).map { issueLine($0, of: incident) }
        }
        message.links = story.links + links(incident, kind)
        message.footer = words(.footer, [.rule: incident.rule, .incident: incident.id])
        return message
    }

    /// Begins another message.
    func begin() { face.begin() }

    /// Why it is said, where headline and fields do not say it.
    ///
    /// - Parameter leading: what the headline says, whole or cut.
    private func reason(
        _ story: Story, _ kind: Notification.Kind, _ evidence: Evidence, _ leading: String?
    ) -> String {
        guard kind != .acknowledged else { return "" }
        if let leading {
            let short = shortened(leading, story.incident)
            guard short != leading else { return "" }
            let whole = sentence(evidence)
            return lacking(in: short, of: whole) ?? lacking(in: short, of: leading) ?? whole
        }
        let sentence = sentence(evidence)
        guard let silence = story.silence, !sentence.isEmpty else { return sentence }
        if silence.isMeant(by: evidence), let figure = evidence.figure {
            return words(.reasonAbsent, [.figure: text(figure.value, in: evidence)])
        }
        return words(.reasonAsOf, [.moment: clock(evidence.span?.to ?? silence.since), .reason: sentence])
    }

    /// What a rule or the bot itself says, as people read it; of records without it, the sentence that is kept.
    func sentence(_ evidence: Evidence) -> String {
        guard let phrase = evidence.phrase else { return evidence.sentence }
        return words.text(phrase, of: evidence) { clock($0) }
    }

    /// What is over has the mark of its end, whatever is said of it.
    ///
    /// - Parameter again: since when the same goes on again.
    func mark(_ incident: Incident, _ kind: Notification.Kind, _ again: Moment? = nil) -> String {
        if kind == .resolved || kind == .revised && !incident.isOpen, incident.isInDoubt || again != nil {
            return Message.mark(kind: .closed, severity: incident.severity)
        }
        let end: Notification.Kind? = kind != .revised || incident.isOpen ? nil : incident.state.endKind
        return Message.mark(kind: end ?? kind, severity: incident.severity)
    }

    /// The incident's page, and what can be done while it is open.
    private func links(_ incident: Incident, _ kind: Notification.Kind) -> [Message.Link] {
        guard let bot = publicURL.map(BotAddress.init) else { return [] }
        let page = Message.Link(words[.linkIncident], bot.page(ofIncident: incident.id), isOwn: true)
        guard incident.isOpen, !kind.isEnd else { return [page] }
        let mutes = [(words[.linkMuteHours], "2h"), (words[.linkMuteDays], "2d")].map { title, word in
            Message.Link(title, bot.muting(incident.id, for: word), isOwn: true)
        }
        let acknowledge = Message.Link(words[.linkAcknowledge], bot.acknowledging(incident.id), isOwn: true)
        return [page, acknowledge] + mutes
    }

    /// What is about many leads to the page of all.
    var statusLinks: [Message.Link] {
        publicURL.map { [Message.Link(words[.linkStatus], $0, isOwn: true)] } ?? []
    }

    /// Issues named in a message: more are for the source's own page.
    static let issuesInMessage = 5

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
            fields.append(Message.Field(words[.fieldLasted], span(from: incident.since, to: incident.until ?? now)))
        } else {
            if let begun = incident.begun {
                fields.append(Message.Field(words[.fieldBegan], words(.began, [.moment: clock(begun)])))
            }
            let (since, length) = (clock(incident.since), now - incident.since)
            let value = length > .zero ? words(.since, [.moment: since, .period: words.rough(length)]) : since
            fields.append(Message.Field(words[.fieldSince], value))
            fields += lackFields(story)
        }
        if incident.isOpen, kind != .acknowledged, let acknowledgement = incident.acknowledgement {
            fields.append(Message.Field(words[.fieldOnIt], words.names(of: acknowledgement)))
        }
        if !kind.isEnd, let owner = incident.labels["owner"], !owner.isEmpty {
            fields.append(Message.Field(words[.fieldOwner], owner.clipped(to: 80)))
        }
        if !kind.isEnd, let silence = story.silence {
            let value = words(
                .noNews,
                [
                    .moment: clock(silence.since), .period: words.rough(now - silence.since),
                    .cause: words[silence.cause.inShort],
                ])
            fields.append(Message.Field(words[.fieldNoNews], value))
        }
        if let release = incident.subject.release, !release.isEmpty {
            fields.append(Message.Field(words[.fieldRelease], self.release(release.clipped(to: 80), story)))
        } else if !kind.isEnd, let field = standout(story) {
            fields.append(field)
        }
        return fields
    }

    /// What is missing: since when figures are, and what nobody watches while a source gives no answers.
    private func lackFields(_ story: Story) -> [Message.Field] {
        var fields: [Message.Field] = []
        if let phrase = story.incident.evidence.phrase, let newest = phrase.moment,
            phrase.id == .staleSourceSilent || phrase.id == .staleAppSilent
        {
            fields.append(Message.Field(words[.fieldNewest], clock(newest)))
        }
        if !story.unwatched.isEmpty {
            fields.append(Message.Field(words[.fieldUnwatched], listed(story.unwatched)))
        }
        return fields
    }

    /// `shop, game, bank and 3 more`.
    private func listed(_ names: [String]) -> String {
        let told = names.prefix(MessageWriter.listedMax).map { $0.tamed.clipped(to: 40) }.joined(separator: ", ")
        let rest = names.count - MessageWriter.listedMax
        return rest > 0 ? words(.togetherWho, count: rest, [.names: told]) : told
    }

    /// Names in a field that is one line of a chat.
    private static let listedMax = 5

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
        let isNew = incident.map { self.isNew(issue, to: $0) } ?? false
        if isNew, incident?.isReturn != true, let first = issue.firstSeen {
            details.append(words(.issueAge, [.period: words.rough(max(.zero, now - first))]))
        }
        if let events = issue.events { details.append(words(.countEvents, count: events)) }
        if let users = issue.users { details.append(words(.countUsers, count: users)) }
        if !isNew, let first = issue.firstSeen {
            details.append(words(.issueFirstSeen, [.moment: face.words(first, isLongAgo: true)]))
        }
        return Message.IssueLine(
            title: issue.title.allSatisfy(\.isWhitespace) ? issue.id : issue.title,
            detail: details.joined(separator: ", "), url: issue.webURL)
    }

    /// A figure as that evidence is told: of its metric, judged by its limit.
    func text(_ value: Double, in evidence: Evidence) -> String {
        words.figure(value, of: evidence.metric ?? "", by: evidence.limit)
    }

    /// A moment on the clock of the bot's zone: `Fri 20 Nov 23:00 CET`, and `Fri 20 Nov 23:00` where the message has
    /// named the zone before; with its year where that is another one and eleven months or more away.
    func clock(_ moment: Moment) -> String { face.words(moment) }

    /// A stretch of time, likewise, and how long it is.
    func span(from: Moment, to: Moment) -> String {
        words(.span, [.stretch: face.words(from: from, to: to), .period: words.rough(to - from)])
    }

    func stretch(from: Moment, to: Moment) -> String { face.words(from: from, to: to) }
}

/// How the times of one message are written: with the zone where it is named for the first time, and where the clocks
/// were changed in between.
private final class ClockFace {
    private let zone: Zone
    private let language: Words
    /// When it is read.
    private let now: Moment
    /// The times that have their zone. Mostly one, and never more than two.
    private var named: [String] = []

    init(_ zone: Zone, _ language: Words, readAt now: Moment) {
        self.zone = zone
        self.language = language
        self.now = now
    }

    func begin() { named = [] }

    /// Takes the zones as named whose times are in that text, and no others: their letters alone may stand in any word.
    func forget(besides text: String) { named.removeAll { !text.contains($0) } }

    /// - Parameter isLongAgo: whether nobody expects a moment of this year, so that any other is told with it.
    func words(_ moment: Moment, isLongAgo: Bool = false) -> String {
        let now = isLongAgo || Zone.isFar(moment, from: now) ? now : nil
        return naming(zone.abbreviation(at: moment), zone.wall(moment, in: language, readAt: now))
    }

    func words(from: Moment, to: Moment) -> String {
        let now = Zone.isFar(from, from: now) ? now : nil
        let stretch = zone.wall(from: from, to: to, in: language, readAt: now)
        // Both its ends say which.
        return zone.changes(from: from, to: to) ? stretch : naming(zone.abbreviation(at: to), stretch)
    }

    private func naming(_ zone: String, _ time: String) -> String {
        let told = "\(time) \(zone)"
        guard !named.contains(where: { $0.hasSuffix(" \(zone)") }) else { return time }
        named.append(told)
        return told
    }
}

extension Incident.State {
    /// The kind of message that says that it is so; nil while it goes on.
    var endKind: Notification.Kind? {
        switch self {
        case .resolved: .resolved
        case .closed: .closed
        case .pending, .firing, .recovering: nil
        }
    }
}
