internal import PluginKit

/// Alerts as issues of what they are about.
enum PushedAlerts {
    /// What an alert covers: it says when it began, and no span.
    static let moment = Duration.seconds(1)
    /// An alert that began longer ago was there before anybody pushed it here.
    private static let newsMax = Duration.days(1)

    /// Observations with issues, and one without any from right before those of the last day began: else the first alert of an
    /// app would be taken for one that was there when the bot began to look. One that burns for days stands among those that
    /// have just begun, for alerts come in groups, and hides none of them.
    ///
    /// - Parameter span: what the figures cover. Alerts are repeated, and figures of spans that overlap are not added up.
    static func observations(
        of subject: Subject, _ issues: [Issue], _ metrics: Metrics = Metrics(), over span: Duration = moment,
        at now: Moment
    ) -> [Observation] {
        var observations: [Observation] = []
        let beginnings = issues.map { min($0.firstSeen ?? now, now) }
        if let began = beginnings.filter({ $0 > now - newsMax }).min() {
            let before = began - .milliseconds(1)
            if let span = TimeSpan(from: before - moment, to: before) {
                observations.append(Observation(subject: subject, span: span, seen: before, metrics: Metrics()))
            }
        }
        let covered = TimeSpan(lasting: metrics.isEmpty ? moment : span, until: now)
        observations.append(
            Observation(subject: subject, span: covered, seen: now, metrics: metrics, issues: issues))
        return observations
    }
}
