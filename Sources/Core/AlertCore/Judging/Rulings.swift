internal import PluginKit

// Figures become rulings. Who is shown what: detectors look at subjects, at apps with their releases, or at whole
// sources.

/// What a rule says of one thing, or that it says nothing of it any more.
struct Ruling {
    enum Word {
        case judged(Judgement)
        /// Whatever the rule tracks of it ends, and why.
        case unconcerned(Phrase)
    }

    let rule: DetectorPlan
    let subject: Subject
    /// What it is about where the subject alone does not say it: the id of an issue.
    var key: String?
    var labels: [String: String] = [:]
    let word: Word

    var identity: IncidentKey { IncidentKey(rule: rule.name, subject: subject, key: key) }
}

/// What comes of asking the rules: rulings in the order in which they were given, and how close the closest figure is
/// to a limit.
struct Rulings {
    var all: [Ruling] = []
    var closeness = Judgement.Closeness.far
    /// How often a rule has said what it thinks of figures, those where nothing is open and nothing is wrong too.
    private(set) var given = 0
    /// Of rules that watch a source: until when they find it as well as now, should no newer figures come; nil where they have
    /// to be asked, or nobody wants to know.
    fileprivate(set) var wellUntil: Moment?

    fileprivate mutating func take(_ other: Judgement.Closeness) {
        given += 1
        closeness = min(closeness, other)
    }
}

/// With what rules are asked: the plan, the moment, and how much of the answer is wanted. What they see are the figures and
/// what is open; nothing changes.
struct Question {
    let plan: Plan
    /// Those that may concern the source: looked up once for all that it has.
    var rules: [DetectorPlan]
    let now: Moment
    /// Whether every judgement is wanted, those that change nothing too.
    var tellsJudgements = false
    /// Whether rules are asked what they would have said when the figures came: for figures that an answer repeats,
    /// which are no older for that.
    var asSeen = false
    /// The apps of which the answer at hand does not say that what was seen of them before holds up to now.
    var unconfirmed = Unread.anything
    /// Of whom the newest answer told issues alone, or what is long past: their figures say nothing of now.
    var withoutNewFigures: Set<Subject> = []
    /// Whether it is worth to know how long a source stays well.
    var asksHowLong = false

    init(_ plan: Plan, of source: String, at now: Moment) {
        self.plan = plan
        self.now = now
        rules = plan.rules(of: source)
    }
}

extension State {
    /// Asks every rule that judges subjects by themselves: subjects of the source that the question is about.
    func judge(_ subjects: some Sequence<Subject>, _ question: Question) -> Rulings {
        var rulings = Rulings()
        for subject in subjects {
            guard let series = figures.series[subject] else { continue }
            // A rule opens what it tells and nothing else, so this is so for each of them.
            let isOpen = incidents.isOpen(subject)
            let isOfIssues = question.withoutNewFigures.contains(subject)
            for rule in question.rules where rule.scope == .subject {
                if isOfIssues, !rule.detector.metrics.isEmpty, !rule.detector.readsIssues { continue }
                let moment = question.asSeen ? min(series.lastSeen, question.now) : question.now
                judge(
                    subject, series, by: rule, isOpen: isOpen, at: moment,
                    confirmed: question.unconfirmed.contains(subject.app) ? nil : question.now,
                    tellsAll: question.tellsJudgements, &rulings)
            }
        }
        return rulings
    }

    /// Asks every rule that judges the releases of an app together, of all apps that the subjects are of.
    func judge(appsOf subjects: [Subject], _ question: Question) -> Rulings {
        var rulings = Rulings()
        let rules = question.rules.filter { $0.scope == .app }
        guard !rules.isEmpty else { return rulings }
        for app in Set(subjects.map(\.whole)).sorted() {
            let parts = parts(of: app)
            let seen =
                (parts.map(\.series) + [figures.series[app]].compactMap(\.self)).map(\.lastSeen).max() ?? question.now
            let moment = question.asSeen ? min(seen, question.now) : question.now
            for rule in rules { judge(app, parts, by: rule, at: moment, &rulings) }
        }
        return rulings
    }

    /// Asks the rules that watch a source as such.
    func judge(source name: String, _ question: Question) -> Rulings {
        var rulings = Rulings()
        guard question.plan.source(name) != nil else { return rulings }
        var wellUntil: Moment? = question.asksHowLong ? .latest : nil
        for rule in question.rules where rule.scope == .source && rule.canConcern(source: name) {
            let sight = sight(ofSource: name, for: rule)
            let findings = rule.findings(in: sight, at: question.now)
            let owner = question.plan.source(name)?.owner.map { ["owner": $0] } ?? [:]
            take(findings, in: sight, by: rule, labels: owner, &rulings)
            if let before = wellUntil { wellUntil = rule.wellUntil(sight, findings).map { min(before, $0) } }
        }
        rulings.wellUntil = wellUntil
        return rulings
    }

