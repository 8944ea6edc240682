import ChatKit
import PluginKit
import PluginTesting
import Testing

@testable import WebhookChannel

private func channel() throws -> WebhookChannel {
    try WebhookChannel(
        options: Options([
            "url": .text(GuardedText(Secret("https://matrix.example.org/webhook/x7f3a9c"))),
            "format": .text("hookshot"),
        ]), context: .sample)
}

/// What is wrong with a payload by what the bridge does with it.
@Sendable private func hookshotFlaws(_ payload: JSON) -> [String] {
    var flaws: [String] = []
    let members = payload.object?.members.map(\.name) ?? []
    if Set(members) != ["text", "username", "html"] { flaws.append("it has \(members)") }
    guard let text = payload["text"]?.string, let html = payload["html"]?.string else { return flaws + ["no words"] }
    if text.isEmpty || html.isEmpty { flaws.append("a form without words") }
    // The event has the payload once more.
    if 2 * payload.bytes.count > 60_000 { flaws.append("\(payload.bytes.count) bytes") }
    for mention in ["@room", "@everyone", "<!channel>"] where payload.text.contains(mention) {
        flaws.append("'\(mention)' is in it")
    }
    let ours = /<\/?(b|code)>|<br\/>|<a href="https?:\/\/[^"<>]*">|<\/a>/.ignoresCase().matchingSemantics(
        .unicodeScalar)
    let words = html.replacing(ours, with: "")
    if words.unicodeScalars.contains(where: { "<>\"".unicodeScalars.contains($0) }) {
        flaws.append("HTML that is not ours: \(words)")
    }
    if words.replacing(/&(amp|lt|gt|quot);/.matchingSemantics(.unicodeScalar), with: "").unicodeScalars.contains("&") {
        flaws.append("an '&' that is not escaped")
    }
    return flaws
}

@Suite struct `Posting to matrix-hookshot` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 30_000, secrets: ["x7f3a9c"],
            bodyFlaws: hookshotFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: hookshotFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: ["opened", "digest"]) func `messages look as recorded`(_ name: String) throws {
        let message = try #require(SampleMessages.usual.first { $0.name == name }?.message)
        #expect(
            try snapshotFlaw(of: try #require(try channel().request(for: message)), named: "hookshot-\(name)") == nil)
    }

    @Test func `a repetition says so, and a webhook that is gone is refused`() throws {
        let channel = try channel()
        #expect(!channel.isIdempotent)
        let again = try #require(channel.request(for: SampleMessages.opened, possiblyRepeated: true))
        let payload = try JSON(parsing: try #require(again.wireBody()?.bytes))
        #expect(payload["html"]?.string?.contains(Words.english[.captionRepeated]) == true)
        #expect(payload["text"]?.string?.contains(Words.english[.captionRepeated]) == true)
        let gone = HTTPResponse(status: 404, body: Array(#"{"ok":false,"error":"Webhook not found"}"#.utf8))
        #expect(
            channel.judge(.answered(gone), at: ChannelConformance.now)
                == .refusedChannel(
                    "The bridge answered 404: Webhook not found; there is no webhook at this address: make a new one and "
                        + "configure it"))
    }

    private static let answers: [(Int, String, String)] = [
        (200, #"{"ok":true}"#, "delivered"), (200, "thanks", "delivered"), (202, "", "delivered"),
        (200, #"{"ok":false,"error":"Failed to process webhook"}"#, "retry"), (409, "", "retry"),
        (200, "<!doctype html><title>Log in</title>", "unknown"), (500, #"{"ok":false}"#, "retry"),
    ]

    @Test(arguments: answers)
    func `what the bridge did not take has not arrived`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        switch outcome {
        case .delivered: #expect(meaning == "delivered")
        case .retry: #expect(meaning == "retry", "\(outcome)")
        case .unknown: #expect(meaning == "unknown", "\(outcome)")
        default: #expect(Bool(false), "\(outcome)")
        }
    }
}
