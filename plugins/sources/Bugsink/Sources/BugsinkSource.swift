// BugsinkSource reads issues from Bugsink: those of each project that happened last, with those that are resolved among
// them, so that one that is back is known to be.

public import PluginKit
internal import SentryKit
public import SourceKit

/// Polls a server of Bugsink.
public struct BugsinkSource: IssueTracker {
    public static let manifest = PluginManifest(
        name: "bugsink",
        summary: "Issues from Bugsink: new ones and those that are back.",
        example: """
            url: https://bugsink.example.com
            token: ${env:BUGSINK_TOKEN}
            projects: [shop-android]
            """,
        access: "An administrator of the server makes a token under Tokens; one with capabilities needs issues:read "
            + "and projects:read.",
        options: [url, token, projects, Setting.insecure])

    static let url = RequiredSetting("url", .url, "The server, such as https://bugsink.example.com.")
    static let token = RequiredSetting("token", .text, "An API token, from Bugsink's page of tokens.").secret.inHeader
    static let projects = Setting(
        "projects", .list(.plain), default: [], unset: "all on the server",
        "Slugs or ids of the projects to watch; at most \(projectsMax).")

    /// Each is a request or two.
    static let projectsMax = 20

    let server: BugsinkServer
    let projects: [String]

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        projects = options[Self.projects]
        server = BugsinkServer(
            address: try options[Self.url], token: try options[Self.token], allowsPlainHTTP: options[.insecure])
        var problems = options.flaws(inAddress: Self.url, host: server.host, example: "https://bugsink.example.com")
        problems += try options.emptyTexts([Self.token])
        problems += options.flaws(inNames: Self.projects, most: Self.projectsMax)
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    public var host: String? { server.host }
    public var account: String? { server.account }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "environment", "release": [""]
        case "app": projects.isEmpty || projects.contains(where: \.isProjectID) ? nil : Set(projects)
        default: nil
        }
    }

    /// The issues of the only project where the config names its id, by which alone pages go; or else the first page.
    public var dashboard: String? {
        server.address.linkable.map { address in
            if projects.count == 1, projects[0].isProjectID { return "\(address)/issues/\(projects[0])/" }
            return "\(address)/"
        }
    }

    public func poll(_ poll: Poll) -> PollStep { BugsinkPoll(of: self, poll).begin() }
}