    /// Asks the rules about sessions of what the source's newest answer does not name any more: it had none since.
    func judgeVanished(
        of source: String, except unread: Unread, _ record: SourceRecord, _ plan: Plan, at now: Moment
    ) -> [Ruling] {
        if case .anything = unread { return [] }
        var rulings: [Ruling] = []
        for rule in plan.rules(of: source) where rule.asksAboutSessions && rule.canConcern(source: source) {
            for subject in vanished(of: source, for: rule, record, plan, at: now)
            where !unread.contains(subject.app) {
                guard var series = figures.series[subject], let last = series.samples.last?.span.to,
                    let span = TimeSpan(from: last, to: now), rule.concerns(subject, labels: series.labels),
                    !figures.isPassedOver(subject, series, by: rule)
                else { continue }
                series.add(
                    Observation(
                        subject: subject, span: span, seen: now, metrics: [.sessions: 0], labels: series.labels),
                    keeping: plan.retention(of: source))
                // That nobody is seen opens what asks for sessions; it ends nothing, for no news is not good news.
                guard let judgement = rule.judgement(of: series, at: now), case .firing = judgement.verdict else {
                    continue
                }
                rulings.append(
                    Ruling(rule: rule, subject: subject, labels: series.labels, word: .judged(judgement)))
            }
        }
        return rulings
    }

    /// - Parameter isOpen: whether anything may be open about the subject that the look could change.
    private func judge(
        _ subject: Subject, _ series: Series, by rule: DetectorPlan, isOpen: Bool, at moment: Moment,
        confirmed: Moment?,
        tellsAll: Bool, _ rulings: inout Rulings
    ) {
        guard rule.concerns(subject, labels: series.labels), !figures.isPassedOver(subject, series, by: rule) else {
            guard isOpen else { return }
            let why = Phrase(.closedOwn, [.rule: .text(rule.name)])
            return rulings.all.append(Ruling(rule: rule, subject: subject, word: .unconcerned(why)))
        }
        // Where nothing is open and nobody listens, only an alarm needs words.
        if !isOpen, !tellsAll, let closeness = rule.judge?.glance(series, at: moment) {
            return rulings.take(closeness)
        }
        if let judgement = rule.judgement(
            of: series, open: isOpen ? incidents.tracked(by: rule.name, [subject]).first : nil, at: moment)
        {
            rulings.all.append(
                Ruling(rule: rule, subject: subject, labels: series.labels, word: .judged(judgement)))
            return rulings.take(judgement.closeness)
        }
        let sight = sight(of: subject, series, for: rule, confirmedAt: confirmed)
        take(rule.findings(in: sight, at: moment), in: sight, by: rule, &rulings)
    }

    private func judge(
        _ app: Subject, _ parts: [Sight.Entry], by rule: DetectorPlan, at moment: Moment, _ rulings: inout Rulings
    ) {
        guard rule.concerns(app, labels: labels(of: app, parts)) else {
            let why = Phrase(.closedApp, [.rule: .text(rule.name)])
            rulings.all += ([app] + parts.map(\.subject)).map {
                Ruling(rule: rule, subject: $0, word: .unconcerned(why))
            }
            return
        }
        let sight = sight(of: app, parts, for: rule)
        take(rule.findings(in: sight, at: moment), in: sight, by: rule, &rulings)
    }

    /// - Parameter labels: of what has no figures of its own.
    private func take(
        _ findings: [Finding], in sight: Sight, by rule: DetectorPlan, labels: [String: String] = [:],
        _ rulings: inout Rulings
    ) {
        for finding in findings {
            let subject = finding.subject ?? sight.subject
            let labels = figures.series[subject]?.labels ?? parts(of: subject).last?.series.labels ?? labels
            rulings.all.append(
                Ruling(
                    rule: rule, subject: subject, key: finding.key, labels: labels, word: .judged(finding.judgement)))
            rulings.take(finding.judgement.closeness)
        }
    }
}

extension State {
    // MARK: - What is shown

    /// - Parameter confirmed: when an answer that is as before said that all holds; nil where none is at hand.
    private func sight(
        of subject: Subject, _ series: Series, for rule: DetectorPlan, confirmedAt confirmed: Moment? = nil
    ) -> Sight {
        Sight(
            subject, series, tracked: incidents.tracked(by: rule.name, [subject]),
            lastGood: schedule.sources[subject.source]?.lastGood,
            knownUntil: confirmed ?? schedule.sources[subject.source]?.issuesKnownUntil(
                series.lastSeen, of: subject.app)
                ?? series.lastSeen,
            issues: rule.match["issue"])
    }

    /// The releases of an app that have figures, by name.
    func parts(of app: Subject) -> [Sight.Entry] {
        figures.releases(of: app).compactMap { release in figures.series[release].map { Sight.Entry(release, $0) } }
    }

