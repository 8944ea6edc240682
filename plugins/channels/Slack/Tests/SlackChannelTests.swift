import Glibc
import PluginKit
import PluginTesting
import Testing

@testable import SlackChannel

private let secret = "T0123/B0456/x7f3a9c"

private func channel(_ address: String = "https://hooks.slack.com/services/") throws -> SlackChannel {
    let webhook = GuardedText(pieces: [.plain(address), .secret(Secret(secret))])
    return try SlackChannel(options: Options(["webhook": .text(webhook)]), context: .sample)
}

@Suite struct `Posting to Slack` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 100_000, secrets: [secret],
            success: HTTPResponse(status: 200, body: Array("ok".utf8)), bodyFlaws: slackFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: slackFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test(arguments: [
        (Notification.Kind.resolved, "⚪ shop: news has ended", "#8C959F"),
        (.revised, "✅ shop: 97.00% at worst, resolved", "#2DA44E"), (.digest, "🔴 a3, a2: 2 firing", "#B00020"),
        (.digest, "🗒 2 incidents came and went", "#6E7781"), (.acknowledged, "👀 ana is on it", "#B00020"),
    ])
    func `the bar has the colour of the headline's mark`(
        _ kind: Notification.Kind, _ headline: String, _ color: String
    ) throws {
        let message = Message(
            kind: kind, severity: .critical, at: ChannelConformance.now, headline: headline, footer: "r")
        let body = try #require(try channel().request(for: message)?.wireBody()?.bytes)
        #expect(try JSON(parsing: body)["attachments"]?.array?.first?["color"]?.string == color)
    }

    @Test func `the plain form is text and nothing else`() throws {
        let body = try #require(try channel().request(for: SampleMessages.opened, isPlain: true)?.wireBody()?.bytes)
        let members = try #require(try JSON(parsing: body).object?.members.map(\.name))
        #expect(members == ["text", "unfurl_links", "unfurl_media"])
    }

    @Test func `the plain form loses whole lines and no half of an address`() throws {
        let message = Message(
            kind: .digest, severity: .critical, at: ChannelConformance.now, headline: "🗒 many issues",
            issues: (1...100).map { number in
                Message.IssueLine(
                    title: "issue \(number)", detail: "",
                    url: "https://a.example/?issue=\(number)&environment=production")
            }, footer: "budget calm")
        let body = try #require(try channel().request(for: message, isPlain: true)?.wireBody()?.bytes)
        let text = try #require(try JSON(parsing: body)["text"]?.string)
        let lines = Set(message.plainText.escaped.split(separator: "\n"))
        #expect(text.split(separator: "\n").filter { !lines.contains($0) } == ["…"])
        #expect(text.hasPrefix("🗒 many issues\n") && text.hasSuffix("\nbudget calm"))
        #expect((SlackLimits.textMax - 200...SlackLimits.textMax).contains(text.utf16.count))
    }

    @Test(arguments: [false, true])
    func `outside of blocks no address in a title becomes a link, and the bot's own links lead on`(
        isPlain: Bool
    ) throws {
        var message = SampleMessages.opened
        message.headline = "🔴 see https://evil.example.com/x"
        message.issues = [
            Message.IssueLine(title: "at http://evil.example.com", detail: "", url: "https://a.example/1")
        ]
        let request = try #require(try channel().request(for: message, isPlain: isPlain))
        let bytes = try #require(request.wireBody()?.bytes)
        let text = try #require(try JSON(parsing: bytes)["text"]?.string)
        #expect(text.contains("https:\u{200B}//evil.example.com/x"))
        #expect(!text.contains("://evil"))
        #expect(text.contains("https://a.example/1") == isPlain)
    }

    @Test func `an issue whose address no section takes stays without it`() throws {
        var message = SampleMessages.opened
        let address = "https://a.example/?" + String(repeating: "&", count: 900)
        message.issues = [Message.IssueLine(title: "issue", detail: "2 events", url: address)]
        let payload = try JSON(parsing: try #require(try channel().request(for: message)?.wireBody()?.bytes))
        #expect(slackFlaws(payload) == [])
        #expect(payload.text.contains("• issue — 2 events"))
    }

    @Test(arguments: ["https://hooks.slack.com/services/", "https://user:pass@hooks.slack.com:8443/"])
    func `only the address's origin is ever shown`(_ address: String) throws {
        let request = try #require(try channel(address).request(for: SampleMessages.test))
        #expect(request.url.reveal() == address + secret)
        #expect(request.url.description.hasSuffix("***"))
        for hidden in ["services", secret, "pass"] { #expect(!"\(request)".contains(hidden)) }
        let written = try SlackChannel(
            options: Options(["webhook": .text("https://hooks.slack.com/services/T0/B1/x2")]),
            context: .sample
        )
        #expect(written.request(for: SampleMessages.test)?.url.description == "https://hooks.slack.com/***")
    }

    @Test func `plain http is passed on`() throws {
        let options = Options(["webhook": .text("http://hooks.example.com/a"), "insecure": .flag(true)])
        let open = try SlackChannel(options: options, context: .sample)
        #expect(open.request(for: SampleMessages.test)?.allowsPlainHTTP == true)
        #expect(try channel().request(for: SampleMessages.test)?.allowsPlainHTTP == false)
    }

    @Test func `what does not fit is counted`() throws {
        let message = try #require(SampleMessages.nasty.first { $0.name == "500 lines" }?.message)
        let text = String(decoding: try #require(try channel().request(for: message)?.wireBody()?.bytes), as: UTF8.self)
        let shown = text.split(separator: "\\n• ").count
        #expect(shown > 10)
        let rest = try #require(text.firstMatch(of: /… and (\d+) more/)?.1)
        #expect((400..<490).contains(try #require(Int(rest))))
    }

    @Test func `where a digest is cut, what it had left out before counts, too`() throws {
        var message = Message(
            kind: .digest, severity: .critical, at: ChannelConformance.now, headline: "many",
            lines: (1...30).map { "line \($0) " + String(repeating: "x", count: 480) } + ["and 470 more"])
        message.linesLeftOut = 470
        let text = String(decoding: try #require(try channel().request(for: message)?.wireBody()?.bytes), as: UTF8.self)
        let shown = text.split(separator: "• line ").count - 1
        #expect((1..<30).contains(shown))
        #expect(text.contains("… and \(500 - shown) more"))
    }

    /// For checking the payloads with Slack's own library: see slack_blocks_check.py.
    @Test(.enabled(if: getenv("SLACK_PAYLOADS") != nil)) func `payloads are written out`() throws {
        try writeSampleBodies(of: try channel(), toFileIn: "SLACK_PAYLOADS")
    }
}

@Suite struct `Slack's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (500, "invalid_blocks", "payload"), (400, "no_service", "target"), (200, "no_text", "payload"),
        (200, "rate_limited", "retry"), (500, "{\"ok\":false,\"error\":\"invalid_token\"}", "target"),
        (200, "{\"ok\":true}", "delivered"), (200, "", "delivered"), (200, " <html>log in</html>", "ambiguous"),
        (200, "{\"ok\":false,\"error\":\"never_heard_of\"}", "payload"), (200, "{\"ok\":false}", "payload"),
        (200, "{\"ok\":false,\"error\":\"restricted_action_thread_only_channel\"}", "target"),
        (200, "{\"ok\": false, \"error\": \"Slack is unhappy\"}", "payload"),
        (200, "{\"ok\":false,\"error\":\"attachment_payload_limit_exceeded\"}", "payload"),
        (200, "{\"ok\":false,\"error\":\"message_limit_exceeded\"}", "retry"),
        (200, "{\"ok\":false,\"error\":\"external_channel_migrating\"}", "retry"),
        (200, "{\"ok\":false,\"error\":\"messages_tab_disabled\"}", "target"),
        (200, "{\"ok\":false,\"error\":\"channel_type_not_supported\"}", "target"),
        (200, "{\"ok\":false,\"error\":\"method_not_supported_for_channel_type\"}", "target"),
        (200, "{\"ok\":false,\"error\":\"enterprise_is_restricted\"}", "target"),
        (200, "{\"ok\":false,\"error\":\"not_allowed_here\"}", "target"),
        (401, "", "target"), (302, "", "target"), (400, "what?", "payload"), (504, "<html></html>", "retry"),
    ])
    func `the word counts before the status`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(AnswerCase(response: response, meaning: meaning, waitSeconds: nil).agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [(503, "", "Slack answered 503"), (502, "<html>", "Slack answered 502: <html>")])
    func `whatever is answered, it is said that Slack did`(_ status: Int, _ body: String, _ said: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        #expect(try channel().judge(.answered(response), at: ChannelConformance.now) == .retry(after: nil, said))
    }

    @Test func `a refusal says what to do`() throws {
        let gone = HTTPResponse(status: 404, body: Array("no_service".utf8))
        let expected =
            "Slack answered 404: no_service; the webhook is gone or was never valid: make a new one and "
            + "configure it"
        #expect(try channel().judge(.answered(gone), at: ChannelConformance.now) == .refusedChannel(expected))
    }
}

@Suite struct `Text for Slack` {
    @Test(arguments: [
        ("a & b <c> d", "a &amp; b &lt;c&gt; d"),
        ("<!channel> <@U123> <#C1|x>", "&lt;\u{200B}!channel&gt; &lt;\u{200B}@U123&gt; &lt;\u{200B}#C1|x&gt;"),
        ("@channel @Everyone a@b", "@\u{200B}channel @\u{200B}Everyone a@b"), ("```x", "`\u{200B}`\u{200B}`x"),
        ("a\u{202E}b\n\tc\u{1B}[31m", "ab  c[31m"), ("&lt;", "&amp;lt;"),
    ])
    func `mentions, links and fences are broken`(_ text: String, _ expected: String) {
        #expect(text.cut(to: 1000).escaped == expected)
    }

    @Test(arguments: [0, 1, 2, 5, 6, 10, 40, 99, 100, 101]) func `a text is cut after escaping`(_ limit: Int) {
        for text in [String(repeating: "&", count: 20), String(repeating: "👨‍👩‍👧‍👦", count: 9), "0123456789&<>"] {
            let cut = text.cut(to: limit).escaped
            #expect(cut.utf16.count <= max(limit, 1))
            // No half of an entity is left, and no half of a family.
            #expect(!cut.replacing(/&(amp|lt|gt);/, with: "").contains("&"))
            #expect(!cut.hasSuffix("\u{200D}"))
        }
    }

    @Test func `the middle goes first`() {
        #expect("0123456789".cut(to: 5) == "01…89")
        #expect("0123456789".cut(to: 10) == "0123456789")
    }

    @Test(arguments: [
        ("https://a.example/?x=1&y=2", "<https://a.example/?x=1&amp;y=2|a ¦ b&gt;>"),
        ("https://a.example/|b>c", "<https://a.example/%7Cb%3Ec|a ¦ b&gt;>"),
        ("https://a.example/" + String(repeating: "é", count: 300), nil),
        ("https://a.example/%20é", "<https://a.example/%20%C3%A9|a ¦ b&gt;>"),
        ("javascript:alert(1)", nil), ("", nil), ("//a.example", nil),
    ])
    func `links lead to the web and cannot be broken out of`(_ url: String, _ expected: String?) {
        #expect(url.webAddress(bytesMax: 1000).map { String.slackLink("a | b>", $0) } == expected)
    }
}
