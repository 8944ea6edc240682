import PluginKit
import PluginTesting
import SentrySource

let token = "sntryu_0123456789abcdef"
let now = pollMoment

func list(_ texts: [String]) -> Option { option(.list(texts.map { option(.text(GuardedText($0))) })) }

/// The source as a config with these options makes it; `organization` and `token` are there unless they are replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> SentrySource {
    let basic = [
        "organization": option(.text("acme")), "token": option(.text(GuardedText(Secret(token)))),
    ]
    return try SentrySource(values, over: basic, every: .minutes(2))
}

/// A server that answers each kind of request alike.
struct Server: Sendable {
    var projects = answer(fixture: "projects.json")
    var apps = answer(sessions([1000, 400, 0.99, 0.97]))
    var releases = answer(fixture: "sessions_by_release.json")
    var issues = answer(fixture: "issues_page1.json")

    @Sendable func respond(to request: HTTPRequest) -> FetchResult {
        let url = request.url.description
        if url.contains("/projects/") { return projects }
        if url.contains("/issues/") { return issues }
        return url.contains("groupBy=release") ? releases : apps
    }

    func play(_ source: SentrySource, _ poll: Poll) -> PlayedPoll { PlayedPoll(source, poll, answer: respond) }
}

/// An answer of sessions for one app: sessions, users and the two rates; nil leaves a figure out.
func sessions(
    _ figures: [Double?],
    from: String = "2026-11-20T22:00:00Z",
    to: String = "2026-11-21T00:00:00Z",
    by: String = #"{"project": 4507001}"#
) -> String {
    let names = ["sum(session)", "count_unique(user)", "crash_free_rate(session)", "crash_free_rate(user)"]
    let totals = zip(names, figures).compactMap { name, figure in figure.map { "\"\(name)\": \($0)" } }
    return """
        {"start": "\(from)", "end": "\(to)", "query": "", "intervals": [],
         "groups": [{"by": \(by), "totals": {\(totals.joined(separator: ", "))}, "series": {}}]}
        """
}

extension PlayedPoll {
    func urls(_ endpoint: String) -> [String] {
        requests.map(\.url.description).filter { $0.contains("/\(endpoint)/") }
    }

    func observation(_ app: String, _ release: String? = nil) -> Observation? {
        observations.last { $0.subject.app == app && $0.subject.release == release }
    }
}
