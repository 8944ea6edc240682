import PluginKit
import PluginTesting
import RollbarSource

let token = "rollbar-0123456789abcdef"
let now = pollMoment

/// The source as a config with these options makes it; what is required is there unless it is replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> RollbarSource {
    let basic = [
        "app": option(.text("wallet")), "token": option(.text(GuardedText(Secret(token)))),
    ]
    return try RollbarSource(values, over: basic, every: .minutes(2))
}

extension PlayedPoll {
    var urls: [String] { requests.map(\.url.description) }

    func observation(_ environment: String?) -> Observation? {
        observations.last { $0.subject.environment == environment }
    }
}
