// How something was before.

extension Series {
    /// The newest figure of a metric that was over by then and no more than a day before, of a stretch that compares with
    /// what it is held against.
    ///
    /// - Parameters:
    ///   - length: How long the stretch should be: what adds up is pooled to it. Nil for any.
    ///   - casesMin: How many cases a rate must be of, where it says of how many it is.
    ///   - overlap: Until when an hour of a rate may go on that was over by then but for its last part: how it was is known
    ///     of most of it.
    ///   - isFit: Whether a figure is what is asked for; where it is not, what was before it is looked at.
    public func lastFigure(
        of name: String, before moment: Moment, lasting length: Duration? = nil, casesMin: Double = 0,
        overlappingUntil overlap: Moment? = nil, where isFit: (Double) -> Bool = { _ in true }
    ) -> Double? {
        let metric = Metric(name)
        func compares(_ stretch: TimeSpan, _ figure: Figure?) -> Double? {
            if let length, !metric.compares(over: stretch.length, with: length) { return nil }
            guard let figure, figure.share.map({ $0.total >= casesMin }) ?? true else { return nil }
            return figure.value
        }
        // Newer than the hours behind them, each of which keeps what it ended with.
        let known = past.isEmpty ? samples : past + samples
        var end = moment
        for index in known.indices.reversed() {
            let span = known[index].span
            guard span.to <= end, span.to > moment - .days(1) else { continue }
            let pooled = length.flatMap { length in
                metric.adds
                    ? Series.measured(metric, within: TimeSpan(lasting: length, until: span.to), in: known[...index])
                    : nil
            }
            if let pooled, let figure = compares(pooled.span, pooled.figure) {
                if isFit(figure) { return figure }
                end = pooled.span.from
            } else if let figure = compares(span, known[index].metrics.figure(metric)), isFit(figure) {
                return figure
            }
        }
        var later: HourPoint?
        for point in trail.reversed() where point.span.to > moment - .days(1) {
            guard point.isOver(by: moment, orAlmost: metric.unit == .rate ? overlap : nil),
                point.metrics.figure(metric) != nil
            else { continue }
            let pooled = length.flatMap { metric.adds ? later?.pooled(behind: point, upTo: $0) : nil }
            let stretch = pooled ?? point
            later = stretch
            guard let figure = compares(stretch.span, stretch.metrics.figure(metric)) else { continue }
            if isFit(figure) { return figure }
            later = nil
        }
        return nil
    }
}

extension Series.HourPoint {
    /// Whether it ended by that moment; or, where it may go on until another one, whether most of it was over by then.
    fileprivate func isOver(by moment: Moment, orAlmost overlap: Moment?) -> Bool {
        guard span.to > moment, let overlap else { return span.to <= moment }
        return span.to < overlap && span.to - moment <= span.length.scaled(by: Series.HourPoint.overlapMax)
    }

    /// A choice: what of an hour may be in what it is compared with, too.
    private static let overlapMax = 0.25

    /// What comes before it and it together, where it is shorter than wanted; nil where they are not neighbours: figures
    /// of what overlaps count twice, and a gap has none.
    fileprivate func pooled(behind earlier: Series.HourPoint, upTo length: Duration) -> Series.HourPoint? {
        let gap = span.from - earlier.span.to
        guard span.length < length, gap >= .zero, gap <= Series.HourPoint.gapMax,
            let whole = TimeSpan(from: earlier.span.from, to: span.to)
        else { return nil }
        return Series.HourPoint(hour: hour, span: whole, metrics: earlier.metrics.pooled(with: metrics))
    }

    /// A missing poll or two.
    private static let gapMax = Duration.minutes(10)
}

extension Metric {
    /// Whether figures of a stretch compare with those of one so long. A share of little is worth little, so it must be of
    /// half of it at least. A count grows with the time it is of.
    fileprivate func compares(over stretch: Duration, with length: Duration) -> Bool {
        unit == .rate
            ? stretch >= length.scaled(by: 0.5) : stretch.distance(to: length) <= length.scaled(by: Metric.slack)
    }

    /// An hour of polls is some minutes longer or shorter than one.
    private static let slack = 0.1
}
