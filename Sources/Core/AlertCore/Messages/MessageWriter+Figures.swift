internal import PluginKit

// What a message says of figures: before and now, how bad it was, who was hit, and of which release.

extension MessageWriter {
    /// What was before, how it is now, who was hit.
    func figureFields(_ story: Story, _ kind: Notification.Kind) -> [Message.Field] {
        let incident = story.incident
        // While nothing is known, there is no now.
        let isKnown = story.silence == nil
        let evidence = isKnown ? incident.figureEvidence(for: kind) : incident.evidence(for: kind)
        guard let metric = evidence.metric, let figure = evidence.figure else { return worstOfAll(story, kind) }
        if kind.isEnd || !incident.isOpen {
            // After a correction a stretch that was less bad than others may be what is left of the worst.
            let isEvenWorse = incident.worst.metric == metric && evidence.isWorse(than: incident.worst)
            return worstFields(isEvenWorse ? evidence : incident.worst, under: metric)
        }
        var fields: [Message.Field] = []
        let current = incident.evidence
        let isPast = !incident.isNewest(evidence)
        if isKnown, let before = figureBefore(story, evidence) {
            fields.append(
                Message.Field(
                    words[isPast ? .fieldBeforeWorst : .fieldBeforeNow],
                    "\(text(before, in: evidence)) → \(text(figure.value, in: evidence))"))
        }
        // How it is now stands by itself, beside what fired.
        if isKnown, let now = nowText(story, besides: evidence, metric) {
            fields.append(Message.Field(words[.fieldNow], now))
        }
        if kind == .reminder, !isPast, incident.worst.isWorse(than: current),
            let worst = text(incident.worst, under: metric)
        {
            fields.append(Message.Field(words[.fieldAtWorst], worst))
        }
        if let hit = hit(evidence, metric) { fields.append(hit) }
        return fields
    }

    /// How bad that was of which the end has no figure: an issue, in the words of the rule; a release that another one has
    /// replaced, in figures.
    private func worstOfAll(_ story: Story, _ kind: Notification.Kind) -> [Message.Field] {
        let incident = story.incident
        guard kind.isEnd, !incident.isGoodNews else { return [] }
        guard incident.key != nil else {
            let isInHeadline = incident.evidence.phrase?.id == .releaseReplaced
            return worstFields(incident.worst, under: isInHeadline ? incident.worst.metric ?? "" : "")
        }
        let worst = sentence(incident.worst)
        return worst.isEmpty ? [] : [Message.Field(words[.fieldAtWorst], worst)]
    }

    /// How it is now, where that is not what the headline tells. What is judged over all the time that it has been otherwise
    /// is told as it was lately, for nobody takes the mean of a day for now; or else with the time that it is of.
    private func nowText(_ story: Story, besides told: Evidence, _ metric: String) -> String? {
        let current = story.incident.evidence
        let isPast = !story.incident.isNewest(told)
        guard current.isByUsual, let span = current.span, span.length > MessageWriter.nowMax else {
            return isPast ? text(current, under: metric) : nil
        }
        let now = lately(current, span, in: story.series) ?? current
        guard let value = text(now, under: metric), let length = now.span?.length,
            isPast || value != text(told, under: metric)
        else { return nil }
        return words(.nowOver, [.figure: value, .span: words.rough(length)])
    }

    /// The newest figure of an hour at most, where what is judged reaches further back.
    private func lately(_ current: Evidence, _ span: TimeSpan, in series: Series?) -> Evidence? {
        guard let metric = current.metric,
            let measured = series?.complete.measured(Metric(metric), over: MessageWriter.nowMax),
            measured.span.to >= span.to, measured.span.length < span.length
        else { return nil }
        var now = current
        (now.figure, now.span) = (measured.figure, measured.span)
        return now
    }

    /// A figure of more than that says little of now.
    private static let nowMax = Duration.hours(1)

    /// How bad it was. A rule about several metrics may end with the figure of another than was the worst.
    ///
    /// - Parameter headline: the metric of which the headline tells.
    private func worstFields(_ worst: Evidence, under headline: String) -> [Message.Field] {
        guard let metric = worst.metric, let value = text(worst, under: headline) else { return [] }
        return [hit(worst, metric, atWorst: true), Message.Field(words[.fieldAtWorst], value)].compactMap(\.self)
    }

    /// The figure as a field tells it: with its title where the headline tells of another metric.
    private func text(_ evidence: Evidence, under headline: String) -> String? {
        guard let metric = evidence.metric, let figure = evidence.figure else { return nil }
        let value = text(figure.value, in: evidence)
        guard metric != headline else { return value }
        return words(.figureOf, [.metric: words.title(of: Metric(metric)), .figure: value])
    }

