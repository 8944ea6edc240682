import DatadogSource
import PluginKit
import PluginTesting

let key = "dd-api-0123456789abcdef"
let applicationKey = "dd-app-0123456789abcdef"
let now = pollMoment

/// The source as a config with these options makes it; what is required is there unless it is replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> DatadogSource {
    let basic = [
        "app": option(.text("wallet")), "application": option(.text("abc")),
        "api_key": option(.text(GuardedText(Secret(key)))),
        "application_key": option(.text(GuardedText(Secret(applicationKey)))),
    ]
    return try DatadogSource(values, over: basic, every: .minutes(5))
}

func body(_ request: HTTPRequest) -> JSON {
    if case .json(let json) = request.body { json } else { .null }
}

/// What a request asks for, in short: `crashed by version`.
func question(_ request: HTTPRequest) -> String {
    let isCrashed = body(request)["filter"]?["query"]?.string?.contains("@error.is_crash:true") ?? false
    return (isCrashed ? "crashed" : "sessions") + (body(request)["group_by"] == nil ? "" : " by version")
}

/// Datadog's API, which answers each kind of question alike.
struct Datadog: Sendable {
    var sessions = answer(fixture: "sessions.json")
    var crashed = answer(fixture: "crashed.json")
    var sessionsByVersion = answer(fixture: "sessions_by_version.json")
    var crashedByVersion = answer(fixture: "crashed_by_version.json")

    @Sendable func respond(to request: HTTPRequest) -> FetchResult {
        switch question(request) {
        case "sessions": sessions
        case "crashed": crashed
        case "sessions by version": sessionsByVersion
        default: crashedByVersion
        }
    }

    func play(_ source: DatadogSource, _ poll: Poll) -> PlayedPoll { PlayedPoll(source, poll, answer: respond) }

    /// Counts as the API gives them; under the empty name where versions are not told apart.
    static func counts(_ counts: KeyValuePairs<String, Int>) -> FetchResult {
        let buckets = counts.map { version, count in
            #"{"by": {\#(version.isEmpty ? "" : "\"version\": \"\(version)\"")}, "computes": {"c0": \#(count)}}"#
        }
        return answer(#"{"data": {"buckets": [\#(buckets.joined(separator: ", "))]}, "meta": {"status": "done"}}"#)
    }
}
