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
        summary: "Any metrics by PromQL from Prometheus, Mimir, Thanos, VictoriaMetrics and their relatives.",
        example: """
            url: https://prometheus.example.com
            metrics:
              sessions: sum by (app) (increase(sessions_total[30m]))
              crashed_sessions: sum by (app) (increase(crashed_sessions_total[30m]))
            """,
        options: [
            OptionSpec("url", .url, required: true, "The server, with the path in front of /api/v1 if there is one."),
            OptionSpec(
                "metrics",
                .map(.text),
                required: true,
                "A PromQL query for each metric; $span in it is replaced by each span that rules ask for."
            ),
            OptionSpec("app_label", .text, default: "app", "The label that names the app."),
            OptionSpec("release_label", .text, default: "release", "The label that names the release."),
            OptionSpec("environment_label", .text, default: "environment", "The label that names the environment."),
            OptionSpec("app", .text, "The app's name where series carry no such label."),
            OptionSpec(
                "span",
                .duration(.seconds(1)...spanMax),
                default: "the range in brackets that the queries share, or else the step or 'every'",
                "The stretch of time that one figure covers."
            ),
            OptionSpec(
                "step",
                .duration(.seconds(1)...spanMax),
                "Read on from the last poll in steps of this length, one figure for each."
            ),
            OptionSpec("username", .text, "For basic authentication."),
            OptionSpec("password", .text, "For basic authentication."),
            OptionSpec("token", .text, "A bearer token."),
            OptionSpec("headers", .map(.text), "Further headers, such as X-Scope-OrgID."),
            .insecure,
        ]
    )

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
        let address = try options.required("url")
        naming = Naming(
            app: options.plain("app_label") ?? "app",
            release: options.plain("release_label") ?? "release",
            environment: options.plain("environment_label") ?? "environment",
            fixedApp: options.plain("app")
        )
        queries = options.map("metrics").map { PromQuery(metric: $0.name, text: $0.option.text ?? "") }
        let span = options.duration("span") ?? PromQuery.commonRange(of: queries)
        let hasPlaceholder = queries.contains(where: \.hasPlaceholder)
        pacing =
            if hasPlaceholder {
                .perSpan
            } else if let step = options.duration("step") {
                .steps(step, span: span ?? step)
            } else {
                .once(span ?? max(context.every, .seconds(1)))
            }
        server = PrometheusServer(
            address: address,
            headers: PrometheusSource.headers(options),
            allowsPlainHTTP: options.flag("insecure") ?? false
        )

        var problems = PrometheusSource.problems(withMetrics: options, queries)
        problems += PrometheusSource.problems(withCredentials: options)
        if server.host == nil {
            problems.append(
                Problem(
                    options.position(of: "url"),
                    "'url' is not an address of a server such as http://prometheus:9090"
                )
            )
        }
        for name in ["app", "app_label"] where options.plain(name)?.trimmed.isEmpty ?? false {
            problems.append(Problem(options.position(of: name), "'\(name)' is empty"))
        }
        if hasPlaceholder {
            for name in ["span", "step"] where options.has(name) {
                problems.append(
                    Problem(
                        options.position(of: name),
                        "'\(name)' says how long a span is, but the queries leave it open",
                        suggestion: "write the range into the queries instead of $span, or leave '\(name)' out"
                    )
                )
            }
        }
        if !problems.isEmpty { throw ProblemList(problems) }
    }

    private static func problems(withMetrics options: Options, _ queries: [PromQuery]) -> [Problem] {
        let position = options.position(of: "metrics")
        guard !queries.isEmpty else { return [Problem(position, "'metrics' needs at least one name with a query")] }
        var problems: [Problem] = []
        if queries.count > metricsMax {
            problems.append(
                Problem(position, "\(queries.count) metrics, but at most \(metricsMax) can be asked for in one poll")
            )
        }
        let openOnes = queries.count(where: \.hasPlaceholder)
        for (query, entry) in zip(queries, options.map("metrics")) {
            if query.metric.trimmed.isEmpty {
                problems.append(Problem(entry.option.position, "a metric without a name"))
            }
            if query.text.reveal().trimmed.isEmpty {
                problems.append(Problem(entry.option.position, "the query of '\(query.metric)' is empty"))
            } else if openOnes > 0, !query.hasPlaceholder {
                problems.append(
                    Problem(
                        entry.option.position,
                        "the query of '\(query.metric)' has no $span, but others have: their figures would not cover "
                            + "the same time",
                        suggestion: "use $span in every query, or in none"
                    )
                )
            }
        }
        return problems
    }

    private static func problems(withCredentials options: Options) -> [Problem] {
        var problems: [Problem] = []
        let names = options.map("headers").map { $0.name.lowercased() }
        let given = [
            options.has("username") || options.has("password") ? "'username' and 'password'" : nil,
            options.has("token") ? "'token'" : nil,
            names.contains("authorization") ? "a header 'Authorization'" : nil,
        ].compactMap { $0 }
        if given.count > 1 {
            problems.append(
                Problem(options.position(of: "token"), "\(given.joined(separator: " and ")) exclude each other")
            )
        }
        if options.has("username") != options.has("password") {
            problems.append(
                Problem(
                    options.position(of: options.has("username") ? "username" : "password"),
                    "'username' and 'password' belong together"
                )
            )
        }
        if options.text("username")?.reveal().contains(":") ?? false {
            problems.append(Problem(options.position(of: "username"), "a 'username' cannot contain ':'"))
        }
        for header in options.map("headers") {
            let isName = !header.name.isEmpty && header.name.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 58 }
            let isLine = header.option.text?.reveal().utf8.allSatisfy { $0 >= 32 && $0 != 127 } ?? false
            if !isName || !isLine {
                problems.append(Problem(header.option.position, "'\(header.name.tamed)' is no header on one line"))
            }
        }
        return problems
    }

    private static func headers(_ options: Options) -> [HTTPRequest.Header] {
        var headers: [HTTPRequest.Header] = [.init("Accept", "application/json")]
        for header in options.map("headers") {
            headers.append(.init(header.name, header.option.text ?? ""))
        }
        if let token = options.text("token") { headers.append(.init("Authorization", "Bearer \(token)")) }
        if let username = options.text("username"), let password = options.text("password") {
            let pair = Secret(Base64.encode(Array("\(username.reveal()):\(password.reveal())".utf8)))
            headers.append(.init("Authorization", "Basic \(pair)"))
        }
        return headers
    }

    public var host: String? { server.host }

    public var metrics: Set<String>? { Set(queries.map(\.metric)) }
    public var givesIssues: Bool? { false }

    public func poll(_ poll: Poll) -> PollStep { PrometheusPoll(of: self, poll).begin() }

    public var recallKey: String {
        let texts = queries.map { "\($0.metric): \($0.text)" } + server.headers.map { "\($0.name): \($0.value)" }
        return "\(server.address) \(texts.sorted()) \(naming) \(pacing)"
    }

    public func recall(_ recall: Recall) -> RecallStep { PrometheusRecall(of: self, recall).begin() }
}
