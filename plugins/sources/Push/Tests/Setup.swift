import PluginKit
import PluginTesting
import Testing

@testable import PushSource

let now = Moment(rfc3339: "2026-11-21T00:01:00Z") ?? .earliest
let context = SourceContext(name: "job", folder: "/etc/alertbot", every: .minutes(5), slowest: .hours(1))

func source(_ texts: [String: String] = [:], values: KeyValuePairs<String, String>? = nil) throws -> PushSource {
    var options = texts.mapValues { Option(.text(GuardedText($0)), at: place) }
    options["token"] = options["token"] ?? Option(.text("\(Secret("s3cret-token"))"), at: place)
    if let values {
        options["values"] = Option(
            .map(values.map { ($0.key, Option(.text(GuardedText($0.value)), at: place)) }), at: place)
    }
    return try PushSource(options: Options(name: "job", position: place, values: options), context: context)
}

func push(_ body: String, _ headers: [(name: String, value: String)] = []) -> Push {
    Push(source: "job", headers: PushHeaders(headers), body: Array(body.utf8), now: now)
}

/// The observations of a push, or what is wrong with it.
func summary(_ source: PushSource, _ push: Push) -> String {
    do {
        switch try source.read(push).outcome {
        case .values(let observations):
            // Those in front of alerts hold nothing.
            return observations.filter { !$0.metrics.isEmpty || !$0.issues.isEmpty }.map { seen in
                let subject = [seen.subject.source, seen.subject.app, seen.subject.release, seen.subject.environment]
                let metrics = seen.metrics.entries.map { "\($0.name)=\(JSON($0.value).text)" }
                let issues = seen.issues.map { "\($0.id) \($0.title) [\($0.status ?? "-")]" }
                return (subject.compactMap(\.self) + metrics + issues).joined(separator: " ")
            }.joined(separator: "\n")
        case .noData: return "no data"
        case .stale(let measured): return "stale since \(measured)"
        case .unchanged: return "unchanged"
        case .failed(let failure): return "\(failure.reason.rawValue): \(failure)"
        }
    } catch {
        return "mistake: \(error)"
    }
}
