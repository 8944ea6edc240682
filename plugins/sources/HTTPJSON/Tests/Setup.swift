import PluginKit
import PluginTesting
import Testing

@testable import HTTPJSONSource

let now = Moment(rfc3339: "2026-11-21T00:01:00Z") ?? .earliest

/// Options as the config reader would give them: texts, and maps of texts.
func options(
    _ texts: [String: String], maps: [String: KeyValuePairs<String, String>] = [:], strict: Bool? = nil,
    adding more: [String: Option] = [:]
) -> Options {
    var values = texts.mapValues { Option(.text(GuardedText($0)), at: place) }
    values.merge(more) { $1 }
    if let strict { values["strict"] = Option(.flag(strict), at: place) }
    for name in ["span", "max_age"] {
        guard let text = texts[name], let duration = try? Duration(grammar: text) else { continue }
        values[name] = Option(.duration(duration), at: place)
    }
    for (name, entries) in maps {
        values[name] = Option(
            .map(entries.map { ($0.key, Option(.text(GuardedText($0.value)), at: place)) }), at: place)
    }
    if values["url"] == nil { values["url"] = Option(.text("https://stats.example.com/stability.json"), at: place) }
    return Options(name: "own-dashboard", position: place, values: values)
}

func source(
    _ texts: [String: String] = [:], map: KeyValuePairs<String, String>, issues: KeyValuePairs<String, String>? = nil,
    headers: KeyValuePairs<String, String>? = nil
) throws -> HTTPJSONSource {
    var maps = ["map": map]
    maps["issues"] = issues
    maps["headers"] = headers
    return try HTTPJSONSource(options: options(texts, maps: maps), context: context)
}

let context = SourceContext(name: "own-dashboard", folder: "/etc/alertbot", every: .minutes(5))

func poll(_ spans: Duration..., cursor: JSON? = nil, at moment: Moment = now) -> Poll {
    Poll(source: "own-dashboard", now: moment, cursor: cursor, spans: spans.isEmpty ? [.hours(1)] : spans)
}

func json(_ body: String, status: Int = 200, type: String = "application/json") -> FetchResult {
    .answered(HTTPResponse(status: status, headers: [("Content-Type", type)], body: Array(body.utf8)))
}

/// What the source makes of one answer.
func report(
    _ source: HTTPJSONSource, _ result: FetchResult, at moment: Moment = now, cursor: JSON? = nil
) throws -> PollReport {
    try #require(PlayedPoll(source, poll(cursor: cursor, at: moment)) { _ in result }.report)
}

extension PollReport {
    /// The observations as lines of JSON without what is the same in all, or what came instead.
    var summary: String {
        switch outcome {
        case .values(let observations):
            observations.map { seen in
                let subject = [seen.subject.app, seen.subject.release, seen.subject.environment].compactMap { $0 }
                let metrics = seen.metrics.entries.map { "\($0.name)=\(JSON($0.value).text)" }
                return (subject + metrics).joined(separator: " ")
            }.joined(separator: "\n")
        case .noData: "no data"
        case .stale(let measured): "stale since \(measured)"
        case .unchanged: "unchanged"
        case .failed(let failure): "\(failure.reason.rawValue): \(failure)"
        }
    }
}
