internal import PluginKit

// Who is shown what: detectors look at subjects, at apps with their releases, or at whole sources.

extension Turn {
    /// Asks every rule that the subjects concern; gives back how close the closest figure is to a limit.
    ///
    /// - Parameter asSeen: whether rules are asked what they would have said when the figures came: for figures that an
    ///   answer repeats, which are no older for that.
    mutating func judge(_ subjects: [Subject], asSeen: Bool = false) -> Judgement.Closeness {
        var closest = Judgement.Closeness.far
        for subject in subjects {
            guard let series = state.series[subject] else { continue }
            // A rule opens what it tells and nothing else, so this is so for each of them.
            let isOpen = state.incidentIDs.isOpen(subject)
            for rule in plan.detectors where rule.scope == .subject {
                let moment = asSeen ? min(series.lastSeen, now) : now
                closest.take(judge(subject, series, by: rule, isOpen: isOpen, at: moment))
            }
        }
        let rules = plan.detectors.filter { $0.scope == .app }
        guard !rules.isEmpty else { return closest }
        for (app, parts) in parts(ofAppsOf: subjects) {
            let seen = (parts.map(\.series) + [state.series[app]].compactMap(\.self)).map(\.lastSeen).max() ?? now
            let moment = asSeen ? min(seen, now) : now
            for rule in rules { closest.take(judge(app, parts, by: rule, at: moment)) }
        }
        return closest
    }

    /// - Parameter isOpen: whether anything may be open about the subject that the look could change.
    private mutating func judge(
        _ subject: Subject, _ series: Series, by rule: DetectorPlan, isOpen: Bool, at moment: Moment
    ) -> Judgement.Closeness {
        guard rule.concerns(subject, labels: series.labels), !isPart(subject, under: rule) else {
            if isOpen {
                endTracked(rule, subject, because: "The rule \(rule.name) does not judge this by itself any more.")
            }
            return .far
        }
        // Where nothing is open and nobody listens, only an alarm needs words.
        if !isOpen, !tellsJudgements, let closeness = rule.judge?.glance(series, at: moment) { return closeness }
        if let judge = rule.judge {
            let judgement = judge.judge(series, at: moment)
            track(rule, subject, series.labels, judgement)
            return judgement.closeness
        }
        let sight = sight(of: subject, series, for: rule)
        return take(rule.detector.findings(in: sight, at: moment), in: sight, by: rule)
    }

    private func sight(of subject: Subject, _ series: Series, for rule: DetectorPlan) -> Sight {
        Sight(subject, series, tracked: tracked(rule, [subject]), lastGood: state.sources[subject.source]?.lastGood)
    }

    /// The apps that subjects belong to, each with all its releases, in the order of the subjects.
    private func parts(ofAppsOf subjects: some Sequence<Subject>) -> [(app: Subject, parts: [Sight.Part])] {
        let apps = Set(subjects.map(\.whole))
        var parts: [Subject: [Sight.Part]] = [:]
        for (subject, series) in state.series where subject.release != nil && apps.contains(subject.whole) {
            parts[subject.whole, default: []].append(Sight.Part(subject, series))
        }
        return apps.sorted().map { app in (app, (parts[app] ?? []).sorted { $0.subject < $1.subject }) }
    }

    private mutating func judge(
        _ app: Subject, _ parts: [Sight.Part], by rule: DetectorPlan, at moment: Moment
    ) -> Judgement.Closeness {
        guard rule.concerns(app, labels: appLabels(app, parts)) else {
            for subject in [app] + parts.map(\.subject) {
                endTracked(rule, subject, because: "The rule \(rule.name) does not judge this any more.")
            }
            return .far
        }
        let sight = sight(of: app, parts, for: rule)
        return take(rule.detector.findings(in: sight, at: moment), in: sight, by: rule)
    }

    private func sight(of app: Subject, _ parts: [Sight.Part], for rule: DetectorPlan) -> Sight {
        Sight(
            app, state.series[app] ?? Series(), parts: parts.filter { rule.shows(release: $0.subject.release) },
            tracked: tracked(rule, [app] + parts.map(\.subject)),
            lastGood: state.sources[app.source]?.lastGood)
    }

