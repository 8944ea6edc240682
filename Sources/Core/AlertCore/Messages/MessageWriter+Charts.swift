internal import PluginKit

extension MessageWriter {
    /// The figures of the last day for a picture; nil where a picture would tell nothing new.
    func chart(_ story: Story, _ metric: String, _ kind: Notification.Kind) -> Chart? {
        guard let series = story.series, kind != .acknowledged else { return nil }
        // Figures of a source's own may be beyond all reckoning.
        let values = series.lastDay(of: metric, until: now).map { $0.flatMap { $0.isFinite ? $0 : nil } }
        let evidence = story.incident.evidence(for: kind)
        let hour: Int64 = 3_600_000
        return words.chart(
            .chartTitle, of: metric, values,
            from: Moment(milliseconds: ((now.milliseconds - 1) / hour - Int64(values.count - 1)) * hour),
            limit: evidence.limit, reference: evidence.reference)
    }
}
