import Glibc
import PluginKit
import PluginTesting
import RollbarSource

let token = "rollbar-0123456789abcdef"
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

func answer(_ body: String, status: Int = 200, headers: [(name: String, value: String)] = []) -> FetchResult {
    .answered(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
}

func answer(fixture name: String, status: Int = 200, headers: [(name: String, value: String)] = []) -> FetchResult {
    .answered(HTTPResponse(status: status, headers: headers, body: fixture(name)))
}

let place = Position(line: 3, column: 5)

func option(_ value: Option.Value) -> Option { Option(value, at: place) }

func list(_ texts: String...) -> Option { option(.list(texts.map { option(.text(GuardedText($0))) })) }

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
    var observations: [Observation] {
        if case .values(let observations) = report?.outcome { observations } else { [] }
    }

    var failure: PollFailure? {
        if case .failed(let failure) = report?.outcome { failure } else { nil }
    }

    var urls: [String] { requests.map(\.url.description) }

    func observation(_ environment: String?) -> Observation? {
        observations.last { $0.subject.environment == environment }
    }
}
