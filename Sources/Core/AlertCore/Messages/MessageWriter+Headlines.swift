internal import PluginKit

// The headline of a message about one incident.

extension MessageWriter {
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
        // While nothing is known, there is no now.
        let evidence = silence == nil ? incident.figureEvidence(for: kind) : incident.evidence(for: kind)
        guard let metric = evidence.metric, let figure = evidence.figure?.value else {
            return headline(incident, kind, silence) { sentence ?? self.sentence(evidence) }
        }
        let who = kind == .escalated ? worsened(incident) : name(of: incident.subject)
        let title = words.title(of: Metric(metric))
        let value = text(figure, in: evidence)
        let limit = comparison(evidence)
        let after = words.rough(lasted(incident))
        func plain(_ id: PhraseID) -> String { words(id, [.who: who, .metric: title, .figure: value]) }
        switch kind {
        case .resolved:
            let (id, limit) = resolution(incident, evidence, figure)
            return words(id, [.who: who, .metric: title, .figure: value, .limit: limit, .period: after])
        case .closed:
            return words(
                .headlineClosed,
                [.who: who, .metric: title, .end: closed(incident), .period: after, .figure: value])
        case .reminder:
            guard let silence else {
                let length = words(.detailPeriod, [.period: words.rough(now - incident.since)])
                return detailed(
                    plain(incident.isNewest(evidence) ? .headlineStill : .headlineWorst), [limit, length])
            }
            let length = words.rough(now - silence.since)
            let last = words(
                .headlineSilent, [.who: who, .metric: title, .figure: value, .period: length])
            return detailed(last, [limit])
        case .escalated:
            return detailed(plain(incident.isNewest(evidence) ? .headlineWorse : .headlineFigure), [limit])
        case .revised where !incident.isOpen:
            return words(
                .headlineCorrectedEnd,
                [
                    .who: who, .metric: title, .figure: value,
                    .details: [limit, words[.detailCorrected]].joined, .end: end(incident), .period: after,
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

    /// The same of an incident without a figure.
    ///
    /// - Parameter said: what the rule says; asked only where it is told, as it may name a zone.
    private func headline(
        _ incident: Incident, _ kind: Notification.Kind, _ silence: Silence?, said: () -> String
    ) -> String {
        let who = name(of: incident.subject)
        switch kind {
        case .resolved where incident.isGoodNews:
            let said = said()
            let what = said.hasSuffix(".") ? String(said.dropLast()) : said
            return words(.headlineWhat, [.who: who, .what: what])
        case .resolved: return ended(incident)
        case .closed:
            let after = words.rough(lasted(incident))
            return words(
                .headlineWhatClosed, [.who: who, .what: what(incident), .end: closed(incident), .period: after])
        case .acknowledged:
            let what = shortened(said(), incident)
            return words(.headlineWhatAcknowledged, [.who: who, .carers: carers(incident), .what: what])
        case .reminder where silence != nil:
            let length = words.rough(now - (silence?.since ?? now))
            return words(.headlineWhatSilent, [.who: who, .period: length, .what: said()])
        case .escalated:
            return words(.headlineWhat, [.who: worsened(incident), .what: shortened(said(), incident)])
        default: return words(.headlineWhat, [.who: who, .what: shortened(said(), incident)])
        }
    }

    /// That something is over of which the end has no figure.
    private func ended(_ incident: Incident) -> String {
        let (who, worst) = (name(of: incident.subject), incident.worst)
        if incident.evidence.phrase?.id == .releaseReplaced, let metric = worst.metric, let figure = worst.figure {
            let replaced = words(
                .headlineReplaced,
                [.who: who, .metric: words.title(of: Metric(metric)), .figure: text(figure.value, in: worst)])
            return detailed(replaced, [comparison(worst)])
        }
        if incident.isSourceBack {
            return words(
                .headlineSourceAgain,
                [.who: who, .source: incident.subject.source, .period: words.rough(lasted(incident))])
        }
        let id: PhraseID = incident.endsUnresolved ? .headlineWhatEnded : .headlineWhatResolved
        return words(id, [.who: who, .what: what(incident)])
    }

    /// Who got worse, and how bad it is now: who sees the beginning only must see that it did.
    private func worsened(_ incident: Incident) -> String {
        let who = name(of: incident.subject)
        // A headline about the bot itself has room for the cause, and no more.
        guard Trouble(rawValue: incident.rule) == nil else { return who }
        let severity = words(.detailSeverity, [.severity: words.name(of: incident.severity)])
        return words(.headlineEscalated, [.who: who, .severity: severity])
    }

    /// What is said of a figure that has ended an incident, and by which limit, where there is one to name.
    private func resolution(
        _ incident: Incident, _ evidence: Evidence, _ figure: Double
    ) -> (id: PhraseID, limit: String) {
        if incident.endsUnresolved { return (.headlineUsual, "") }
        guard evidence.reference == nil, let limit = evidence.limit, !limit.holds(figure) else {
            return (.headlineAgain, "")
        }
        // Late figures, or another limit, show it otherwise than it was alarmed with.
        if incident.worst.metric == evidence.metric, incident.worst.figure.map({ !limit.holds($0.value) }) == true {
            return (.headlineWithin, words.limit(limit))
        }
        return (.headlineBack, inside(limit, figure))
    }

    /// A sentence with what there is of details behind it.
    func detailed(_ sentence: String, _ details: [String?]) -> String {
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
    func shortened(_ sentence: String, _ incident: Incident) -> String {
        switch (incident.isOpen ? incident.evidence : incident.worst).phrase?.id {
        case .issueManyNew, .issueManyBack: return sentence.withoutLastClause
        default: break
        }
        guard Trouble(rawValue: incident.rule) != nil else { return sentence }
        return sentence.shortened(to: MessageWriter.troubleCharactersMax)
    }

    /// The clauses of a sentence that are not in its shortened form; nil where that ends within one, and where something
    /// in parentheses, such as a time, would lose what it is about.
    func lacking(in short: String, of sentence: String) -> String? {
        let said = short.hasSuffix("…") ? short.dropLast() : short[...]
        guard sentence.hasPrefix(said) else { return nil }
        let rest = sentence.dropFirst(said.count)
        guard !rest.contains("(") else { return nil }
        return ["; ", ". "].first { rest.hasPrefix($0) }.map { String(rest.dropFirst($0.count)) }
    }

    /// With the mark and the name in front, what a headline of Slack takes without cutting its middle out, where the
    /// cause stands.
    static let troubleCharactersMax = 135

    /// What the figure is to be measured by, in a few words.
    func comparison(_ evidence: Evidence) -> String? {
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

    /// The same of one that may as well be over.
    private func end(_ incident: Incident) -> String {
        incident.state == .closed ? closed(incident) : words[incident.endsUnresolved ? .endEnded : .endResolved]
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
            return words(.togetherWho, count: count - 1, [.names: first.called])
        }
        return [incident.evidence.issue, incident.worst.issue].compactMap(\.self).first { $0.id == key }?.called
            ?? key.tamed.clipped(to: 120)
    }
}

extension [String?] {
    /// The parts that are there, with commas between.
    fileprivate var joined: String { compactMap { $0 }.joined(separator: ", ") }
}

extension String {
    fileprivate var withoutLastClause: String { ranges(of: "; ").last.map { String(self[..<$0.lowerBound]) } ?? self }

    /// The text without its last clauses, or without its end, where it is longer than so many characters.
    fileprivate func shortened(to length: Int) -> String {
        guard count > length else { return self }
        let room = prefix(length - 1)
        func lastEnd(_ marks: [String]) -> String.Index? {
            // A clause that ends early may lead to the cause, which must stay.
            marks.flatMap { room.ranges(of: $0).map(\.lowerBound) }.max().flatMap {
                distance(from: startIndex, to: $0) >= length / 2 ? $0 : nil
            }
        }
        // A time in parentheses goes as a whole.
        guard let end = lastEnd(["; ", ". "]) ?? lastEnd([" ("]) else { return cutAtTheEnd(to: length) { _ in 1 } }
        return self[..<end] + "…"
    }
}
