public import PluginKit

// Whether what was beyond a limit is over, goes on, or goes on less badly: few cases do not show that by themselves.

extension ThresholdDetector {
    public func judge(_ series: Series, ending incident: Sight.Tracked, at now: Moment) -> Judgement {
        if let composite { return composite.judge(series, ending: incident, at: now) }
        return judge(series, ending: incident, wasAsBad: true, at: now)
    }

    /// - Parameter wasAsBad: whether it is certain that this figure was as bad as the incident.
    func judge(_ series: Series, ending incident: Sight.Tracked, wasAsBad: Bool, at now: Moment) -> Judgement {
        let judgement = judge(series, at: now)
        if case .unknown = judgement.verdict, judgement.closeness == .near {
            if wasAsBad, incident.hasFired, let milder = milder(judgement, than: incident.severity, at: now) {
                return milder
            }
            // The incident stays as bad as it is, so it is told with the limit of that.
            var evidence = judgement.evidence
            evidence.limit = limits.first { $0.severity <= incident.severity }?.comparison ?? evidence.limit
            // Beyond its limit it is not over, however few they are.
            let isBeyond = evidence.figure.flatMap { figure in evidence.limit?.holds(figure.value) } ?? false
            evidence.phrase =
                isBeyond ? ThresholdDetector.reason(.reasonMeasured, evidence, at: now) : Phrase(.reasonUnsure)
            return Judgement(judgement.verdict, judgement.closeness, evidence)
        }
        if wasAsBad, incident.hasFired, let unimproved = asBad(judgement, as: incident, at: now) {
            return unimproved
        }
        guard case .ok(recovered: true) = judgement.verdict, let confidence, let limit = limits.last?.comparison,
            let worst = incident.worst, worst.metric == metric, limit.holds(worst.value),
            let share = judgement.evidence.figure?.share, let span = judgement.evidence.span
        else { return judgement }
        let luck = Luck(
            bad: badCases(of: share, limit), total: share.total, span: span, betterSince: incident.betterSince)
        guard luck.chance(atRate: limit.relation.isBelow ? 1 - worst.value : worst.value) > 1 - confidence else {
            return judgement
        }
        var evidence = judgement.evidence
        evidence.sentence +=
            ", but \(share.total.rounded().plain) \(metric.denominator?.name ?? "cases") are too few to be sure that it is over"
        evidence.phrase = Phrase(.reasonNotClear)
        return Judgement(.ok(recovered: false), judgement.closeness, evidence)
    }

    /// What goes on as severe as it was, though so few cases would not show it by themselves: at night the same rate rests on
    /// fewer of them, and that is no improvement. Nil where the figure is not that bad any more.
    private func asBad(_ judgement: Judgement, as incident: Sight.Tracked, at now: Moment) -> Judgement? {
        guard case .firing(let severity) = judgement.verdict, severity < incident.severity,
            confidence != nil, metric.unit == .rate, let figure = judgement.evidence.figure,
            let limit = limits.first(where: { $0.severity == incident.severity }), limit.comparison.holds(figure.value)
        else { return nil }
        return goingOn(judgement, figure, limit, "as bad as it was; too few to be sure by themselves", at: now)
    }

    /// What goes on, but certainly not as badly any more: it is on the good side of the limit that the incident has passed, by
    /// more than luck, and beyond a milder one, though too few cases would not show that by themselves. Nil where that is not so.
    private func milder(_ judgement: Judgement, than severity: Severity, at now: Moment) -> Judgement? {
        guard let confidence, let figure = judgement.evidence.figure, let share = figure.share,
            let span = judgement.evidence.span,
            let passed = limits.first(where: { $0.severity == severity })?.comparison, !passed.holds(figure.value),
            let limit = limits.first(where: { $0.severity < severity && $0.comparison.holds(figure.value) })
        else { return nil }
        let luck = Luck(bad: badCases(of: share, passed), total: share.total, span: span, betterSince: nil)
        guard luck.chance(atRate: badRate(passed)) <= 1 - confidence else { return nil }
        return goingOn(
            judgement, figure, limit, "but not as bad as it was; too few to be sure by themselves", at: now)
    }

    private func goingOn(
        _ judgement: Judgement, _ figure: Figure, _ limit: Limit, _ why: String, at now: Moment
    ) -> Judgement {
        var evidence = Evidence(
            metric: metric.name, figure: figure, limit: limit.comparison, span: judgement.evidence.span, sentence: "")
        evidence.sentence = sentence(evidence, limit, at: now) + ", " + why
        evidence.phrase = ThresholdDetector.reason(.reasonMeasured, evidence, at: now)
        return Judgement(.firing(limit.severity), judgement.closeness, evidence)
    }
}
