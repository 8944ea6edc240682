// RollbarSource reads active items from Rollbar: which errors are new, and which were resolved and are back. Rollbar counts
// no sessions, and an item's counts are of its whole life.

public import PluginKit
public import SourceKit

/// Polls one project of Rollbar.
public struct RollbarSource: IssueTracker {
    public static let manifest = PluginManifest(
        name: "rollbar",
        summary: "Items from Rollbar: new ones and those that are back.",
        example: """
            app: shop-android
            token: ${env:ROLLBAR_TOKEN}
            environments: [production]
            """,
        access: "In the project, under Settings → Project Access Tokens, create a token with the scope read "
            + "alone.",
        options: [app, token, environments, url, Setting.insecure])

    static let app = RequiredSetting(
        "app", .plain, "The name of the app in rules and messages: a token sees only one project.")
    static let token = RequiredSetting("token", .text, "An access token of the project with the scope read.").secret
        .inHeader
    static let environments = Setting(
        "environments", .list(.plain), default: [], unset: "each that items name",
        "The environments to watch; at most \(environmentsMax).")
    static let url = Setting("url", .url, default: "https://api.rollbar.com", "The API's address.")

    /// Each is up to three requests.
    static let environmentsMax = 5

    let server: RollbarServer
    let app: String
    let environments: [String]

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        app = try options[Self.app]
        environments = options[Self.environments]
        server = RollbarServer(
            address: options[Self.url], token: try options[Self.token], allowsPlainHTTP: options[.insecure])
        var problems = options.flaws(inAddress: Self.url, host: server.host, example: "https://api.rollbar.com")
        problems += try options.emptyTexts([Self.token])
        if app.trimmed.isEmpty { problems.append(Problem(options.position(of: Self.app), "'app' is empty")) }
        problems += options.flaws(inNames: Self.environments, most: Self.environmentsMax)
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    public var host: String? { server.host }
    public var account: String? { server.account }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "app": [app]
        case "release": [""]
        case "environment" where !environments.isEmpty: Set(environments)
        default: nil
        }
    }

    public func poll(_ poll: Poll) -> PollStep { RollbarPoll(of: self, poll).begin() }
}
