public import PluginKit

extension State {
    /// The open incidents for which a config has no place any more, and why: they end with it.
    public func outdatedIncidents(under plan: Plan) -> [(incident: Incident, why: String)] {
        incidents.inOrder.filter(\.isOpen).compactMap { incident in
            whyOutdated(incident, under: plan).map { (incident, $0.english) }
        }
    }

    /// The open incidents that stay under another config and of which their rule thinks otherwise there: it finds something
    /// else, or has another limit.
    public func rejudgedIncidents(
        from old: Plan, to new: Plan, at now: Moment
    ) -> [(incident: Incident, before: Judgement, after: Judgement)] {
        let open = incidents.inOrder.filter { $0.isOpen && whyOutdated($0, under: new) == nil }
        let subjects = Set(open.flatMap { [$0.subject, $0.subject.whole] })
        func judgements(_ plan: Plan) -> [IncidentKey: Judgement] {
            let judged = Core(plan: plan).judged(self, at: now, most: State.rejudgedMax) { subjects.contains($0) }.kept
            return Dictionary(
                judged.map { (IncidentKey(rule: $0.rule, subject: $0.subject, key: $0.key), $0.judgement) }
            ) { $1 }
        }
        guard !open.isEmpty else { return [] }
        let (before, after) = (judgements(old), judgements(new))
        return open.compactMap { incident in
            guard let then = before[incident.identity], let now = after[incident.identity] else { return nil }
            let isAlike = then.verdict == now.verdict && then.evidence.limit == now.evidence.limit
            return isAlike ? nil : (incident, then, now)
        }
    }

    /// Judgements compared: more than anybody reads of.
    private static let rejudgedMax = 10_000

    /// Why a config has no place any more for an incident; nil where it has one.
    ///
    /// - Parameter hasFigures: whether its source has brought figures since the config is used.
    func whyOutdated(_ incident: Incident, under plan: Plan, hasFigures: Bool = false) -> Phrase? {
        let name = incident.subject.source
        if let trouble = Trouble(rawValue: incident.rule) {
            let isKnown =
                switch trouble {
                case .channelFailing: plan.channel(name) != nil
                case .sourceFailing, .sourceStopped, .partialAnswers: plan.source(name) != nil
                case .templateFailing:
                    plan.channel(name)?.template != nil || plan.detector(name)?.template != nil
                case .journalFailing, .journalDamaged, .configRefused, .clockStepped: true
                }
            let id = trouble == .templateFailing ? PhraseID.closedTemplate : .closedName
            return isKnown ? nil : Phrase(id, [.name: .text(name)])
        }
        guard let rule = plan.detector(incident.rule) else {
            return Phrase(.closedRule, [.rule: .text(incident.rule)])
        }
        guard plan.source(name) != nil else { return Phrase(.closedSource, [.source: .text(name)]) }
        let isConcerned =
            rule.scope == .source
            ? rule.canConcern(source: name) && isShown(incident, to: rule)
            : rule.concerns(incident.subject, labels: incident.labels)
                && (rule.scope != .app || rule.shows(release: incident.subject.release))
        guard isConcerned else { return Phrase(.closedUnmatched, [.rule: .text(incident.rule)]) }
        return canJudge(incident, rule, hasFigures) ? nil : Phrase(.closedChanged, [.rule: .text(incident.rule)])
    }

    /// Whether a rule that watches sources sees anything of what the incident is about: that nothing of it comes is no news
    /// to a rule that does not look there. Of what has no figures, the match need not be asked.
    private func isShown(_ incident: Incident, to rule: DetectorPlan) -> Bool {
        let subject = incident.subject
        if incident.isOfWholeSource, rule.isOfParts { return false }
        let kept = incident.isOfWholeSource ? figures.unordered(of: subject.source) : keptParts(of: subject)
        return kept.isEmpty
            || kept.contains { rule.concerns($0, labels: figures.series[$0]?.labels ?? [:]) }
    }

    /// What there are figures of that is of an app: of it as a whole, and of its releases.
    private func keptParts(of app: Subject) -> Set<Subject> {
        guard app.release == nil else { return [] }
        let releases = figures.unordered(releasesOf: app)
        return figures.series[app] == nil ? releases : releases.union([app])
    }

    /// Whether the rule judges what the incident is about, and no other figure: what it says of another one is no end.
    private func asksTheSame(_ incident: Incident, _ rule: DetectorPlan) -> Bool {
        guard incident.key == nil else { return true }
        let judged = incident.evidence.metric.map { Metric($0) }
        if rule.scope == .source { return judged == nil }
        let metrics = rule.detector.metrics
        return metrics.isEmpty || judged.map(metrics.contains) ?? true
    }

    /// Whether the rule looks at such things at all: under its name another plugin may have opened the incident. What has lost
    /// its figures, because the journal was damaged, is left to what its source answers, and then to time.
    private func canJudge(_ incident: Incident, _ rule: DetectorPlan, _ hasFigures: Bool) -> Bool {
        guard asksTheSame(incident, rule) else { return false }
        let subject = incident.subject
        guard figures.hasFigures(ofWhole: subject.whole) || incident.isOfWholeSource else { return true }
        return switch rule.scope {
        case .source: incident.isOfWholeSource || figures.hasFigures(ofWhole: subject)
        case .app: figures.hasFigures(ofWhole: subject.whole)
        case .subject:
            (figures.series[subject] != nil || !hasFigures && !incident.isOfWholeSource)
                && (incident.key == nil || rule.judge == nil)
        }
    }
}
