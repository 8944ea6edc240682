// GlitchTipSource reads issues from GlitchTip. Its API is Sentry's as far as it goes: the paths, the pages and the issues
// are, but there are no sessions, an issue's counts are of its whole life, and `start` means when it was first seen.

public import PluginKit
internal import SentryKit
public import SourceKit

/// Polls one organization of GlitchTip.
public struct GlitchTipSource: IssueTracker {
    public static let manifest = PluginManifest(
        name: "glitchtip",
        summary: "Issues from GlitchTip: new ones and those that are back.",
        example: """
            organization: shop
            projects: [shop-android]
            token: ${env:GLITCHTIP_TOKEN}
            """,
        access: "In GlitchTip, under Profile → Auth Tokens, create a token with event:read and project:read.",
        options: [url, organization, token, projects, environments, Setting.insecure])

    static let url = Setting("url", .url, default: "https://app.glitchtip.com", "The server.")
    static let organization = RequiredSetting(
        "organization", .text, "The organization's slug, as in its addresses.")
    static let token = RequiredSetting("token", .text, "A token with the scopes event:read and project:read.").secret
        .inHeader
    static let projects = Setting(
        "projects", .list(.plain), default: [], unset: "all that the token can see",
        "Slugs or ids of the projects to watch; at most \(projectsMax).")
    static let environments = Setting(
        "environments", .list(.plain), default: [], unset: "all together",
        "The environments to watch, each by itself; at most \(environmentsMax).")

    static let environmentsMax = 5
    static let projectsMax = 100

    let server: SentryServer
    let projects: [String]
    let environments: [String]

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        projects = options[Self.projects]
        environments = options[Self.environments]
        server = SentryServer(
            address: options[Self.url], organization: try options[Self.organization], token: try options[Self.token],
            allowsPlainHTTP: options[.insecure], scopes: [.projects: "project:read", .issues: "event:read"])
        var problems = options.flaws(inAddress: Self.url, host: server.host, example: "https://app.glitchtip.com")
        problems += try options.emptyTexts([Self.organization, Self.token])
        problems += try options.flaws(inSlug: Self.organization)
        problems += options.flaws(inNames: Self.projects, most: Self.projectsMax)
        problems += options.flaws(inNames: Self.environments, most: Self.environmentsMax)
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    public var host: String? { server.host }
    public var account: String? { server.account }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "environment": environments.isEmpty ? [""] : Set(environments)
        case "release": [""]
        case "app": projects.isEmpty || projects.contains(where: \.isProjectID) ? nil : Set(projects)
        default: nil
        }
    }

    /// The organization's issues: their page knows projects by their ids alone.
    public var dashboard: String? {
        guard let address = server.address.linkable, !server.organization.hasSecret else { return nil }
        let place = environments.isEmpty ? "" : "?environment={environment}"
        return "\(address)/\(server.organization.percentEncoded)/issues\(place)"
    }

    public func poll(_ poll: Poll) -> PollStep { GlitchTipPoll(of: self, poll).begin() }
}
