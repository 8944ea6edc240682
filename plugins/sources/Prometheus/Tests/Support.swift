import PluginKit
import PluginTesting
import PrometheusSource

/// The moment of the fixtures.
let now = Moment(rfc3339: "2026-11-21T00:00:00Z") ?? .earliest

/// An instant vector: labels written as JSON, and values.
func vector(_ series: (labels: String, value: String)...) -> FetchResult {
    let result = series.map { #"{"metric": \#($0.labels), "value": [1795219200, "\#($0.value)"]}"# }
    return answer(
        #"{"status": "success", "data": {"resultType": "vector", "result": [\#(result.joined(separator: ", "))]}}"#)
}

func text(_ text: String) -> Option { option(.text(GuardedText(text))) }
func secret(_ text: String) -> Option { option(.text(GuardedText(Secret(text)))) }

let sessions = "sum by (app) (increase(sessions_total[30m]))"
let crashed = "sum by (app) (increase(crashed_sessions_total[30m]))"

/// The source as a config with these options makes it; address and metrics are there unless they are replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> PrometheusSource {
    let basic = [
        "url": text("http://localhost:9090"), "metrics": map(["sessions": sessions, "crashed_sessions": crashed]),
    ]
    return try PrometheusSource(values, over: basic, named: "checkout", every: .minutes(5))
}

func poll(_ spans: Duration..., cursor: JSON? = nil, at moment: Moment = now) -> Poll {
    Poll(source: "checkout", now: moment, cursor: cursor, spans: spans.isEmpty ? [.hours(1)] : spans)
}

/// Plays a poll whose queries are told apart by their names; those not named get the first answer.
func play(_ source: PrometheusSource, _ poll: Poll, _ answers: KeyValuePairs<String, FetchResult>) -> PlayedPoll {
    PlayedPoll(source, poll) { request in
        let query = request.url.description
        return (answers.first { query.contains($0.key.percentEncoded) } ?? answers[0]).value
    }
}

func play(_ source: PrometheusSource, _ answers: KeyValuePairs<String, FetchResult>) -> PlayedPoll {
    play(source, poll(), answers)
}

extension PlayedPoll {
    var urls: [String] { requests.map(\.url.description) }
}

/// The problems that those options have.
func problems(_ values: [String: Option]) -> [Problem] {
    do {
        _ = try source(values)
        return []
    } catch {
        return error.problems
    }
}
