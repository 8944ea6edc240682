internal import PluginKit

/// The spans that a threshold judges, shortest first: its window, and wider ones for when too few were there.
///
/// A wider span is taken only for want of volume, never because of what the figure is: the first that reaches the
/// volume decides, so looking at several does not give luck several chances.
struct Widening: Hashable, Sendable {
    let windows: [Duration]

    /// Each span is four times the one before: a source measures every one of them in every poll.
    private static let factor = 4.0

    init(from window: Duration, to widest: Duration?) {
        var windows = [window]
        if let widest {
            while let last = windows.last, last < widest {
                let next = last.scaled(by: Widening.factor)
                // The last step may be a little longer, or it would be hardly one.
                windows.append(next.scaled(by: 1.5) >= widest ? widest : next)
            }
        }
        self.windows = windows
    }

    /// The figure of the shortest span with enough behind it, or that of the widest there is.
    func measured(_ metric: Metric, in series: Series, volumeMin: Double) -> Series.Measured? {
        var best: Series.Measured?
        for window in windows {
            guard let measured = series.measured(metric, over: window) else { continue }
            guard let share = measured.figure.share, share.total < volumeMin else { return measured }
            if measured.span.length >= best?.span.length ?? .zero { best = measured }
        }
        return best
    }
}
