internal import PluginKit

extension MessageWriter {
    /// The figures of the last day for a picture; nil where a picture would tell nothing new.
    func chart(_ story: Story, _ metric: String, _ kind: Notification.Kind) -> Chart? {
        guard let series = story.series, kind != .acknowledged else { return nil }
        // Figures of a source's own may be beyond all reckoning.
        let values = series.lastDay(of: metric, until: now).map { $0.flatMap { $0.isFinite ? $0 : nil } }
        let known = values.compactMap(\.self)
        guard let low = known.min(), let high = known.max(), let last = known.last else { return nil }
        let evidence = story.incident.evidence(for: kind)
        let title = Metric(metric).title.clipped(to: MessageWriter.chartTitleMax)
        let hour: Int64 = 3_600_000
        var chart = Chart(
            title: "\(title.prefix(1).uppercased())\(title.dropFirst()), last day", values: values,
            from: Moment(milliseconds: ((now.milliseconds - 1) / hour - Int64(values.count - 1)) * hour),
            isRate: Metric(metric).isRate(by: evidence.limit), words: "")
        if let limit = evidence.limit, limit.limit.isFinite {
            chart.limit = Chart.Line(limit.limit, "alert \(limit.words)")
        }
        switch evidence.reference {
        case .usual(let value) where value.isFinite:
            chart.usual = Chart.Line(value, "usually \(text(value, in: evidence))")
        case .olderRelease(let value) where value.isFinite:
            chart.usual = Chart.Line(value, "older release \(text(value, in: evidence))")
        default: break
        }
        let lines = [chart.limit, chart.usual].compactMap { $0.map { "; \($0.words)" } }.joined()
        chart.words =
            "\(chart.title): between \(text(low, in: evidence)) and \(text(high, in: evidence)), "
            + "\(text(last, in: evidence)) at its end\(lines)"
        return chart
    }

    private static let chartTitleMax = 40
}
