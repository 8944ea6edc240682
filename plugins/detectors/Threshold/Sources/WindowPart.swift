internal import PluginKit

/// A count of which only a part of the window is known, as after a start or with polls that failed, and what that makes
/// of the whole.
struct WindowPart {
    let known: Series.Measured
    let metric: Metric
    let window: Duration

    /// Nil for whatever is no count of a part.
    init?(_ measured: Series.Measured, of metric: Metric, window: Duration) {
        guard metric.unit == .count, metric.adds, measured.covered < window else { return nil }
        known = measured
        self.metric = metric
        self.window = window
    }

    /// Spans that do not divide a window leave a rest, and a day of a change of clocks is an hour short: no hole.
    private static let shareOfWhole = 0.9

    /// Half of a window says what the other half may have been like, if no more.
    private static let shareMin = 0.5

    /// What it comes to over the whole window, in whole ones; nil where so little is known that this would be a guess.
    var whole: Double? {
        let share = known.covered.inSeconds / window.inSeconds
        return share < Self.shareMin ? nil : max(known.figure.value, (known.figure.value / share).rounded())
    }

    /// Makes the evidence that of the whole window, which was judged, and has it say of which part that is known: beside
    /// figures of whole windows, the count of a part would be the worst of an incident that has not changed.
    ///
    /// Gives back whether the evidence says so: where nearly all is known, or none makes none, that needs no word.
    func complete(_ evidence: inout Evidence) -> Bool {
        guard let whole, whole > known.figure.value else { return false }
        evidence.figure = Figure(value: whole, share: nil)
        guard known.covered.inSeconds < window.inSeconds * Self.shareOfWhole else { return false }
        evidence.span = TimeSpan(lasting: window, until: known.span.to)
        evidence.phrase = Phrase(
            .reasonPart,
            [
                .part: .figure(known.figure.value, of: metric.name), .span: .period(known.covered),
                .figure: .figure(whole, of: metric.name), .period: .period(window),
            ])
        return true
    }
}
