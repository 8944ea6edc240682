import Glibc
import PluginKit
import PluginTesting
import PrometheusSource

/// The moment of the fixtures.
let now = Moment(rfc3339: "2026-11-21T00:00:00Z") ?? .earliest
let place = Position(line: 3, column: 5)

func fixture(_ name: String) -> [UInt8] {
    let path = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/TestData/Fixtures/" + name
    guard let file = fopen(path, "r") else { preconditionFailure("no fixture \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
    return bytes
}

func answer(_ body: String, status: Int = 200, headers: [(name: String, value: String)] = []) -> FetchResult {
    .answered(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
}

func answer(fixture name: String, status: Int = 200) -> FetchResult {
    .answered(HTTPResponse(status: status, body: fixture(name)))
}

/// An instant vector: labels written as JSON, and values.
func vector(_ series: (labels: String, value: String)...) -> FetchResult {
    let result = series.map { #"{"metric": \#($0.labels), "value": [1795219200, "\#($0.value)"]}"# }
    return answer(
        #"{"status": "success", "data": {"resultType": "vector", "result": [\#(result.joined(separator: ", "))]}}"#)
}

func option(_ value: Option.Value) -> Option { Option(value, at: place) }
func text(_ text: String) -> Option { option(.text(GuardedText(text))) }
func secret(_ text: String) -> Option { option(.text(GuardedText(Secret(text)))) }
func map(_ entries: KeyValuePairs<String, String>) -> Option {
    option(.map(entries.map { ($0.key, text($0.value)) }))
}

let sessions = "sum by (app) (increase(sessions_total[30m]))"
let crashed = "sum by (app) (increase(crashed_sessions_total[30m]))"

/// The source as a config with these options makes it; address and metrics are there unless they are replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> PrometheusSource {
    let basic = [
        "url": text("http://localhost:9090"), "metrics": map(["sessions": sessions, "crashed_sessions": crashed]),
    ]
    return try PrometheusSource(
        options: Options(name: "checkout", position: place, values: basic.merging(values) { $1 }),
        context: SourceContext(name: "checkout", folder: "/", every: .minutes(5)))
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
    var observations: [Observation] {
        if case .values(let observations) = report?.outcome { observations } else { [] }
    }

    var failure: PollFailure? {
        if case .failed(let failure) = report?.outcome { failure } else { nil }
    }

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
