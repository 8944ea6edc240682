internal import PluginKit
internal import SourceKit

/// The days of a project as Bugsnag counts them, in UTC.
struct StabilityTrend: Sendable {
    struct Day: Hashable, Sendable {
        let span: TimeSpan
        let isComplete: Bool
        let metrics: Metrics
    }

    /// The project's primary stage, which nobody can choose.
    let stage: String
    private(set) var days: [Day] = []
    /// Those that make no sense.
    private(set) var left = LeftOut()

    /// Days before the last poll that are read again each time: late reports still change them.
    static let daysAgain = Duration.days(3)

    /// - Parameter last: when they were read last, so that a pause loses none; nil for all that there are.
    init(_ body: JSONReader, since last: Moment?, at now: Moment) throws(JSONMismatch) {
        let oldest = last.map { min($0, now) - StabilityTrend.daysAgain } ?? .earliest
        stage = try body.member("release_stage_name").nonEmptyString()
        days = try body.member("timeline_points").elements(leaving: &left) { point throws(JSONMismatch) -> Day? in
            let start = try point.member("bucket_start").moment()
            let end = try point.member("bucket_end").moment()
            guard start < end else { throw point.mismatch(expected: "a begin before the end") }
            // Nothing is known of what has not happened.
            guard let span = TimeSpan(from: start, to: min(end, now)), end > oldest else { return nil }
            let metrics = try StabilityTrend.metrics(point)
            // A day without sessions says nothing, and neither 0 nor 100 %.
            guard !metrics.isEmpty else { return nil }
            return Day(span: span, isComplete: end <= now, metrics: metrics)
        }
        days.sort { $0.span.to < $1.span.to }
    }

    private static func metrics(_ point: JSONReader) throws(JSONMismatch) -> Metrics {
        var metrics = Metrics()
        for (all, crashed, total, part) in [
            (Metric.sessions, Metric.crashedSessions, "total_sessions_count", "unhandled_sessions_count"),
            (.users, .crashedUsers, "users_seen", "users_with_unhandled"),
        ] {
            guard let count = try point.optional(total)?.count(), count > 0 else { continue }
            let hit = try point.member(part)
            metrics[all] = count
            metrics[crashed] = try hit.crashed(hit.count(), of: count, total)
        }
        return metrics
    }
}
