internal import PluginKit
internal import SourceKit

/// An app as Crashlytics' API knows it.
struct FirebaseApp: Hashable, Sendable {
    /// Such as `1:123456789012:android:abcdef0123456789`.
    let id: String
    /// The project's number stands in the id.
    private let project: String

    init?(_ id: String) {
        let parts = id.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isDigits, parts[1].isDigits, ["android", "ios", "web"].contains(parts[2]),
            !parts[3].isEmpty, id.utf8.count <= 200, parts[3].allSatisfy(\.isHexDigit)
        else { return nil }
        self.id = id
        project = String(parts[1])
    }

    private func path(_ report: String) -> String {
        "/v1alpha/projects/\(project)/apps/\(id.percentEncoded)/reports/\(report)"
    }

    /// Versions with the most crashes in a span.
    ///
    /// Without the filter errors that were handled would count as crashes.
    func versions(over span: TimeSpan, of app: String, next: String?) -> GoogleService.Call {
        var query = FirebaseApp.interval(span)
        query += [("filter.issue.errorTypes", "FATAL"), ("pageSize", "100")]
        if let next { query.append(("pageToken", next)) }
        return GoogleService.Call("versions of \(app)", get: path("topVersions"), query)
    }

    /// Open issues with the most crashes in a span.
    ///
    /// - Parameter onlyNews: of those that Crashlytics signals to be new or back alone.
    func issues(over span: TimeSpan, of app: String, onlyNews: Bool = false) -> GoogleService.Call {
        var query = FirebaseApp.interval(span)
        query += [("filter.issue.errorTypes", "FATAL"), ("filter.issue.errorTypes", "ANR")]
        query += [("filter.issue.states", "OPEN"), ("pageSize", "\(Issue.countMax)")]
        if onlyNews { query += ["SIGNAL_FRESH", "SIGNAL_REGRESSED"].map { ("filter.issue.signals", $0) } }
        return GoogleService.Call("\(onlyNews ? "new issues" : "issues") of \(app)", get: path("topIssues"), query)
    }

    private static func interval(_ span: TimeSpan) -> AddressQuery {
        [("filter.interval.startTime", "\(span.from)"), ("filter.interval.endTime", "\(span.to)")]
    }
}
