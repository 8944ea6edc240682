import CrashlyticsSource
import PluginKit
import PluginTesting

/// Half a minute after the midnight at which the fixtures' day ends.
let now = Moment(rfc3339: "2026-11-21T00:00:30Z") ?? .earliest

let wallet = "1:123456789012:android:abcdef0123456789"

/// The source as a config with these options makes it; `key` and `apps` are there unless they are replaced.
func source(
    _ values: [String: Option?] = [:], timeout: Duration = .seconds(20)
) throws(ProblemList) -> CrashlyticsSource {
    let basic: [String: Option?] = [
        "key": option(.text(GuardedText(Secret(SampleServiceAccount.keyFile)))), "apps": map(["wallet": wallet]),
    ]
    return try CrashlyticsSource(
        options: Options(
            name: "mobile", position: place, values: basic.merging(values) { $1 }.compactMapValues { $0 }),
        context: SourceContext(name: "mobile", folder: "/", every: .minutes(5), timeout: timeout))
}

/// The same with tables in BigQuery, and no issues.
func exported(
    _ values: [String: Option?] = [:], timeout: Duration = .seconds(20)
) throws(ProblemList) -> CrashlyticsSource {
    let tables: [String: Option?] = [
        "apps": nil, "tables": map(["wallet": "com_acme_wallet_ANDROID_REALTIME"]),
        "location": option(.text("EU")),
    ]
    return try source(tables.merging(values) { $1 }, timeout: timeout)
}

func poll(_ spans: Duration..., cursor: JSON? = nil, at moment: Moment = now) -> Poll {
    Poll(source: "mobile", now: moment, cursor: cursor, spans: spans)
}

/// Both services, which answer each kind of question alike.
struct Firebase: Sendable {
    var token = answer(#"{"access_token": "ya29.c.EXAMPLE", "expires_in": 3599, "token_type": "Bearer"}"#)
    var versions = answer(fixture: "report_top_versions.json")
    /// All that there are.
    var issues = answer(
        String(decoding: fixture("report_top_issues.json"), as: UTF8.self).replacing("nextPageToken", with: "x"))
    var query = answer(fixture: "bigquery_query_response_complete.json")
    var results = answer(fixture: "bigquery_get_query_results.json")

    @Sendable func respond(to request: HTTPRequest) -> FetchResult {
        let url = request.url.description
        if url.hasSuffix("/token") { return token }
        if url.contains("/topVersions") { return versions }
        if url.contains("/topIssues") { return issues }
        return request.method == .post ? query : results
    }

    func play(_ source: CrashlyticsSource, _ poll: Poll) -> PlayedPoll { PlayedPoll(source, poll, answer: respond) }
}

func body(_ request: HTTPRequest) -> JSON {
    if case .json(let json) = request.body { json } else { .null }
}

extension PlayedPoll {
    /// The requests but for those that ask for tokens.
    var asked: [HTTPRequest] { requests.filter { !$0.url.description.hasSuffix("/token") } }

    func observation(_ release: String? = nil) -> Observation? {
        observations.last { $0.subject.release == release }
    }
}

extension SourceConformance {
    static let secrets =
        [SampleServiceAccount.keyFile, "ya29.c.EXAMPLE"]
        + SampleServiceAccount.privateKey.split(separator: "\n").dropFirst().dropLast().map(String.init)
}
