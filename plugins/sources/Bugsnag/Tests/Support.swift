import BugsnagSource
import PluginKit
import PluginTesting

let token = "bugsnag-0123456789abcdef"
let now = pollMoment

/// The source as a config with these options makes it; `token` is there unless it is replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> BugsnagSource {
    let basic = ["token": option(.text(GuardedText(Secret(token))))]
    return try BugsnagSource(values, over: basic, every: .minutes(5))
}

/// A release as the API lists it.
func release(
    _ version: String, id: String? = nil, at time: String = "2026-11-05T08:00:00Z", sessions: Int, crashed: Int,
    stage: String = "production"
) -> String {
    """
    {"id": "\(id ?? version)", "app_version": "\(version)", "app_version_code": null, "app_bundle_version": "7",
     "release_time": "\(time)", "release_stage": {"name": "\(stage)"},
     "total_sessions_count": \(sessions), "unhandled_sessions_count": \(crashed)}
    """
}

func releases(_ list: String...) -> FetchResult { answer("[\(list.joined(separator: ","))]") }

/// Bugsnag's API, which answers each kind of question alike.
struct Bugsnag: Sendable {
    var organizations = answer(fixture: "organizations.json")
    var projects = answer(fixture: "projects.json")
    var trend = answer(fixture: "stability_trend.json")
    var releases = answer(fixture: "releases.json")
    var errors = answer(fixture: "errors.json")
    var fixed = answer("[]")

    @Sendable func respond(to request: HTTPRequest) -> FetchResult {
        let url = request.url.description
        if url.contains("/user/organizations") { return organizations }
        if url.contains("/stability_trend") { return trend }
        if url.contains("/releases") { return releases }
        if url.contains("/errors") { return url.contains("=fixed") ? fixed : errors }
        return projects
    }

    func play(_ source: BugsnagSource, _ poll: Poll) -> PlayedPoll { PlayedPoll(source, poll, answer: respond) }
}

extension PlayedPoll {
    /// What came since the last poll: of a release, or of the project as a whole.
    func step(_ release: String? = nil) -> Observation? {
        observations.last { $0.subject.release == release && $0.metrics[.users] == nil }
    }

    var urls: [String] { requests.map(\.url.description) }
}
