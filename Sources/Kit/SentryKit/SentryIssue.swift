public import PluginKit
internal import SourceKit

/// An issue with what decides where it belongs.
public struct SentryIssue: Hashable, Sendable {
    public let issue: Issue
    /// The project's slug, where the answer tells.
    public internal(set) var project: String?
    let projectID: String?
    /// Whether nothing in the app caught it: a crash rather than a reported error.
    let isCrash: Bool
    /// Whether the server says that there is news of it: it is new, back, or much more frequent.
    let isNews: Bool

    /// What a server's counts of an issue are about.
    public enum Counts: Sendable {
        /// The time that was asked for.
        case ofWindow
        /// All that there ever was, which says nothing of now.
        case ofLife
    }

    /// Reads the issues of one page. Reports on slowness and the like, which come in the same list, are passed over.
    ///
    /// - Parameters:
    ///   - link: where people look at an issue, by its id, where the answer does not tell.
    ///   - left: takes in those that make no sense.
    static func issues(
        in page: JSONReader, counts: Counts, leaving left: inout LeftOut, link: (String) -> String?
    ) throws(JSONMismatch) -> [SentryIssue] {
        try page.elements(leaving: &left) { element throws(JSONMismatch) in
            guard try element.optional("issueCategory")?.string() ?? "error" == "error" else { return nil }
            return try SentryIssue(element, counts, link)
        }
    }

    /// Of an app's issues that are kept, so many are its newest: half, which leaves room for those that are back.
    private static let newestMax = Issue.countMax / 2

    private static let news: Set<String> = ["new", "regressed", "escalating"]

    private init(_ reader: JSONReader, _ counts: Counts, _ link: (String) -> String?) throws(JSONMismatch) {
        let id = try reader.member("id").nonEmptyString()
        let status = try reader.optional("status")?.string()
        let substatus = try reader.optional("substatus")?.string()
        let (events, users) = (try reader.optional("count"), try reader.optional("userCount"))
        let isCounted = counts == .ofWindow
        issue = Issue(
            id: try reader.optional("shortId")?.nonEmptyString() ?? id,
            title: try reader.member("title").string().clipped(to: Issue.titleCharactersMax),
            events: isCounted ? try events?.writtenCount() : nil,
            users: isCounted ? try users?.count() : nil,
            firstSeen: try SentryIssue.firstSeen(reader),
            lastSeen: try reader.optional("lastSeen")?.moment(),
            returned: SentryIssue.returned(reader),
            status: substatus ?? status,
            url: try reader.optional("permalink")?.webLink() ?? link(id)
        )
        project = try reader.optional("project")?.optional("slug")?.string()
        projectID = try? reader.optional("project")?.optional("id")?.projectID()
        let level = try reader.optional("level")?.string()
        isCrash = try reader.optional("isUnhandled")?.bool() ?? (level == "fatal")
        isNews = substatus.map(SentryIssue.news.contains) ?? false
    }

    /// When it began. Asked for a window, Sentry may say at the top when it began within that, and only under `lifetime` when it
    /// did so ever: an old issue that is seen again would pass for a new one.
    private static func firstSeen(_ reader: JSONReader) throws(JSONMismatch) -> Moment? {
        let here = try reader.optional("firstSeen")?.moment()
        let ever = try reader.optional("lifetime")?.optional("firstSeen")?.moment()
        return [here, ever].compactMap(\.self).min()
    }

    /// When it came back, where the answer says that: then it was put before people for review (`expand=inbox`), with the
    /// reason that it is a regression, until somebody resolves, archives or has reviewed it.
    private static func returned(_ reader: JSONReader) -> Moment? {
        guard let inbox = try? reader.optional("inbox"),
            (try? inbox.optional("reason")?.value) == .int(regressionReason)
        else { return nil }
        return try? inbox.optional("date_added")?.moment()
    }

    private static let regressionReason: Int64 = 2

    /// Crashes first, then by the number of events, and what happened last.
    static func worseFirst(_ left: SentryIssue, _ right: SentryIssue) -> Bool {
        if left.isCrash != right.isCrash { return left.isCrash }
        let (a, b) = (left.issue.events ?? 0, right.issue.events ?? 0)
        if a != b { return a > b }
        let (late, later) = (left.issue.lastSeen ?? .earliest, right.issue.lastSeen ?? .earliest)
        return late != later ? late > later : left.issue.id < right.issue.id
    }

    /// The issues of each app, the worst first, each once.
    ///
    /// There is room for so many of an app: where there are more, the newest are kept first, since what is new stays news for
    /// a week, then those of which there is other news, and then the rest.
    ///
    /// - Parameter only: the app that those belong to which do not say it.
    /// - Returns: by apps, in the order of their names; and how many belong to nobody.
    public static func byApp(
        _ found: [SentryIssue], only: String?
    ) -> (apps: [(app: String, issues: [Issue])], homeless: Int) {
        var homeless = 0
        var byApp: [String: [SentryIssue]] = [:]
        var taken: Set<String> = []
        for found in found.sorted(by: worseFirst) where taken.insert(found.issue.id).inserted {
            guard let app = found.project.flatMap({ $0.isEmpty ? nil : $0 }) ?? only else {
                homeless += 1
                continue
            }
            byApp[app, default: []].append(found)
        }
        let apps = byApp.sorted { $0.key < $1.key }.map { app, found in
            var kept = found
            if found.count > Issue.countMax {
                let newest = found.sorted { ($0.issue.firstSeen ?? .earliest) > ($1.issue.firstSeen ?? .earliest) }
                var taken: Set<String> = []
                let first = (newest.prefix(newestMax) + found.filter(\.isNews) + found)
                    .filter { taken.insert($0.issue.id).inserted }.prefix(Issue.countMax)
                kept = first.sorted(by: worseFirst)
            }
            return (app, kept.map(\.issue))
        }
        return (apps, homeless)
    }
}
