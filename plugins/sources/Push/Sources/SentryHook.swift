internal import MessageCodes
internal import PluginKit
internal import SourceKit

/// What an internal integration of Sentry posts: issues that change, and alert rules about issues that fire. Each is signed with the
/// integration's client secret.
///
/// Alerts about metrics name no figure that could be judged, only that a rule of Sentry's has fired: they are issues, too.
struct SentryHook: Sendable {
    let app: String?

    /// HMAC-SHA256 over the body, in hexadecimal digits.
    static func isSigned(_ push: Push, with secret: Secret) -> Bool {
        guard let signature = push.headers["Sentry-Hook-Signature"]?.lowercased(),
            let expected = MessageCode.sha256(push.body, key: Array(secret.reveal().utf8))
        else { return false }
        return Secret(expected.hexadecimal).isSame(as: signature)
    }

    func report(_ push: Push) throws(PushMistake) -> PollReport {
        let body: JSON
        do throws(JSONSyntaxError) { body = try JSON(parsing: push.body) } catch {
            throw PushMistake(line: error.line, "column \(error.column): \(error.problem)")
        }
        do throws(JSONMismatch) {
            let root = JSONReader(body)
            let resource = push.headers["Sentry-Hook-Resource"] ?? "none"
            let action = try root.member("action").string()
            let seen: Seen
            switch resource {
            case "issue": seen = try issue(root.member("data").member("issue"), action)
            case "event_alert": seen = try event(root.member("data").member("event"))
            case "metric_alert": seen = try metricAlert(root.member("data"), action)
            default:
                // Installations, comments and single events: nothing that is judged here.
                return PollReport(
                    .unchanged, notes: ["a hook about '\(resource.tamed.clipped(to: 40))' was passed over"])
            }
            guard let name = seen.app ?? app else {
                throw JSONMismatch(
                    path: "$.data", expected: "the project's name, or 'app' in the config", found: "none")
            }
            let subject = Subject(source: push.source, app: name)
            return PollReport(.values(PushedAlerts.observations(of: subject, [seen.issue], at: push.now)))
        } catch {
            throw PushMistake(error.description)
        }
    }

    /// An issue belongs to no environment: of all hooks only alerts about events name one, and would tell of another issue.
    private typealias Seen = (app: String?, issue: Issue)

    private func issue(_ issue: JSONReader, _ action: String) throws(JSONMismatch) -> Seen {
        let title = try issue.member("title").string()
        let statuses = [try issue.optional("substatus")?.string(), try issue.optional("status")?.string(), action]
        let links = [try issue.optional("web_url")?.webLink(), try issue.optional("permalink")?.webLink()]
        // Counts are of the issue's whole life, which says nothing of the moment in which it changes.
        return (
            try issue.optional("project")?.optional("slug")?.string(),
            Issue(
                // Not its short one: a hook about an alert has none, and would tell of another issue.
                id: try SentryHook.id(issue.member("id")), title: title.clipped(to: Issue.titleCharactersMax),
                firstSeen: try issue.optional("firstSeen")?.moment(),
                lastSeen: try issue.optional("lastSeen")?.moment(),
                status: statuses.compactMap(\.self).first, url: links.compactMap(\.self).first)
        )
    }

    private func event(_ event: JSONReader) throws(JSONMismatch) -> Seen {
        let release = try event.optional("release")?.string()
        let address = try event.optional("url")?.webLink()
        return (
            address.flatMap(SentryHook.project),
            Issue(
                id: try SentryHook.id(event.member("issue_id")),
                title: try event.member("title").string().clipped(to: Issue.titleCharactersMax),
                // The rule fired on this event: for whoever hears of it here it begins with it.
                firstSeen: try event.optional("datetime")?.moment(),
                lastSeen: try event.optional("datetime")?.moment(), release: release,
                url: try event.optional("web_url")?.webLink())
        )
    }

    private func metricAlert(_ data: JSONReader, _ action: String) throws(JSONMismatch) -> Seen {
        let alert = try data.member("metric_alert")
        let projects = try alert.optional("projects")?.elements() ?? []
        let titles = [try data.optional("description_title")?.string(), try alert.optional("title")?.string()]
        let title = titles.compactMap(\.self).first ?? "a rule about a metric"
        return (
            projects.count == 1 ? try projects[0].string() : nil,
            Issue(
                id: "alert-\(try SentryHook.id(alert.member("id")))",
                title: title.clipped(to: Issue.titleCharactersMax),
                firstSeen: try alert.optional("date_started")?.moment(), status: action,
                url: try data.optional("web_url")?.webLink())
        )
    }

    /// The project's slug, out of the API's address of an event: `…/api/0/projects/ORGANIZATION/PROJECT/events/ID/`. Nil for
    /// any other address.
    private static func project(inAddress address: String) -> String? {
        guard let path = address.firstRange(of: "/api/0/projects/") else { return nil }
        let parts = address[path.upperBound...].split(separator: "/")
        return parts.count > 2 && parts[2] == "events" ? String(parts[1]) : nil
    }

    /// Ids are numbers in texts, and sometimes numbers.
    private static func id(_ reader: JSONReader) throws(JSONMismatch) -> String {
        if case .int = reader.value { return reader.value.text }
        return try reader.nonEmptyString()
    }
}
