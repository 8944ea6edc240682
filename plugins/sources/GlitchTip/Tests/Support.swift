import GlitchTipSource
import PluginKit
import PluginTesting

let token = "glitchtip-0123456789abcdef"
let now = pollMoment

/// The source as a config with these options makes it; what is required is there unless it is replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> GlitchTipSource {
    let basic = [
        "organization": option(.text("acme")), "token": option(.text(GuardedText(Secret(token)))),
    ]
    return try GlitchTipSource(values, over: basic, every: .minutes(2))
}

extension PlayedPoll {
    func urls(_ list: String) -> [String] {
        requests.map(\.url.description).filter { $0.contains("/\(list)/") }
    }

    func observation(_ app: String) -> Observation? { observations.last { $0.subject.app == app } }
}

/// A server that answers each kind of request alike.
struct Server: Sendable {
    var projects = answer(fixture: "projects.json")
    var issues = answer(fixture: "issues_page1.json")

    @Sendable func respond(to request: HTTPRequest) -> FetchResult {
        request.url.description.contains("/projects/") ? projects : issues
    }

    func play(_ source: GlitchTipSource, _ poll: Poll) -> PlayedPoll { PlayedPoll(source, poll, answer: respond) }
}
