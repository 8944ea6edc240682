import PluginKit
import PluginTesting
import Testing

@testable import NtfyChannel

private let topic = "x7f3a9c-crashes_prod"

private func channel(_ more: [String: Option.Value] = [:]) throws -> NtfyChannel {
    let values: [String: Option.Value] = ["topic": .text(GuardedText(Secret(topic)))]
    return try NtfyChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

private func payload(_ message: Message, isPlain: Bool = false) throws -> JSON {
    try JSON(parsing: try #require(try channel().request(for: message, isPlain: isPlain)?.wireBody()?.bytes))
}

private let taken = HTTPResponse(
    status: 200, body: Array(#"{"id":"hwQ2YpKdmg","time":1795219200,"event":"message","topic":"t"}"#.utf8))

@Suite struct `Publishing to ntfy` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(["token": .text(GuardedText(Secret("tk_s3cret")))]), audience: .people, bodyBytesMax: 30_000,
            secrets: [topic, "tk_s3cret"], success: taken,
            shown: { posting in
                var message = posting.message
                // The first link is what a touch opens.
                message.links = Array(message.links.dropFirst())
                return message
            }, bodyFlaws: ntfyFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        #expect(RandomMessages.flaws(of: try channel(), bodyFlaws: ntfyFlaws) == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test func `the topic is sent in the body and shown nowhere`() throws {
        let request = try #require(try channel().request(for: SampleMessages.opened))
        #expect(request.url.reveal() == "https://ntfy.sh/")
        #expect(try payload(SampleMessages.opened)["topic"]?.string == topic)
        #expect(request.body?.shown["topic"] == "***")
        #expect(!"\(request)".contains(topic))
        // Even if it is written into the file.
        let written = try channel(["topic": .text(GuardedText(topic))]).request(for: SampleMessages.opened)
        #expect(try !"\(#require(written))".contains(topic))
        let own = try channel(["url": .text("http://127.0.0.1:8080/")]).request(for: SampleMessages.test)
        #expect(own?.url.reveal() == "http://127.0.0.1:8080/")
    }

    @Test(arguments: [
        (Notification.Kind.resolved, "⚪ shop: news has ended", "white_circle", "shop: news has ended"),
        (.revised, "✅ shop: 97.00% at worst, resolved", "white_check_mark", "shop: 97.00% at worst, resolved"),
        (.digest, "🔴 a3, a2: 2 firing", "red_circle", "a3, a2: 2 firing"),
        (.opened, "The shop crashes", "red_circle", "The shop crashes"),
    ])
    func `the mark before a title is the headline's own`(
        _ kind: Notification.Kind, _ headline: String, _ tag: String, _ title: String
    ) throws {
        let sent = try payload(
            Message(kind: kind, severity: .critical, at: ChannelConformance.now, headline: headline))
        #expect(sent["tags"]?.array?.first?.string == tag)
        #expect(sent["title"]?.string == title)
    }

    @Test func `a touch opens the first link, and the next three are buttons`() throws {
        var message = SampleMessages.opened
        message.links = (1...6).map { Message.Link("Link \($0)", "https://a.example/\($0)") }
        let sent = try payload(message)
        #expect(sent["click"] == "https://a.example/1")
        #expect(sent["actions"]?.array?.compactMap { $0["label"]?.string } == ["Link 2", "Link 3", "Link 4"])
        #expect(sent["actions"]?.array?.first?["action"] == "view")
        message.links = []
        #expect(try payload(message)["click"] == nil)
    }

    @Test func `where buttons are too few, they are the bot's own links, and the others stand in the text`() throws {
        var message = SampleMessages.opened
        let own = ["incidents/3k9", "ack?incident=3k9", "mute?incident=3k9&for=2h", "mute?incident=3k9&for=2d"]
        message.links =
            ["sentry", "dashboard", "runbook"].map { Message.Link($0, "https://a.example/\($0)") }
            + own.map { Message.Link($0, "https://alerts.example.com/\($0)", isOwn: true) }
        let sent = try payload(message)
        #expect(sent["click"] == "https://alerts.example.com/incidents/3k9")
        #expect(sent["actions"]?.array?.compactMap { $0["label"]?.string } == Array(own.dropFirst()))
        let text = try #require(sent["message"]?.string)
        #expect(
            text.contains(
                "\nLinks:\nsentry https://a.example/sentry  ·  dashboard https://a.example/dashboard  ·  "
                    + "runbook https://a.example/runbook\n"))
        #expect(!text.contains("alerts.example.com"))
    }

    @Test(arguments: [("opened", 5), ("escalated", 4), ("resolved", 3), ("digest", 3), ("test", 3)])
    func `only what calls for somebody is loud`(_ name: String, _ priority: Double) throws {
        let message = try #require(SampleMessages.usual.first { $0.name == name }?.message)
        #expect(try payload(message)["priority"]?.number == priority)
        #expect(try payload(message, isPlain: true)["priority"]?.number == priority)
    }

    @Test func `a login is a token, or a name and a password`() throws {
        func authorization(_ options: [String: Option.Value]) throws -> String? {
            try channel(options).request(for: SampleMessages.test)?.headers.first { $0.name == "Authorization" }?
                .value.reveal()
        }
        #expect(try authorization([:]) == nil)
        #expect(try authorization(["token": .text("tk_1 ")]) == "Bearer tk_1")
        #expect(try authorization(["username": .text("bot"), "password": .text("s3cret")]) == "Basic Ym90OnMzY3JldA==")
        for wrong: [String: Option.Value] in [
            ["username": .text("bot")], ["password": .text("x")],
            ["token": .text("tk_1"), "username": .text("bot"), "password": .text("x")],
        ] {
            #expect(throws: ProblemList.self) { try channel(wrong) }
        }
    }

    @Test(arguments: ["", "a/b", "https://ntfy.sh/mine", "ö", "a b", String(repeating: "x", count: 65)])
    func `what cannot be a topic is refused before it is needed`(_ topic: String) throws {
        #expect(throws: ProblemList.self) { try channel(["topic": .text(GuardedText(topic))]) }
    }
}

@Suite struct `ntfy's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test func `the message's id is its receipt`() throws {
        let outcome = try channel().judge(.answered(taken), at: ChannelConformance.now)
        #expect(outcome == .delivered(receipt: "hwQ2YpKdmg"))
    }
}
