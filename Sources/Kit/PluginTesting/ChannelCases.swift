public import FoundationEssentials
internal import Glibc
public import PluginKit

// What tests of channels share: requests recorded beside the tests, answers of services and what they mean.

/// A file of the folder `TestData` beside that of the test that asks for it: no target has it, so none has to be told.
public func testFile(_ name: String, here: String = #filePath) -> URL {
    URL(filePath: here).deletingLastPathComponent().deletingLastPathComponent().appending(path: "TestData/\(name)")
}

/// What a preview shows of a request that differs from what was recorded in `TestData/Snapshots`; nil when
/// nothing does. `RECORD=1` in the environment records it anew.
///
/// - Throws: where nothing has been recorded under that name.
public func snapshotFlaw(of request: HTTPRequest, named name: String, here: String = #filePath) throws -> String? {
    var lines = ["\(request.method.rawValue) \(request.url)"]
    lines += request.headers.map { "\($0.name): \($0.value)" }
    if let body = request.body { lines += ["", body.shown.prettyText] }
    return try snapshotFlaw(lines.joined(separator: "\n") + "\n", in: testFile("Snapshots/\(name).http", here: here))
}

/// The same of a mail, as it goes over the wire.
public func snapshotFlaw(of mail: Mail, named name: String, here: String = #filePath) throws -> String? {
    let text = String(decoding: mail.wireMessage(), as: UTF8.self).replacing("\r\n", with: "\n")
    return try snapshotFlaw(text, in: testFile("Snapshots/\(name).eml", here: here))
}

/// The same of a text that was recorded in `Snapshots` beside the test.
package func snapshotFlaw(of text: String, named name: String, here: String = #filePath) throws -> String? {
    try snapshotFlaw(text, in: URL(filePath: here).deletingLastPathComponent().appending(path: "Snapshots/\(name)"))
}

private func snapshotFlaw(_ text: String, in file: URL) throws -> String? {
    if getenv("RECORD") != nil { try text.write(to: file, atomically: true, encoding: .utf8) }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    return text == recorded
        ? nil : "\(file.lastPathComponent) has changed; record it anew with RECORD=1. It is now:\n\(text)"
}

/// A posting that a channel's snapshots show under its name.
public struct RecordedPosting: Sendable, CustomStringConvertible {
    public let description: String
    fileprivate let message: Message
    fileprivate let isHostile: Bool
    fileprivate let isPlain: Bool

    /// Messages as the bot writes them.
    public static let usual = SampleMessages.usual.map {
        RecordedPosting(description: $0.name, message: $0.message, isHostile: false, isPlain: false)
    }

    /// The same, and hostile words in both forms.
    public static let all =
        usual
        + [false, true].map { isPlain in
            RecordedPosting(
                description: isPlain ? "hostile-plain" : "hostile",
                message: SampleMessages.everywhere(SampleMessages.hostileTitle), isHostile: true, isPlain: isPlain)
        }
}

/// What a preview shows of what the channel sends for a posting, if it differs from what was recorded; nil when it does not.
/// Hostile words are marked as repeated where the channel's service does not see that itself.
///
/// - Throws: where nothing has been recorded of that posting.
public func snapshotFlaw(
    of channel: some Channel, posting recorded: RecordedPosting, here: String = #filePath
) throws -> String? {
    let posting = Posting(
        id: "d-1", message: recorded.message, possiblyRepeated: recorded.isHostile && !channel.isIdempotent,
        isPlain: recorded.isPlain, at: ChannelConformance.now)
    switch channel.post(posting) {
    case .request(let request): return try snapshotFlaw(of: request, named: recorded.description, here: here)
    case .mail(let mail): return try snapshotFlaw(of: mail, named: recorded.description, here: here)
    case .print, .keep: return "the channel sends nothing"
    }
}

/// One answer of the service, and what it means.
public struct AnswerCase: Sendable, CustomStringConvertible {
    public let response: HTTPResponse
    /// `delivered`, `retry`, `ambiguous`, `payload`, `target` or `credentials`.
    public let meaning: String
    public let waitSeconds: Double?

    public init(response: HTTPResponse, meaning: String, waitSeconds: Double?) {
        self.response = response
        self.meaning = meaning
        self.waitSeconds = waitSeconds
    }

