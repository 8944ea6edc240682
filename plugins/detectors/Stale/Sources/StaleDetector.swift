public import PluginKit

/// A detector that fires while a source answers, but with figures that are too old.
///
/// It judges how old the newest figures were at the last usable answer. A source that gives no answer at all is the
/// bot's own trouble, which is told without any rule; this one then knows nothing, so that no trouble is told twice.
public struct StaleDetector: Detector {
    public static let manifest = PluginManifest(
        name: "stale", summary: "Fires when a source answers, but its newest figures are older than allowed.",
        example: """
            after: 2h
            """,
        options: [after, severity])

    static let after = Setting(
        "after", .duration(.minutes(1) ... .days(30)), default: .hours(2), "How old the end of the newest span may be.")
    static let severity = Setting("severity", .severity, default: .warning, "How bad it is.")

    private let after: Duration
    private let severity: Severity

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        after = options[Self.after]
        severity = options[Self.severity]
    }

    public var metrics: [Metric] { [] }
    // Figures that have gone out of what is kept must not look like figures that never came.
    public var lookback: Duration { after }
    public var spans: [Duration] { [] }
    public var holdTime: Duration { .zero }
    public var scope: DetectorScope { .source }

    public func findings(in sight: Sight, at now: Moment) -> [Finding] {
        guard let newest = sight.parts.compactMap(\.series.samples.last?.span).max(by: { $0.to < $1.to }),
            let lastGood = sight.lastGood
        else { return [Finding(unknown("no figures have come yet", nil))] }
        if lastGood - newest.to >= after {
            let evidence = Evidence(
                span: newest,
                sentence:
                    "answers, but its newest figures are from \(newest.to), \((lastGood - newest.to).short) before"
                    + " the answer; at most \(after.short) are allowed")
            return [Finding(Judgement(.firing(severity), .between, evidence))]
        }
        if now - newest.to >= after {
            let sentence = "no usable answer since \(lastGood): source-failing tells of that, once it lasts"
            return [Finding(unknown(sentence, newest))]
        }
        let evidence = Evidence(
            span: newest, sentence: "The newest figures are \(max(.zero, lastGood - newest.to).short) old again.")
        return [Finding(Judgement(.ok(recovered: true), .far, evidence))]
    }

    private func unknown(_ sentence: String, _ span: TimeSpan?) -> Judgement {
        Judgement(.unknown(sentence), .far, Evidence(span: span, sentence: sentence))
    }
}

extension StaleDetector {
    public var severities: Set<Severity>? { [severity] }
}
