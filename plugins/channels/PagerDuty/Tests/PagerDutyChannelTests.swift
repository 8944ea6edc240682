import PluginKit
import PluginTesting
import Testing

@testable import PagerDutyChannel

private let key = "0123456789abcdef0123456789abcdef"

private func channel(_ more: [String: Option.Value] = [:]) throws -> PagerDutyChannel {
    let values: [String: Option.Value] = ["routing_key": .text(GuardedText(Secret(key)))]
    return try PagerDutyChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

@Suite struct `Calling through PagerDuty` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: eventBytesMax, secrets: [key],
            success: HTTPResponse(status: 202), mergesByIncident: true, wordlessKinds: [.resolved],
            shown: { posting in
                let message = posting.message
                guard posting.isPlain else { return message }
                return Message(
                    kind: message.kind, severity: message.severity, at: message.at, headline: message.headline)
            }, bodyFlaws: pagerDutyFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: pagerDutyFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test func `an incident keeps one alert from its beginning to its end`() throws {
        let opened = try event(SampleMessages.opened)
        let resolved = try event(SampleMessages.resolved)
        #expect(opened["event_action"] == "trigger")
        #expect(resolved["event_action"] == "resolve")
        #expect(opened["dedup_key"]?.string == SampleMessages.opened.incidents.first?.id)
        #expect(opened["dedup_key"] == resolved["dedup_key"])
        #expect(resolved.object?.members.map(\.name) == ["routing_key", "event_action", "dedup_key"])
    }

    @Test func `what is over by the time it is told calls nobody`() throws {
        let over = try #require(SampleMessages.opened.incidents.first).over
        let digest = Message(
            kind: .digest, severity: .critical, at: ChannelConformance.now, headline: "🗒 over", incidents: [over])
        #expect(try event(digest)["event_action"] == "resolve")
    }

    @Test func `a test is an alert of its own, the same every time`() throws {
        let test = try event(SampleMessages.test)
        #expect(test["event_action"] == "trigger")
        #expect(test["dedup_key"] == "shop-alerts-test")
        #expect(test["payload"]?["severity"] == "info")
    }

    @Test(arguments: [
        ("Rule floor · incident 3k9", "floor · incident 3k9"), ("budget calm", "budget calm"), ("Rules", "Rules"),
    ])
    func `a detail does not begin with its own name`(footer: String, detail: String) throws {
        var message = SampleMessages.opened
        message.footer = footer
        #expect(try event(message)["payload"]?["custom_details"]?["Rule"]?.string == detail)
    }

    @Test func `the summary is fit to be read aloud`() throws {
        let summary = try event(SampleMessages.opened)["payload"]?["summary"]
        #expect(summary == "shop-ios: crash-free users 98.31% (alert below 99.0%)")
    }

    @Test(arguments: [
        ("us", "https://events.pagerduty.com/v2/enqueue"), ("eu", "https://events.eu.pagerduty.com/v2/enqueue"),
    ])
    func `events go to the account's region`(_ region: String, _ address: String) throws {
        let request = try channel(["region": .text(GuardedText(region))]).request(for: SampleMessages.test)
        #expect(request?.url.reveal() == address)
        let relayed = try channel([
            "region": .text(GuardedText(region)), "url": .text("https://relay.example.com/pd"),
        ])
        #expect(relayed.request(for: SampleMessages.test)?.url.reveal() == "https://relay.example.com/pd")
    }

    @Test(arguments: ["", "0123", "0123456789abcdef0123456789abcde!", key + "0"])
    func `what cannot be a key is refused before it is needed`(_ key: String) throws {
        #expect(throws: ProblemList.self) { try channel(["routing_key": .text(GuardedText(key))]) }
    }

    @Test func `the key is sent and never shown`() throws {
        let request = try #require(try channel().request(for: SampleMessages.opened))
        let sent = try #require(request.wireBody())
        #expect(try JSON(parsing: sent.bytes)["routing_key"]?.string == key)
        #expect(sent.contentType == "application/json; charset=utf-8")
        #expect(request.body?.shown["routing_key"] == "***")
        #expect(!"\(request)".contains(key))
    }

    private func event(_ message: Message) throws -> JSON {
        try JSON(parsing: try #require(try channel().request(for: message)?.wireBody()?.bytes))
    }
}

@Suite struct `PagerDuty's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: ["'routing_key' is wrong", "Invalid routing key", "invalid Routing Key", "Bad integration key"])
    func `a refused key says what to do, and is no refused event`(_ error: String) throws {
        let body = #"{"status":"invalid event","message":"Event object is invalid","errors":["\#(error)"]}"#
        let response = HTTPResponse(status: 400, body: Array(body.utf8))
        #expect(
            try channel().judge(.answered(response), at: ChannelConformance.now)
                == .refusedChannel(
                    "PagerDuty answered 400: Event object is invalid: \(error); copy the integration key of the "
                        + "service again"))
    }
}

@Suite struct `PagerDuty's other answers` {
    @Test(arguments: [500, 429, 413]) func `say who answered`(_ status: Int) throws {
        let outcome = try channel().judge(.answered(HTTPResponse(status: status)), at: ChannelConformance.now)
        #expect("\(outcome)".contains("PagerDuty answered \(status)"), "\(outcome)")
    }
}

@Suite struct `PagerDuty in previews` {
    @Test func `an alert is shown with what stands in it`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.opened, at: ChannelConformance.now)
        let text = try channel().picture(of: posting).text
        for word in ["crash-free users 98.31%", "Source\nshop-ios", "Users hit\n31 of 1,840", "Severity critical"] {
            #expect(text.contains(word), "\(word)")
        }
    }

    @Test func `an end says which alert it resolves`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.resolved, at: ChannelConformance.now)
        let id = try #require(SampleMessages.resolved.incidents.first?.id)
        #expect(try channel().picture(of: posting).text == "Resolves the alert \(id).")
    }
}
