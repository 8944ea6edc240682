// SentrySource reads release health and issues from Sentry, or from a server that speaks its API.
//
// It asks for the sessions of a few rolling windows, each app as a whole and each release by itself, and for the
// unresolved issues of the shortest window. It never adds up users, never takes silence for health, and keeps nothing
// between polls but the names of the projects.

public import PluginKit
internal import SentryKit
internal import SourceKit

/// Polls one organization of Sentry.
public struct SentrySource: HistoricalSource {
    public static let manifest = PluginManifest(
        name: "sentry",
        summary: "Crash-free sessions and users, per app and per release, and unresolved issues from Sentry.",
        example: """
            organization: shop
            projects: [shop-ios]
            environments: [production]
            token: ${env:SENTRY_TOKEN}
            """,
        access: "In Sentry, under Settings → Developer Settings → Custom Integrations, create an internal "
            + "integration with the permissions Organization: Read and Issue & Event: Read, and copy its token.",
        options: [url, organization, token, projects, environments, groupBy, issues, Setting.insecure])

    static let url = Setting(
        "url", .url, default: "https://sentry.io",
        "The server: https://us.sentry.io, https://de.sentry.io or your own host.")
    static let organization = RequiredSetting(
        "organization", .text, "The organization's slug, as in its addresses.")
    static let token = RequiredSetting("token", .text, "A token with the scopes org:read and event:read.").secret
        .inHeader
    static let projects = Setting(
        "projects", .list(.plain), default: [], unset: "all that the token can see",
        "Slugs or ids of the projects to watch; at most \(projectsMax).")
    static let environments = Setting(
        "environments", .list(.plain), default: [], unset: "all together",
        "The environments to watch, each by itself; at most \(environmentsMax).")
    static let groupBy = Setting(
        "group_by", .list(.choice(of: Grouping.self), mayBeEmpty: true), default: [.release],
        "What to split sessions by, besides projects: release, environment. 'environments' adds the latter.")
    static let issues = Setting("issues", .flag, default: true, "Whether to ask for unresolved issues too.")

    /// What sessions can be told apart by.
    enum Grouping: String, Hashable, Sendable, CaseIterable {
        case release, environment
    }

    /// Issues are asked for once per environment, and the service is not to be polled hard.
    static let environmentsMax = 5
    /// Each project is a piece of the address, and servers take about 8,000 bytes of it.
    static let projectsMax = 100

    let server: SentryServer
    /// Slugs, or ids where they are all digits; empty for all.
    let projects: [String]
    let environments: [String]
    let wantsIssues: Bool
    /// What is asked of each window: the apps with all their releases, and then whether it is about releases.
    let passes: [Bool]
    /// Whether each environment's sessions are told apart.
    let tellsEnvironments: Bool

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        let organization = try options[Self.organization]
        let token = try options[Self.token]
        projects = options[Self.projects]
        environments = options[Self.environments]
        wantsIssues = options[Self.issues]
        let groups = options[Self.groupBy]
        passes = groups.contains(.release) ? [false, true] : [false]
        tellsEnvironments = groups.contains(.environment) || !environments.isEmpty
        server = SentryServer(
            address: options[Self.url], organization: organization, token: token, allowsPlainHTTP: options[.insecure],
            scopes: [.projects: "org:read", .sessions: "org:read", .issues: "event:read"])

        var problems = options.flaws(inAddress: Self.url, host: server.host, example: "https://sentry.io")
        problems += try options.emptyTexts([Self.organization, Self.token])
        problems += try options.flaws(inSlug: Self.organization)
        problems += options.flaws(inNames: Self.projects, most: Self.projectsMax)
        problems += options.flaws(inNames: Self.environments, most: Self.environmentsMax)
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    public var host: String? { server.host }
    public var account: String? { server.account }

    public var metrics: Set<Metric>? {
        let ofAll: Set<Metric> = [
            .users, .crashedUsers, .crashFreeUsers, .sessions, .crashedSessions, .crashFreeSessions,
        ]
        return tellsReleases ? ofAll.union([.adoption]) : ofAll
    }

    private var tellsReleases: Bool { passes.contains(true) }

    public var givesIssues: Bool? { wantsIssues }
    public var givesLabels: Bool { false }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "environment":
            guard environments.isEmpty else { return Set(environments) }
            return tellsEnvironments ? nil : [""]
        case "release": return tellsReleases ? nil : [""]
        case "app":
            // What is asked for by its id has a name that only the server knows.
            guard !projects.isEmpty, !projects.contains(where: \.isProjectID) else { return nil }
            return Set(projects)
        default: return nil
        }
    }

    /// The project's page, with crash-free sessions and users on top and its releases below.
    public var dashboard: String? {
        guard let address = server.address.linkable, !server.organization.hasSecret else { return nil }
        // The hosts of the regions are those of the API; sentry.io leads everybody to their organization.
        let isHosted = server.host.map { $0 == "sentry.io" || $0.hasSuffix(".sentry.io") } ?? false
        let place = environments.isEmpty ? "" : "?environment={environment}"
        return "\(isHosted ? "https://sentry.io" : address)/organizations/\(server.organization.percentEncoded)"
            + "/projects/{app}/\(place)"
    }

    public func poll(_ poll: Poll) -> PollStep { SentryPoll(of: self, poll).begin() }

    public var recallKey: String {
        "\(server.address) \(server.organization) \(projects) \(environments) \(passes.count) \(tellsEnvironments)"
    }

    public func recall(_ recall: Recall) -> RecallStep { SentryRecall(of: self, recall).begin() }
}
