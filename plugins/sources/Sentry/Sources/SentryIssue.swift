internal import PluginKit
internal import SourceKit

/// An issue with what decides where it belongs.
struct SentryIssue: Hashable, Sendable {
    let issue: Issue
    /// The project's slug, where the answer tells.
    let project: String?
    /// Whether nothing in the app caught it: a crash rather than a reported error.
    let isCrash: Bool

    /// Reads the issues of one page. Reports on slowness and the like, which come in the same list, are passed over.
    static func issues(in page: JSONReader) throws(JSONMismatch) -> [SentryIssue] {
        var issues: [SentryIssue] = []
        for element in try page.elements() {
            guard try element.optional("issueCategory")?.string() ?? "error" == "error" else { continue }
            issues.append(try SentryIssue(element))
        }
        return issues
    }

    private init(_ reader: JSONReader) throws(JSONMismatch) {
        let id = try reader.member("id").nonEmptyString()
        let status = try reader.optional("status")?.string()
        let substatus = try reader.optional("substatus")?.string()
        issue = Issue(
            id: try reader.optional("shortId")?.nonEmptyString() ?? id,
            title: try reader.member("title").string().clipped(to: Issue.titleCharactersMax),
            events: try reader.optional("count")?.writtenCount(),
            users: try reader.optional("userCount")?.count(),
            firstSeen: try reader.optional("firstSeen")?.moment(),
            lastSeen: try reader.optional("lastSeen")?.moment(),
            status: substatus ?? status,
            url: try reader.optional("permalink")?.webLink()
        )
        project = try reader.optional("project")?.optional("slug")?.string()
        let level = try reader.optional("level")?.string()
        isCrash = try reader.optional("isUnhandled")?.bool() ?? (level == "fatal")
    }

    /// Crashes first, then by the number of events.
    static func worseFirst(_ left: SentryIssue, _ right: SentryIssue) -> Bool {
        if left.isCrash != right.isCrash { return left.isCrash }
        let (a, b) = (left.issue.events ?? 0, right.issue.events ?? 0)
        return a != b ? a > b : left.issue.id < right.issue.id
    }
}
