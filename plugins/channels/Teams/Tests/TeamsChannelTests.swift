import ChatKit
import Glibc
import PluginKit
import PluginTesting
import Testing

@testable import TeamsChannel

private let secret = "s1gn4ture"

private func channel() throws -> TeamsChannel {
    let webhook = GuardedText(pieces: [
        .plain("https://prod-12.westeurope.logic.azure.com:443/workflows/7/paths/invoke?sp=%2Ftriggers%2Frun&sig="),
        .secret(Secret(secret)),
    ])
    return try TeamsChannel(options: Options(["webhook": .text(webhook)]), context: .sample)
}

@Suite struct `Posting to Teams` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: 20_480, secrets: [secret],
            success: HTTPResponse(status: 202), bodyFlaws: teamsFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: teamsFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test(arguments: [
        (Notification.Kind.resolved, "⚪ shop: news has ended", "emphasis"),
        (.revised, "✅ shop: 97.00% at worst, resolved", "good"), (.digest, "🔴 a3, a2: 2 firing", "attention"),
        (.acknowledged, "👀 ana is on it", "attention"),
    ])
    func `the head has the colour of the headline's mark`(
        _ kind: Notification.Kind, _ headline: String, _ style: String
    ) throws {
        let message = Message(kind: kind, severity: .critical, at: ChannelConformance.now, headline: headline)
        let sent = try JSON(parsing: try #require(try channel().request(for: message)?.wireBody()?.bytes))
        let content = sent["attachments"]?.array?.first?["content"]
        #expect(content?["body"]?.array?.first?["style"]?.string == style)
    }

    @Test func `where buttons are too few, the bot's own links have theirs, and the others stand in the text`() throws {
        var message = SampleMessages.opened
        let (others, own) = ((1...4).map { "Link \($0)" }, (1...4).map { "Own \($0)" })
        message.links =
            others.map { Message.Link($0, "https://a.example/x") }
            + own.map { Message.Link($0, "https://alerts.example.com/x", isOwn: true) }
        let sent = try JSON(parsing: try #require(try channel().request(for: message)?.wireBody()?.bytes))
        let content = try #require(sent["attachments"]?.array?.first?["content"])
        #expect(content["actions"]?.array?.compactMap { $0["title"]?.string } == others.prefix(2) + own)
        let texts = content["body"]?.array?.map { block in
            (block["inlines"]?.array ?? []).compactMap { $0["text"]?.string }.joined()
        }
        #expect(texts?.contains("Link 3  ·  Link 4") == true)
    }

    @Test func `a message in another script is not larger than one in Latin letters may be`() throws {
        let message = try #require(SampleMessages.nasty.first { $0.name == "families" }?.message)
        let request = try #require(try channel().request(for: message))
        // Far below the limit as it is sent: services in between may escape it.
        #expect(try #require(request.wireBody()).bytes.count < 15_000)
    }

    @Test func `the address is used to the letter and only its origin is shown`() throws {
        let request = try #require(try channel().request(for: SampleMessages.test))
        #expect(
            request.url.reveal()
                == "https://prod-12.westeurope.logic.azure.com:443/workflows/7/paths/invoke?sp=%2Ftriggers%2Frun&sig="
                + secret)
        #expect(request.url.description == "https://prod-12.westeurope.logic.azure.com:443/***")
    }

    @Test(arguments: [
        (
            "https://acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4",
            "'webhook' is the address of an Office 365 connector, and Microsoft has switched those off"
        ),
        (
            "https://outlook.office.com/webhook/1@2/IncomingWebhook/3/4",
            "'webhook' is the address of an Office 365 connector, and Microsoft has switched those off"
        ),
        (
            "https://prod-12.westeurope.logic.azure.com:443/workflows/7/triggers/manual/paths/invoke?api-version=2016-06-01",
            "'webhook' has no 'sig=', without which the workflow accepts nothing"
        ),
        (
            "https://1.2.environment.api.powerplatform.com:443/powerautomate/automations/direct/workflows/3?api-version=1",
            "'webhook' has no 'sig=', without which the workflow accepts nothing"
        ),
    ])
    func `an address that cannot work is refused with what to do`(address: String, complaint: String) throws {
        let options = Options(["webhook": .text(GuardedText(address))])
        let problems = #expect(throws: ProblemList.self) { _ = try TeamsChannel(options: options, context: .sample) }
        #expect(problems?.problems.first?.message == complaint)
        #expect(problems?.problems.first?.advice?.isEmpty == false)
    }

    @Test func `an address of one's own is taken`() throws {
        let options = Options(["webhook": .text("https://relay.example.com/teams")])
        _ = try TeamsChannel(options: options, context: .sample)
    }

    /// For checking the payloads with the schema of Adaptive Cards: see teams_card_check.py.
    @Test(.enabled(if: getenv("TEAMS_PAYLOADS") != nil)) func `payloads are written out`() throws {
        try writeSampleBodies(of: try channel(), toFileIn: "TEAMS_PAYLOADS")
    }
}

@Suite struct `The answers of Teams` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (200, "<html>log in</html>", "ambiguous"), (200, #"{"status": "posted"}"#, "delivered"),
        (200, "Webhook message delivery failed with error: HTTP error 413", "payload"),
        (404, #"{"error": {"code": "WorkflowTriggerIsNotEnabled"}}"#, "target"), (302, "", "target"),
        (502, #"{"error": {"code": "NoResponse"}}"#, "retry"), (408, "", "retry"), (405, "", "target"),
    ])
    func `other answers have one, too`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(AnswerCase(response: response, meaning: meaning, waitSeconds: nil).agrees(with: outcome), "\(outcome)")
    }

    @Test func `a refusal says what to do`() throws {
        let body = #"{"error": {"code": "WorkflowTriggerIsNotEnabled", "message": "The trigger is off."}}"#
        let outcome = try channel().judge(
            .answered(HTTPResponse(status: 404, body: Array(body.utf8))), at: ChannelConformance.now)
        #expect(
            outcome
                == .refusedChannel(
                    "the Teams workflow answered 404: WorkflowTriggerIsNotEnabled, The trigger is off; turn the workflow on "
                        + "again"))
    }
}

@Suite struct `What Teams shows` {
    typealias Run = ChatPicture.Run

    @Test func `a message is a headline on a coloured ground, details, and buttons`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.opened, at: SampleMessages.opened.at)
        let picture = try channel().picture(of: posting)
        #expect(picture.chat == .teams)
        let red = try #require(ChatPicture.Color("#C4314B"))
        #expect(picture.blocks.first == .bar(red, [.paragraph([Run(SampleMessages.opened.headline, .bold)])]))
        guard case .paragraph(let buttons) = picture.blocks.last else {
            Issue.record("no buttons: \(picture.blocks)")
            return
        }
        #expect(buttons.map(\.text) == ["Open in Sentry", "  ·  ", "Mute 2 h", "  ·  ", "Mute 2 days"])
        #expect(picture.blocks.contains(.small([Run("crash-free-floor · incident 3k9")])))
    }
}
