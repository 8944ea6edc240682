internal import PluginKit

// Sources whose figures come days late are judged on what they have; who reads of it must not take it for today's.

extension ThresholdDetector {
    /// How long ago a span may have ended and still be 'the last hour' or 'the last day' to people.
    private static let lastGoesFor = Duration.days(1)

    /// When a span ended, where that has to be said; nil where everybody would think of it.
    static func tellingEnd(of span: TimeSpan?, at now: Moment) -> Moment? {
        guard let span, now - span.to > lastGoesFor else { return nil }
        return span.to
    }

    /// A reason that names the span of the evidence, and until when it reaches where that has to be said.
    static func reason(_ id: PhraseID, _ evidence: Evidence, at now: Moment) -> Phrase {
        guard let end = tellingEnd(of: evidence.span, at: now) else { return Phrase(id) }
        let dated: PhraseID =
            switch id {
            case .reasonAtMost: .reasonAtMostUntil
            case .reasonAtLeast: .reasonAtLeastUntil
            default: .reasonMeasuredUntil
            }
        return Phrase(dated, [.until: .moment(end)])
    }
}
