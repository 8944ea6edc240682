internal import AlertCore
internal import Charts
internal import Markup
internal import PluginKit
internal import Preview

/// One incident from near, beside the whole span that a page shows: the figure that it is about, from some hours before it
/// began until some hours after its end, with the limit, what is usual and what was said of it.
struct CloseUp {
    let incident: Incident
    /// What is shown of it.
    let span: TimeSpan
    let story: PlayedApp

    /// Before its beginning and after its end: so that its fall and what came next are seen.
    private static let around = Duration.hours(6)
    /// Of an incident that lasts longer the beginning is shown: a week in so few columns is the picture of the whole again.
    private static let lengthMax = Duration.hours(24)

    /// - Returns: nil where its rule kept no figures of that time.
    init?(_ incident: Incident, _ story: PlayedApp, _ report: BacktestReport) {
        let end = min(incident.until ?? report.to, incident.since + CloseUp.lengthMax)
        let from = max(report.from, incident.since - CloseUp.around)
        guard let span = TimeSpan(from: from, to: min(report.to, end + CloseUp.around)),
            let near = story.near(incident, span)
        else { return nil }
        self.incident = incident
        self.span = span
        self.story = near
    }

    /// Those of an app that are drawn: the worst first, then the longest.
    static func all(_ story: PlayedApp, _ report: BacktestReport, most: Int) -> [CloseUp] {
        let worst = story.worstSeverities
        func rank(_ incident: Incident) -> (Severity, Duration) {
            (worst[incident.id] ?? incident.severity, (incident.until ?? report.to) - incident.since)
        }
        let ranked = story.incidents.sorted { left, right in
            let (mine, other) = (rank(left), rank(right))
            return mine == other ? (left.since, left.id) < (right.since, right.id) : mine > other
        }
        return Array(ranked.lazy.compactMap { CloseUp($0, story, report) }.prefix(most))
            .sorted { ($0.incident.since, $0.incident.id) < ($1.incident.since, $1.incident.id) }
    }

    /// - Parameter id: tells the drawing's names from those of others on the page.
    func figure(_ report: BacktestReport, id: String) -> HTML {
        let severity = story.worstSeverities[incident.id] ?? incident.severity
        let release: HTML? = incident.subject.release.map { " \($0)" }
        let length = incident.until.map { "\(($0 - incident.since).rough)" } ?? "not over at the end"
        return """
            <figure><figcaption><b>\(severity.rawValue)</b> \(incident.rule)\(release), \
            \(report.zone.words(incident.since)), \(length)</figcaption>\
            <div class="drawing" role="region" aria-label="\(incident.rule) at \(report.zone.words(incident.since))">\
            \(AppPicture(story, report, id: id, .near, from: span.from, to: span.to).svg)</div></figure>

            """
    }
}
