public import PluginKit

// How old figures are, and what it means that they have stopped: no news is not good news.

/// Since when nothing is known of what an incident is about, and why.
struct Silence: Hashable, Sendable {
    enum Cause: Hashable, Sendable {
        /// The source answers, but does not name it any more.
        case vanished
        /// The source gives no usable answer.
        case failing
        /// Figures come, but cannot be judged: too few, or not complete.
        case unjudged

        /// What has been the case since, where it is closed because of that.
        var asEnd: PhraseID {
            switch self {
            case .vanished: .closedVanished
            case .failing: .closedFailing
            case .unjudged: .closedUnjudged
            }
        }

        /// The same in a few words.
        var inShort: PhraseID {
            switch self {
            case .vanished: .noNewsVanished
            case .failing: .noNewsFailing
            case .unjudged: .noNewsUnjudged
            }
        }
    }

    let since: Moment
    let cause: Cause

    /// Whether that is what the rule speaks of: an app that had sessions and vanishes has none, though nobody measured
    /// it.
    func isMeant(by evidence: Evidence) -> Bool {
        cause == .vanished && evidence.figure?.value == 0 && evidence.span.map { $0.to > since } ?? false
    }
}

extension State {
    /// Whether the last figures are young enough to be believed.
    func areFiguresFresh(of subject: Subject, for rule: DetectorPlan, _ plan: Plan, at now: Moment) -> Bool {
        // How fresh the figures are is what such a rule is about.
        if rule.scope == .source { return true }
        guard let series = figures.series[subject] else { return false }
        return now - lastKnown(series, of: subject.source, to: rule) <= staysGood(subject, plan)
    }

    /// Whether what a pending incident rests on is young enough to be believed. Of what has vanished no figures can be: that
    /// it had not come back was known at the last answer without it.
    func isFresh(_ incident: Incident, for rule: DetectorPlan, _ plan: Plan, at now: Moment) -> Bool {
        if areFiguresFresh(of: incident.subject, for: rule, plan, at: now) { return true }
        guard rule.asksAboutSessions, let silence = silence(of: incident, plan, at: now),
            silence.isMeant(by: incident.evidence), let seen = incident.evidence.span?.to
        else { return false }
        return now - lastKnown(seen, of: incident.subject.source) <= staysGood(incident.subject, plan)
    }

    /// When what a rule reads of a subject was last known, where that is too long ago to be believed.
    func noNewsSince(_ subject: Subject, for rule: DetectorPlan, _ plan: Plan, at now: Moment) -> Moment? {
        guard let series = figures.series[subject], !areFiguresFresh(of: subject, for: rule, plan, at: now) else {
            return nil
        }
        return lastKnown(series, of: subject.source, to: rule)
    }

    /// The apps that a rule on figures judges and of which none come any more, from no release and no environment, though
    /// their source answers, and answers whole. Of sources that are told, silence may be all that there is to tell.
    public func silentApps(_ plan: Plan, at now: Moment) -> Set<Subject> {
        var silent: Set<Subject> = []
        for source in plan.sources where !source.isPushed {
            guard let record = schedule.sources[source.name], record.stopped == nil, record.lack == nil,
                let lastGood = record.lastGood, now - lastGood <= plan.figuresLast(source.name)
            else { continue }
            // Of nearly all the newest figures are young, and this is asked with every look at the bot's health.
            let subjects = figures.unordered(of: source.name)
            let old = Set(subjects.lazy.filter { isOld($0, plan, at: now) }.map(\.app))
            guard !old.isEmpty else { continue }
            let rules = plan.rules(of: source.name)
            let judged = subjects.filter { old.contains($0.app) && isJudgedByFigures($0, rules) }
            let known = Set(judged.filter { !isOld($0, plan, at: now) }.map(\.app))
            for subject in judged where !known.contains(subject.app) {
                silent.insert(Subject(source: source.name, app: subject.app))
            }
        }
        return silent
    }

    private func isJudgedByFigures(_ subject: Subject, _ rules: [DetectorPlan]) -> Bool {
        guard let series = figures.series[subject], series.hasFigures else { return false }
        return rules.contains { rule in
            rule.scope != .source && !rule.detector.metrics.isEmpty && rule.watches(subject, labels: series.labels)
        }
    }

