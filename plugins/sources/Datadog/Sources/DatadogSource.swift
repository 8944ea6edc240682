// DatadogSource reads from Datadog's RUM how many sessions of a mobile app there were, and in how many of them it crashed.

public import PluginKit
internal import SourceKit

/// Polls one RUM application of Datadog.
public struct DatadogSource: HistoricalSource {
    public static let manifest = PluginManifest(
        name: "datadog",
        summary: "Crash-free sessions, per app and per version, from Datadog RUM.",
        example: """
            app: shop-android
            application: 3f1c0f6e-7a52-4a9e-9d0b-1c5c2a7b9d11
            api_key: ${env:DD_API_KEY}
            application_key: ${env:DD_APP_KEY}
            environments: [production]
            """,
        access: "In Datadog, under Organization Settings → API Keys, create an API key, and under Application Keys an "
            + "application key with the permission rum_apps_read.",
        options: [app, application, apiKey, applicationKey, url, environments, releases, Setting.insecure])

    static let app = RequiredSetting("app", .plain, "The name of the app in rules and messages.")
    static let application = RequiredSetting(
        "application", .plain, "The RUM application's id, as in the addresses of its pages.")
    static let apiKey = RequiredSetting("api_key", .text, "An API key of the organization.").secret.inHeader
    static let applicationKey = RequiredSetting(
        "application_key", .text, "An application key with the permission rum_apps_read."
    ).secret.inHeader
    static let url = Setting(
        "url", .url, default: "https://api.datadoghq.com",
        "The API of your site, such as https://api.datadoghq.eu or https://api.us3.datadoghq.com."
    ).asked
    static let environments = Setting(
        "environments", .list(.plain), default: [], unset: "all together",
        "The environments to watch, each by itself; at most \(environmentsMax).")
    static let releases = Setting(
        "releases", .flag, default: true, "Whether to count the sessions of each version, too.")

    /// Each is up to four requests for each span.
    static let environmentsMax = 5
    /// Most spans that are measured, the shortest: each is up to four requests for each environment.
    static let spansMax = 6

    let server: DatadogServer
    let app: String
    let environments: [String]
    let countsReleases: Bool

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        app = try options[Self.app]
        environments = options[Self.environments]
        countsReleases = options[Self.releases]
        let application = try options[Self.application]
        server = DatadogServer(
            address: options[Self.url], apiKey: try options[Self.apiKey],
            applicationKey: try options[Self.applicationKey], application: application,
            allowsPlainHTTP: options[.insecure])
        var problems = options.flaws(inAddress: Self.url, host: server.host, example: "https://api.datadoghq.eu")
        problems += try options.emptyTexts([Self.apiKey, Self.applicationKey])
        for (setting, text) in [(Self.app, app), (Self.application, application)] where text.trimmed.isEmpty {
            problems.append(Problem(options.position(of: setting), "'\(setting.name)' is empty"))
        }
        if !application.isQueryWord {
            problems.append(
                Problem(
                    options.position(of: Self.application),
                    "'application' is '\(application.quotable)', which does not look like an application id",
                    advice: "take it from the address of the application's page"))
        }
        problems += options.flaws(inNames: Self.environments, most: Self.environmentsMax)
        for (name, position) in zip(environments, options.positions(in: Self.environments)) where !name.isQueryWord {
            problems.append(
                Problem(
                    position, "'\(name.quotable)' cannot be an environment: it has quotes or a backslash"))
        }
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    public var host: String? { server.host }
    public var account: String? { server.account }
    public var metrics: Set<Metric>? { [.sessions, .crashedSessions, .crashFreeSessions] }
    public var givesIssues: Bool? { false }
    public var givesLabels: Bool { false }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "app": [app]
        case "environment": environments.isEmpty ? [""] : Set(environments)
        case "release": countsReleases ? nil : [""]
        default: nil
        }
    }

    /// Datadog says 403 of a key that it does not know, and 401 hardly ever.
    public var credentialRefusals: Set<PollFailure.Reason> { [.unauthorized, .forbidden] }

    public func poll(_ poll: Poll) -> PollStep { DatadogPoll(of: self, poll).begin() }

    public var recallKey: String { "\(server.place) \(app) \(environments) \(countsReleases)" }

    public func recall(_ recall: Recall) -> RecallStep { DatadogRecall(of: self, recall).begin() }

    /// Each environment that is asked about by itself; nil is all of them together.
    var watchedEnvironments: [String?] { environments.isEmpty ? [nil] : environments }

    /// What is said where rules ask for more spans than are measured.
    static func warnings(about spans: [Duration]) -> [String] {
        spans.count <= spansMax
            ? [] : ["rules ask for \(spans.count) different spans; only the \(spansMax) shortest are measured"]
    }

    /// What is to be asked about one span, in that order.
    func questions(about span: TimeSpan, interval: Duration? = nil, environment: String?) -> [DatadogQuestion] {
        (countsReleases ? [false, true] : [false]).flatMap { isByVersion in
            [DatadogQuestion.Count.sessions, .crashed].map { count in
                DatadogQuestion(
                    count: count, span: span, environment: environment, isByVersion: isByVersion, interval: interval)
            }
        }
    }
}

extension String {
    /// Whether it can stand between quotes in a query.
    fileprivate var isQueryWord: Bool { !contains { "\"\\".contains($0) || $0.isNewline } }
}
