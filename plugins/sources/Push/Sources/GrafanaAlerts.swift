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
        var (left, oddValues) = (LeftOut(), LeftOut())
        do throws(JSONMismatch) {
            let root = JSONReader(body)
            for alert in try root.member("alerts").elements() {
                // One that Grafana makes itself, of a query without data, lacks the labels of those that it stands among.
                let read = left.reading { () throws(JSONMismatch) -> (subject: Subject, issue: Issue)? in
                    (subject: try subject(of: alert, push), issue: try issue(alert))
                }
                guard let told = read else { continue }
                let place = places[told.subject] ?? found.count
                if place == found.count {
                    places[told.subject] = place
                    found.append(Told(subject: told.subject))
                }
                found[place].count += 1
                if told.issue.status == "firing" {
                    if found[place].firingIssues.count < Issue.countMax {
                        found[place].firingIssues.append(told.issue)
                    }
                    add(alert, to: &found[place].firing, leaving: &oddValues)
                } else {
                    if found[place].resolvedIssues.count < Issue.countMax {
                        found[place].resolvedIssues.append(told.issue)
                    }
                    add(alert, to: &found[place].resolved, leaving: &oddValues)
                }
            }
            let lost = try root.optional("truncatedAlerts")?.int() ?? 0
            if lost > 0 { warnings.append("Grafana left out \(lost.counted("alert")) of this group") }
        } catch {
            throw PushMistake(error.description)
        }
        guard !found.isEmpty else {
            throw PushMistake(left.first?.description ?? "$.alerts: found an empty array, expected alerts")
        }
        warnings += [left.warning("an alert", "alerts"), oddValues.warning("a value", "values")].compactMap(\.self)
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
        return PollReport(
            .values(observations), warnings: warnings, unread: left.count > 0 ? .anything : .nothing)
    }

    private func subject(of alert: JSONReader, _ push: Push) throws(JSONMismatch) -> Subject {
        let known = try alert.member("labels")
        func label(_ name: String) throws(JSONMismatch) -> String? {
            try known.optional(name)?.string()
        }
        guard let app = try label(labels.app) ?? app, !app.isEmpty else {
            // Where an alert stands differs with each push.
            let name = try label("alertname").map { " for the alert \($0.quotable)" } ?? ""
            throw JSONMismatch(
                path: known.path, expected: "a label '\(labels.app)' with the app, or 'app' in the config",
                found: "none\(name)")
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

    /// Takes in the values of an alert, but for those that make no sense: alone, or beside each other.
    private func add(_ alert: JSONReader, to known: inout Values, leaving odd: inout LeftOut) {
        guard !values.isEmpty else { return }
        let given = odd.reading { () throws(JSONMismatch) -> [(name: String, value: JSONReader)]? in
            try alert.optional("values")?.members()
        }
        var metrics = Metrics()
        for (name, value) in given ?? [] {
            guard let metric = values[name], value.value != .null else { continue }
            let figure = odd.reading { () throws(JSONMismatch) -> Metrics? in
                try GrafanaAlerts.plausible([metric: value.number()], at: value.path)
            }
            guard let number = figure?[metric] else { continue }
            if let other = metrics[metric], other != number {
                // Two names of one metric are as two alerts: nobody knows which is the app's.
                known[metric.name] = .some(nil)
            } else {
                metrics[metric] = number
            }
        }
        let all = odd.reading { () throws(JSONMismatch) -> Metrics? in
            try GrafanaAlerts.plausible(metrics, at: "\(alert.path).values")
        }
        for entry in all?.entries ?? [] {
            let number = entry.value
            known[entry.name] = .some(known[entry.name].map { $0 == number ? number : nil } ?? number)
        }
    }

    /// The same figures, where they make sense.
    private static func plausible(_ metrics: Metrics, at path: String) throws(JSONMismatch) -> Metrics {
        var settled = metrics
        settled.settle()
        if let flaw = settled.flaw ?? settled.exaggeration {
            throw JSONMismatch(path: path, expected: "plausible figures", found: flaw)
        }
        return metrics
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
                        + "name what distinguishes them in 'app_label', 'release_label' or 'environment_label', "
                        + "or one value of it in 'values'")
            }
        }
        // Values of several alerts meet here for the first time.
        metrics.settle()
        return metrics
    }

    /// Warnings are for people.
    private static let warningsMax = 5
}