    public var description: String { "\(response.status) \(response.excerpt(40))" }

    /// Those in `TestData/Fixtures/answers.json`.
    ///
    /// - Throws: where the file cannot be read or has none, which no test would notice, or one has no `status` or no `class`.
    public static func all(here: String = #filePath) throws -> [AnswerCase] {
        let cases = try JSON(parsing: Data(contentsOf: testFile("Fixtures/answers.json", here: here)))
        let elements = try JSONReader(cases).elements()
        guard !elements.isEmpty else { throw JSONMismatch(path: "$", expected: "answers", found: "an empty array") }
        return try elements.map { written in
            let headers = written.value["headers"]?.object?.members ?? []
            let body = written.value["body"]
            return AnswerCase(
                response: HTTPResponse(
                    status: try written.member("status").int(),
                    headers: headers.map { ($0.name, $0.value.string ?? "") },
                    body: body?.string.map { Array($0.utf8) } ?? body?.bytes ?? []),
                meaning: try written.member("class").string(), waitSeconds: written.value["retry_after_seconds"]?.number
            )
        }
    }

    /// The meaning of an outcome in the same words.
    public func agrees(with outcome: DeliveryOutcome) -> Bool {
        switch outcome {
        case .delivered: meaning == "delivered"
        case .partly: meaning == "partly"
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
    public init(_ values: [String: Option.Value]) {
        let position = Position(line: 1, column: 1)
        self.init(name: "team", position: position, values: values.mapValues { Option($0, at: position) })
    }
}

extension ChannelContext {
    public static let sample = ChannelContext(name: "team", bot: "shop-alerts", zone: .utc)
}

extension Channel {
    /// The request for a message; nil when the channel makes none.
    public func request(for message: Message, possiblyRepeated: Bool = false, isPlain: Bool = false) -> HTTPRequest? {
        let posting = Posting(
            id: "d-1", message: message, possiblyRepeated: possiblyRepeated, isPlain: isPlain,
            at: ChannelConformance.now)
        if case .request(let request) = post(posting) { return request }
        return nil
    }

    /// The mail for a message; nil when the channel sends none.
    public func mail(
        for message: Message, possiblyRepeated: Bool = false, isPlain: Bool = false, thread: String? = nil
    ) -> Mail? {
        let posting = Posting(
            id: "d-1", message: message, possiblyRepeated: possiblyRepeated, isPlain: isPlain, thread: thread,
            at: ChannelConformance.now)
        if case .mail(let mail) = post(posting) { return mail }
        return nil
    }

    /// What it sends for a message, as it goes over the wire.
    func bytes(for message: Message, possiblyRepeated: Bool = false, isPlain: Bool = false) -> [UInt8]? {
        request(for: message, possiblyRepeated: possiblyRepeated, isPlain: isPlain)?.wireBody()?.bytes
            ?? mail(for: message, possiblyRepeated: possiblyRepeated, isPlain: isPlain)?.wireMessage()
    }
}

/// Writes what a channel posts of every sample message, one body a line, to the file that a variable of the environment
/// names: for checking them with the service's own library. Of a mail it is a text of JSON, because it has lines itself.
/// As many messages of chance as `RANDOM_MESSAGES` says follow. Where the variable is not set, nothing happens: enable the
/// test only where it is.
public func writeSampleBodies(of channel: some Channel, toFileIn variable: String) throws {
    guard let path = getenv(variable) else { return }
    var lines = ""
    let byChance = (0..<RandomMessages.count(orElse: 0)).map(RandomMessages.message)
    for message in (SampleMessages.usual + SampleMessages.nasty).map(\.message) + byChance {
        for (isPlain, isRepeated) in [(false, false), (true, false), (false, true), (true, true)] {
            let bytes = channel.bytes(for: message, possiblyRepeated: isRepeated, isPlain: isPlain) ?? []
            let text = String(decoding: bytes, as: UTF8.self)
            lines += (text.contains("\r\n") ? JSON.string(text).text : text) + "\n"
        }
    }
    try lines.write(toFile: String(cString: path), atomically: true, encoding: .utf8)
}
