public import PluginKit

extension Observation {
    /// What a tracker, which counts nothing over a span, says of one app: its issues, each once and no more than are kept, over the
    /// shortest span that rules want.
    public init(issues: [Issue], of subject: Subject, in poll: Poll) {
        var taken: Set<String> = []
        let kept = issues.filter { taken.insert($0.id).inserted }.prefix(Issue.countMax)
        self.init(
            subject: subject, span: TimeSpan(lasting: poll.spans.first ?? .hours(1), until: poll.now), seen: poll.now,
            metrics: Metrics(), issues: Array(kept))
    }
}
