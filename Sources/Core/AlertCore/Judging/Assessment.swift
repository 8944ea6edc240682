public import PluginKit

/// What one rule makes of one thing now, or of a source that it has seen nothing of.
public struct Assessment: Hashable, Sendable {
    public let rule: String
    public let source: String
    /// Nil where there is nothing of the source that the rule could judge.
    public let subject: Subject?
    public let verdict: Judgement.Verdict
    /// Why, in words.
    public let sentence: String
}

extension Core {
    /// What somebody wants to know of a rule and a thing.
    public enum Interest: Sendable {
        /// What the rule makes of it, and why.
        case all
        /// Whether the rule can judge it at last: why it could not before is known.
        case whetherJudged
        /// Nothing: it was judged before.
        case none
    }

    /// What each rule makes of all that it is shown, and of which sources it is shown nothing and why.
    ///
    /// - Parameter interest: what somebody wants to know of this rule and this thing.
    public func assessments(
        _ state: State, at now: Moment,
        _ interest: (_ rule: DetectorPlan, _ sight: Subject) -> Interest = { _, _ in .all }
    ) -> [Assessment] {
        plan.detectors.flatMap { rule in
            var seen: Set<String> = []
            let assessments = assessments(state, rule, at: now, interest, &seen)
            let unseen = plan.sources(of: rule).filter { !seen.contains($0.name) }
            return assessments
                + unseen.map { source in
                    let sentence = state.silence(of: source)
                    return Assessment(
                        rule: rule.name, source: source.name, subject: nil, verdict: .unknown(sentence),
                        sentence: sentence)
                }
        }
    }

    /// - Parameter seen: gets the sources of which the rule is shown anything.
    private func assessments(
        _ state: State, _ rule: DetectorPlan, at now: Moment, _ interest: (DetectorPlan, Subject) -> Interest,
        _ seen: inout Set<String>
    ) -> [Assessment] {
        var assessments: [Assessment] = []
        // A long span is looked at often, and most of it has been judged: what nobody asks for must cost next to
        // nothing.
        if rule.scope == .subject, let judge = rule.judge {
            for (subject, series) in state.figures.series where plan.source(subject.source) != nil {
                let interest = interest(rule, subject)
                if interest == .all || interest == .whetherJudged && !judge.isBlind(to: series, at: now) {
                    guard rule.concerns(subject, labels: series.labels),
                        !state.figures.isPassedOver(subject, series, by: rule)
                    else { continue }
                    guard
                        let judgement = rule.judgement(
                            of: series, open: state.incidents.tracked(by: rule.name, [subject]).first, at: now)
                    else { continue }
                    assessments.append(
                        Assessment(
                            rule: rule.name, source: subject.source, subject: subject, verdict: judgement.verdict,
                            sentence: judgement.evidence.sentence))
                }
                seen.insert(subject.source)
            }
            return assessments
        }
        for sight in state.sights(of: rule, plan, where: { plan.source($0.source) != nil }) {
            seen.insert(sight.subject.source)
            if interest(rule, sight.subject) != .none { assessments += self.assessments(rule, sight, at: now) }
        }
        return assessments
    }

    private func assessments(_ rule: DetectorPlan, _ sight: Sight, at now: Moment) -> [Assessment] {
        let findings = rule.findings(in: sight, at: now)
        guard !findings.isEmpty else {
            // A rule that tells of issues and finds no news has judged all the same; one of figures found none to
            // judge.
            let hasReleases = sight.parts.contains { !($0.subject.release ?? "").isEmpty }
            let sentence =
                rule.detector.readsIssues
                ? ""
                : rule.scope == .app && !hasReleases
                    ? "there are no figures of any release" : "the figures contain nothing that the rule can judge"
            return [
                Assessment(
                    rule: rule.name, source: sight.subject.source, subject: sight.subject,
                    verdict: rule.detector.readsIssues ? .ok(recovered: true) : .unknown(sentence),
                    sentence: sentence)
            ]
        }
        return findings.map { finding in
            let subject = finding.subject ?? sight.subject
            return Assessment(
                rule: rule.name, source: subject.source, subject: subject, verdict: finding.judgement.verdict,
                sentence: finding.judgement.evidence.sentence)
        }
    }
}

extension State {
    /// Why a rule has nothing to judge of a source.
    fileprivate func silence(of source: SourcePlan) -> String {
        let record = schedule.sources[source.name]
        if (record ?? SourceRecord()).isUntouched(source) { return "nothing has been pushed yet" }
        switch record?.lastOutcome {
        case .failed: return "the last poll failed" + (record?.failure.map { ": \($0.sentence)" } ?? "")
        case .noData: return "the source answered, but there was nothing in the span"
        case .stale: return "the figures of the source are older than allowed"
        case .values, .unchanged: return "the rule matches nothing that the source gave"
        case nil: return "the source has given no observations"
        }
    }
}

extension Plan {
    /// Whether any channel ever hears of an incident, by a route or by an escalation.
    public func leads(_ incident: Incident) -> Bool { !channels(for: incident, at: .latest).isEmpty }
}
