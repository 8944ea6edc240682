import PluginKit
import PluginTesting
import Testing

@testable import WebhookChannel

private let secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
private let token = "x7f3a9c"

private func channel(_ more: [String: Option.Value] = [:]) throws -> WebhookChannel {
    let values: [String: Option.Value] = ["url": .text("https://hooks.example.com/alertbot")]
    return try WebhookChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

private func header(_ name: String, _ value: GuardedText) -> (name: String, option: Option) {
    (name, Option(.text(value), at: Position(line: 3, column: 5)))
}

private let signed: [String: Option.Value] = [
    "secret": .text(GuardedText(Secret(secret))),
    "headers": .map([header("Authorization", "Bearer \(Secret(token))")]),
]

@Suite struct `Posting to a webhook` {
    @Test func `anything fits and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(signed), audience: .programs, bodyBytesMax: WebhookBody.bytesMax, secrets: [secret, token],
            deliveredStatuses: [409], bodyFlaws: shapeFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(signed), bodyFlaws: shapeFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.usual) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(signed), posting: posting) == nil)
    }

    @Test func `without a secret the id and the time are sent all the same`() throws {
        let request = try #require(try channel().request(for: SampleMessages.test))
        #expect(request.signature == nil)
        let headers = request.headers.map { "\($0.name): \($0.value)" }
        #expect(headers == ["webhook-id: d-1", "webhook-timestamp: 1795219200"])
    }

    @Test func `with a secret the exact bytes are signed under the delivery's id`() throws {
        let request = try #require(try channel(signed).request(for: SampleMessages.test, isPlain: true))
        #expect(
            request.signature
                == .standardWebhooks(id: "d-1", timestamp: ChannelConformance.now, secret: GuardedText(Secret(secret))))
        #expect(request.headers.map { "\($0.name): \($0.value)" } == ["Authorization: Bearer ***"])
    }

    @Test func `CloudEvents are the same in another envelope`() throws {
        let event = try channel(signed.merging(["format": .text("cloudevents")]) { $1 })
        let request = try #require(event.request(for: SampleMessages.opened))
        #expect(try snapshotFlaw(of: request, named: "cloudevents") == nil)
        #expect(
            request.headers.contains {
                $0.name == "Content-Type" && $0.value == "application/cloudevents+json; charset=utf-8"
            })
        let body = try JSON(parsing: try #require(request.wireBody()?.bytes))
        #expect(body["id"] == "d-1")
        #expect(body["type"] == "alertbot.incident.opened")
        #expect(body["data"] == (try channel(signed).request(for: SampleMessages.opened)?.data))
        let crowd = try #require(SampleMessages.nasty.first { $0.name == "500 incidents" }?.message)
        #expect(try #require(event.request(for: crowd)?.wireBody()?.bytes).count <= WebhookBody.bytesMax)
    }

    @Test func `a possible repetition is a member, not a sentence in the text`() throws {
        let once = try #require(try channel().request(for: SampleMessages.opened)?.data)
        let again = try #require(try channel().request(for: SampleMessages.opened, possiblyRepeated: true)?.data)
        #expect(once["possibly_repeated"] == false)
        #expect(again["possibly_repeated"] == true)
        #expect(once["text"] == again["text"])
        #expect(once["text"]?.string == SampleMessages.opened.plainText)
    }

    @Test(arguments: [
        ("<!channel> fell", "<\u{200B}!channel> fell"),
        ("@room @Everyone @here", "@\u{200B}room @\u{200B}Everyone @\u{200B}here"),
        ("<at>all</at> <@U1>", "<\u{200B}at>all</at> <\u{200B}@U1>"),
        ("ada@example.com < 99%", "ada@example.com < 99%"),
    ])
    func `nobody is called where the text is handed on to a chat`(_ title: String, _ defused: String) throws {
        var message = SampleMessages.test
        message.headline = title
        let data = try #require(try channel().request(for: message)?.data)
        #expect(data["text"]?.string?.hasPrefix(defused) == true, "\(data)")
    }

    @Test func `as many incidents as fit, and fewer for a receiver that refused`() throws {
        let crowd = try #require(SampleMessages.nasty.first { $0.name == "500 incidents" }?.message)
        let rich = try #require(try channel().request(for: crowd)?.wireBody()?.bytes)
        let plain = try #require(try channel().request(for: crowd, isPlain: true)?.wireBody()?.bytes)
        #expect((90_000...WebhookBody.bytesMax).contains(rich.count))
        #expect((15_000...WebhookBody.plainBytesMax).contains(plain.count))
        #expect(try JSON(parsing: plain)["data"]?["incidents"]?.array?.isEmpty == false)
    }

    @Test(arguments: [
        "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
        "whsec_MDEyMw== whsec_ZmVkYw",
    ])
    func `keys that sign are taken`(_ key: String) throws {
        #expect(try channel(["secret": .text(GuardedText(key))]).request(for: SampleMessages.test)?.signature != nil)
    }

    @Test(arguments: [
        ("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", false), ("MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3", false),
        ("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY=", true), ("foo", true),
        ("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY= foo", true),
    ])
    func `a key of fewer than 24 bytes signs, with a warning that does not quote it`(key: String, isShort: Bool) throws
    {
        let cautions = try channel(["secret": .text(GuardedText(key))]).cautions
        #expect(cautions.map(\.level) == (isShort ? [.warning] : []))
        #expect(cautions.allSatisfy { $0.message.contains("24 to 64 bytes") && !$0.message.contains("foo") })
    }

    @Test(arguments: [
        "", " ", "whsec_", "whsec_a", "whsec_abcd=====", "whsec_ab-d", "whsec_MDEyMw=",
        "pass word!", "whsec_MDEyMw== x",
    ])
    func `keys that sign nothing are refused and not quoted`(_ key: String) throws {
        let error = try #require(throws: ProblemList.self) { try channel(["secret": .text(GuardedText(key))]) }
        let message = try #require(error.problems.first?.message)
        #expect(message.hasPrefix("'secret' is not a signing key"))
        #expect(!message.contains("pass word") && !message.contains("MDEyMw"))
    }

    @Test func `what is wrong with one option hides nothing that is wrong with another`() throws {
        let options: [String: Option.Value] = [
            "secret": .text("pass word!"), "headers": .map([header("X Y", "1")]), "body": .text("{"),
            "format": .text("cloudevents"),
        ]
        let error = try #require(throws: ProblemList.self) { try channel(options) }
        for told in ["'secret' is not", "'X Y' is not", "'body' is not", "'format' and 'body'"] {
            #expect(error.problems.contains { $0.message.hasPrefix(told) }, "\(told): \(error.problems)")
        }
    }

    @Test func `headers that cannot be or are ours are refused, all at once`() throws {
        let entries = [
            header("X Y", "1"), header("", "1"), header("Webhook-Id", "1"), header("content-LENGTH", "1"),
            header("X-Split", "a\r\nHost: b"), header("X-Fine", "1"),
        ]
        let error = try #require(throws: ProblemList.self) { try channel(["headers": .map(entries)]) }
        #expect(error.problems.count == 5)
        #expect(error.problems.allSatisfy { $0.position == Position(line: 3, column: 5) })
        let fine = try channel(["headers": .map([entries[5]])]).request(for: SampleMessages.test)
        #expect(fine?.headers.first?.name == "X-Fine")
    }
}

