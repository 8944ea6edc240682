internal import PluginKit
internal import SourceKit

/// What Grafana's alerting posts to a webhook: a group of alerts, each firing or resolved. The same shape comes from
/// Prometheus's Alertmanager, without values.
///
/// An alert is an issue of its app, known by its fingerprint; its values are figures where the config says which.
struct GrafanaAlerts: Sendable {
    let app: String?
    let labels: (app: String, release: String, environment: String)
    let values: [String: Metric]
    /// What a value covers.
    let span: Duration

    /// What a push says of one subject.
    private struct Told {
        let subject: Subject
        var firingIssues: [Issue] = []
        var resolvedIssues: [Issue] = []
        /// How many alerts there are of it.
        var count = 0
        var firing = Values()
        /// What ends an alert counts where none fires.
        var resolved = Values()
    }

    /// The values of alerts of one subject, by metric; nil where two differ, and nobody knows which is the app's.
    private typealias Values = [String: Double?]

    func report(_ push: Push) throws(PushMistake) -> PollReport {
        let body: JSON
        do throws(JSONSyntaxError) { body = try JSON(parsing: push.body) } catch {
            throw PushMistake(line: error.line, "column \(error.column): \(error.problem)")
        }
        var found: [Told] = []
        // One group may hold tens of thousands of alerts, each of an app of its own.
        var places: [Subject: Int] = [:]
        var warnings: [String] = []
        do throws(JSONMismatch) {
            let root = JSONReader(body)
            for alert in try root.member("alerts").elements() {
                let subject = try subject(of: alert, push)
                let place = places[subject] ?? found.count
                if place == found.count {
                    places[subject] = place
                    found.append(Told(subject: subject))
                }
                let issue = try issue(alert)
                found[place].count += 1
                if issue.status == "firing" {
                    if found[place].firingIssues.count < Issue.countMax { found[place].firingIssues.append(issue) }
                    try add(alert, to: &found[place].firing)
                } else {
                    if found[place].resolvedIssues.count < Issue.countMax { found[place].resolvedIssues.append(issue) }
                    try add(alert, to: &found[place].resolved)
                }
            }
            let lost = try root.optional("truncatedAlerts")?.int() ?? 0
            if lost > 0 { warnings.append("Grafana left out \(lost.counted("alert")) of this group") }
        } catch {
            throw PushMistake(error.description)
        }
        guard !found.isEmpty else { throw PushMistake("$.alerts: found an empty array, expected alerts") }
        let observations = found.flatMap { told in
            let metrics = metrics(of: told, &warnings)
            // What is over makes room for what fires.
            let issues = Array((told.firingIssues + told.resolvedIssues).prefix(Issue.countMax))
            if told.count > issues.count, warnings.count < GrafanaAlerts.warningsMax {
                let left = (told.count - issues.count).counted("alert")
                warnings.append(
                    "\(left) of \(told.subject.app.tamed) left out: of one app at most \(Issue.countMax) count, those that fire first; "
                        + "name what distinguishes them in 'app_label', 'release_label' or 'environment_label'")
            }
            return PushedAlerts.observations(of: told.subject, issues, metrics, over: span, at: push.now)
        }
        return PollReport(.values(observations), warnings: warnings)
    }

    private func subject(of alert: JSONReader, _ push: Push) throws(JSONMismatch) -> Subject {
        let known = try alert.member("labels")
        func label(_ name: String) throws(JSONMismatch) -> String? {
            try known.optional(name)?.string()
        }
        guard let app = try label(labels.app) ?? app, !app.isEmpty else {
            throw JSONMismatch(
                path: known.path, expected: "a label '\(labels.app)' with the app, or 'app' in the config",
                found: "none")
        }
        return Subject(
            source: push.source, app: app, release: try label(labels.release),
            environment: try label(labels.environment))
    }

    private func issue(_ alert: JSONReader) throws(JSONMismatch) -> Issue {
        let name = try alert.member("labels").optional("alertname")?.string() ?? "alert"
        let summary = try alert.optional("annotations")?.optional("summary")?.string()
        let status = try alert.member("status")
        let word = try status.string()
        guard ["firing", "resolved"].contains(word) else {
            throw status.mismatch(expected: "\"firing\" or \"resolved\"")
        }
        let ends = try alert.optional("endsAt")?.moment()
        var links: [String] = []
        for name in ["panelURL", "dashboardURL", "generatorURL"] {
            if let link = try alert.optional(name)?.webLink() { links.append(link) }
        }
        return Issue(
            id: try alert.member("fingerprint").nonEmptyString(),
            title: (summary.map { "\(name): \($0)" } ?? name).clipped(to: Issue.titleCharactersMax),
            firstSeen: try alert.member("startsAt").moment(),
            // The year 1 is how Grafana says that it has not ended.
            lastSeen: ends.flatMap { $0.milliseconds > 0 ? $0 : nil }, status: word, url: links.first)
    }

    private func add(_ alert: JSONReader, to known: inout Values) throws(JSONMismatch) {
        guard !values.isEmpty, let given = try alert.optional("values") else { return }
        var metrics = Metrics()
        for (name, value) in try given.members() {
            guard let metric = values[name], value.value != .null else { continue }
            let number = try value.number()
            metrics[metric.name] = number
            known[metric.name] = .some(known[metric.name].map { $0 == number ? number : nil } ?? number)
        }
        metrics.settle()
        if let flaw = metrics.flaw ?? metrics.exaggeration {
            throw JSONMismatch(path: given.path, expected: "plausible figures", found: flaw)
        }
    }

    private func metrics(of told: Told, _ warnings: inout [String]) -> Metrics {
        var metrics = Metrics()
        let known = told.resolved.merging(told.firing) { $1 }
        for (name, value) in known.sorted(by: { $0.key < $1.key }) {
            if let value {
                metrics[name] = value
            } else if warnings.count < GrafanaAlerts.warningsMax {
                warnings.append(
                    "alerts of one push give different \(name) for \(told.subject.app.tamed), so none counts; "
                        + "name what distinguishes them in 'app_label', 'release_label' or 'environment_label'")
            }
        }
        // Values of several alerts meet here for the first time.
        metrics.settle()
        return metrics
    }

    /// Warnings are for people.
    private static let warningsMax = 5
}
