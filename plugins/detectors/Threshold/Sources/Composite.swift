internal import PluginKit

/// Several thresholds judged together: all of them must be passed, or any.
struct Composite: Sendable {
    enum Kind: String, Sendable, CaseIterable { case all, any }

    let kind: Kind
    /// At least one.
    let conditions: [ThresholdDetector]

    func judge(_ series: Series, ending incident: Sight.Tracked? = nil, at now: Moment) -> Judgement {
        // Of figures of long ago each condition would say the same.
        if series.historyEnd != nil, let first = conditions.first { return first.judge(series, at: now) }
        // Where all must be met, all were as bad; where one is enough, the one that can be.
        let wasAsBad = incident.map { incident in
            kind == .all || conditions.count { $0.severities?.contains(incident.severity) ?? true } == 1
        }
        let judgements = conditions.map { condition in
            guard let incident, let wasAsBad else { return condition.judge(series, at: now) }
            return condition.judge(series, ending: incident, wasAsBad: wasAsBad, at: now)
        }
        let verdict = kind == .all ? all(judgements) : any(judgements)
        let each = judgements.map { judgement in
            // A condition that is met waits only for the others.
            if case .firing = judgement.verdict, kind == .all { return Judgement.Closeness.near }
            return judgement.closeness
        }
        let closeness = (kind == .all ? each.max() : each.min()) ?? .far
        let told = telling(judgements, verdict, of: incident?.worst)
        // Of conditions that cannot be judged, one that is too close to call says most.
        let unsure = told.filter { $0.isUnknown && $0.closeness == .near && $0.evidence.figure != nil }
        let first = unsure.first { $0.evidence.metric == incident?.worst?.metric.name } ?? unsure.first ?? told.first
        var evidence = (first ?? judgements.first)?.evidence ?? Evidence(sentence: "")
        evidence.sentence = told.map(\.evidence.sentence).joined(separator: kind == .all ? "; and " : "; or ")
        switch verdict {
        case .unknown:
            // What is near may be the figure of another condition, which is well: that of one that cannot be judged is no news.
            if kind == .any, incident != nil, unsure.isEmpty { evidence.figure = nil }
            return Judgement(.unknown(evidence.sentence), closeness, evidence)
        default:
            if kind == .any, told.count > 1 {
                evidence.sentence = told.map(\.evidence.sentence).joined(separator: "; and ")
            }
            evidence.phrase = phrase(of: told, verdict)
            // One without a critical limit, where another has one, says when: what it is beyond is no trouble.
            let saysHowBad = conditions.contains(where: \.canBeCritical)
            let beyond = zip(conditions, judgements)
                .filter { $1.severity != nil && ($0.canBeCritical || !saysHowBad) }.compactMap { condition($1) }
            // One that is met no more ends it, whatever the others show; who reads of the end is told.
            if kind == .all, case .ok(recovered: true) = verdict, incident?.hasFired == true, !beyond.isEmpty {
                evidence.phrase = Phrase(.reasonStill, [.others: .list(beyond)])
            }
            return Judgement(verdict, closeness, evidence)
        }
    }

    /// The headline tells of the worst alone, so the others stand beside its reason.
    private func phrase(of told: [Judgement], _ verdict: Judgement.Verdict) -> Phrase? {
        guard case .firing = verdict, told.count > 1, let first = told.first?.evidence.phrase else {
            return told.first?.evidence.phrase
        }
        let others = told.dropFirst().compactMap(condition)
        return Phrase(.reasonAlso, [.reason: .phrase(first), .others: .list(others)])
    }

    /// A condition's figure beside its limit.
    private func condition(_ judgement: Judgement) -> Phrase? {
        let evidence = judgement.evidence
        guard let metric = evidence.metric, let figure = evidence.figure, let limit = evidence.limit else { return nil }
        return Phrase(
            .reasonCondition,
            [.metric: .metric(metric), .figure: .figure(figure.value, of: metric), .limit: .limit(limit)])
    }

    /// All must be met. As soon as one is known not to be, the rest does not matter.
    private func all(_ judgements: [Judgement]) -> Judgement.Verdict {
        let inside = judgements.compactMap(\.recovered)
        if !inside.isEmpty { return .ok(recovered: inside.contains(true)) }
        guard judgements.allSatisfy({ $0.severity != nil }) else { return .unknown("") }
        // A condition without a critical limit says when, not how bad.
        let caps = zip(conditions, judgements).filter { $0.0.canBeCritical }.compactMap(\.1.severity)
        return .firing(caps.min() ?? .warning)
    }

    /// One is enough, and the worst of them counts; all must be over for the whole to be.
    private func any(_ judgements: [Judgement]) -> Judgement.Verdict {
        if let worst = judgements.compactMap(\.severity).max() { return .firing(worst) }
        let inside = judgements.compactMap(\.recovered)
        guard inside.count == judgements.count else { return .unknown("") }
        return .ok(recovered: !inside.contains(false))
    }

    /// The judgements that make the verdict what it is, the worst first.
    ///
    /// - Parameter worst: what an open incident is about: what is over begins with the condition that this met.
    private func telling(
        _ judgements: [Judgement], _ verdict: Judgement.Verdict, of worst: Sight.Tracked.Depth?
    ) -> [Judgement] {
        switch verdict {
        case .firing:
            let firing = judgements.filter { $0.severity != nil }
            return firing.filter { $0.severity == .critical } + firing.filter { $0.severity != .critical }
        case .unknown: return judgements.filter(\.isUnknown)
        case .ok:
            let inside = judgements.filter { $0.recovered != nil }
            func rank(_ judgement: Judgement) -> Int {
                guard let worst, judgement.evidence.metric == worst.metric.name else { return 2 }
                return judgement.evidence.limit?.holds(worst.value) == true ? 0 : 1
            }
            let ordered = (0...2).flatMap { place in inside.filter { rank($0) == place } }
            return kind == .any ? ordered : Array(ordered.prefix(1))
        }
    }
}

extension Judgement {
    fileprivate var severity: Severity? { if case .firing(let severity) = verdict { severity } else { nil } }
    fileprivate var recovered: Bool? { if case .ok(let recovered) = verdict { recovered } else { nil } }
    fileprivate var isUnknown: Bool { if case .unknown = verdict { true } else { false } }
}
