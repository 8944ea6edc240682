// PrometheusSource turns PromQL queries into observations: one query per metric, joined by the labels of their series.
//
// It speaks the HTTP API of Prometheus and of what answers like it. It does not know what a metric means: whoever
// writes the queries says so by their names, and gives rates as fractions. It never makes up a figure that a query left
// out.

public import PluginKit

/// Polls a server that answers PromQL.
public struct PrometheusSource: HistoricalSource {
    public static let manifest = PluginManifest(
        name: "prometheus",
        summary: "Any metrics, by PromQL, from Prometheus, Mimir, Thanos, VictoriaMetrics and compatible servers.",
        example: """
            url: https://prometheus.example.com
            metrics:
              sessions: sum by (app) (increase(sessions_total[30m]))
              crashed_sessions: sum by (app) (increase(crashed_sessions_total[30m]))
            """,
        access: "A server of your own may ask for none. In Grafana Cloud, make an access policy token with the scope "
            + "metrics:read; it is the password, and the instance's id is the username. Embrace's token is in the "
            + "organization's settings.",
        options: [
            url, metrics, appLabel, releaseLabel, environmentLabel, app, span, step, username, password, token, headers,
            parameters, Setting.insecure,
        ])

    static let url = RequiredSetting("url", .url, "The server, with the path in front of /api/v1 if there is one.")
    static let metrics = RequiredSetting(
        "metrics", .map(.text),
        "A PromQL query for each metric; $span in it is replaced by each span that rules ask for.")
    static let appLabel = Setting("app_label", .plain, default: "app", "The label that names the app.")
    static let releaseLabel = Setting(
        "release_label", .plain, default: "release", "The label that names the release.")
    static let environmentLabel = Setting(
        "environment_label", .plain, default: "environment", "The label that names the environment.")
    static let app = Setting("app", .plain, "The app's name where series carry no such label.")
    static let span = Setting(
        "span", .duration(.seconds(1)...spanMax),
        unset: "the range in brackets that the queries share, or else the step or 'every'",
        "The stretch of time that one figure covers.")
    static let step = Setting(
        "step", .duration(.seconds(1)...spanMax),
        "Continue from the last poll in steps of this length, one figure for each.")
    static let username = Setting("username", .text, "For basic authentication.")
    static let password = Setting("password", .text, "For basic authentication.").secret
    static let token = Setting("token", .text, "A bearer token.").secret.inHeader
    static let headers = Setting(
        "headers", .map(.text), default: [], "Further headers, such as X-Scope-OrgID."
    ).secret

    static let parameters = Setting(
        "parameters", .map(.text), default: [],
        "Sent with every query: partial_response: \"false\" for Thanos, nocache: \"1\" for VictoriaMetrics.")
    /// What a query and its time are called in a request.
    private static let ownParameters = ["query", "time", "start", "end", "step"]

    /// A year: nobody judges the stability of an app over more.
    private static let spanMax = Duration.days(366)
    /// Each metric is a request, or one for each span.
    static let metricsMax = 24

    let server: PrometheusServer
    let queries: [PromQuery]
    let naming: Naming
    let pacing: Pacing

    /// Which labels name a subject.
    struct Naming: Sendable {
        let app: String
        let release: String
        let environment: String
        /// The app of series that do not name one.
        let fixedApp: String?
    }

    /// What the queries of one poll cover.
    enum Pacing: Sendable {
        /// One figure up to now, over a span that the queries fix.
        case once(Duration)
        /// One figure up to now for each span that rules ask for: the queries have a placeholder.
        case perSpan
        /// A figure for each step since the last poll.
        case steps(Duration, span: Duration)
    }

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        let address = try options[Self.url]
        naming = Naming(
            app: options[Self.appLabel], release: options[Self.releaseLabel],
            environment: options[Self.environmentLabel], fixedApp: options[Self.app])
        let metrics = try options[Self.metrics]
        queries = metrics.map { PromQuery(metric: $0.name, text: $0.value) }
        let span = options[Self.span] ?? PromQuery.commonRange(of: queries)
        let hasPlaceholder = queries.contains(where: \.hasPlaceholder)
        pacing =
            if hasPlaceholder {
                .perSpan
            } else if let step = options[Self.step] {
                .steps(step, span: span ?? step)
            } else {
                .once(span ?? max(context.every, .seconds(1)))
            }
        server = PrometheusServer(
            address: address,
            headers: PrometheusSource.headers(options),
            parameters: options[Self.parameters].map { .init($0.name, $0.value) },
            credentialAdvice: PrometheusSource.credentialAdvice(options),
            allowsPlainHTTP: options[.insecure]
        )

        var problems = PrometheusSource.problems(
            with: queries, at: metrics.map(\.position), of: options.position(of: Self.metrics))
        problems += PrometheusSource.problems(withCredentials: options)
        problems += PrometheusSource.problems(
            in: options, hasHost: server.host != nil, hasPlaceholder: hasPlaceholder)
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    private static func problems(
        with queries: [PromQuery], at places: [Position], of position: Position
    ) -> [Problem] {
        guard !queries.isEmpty else { return [Problem(position, "'metrics' needs at least one name with a query")] }
        var problems: [Problem] = []
        if queries.count > metricsMax {
            problems.append(
                Problem(position, "\(queries.count) metrics, but at most \(metricsMax) can be asked for in one poll")
            )
        }
        let openOnes = queries.count(where: \.hasPlaceholder)
        for (query, place) in zip(queries, places) {
            if query.metric.trimmed.isEmpty {
                problems.append(Problem(place, "a metric without a name"))
            } else if let flaw = Problem.ofMetricName(query.metric, at: place) {
                problems.append(flaw)
            }
            if query.text.reveal().trimmed.isEmpty {
                problems.append(Problem(place, "the query of '\(query.metric)' is empty"))
            } else if openOnes > 0, !query.hasPlaceholder {
                problems.append(
                    Problem(
                        place,
                        "the query of '\(query.metric)' has no $span, but others do: their figures would not cover "
                            + "the same time",
                        advice: "use $span in every query, or in none"
                    )
                )
            }
        }
        return problems
    }

