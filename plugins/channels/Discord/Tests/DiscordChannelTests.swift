import ChatKit
import Glibc
import PluginKit
import PluginTesting
import Testing

@testable import DiscordChannel

private let secret = "1200/x7f3a9c"

private func channel(
    _ address: String = "https://discord.com/api/webhooks/", _ query: String = ""
) throws -> DiscordChannel {
    let webhook = GuardedText(pieces: [.plain(address), .secret(Secret(secret)), .plain(query)])
    return try DiscordChannel(options: Options(["webhook": .text(webhook)]), context: .sample)
}

@Suite struct `Posting to Discord` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 100_000, secrets: [secret],
            success: HTTPResponse(status: 200, body: Array(#"{"id": "1200"}"#.utf8)), bodyFlaws: discordFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: discordFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test func `the opening message is edited to say how it stands`() throws {
        func update(
            _ message: Message, thread: String? = "1200", isPlain: Bool = false, query: String = ""
        ) throws -> HTTPRequest? {
            try channel("https://discord.com/api/webhooks/", query).update(
                after: Posting(
                    id: "d-2", message: message, isPlain: isPlain, thread: thread, at: ChannelConformance.now))
        }
        let edit = try #require(try update(SampleMessages.resolved, query: "?thread_id=1100"))
        #expect(edit.method == .patch)
        #expect(
            edit.url.reveal()
                == "https://discord.com/api/webhooks/\(secret)/messages/1200?thread_id=1100&wait=true")
        #expect(!edit.url.description.contains(secret))
        #expect(try snapshotFlaw(of: edit, named: "edit") == nil)
        #expect(try update(SampleMessages.digest) != nil)
        for message in [SampleMessages.opened, SampleMessages.test] {
            #expect(try update(message) == nil, "\(message.kind)")
        }
        #expect(try update(SampleMessages.resolved, thread: "1200:1200") == update(SampleMessages.resolved))
        // Another webhook's message cannot be changed.
        for thread in [nil, "", "../../x", "12/3", "1200:77", "1200:x"] {
            #expect(try update(SampleMessages.resolved, thread: thread) == nil)
        }
        #expect(try update(SampleMessages.resolved, isPlain: true) == nil)
    }

    @Test func `the plain form is text and nothing else`() throws {
        let plain = try #require(try channel().request(for: SampleMessages.opened, isPlain: true))
        #expect(try snapshotFlaw(of: plain, named: "opened-plain") == nil)
    }

    @Test(arguments: [
        ("", "?wait=true"), ("?thread_id=1100", "?thread_id=1100&wait=true"),
        ("?thread_id=1100&with=%20a", "?thread_id=1100&with=%20a&wait=true"),
    ])
    func `the address is used as it is written, and asks for the message`(query: String, sent: String) throws {
        let request = try #require(
            try channel("https://discord.com/api/webhooks/", query).request(for: SampleMessages.test))
        #expect(request.url.reveal() == "https://discord.com/api/webhooks/" + secret + sent)
        #expect(request.url.description == "https://discord.com/***" + (query.isEmpty ? "?wait=true" : "&wait=true"))
    }

    @Test(arguments: [
        ("?thread_id=1100", "1100"), ("?wait=true&thread_id=1100", "1100"), ("?thread_id=x", nil), ("", nil),
    ])
    func `a thread is its home, and no webhook`(query: String, home: String?) throws {
        #expect(try channel("https://discord.com/api/webhooks/", query).home == home)
    }

    @Test(arguments: [
        ("https://discord.com/api/webhooks/1/x/slack", "remove /slack from its end"),
        ("https://discord.com/api/webhooks/1/x/github?wait=true", "remove /github from its end"),
        ("https://discord.com/channels/1/2", "in the channel's settings, under Integrations, copy a webhook's URL"),
        ("https://ptb.discord.com/", "in the channel's settings, under Integrations, copy a webhook's URL"),
    ])
    func `what cannot be a webhook is refused`(address: String, advice: String) throws {
        let options = Options(["webhook": .text(GuardedText(address))])
        let problems = #expect(throws: ProblemList.self) {
            _ = try DiscordChannel(options: options, context: .sample)
        }
        #expect(problems?.problems.first?.advice == advice)
    }

    @Test(arguments: [
        "https://canary.discord.com/api/webhooks/1/x", "https://discordapp.com/api/v10/webhooks/1/x",
        "https://relay.example.com/discord",
    ])
    func `every form of the address is taken`(address: String) throws {
        _ = try DiscordChannel(options: Options(["webhook": .text(GuardedText(address))]), context: .sample)
    }

    /// For checking the payloads with discord.py: see discord_embed_check.py.
    @Test(.enabled(if: getenv("DISCORD_PAYLOADS") != nil)) func `payloads are written out`() throws {
        try writeSampleBodies(of: try channel(), toFileIn: "DISCORD_PAYLOADS")
    }
}

