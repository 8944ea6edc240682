extension Words {
    /// The chart of a day of a figure, with what is written in it and what is said to those who do not see it.
    ///
    /// - Parameters:
    ///   - title: the phrase of its title, which has a place for the metric.
    ///   - limit: where an alert begins.
    ///   - reference: what the figure is compared with.
    /// - Returns: nil where nothing is known.
    public func chart(
        _ title: PhraseID, of metric: String, _ values: [Double?], from: Moment, limit: Comparison?,
        reference: Evidence.Reference?
    ) -> Chart? {
        let known = values.compactMap(\.self)
        guard let low = known.min(), let high = known.max(), let last = known.last else { return nil }
        func text(_ value: Double) -> String { figure(value, of: metric, by: limit) }
        let name = self(title, [.metric: self.title(of: Metric(metric)).clipped(to: Words.chartMetricMax)])
        var chart = Chart(
            title: name.prefix(1).uppercased() + name.dropFirst(), values: values, from: from,
            isRate: Metric(metric).isRate(by: limit), words: "")
        if let limit, limit.limit.isFinite {
            chart.limit = Chart.Line(limit.limit, self(.detailLimit, [.limit: self.limit(limit)]))
        }
        switch reference {
        case .usual(let value) where value.isFinite:
            chart.usual = Chart.Line(value, self(.detailUsual, [.usual: text(value)]))
        case .olderRelease(let value) where value.isFinite:
            chart.usual = Chart.Line(value, self(.detailOlderRelease, [.figure: text(value)]))
        default: break
        }
        let figures = self(
            .chartWords, [.what: chart.title, .from: text(low), .to: text(high), .now: text(last)])
        chart.words = ([figures] + [chart.limit, chart.usual].compactMap { $0?.words }).joined(separator: "; ")
        return chart
    }

    private static let chartMetricMax = 40
}
