import PluginKit
import PluginTesting
import RollbarSource

let token = "rollbar-0123456789abcdef"
let now = Moment(rfc3339: "2026-11-20T23:59:30Z") ?? .earliest

/// The source as a config with these options makes it; what is required is there unless it is replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> RollbarSource {
    let basic = [
        "app": option(.text("wallet")), "token": option(.text(GuardedText(Secret(token)))),
    ]
    return try RollbarSource(
        options: Options(name: "mobile", position: place, values: basic.merging(values) { $1 }),
        context: SourceContext(name: "mobile", folder: "/", every: .minutes(2)))
}

func poll(_ spans: Duration..., cursor: JSON? = nil, at moment: Moment = now) -> Poll {
    Poll(source: "mobile", now: moment, cursor: cursor, spans: spans.isEmpty ? [.hours(1)] : spans)
}

extension PlayedPoll {
    var urls: [String] { requests.map(\.url.description) }

    func observation(_ environment: String?) -> Observation? {
        observations.last { $0.subject.environment == environment }
    }
}