@Suite struct `A receiver's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        // Words of well-known services count only under the status that they come with.
        (500, #"{"error":"Invalid hook ID"}"#, "retry"), (200, #"{"code":10008}"#, "delivered"),
        (400, #"{"code":"220001"}"#, "payload"), (400, #"{"parameters":{"migrate_to_chat_id":"x"}}"#, "payload"),
        (400, "[1,", "payload"), (404, "Unknown Message", "target"), (409, "<html>", "delivered"),
        // A receiver of the user's own that answers 2xx has taken the message, whatever it says.
        (200, #"{"ok":false}"#, "delivered"), (200, "<html>", "delivered"),
    ])
    func `other words change nothing`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(AnswerCase(response: response, meaning: meaning, waitSeconds: nil).agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (401, "no token", "answered 401: no token; check the token or the login in 'url' or 'headers'"),
        (403, "", "answered 403; check the token or the login in 'url' or 'headers'"),
        (404, "no such hook", "answered 404: no such hook; check 'url': is what it leads to still there?"),
        (410, "", "answered 410; check 'url': is what it leads to still there?"),
        (405, "", "answered 405; check 'url': nothing takes a POST there"),
    ])
    func `who gets nothing is told where to look`(_ status: Int, _ body: String, _ sentence: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        #expect(
            try channel().judge(.answered(response), at: ChannelConformance.now) == .refusedChannel(sentence))
    }

    @Test func `a chat that has moved is named`() throws {
        let body = #"{"ok":false,"parameters":{"migrate_to_chat_id":-1009876543210}}"#
        let outcome = try channel().judge(
            .answered(HTTPResponse(status: 400, body: Array(body.utf8))), at: ChannelConformance.now)
        #expect(
            outcome == .refusedChannel("answered 400; the Telegram chat has moved: its id is -1009876543210 now"))
    }
}

extension HTTPRequest {
    fileprivate var data: JSON? { wireBody().flatMap { try? JSON(parsing: $0.bytes) }?["data"] }
}

/// The shape is promised: these members in this order.
@Sendable private func shapeFlaws(_ body: JSON) -> [String] {
    func names(_ json: JSON?) -> [String] { json?.object?.members.map(\.name) ?? [] }
    var flaws: [String] = []
    if names(body) != ["type", "timestamp", "data"] { flaws.append("the members are \(names(body))") }
    if names(body["data"]) != ["bot", "kind", "text", "possibly_repeated", "incidents"] {
        flaws.append("the data's members are \(names(body["data"]))")
    }
    let kind = body["data"]?["kind"]?.string ?? "?"
    if body["type"]?.string != (kind == "test" ? kind : "incident.\(kind)") { flaws.append("type and kind disagree") }
    if body["timestamp"]?.string.flatMap({ Moment(rfc3339: $0) }) == nil { flaws.append("timestamp is no instant") }
    let expected = [
        "id", "rule", "source", "app", "release", "environment", "severity", "state", "since", "until", "evidence",
    ]
    for incident in body["data"]?["incidents"]?.array ?? [] where names(incident) != expected {
        flaws.append("an incident's members are \(names(incident))")
    }
    return flaws
}
