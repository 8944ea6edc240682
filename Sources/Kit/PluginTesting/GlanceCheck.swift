public import PluginKit

extension SubjectDetector {
    /// How a glance at the series differs from the judgement of it, as a sentence; nil where they agree.
    public func disagreement(on series: Series, at now: Moment) -> String? {
        let (glance, isBlind) = (glance(series, at: now), isBlind(to: series, at: now))
        guard glance != nil || isBlind else { return nil }
        let judgement = judge(series, at: now)
        if isBlind {
            guard case .unknown = judgement.verdict else {
                return "a glance says that nothing can be judged, but it is: \(judgement.evidence.sentence)"
            }
        }
        guard let glance else { return nil }
        if case .firing = judgement.verdict {
            return "a glance says \(glance), but it fires: \(judgement.evidence.sentence)"
        }
        guard glance != judgement.closeness else { return nil }
        return "a glance says \(glance), the judgement \(judgement.closeness): \(judgement.evidence.sentence)"
    }
}
