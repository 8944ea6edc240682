import ChatKit
import PluginKit
import PluginTesting
import Testing

@testable import MattermostChannel

private let secret = "x7f3a9c"

private func channel() throws -> MattermostChannel {
    let webhook = GuardedText(pieces: [.plain("https://chat.example.com/hooks/"), .secret(Secret(secret))])
    return try MattermostChannel(options: Options(["webhook": .text(webhook)]), context: .sample)
}

@Suite struct `Posting to Mattermost` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 100_000, secrets: [secret],
            success: HTTPResponse(status: 200, body: Array("ok".utf8)), bodyFlaws: mattermostFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: mattermostFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test func `the plain form is text and nothing else`() throws {
        let plain = try #require(try channel().request(for: SampleMessages.opened, isPlain: true)?.wireBody()?.bytes)
        #expect(try JSON(parsing: plain).object?.members.map(\.name) == ["text"])
    }

    @Test func `only the address's origin is shown`() throws {
        let request = try #require(try channel().request(for: SampleMessages.test))
        #expect(request.url.reveal() == "https://chat.example.com/hooks/" + secret)
        #expect(request.url.description == "https://chat.example.com/***")
    }
}

@Suite struct `Mattermost's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (200, "<html>log in</html>", "ambiguous"), (200, "", "delivered"), (404, "<html>", "target"),
        (403, #"{"id": "web.incoming_webhook.permissions.app_error"}"#, "target"), (429, "limit exceeded", "retry"),
        (400, #"{"id": "web.incoming_webhook.split_props_length.app_error"}"#, "payload"), (302, "", "target"),
        (502, "<html>", "retry"),
    ])
    func `other answers have one, too`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(AnswerCase(response: response, meaning: meaning, waitSeconds: nil).agrees(with: outcome), "\(outcome)")
    }

    @Test func `a refusal says what to do`() throws {
        let body =
            #"{"id": "web.incoming_webhook.invalid.app_error", "message": "Invalid webhook.", "status_code": 400}"#
        let outcome = try channel().judge(
            .answered(HTTPResponse(status: 400, body: Array(body.utf8))), at: ChannelConformance.now)
        #expect(
            outcome
                == .refusedChannel(
                    "Mattermost answered 400: Invalid webhook, web.incoming_webhook.invalid.app_error; the webhook is gone: "
                        + "make a new one and configure its address"))
    }
}

@Suite struct `What Mattermost shows` {
    typealias Run = ChatPicture.Run

    @Test func `a message is a headline, and details beside the colour of its severity`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.opened, at: SampleMessages.opened.at)
        let picture = try channel().picture(of: posting)
        #expect(picture.chat == .mattermost)
        #expect(picture.blocks.first == .paragraph([Run(SampleMessages.opened.headline, .bold)]))
        guard case .bar(let color, let details) = picture.blocks.last, picture.blocks.count == 2 else {
            Issue.record("no bar: \(picture.blocks)")
            return
        }
        #expect(color.text == "#B00020")
        #expect(details.last == .small([Run("crash-free-floor · incident 3k9")]))
    }
}
