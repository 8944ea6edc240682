internal import PluginKit
internal import SourceKit

/// The list of issues of one app.
enum PlayIssue {
    /// Most of one page, which is as many as the API gives.
    private static let pageMax = 1000
    /// How far back one is looked for that has just come up among those with the most reports.
    private static let memory = Duration.days(7)

    /// What asks for those with the most reports in the day that ends with a mark.
    static func call(of app: String, until mark: Moment) -> GoogleService.Call {
        call("issues", of: app, most: Issue.countMax, from: mark - .days(1), to: mark)
    }

    /// The days in which an issue that is not new had reports: Play says of none when it was seen first. They end a day before what
    /// the last poll saw, since one that had few reports on its first day was not named then, and is still new.
    ///
    /// - Parameter last: how far Play had come at the last poll; nil at the first.
    static func earlier(than mark: Moment, last: Moment?) -> TimeSpan {
        TimeSpan(lasting: memory, until: min(mark - .days(1), last ?? mark) - .days(1))
    }

    /// What asks for those of earlier days.
    static func earlierCall(of app: String, in span: TimeSpan) -> GoogleService.Call {
        call("earlier issues", of: app, most: pageMax, from: span.from, to: span.to)
    }

    private static func call(
        _ what: String, of app: String, most: Int, from: Moment, to: Moment
    ) -> GoogleService.Call {
        var query = [("filter", "errorIssueType = CRASH OR errorIssueType = ANR")]
        query += [("orderBy", "errorReportCount desc"), ("pageSize", "\(most)")]
        query += PlayCalendar.query("interval.startTime", from) + PlayCalendar.query("interval.endTime", to)
        return GoogleService.Call(
            "\(what) of \(app)", get: "/v1beta1/apps/\(app.percentEncoded)/errorIssues:search", query)
    }

    static func issues(in body: JSONReader, _ names: VersionNames) throws(JSONMismatch) -> [Issue] {
        var issues: [Issue] = []
        var taken: Set<String> = []
        for element in try body.optional("errorIssues")?.elements() ?? [] {
            let issue = try issue(element, names)
            if taken.insert(issue.id).inserted { issues.append(issue) }
        }
        return issues
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
            // It says when an issue was seen last, and never when first.
            lastSeen: try reader.optional("lastErrorReportTime")?.moment(),
            release: version.map { names[$0] },
            url: try reader.optional("issueUri")?.webLink())
    }
}
