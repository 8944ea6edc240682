import ChatKit
import PluginKit
import PluginTesting
import Testing

@testable import RocketChatChannel

private let secret = "x7f3a9c"

private func channel() throws -> RocketChatChannel {
    let webhook = GuardedText(pieces: [.plain("https://chat.example.com/hooks/5f/"), .secret(Secret(secret))])
    return try RocketChatChannel(options: Options(["webhook": .text(webhook)]), context: .sample)
}

@Suite struct `Posting to Rocket Chat` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 100_000, secrets: [secret],
            success: HTTPResponse(status: 200, body: Array(#"{"success": true}"#.utf8)), bodyFlaws: rocketChatFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: rocketChatFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test func `the plain form is text and nothing else`() throws {
        let plain = try #require(try channel().request(for: SampleMessages.opened, isPlain: true)?.wireBody()?.bytes)
        #expect(try JSON(parsing: plain).object?.members.map(\.name) == ["text"])
    }

    @Test func `nothing in a headline becomes a link`() throws {
        let message = Message(
            kind: .opened, severity: .info, at: ChannelConformance.now,
            headline: "evil.example in 4.2.1 [x](evil.example)")
        let body = try #require(try channel().request(for: message)?.wireBody()?.bytes)
        #expect(
            try JSON(parsing: body)["text"]
                == "evil.\u{200B}example in 4.2.1 [x]\u{200B}(evil.\u{200B}example)")
    }

    @Test func `only the address's origin is shown`() throws {
        let request = try #require(try channel().request(for: SampleMessages.test))
        #expect(request.url.reveal() == "https://chat.example.com/hooks/5f/" + secret)
        #expect(request.url.description == "https://chat.example.com/***")
    }
}

@Suite struct `The answers of Rocket Chat` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (404, #"{"success": false, "error": "Invalid integration id or token provided."}"#, "target"),
        (400, #"{"success": false, "error": "Invalid integration id or token provided."}"#, "target"),
        (400, #"{"success": false, "error": "invalid-channel"}"#, "target"), (302, "", "target"),
        (400, #"{"success": false, "error": "Slow down. [error-too-many-requests]"}"#, "retry"), (429, "", "retry"),
        (200, #"{"success": false, "error": "no"}"#, "payload"), (200, "<html>log in</html>", "ambiguous"),
        (200, "", "delivered"), (400, "what?", "payload"), (502, "<html>", "retry"),
    ])
    func `the words count before the status`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(AnswerCase(response: response, meaning: meaning, waitSeconds: nil).agrees(with: outcome), "\(outcome)")
    }

    @Test(
        arguments: [
            ("Error, too many requests. You must wait 42 seconds before trying this endpoint again.", 42),
            ("Error, too many requests. Please wait some seconds.", nil), ("seconds", nil), ("", nil),
        ] as [(String, Double?)])
    func `a wait in words is kept`(_ words: String, _ seconds: Double?) throws {
        let body = "{\"success\": false, \"error\": \"\(words) [error-too-many-requests]\"}"
        let response = HTTPResponse(status: 400, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(
            AnswerCase(response: response, meaning: "retry", waitSeconds: seconds).agrees(with: outcome), "\(outcome)")
    }

    @Test func `a refusal says what to do`() throws {
        let body = #"{"success": false, "error": "Invalid integration id or token provided."}"#
        let outcome = try channel().judge(
            .answered(HTTPResponse(status: 404, body: Array(body.utf8))), at: ChannelConformance.now)
        #expect(
            outcome
                == .refusedChannel(
                    "Rocket.Chat answered 404: Invalid integration id or token provided; the webhook is gone: make a new "
                        + "one and configure its address"))
    }
}

@Suite struct `What Rocket Chat shows` {
    typealias Run = ChatPicture.Run

    @Test func `a message is a headline, and details beside the colour of its severity`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.opened, at: SampleMessages.opened.at)
        let picture = try channel().picture(of: posting)
        #expect(picture.chat == .rocketchat)
        #expect(picture.blocks.first == .paragraph([Run(SampleMessages.opened.headline)]))
        guard case .bar(let color, let details) = picture.blocks.last, picture.blocks.count == 2 else {
            Issue.record("no bar: \(picture.blocks)")
            return
        }
        #expect(color.text == "#B00020")
        #expect(details.last == .paragraph([Run("Sent by", .bold), Run("\n"), Run("crash-free-floor · incident 3k9")]))
    }
}
