import PluginKit
import PluginTesting
import Testing

@testable import SlackChannel

private let token = "xoxb-12-x7f3a9c"

private func channel(_ more: [String: Option.Value] = [:]) throws -> SlackChannel {
    let values: [String: Option.Value] = [
        "token": .text(GuardedText(Secret(token))), "channel": .text("#crashes"),
    ]
    return try SlackChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

private let taken = HTTPResponse(
    status: 200, body: Array(#"{"ok":true,"channel":"C0123456789","ts":"1795219200.000100"}"#.utf8))
private let opening = "C0123456789:1795219200.000100"

/// The body of a follow-up in the thread of the opening message.
private func reply(
    _ message: Message, isPlain: Bool = false, thread: String? = opening, _ channel: SlackChannel
) throws -> JSON {
    let posting = Posting(
        id: "d-1", message: message, isPlain: isPlain, thread: thread, at: ChannelConformance.now)
    guard case .request(let request) = channel.post(posting) else { return .null }
    return try JSON(parsing: try #require(request.wireBody()?.bytes))
}

@Suite struct `Posting to Slack with a bot's token` {
    @Test func `a channel that is a secret is refused, for nobody would see where messages go`() {
        let secret = Option.Value.text(GuardedText(Secret("C0123456789")))
        let problems = #expect(throws: ProblemList.self) { _ = try channel(["channel": secret]) }
        #expect(problems?.problems.first?.message.hasPrefix("'channel' cannot be a secret") == true)
    }

    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 100_000, secrets: [token], success: taken,
            bodyFlaws: slackFlaws)
        #expect(conformance.violations() == [])
    }

    @Test(arguments: ["opened", "resolved"]) func `messages look as recorded`(_ name: String) throws {
        let message = try #require(SampleMessages.usual.first { $0.name == name }?.message)
        let request = try #require(
            try channel(["mention": .mentioning(["<!subteam^S0123>"])]).request(for: message))
        #expect(try snapshotFlaw(of: request, named: "token-\(name)") == nil)
    }

    @Test func `a digest calls whom an opening would call, where it announces one`() throws {
        let channel = try channel(["mention": .mentioning(["<!subteam^S0123>"])])
        func text(_ announces: Severity?) throws -> String {
            var digest = SampleMessages.digest
            digest.announces = announces
            let request = try #require(channel.request(for: digest))
            return String(decoding: try #require(request.wireBody()?.bytes), as: UTF8.self)
        }
        #expect(try text(.critical).contains("<!subteam^S0123>"))
        #expect(try !text(.warning).contains("S0123"))
        #expect(try !text(nil).contains("S0123"))
    }

    @Test func `the answer says which message it is`() throws {
        #expect(try channel().judge(.answered(taken), at: ChannelConformance.now) == .delivered(receipt: opening))
    }

    @Test func `what follows goes into the thread of the opening message, and an end is shown to all`() throws {
        let body = try reply(SampleMessages.resolved, channel())
        #expect(body["channel"] == "C0123456789")
        #expect(body["thread_ts"] == "1795219200.000100")
        #expect(body["reply_broadcast"] == true)
        #expect(try reply(SampleMessages.digest, channel())["reply_broadcast"] == true)
        let reminder = Message(
            kind: .reminder, severity: .critical, at: ChannelConformance.now, headline: "🔴 shop: still 98%")
        #expect(try reply(reminder, channel())["thread_ts"] == "1795219200.000100")
        #expect(try reply(reminder, channel())["reply_broadcast"] == nil)
    }

    @Test(arguments: [nil, "", "C0123456789", "C0123456789:", ":1.2", "C0123/..:1.2", "C01:1.2\n3"])
    func `what is no id of Slack's opens no thread`(_ thread: String?) throws {
        let body = try reply(SampleMessages.resolved, thread: thread, channel())
        #expect(body["channel"] == "#crashes")
        #expect(body["thread_ts"] == nil)
    }

    @Test func `the plain form refers to nothing`() throws {
        #expect(try reply(SampleMessages.resolved, isPlain: true, channel())["thread_ts"] == nil)
    }

    @Test func `the opening message is edited to say how it stands`() throws {
        func update(_ message: Message, thread: String? = opening) throws -> HTTPRequest? {
            try channel(["mention": .mentioning(["@here"])]).update(
                after: Posting(id: "d-2", message: message, thread: thread, at: ChannelConformance.now))
        }
        let request = try #require(try update(SampleMessages.resolved))
        #expect(request.url.reveal() == "https://slack.com/api/chat.update")
        #expect(try snapshotFlaw(of: request, named: "token-update") == nil)
        #expect(try update(SampleMessages.escalated) != nil)
        let repeated = Posting(
            id: "d-2", message: SampleMessages.resolved, possiblyRepeated: true, thread: opening,
            at: ChannelConformance.now)
        #expect(try channel(["mention": .mentioning(["@here"])]).update(after: repeated) == request)
        #expect(try update(SampleMessages.digest) != nil)
        for message in [SampleMessages.opened, SampleMessages.test] {
            #expect(try update(message) == nil, "\(message.kind)")
        }
        #expect(try update(SampleMessages.resolved, thread: nil) == nil)
    }

    @Test(arguments: ["https://slack.com/api", "https://slack-gov.com/api/", "https://relay.example.com"])
    func `another address of the API can be told`(_ url: String) throws {
        let request = try channel(["url": .text(GuardedText(url))]).request(for: SampleMessages.test)
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        #expect(request?.url.reveal() == "\(base)/chat.postMessage")
    }

    @Test(arguments: [
        (#"{"ok":false,"error":"not_in_channel"}"#, "invite the bot"),
        (#"{"ok":false,"error":"invalid_auth"}"#, "renew it"),
        (#"{"ok":false,"error":"messages_tab_disabled"}"#, "check 'channel' and the bot's rights"),
        (#"{"ok":false,"error":"team_access_not_granted"}"#, "renew it"),
    ])
    func `a refusal says what to do`(_ body: String, _ advice: String) throws {
        let response = HTTPResponse(status: 200, body: Array(body.utf8))
        guard case .refusedChannel(let sentence) = try channel().judge(.answered(response), at: ChannelConformance.now)
        else {
            Issue.record("it is not refused")
            return
        }
        #expect(sentence.contains(advice), "\(sentence)")
    }

    @Test func `a workspace that is moving is waited for`() throws {
        let response = HTTPResponse(status: 200, body: Array(#"{"ok":false,"error":"team_added_to_org"}"#.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(outcome == .retry(after: nil, "Slack answered 200: team_added_to_org"))
    }

    @Test(arguments: ["", "ok", "{}", "[1]", #"{"ok":1}"#])
    func `nothing but an agreement is a delivery`(_ body: String) throws {
        let response = HTTPResponse(status: 200, body: Array(body.utf8))
        guard case .unknown = try channel().judge(.answered(response), at: ChannelConformance.now) else {
            Issue.record("it is taken for something else")
            return
        }
    }
}

@Suite struct `Configuring Slack` {
    private let position = Position(line: 1, column: 1)

    private func problems(_ values: [String: Option.Value]) -> [String] {
        do {
            _ = try SlackChannel(options: Options(values), context: .sample)
            return []
        } catch {
            return error.problems.map(\.message)
        }
    }

    @Test func `one way to post, and what belongs to it`() {
        let webhook = Option.Value.text("https://hooks.slack.com/services/T0/B1/x2")
        #expect(problems([:]) == ["slack needs 'webhook', or 'token' and 'channel'"])
        #expect(problems(["token": .text("xoxb-1")])[0].contains("needs 'channel' beside 'token'"))
        #expect(problems(["token": .text("xoxb-1"), "webhook": webhook])[0].contains("expected one of them"))
        #expect(problems(["channel": .text("C1"), "webhook": webhook])[0].contains("'channel' goes with 'token'"))
        #expect(problems(["webhook": webhook]) == [])
    }

    @Test(arguments: [
        ("<!subteam^S0123>", "<!subteam^S0123>"), ("<!subteam^S0123|@oncall>", "<!subteam^S0123>"),
        ("S0123", "<!subteam^S0123>"),
        ("<@U0123>", "<@U0123>"), ("@U0123", "<@U0123>"), ("W0123", "<@W0123>"), ("@here", "<!here>"),
        ("<!channel>", "<!channel>"), ("@ana", nil), ("", nil), ("<!subteam^S01> <!channel>", nil), ("C0123", nil),
        ("<https://x|U01>", nil), ("<@USLACKBOT>", "<@USLACKBOT>"),
        // Handles, which call nobody.
        ("@SRE", nil), ("@WEBTEAM", nil), ("@US", nil), ("<@WEBTEAM>", nil),
        // What may be one, or an id without a digit.
        ("USERSUPPORT", "<@USERSUPPORT>"), ("@UDGHLJKQP", "<@UDGHLJKQP>"),
    ])
    func `who can be called`(_ written: String, _ form: String?) {
        #expect(SlackMention(written)?.text == form)
    }

    @Test func `what may be a handle is a warning, unless it is written as Slack does`() throws {
        let slack = try channel([
            "mention": .mentioning(["UDGHLJKQP", "<@UDGHLJKQP>", "@USERSUPPORT", "U0123", "@here"])
        ])
        #expect(
            slack.cautions.map(\.message)
                == ["UDGHLJKQP", "USERSUPPORT"].map { id in
                    "'\(id)' has no digit, so it may be a handle and not an id: Slack calls nobody by a handle"
                })
        #expect(
            slack.cautions.map(\.advice) == [
                "if it is the id, write <@UDGHLJKQP>", "if it is the id, write <@USERSUPPORT>",
            ])
        #expect(slack.cautions.allSatisfy { $0.level == .warning })
    }

    @Test func `who cannot be called is told at once`() {
        let told = problems(["token": .text("xoxb-1"), "channel": .text("C1"), "mention": .mentioning(["@ana"])])
        #expect(told == ["'@ana' cannot be mentioned here; expected \(SlackMention.forms)"])
    }

    @Test func `people are called when it begins and when it gets worse, and only for that severity`() throws {
        let slack = try channel(["mention": .mentioning(["S0123", "@here"])])
        func text(_ kind: Notification.Kind, _ severity: Severity, isPlain: Bool = false) throws -> String {
            let message = Message(kind: kind, severity: severity, at: ChannelConformance.now, headline: "<!channel> hi")
            return try #require(try reply(message, isPlain: isPlain, thread: nil, slack)["text"]?.string)
        }
        for kind in [Notification.Kind.opened, .escalated] {
            #expect(try text(kind, .critical).hasPrefix("<!subteam^S0123> <!here> &lt;"))
            #expect(try text(kind, .critical, isPlain: true).hasPrefix("<!subteam^S0123> <!here>\n"))
            #expect(try text(kind, .warning).hasPrefix("&lt;"))
        }
        for kind in [Notification.Kind.reminder, .resolved, .digest, .acknowledged, .revised, .closed] {
            #expect(try text(kind, .critical).hasPrefix("&lt;"), "\(kind)")
        }
    }
}
