import PluginKit
import PluginTesting
import Testing

@testable import WebhookChannel

private func channel(
    _ body: String, url: GuardedText = "https://hooks.example.com/x", _ more: [String: Option.Value] = [:]
) throws -> WebhookChannel {
    let values: [String: Option.Value] = ["url": .text(url), "body": .text(GuardedText(body))]
    return try WebhookChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

/// The recipe of the page, for Opsgenie's successor.
private let alerts = """
    {"message": "{{title}}", "alias": "{{incident.id}}", "entity": "{{incident.app}}", "tags": ["{{severity}}"],
     "description": "{{reason}}\\n{{#issues}}- {{title}}\\n{{/issues}}", "note": null, "retries": 3}
    """

@Suite struct `Bodies of one's own` {
    @Test func `texts are filled in and the rest stays as it is`() throws {
        let request = try #require(try channel(alerts).request(for: SampleMessages.opened))
        let json = try JSON(parsing: try #require(request.wireBody()?.bytes))
        #expect(json["message"]?.string == "shop-ios: crash-free users 98.31% (alert below 99.0%)")
        #expect(json["alias"]?.string == SampleMessages.opened.incidents.first?.id)
        #expect(json["tags"] == ["critical"])
        #expect(json["note"] == .null)
        #expect(json["retries"] == 3)
        #expect(json["description"]?.string?.hasSuffix("\n- NSRangeException in -[Feed item:]\n") == true)
        #expect(request.headers.map(\.name) == ["webhook-id", "webhook-timestamp"])
    }

    @Test func `whatever a title says, the body is the same object and calls nobody`() throws {
        let channel = try channel(alerts)
        for (name, message) in SampleMessages.nasty {
            let request = try #require(channel.request(for: message))
            let bytes = try #require(request.wireBody()?.bytes)
            let json = try JSON(parsing: bytes)
            #expect(json["retries"] == 3, "\(name)")
            #expect(bytes.count < 100_000, "\(name)")
            #expect(!String(decoding: bytes, as: UTF8.self).contains("@everyone"), "\(name)")
        }
    }

    @Test func `what is far too long is cut and stays the same interface`() throws {
        let lists = try channel(
            "{\"title\": \"{{title}}\", \"ids\": \"{{#incidents}}{{#incidents}}{{id}} {{/incidents}}{{/incidents}}\"}")
        let crowd = try #require(SampleMessages.nasty.map(\.message).max { $0.incidents.count < $1.incidents.count })
        #expect(crowd.incidents.count >= 500)
        let bytes = try #require(lists.request(for: crowd)?.wireBody()?.bytes)
        let json = try JSON(parsing: bytes)
        #expect(json["title"] == "500 incidents")
        #expect(json["ids"]?.string?.hasPrefix("\(crowd.incidents[0].id) ") == true)
        #expect(bytes.count < 16_000)
    }

    @Test func `an address may depend on what happened, and what is in it stays one piece`() throws {
        let url: GuardedText =
            "https://api.example.com/\(Secret("k3y"))/alerts{{#is_resolved}}/{{incident.app}}/close{{/is_resolved}}?by=bot"
        let channel = try channel("{}", url: url)
        #expect(
            try #require(channel.request(for: SampleMessages.opened)).url.reveal()
                == "https://api.example.com/k3y/alerts?by=bot")
        var end = SampleMessages.resolved
        end.incidents = end.incidents.map { _ in
            IncidentSummary(
                Incident(
                    rule: "r", subject: Subject(source: "s", app: "a/../b?c#\u{F8FF}é"), labels: [:], severity: .info,
                    since: end.at, evidence: Evidence(sentence: "")))
        }
        let closing = try #require(channel.request(for: end)).url
        #expect(closing.reveal() == "https://api.example.com/k3y/alerts/a%2F..%2Fb%3Fc%23%EF%A3%BF%C3%A9/close?by=bot")
        #expect(closing.description.contains("***"))
        #expect(!closing.description.contains("k3y"))
    }

    @Test func `labels are there, and all is in the language of the message`() throws {
        let channel = try channel(
            #"{"text": "[{{labels.team}}] {{incident.metric}} {{incident.limit}}"}"#,
            url: "https://hooks.example.com/{{labels.team}}/x")
        var message = SampleMessages.opened
        message.labels = ["team": "pay/in"]
        message.words = .spanish
        let request = try #require(channel.request(for: message))
        #expect(request.url.reveal() == "https://hooks.example.com/pay%2Fin/x")
        let text = try JSON(parsing: try #require(request.wireBody()?.bytes))["text"]?.string
        #expect(text?.hasPrefix("[pay/in] usuarios sin fallos por debajo de 99") == true, "\(text ?? "")")
    }

    @Test(arguments: [("..", ".._"), (".", "._"), ("...", "..."), ("1.0", "1.0"), ("../x", "..%2Fx"), ("", "")])
    func `no value leads to another path of an address`(release: String, written: String) throws {
        let address = "https://hooks.example.com/tenant-a/hooks/"
        var end = SampleMessages.resolved
        func url(_ template: String) throws -> String {
            try #require(try channel("{}", url: GuardedText(address + template)).request(for: end)).url.reveal()
        }
        end.incidents = end.incidents.map { _ in
            IncidentSummary(
                Incident(
                    rule: "r", subject: Subject(source: "s", app: ".", release: release), labels: [:], severity: .info,
                    since: end.at, evidence: Evidence(sentence: "")))
        }
        #expect(try url("{{incident.release}}/notify") == "\(address)\(written)/notify")
        // Two values, or one beside what is written there, make no step together either.
        #expect(try url("{{incident.app}}{{incident.release}}/x") == "\(address)._\(written)/x")
        #expect(try url(".{{incident.app}}/x") == "\(address).._/x")
    }

    @Test(arguments: [
        ("[1]", "'body' must be a JSON object: {\"text\": \"{{headline}}\"}"),
        ("{\"a\": \"{{titel}}\"}", "'body': a message has no 'titel'"),
        ("{\"a\": \"{{#issues}}\"}", "'body': the section 'issues' is never closed; write {{/issues}}"),
        ("{\"a\": [\"{{issues}}\"]}", "'body': 'issues' is more than a text"),
    ])
    func `a mistake is named`(_ body: String, _ expected: String) {
        let problems = #expect(throws: ProblemList.self) { try channel(body) }?.problems
        #expect(problems?.map(\.message) == [expected])
    }

    @Test func `what is no JSON, a secret, and two forms at once are refused`() {
        #expect(throws: ProblemList.self) { try channel("text: {{headline}}") }
        #expect(throws: ProblemList.self) { try channel("{}", ["format": .text("cloudevents")]) }
        #expect(throws: ProblemList.self) { try channel("{}", url: "https://{{bot}}.example.com/x") }
        #expect(throws: ProblemList.self) {
            try channel("{}", ["body": .text("{\"key\": \"\(Secret("k"))\"}")])
        }
    }

    @Test func `after a refusal every text is short enough for a title`() throws {
        let channel = try channel(alerts)
        let message = try #require(SampleMessages.nasty.map(\.message).max { $0.headline.count < $1.headline.count })
        let posting = Posting(id: "d", message: message, possiblyRepeated: false, isPlain: true, at: message.at)
        guard case .request(let request) = channel.post(posting) else { return #expect(Bool(false)) }
        let json = try JSON(parsing: try #require(request.wireBody()?.bytes))
        #expect(json["message"]?.string.map { $0.utf8.count <= 120 && !$0.isEmpty } == true)
        #expect(json["retries"] == 3)
    }

    @Test func `another service knows nothing of the bot's ids`() throws {
        let channel = try channel(alerts)
        #expect(!channel.isIdempotent)
        let conflict = HTTPResponse(status: 409, body: Array(#"{"message":"Conflict"}"#.utf8))
        guard case .retry = channel.judge(.answered(conflict), at: ChannelConformance.now) else {
            return #expect(Bool(false))
        }
    }

    @Test func `it conforms like any other channel`() throws {
        let conformance = ChannelConformance(
            try channel(alerts), audience: .programs, bodyBytesMax: WebhookBody.bytesMax)
        #expect(conformance.violations() == [])
    }
}