    /// Asks the rules that watch a source as such, and promises to ask again when they want to.
    mutating func judgeSource(_ name: String) {
        let rules = plan.detectors.filter { $0.scope == .source && $0.canConcern(source: name) }
        guard !rules.isEmpty, plan.source(name) != nil else { return }
        var lookAgain: Moment?
        for rule in rules {
            let sight = sight(ofSource: name, for: rule)
            let findings = rule.detector.findings(in: sight, at: now)
            _ = take(findings, in: sight, by: rule)
            lookAgain = ([lookAgain] + findings.map(\.lookAgain)).compactMap { $0 }.min()
        }
        state.timers.set(.watch(name), lookAgain.map { max($0, now + Turn.secondLookAfter) })
    }

    private func sight(ofSource name: String, for rule: DetectorPlan) -> Sight {
        let source = Subject(source: name, app: name)
        let parts = state.series.filter { $0.key.source == name }.map { Sight.Part($0.key, $0.value) }
            .sorted { $0.subject < $1.subject }
        return Sight(
            source, parts: parts.filter { rule.concerns($0.subject, labels: $0.series.labels) },
            tracked: tracked(rule, [source] + parts.map(\.subject)), lastGood: state.sources[name]?.lastGood)
    }

    /// Everything that a rule would be shown now, one after the other.
    func sights(of rule: DetectorPlan) -> [Sight] {
        switch rule.scope {
        case .subject:
            state.series.sorted { $0.key < $1.key }
                .filter { rule.concerns($0.key, labels: $0.value.labels) && !isPart($0.key, under: rule) }
                .map { sight(of: $0.key, $0.value, for: rule) }
        case .app:
            parts(ofAppsOf: state.series.keys)
                .filter { rule.concerns($0.app, labels: appLabels($0.app, $0.parts)) }
                .map { sight(of: $0.app, $0.parts, for: rule) }
        case .source:
            plan.sources.map(\.name).filter(rule.canConcern).map { sight(ofSource: $0, for: rule) }
        }
    }

    private func appLabels(_ app: Subject, _ parts: [Sight.Part]) -> [String: String] {
        state.series[app]?.labels ?? parts.last?.series.labels ?? [:]
    }

    private mutating func take(_ findings: [Finding], in sight: Sight, by rule: DetectorPlan) -> Judgement.Closeness {
        var closest = Judgement.Closeness.far
        for finding in findings where rule.concerns(finding) {
            let subject = finding.subject ?? sight.subject
            let labels = state.series[subject]?.labels ?? sight.series.labels
            track(rule, subject, key: finding.key, labels, finding.judgement)
            closest.take(finding.judgement.closeness)
        }
        return closest
    }

    private func tracked(_ rule: DetectorPlan, _ subjects: [Subject]) -> [Sight.Tracked] {
        subjects.flatMap { subject -> [Sight.Tracked] in
            let open = state.incidentIDs[subject, rule.name]
            // What has no key comes first.
            return open.keys.sorted { ($0 == nil ? 0 : 1, $0 ?? "") < ($1 == nil ? 0 : 1, $1 ?? "") }
                .compactMap { key in
                    open[key].flatMap { state.incidents[$0] }
                        .map { Sight.Tracked(subject: subject, key: key, severity: $0.severity, since: $0.since) }
                }
        }
    }

    /// Ends whatever a rule tracks of a subject.
    private mutating func endTracked(_ rule: DetectorPlan, _ subject: Subject, because sentence: String) {
        for tracked in tracked(rule, [subject]) {
            let identity = IncidentKey(rule: rule.name, subject: subject, key: tracked.key)
            guard let incident = state.incidentIDs[identity].flatMap({ state.incidents[$0] }) else { continue }
            resolve(incident, because: sentence)
        }
    }
}

extension Subject {
    /// The app in that environment with all its releases.
    var whole: Subject { Subject(source: source, app: app, environment: environment) }
}

extension Judgement.Closeness {
    /// Becomes the closer of the two.
    fileprivate mutating func take(_ other: Judgement.Closeness) {
        if other.rank < rank { self = other }
    }

    private var rank: Int {
        switch self {
        case .near: 0
        case .between: 1
        case .far: 2
        }
    }
}