    private static func problems(withCredentials options: Options) -> [Problem] {
        var problems: [Problem] = []
        let names = options[headers].map { $0.name.lowercased() }
        let given = [
            options.has(username) || options.has(password) ? "a login ('username' and 'password')" : nil,
            options.has(token) ? "'token'" : nil,
            names.contains("authorization") ? "a header 'Authorization'" : nil,
        ].compactMap { $0 }
        if given.count > 1 {
            problems.append(
                Problem(options.position(of: token), "\(given.joined(separator: " and ")) cannot be combined")
            )
        }
        if options.has(username) != options.has(password) {
            problems.append(
                Problem(
                    options.position(of: options.has(username) ? username : password),
                    "'username' and 'password' belong together"
                )
            )
        }
        if options[username]?.reveal().contains(":") == true {
            problems.append(Problem(options.position(of: username), "a 'username' cannot contain ':'"))
        }
        return problems + options.flaws(inHeaders: headers)
    }

    /// What is wrong besides queries and credentials.
    private static func problems(in options: Options, hasHost: Bool, hasPlaceholder: Bool) -> [Problem] {
        var problems: [Problem] = []
        for parameter in options[parameters] {
            let name = parameter.name
            if ownParameters.contains(name) || !name.isParameterName {
                problems.append(
                    Problem(
                        parameter.position,
                        "'\(name.quotable)' cannot be one of the 'parameters'"
                            + (name.isParameterName ? ": the query and its time are sent by the bot" : "")))
            }
        }
        if !hasHost {
            problems.append(
                Problem(
                    options.position(of: url), "'url' is not an address of a server such as http://prometheus:9090"))
        }
        let names: [(any SettingDeclaration, String?)] = [(app, options[app]), (appLabel, options[appLabel])]
        for (setting, name) in names where name?.trimmed.isEmpty ?? false {
            problems.append(Problem(options.position(of: setting), "'\(setting.name)' is empty"))
        }
        guard hasPlaceholder else { return problems }
        for setting in [span, step] where options.has(setting) {
            problems.append(
                Problem(
                    options.position(of: setting),
                    "'\(setting.name)' says how long a span is, but the queries leave it open",
                    advice: "write the range into the queries instead of $span, or leave '\(setting.name)' out"))
        }
        return problems
    }

    private static func headers(_ options: Options) -> [HTTPRequest.Header] {
        var headers: [HTTPRequest.Header] = [.init("Accept", "application/json")]
        headers += options[Self.headers].map { .init($0.name, $0.value) }
        if let token = options[token] { headers.append(.init("Authorization", "Bearer \(token)")) }
        if let username = options[username], let password = options[password] {
            let pair = Secret(Base64.encode(Array("\(username.reveal()):\(password.reveal())".utf8)))
            headers.append(.init("Authorization", "Basic \(pair)"))
        }
        return headers
    }

    private static func credentialAdvice(_ options: Options) -> String {
        if options.has(username) { return "check 'username' and 'password'" }
        if options.has(token) { return "check 'token'" }
        if options[headers].contains(where: { $0.name.lowercased() == "authorization" || $0.value.hasSecret }) {
            return "check 'headers'"
        }
        return "the server wants a credential: set 'token', or 'username' and 'password'"
    }

    public var host: String? { server.host }
    public var account: String? { server.account }

    public var metrics: Set<Metric>? { Set(queries.map { Metric($0.metric) }) }
    public var onlySpan: Duration? {
        switch pacing {
        case .once(let span), .steps(_, let span): span
        case .perSpan: nil
        }
    }
    public var givesIssues: Bool? { false }

    /// The graph of the first metric over a day; an hour stands for a span that is left open.
    public var dashboard: String? { queries.first.flatMap { server.graph(of: $0.text(over: .hours(1))) } }

    public func poll(_ poll: Poll) -> PollStep { PrometheusPoll(of: self, poll).begin() }

    public var recallKey: String {
        let texts = queries.map { "\($0.metric): \($0.text)" } + server.headers.map { "\($0.name): \($0.value)" }
        let parameters = server.parameters.map { "\($0.name)=\($0.value)" }
        // A token may choose the tenant.
        let account = server.account.map { " \($0)" } ?? ""
        return "\(server.address) \(texts.sorted()) \(parameters.sorted()) \(naming) \(pacing)\(account)"
    }

    public func recall(_ recall: Recall) -> RecallStep { PrometheusRecall(of: self, recall).begin() }
}

extension String {
    /// Whether it can be the name of a parameter, such as `extra_filters[]`.
    fileprivate var isParameterName: Bool { !isEmpty && utf8.allSatisfy { $0 > 32 && $0 < 127 } }
}