    /// Whether there were figures of it, and the last are too old to be believed.
    private func isOld(_ subject: Subject, _ plan: Plan, at now: Moment) -> Bool {
        guard let series = figures.series[subject], series.hasFigures else { return false }
        return now - lastKnown(series.figuresSeen, of: subject.source) > staysGood(subject, plan)
    }

    /// How long a subject's figures are believed: until the next poll must have brought others, and where it has figures of
    /// a day each, as long as two of them. How far back a rule looks is no matter: what it sees there is past.
    private func staysGood(_ subject: Subject, _ plan: Plan) -> Duration {
        max(plan.source(subject.source)?.oldestNews ?? plan.figuresLast(subject.source), twoFigures(of: subject))
    }

    /// How long what is getting better may take to end: as long as it takes from one poll to the next.
    private func mayTakeToEnd(_ subject: Subject, _ plan: Plan) -> Duration {
        max(plan.figuresLast(subject.source), twoFigures(of: subject))
    }

    private func twoFigures(of subject: Subject) -> Duration {
        (figures.series[subject]?.rhythm ?? .zero).scaled(by: 2)
    }

    /// When what a rule reads was last known to hold. Issues that go on are no news of figures.
    private func lastKnown(_ series: Series, of source: String, to rule: DetectorPlan) -> Moment {
        lastKnown(rule.detector.metrics.isEmpty ? series.lastSeen : series.figuresSeen, of: source)
    }

    private func lastKnown(_ seen: Moment, of source: String) -> Moment {
        schedule.sources[source]?.knownUntil(seen) ?? seen
    }

    /// Those of the times in which something was seen last.
    func relied(on spans: [TimeSpan], of source: String) -> [TimeSpan] {
        guard !spans.isEmpty else { return [] }
        var rest = spans
        for subject in figures.unordered(of: source) where !rest.isEmpty {
            guard let series = figures.series[subject] else { continue }
            rest.removeAll { span in
                [series.figuresSeen, series.lastSeen].contains { span.from <= $0 && $0 < span.to }
            }
        }
        return spans.filter { !rest.contains($0) }
    }

    /// Since when nothing is known of what an open incident is about; nil while something is, and of the bot's own
    /// troubles.
    func silence(of incident: Incident, _ plan: Plan, at now: Moment) -> Silence? {
        guard incident.isOpen, let rule = plan.detector(incident.rule) else { return nil }
        let subject = incident.subject
        if rule.scope == .source {
            // Such a rule is about silence itself, until what it speaks of is forgotten.
            guard !incident.isOfWholeSource, !hasFiguresKept(ofWhole: subject, at: now) else { return nil }
            return Silence(since: incident.evidence.span?.to ?? incident.since, cause: .vanished)
        }
        guard let known = lastKnown(incident, rule) else {
            return Silence(since: incident.evidence.span?.to ?? incident.since, cause: .vanished)
        }
        if now - known > staysGood(subject, plan) {
            // While nothing says that the source fails it is believed for as long as figures are: a file of hourly figures
            // that is played has a line an hour, and polls that brought nothing are not in it.
            let record = schedule.sources[subject.source]
            let believed = record?.silentSince == nil ? staysGood(subject, plan) : plan.figuresLast(subject.source)
            let lastGood = record?.lastGood
            let hasAnswered = lastGood.map { now - $0 <= believed } ?? false
            return Silence(since: known, cause: hasAnswered ? .vanished : .failing)
        }
        let judged = incident.evidence.span?.to ?? incident.since
        return incident.isUncertain && judged < known ? Silence(since: judged, cause: .unjudged) : nil
    }

    /// Whether an app has figures, its own or those of a release, that are not older than any are kept: its issues may go on.
    private func hasFiguresKept(ofWhole app: Subject, at now: Moment) -> Bool {
        let all = ([app] + figures.releases(of: app)).compactMap { figures.series[$0] }
        // Issues alone count where there never was anything else.
        let figured = all.filter(\.hasFigures)
        return (figured.isEmpty ? all : figured).contains { now - $0.figuresSeen < Figures.lifetime }
    }

    /// When nothing will be known any more of what an incident is about, should no more figures come; nil where that is
    /// no question of time.
    func knownUntil(_ incident: Incident, _ plan: Plan) -> Moment? {
        guard let rule = plan.detector(incident.rule), rule.scope != .source else { return nil }
        return lastKnown(incident, rule).map { $0 + staysGood(incident.subject, plan) + .milliseconds(1) }
    }

