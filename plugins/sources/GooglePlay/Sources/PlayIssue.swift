internal import PluginKit
internal import SourceKit

/// The list of issues of one app.
enum PlayIssue {
    /// What asks for those with the most reports in the last day up to a mark.
    static func call(of app: String, until mark: Moment, _ calendar: PlayCalendar) -> GoogleService.Call {
        var query = [("filter", "errorIssueType = CRASH OR errorIssueType = ANR")]
        query += [("orderBy", "errorReportCount desc"), ("pageSize", "\(Issue.countMax)")]
        query += calendar.query("interval.startTime", calendar.movedByDays(mark, -1))
        query += calendar.query("interval.endTime", mark)
        return GoogleService.Call(
            "issues of \(app)", get: "/v1beta1/apps/\(app.percentEncoded)/errorIssues:search", query)
    }

    static func issues(in body: JSONReader, _ names: VersionNames) throws(JSONMismatch) -> [Issue] {
        var issues: [Issue] = []
        var taken: Set<String> = []
        for element in try body.optional("errorIssues")?.elements() ?? [] {
            let issue = try issue(element, names)
            if taken.insert(issue.id).inserted { issues.append(issue) }
        }
        return Array(issues.prefix(Issue.countMax))
    }

    private static func issue(_ reader: JSONReader, _ names: VersionNames) throws(JSONMismatch) -> Issue {
        let name = try reader.member("name")
        guard let id = try name.string().split(separator: "/").last else {
            throw name.mismatch(expected: "a name such as \"apps/com.shop/1f00c0ff\"")
        }
        let cause = try reader.optional("cause")?.string() ?? ""
        let location = try reader.optional("location")?.string() ?? ""
        let isHang = try reader.optional("type")?.string() == "APPLICATION_NOT_RESPONDING"
        let version = try reader.optional("firstAppVersion")?.optional("versionCode")?.nonEmptyString()
        let words = [cause, location].filter { !$0.isEmpty }.joined(separator: " in ")
        return Issue(
            id: String(id),
            title: ((isHang ? "ANR: " : "") + (words.isEmpty ? "an issue without a name" : words))
                .clipped(to: Issue.titleCharactersMax),
            events: try reader.optional("errorReportCount")?.writtenCount(),
            users: try reader.optional("distinctUsers")?.writtenCount(),
            // It says when an issue was seen last, and never when first: one is new when nobody knew its id.
            lastSeen: try reader.optional("lastErrorReportTime")?.moment(),
            release: version.map { names[$0] },
            url: try reader.optional("issueUri")?.webLink())
    }
}