    /// How many of what were hit, of how many, and the share.
    ///
    /// - Parameter isWorst: whether it is told of what is over: of its worst moment, in which more may not have been hit
    ///   than in any other.
    private func hit(_ evidence: Evidence, _ metric: String, atWorst isWorst: Bool = false) -> Message.Field? {
        guard let share = evidence.figure?.share, share.total > 0 else { return nil }
        let metric = Metric(metric)
        let failures = metric.failures == nil ? share.hits : share.total - share.hits
        let (label, worst): (PhraseID, PhraseID) =
            switch metric.denominator {
            case .users: (.fieldUsersAffected, .peakUsers)
            case .sessions: (.fieldSessionsAffected, .peakSessions)
            default: (.fieldCasesAffected, .peakCases)
            }
        let count = words.plain(failures.rounded())
        let counted = words.percent(failures / share.total)
        // Of a rate without counts of its own the count is made up of whole ones: the share told is that of the rate.
        let isMadeUp = evidence.figure.map { abs($0.value - share.hits / share.total) > 1e-9 } ?? false
        let rate = evidence.figure.map { words.percent(metric.failures == nil ? $0.value : 1 - $0.value) }
        let isRough = isMadeUp && rate != counted
        // Nobody is helped by 'about none' beside an alarm.
        guard !isRough || failures.rounded() > 0 else { return nil }
        let total = share.total.rounded()
        let value = words(
            isWorst ? worst : .affected, count: total,
            [
                .hit: isRough ? words(.about, [.hit: count]) : count, .total: words.plain(total),
                .share: isRough ? rate ?? counted : counted,
            ])
        return Message.Field(words[isWorst ? .fieldPeak : label], value)
    }

    /// The release, with its share of the app where the whole app is seen too, over about the same time.
    func release(_ name: String, _ story: Story) -> String {
        guard let newest = story.series?.samples.last,
            let whole = story.whole?.samples.last(where: { $0.span.isAbout(newest.span) })
        else { return name }
        for (metric, id) in [(Metric.users, PhraseID.releaseUsers), (.sessions, .releaseSessions)] {
            if let part = newest.metrics[metric], let all = whole.metrics[metric], all > 0, part <= all {
                return words(id, [.release: name, .share: words.percent(part / all)])
            }
        }
        return name
    }

    /// The release that has far more of the crashed sessions than of all of them. Users of releases do not add up: who
    /// updates is one of both.
    func standout(_ story: Story) -> Message.Field? {
        guard let name = story.incident.evidence(for: .opened).metric, Metric(name).failures != nil else { return nil }
        let (failures, total) = (Metric.crashedSessions, Metric.sessions)
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
            words[.fieldStandsOut],
            words(
                .standsOut,
                [
                    .release: worst.name.clipped(to: 80), .share: words.percent(worst.bad / bad),
                    .failures: words.title(of: failures), .part: words.percent(worst.all / all),
                    .all: words.title(of: total),
                ]))
    }

    /// By how much its share of the bad cases must exceed its share of all, and of how many bad cases: below that it is
    /// chance.
    private static let standoutShare = 0.2
    private static let standoutCasesMin = 10.0

    /// The figure of a span before the trouble began that compares with the one judged: of like length, with cases enough,
    /// and better. Nil where there is none, or where the headline says what is usual.
    private func figureBefore(_ story: Story, _ evidence: Evidence) -> Double? {
        guard let metric = evidence.metric, let figure = evidence.figure, let span = evidence.span,
            evidence.reference == nil, let series = story.series
        else { return nil }
        // The trouble was noticed with a span that ended as long before as the newest did before it was seen.
        let newest = story.incident.evidence.span ?? span
        func first(_ edge: Moment) -> Moment { story.incident.since - (series.figuresSeen - edge) }
        return series.lastFigure(
            of: metric, before: min(span.from, first(newest.from)), lasting: span.length,
            casesMin: (figure.share?.total ?? 0) * MessageWriter.likeShare,
            overlappingUntil: min(span.to, first(newest.to)),
            // What was as bad was trouble of its own: beside it, an alarm would look like an improvement.
            where: { text($0, in: evidence) != text(figure.value, in: evidence) && evidence.isClearlyWorse(than: $0) })
    }

    /// The share of the cases judged that what it is compared with must have at least: traffic at night is a fifth of
    /// that at noon.
    private static let likeShare = 0.2
}

extension TimeSpan {
    /// Whether what was counted over both is a part and its whole: they differ by a poll or so.
    fileprivate func isAbout(_ other: TimeSpan) -> Bool {
        let common = min(to, other.to) - max(from, other.from)
        return common >= max(length, other.length).scaled(by: 0.75)
    }
}

extension Evidence {
    /// Whether its figure is worse than another one that is no trouble itself, by more than chance alone makes of the same.
    fileprivate func isClearlyWorse(than before: Double) -> Bool {
        guard let now = figure?.value, let limit else { return true }
        guard !limit.holds(before) else { return false }
        guard limit.relation.isBelow else { return before <= now * (1 - Evidence.slack) }
        // Of a rate the bad share counts: 99.2% is twice as bad as 99.6%.
        let isShare = metric.map { Metric($0).isRate(by: limit) } == true && max(before, now) <= 1
        return isShare ? 1 - before <= (1 - now) * (1 - Evidence.slack) : before * (1 - Evidence.slack) >= now
    }

    private static let slack = 0.05
}
