public import PluginKit

/// A rule without any care: below 99 % of the users of the last hour is critical, whatever the span is of.
public struct BareFloor: SubjectDetector {
    public static let manifest = PluginManifest(name: "bare", summary: "Fires below 99%.", options: [])

    public let metrics: [Metric] = [.crashFreeUsers]
    public let lookback: Duration
    public let spans = [Duration.hours(1)]
    public let holdTime = Duration.zero

    public init(lookback: Duration) { self.lookback = lookback }

    public init(options: Options, context: RuleContext) throws(ProblemList) { self.init(lookback: .hours(1)) }

    public func judge(_ series: Series, at now: Moment) -> Judgement {
        guard let measured = series.measured(.crashFreeUsers, over: .hours(1)) else {
            return Judgement(.unknown("no figure"), .far, Evidence(sentence: "no figure"))
        }
        let limit = Comparison(.less, 0.99, isPercentage: true)
        let evidence = Evidence(
            metric: Metric.crashFreeUsers.name, figure: measured.figure, limit: limit, span: measured.span,
            sentence: "the bare number")
        return Judgement(
            limit.holds(measured.figure.value) ? .firing(.critical) : .ok(recovered: true), .near, evidence)
    }
}
