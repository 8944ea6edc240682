import ChatKit
import PluginKit
import PluginTesting
import Testing

@testable import GoogleChatChannel

private let secret = "x7f3a9c"

private func channel() throws -> GoogleChatChannel {
    let webhook = GuardedText(pieces: [
        .plain("https://chat.googleapis.com/v1/spaces/A/messages?key=k&token="), .secret(Secret(secret)),
    ])
    return try GoogleChatChannel(options: Options(["webhook": .text(webhook)]), context: .sample)
}

@Suite struct `Posting to Google Chat` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 32_000, secrets: [secret],
            success: HTTPResponse(status: 200, body: Array(#"{"name": "spaces/A/messages/B.B"}"#.utf8)),
            bodyFlaws: googleChatFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: googleChatFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test func `the plain form is text and nothing else`() throws {
        let plain = try #require(try channel().request(for: SampleMessages.opened, isPlain: true)?.wireBody()?.bytes)
        #expect(try JSON(parsing: plain).object?.members.map(\.name) == ["text"])
    }

    @Test func `what follows an opening goes into its thread, but for the plain form`() throws {
        let created = #"{"name": "spaces/A/messages/B.B", "thread": {"name": "spaces/A/threads/C"}}"#
        let answer = HTTPResponse(status: 200, body: Array(created.utf8))
        let outcome = try channel().judge(.answered(answer), at: ChannelConformance.now)
        #expect(outcome == .delivered(receipt: "spaces/A/threads/C"))
        for isPlain in [false, true] {
            let posting = Posting(
                id: "d-2", message: SampleMessages.resolved, isPlain: isPlain, thread: "spaces/A/threads/C",
                at: ChannelConformance.now)
            #expect(try channel().payload(posting)["thread"] == (isPlain ? nil : ["name": "spaces/A/threads/C"]))
        }
    }

    @Test func `the address is used as it is written, and asks for threads`() throws {
        let request = try #require(try channel().request(for: SampleMessages.test))
        let option = "messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD"
        #expect(
            request.url.reveal() == "https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=\(secret)&\(option)")
        #expect(request.url.description == "https://chat.googleapis.com/***&\(option)")
    }

    @Test(arguments: [
        ("https://chat.googleapis.com/v1/spaces/AAA/messages?key=k&token=t", "AAA"),
        ("https://relay.example.com/v1/spaces/AAA/messages?key=l&token=u", "AAA"),
        ("https://relay.example.com/chat", nil),
    ])
    func `the space is its home, whatever the key and the token`(address: String, home: String?) throws {
        let options = Options(["webhook": .text(GuardedText(Secret(address)))])
        #expect(try GoogleChatChannel(options: options, context: .sample).home == home)
    }

    @Test func `an address that a shell has cut is refused with what to do`() throws {
        let options = Options(["webhook": .text("https://chat.googleapis.com/v1/spaces/A/messages?key=k")])
        let problems = #expect(throws: ProblemList.self) {
            _ = try GoogleChatChannel(options: options, context: .sample)
        }
        #expect(
            problems?.problems.first?.advice
                == "copy the whole address, and put it between quotes where a shell reads it: it has '&' in it")
    }
}

@Suite struct `Google Chat's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (401, #"{"error": {"status": "UNAUTHENTICATED"}}"#, "target"),
        (503, #"{"error": {"status": "UNAVAILABLE"}}"#, "retry"),
        (200, "<html>log in</html>", "ambiguous"), (200, "{}", "ambiguous"), (404, "<html>", "target"),
        (400, "what?", "payload"), (429, "", "retry"), (302, "", "target"), (500, "", "retry"),
    ])
    func `other answers have one, too`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(AnswerCase(response: response, meaning: meaning, waitSeconds: nil).agrees(with: outcome), "\(outcome)")
    }

    @Test func `a refusal says what to do`() throws {
        let body = #"{"error": {"code": 404, "message": "Space not found.", "status": "NOT_FOUND"}}"#
        let outcome = try channel().judge(
            .answered(HTTPResponse(status: 404, body: Array(body.utf8))), at: ChannelConformance.now)
        #expect(
            outcome
                == .refusedChannel(
                    "Google Chat answered 404: NOT_FOUND, Space not found; the space or the webhook is gone: make a new "
                        + "one and configure its address"))
    }

    @Test func `a key that is not valid is no fault of the card`() throws {
        let body = """
            {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", \
            "status": "INVALID_ARGUMENT", \
            "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}}
            """
        let outcome = try channel().judge(
            .answered(HTTPResponse(status: 400, body: Array(body.utf8))), at: ChannelConformance.now)
        #expect(
            outcome
                == .refusedChannel(
                    "Google Chat answered 400: INVALID_ARGUMENT, API key not valid. Please pass a valid API key; copy "
                        + "the webhook's whole address again"))
    }
}

@Suite struct `What Google Chat shows` {
    typealias Run = ChatPicture.Run

    @Test func `a message is a headline and a card`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.opened, at: SampleMessages.opened.at)
        let picture = try channel().picture(of: posting)
        #expect(picture.chat == .googleChat)
        #expect(picture.blocks.first == .paragraph([Run(SampleMessages.opened.headline)]))
        guard case .bar(_, let details) = picture.blocks.last, picture.blocks.count == 2 else {
            Issue.record("no card: \(picture.blocks)")
            return
        }
        #expect(details.last == .small([Run("crash-free-floor · incident 3k9")]))
        let issue = "https://crashes.example.com/issues/7f3a9c?project=1&query=is%3Aunresolved"
        #expect(
            details.contains {
                if case .paragraph(let runs) = $0 {
                    runs.contains(Run("EXC_BAD_ACCESS in Renderer.draw(_:)", link: issue))
                } else {
                    false
                }
            })
    }
}