@Suite struct `Discord's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (500, #"{"message": "Unknown Webhook", "code": 10015}"#, "target"),
        (429, #"{"message": "Slow down", "code": 20028, "retry_after": 0.5}"#, "retry"),
        (400, #"{"code": 50035, "errors": {"thread_id": {"_errors": [{"message": "not a snowflake"}]}}}"#, "target"),
        (400, #"{"code": 160005, "message": "Thread is locked"}"#, "target"),
        (200, "<html>log in</html>", "ambiguous"), (200, "{}", "ambiguous"), (400, "what?", "payload"),
        (503, #"{"code": 130000}"#, "retry"), (404, "", "target"),
    ])
    func `the code counts before the status`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        let wait = body.contains("0.5") ? 0.5 : nil
        #expect(AnswerCase(response: response, meaning: meaning, waitSeconds: wait).agrees(with: outcome), "\(outcome)")
    }

    @Test func `a firewall's refusal asks for no new webhook`() throws {
        let response = HTTPResponse(status: 403, body: Array("error code: 1010".utf8))
        #expect(
            try channel().judge(.answered(response), at: ChannelConformance.now)
                == .refusedChannel(
                    "Discord answered 403: error code: 1010; Discord's firewall or a proxy in between blocks this "
                        + "machine, the webhook may be good"))
    }

    @Test func `the receipt is the message's id`() throws {
        let response = HTTPResponse(status: 200, body: Array(#"{"id": "1200", "channel_id": "1"}"#.utf8))
        #expect(
            try channel().judge(.answered(response), at: ChannelConformance.now) == .delivered(receipt: "1200"))
        let named = HTTPResponse(status: 200, body: Array(#"{"id": "1200", "webhook_id": "77"}"#.utf8))
        #expect(
            try channel().judge(.answered(named), at: ChannelConformance.now) == .delivered(receipt: "1200:77"))
    }

    @Test func `a refusal says what Discord found and what to do`() throws {
        func outcome(_ status: Int, _ body: String) throws -> DeliveryOutcome {
            try channel().judge(
                .answered(HTTPResponse(status: status, body: Array(body.utf8))), at: ChannelConformance.now)
        }
        #expect(
            try outcome(404, #"{"message": "Unknown Webhook", "code": 10015}"#)
                == .refusedChannel(
                    "Discord answered 404: Unknown Webhook, code 10015; the webhook is gone: make a new one in the "
                        + "channel's settings and configure it"))
        let invalid =
            #"{"message": "Invalid Form Body", "code": 50035, "errors": {"embeds": {"0": {"description": {"_errors": "#
            + #"[{"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 4096 or fewer in length."}]}}}}}"#
        #expect(
            try outcome(400, invalid)
                == .refusedBody(
                    "Discord answered 400: Invalid Form Body, embeds.0.description: Must be 4096 or fewer in length, "
                        + "code 50035"))
    }
}

@Suite struct `What Discord shows` {
    typealias Run = ChatPicture.Run

    @Test func `a message is a headline, and details beside the colour of its severity`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.opened, at: SampleMessages.opened.at)
        let picture = try channel().picture(of: posting)
        #expect(picture.chat == .discord)
        #expect(picture.blocks.first == .paragraph([Run(SampleMessages.opened.headline, .bold)]))
        guard case .bar(let color, let details) = picture.blocks.last, picture.blocks.count == 2 else {
            Issue.record("no bar: \(picture.blocks)")
            return
        }
        #expect(color.text == "#B00020")
        #expect(details.last == .small([Run("crash-free-floor · incident 3k9")]))
        #expect(details.contains { if case .fields(let rows) = $0 { rows.count == 4 } else { false } })
    }
}
