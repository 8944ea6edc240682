public import IssueKit
public import PluginKit

/// A detector that tells once of every issue that was never seen before.
public struct NewIssueDetector: IssueNewsDetector {
    public static let manifest = PluginManifest(
        name: "new_issue", summary: "Fires when an issue appears that was never seen before and hits enough users.",
        example: """
            min_users: 20
            """,
        options: IssueNews.settings)

    private let news: IssueNews

    public var severities: Set<Severity>? { [news.severity] }

    public init(options: Options, context: RuleContext) throws(ProblemList) { news = IssueNews(options) }

    public func findings(in sight: Sight, at now: Moment) -> [Finding] {
        // One that was resolved and is back is for another rule to tell.
        let since = { (record: IssueMemory.Record) in
            record.isPast || record.returned != nil ? nil : record.born
        }
        return news.findings(in: sight, at: now, since: since, many: .issueManyNew, one: .issueNew, hit: .issueNewHit)
    }
}
