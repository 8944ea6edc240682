public import IssueKit
public import PluginKit

/// A detector that tells once of every issue that was resolved and is back.
public struct RegressionDetector: IssueNewsDetector {
    public static let manifest = PluginManifest(
        name: "regression", summary: "Fires when an issue that was resolved is back and hits enough users.",
        example: """
            min_users: 5
            """,
        options: IssueNews.settings)

    private let news: IssueNews

    public var severities: Set<Severity>? { [news.severity] }

    public init(options: Options, context: RuleContext) throws(ProblemList) { news = IssueNews(options) }

    public func findings(in sight: Sight, at now: Moment) -> [Finding] {
        news.findings(
            in: sight, at: now, since: \.returned, many: .issueManyBack, one: .issueBack, hit: .issueBackHit)
    }
}
