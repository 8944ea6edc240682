internal import PluginKit
internal import SentryKit
internal import SourceKit

/// A rolling stretch of time to ask for, and the interval the service is to count it in.
///
/// The service widens every request to whole intervals, so a window begins at an interval's start: it covers at least
/// the span that was wished for, and less than one interval more. It ends now. The interval that is still filling
/// belongs to it, for it holds the first minutes of a bad release; a window of finished hours only would be up to an
/// hour late.
struct Window: Hashable, Sendable {
    let from: Moment
    let to: Moment
    let interval: Duration

    /// Intervals that the service takes: an hour at the least, a day at the most, and a whole number of them a day.
    private static let intervalHours: [Int64] = [1, 2, 3, 4, 6, 8, 12, 24]
    /// An answer holds at most 10,000 points, which are groups times intervals: 50 intervals leave room for 200 groups.
    private static let intervalsWanted: Int64 = 48
    /// The service keeps sessions for 90 days.
    static let spanMax = Duration.days(90)
    /// Every window is two requests.
    static let countMax = 8

    init(covering span: Duration, until now: Moment) {
        let span = span.clamped(to: .seconds(1)...Window.spanMax)
        let hours = Window.intervalHours.first { .hours($0 * Window.intervalsWanted) >= span } ?? 24
        let length = hours * 3_600_000
        let start = (now - span).milliseconds
        let into = ((start % length) + length) % length
        from = Moment(milliseconds: start - into)
        to = now
        interval = .hours(hours)
    }

    /// The shortest interval of the service that covers a span; nil for more than a day, which none covers.
    static func bucket(covering span: Duration) -> Duration? {
        intervalHours.first { .hours($0) >= span }.map { .hours($0) }
    }

    /// The windows for those spans, without repetitions, in the spans' order.
    static func covering(_ spans: [Duration], until now: Moment) -> [Window] {
        var windows: [Window] = []
        for span in spans {
            let window = Window(covering: span, until: now)
            if !windows.contains(window) { windows.append(window) }
        }
        return windows
    }

    /// Most groups that fit into one answer: beyond them the service leaves out those with the fewest sessions.
    var groupsMax: Int {
        let intervals = ((to - from).wholeMilliseconds + interval.wholeMilliseconds - 1) / interval.wholeMilliseconds
        return Window.groupsMax(intervals: Int(intervals))
    }

    static func groupsMax(intervals: Int) -> Int { 10_000 / (intervals + 1) }

    var query: AddressQuery {
        [
            ("start", from.wholeSecond), ("end", to.wholeSecond),
            ("interval", "\(interval.wholeMilliseconds / 3_600_000)h"),
        ]
    }
}

extension Moment {
    /// Without milliseconds, which older servers do not read.
    var wholeSecond: String { Moment(milliseconds: unixSeconds * 1000).description }
}
