import GooglePlaySource
import PluginKit
import PluginTesting

/// A while after 21:00 UTC, up to which the fixtures' hourly figures go; the daily ones end at the midnight before.
let now = Moment(rfc3339: "2026-11-20T23:40:00Z") ?? .earliest

/// The source as a config with these options makes it; `key` and `apps` are there unless they are replaced.
func source(_ values: [String: Option?] = [:]) throws(ProblemList) -> GooglePlaySource {
    let basic: [String: Option?] = [
        "key": option(.text(GuardedText(Secret(SampleServiceAccount.keyFile)))), "apps": list("com.acme.wallet"),
    ]
    return try GooglePlaySource(
        options: Options(
            name: "play", position: place, values: basic.merging(values) { $1 }.compactMapValues { $0 }),
        context: SourceContext(name: "play", folder: "/", every: .minutes(15)))
}

func daily(_ values: [String: Option?] = [:]) throws(ProblemList) -> GooglePlaySource {
    try source(values.merging(["period": option(.text("daily"))]) { $1 })
}

func poll(_ spans: Duration..., cursor: JSON? = nil, at moment: Moment = now) -> Poll {
    Poll(source: "play", now: moment, cursor: cursor, spans: spans)
}

/// Play's API, which answers each kind of question alike.
struct Play: Sendable {
    var token = answer(#"{"access_token": "ya29.c.EXAMPLE", "expires_in": 3599, "token_type": "Bearer"}"#)
    var apps = answer(fixture: "apps_search.json")
    var freshness = answer(fixture: "crashrate_metric_set.json")
    var crashes = answer(fixture: "crashrate_query_response_hourly.json")
    var crashVersions = answer(fixture: "crashrate_query_response_empty.json")
    var hangs = answer(fixture: "crashrate_query_response_empty.json")
    var events = answer(fixture: "crashrate_query_response_empty.json")
    var eventVersions = answer(fixture: "errorcount_query_response.json")
    var issues = answer(fixture: "error_issues_search.json")
    var earlierIssues = answer("{}")
    var names = answer("{}")
    var anomalies = answer("{}")

    static let byDay = Play(
        crashes: answer(daily([("crashes", 18, 0.0055, 65_000)])),
        crashVersions: answer(String(decoding: fixture("crashrate_query_response_daily.json"), as: UTF8.self).lastPage),
        hangs: answer(fixture: "anrrate_query_response_daily.json"),
        eventVersions: answer("{}"))

    @Sendable func respond(to request: HTTPRequest) -> FetchResult {
        let url = request.url.description
        if url.hasSuffix("/token") { return token }
        if url.contains("/apps:search") { return apps }
        if url.contains("/errorIssues:search") { return url.contains("pageSize=1000&") ? earlierIssues : issues }
        if url.hasSuffix(":fetchReleaseFilterOptions") { return names }
        if url.contains("/anomalies?") { return anomalies }
        guard url.hasSuffix(":query") else { return freshness }
        let hasVersions = body(request)["dimensions"]?.array?.contains("versionCode") ?? false
        if url.contains("/crashRateMetricSet") { return hasVersions ? crashVersions : crashes }
        if url.contains("/anrRateMetricSet") { return hasVersions ? answer("{}") : hangs }
        return hasVersions ? eventVersions : events
    }

    func play(_ source: GooglePlaySource, _ poll: Poll) -> PlayedPoll { PlayedPoll(source, poll, answer: respond) }

    /// Rows of days of November 2026, the app as a whole.
    static func daily(_ days: [(table: String, day: Int, rate: Double, users: Int)]) -> String {
        let rows = days.map { day in
            """
            {"aggregationPeriod": "DAILY", "startTime": {"year": 2026, "month": 11, "day": \(day.day),
              "timeZone": {"id": "America/Los_Angeles"}},
             "metrics": [{"metric": "userPerceivedCrashRate", "decimalValue": {"value": "\(day.rate)"}},
              {"metric": "userPerceivedCrashRate7dUserWeighted", "decimalValue": {"value": "0.0101"}},
              {"metric": "userPerceivedCrashRate28dUserWeighted", "decimalValue": {"value": "0.0109"}},
              {"metric": "distinctUsers", "decimalValue": {"value": "\(day.users)"}}]}
            """
        }
        return "{\"rows\": [\(rows.joined(separator: ","))]}"
    }
}

func body(_ request: HTTPRequest) -> JSON {
    if case .json(let json) = request.body { json } else { .null }
}

extension String {
    /// The answer without a token for the next page.
    var lastPage: String { replacing(#""nextPageToken": "CAEQAQ""#, with: #""x": "y""#) }
}

extension PlayedPoll {
    /// The requests but for those that ask for tokens, without what they have in common.
    var paths: [String] {
        requests.map(\.url.description).compactMap { url in
            url.hasPrefix("https://playdeveloperreporting.googleapis.com/v1beta1/")
                ? String(url.dropFirst("https://playdeveloperreporting.googleapis.com/v1beta1/".count)) : nil
        }
    }

    func observation(_ release: String? = nil, from: String) -> Observation? {
        observations.first { $0.subject.release == release && $0.span.from == Moment(rfc3339: from) }
    }
}
