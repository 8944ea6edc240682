internal import PluginKit
internal import SourceKit

/// What a question counts: the distinct sessions in which something happened.
struct DatadogQuestion: Hashable, Sendable {
    enum Count: String, Hashable, Sendable {
        case sessions
        case crashed = "crashed sessions"
    }

    var count: Count
    let span: TimeSpan
    let environment: String?
    let isByVersion: Bool
    /// How long each part of the span is that is counted by itself; nil where all of it is counted at once.
    var interval: Duration?

    /// The parts that are counted by themselves, or the whole.
    var spans: [TimeSpan] {
        guard let interval, interval > .zero else { return [span] }
        return stride(from: span.from.milliseconds, to: span.to.milliseconds, by: Int(interval.wholeMilliseconds)).map {
            TimeSpan(lasting: interval, until: Moment(milliseconds: $0) + interval)
        }
    }

    /// The same of a part of the span, or of the whole.
    func part(_ span: TimeSpan) -> DatadogQuestion {
        DatadogQuestion(count: count, span: span, environment: environment, isByVersion: isByVersion)
    }

    /// The same of another count.
    func counting(_ count: Count) -> DatadogQuestion {
        var question = self
        question.count = count
        return question
    }

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
    var host: String? { address.serverHost }

    /// Which application, for what is kept of its past.
    var place: String { "\(address) \(application)" }

    /// Whose budget requests are counted on: limits are an organization's, and an API key belongs to one.
    var account: String? { Account.name(at: host, [apiKey]) }

    func request(_ question: DatadogQuestion) -> HTTPRequest {
        // Sessions that crashed are some of those that anything was heard of, so the share is never beyond one.
        var words = ["@session.type:user", "@application.id:\"\(application)\""]
        if question.count == .crashed { words = ["@type:error", "@error.is_crash:true"] + words }
        if let environment = question.environment { words.append("env:\"\(environment)\"") }
        var compute: JSONObject = JSONObject([("aggregation", "cardinality"), ("metric", "@session.id")])
        if let interval = question.interval {
            compute.append("interval", .string(interval.inDatadogsWords))
        }
        compute.append("type", question.interval == nil ? "total" : "timeseries")
        var body: JSONObject = JSONObject([
            ("compute", [.object(compute)]),
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

/// What was counted in one span.
struct DatadogCount: Sendable {
    /// By version; under the empty name where they were not told apart.
    var values: [String: Double] = [:]
    /// The versions that were told apart where there may be more; nil where these are all.
    var told: Set<String>?
}

/// An answer: what was counted, and what its headers say about going on.
struct DatadogAnswer: Sendable {
    /// For each span of the question; nothing where not everything may be counted.
    let counts: [TimeSpan: DatadogCount]
    /// Set when no request is left of the limit.
    let spentUntil: Moment?
    /// Why not everything may be counted; nil where everything is.
    let partiality: PollFailure?

    /// Whether nothing was counted in any span.
    var isEmpty: Bool { counts.values.allSatisfy { $0.values.values.allSatisfy { $0 == 0 } } }

    /// What is to be said where there may be more versions.
    var warning: String? {
        counts.values.contains { $0.told != nil } ? "only \(DatadogServer.versionsMax) versions are told apart" : nil
    }

    init(_ result: FetchResult, to question: DatadogQuestion, now: Moment) throws(PollFailure) {
        do throws(PollFailure) {
            let response = try result.response()
            let budget = RequestBudget(
                response, remaining: "X-RateLimit-Remaining", seconds: "X-RateLimit-Reset", now: now)
            if let failure = PollFailure(response, detail: DatadogAnswer.words(of: response), now: now) {
                guard failure.reason != .rateLimited else { throw budget.refusal(failure) }
                throw failure.advised(by: DatadogAnswer.advice(about: failure.reason))
            }
            let body = try response.json()
            spentUntil = budget.spentUntil
            partiality = DatadogAnswer.partiality(body.value)?.about(question.subject)
            guard partiality == nil else {
                counts = [:]
                return
            }
            do throws(JSONMismatch) {
                if let status = try body.optional("meta")?.optional("status"), try status.string() != "done" {
                    throw status.mismatch(expected: "done, for a query that has counted everything")
                }
                counts = try DatadogAnswer.counts(in: body.member("data").member("buckets"), question)
            } catch {
                throw PollFailure(error)
            }
        } catch {
            throw error.about(question.subject)
        }
    }

    private static func counts(
        in answer: JSONReader, _ question: DatadogQuestion
    ) throws(JSONMismatch) -> [TimeSpan: DatadogCount] {
        let buckets = try answer.elements()
        // Where nothing is said of a span, there was nothing.
        var told: Set<String>?
        if question.isByVersion, buckets.count >= DatadogServer.versionsMax {
            told = Set(
                try buckets.map { bucket throws(JSONMismatch) in try bucket.member("by").member("version").string() })
        }
        var counts = Dictionary(
            question.spans.map { ($0, DatadogCount(told: told)) }, uniquingKeysWith: { first, _ in first })
        for bucket in buckets {
            let name = question.isByVersion ? try bucket.member("by").member("version").string() : ""
            // Sessions without a version are part of the whole alone.
            if question.isByVersion, name.isEmpty { continue }
            let count = try bucket.member("computes").member("c0")
            guard let interval = question.interval else {
                counts[question.span]?.values[name, default: 0] += try count.count()
                continue
            }
            for point in try count.elements() {
                let time = try point.member("time")
                let span = TimeSpan(lasting: interval, until: try time.moment() + interval)
                guard counts[span] != nil else {
                    throw time.mismatch(expected: "the beginning of one of the \(question.spans.count) spans asked for")
                }
                counts[span]?.values[name, default: 0] += try point.member("value").count()
            }
        }
        return counts
    }

    /// Why not everything may be counted; nil where Datadog warns of nothing.
    ///
    /// Where there are warnings "partial results may return", as the description of Datadog's API says of `RUMResponseMetadata`.
    private static func partiality(_ body: JSON) -> PollFailure? {
        // A query that takes too long ends with what was counted by then.
        if body["meta"]?["status"] == "timeout" {
            return PollFailure(.timeout, "the query took Datadog too long, so not all of it is counted")
        }
        let warnings = (body["meta"]?["warnings"]?.array ?? []).map { warning in
            let words = [warning["title"], warning["detail"]].compactMap { $0?.string }.joined(separator: ": ")
            return words.isEmpty ? warning["code"]?.string ?? "no words" : words
        }
        guard !warnings.isEmpty else { return nil }
        let said = warnings.joined(separator: "; ").tamed.clipped(to: 200)
        return PollFailure(.badAnswer, "Datadog warns that not everything may be counted: \(said)")
            .advised(by: "correct what it warns of, or use a shorter 'window'")
    }

    private static func words(of response: HTTPResponse) -> String? {
        let errors = (try? JSON(parsing: response.body))?["errors"]?.array ?? []
        let words = errors.compactMap { $0.string ?? $0["detail"]?.string ?? $0["title"]?.string }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    private static func advice(about reason: PollFailure.Reason) -> String? {
        switch reason {
        case .unauthorized, .forbidden:
            "check 'api_key' and 'application_key', which needs rum_apps_read, and that 'url' is your site's"
        case .notFound: "check 'url'"
        default: nil
        }
    }
}

extension Duration {
    /// As Datadog writes how long a part of a series is, such as `5m` and `1h`.
    fileprivate var inDatadogsWords: String {
        let seconds = wholeMilliseconds / 1000
        return seconds % 3600 == 0 ? "\(seconds / 3600)h" : seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
    }
}
