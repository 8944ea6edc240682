import BugsinkSource
import PluginKit
import PluginTesting

let token = "0123456789abcdef0123456789abcdef01234567"
let now = pollMoment

/// The source as a config with these options makes it; what is required is there unless it is replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> BugsinkSource {
    let basic = [
        "url": option(.text("https://bugsink.example.com")), "token": option(.text(GuardedText(Secret(token)))),
    ]
    return try BugsinkSource(values, over: basic, every: .minutes(2))
}

extension PlayedPoll {
    func urls(_ list: String) -> [String] {
        requests.map(\.url.description).filter { $0.contains("/\(list)/") }
    }

    func observation(_ app: String) -> Observation? { observations.last { $0.subject.app == app } }
}

/// A server that answers each kind of request alike, but that only the first project has issues.
struct Server: Sendable {
    var projects = answer(fixture: "projects.json")
    var issues = answer(fixture: "issues.json")

    @Sendable func respond(to request: HTTPRequest) -> FetchResult {
        let url = request.url.description
        if url.contains("/projects/") { return projects }
        return url.contains("project=3") ? issues : answer(fixture: "issues_none.json")
    }

    func play(_ source: BugsinkSource, _ poll: Poll) -> PlayedPoll { PlayedPoll(source, poll, answer: respond) }
}
