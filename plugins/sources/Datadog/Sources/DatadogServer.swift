internal import PluginKit
internal import SourceKit

/// What a question counts: the distinct sessions in which something happened.
struct DatadogQuestion: Hashable, Sendable {
    enum Count: String, Hashable, Sendable {
        case sessions
        case crashed = "crashed sessions"
    }

    let count: Count
    let span: TimeSpan
    let environment: String?
    let isByVersion: Bool

    /// What a failure is about.
    var subject: String { count.rawValue + (isByVersion ? " by version" : "") }
}

/// Where and as whom to ask.
struct DatadogServer: Sendable {
    private let address: GuardedText
    private let apiKey: GuardedText
    private let applicationKey: GuardedText
    private let application: String
    private let allowsPlainHTTP: Bool

    /// Versions that are told apart: those with the most sessions.
    static let versionsMax = 100

    init(
        address: GuardedText, apiKey: GuardedText, applicationKey: GuardedText, application: String,
        allowsPlainHTTP: Bool
    ) {
        self.address = address.droppingLast(anyOf: ["/", "/api", "/api/v2"])
        self.apiKey = apiKey
        self.applicationKey = applicationKey
        self.application = application
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// The host without port and without credentials; nil when the address has none or goes beyond a path.
    var host: String? {
        WebAddress(address.reveal()).flatMap { $0.hasQuery ? nil : $0.host }
    }

    /// Whose budget requests are counted on: limits are an organization's, and an API key belongs to one.
    var account: String? { Account.name(at: host, [apiKey]) }

    func request(_ question: DatadogQuestion) -> HTTPRequest {
        // Sessions that crashed are some of those that anything was heard of, so the share is never beyond one.
        var words = ["@session.type:user", "@application.id:\"\(application)\""]
        if question.count == .crashed { words = ["@type:error", "@error.is_crash:true"] + words }
        if let environment = question.environment { words.append("env:\"\(environment)\"") }
        var body: JSONObject = JSONObject([
            ("compute", [["aggregation": "cardinality", "metric": "@session.id", "type": "total"]]),
            (
                "filter",
                [
                    "from": .string("\(question.span.from.milliseconds)"),
                    "to": .string("\(question.span.to.milliseconds)"), "query": .string(words.joined(separator: " ")),
                ]
            ),
        ])
        if question.isByVersion {
            body.append("group_by", [["facet": "version", "limit": JSON(DatadogServer.versionsMax)]])
        }
        return HTTPRequest(
            .post, "\(address)/api/v2/rum/analytics/aggregate",
            headers: [
                .init("DD-API-KEY", apiKey), .init("DD-APPLICATION-KEY", applicationKey),
                .init("Accept", "application/json"),
            ], body: .json(.object(body)), allowsPlainHTTP: allowsPlainHTTP)
    }
}

/// A usable answer: what was counted, and what its headers say about going on.
struct DatadogAnswer: Sendable {
    /// By version; under the empty name where they were not told apart.
    let counts: [String: Double]
    /// Set when no request is left of the limit.
    let spentUntil: Moment?

    init(_ result: FetchResult, to question: DatadogQuestion, now: Moment) throws(PollFailure) {
        do throws(PollFailure) {
            let response: HTTPResponse
            switch result {
            case .failed(let error): throw PollFailure(error)
            case .answered(let answer): response = answer
            }
            let budget = RequestBudget(
                response, remaining: "X-RateLimit-Remaining", seconds: "X-RateLimit-Reset", now: now)
            if let failure = PollFailure(response, detail: DatadogAnswer.words(of: response), now: now) {
                guard failure.reason != .rateLimited else { throw budget.refusal(failure) }
                throw PollFailure(
                    failure.reason, failure.description + DatadogAnswer.advice(about: failure.reason),
                    retryAt: failure.retryAt)
            }
            let body = try response.json()
            do throws(JSONMismatch) {
                // A query that takes too long ends with what was counted by then.
                if let status = try body.optional("meta")?.optional("status"), try status.string() != "done" {
                    throw status.mismatch(expected: "done, for a query that has counted everything")
                }
                counts = try DatadogAnswer.counts(in: body.member("data").member("buckets"), question)
            } catch {
                throw PollFailure(error)
            }
            spentUntil = budget.spentUntil
        } catch {
            throw error.about(question.subject)
        }
    }

    private static func counts(
        in buckets: JSONReader, _ question: DatadogQuestion
    ) throws(JSONMismatch) -> [String: Double] {
        var counts: [String: Double] = [:]
        for bucket in try buckets.elements() {
            let name = question.isByVersion ? try bucket.member("by").member("version").string() : ""
            // Sessions without a version are part of the whole alone.
            if question.isByVersion, name.isEmpty { continue }
            counts[name, default: 0] += try bucket.member("computes").member("c0").count()
        }
        return counts
    }

    private static func words(of response: HTTPResponse) -> String? {
        let errors = (try? JSON(parsing: response.body))?["errors"]?.array ?? []
        let words = errors.compactMap { $0.string ?? $0["detail"]?.string ?? $0["title"]?.string }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    private static func advice(about reason: PollFailure.Reason) -> String {
        switch reason {
        case .unauthorized, .forbidden:
            " (check 'api_key' and 'application_key', which needs rum_apps_read, and that 'url' is your site's)"
        case .notFound: " (check 'url')"
        default: ""
        }
    }
}
