internal import PluginKit

/// Alerts as issues of what they are about.
enum PushedAlerts {
    /// What an alert covers: it says when it began, and no span.
    private static let moment = Duration.seconds(1)
    /// An alert that began longer ago was there before anybody pushed it here.
    private static let newsMax = Duration.days(1)

    /// Observations with issues, and one without any from right before they began: else the first alert of an app would
    /// be taken for one that was there when the bot began to look.
    static func observations(
        of subject: Subject, _ issues: [Issue], metrics: Metrics = Metrics(), at now: Moment
    ) -> [Observation] {
        var observations: [Observation] = []
        let began = issues.compactMap(\.firstSeen).min().map { min($0, now) } ?? now
        let before = began - .milliseconds(1)
        if began > now - newsMax, let span = TimeSpan(from: before - moment, to: before) {
            observations.append(Observation(subject: subject, span: span, seen: before, metrics: Metrics()))
        }
        if let span = TimeSpan(from: now - moment, to: now) {
            observations.append(
                Observation(subject: subject, span: span, seen: now, metrics: metrics, issues: issues))
        }
        return observations
    }
}
