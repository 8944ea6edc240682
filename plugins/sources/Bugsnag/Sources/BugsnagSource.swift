// BugsnagSource reads stability and errors from Bugsnag (SmartBear Insight Hub): the days of each project as Bugsnag counts
// them, what each release had since the last poll, and the open errors.
//
// Bugsnag counts a release's sessions from its first day on and never tells how many an hour had. So the counts of the last
// poll are kept, and what came since is the figure.

public import PluginKit
internal import SourceKit

/// Polls Bugsnag's Data Access API.
public struct BugsnagSource: LimitedSource, HistoricalSource {
    public static let manifest = PluginManifest(
        name: "bugsnag",
        summary: "Crash-free sessions and users, per project and per release, and open errors from Bugsnag.",
        example: """
            token: ${env:BUGSNAG_TOKEN}
            projects: [shop-android]
            """,
        access: "In Bugsnag's dashboard, under Settings → My account → Personal auth tokens, generate a token.",
        options: [token, organization, projects, releaseStage, errors, url, Setting.insecure])

    static let token = RequiredSetting("token", .text, "A personal auth token.").secret.inHeader
    static let organization = Setting(
        "organization", .plain, unset: "the only one", "The organization's slug or id, for tokens that see several.")
    static let projects = Setting(
        "projects", .list(.plain), default: [], unset: "all that the token can see",
        "Slugs, names or ids of the projects to watch; at most \(projectsMax).")
    static let releaseStage = Setting(
        "release_stage", .plain, default: "production", "The stage whose releases and errors are read.")
    static let errors = Setting("errors", .flag, default: true, "Whether to ask for open errors too.")
    static let url = Setting(
        "url", .url, default: "https://api.bugsnag.com",
        "The API: https://api.bugsnag.smartbear.com for organizations there, or your own host.")

    /// Each is some five requests, and a token has about sixty a minute.
    static let projectsMax = 8

    let server: BugsnagServer
    let organization: String?
    let projects: [String]
    let releaseStage: String
    let wantsErrors: Bool

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        let token = try options[Self.token]
        organization = options[Self.organization]
        projects = options[Self.projects]
        releaseStage = options[Self.releaseStage]
        wantsErrors = options[Self.errors]
        server = BugsnagServer(address: options[Self.url], token: token, allowsPlainHTTP: options[.insecure])
        var problems = options.flaws(inAddress: Self.url, host: server.host, example: "https://api.bugsnag.com")
        problems += try options.emptyTexts([Self.token])
        if releaseStage.trimmed.isEmpty {
            problems.append(Problem(options.position(of: Self.releaseStage), "'release_stage' is empty"))
        }
        problems += options.flaws(inNames: Self.projects, most: Self.projectsMax)
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    public var host: String? { server.host }
    public var account: String? { server.account }

    public var metrics: Set<Metric>? {
        [.users, .crashedUsers, .crashFreeUsers, .sessions, .crashedSessions, .crashFreeSessions]
    }

    public var givesIssues: Bool? { wantsErrors }
    public var givesLabels: Bool { false }

    /// The project's page, where the config names the organization as addresses do; an id is no part of them.
    public var dashboard: String? {
        guard let pages = server.pages, let organization, organization.isSlug else { return nil }
        return "\(pages)/\(organization.percentEncoded)/{app}"
    }

    public func poll(_ poll: Poll) -> PollStep { BugsnagPoll(of: self, poll).begin() }

    /// Where no organization is named, the token decides whose projects are meant.
    public var recallKey: String { organization == nil ? "\(owner) \(server.account ?? "")" : owner }

    public func recall(_ recall: Recall) -> RecallStep { BugsnagRecall(of: self, recall).begin() }

    /// Whose projects a cursor remembers.
    var owner: String { "\(server.address) \(organization ?? "") \(projects) \(releaseStage)" }

    public func limits(in cursor: JSON?) -> [ServiceLimit] {
        BugsnagCursor(cursor, of: owner).projects.compactMap(\.limit)
    }
}

extension String {
    /// Whether it can be an organization's slug: its id is 24 hexadecimal digits, and its name may be anything.
    fileprivate var isSlug: Bool {
        let isID = utf8.count == 24 && allSatisfy(\.isHexDigit)
        return !isEmpty && !isID
            && utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F }
    }
}
