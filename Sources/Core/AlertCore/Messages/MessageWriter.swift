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
        let fields = fields(story, kind)
        var message = Message(
            kind: kind, severity: incident.severity, at: now, headline: headline, fields: fields,
            reason: reason(story, kind, evidence, leading), incidents: [IncidentSummary(incident)])
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
        if let leading { return shortened(leading, story.incident) == leading ? "" : leading }
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

    /// Says in the headline that it keeps coming and going: what has ended for now is not over, and who reads no further must
    /// not take it for that.
    func noteFlapping(_ message: inout Message) {
        let mark = message.kind.isEnd ? Message.mark(kind: .closed, severity: message.severity) : message.mark.rawValue
        message.headline = "\(mark) \(words(.detailFlapping, [.headline: message.unmarkedHeadline]))"
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

    /// What a message about one incident says first, without the mark before it: who, what, and since when.
    ///
    /// - Parameters:
    ///   - sentence: what the rule says, where that has been found already.
    ///   - again: since when the same goes on again, where this is over.
    func headline(
        _ incident: Incident, _ kind: Notification.Kind, _ silence: Silence? = nil, _ sentence: String? = nil,
        again: Moment? = nil
    ) -> String {
        guard let again else { return headlineByItself(incident, kind, silence, sentence) }
        return detailed(
            headlineByItself(incident, kind, silence, sentence), [words(.detailAgain, [.moment: clock(again)])])
    }

    private func headlineByItself(
        _ incident: Incident, _ kind: Notification.Kind, _ silence: Silence?, _ sentence: String?
    ) -> String {
        let who = name(of: incident.subject)
        let after = words.rough(lasted(incident))
        let evidence = incident.evidence(for: kind)
        guard let metric = evidence.metric, let figure = evidence.figure else {
            func said() -> String { sentence ?? self.sentence(evidence) }
            switch kind {
            case .resolved where incident.isGoodNews:
                let said = said()
                let what = said.hasSuffix(".") ? String(said.dropLast()) : said
                return words(.headlineWhat, [.who: who, .what: what])
            case .resolved:
                let id: PhraseID = incident.endsUnresolved ? .headlineWhatEnded : .headlineWhatResolved
                return words(id, [.who: who, .what: what(incident)])
            case .closed:
                return words(
                    .headlineWhatClosed, [.who: who, .what: what(incident), .end: closed(incident), .period: after])
            case .acknowledged:
                let what = shortened(said(), incident)
                return words(.headlineWhatAcknowledged, [.who: who, .carers: carers(incident), .what: what])
            case .reminder where silence != nil:
                let length = words.rough(now - (silence?.since ?? now))
                return words(.headlineWhatSilent, [.who: who, .period: length, .what: said()])
            default: return words(.headlineWhat, [.who: who, .what: shortened(said(), incident)])
            }
        }
        let title = words.title(of: Metric(metric))
        let value = text(figure.value, in: evidence)
        let limit = comparison(evidence)
        func plain(_ id: PhraseID) -> String { words(id, [.who: who, .metric: title, .figure: value]) }
        switch kind {
        case .resolved:
            if incident.endsUnresolved {
                return words(.headlineUsual, [.who: who, .metric: title, .figure: value, .period: after])
            }
            if evidence.reference == nil, let limit = evidence.limit, !limit.holds(figure.value) {
                // Late figures, or another limit, show it otherwise than it was alarmed with.
                if incident.worst.metric == metric, incident.worst.figure.map({ !limit.holds($0.value) }) == true {
                    return words(
                        .headlineWithin, [.who: who, .metric: title, .figure: value, .limit: words.limit(limit)])
                }
                return words(
                    .headlineBack,
                    [
                        .who: who, .metric: title, .figure: value, .limit: inside(limit, figure.value),
                        .period: after,
                    ])
            }
            return words(.headlineAgain, [.who: who, .metric: title, .figure: value, .period: after])
        case .closed:
            return words(
                .headlineClosed,
                [.who: who, .metric: title, .end: closed(incident), .period: after, .figure: value])
        case .reminder:
            guard let silence else {
                let length = words(.detailPeriod, [.period: words.rough(now - incident.since)])
                return detailed(plain(.headlineStill), [limit, length])
            }
            let length = words.rough(now - silence.since)
            let last = words(
                .headlineSilent, [.who: who, .metric: title, .figure: value, .period: length])
            return detailed(last, [limit])
        case .escalated:
            let severity = words(.detailSeverity, [.severity: words.name(of: incident.severity)])
            return detailed(plain(incident.isNewest(evidence) ? .headlineWorse : .headlineFigure), [limit, severity])
        case .revised where !incident.isOpen:
            let over = incident.endsUnresolved ? PhraseID.endEnded : .endResolved
            let end = incident.state == .closed ? closed(incident) : words[over]
            return words(
                .headlineCorrectedEnd,
                [
                    .who: who, .metric: title, .figure: value,
                    .details: [limit, words[.detailCorrected]].joined, .end: end, .period: after,
                ])
        case .revised:
            return detailed(plain(.headlineFigure), [limit, words[.detailCorrected]])
        case .acknowledged:
            let headline = words(
                .headlineAcknowledged, [.who: who, .carers: carers(incident), .metric: title, .figure: value])
            return detailed(headline, [limit])
        case .opened, .digest, .test:
            return detailed(plain(.headlineFigure), [limit])
        }
    }

    /// A sentence with what there is of details behind it.
    private func detailed(_ sentence: String, _ details: [String?]) -> String {
        let details = details.joined
        return details.isEmpty ? sentence : words(.details, [.sentence: sentence, .details: details])
    }

    /// Where a figure is that is inside its limit again: on the other side of it, or just at it.
    private func inside(_ limit: Comparison, _ figure: Double) -> String {
        if figure == limit.limit { return words(.limitAt, [.limit: words.limitText(limit)]) }
        return words.limit(
            Comparison(limit.relation.isBelow ? .greater : .less, limit.limit, isPercentage: limit.isPercentage))
    }

    /// Who takes care of it: `ana is on it`, `ana and ben are on it`.
    private func carers(_ incident: Incident) -> String {
        let also = incident.acknowledgement?.also.count ?? 0
        return words(.carers, count: 1 + also, [.names: words.names(of: incident.acknowledgement)])
    }

    /// What a headline says of an incident without a figure. A trouble of the bot begins with what is wrong and why, and
    /// ends with what to do: where that is too long for one line, the end goes, and the whole stands below.
    /// Of many issues at once it says how many and which; what that may mean stands below.
    private func shortened(_ sentence: String, _ incident: Incident) -> String {
        switch incident.evidence.phrase?.id {
        case .issueManyNew, .issueManyBack: return sentence.withoutLastClause
        default: break
        }
        guard Trouble(rawValue: incident.rule) != nil else { return sentence }
        return sentence.shortened(to: MessageWriter.troubleCharactersMax)
    }

    /// With the mark and the name in front, what a headline of Slack takes without cutting its middle out, where the
    /// cause stands.
    static let troubleCharactersMax = 135

    /// What the figure is to be measured by, in a few words.
    private func comparison(_ evidence: Evidence) -> String? {
        switch evidence.reference {
        case .usual(let value): words(.detailUsual, [.usual: text(value, in: evidence)])
        case .olderRelease(let value): words(.detailOlderRelease, [.figure: text(value, in: evidence)])
        case nil: evidence.limit.map { words(.detailLimit, [.limit: words.limit($0)]) }
        }
    }

    /// How it ended, where nobody knows whether it is over.
    private func closed(_ incident: Incident) -> String {
        incident.isUncertain ? words[.endSilent] : words[.endUnwatched]
    }

    /// How long it lasted, whenever that is told.
    private func lasted(_ incident: Incident) -> Duration { (incident.until ?? now) - incident.since }

    /// What an incident without a figure is about.
    func what(_ incident: Incident) -> String {
        if let issue = issue(of: incident) { return words(.whatIssue, [.rule: incident.rule, .issue: issue]) }
        guard incident.subject.app == Subject.botApp, Trouble(rawValue: incident.rule)?.isOfOne != true else {
            return incident.rule
        }
        return words(.whatOf, [.rule: incident.rule, .source: incident.subject.source])
    }

    /// What an incident about an issue, or about many at once, is about: at its end the rule may name it no more.
    private func issue(of incident: Incident) -> String? {
        guard let key = incident.key else { return nil }
        // Many at once go by the first of them; the key is not in everybody's language.
        if let many = incident.worst.phrase, [.issueManyNew, .issueManyBack].contains(many.id),
            let first = incident.worst.issue, let count = many.count
        {
            return words(.togetherWho, count: count - 1, [.names: first.id.tamed.clipped(to: 80)])
        }
        return [incident.evidence.issue, incident.worst.issue].compactMap(\.self).first { $0.id == key }?.called
            ?? key.tamed.clipped(to: 120)
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
            fields.append(Message.Field(words[.fieldLasted], span(from: incident.since, to: incident.until ?? now)))
        } else {
            let (since, length) = (clock(incident.since), now - incident.since)
            let value = length > .zero ? words(.since, [.moment: since, .period: words.rough(length)]) : since
            fields.append(Message.Field(words[.fieldSince], value))
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
        if isNew, let first = issue.firstSeen {
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
    /// Mostly one, and never more than two.
    private var named: [String] = []

    init(_ zone: Zone, _ language: Words, readAt now: Moment) {
        self.zone = zone
        self.language = language
        self.now = now
    }

    func begin() { named = [] }

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
        guard !named.contains(zone) else { return time }
        named.append(zone)
        return "\(time) \(zone)"
    }
}

extension [String?] {
    /// The parts that are there, with commas between.
    fileprivate var joined: String { compactMap { $0 }.joined(separator: ", ") }
}

extension Incident {
    /// Whether it is over and not all of it is well: its end has no tick.
    var isInDoubt: Bool { endsUnresolved || evidence.phrase?.id == .reasonStill }

    /// Whether its rule has nothing more to say of it though nobody knows that it is better: what is known by now may crash
    /// as before.
    fileprivate var endsUnresolved: Bool {
        switch evidence.phrase?.id {
        case .issueOverKnown, .issueOverForgotten, .issueOverIgnored, .issueOverBack, .releaseFineOver,
            .releaseReplaced, .reasonStayed:
            true
        default: false
        }
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

extension String {
    fileprivate var withoutLastClause: String { ranges(of: "; ").last.map { String(self[..<$0.lowerBound]) } ?? self }

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
