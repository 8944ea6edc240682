public import PluginKit

extension SubjectDetector {
    /// How a glance at the series differs from the judgement of it, as a sentence; nil where they agree.
    public func disagreement(on series: Series, at now: Moment) -> String? {
        guard let glance = glance(series, at: now) else { return nil }
        let judgement = judge(series, at: now)
        if case .firing = judgement.verdict {
            return "a glance says \(glance), but it fires: \(judgement.evidence.sentence)"
        }
        guard glance != judgement.closeness else { return nil }
        return "a glance says \(glance), the judgement \(judgement.closeness): \(judgement.evidence.sentence)"
    }
}
