import BugsnagSource
import Glibc
import PluginKit
import PluginTesting

let token = "bugsnag-0123456789abcdef"
/// Half a minute before midnight: the day is nearly full.
let now = Moment(rfc3339: "2026-11-20T23:59:30Z") ?? .earliest

func fixture(_ name: String) -> [UInt8] {
    let path = #filePath.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/TestData/Fixtures/" + name
    guard let file = fopen(path, "r") else { preconditionFailure("no fixture \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
    return bytes
}

/// The headers that a fixture holds as a map of names and values.
func headers(_ name: String) -> [(name: String, value: String)] {
    ((try? JSON(parsing: fixture(name)))?.object?.members ?? []).map { ($0.name, $0.value.string ?? "") }
}

func answer(_ body: String, status: Int = 200, headers: [(name: String, value: String)] = []) -> FetchResult {
    .answered(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
}

func answer(fixture name: String, status: Int = 200, headers: [(name: String, value: String)] = []) -> FetchResult {
    .answered(HTTPResponse(status: status, headers: headers, body: fixture(name)))
}

let place = Position(line: 3, column: 5)

func option(_ value: Option.Value) -> Option { Option(value, at: place) }

func list(_ texts: String...) -> Option { option(.list(texts.map { option(.text(GuardedText($0))) })) }

/// The source as a config with these options makes it; `token` is there unless it is replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> BugsnagSource {
    let basic = ["token": option(.text(GuardedText(Secret(token))))]
    return try BugsnagSource(
        options: Options(name: "mobile", position: place, values: basic.merging(values) { $1 }),
        context: SourceContext(name: "mobile", folder: "/", every: .minutes(5)))
}

func poll(_ spans: Duration..., cursor: JSON? = nil, at moment: Moment = now) -> Poll {
    Poll(source: "mobile", now: moment, cursor: cursor, spans: spans.isEmpty ? [.hours(1)] : spans)
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
    var observations: [Observation] {
        if case .values(let observations) = report?.outcome { observations } else { [] }
    }

    var failure: PollFailure? {
        if case .failed(let failure) = report?.outcome { failure } else { nil }
    }

    /// What came since the last poll: of a release, or of the project as a whole.
    func step(_ release: String? = nil) -> Observation? {
        observations.last { $0.subject.release == release && $0.metrics[.users] == nil }
    }

    var urls: [String] { requests.map(\.url.description) }
}
