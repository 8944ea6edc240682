// HTTPJSONSource reads stability figures from any HTTP address that answers with JSON: a dashboard of one's own, a
// vendor without a plugin, a query saved somewhere. The config says where in the answer the figures are (JSONPath) and
// what they mean. It reads one answer a poll; it does not follow pages, run scripts or keep what it saw.

public import PluginKit

/// Figures from any address that answers with JSON.
public struct HTTPJSONSource: Source {
    public static let manifest = PluginManifest(
        name: "http_json",
        summary: "Reads figures from any HTTP address that answers with JSON, by JSONPath.",
        example: """
            url: https://stats.example.com/stability.json
            each: $.apps[*]
            map: {app: $.name, users: $.users.total, crashed_users: $.users.crashed}
            """,
        options: [
            url, method, body, headers, each, map, issues, app, span, measured, maxAge, strict, Setting.insecure,
        ])

    static let url = RequiredSetting("url", .url, "The address to poll.")
    static let method = Setting("method", .choice([HTTPRequest.Method.get, .post]), default: .get, "The HTTP method.")
    static let body = Setting(
        "body", .text, "What to send with POST; JSON unless a Content-Type header says otherwise.")
    static let headers = Setting("headers", .map(.text), default: [], "Headers to send.").secret
    static let each = Setting("each", .plain, default: "$", "JSONPath of the rows, such as $.apps[*].")
    static let map = RequiredSetting(
        "map", .map(.plain), "Paths from a row to app, release, environment, from, to and any metric.")
    static let issues = Setting(
        "issues", .map(.plain), "Paths to a row's issues: each, id, title, events, users and so on.")
    static let app = Setting("app", .plain, "The app of rows that name none.")
    static let span = Setting(
        "span", .duration(.seconds(1) ... .days(366)), unset: "every",
        "What one row covers when it does not say from and to.")
    static let measured = Setting(
        "measured", .plain, "JSONPath from the answer's root to the instant at which it was measured.")
    static let maxAge = Setting(
        "max_age", .duration(.seconds(1) ... .days(366)), "Figures measured longer ago than this are stale.")
    static let strict = Setting(
        "strict", .flag, default: false, "One row that makes no sense fails the poll; else it is named and left out.")

    public let host: String?
    public let metrics: Set<Metric>?

    private let request: HTTPRequest
    private let layout: AnswerLayout
    /// Of the options: a cursor left by others says nothing about these.
    private let optionsHash: String

    public init(options: Options, context: SourceContext) throws(ProblemList) {
        var problems: [Problem] = []
        var parts: (request: HTTPRequest?, layout: AnswerLayout?) = (nil, nil)
        do { parts.request = try HTTPJSONSource.request(options) } catch { problems += error.problems }
        do { parts.layout = try AnswerLayout(options, every: context.every) } catch { problems += error.problems }
        guard let request = parts.request, let layout = parts.layout else { throw ProblemList(problems) }
        self.request = request
        self.layout = layout
        host = WebAddress(request.url.reveal())?.host
        metrics = Set(layout.metrics.map { Metric($0.name) })
        var hash = StableHash()
        hash.add("\(layout.span.wholeMilliseconds)")
        for spec in HTTPJSONSource.manifest.options { hash.add(options[named: spec.name]?.written ?? "") }
        optionsHash = hash.text
    }

    public var givesIssues: Bool? { layout.issues != nil }

    public func configured(_ property: String) -> Set<String>? {
        switch property {
        case "app": layout.app == nil ? layout.fixedApp.map { [$0] } : nil
        case "release": layout.release == nil ? [""] : nil
        case "environment": layout.environment == nil ? [""] : nil
        default: nil
        }
    }

    public func poll(_ poll: Poll) -> PollStep {
        let last = Cursor(poll.cursor, options: optionsHash)
        var request = request
        // After an answer that could not be used, "not modified" would be no news at all.
        request.isConditional = request.method == .get && last != nil
        request.keepsValidators = request.method == .get
        return .fetch(request) { result in .finish(report(on: result, after: last, for: poll)) }
    }

    private func report(on result: FetchResult, after last: Cursor?, for poll: Poll) -> PollReport {
        let response: HTTPResponse
        switch result {
        case .failed(let error): return PollReport(.failed(PollFailure(error)))
        case .answered(let answer): response = answer
        }
        if let failure = PollFailure(response, detail: response.problemDetail, now: poll.now) {
            return PollReport(.failed(failure))
        }
        if response.status == 304 {
            guard let last else {
                return PollReport(
                    .failed(PollFailure(.badAnswer, "the source answered 304 (not modified) to a first request")))
            }
            return unchanged(last, poll)
        }
        do {
            let answer = try response.json()
            var hash = StableHash()
            hash.add(String(decoding: response.body, as: UTF8.self))
            if let last, last.answer == hash.text { return unchanged(last, poll) }
            switch try layout.read(answer, for: poll) {
            case .observed(let observations, let measured, let warnings):
                let cursor = Cursor(options: optionsHash, answer: hash.text, measured: measured)
                return PollReport(.values(observations), cursor: cursor.json, warnings: warnings)
            case .nothing: return PollReport(.noData, cursor: Cursor.none)
            case .stale(let measured): return PollReport(.stale(measured: measured), cursor: Cursor.none)
            }
        } catch {
            return PollReport(.failed(error), cursor: Cursor.none)
        }
    }

    /// The same answer as before is stale one day, if nobody measures any more.
    private func unchanged(_ last: Cursor, _ poll: Poll) -> PollReport {
        if let maxAge = layout.maxAge, last.measured < poll.now - maxAge {
            return PollReport(.stale(measured: last.measured))
        }
        return PollReport(.unchanged)
    }
}

/// What the last answer with figures leaves to remember.
private struct Cursor {
    let options: String
    let answer: String
    let measured: Moment

    /// Written when the last answer gave no figures.
    static let none: JSON = [:]

    init(options: String, answer: String, measured: Moment) {
        self.options = options
        self.answer = answer
        self.measured = measured
    }

    /// Nil when there is none, or one of other options.
    init?(_ json: JSON?, options: String) {
        guard json?["options"]?.string == options, let answer = json?["answer"]?.string,
            let measured = json?["measured"]?.string.flatMap({ Moment(rfc3339: $0) })
        else { return nil }
        self.init(options: options, answer: answer, measured: measured)
    }

    var json: JSON {
        ["options": .string(options), "answer": .string(answer), "measured": JSON(measured)]
    }
}

extension Option {
    /// The value as text that differs where values differ, secrets masked.
    fileprivate var written: String {
        switch value {
        case .text(let text): text.description
        case .duration(let duration): duration.grammar
        case .map(let entries): entries.map { "\($0.name): \($0.option.written)" }.joined(separator: "\n")
        default: "\(value)"
        }
    }
}

extension HTTPResponse {
    /// What a `problem+json` body (RFC 9457) says of itself.
    fileprivate var problemDetail: String? {
        guard header("Content-Type")?.lowercased().contains("problem+json") == true,
            let problem = try? JSON(parsing: body)
        else { return nil }
        let said = ["title", "detail"].compactMap { problem[$0]?.string }.filter { !$0.isEmpty }
        return said.isEmpty ? nil : said.joined(separator: ": ")
    }
}
