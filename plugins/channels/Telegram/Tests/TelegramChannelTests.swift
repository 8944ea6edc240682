import PluginKit
import PluginTesting
import Testing

@testable import TelegramChannel

private let token = "123456:x7f3a9c-AbC"

private func channel(_ more: [String: Option.Value] = [:]) throws -> TelegramChannel {
    let values: [String: Option.Value] = [
        "token": .text(GuardedText(Secret(token))), "chat": .text("-1001234567890"),
    ]
    return try TelegramChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

private let taken = HTTPResponse(status: 200, body: Array(#"{"ok":true,"result":{"message_id":4242}}"#.utf8))

private func payload(
    _ message: Message, isPlain: Bool = false, thread: String? = nil, _ channel: TelegramChannel
) throws -> JSON {
    let posting = Posting(id: "d-1", message: message, isPlain: isPlain, thread: thread, at: ChannelConformance.now)
    guard case .request(let request) = channel.post(posting) else { return .null }
    return try JSON(parsing: try #require(request.wireBody()?.bytes))
}

@Suite struct `Posting to Telegram` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 30_000, secrets: [token], success: taken,
            bodyFlaws: telegramFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        #expect(RandomMessages.flaws(of: try channel(), bodyFlaws: telegramFlaws) == [])
    }

    @Test(arguments: 0...12) func `a preview has the links that are sent, which have seals`(_ others: Int) throws {
        let bot = BotAddress("https://alerts.example.com/of-a-team-with-a-long-name")
        let own = [
            bot.page(ofIncident: "2ea022l6c37e1"), bot.acknowledging("2ea022l6c37e1"),
            bot.muting("2ea022l6c37e1", for: "2h"), bot.muting("2ea022l6c37e1", for: "2d"),
        ]
        var message = SampleMessages.opened
        let chance = String(repeating: "x", count: 15 * others)
        message.links =
            [Message.Link("Dashboard", "https://a.example/\(chance)"), Message.Link("Runbook", "https://a.example/r")]
            + zip(["Incident", "Acknowledge", "Mute 2 h", "Mute 2 days"], own).map {
                Message.Link($0, $1, isOwn: true)
            }
        func titles() throws -> [String] {
            let lines = try payload(message, channel())["text"]?.string?.split(separator: "\n") ?? []
            let links = lines.drop { $0 != "<b>Links:</b>" }.dropFirst().first ?? ""
            return links.split(separator: "  ·  ").map { String($0.replacing(/<[^>]*>/, with: "")) }
        }
        let before = try titles()
        #expect(before.filter { !["Dashboard", "Runbook", "… and 1 more", "… and 2 more"].contains($0) }.count == 4)
        message.links = message.links.map { link in
            guard bot.errand(of: link.url) != nil else { return link }
            let seal = String(repeating: "a", count: BotAddress.sealCount)
            return Message.Link(
                link.title, BotAddress.sealed(link.url, until: 1_795_298_400, by: seal), isOwn: true)
        }
        #expect(try titles() == before)
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test func `the token is part of the address, and never shown`() throws {
        let request = try #require(try channel().request(for: SampleMessages.test))
        #expect(request.url.reveal() == "https://api.telegram.org/bot\(token)/sendMessage")
        #expect(request.url.description == "https://api.telegram.org/bot***/sendMessage")
        #expect(!"\(request)".contains(token))
        let own = try channel(["url": .text("http://127.0.0.1:8081/")]).request(for: SampleMessages.test)
        #expect(own?.url.reveal() == "http://127.0.0.1:8081/bot\(token)/sendMessage")
    }

    @Test func `what follows answers the opening, but for the plain form`() throws {
        #expect(try channel().judge(.answered(taken), at: ChannelConformance.now) == .delivered(receipt: "4242"))
        let rich = try payload(SampleMessages.resolved, thread: "4242", channel())
        #expect(rich["reply_parameters"] == ["message_id": 4242, "allow_sending_without_reply": true])
        #expect(
            try payload(SampleMessages.resolved, isPlain: true, thread: "4242", channel())["reply_parameters"] == nil)
        #expect(try payload(SampleMessages.resolved, thread: "$x", channel())["reply_parameters"] == nil)
    }

    @Test func `the opening message is edited to say how it stands`() throws {
        func update(_ message: Message, thread: String? = "4242") throws -> HTTPRequest? {
            try channel().update(
                after: Posting(id: "d-2", message: message, thread: thread, at: ChannelConformance.now))
        }
        #expect(try snapshotFlaw(of: try #require(try update(SampleMessages.resolved)), named: "edit") == nil)
        #expect(try update(SampleMessages.digest) != nil)
        for message in [SampleMessages.opened, SampleMessages.test] {
            #expect(try update(message) == nil, "\(message.kind)")
        }
        #expect(try update(SampleMessages.resolved, thread: nil) == nil)
    }

    @Test func `a topic is named with every message`() throws {
        #expect(try payload(SampleMessages.test, channel(["topic": .integer(17)]))["message_thread_id"] == 17)
        #expect(try payload(SampleMessages.test, channel())["message_thread_id"] == nil)
    }

    @Test func `General is no topic, though its link shows one`() {
        let problems = #expect(throws: ProblemList.self) { try channel(["topic": .integer(1)]) }
        #expect(problems?.problems.map(\.message) == ["'topic' is 1, but General has no id of its own"])
        #expect(problems?.problems.first?.advice == "leave 'topic' out")
    }

    @Test(arguments: [
        ("-1001234567890", JSON.int(-1_001_234_567_890)), ("42", 42), ("@shop_alerts", "@shop_alerts"), ("0", nil),
        ("shop", nil), ("@", nil), ("9999999999999999999", nil), ("4503599627370496", nil),
        ("-9223372036854775808", nil), ("@a b", nil), ("@a.b-c", nil), ("@ana", nil), ("@news", "@news"),
    ])
    func `a chat is an id or a name`(_ written: String, _ expected: JSON?) {
        #expect(TelegramPlace(written, topic: nil)?.chat == expected)
    }

    @Test(arguments: ["", "abc", "123:a/b", "123:a b", "123"]) func `what cannot be a token is refused`(_ token: String)
    {
        #expect(throws: ProblemList.self) { try channel(["token": .text(GuardedText(token))]) }
    }

    @Test func `people are called when it begins and when it gets worse`() throws {
        let telegram = try channel(["mention": .mentioning(["@ana_lopez"])])
        for kind in Notification.Kind.allCases {
            for isPlain in [false, true] {
                let message = Message(
                    kind: kind, severity: .critical, at: ChannelConformance.now, headline: "@room it crashes")
                let text = try payload(message, isPlain: isPlain, telegram)["text"]?.string ?? ""
                #expect(text.hasPrefix("@ana_lopez ") == [.opened, .escalated].contains(kind), "\(text)")
            }
        }
    }

    @Test(arguments: ["@a.b-c", "@ana", "ana_lopez", "@" + String(repeating: "x", count: 33)])
    func `who cannot be called is told at once`(_ name: String) {
        let problems = #expect(throws: ProblemList.self) { _ = try channel(["mention": .mentioning([name])]) }
        #expect(
            problems?.problems.map(\.message) == [
                "'\(name)' cannot be mentioned here; expected a name such as @ana_lopez"
            ])
    }

    /// A text with tags in it cannot be cut anywhere.
    @Test(arguments: SampleMessages.nasty.filter { [.opened, .escalated].contains($0.message.kind) }.map(\.name))
    func `the card gives way where many are called`(_ name: String) throws {
        let names = (10..<30).map { "@" + String(repeating: "x", count: 30) + "\($0)" }
        let telegram = try channel(["mention": .mentioning(names, for: Severity.allCases)])
        let message = try #require(SampleMessages.nasty.first { $0.name == name }?.message)
        let text = try payload(message, telegram)["text"]?.string ?? ""
        #expect(names.allSatisfy(text.contains))
        #expect(text.utf16.count <= TelegramLimits.textMax)
        func count(_ tag: String) -> Int { text.indices.count { text[$0...].hasPrefix(tag) } }
        for tag in ["a", "b", "i", "code", "pre"] {
            let opened = count("<\(tag)>") + count("<\(tag) ")
            #expect(opened == count("</\(tag)>"), "\(tag): \(text)")
        }
    }
}

@Suite struct `Telegram's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (400, #"{"ok":false,"parameters":{"migrate_to_chat_id":-1009876543210}}"#, "set 'chat' to -1009876543210"),
        (400, #"{"ok":false,"description":"Bad Request: message thread not found"}"#, "check 'topic'"),
        (400, #"{"ok":false,"description":"Bad Request: TOPIC_DELETED"}"#, "check 'topic'"),
        (400, #"{"ok":false,"description":"Bad Request: TOPIC_CLOSED"}"#, "open the topic again"),
        (
            400, #"{"ok":false,"description":"Bad Request: need administrator rights in the channel chat"}"#,
            "let the bot write there"
        ),
        (
            400, #"{"ok":false,"description":"Bad Request: not enough rights to send text messages to the chat"}"#,
            "let the bot write there"
        ),
        (
            400, #"{"ok":false,"description":"Bad Request: have no rights to send a message"}"#,
            "let the bot write there"
        ),
        (
            400, #"{"ok":false,"description":"Bad Request: have no write access to the chat"}"#,
            "let the bot write there"
        ),
        (400, #"{"ok":false,"description":"Bad Request: CHAT_WRITE_FORBIDDEN"}"#, "let the bot write there"),
        (400, #"{"ok":false,"description":"Bad Request: CHAT_ADMIN_REQUIRED"}"#, "let the bot write there"),
        (404, #"{"ok":false,"description":"Not Found"}"#, "check 'token'"), (405, "", "is 'url' the address"),
    ])
    func `a refusal says what to do`(_ status: Int, _ body: String, _ advice: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        guard case .refusedChannel(let sentence) = try channel().judge(.answered(response), at: ChannelConformance.now)
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(sentence.contains(advice), "\(sentence)")
    }
}
