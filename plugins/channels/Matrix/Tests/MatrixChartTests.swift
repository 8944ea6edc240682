import PluginKit
import PluginTesting
import Testing

@testable import MatrixChannel

private func channel(charts: Bool = true) throws -> MatrixChannel {
    try MatrixChannel(
        options: Options([
            "homeserver": .text("https://matrix.example.org"), "room": .text("!abc:example.org"),
            "token": .text(GuardedText(Secret("syt_x7f3a9c"))), "chart": .flag(charts),
        ]), context: .sample)
}

private func answer(_ status: Int, _ body: String) -> HTTPResponse {
    HTTPResponse(status: status, body: Array(body.utf8))
}

private let uploaded = #"{"content_uri":"mxc://example.org/AbC"}"#

@Suite struct `Charts in Matrix` {
    @Test func `a picture goes up, and then into the thread of its message`() throws {
        let upload = try #require(try channel().attachment(receipt: "$event"))
        #expect(upload.method == .post)
        #expect(upload.url.description == "https://matrix.example.org/_matrix/media/v3/upload?filename=chart.png")
        #expect(upload.body == .bytes(SampleMessages.image.bytes, contentType: "image/png"))
        let event = try #require(try channel().attachment(receipt: "$event", after: [uploaded]))
        #expect(event.url.description.hasSuffix("/send/m.room.message/d-1-chart"))
        guard case .json(let content)? = event.body else { return #expect(Bool(false)) }
        #expect(content["msgtype"] == "m.image")
        #expect(content["url"] == "mxc://example.org/AbC")
        #expect(content["info"] == ["mimetype": "image/png", "w": 960, "h": 400, "size": 10])
        #expect(content["m.mentions"] == [:])
        #expect(content["body"]?.string == SampleMessages.image.words)
        #expect(content["m.relates_to"]?["event_id"] == "$event")
        #expect(try channel().attachment(receipt: "$event", after: [uploaded, "{}"]) == nil)
    }

    @Test func `what follows shows its picture in the thread of the opening`() throws {
        let event = try #require(try channel().attachment(receipt: "$event", thread: "$root", after: [uploaded]))
        guard case .json(let content)? = event.body else { return #expect(Bool(false)) }
        #expect(content["m.relates_to"]?["event_id"] == "$root")
    }

    @Test(arguments: [
        "", "{}", #"{"content_uri":7}"#, #"{"content_uri":"https://evil.example/x"}"#,
        #"{"content_uri":"mxc://a/b\u0022onload=x"}"#, #"{"content_uri":"mxc://a/ b"}"#,
    ])
    func `an address that is none is not used`(body: String) throws {
        let posting = Posting(id: "d-1", message: SampleMessages.charted, at: ChannelConformance.now)
        let step = try channel().attach(
            SampleMessages.image, to: posting, receipt: "$e", after: [answer(200, body)])
        guard case .failed = step else { return #expect(Bool(false), "\(step)") }
    }

    @Test func `whatever the words, the event fits`() throws {
        let event = try #require(
            try channel().attachment(SampleMessages.hostileImage, receipt: "$event", after: [uploaded]))
        guard case .json(let content)? = event.body else { return #expect(Bool(false)) }
        #expect(content.bytes.count < 4000)
        #expect(content["body"]?.string?.contains("@room") == false)
    }

    @Test func `the message itself is the same with and without a picture`() throws {
        #expect(
            try bytes(of: channel().action())
                == bytes(of: channel(charts: false).action(SampleMessages.opened, nil)))
    }
}

@Suite struct `Encrypted rooms` {
    @Test func `the homeserver is asked for the room's encryption`() throws {
        let inquiry = try #require(try channel().inquiry)
        #expect(inquiry.method == .get)
        #expect(
            inquiry.url.description
                == "https://matrix.example.org/_matrix/client/v3/rooms/%21abc%3Aexample.org/state/m.room.encryption")
        #expect(inquiry.headers.map(\.value.description) == ["Bearer ***"])
    }

    @Test func `a room that is encrypted is refused, with a sentence`() throws {
        let why = try channel().refusal(from: answer(200, #"{"algorithm":"m.megolm.v1.aes-sha2"}"#))
        #expect(
            why
                == "the room is encrypted (m.megolm.v1.aes-sha2), and this bot cannot encrypt; name a room without encryption"
        )
    }

    @Test(arguments: [
        (404, #"{"errcode":"M_NOT_FOUND","error":"Event not found."}"#), (403, #"{"errcode":"M_FORBIDDEN"}"#),
        (500, ""), (200, "<html>"), (200, "{}"), (429, #"{"errcode":"M_LIMIT_EXCEEDED"}"#),
    ])
    func `whatever else is answered keeps no message back`(status: Int, body: String) throws {
        #expect(try channel().refusal(from: answer(status, body)) == nil)
    }
}
