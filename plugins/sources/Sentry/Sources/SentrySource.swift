// SentrySource reads release health and issues from Sentry, or from a server that speaks its API.
//
// It asks for the sessions of a few rolling windows, each app as a whole and each release by itself, and for the
// unresolved issues of the shortest window. It never adds up users, never takes silence for health, and keeps nothing
// between polls but the names of the projects.

public import PluginKit

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
        options: [
            OptionSpec(
                "url",
                .url,
                default: "https://sentry.io",
                "The server: https://us.sentry.io, https://de.sentry.io or an own host."
            ),
            OptionSpec("organization", .text, required: true, "The organization's slug, as in its addresses."),
            OptionSpec("token", .text, required: true, "A token with the scopes org:read and event:read."),
            OptionSpec(
                "projects",
                .list(.text),
                default: "all that the token can see",
                "Slugs or ids of the projects to watch."
            ),
            OptionSpec(
                "environments",
                .list(.text),
                default: "all together",
                "The environments to watch, each by itself; at most \(environmentsMax)."
            ),
            OptionSpec("issues", .flag, default: "true", "Whether to ask for unresolved issues too."),
            .insecure,
        ]
    )

    /// Issues are asked for once per environment, and the service is not to be polled hard.
    static let environmentsMax = 5
    /// Each project is a piece of the address, and servers take about 8,000 bytes of it.
    static let projectsMax = 100

    let server: SentryServer
    /// Slugs, or ids where they are all digits; empty for all.
    let projects: [String]
    let environments: [String]
    let wantsIssues: Bool

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        let organization = try options.required("organization")
        let token = try options.required("token")
        projects = options.texts("projects").map(\.description)
        environments = options.texts("environments").map(\.description)
        wantsIssues = options.flag("issues") ?? true
        server = SentryServer(
            address: options.text("url") ?? "https://sentry.io",
            organization: organization,
            token: token,
            allowsPlainHTTP: options.flag("insecure") ?? false
        )

        var problems: [Problem] = []
        if server.host == nil {
            problems.append(
                Problem(options.position(of: "url"), "'url' is not an address of a server such as https://sentry.io")
            )
        }
        for (name, text) in [("organization", organization), ("token", token)] where text.reveal().trimmed.isEmpty {
            problems.append(Problem(options.position(of: name), "'\(name)' is empty"))
        }
        for (name, texts, most) in [
            ("projects", projects, SentrySource.projectsMax),
            ("environments", environments, SentrySource.environmentsMax),
        ] {
            if texts.count > most {
                problems.append(
                    Problem(options.position(of: name), "\(texts.count) \(name), but at most \(most) can be asked for")
                )
            }
            for option in options.list(name) where option.text?.reveal().trimmed.isEmpty ?? true {
                problems.append(Problem(option.position, "an empty name in '\(name)'"))
            }
        }
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    public var host: String? { server.host }

    public var metrics: Set<String>? {
        [
            MetricName.users, MetricName.crashedUsers, MetricName.crashFreeUsers, MetricName.sessions,
            MetricName.crashedSessions, MetricName.crashFreeSessions,
        ]
    }

    public var givesIssues: Bool? { wantsIssues }

    public func poll(_ poll: Poll) -> PollStep { SentryPoll(of: self, poll).begin() }

    public var recallKey: String { "\(server.address) \(server.organization) \(projects) \(environments)" }

    public func recall(_ recall: Recall) -> RecallStep { SentryRecall(of: self, recall).begin() }
}
