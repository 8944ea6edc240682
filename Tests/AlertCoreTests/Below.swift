import PluginKit

/// A rule that fires while a figure is below its limit.
struct Below: SubjectDetector {
    static let manifest = PluginManifest(name: "below", summary: "Fires below a limit.", options: [])

    let metric: Metric
    let limit: Double
    let lookback: Duration

    init(_ metric: Metric, _ limit: Double, over window: Duration = .minutes(5)) {
        (self.metric, self.limit, lookback) = (metric, limit, window)
    }
    init(options: Options, context: RuleContext) throws(ProblemList) { self.init(.crashFreeUsers, 0.995) }

    var metrics: [Metric] { [metric] }
    var spans: [Duration] { [lookback] }
    let holdTime = Duration.zero

    func judge(_ series: Series, at now: Moment) -> Judgement {
        guard let measured = series.measured(metric, over: lookback) else {
            return Judgement(.unknown("no figure"), .far, Evidence(sentence: "no figure"))
        }
        let comparison = Comparison(.less, limit, isPercentage: true)
        let evidence = Evidence(
            metric: metric.name, figure: measured.figure, limit: comparison, span: measured.span, sentence: "seen")
        return Judgement(
            comparison.holds(measured.figure.value) ? .firing(.warning) : .ok(recovered: true), .near, evidence)
    }
}