    private func sight(of app: Subject, _ parts: [Sight.Entry], for rule: DetectorPlan) -> Sight {
        Sight(
            app, figures.series[app] ?? Series(), parts: parts.filter { rule.shows(release: $0.subject.release) },
            tracked: incidents.tracked(by: rule.name, [app] + parts.map(\.subject)),
            lastGood: schedule.sources[app.source]?.lastGood, issues: rule.match["issue"])
    }

    private func sight(ofSource name: String, for rule: DetectorPlan) -> Sight {
        let source = Subject(source: name, app: name)
        let parts = figures.subjects(of: name).compactMap { subject in
            figures.series[subject].map { Sight.Entry(subject, $0) }
        }
        let subjects = [source] + parts.map(\.subject)
        // What is said of an app is said of the whole, also where figures come only of its releases.
        let apps = Set(subjects.filter { $0.release != nil }.map(\.whole)).subtracting(subjects).sorted()
        return Sight(
            source, parts: parts.filter { rule.concerns($0.subject, labels: $0.series.labels) },
            tracked: incidents.tracked(by: rule.name, subjects + apps),
            lastGood: schedule.sources[name]?.lastGood, isPartial: rule.isOfParts, issues: rule.match["issue"])
    }

    /// The sessions of an app's releases in that span, by name; where they are measured over longer ones only, what reaches
    /// into it. None where those of some releases are of another length than those of others: nobody could compare them.
    func sessions(ofReleasesOf app: Subject, in span: TimeSpan) -> [(name: String, metrics: Metrics)] {
        var lengths: Set<Duration> = []
        let sessions = parts(of: app).compactMap { part -> (name: String, metrics: Metrics)? in
            guard let newest = part.series.samples.last, newest.span.to > span.from else { return nil }
            var metrics = Metrics()
            for metric in [Metric.sessions, .crashedSessions] {
                metrics[metric] = part.series.measured(metric, within: span)?.figure.value
            }
            // One that nobody uses any more has a last span of which only the end reaches into it.
            if metrics.isEmpty, newest.span.length <= span.length { return nil }
            lengths.insert(metrics.isEmpty ? newest.span.length : span.length)
            return (part.subject.release ?? "", metrics.isEmpty ? newest.metrics : metrics)
        }
        return lengths.count == 1 ? sessions : []
    }

    /// Everything that a rule would be shown now, one after the other.
    ///
    /// - Parameter isAsked: whether somebody wants to know of this subject; what shows several is shown for any of them.
    func sights(of rule: DetectorPlan, _ plan: Plan, where isAsked: (Subject) -> Bool = { _ in true }) -> [Sight] {
        switch rule.scope {
        case .subject:
            figures.series
                .filter { isAsked($0.key) && rule.concerns($0.key, labels: $0.value.labels) }
                .sorted { $0.key < $1.key }
                .filter { !figures.isPassedOver($0.key, $0.value, by: rule) }
                .map { sight(of: $0.key, $0.value, for: rule) }
        case .app:
            Set(figures.series.keys.filter { isAsked($0) || isAsked($0.whole) }.map(\.whole)).sorted()
                .map { ($0, parts(of: $0)) }
                .filter { rule.concerns($0.0, labels: labels(of: $0.0, $0.1)) }
                .map { sight(of: $0.0, $0.1, for: rule) }
        case .source:
            plan.sources(of: rule).map(\.name)
                .filter { name in
                    isAsked(Subject(source: name, app: name))
                        || figures.unordered(of: name).contains { isAsked($0) || isAsked($0.whole) }
                }
                .map { sight(ofSource: $0, for: rule) }
        }
    }

    private func labels(of app: Subject, _ parts: [Sight.Entry]) -> [String: String] {
        figures.series[app]?.labels ?? parts.last?.series.labels ?? [:]
    }
}

extension DetectorPlan {
    /// What the rule says of a series; nil where it judges more than single subjects.
    ///
    /// - Parameter open: what it has open about the subject; asked for only where that may be over or milder, for while it
    ///   goes on every poll judges it.
    func judgement(
        of series: Series, open: @autoclosure () -> Sight.Tracked? = nil, at now: Moment
    ) -> Judgement? {
        guard let judge else { return nil }
        var judgement = judge.judge(series, at: now)
        // Asked for once: the optimiser of Swift 6.3 fails on two of these questions in one condition.
        let severity = judgement.severity
        if severity != .critical, let open = open(), severity.map({ $0 < open.severity }) ?? true {
            judgement = judge.judge(series, ending: open, at: now)
        }
        return series.releasesSummed.map(judgement.summed) ?? judgement
    }
}

extension Judgement {
    /// How bad it is where it fires.
    fileprivate var severity: Severity? { if case .firing(let severity) = verdict { severity } else { nil } }

    /// The same, saying that its figures are a sum.
    func summed(over releases: Int) -> Judgement {
        guard evidence.figure != nil, !evidence.sentence.isEmpty else { return self }
        var told = evidence
        told.sentence += "; summed over " + Double(releases).counted("releases")
        return Judgement(verdict, closeness, told)
    }
}
