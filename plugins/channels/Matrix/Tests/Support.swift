import FoundationEssentials
import Glibc
import PluginKit
import Testing

/// A file beside these tests.
func testFile(_ name: String, here: String = #filePath) -> URL {
    URL(filePath: here).deletingLastPathComponent().appending(path: name)
}

/// Compares a request as a preview shows it with what was recorded; `RECORD=1` in the environment records it anew.
func expectSnapshot(_ request: HTTPRequest, named name: String, at location: SourceLocation = #_sourceLocation) throws {
    var lines = ["\(request.method.rawValue) \(request.url)"]
    lines += request.headers.map { "\($0.name): \($0.value)" }
    if case .json(let json) = request.body { lines += ["", json.prettyText] }
    let text = lines.joined(separator: "\n") + "\n"
    let file = testFile("Snapshots/\(name).http")
    if getenv("RECORD") != nil { try text.write(to: file, atomically: true, encoding: .utf8) }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    #expect(text == recorded, "\(name) has changed; record it anew with RECORD=1", sourceLocation: location)
}

/// One answer of the service, and what it means.
struct AnswerCase: Sendable, CustomTestStringConvertible {
    let response: HTTPResponse
    /// `delivered`, `retry`, `ambiguous`, `payload`, `target` or `credentials`.
    let meaning: String
    let waitSeconds: Double?

    var testDescription: String { "\(response.status) \(response.excerpt(40))" }

    static func all() throws -> [AnswerCase] {
        let cases = try JSON(parsing: Data(contentsOf: testFile("Fixtures/answers.json"))).array ?? []
        return cases.compactMap { written in
            guard let status = written["status"]?.number, let meaning = written["class"]?.string else { return nil }
            let headers = written["headers"]?.object?.members ?? []
            let body = written["body"]
            return AnswerCase(
                response: HTTPResponse(
                    status: Int(status),
                    headers: headers.map { ($0.name, $0.value.string ?? "") },
                    body: body?.string.map { Array($0.utf8) } ?? body?.bytes ?? []
                ),
                meaning: meaning,
                waitSeconds: written["retry_after_seconds"]?.number
            )
        }
    }

    /// The meaning of an outcome in the same words.
    func agrees(with outcome: DeliveryOutcome) -> Bool {
        switch outcome {
        case .delivered: meaning == "delivered"
        case .retry(let after, _):
            // Exactly as told, or no word of it: then the bot has waits of its own.
            meaning == "retry" && after == waitSeconds.flatMap { Duration.waitingTime(seconds: $0) }
        case .unknown: meaning == "ambiguous"
        case .refusedBody: meaning == "payload"
        case .refusedChannel: meaning == "target" || meaning == "credentials"
        }
    }
}

extension Options {
    /// Options as the config's reader would hand them over.
    init(_ values: [String: Option.Value]) {
        let position = Position(line: 1, column: 1)
        self.init(name: "team", position: position, values: values.mapValues { Option($0, at: position) })
    }
}

let context = ChannelContext(name: "team", bot: "shop-alerts", zone: .utc)
let now = Moment(milliseconds: 1_795_219_200_000)

extension Channel {
    /// The request for a message; nil when the channel makes none.
    func request(for message: Message, possiblyRepeated: Bool = false, isPlain: Bool = false) -> HTTPRequest? {
        let posting = Posting(
            id: "d-1",
            message: message,
            possiblyRepeated: possiblyRepeated,
            isPlain: isPlain,
            at: now
        )
        if case .request(let request) = post(posting) { return request }
        return nil
    }
}
