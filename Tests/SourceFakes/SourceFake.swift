// SourceFakes has every vendor in good health, as far as the sources ask it: for tests of all sources at once.

internal import BotConfig
internal import BuiltinPlugins
internal import Foundation
public import PluginKit
internal import PluginTesting

/// A vendor in good health, as far as one source asks it: the config that names it, and its fixtures as answers.
public struct SourceFake: Sendable, CustomStringConvertible {
    /// What it is about, for whoever reads a failure.
    public let name: String
    public let plugin: String
    /// The source's entry in the config, without `plugin`.
    public let options: String
    /// The moment of its figures.
    public let now: String
    public private(set) var spans: [Duration] = [.hours(1)]
    /// What it answers, by a piece of the address, or of the address and then of the body; the first that fits.
    private var answers: [(asked: String, body: String, answer: Answer)] = []
    /// What it says instead when something is wrong, or not ready.
    private var others: [(status: Int, answer: Answer)] = []
    /// What is pushed to it, or read from a file.
    public private(set) var bodies: [Answer] = []

    public enum Answer: Sendable {
        /// A file below `TestData/Fixtures` of the plugin's folder.
        case fixture(String)
        /// A page of a list whose headers, in a file of their own, say whether there is another.
        case page(String, headers: String)
        case text(String)
    }

    /// Why a fake cannot be used.
    public struct Mistake: Error, CustomStringConvertible {
        public let description: String
    }

    init(
        name: String, plugin: String, options: String, now: String, spans: [Duration] = [.hours(1)],
        answers: [(asked: String, body: String, answer: Answer)] = [],
        others: [(status: Int, answer: Answer)] = [], bodies: [Answer] = []
    ) {
        self.name = name
        self.plugin = plugin
        self.options = options
        self.now = now
        self.spans = spans
        self.answers = answers
        self.others = others
        self.bodies = bodies
    }

    public var description: String { name }

    /// Whether its past is to be recalled, and not polled.
    public var isPast: Bool { name.hasSuffix("'s past") }

    public static let secret = "fake-secret-0123456789abcdef"

    /// Its entry among the sources of a config.
    ///
    /// - Parameter name: the source's.
    public func entry(_ name: String = SourceFake.source) -> String {
        let lines = options.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        return "  \(name):\n    plugin: \(plugin)\n\(lines)"
    }

    /// The source as a config makes it.
    public func source() throws -> any Source {
        let config = """
            version: 1
            sources:
            \(entry())
            channels: {team: {plugin: console}}
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in SourceFake.secret },
            file: { _ throws(ConfigSurroundings.Missing) in Array(SampleServiceAccount.keyFile.utf8) },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(config.utf8), folder: "/", catalog: .builtin, surroundings: surroundings)
        guard let source = result.config?.sources[SourceFake.source] else {
            throw Mistake(description: "\(name): \(result.problems.map(\.message))")
        }
        return source
    }

    public static let source = "faked"

    /// A config whose only source it is, polled as often as it has new figures.
    public func config(_ name: String = SourceFake.source) -> String {
        let span = spans[0].grammar
        return """
            version: 1
            bot: {timezone: Europe/Madrid}
            polling: {every: \(span), slowest: \(span)}
            sources:
            \(entry(name))
            channels: {team: {plugin: console}}

            """
    }

    /// The files that its config names, for the folder of the config.
    public func files() throws -> [(name: String, text: String)] {
        let figures = try bodies.first.map { String(decoding: try bytes($0), as: UTF8.self) }
        return [("key.json", SampleServiceAccount.keyFile)] + (figures.map { [("figures.jsonl", $0)] } ?? [])
    }

    public func moment() throws -> Moment {
        guard let moment = Moment(rfc3339: now) else { throw Mistake(description: "\(name): '\(now)' is no instant") }
        return moment
    }

    public func poll(cursor: JSON? = nil) throws -> Poll {
        Poll(source: SourceFake.source, now: try moment(), cursor: cursor, spans: spans)
    }

    /// The bytes of an answer.
    public func bytes(_ answer: Answer) throws -> [UInt8] {
        switch answer {
        case .text(let text): return Array(text.utf8)
        case .fixture(let name), .page(let name, _):
            guard let folder = SourceFake.folders[plugin] else {
                throw Mistake(description: "\(plugin) has no folder here")
            }
            let file = SourceFake.root.appending(path: "plugins/sources/\(folder)/TestData/Fixtures/\(name).json")
            return Array(try Data(contentsOf: file))
        }
    }

    private func response(_ status: Int, _ answer: Answer) throws -> HTTPResponse {
        var headers = [(name: "Content-Type", value: "application/json")]
        if case .page(_, let names) = answer {
            let map = try JSON(parsing: try bytes(.fixture(names)))
            headers += (map.object?.members ?? []).compactMap { member in
                member.name == "Content-Type" ? nil : member.value.string.map { (member.name, $0) }
            }
        }
        return HTTPResponse(status: status, headers: headers, body: try bytes(answer))
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let folders = [
        "bugsink": "Bugsink", "bugsnag": "Bugsnag", "crashlytics": "Crashlytics", "datadog": "Datadog", "file": "File",
        "glitchtip": "GlitchTip", "google_play": "GooglePlay", "http_json": "HTTPJSON", "prometheus": "Prometheus",
        "push": "Push", "rollbar": "Rollbar", "sentry": "Sentry",
    ]

    /// What it answers, read once.
    public func responder() throws -> @Sendable (HTTPRequest) -> HTTPResponse {
        let server = try server()
        return { request in
            server(request.url.description, String(decoding: request.wireBody()?.bytes ?? [], as: UTF8.self))
        }
    }

    /// What it answers to an address, or a path, and a body: read once.
    public func server() throws -> @Sendable (_ asked: String, _ body: String) -> HTTPResponse {
        let known = try answers.map { ($0.asked, $0.body, try response(200, $0.answer)) }
        let unknown = try response(404, .text(#"{"detail": "not in this fake"}"#))
        return { asked, body in
            known.first { asked.contains($0.0) && ($0.1.isEmpty || body.contains($0.1)) }?.2 ?? unknown
        }
    }

    /// All that it answers in good health.
    public func rightResponses() throws -> [HTTPResponse] { try answers.map { try response(200, $0.answer) } }

    /// What it says when something is wrong, or not ready, read once.
    public func otherResponses() throws -> [HTTPResponse] { try others.map { try response($0.status, $0.answer) } }
}
