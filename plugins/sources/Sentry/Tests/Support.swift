import Glibc
import PluginKit
import PluginTesting
import SentrySource

let token = "sntryu_0123456789abcdef"
/// Half a minute before midnight: the hour is nearly full.
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

func list(_ texts: String...) -> Option { list(texts) }

func list(_ texts: [String]) -> Option { option(.list(texts.map { option(.text(GuardedText($0))) })) }

/// The source as a config with these options makes it; `organization` and `token` are there unless they are replaced.
func source(_ values: [String: Option] = [:]) throws(ProblemList) -> SentrySource {
    let basic = [
        "organization": option(.text("acme")), "token": option(.text(GuardedText(Secret(token)))),
    ]
    return try SentrySource(
        options: Options(name: "mobile", position: place, values: basic.merging(values) { $1 }),
        context: SourceContext(name: "mobile", folder: "/", every: .minutes(2)))
}

func poll(_ spans: Duration..., cursor: JSON? = nil, at moment: Moment = now) -> Poll {
    Poll(source: "mobile", now: moment, cursor: cursor, spans: spans)
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
    var observations: [Observation] {
        if case .values(let observations) = report?.outcome { observations } else { [] }
    }

    var failure: PollFailure? {
        if case .failed(let failure) = report?.outcome { failure } else { nil }
    }

    func urls(_ endpoint: String) -> [String] {
        requests.map(\.url.description).filter { $0.contains("/\(endpoint)/") }
    }

    func observation(_ app: String, _ release: String? = nil) -> Observation? {
        observations.last { $0.subject.app == app && $0.subject.release == release }
    }
}
