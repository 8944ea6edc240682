internal import Glibc
public import PluginKit

// What tests of sources write again and again: answers, those of `TestData/Fixtures` among them, options as a config would
// have them, and polls.

/// The bytes of a file in `TestData/Fixtures`, beside the folder of the test that asks for it.
///
/// - Parameter test: the test's own file; leave it out.
public func fixture(_ name: String, beside test: String = #filePath) -> [UInt8] {
    let path = test.split(separator: "/").dropLast(2).map { "/" + $0 }.joined() + "/TestData/Fixtures/" + name
    guard let file = fopen(path, "r") else { preconditionFailure("no fixture \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer.prefix(count) }
    return bytes
}

/// The same as text.
public func text(fixture name: String, beside test: String = #filePath) -> String {
    String(decoding: fixture(name, beside: test), as: UTF8.self)
}

/// The headers that a fixture holds as a map of names and values.
public func headers(fixture name: String, beside test: String = #filePath) -> [(name: String, value: String)] {
    ((try? JSON(parsing: fixture(name, beside: test)))?.object?.members ?? []).map { ($0.name, $0.value.string ?? "") }
}

/// An answer that says that.
public func answer(
    _ body: String, status: Int = 200, headers: [(name: String, value: String)] = []
) -> FetchResult {
    .answered(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
}

/// An answer that says what is in a fixture.
public func answer(
    fixture name: String, status: Int = 200, headers: [(name: String, value: String)] = [],
    beside test: String = #filePath
) -> FetchResult {
    .answered(HTTPResponse(status: status, headers: headers, body: fixture(name, beside: test)))
}

/// Where options stand in the config of a test.
public let place = Position(line: 3, column: 5)

/// An option that stands at `place`.
public func option(_ value: Option.Value) -> Option { Option(value, at: place) }

/// An option with several texts.
public func list(_ texts: String...) -> Option { option(.list(texts.map { option(.text(GuardedText($0))) })) }

/// An option of names with texts.
public func map(_ entries: KeyValuePairs<String, String>) -> Option {
    option(.map(entries.map { ($0.key, option(.text(GuardedText($0.value)))) }))
}

extension Source {
    /// The source as a config with those options makes it.
    ///
    /// - Parameter basic: what is there unless it is replaced.
    public init(
        _ values: [String: Option], over basic: [String: Option], named name: String = "mobile", every: Duration
    ) throws(ProblemList) {
        try self.init(
            options: Options(name: name, position: place, values: basic.merging(values) { $1 }),
            context: SourceContext(name: name, folder: "/", every: every))
    }
}

/// When sources are polled: half a minute before midnight, where the hour and the day are nearly full.
public let pollMoment = Moment(rfc3339: "2026-11-20T23:59:30Z") ?? .earliest

/// A poll of the source `mobile` for those spans, or for an hour.
public func poll(_ spans: Duration..., cursor: JSON? = nil, at moment: Moment = pollMoment) -> Poll {
    Poll(source: "mobile", now: moment, cursor: cursor, spans: spans.isEmpty ? [.hours(1)] : spans)
}

extension PlayedPoll {
    /// What the source saw; none where it finished with anything else.
    public var observations: [Observation] {
        if case .values(let observations) = report?.outcome { observations } else { [] }
    }

    /// Why the poll failed; nil where it did not.
    public var failure: PollFailure? {
        if case .failed(let failure) = report?.outcome { failure } else { nil }
    }
}