    /// Whether it is getting better and may end before a channel need hear of it: while its figures come, and until the
    /// gate that held it has been open for as long as it is from one poll to the next. Whatever ends by itself ends with
    /// one of the polls of that time; what does not is still there.
    func mayEndUnheard(_ incident: Incident, _ standing: Standing, _ plan: Plan, at now: Moment) -> Bool {
        guard incident.isUnheardRecovery(standing), silence(of: incident, plan, at: now) == nil else { return false }
        // No gate has held it from who is only now to hear of it.
        guard let hold = standing.hold else {
            return now < max(incident.since, incident.endsFrom ?? .earliest) + mayTakeToEnd(incident.subject, plan)
        }
        return mayEndUnheardUntil(incident, hold, plan).map { now < $0 } ?? true
    }

    /// The end of that time; nil while only an event can open the gate.
    func mayEndUnheardUntil(_ incident: Incident, _ hold: Hold, _ plan: Plan) -> Moment? {
        guard hold.checkAgain < .latest else { return nil }
        return max(hold.checkAgain, incident.endsFrom ?? .earliest) + mayTakeToEnd(incident.subject, plan)
    }

    private func lastKnown(_ incident: Incident, _ rule: DetectorPlan) -> Moment? {
        let subject = incident.subject
        // A rule that is shown an app with its releases may speak of it while figures come only of these.
        let ofReleases = rule.scope == .app && !rule.detector.metrics.isEmpty
        if let series = figures.series[subject], series.hasFigures || !ofReleases {
            return lastKnown(series, of: subject.source, to: rule)
        }
        guard rule.scope == .app else { return nil }
        return figures.releases(of: subject).compactMap { figures.series[$0] }
            .map { lastKnown($0, of: subject.source, to: rule) }.max()
    }

    /// What had sessions and has not been in the source's answers for longer than its figures are believed, and than the
    /// rule looks back: one answer without it is no alarm, nor is the first after a break, which counts as no time. A release
    /// that fades away while its app goes on has not vanished; where releases went one by one and the rule judges the whole, the
    /// whole has, though the last of them was there for longer.
    func vanished(
        of source: String, for rule: DetectorPlan, _ record: SourceRecord, _ plan: Plan, at now: Moment
    ) -> [Subject] {
        var newest: [Subject: Moment] = [:]
        for subject in figures.unordered(of: source) {
            guard let series = figures.series[subject], series.hasFigures else { continue }
            newest[subject.whole] = max(newest[subject.whole] ?? .earliest, lastKnown(series.figuresSeen, of: source))
        }
        func isLast(_ subject: Subject) -> Bool {
            guard let series = figures.series[subject], !figures.isPassedOver(subject, series, by: rule) else {
                return false
            }
            return lastKnown(series.figuresSeen, of: source) == newest[subject.whole]
        }
        let gone = figures.unordered(of: source).filter { subject in
            guard let last = newest[subject.whole], let series = figures.series[subject], series.hasFigures,
                now - last > max(staysGood(subject, plan), rule.detector.lookback),
                now - last - record.breaks.lasted(since: last) > staysGood(subject, plan),
                // What has been told of for that long is closed, and told no more, though its issues go on.
                now - last < Figures.lifetime
            else { return false }
            // Most fade to a row with 0, or some, before they have none.
            return series.samples.contains { ($0.metrics[.sessions] ?? 0) > 0 }
        }
        let last = gone.filter(isLast)
        let apps = Set(last.map(\.whole))
        return (last + gone.filter { $0.release == nil && !apps.contains($0) }).sorted()
    }

    /// What nobody has heard of for so long that its figures are let go.
    func outdated(at now: Moment) -> [Subject] {
        figures.series.filter { now - lastKnown($0.value.lastSeen, of: $0.key.source) > Figures.lifetime }.keys.sorted()
    }
}

extension Series {
    /// The time from one figure to the next: of an hour measured anew every five minutes five minutes, and at most as long as
    /// what one of them covers.
    fileprivate var rhythm: Duration {
        guard let last = samples.last?.span else { return .zero }
        let before = samples.reversed().first { $0.span.length == last.length && $0.span.to < last.to }
        return min(before.map { last.to - $0.span.to } ?? last.length, last.length)
    }
}
