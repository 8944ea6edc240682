import Glibc
import PluginKit
import PluginTesting
import Testing

@testable import MatrixChannel

private let secret = "syt_x7f3a9c"

private func options(
    homeserver: GuardedText = "https://matrix.example.org",
    room: GuardedText = "!abc:example.org",
    token: GuardedText = GuardedText(Secret(secret))
) -> Options { Options(["homeserver": .text(homeserver), "room": .text(room), "token": .text(token)]) }

private func channel() throws -> MatrixChannel { try MatrixChannel(options: options(), context: .sample) }

@Suite struct `Posting to Matrix` {
    @Test func `anything fits, looks the same on every attempt, and every answer has a meaning`() throws {
        let conformance = ChannelConformance(
            try channel(), audience: .people, bodyBytesMax: MatrixLimits.contentMax, secrets: [secret],
            success: HTTPResponse(status: 200, body: Array("{\"event_id\":\"$e\"}".utf8)), keepsFirstBody: true,
            bodyFlaws: matrixFlaws)
        #expect(conformance.violations() == [])
    }

    @Test func `no title of chance breaks out of its place`() throws {
        let flaws = RandomMessages.flaws(of: try channel(), bodyFlaws: matrixFlaws)
        #expect(flaws == [])
    }

    @Test(arguments: RecordedPosting.all) func `messages look as recorded`(_ posting: RecordedPosting) throws {
        #expect(try snapshotFlaw(of: try channel(), posting: posting) == nil)
    }

    @Test func `what follows goes into the thread of the opening message, in plain form it stands alone`() throws {
        let channel = try channel()
        let message = try #require(SampleMessages.usual.first).message
        func content(isPlain: Bool) throws -> JSON {
            let posting = Posting(id: "d1", message: message, isPlain: isPlain, thread: "$root", at: message.at)
            guard case .request(let request) = channel.post(posting), case .json(let content) = request.body else {
                throw Unposted()
            }
            return content
        }
        let expected: JSON = [
            "rel_type": "m.thread", "event_id": "$root", "is_falling_back": true,
            "m.in_reply_to": ["event_id": "$root"],
        ]
        #expect(try content(isPlain: false)["m.relates_to"] == expected)
        #expect(try content(isPlain: true)["m.relates_to"] == nil)
    }

    private struct Unposted: Error {}

    @Test func `the text loses whole lines and no half of an address`() throws {
        let message = Message(
            kind: .digest, severity: .critical, at: ChannelConformance.now, headline: "🗒 many issues",
            issues: (1...500).map { number in
                Message.IssueLine(
                    title: "issue \(number)", detail: "",
                    url: "https://a.example/?issue=\(number)&environment=production")
            }, footer: "budget calm")
        let lines = Set(message.plainText.split(separator: "\n"))
        for isPlain in [false, true] {
            let request = try #require(try channel().request(for: message, isPlain: isPlain))
            let bytes = try #require(request.wireBody()?.bytes)
            let content = try JSON(parsing: bytes)
            let text = try #require(content["body"]?.string)
            #expect(text.split(separator: "\n").filter { !lines.contains($0) } == ["…"])
            #expect(text.hasPrefix("🗒 many issues\n") && text.hasSuffix("\nbudget calm"))
            #expect((MatrixLimits.bodyMax - 3000...MatrixLimits.bodyMax).contains(text.utf8.count))
        }
    }

    @Test func `where a digest is cut, what it had left out before counts, too`() throws {
        let long = String(repeating: "x", count: 980)
        var message = Message(
            kind: .digest, severity: .critical, at: ChannelConformance.now, headline: "many",
            issues: (1...15).map { Message.IssueLine(title: "issue \($0) \(long)", detail: "", url: nil) },
            lines: (1...30).map { "line \($0) \(long)" } + ["and 470 more"])
        message.linesLeftOut = 470
        let request = try #require(try channel().request(for: message))
        let bytes = try #require(request.wireBody()?.bytes)
        let content = try JSON(parsing: bytes)
        let html = try #require(content["formatted_body"]?.string)
        let shown = html.split(separator: "<li>line ").count - 1
        #expect((1..<30).contains(shown))
        #expect(html.contains("<li>… and \(500 - shown) more</li>"))
    }

    @Test(arguments: [
        ("https://matrix.example.org", "!abc:example.org", "https://matrix.example.org", "%21abc%3Aexample.org"),
        ("https://m.example.org:8448/base//", "!a/b$", "https://m.example.org:8448/base", "%21a%2Fb%24"),
        (
            "https://m.example.org/", "!" + String(repeating: "x", count: 43), "https://m.example.org",
            "%21" + String(repeating: "x", count: 43)
        ),
    ])
    func `the address names room and delivery`(_ server: String, _ room: String, _ start: String, _ piece: String)
        throws
    {
        let channel = try MatrixChannel(
            options: options(homeserver: GuardedText(server), room: GuardedText(room)), context: .sample)
        let address = "\(start)/_matrix/client/v3/rooms/\(piece)/send/m.room.message/d-1"
        #expect(channel.request(for: SampleMessages.test)?.url.reveal() == address)
        #expect(channel.request(for: SampleMessages.test, isPlain: true)?.url.reveal() == address + "-plain")
    }

    /// For sending them to a real homeserver: one event's content a line.
    @Test(.enabled(if: getenv("MATRIX_PAYLOADS") != nil)) func `payloads are written out`() throws {
        try writeSampleBodies(of: try channel(), toFileIn: "MATRIX_PAYLOADS")
    }

    @Test func `a homeserver from the environment loses its slash and stays hidden`() throws {
        let server = GuardedText(pieces: [.plain("https://"), .secret(Secret("m.example.org/")), .plain("/")])
        let channel = try MatrixChannel(options: options(homeserver: server), context: .sample)
        let url = try #require(channel.request(for: SampleMessages.test)?.url)
        #expect(url.reveal().hasPrefix("https://m.example.org/_matrix/"))
        #expect(url.description.hasPrefix("https://***/_matrix/"))
    }

    @Test func `a token written into the file is hidden all the same`() throws {
        let channel = try MatrixChannel(options: options(token: GuardedText(secret)), context: .sample)
        let request = try #require(channel.request(for: SampleMessages.test))
        #expect(request.headers.map(\.value.description) == ["Bearer ***"])
        #expect(request.headers.map { $0.value.reveal() } == ["Bearer \(secret)"])
    }

    @Test(arguments: [
        ("#ops:example.org", "'#ops:example.org' is a room's alias"), ("@bot:example.org", "is not a room id"),
        ("abc", "is not a room id"), ("!", "is not a room id"), ("", "is not a room id"),
        ("!" + String(repeating: "x", count: 255), "is not a room id"),
    ])
    func `what is no room id is refused with its place`(_ room: String, _ sentence: String) throws {
        let error = try #require(throws: ProblemList.self) {
            try MatrixChannel(options: options(room: GuardedText(room)), context: .sample)
        }
        #expect(error.problems.count == 1)
        #expect(error.problems.first?.message.contains(sentence) == true)
    }
}

@Suite struct `A homeserver's answers` {
    @Test(arguments: try AnswerCase.all()) func `every known answer has its meaning`(_ answer: AnswerCase) throws {
        let outcome = try channel().judge(.answered(answer.response), at: ChannelConformance.now)
        #expect(answer.agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [
        (200, "<html></html>", "ambiguous"), (200, "{\"event_id\":\"\"}", "ambiguous"),
        (401, "{\"errcode\":\"M_UNKNOWN_TOKEN\",\"soft_logout\":true}", "credentials"), (401, "", "credentials"),
        (403, "{\"errcode\":\"M_CONSENT_NOT_GIVEN\"}", "credentials"), (504, "<html></html>", "retry"),
        (403, "{\"errcode\":\"M_LIMIT_EXCEEDED\"}", "retry"), (404, "<html></html>", "target"),
        (500, "{\"errcode\":\"M_TOO_LARGE\"}", "payload"), (400, "{\"errcode\":\"M_NEW\"}", "payload"),
    ])
    func `the errcode counts before the status`(_ status: Int, _ body: String, _ meaning: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        let outcome = try channel().judge(.answered(response), at: ChannelConformance.now)
        #expect(AnswerCase(response: response, meaning: meaning, waitSeconds: nil).agrees(with: outcome), "\(outcome)")
    }

    @Test(arguments: [("5", 4210, 5.0), ("3", 4210, 4.21), ("", 4210, 4.21), ("soon", 1, 0.001)])
    func `the longer of two waits is kept`(_ header: String, _ milliseconds: Int, _ seconds: Double) throws {
        let body = "{\"errcode\":\"M_LIMIT_EXCEEDED\",\"retry_after_ms\":\(milliseconds)}"
        let response = HTTPResponse(status: 429, headers: [("Retry-After", header)], body: Array(body.utf8))
        guard case .retry(let after, _) = try channel().judge(.answered(response), at: ChannelConformance.now) else {
            Issue.record("it is not tried again")
            return
        }
        #expect(after?.inSeconds == seconds)
    }

    @Test(arguments: [
        (404, "<html>", "the homeserver answered 404: <html>; is 'homeserver' the address of the client API?"),
        (405, "", "the homeserver answered 405; is 'homeserver' the address of the client API?"),
        (403, "<html>", "the homeserver answered 403: <html>; is there a proxy in between that refuses it?"),
    ])
    func `what answers without a code is no homeserver`(_ status: Int, _ body: String, _ sentence: String) throws {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        #expect(
            try channel().judge(.answered(response), at: ChannelConformance.now) == .refusedChannel(sentence))
    }

    @Test func `the receipt is the event, and a refusal says what to do`() throws {
        let taken = HTTPResponse(status: 200, body: Array("{\"event_id\":\"$abc\"}".utf8))
        #expect(try channel().judge(.answered(taken), at: ChannelConformance.now) == .delivered(receipt: "$abc"))
        let body = "{\"errcode\":\"M_FORBIDDEN\",\"error\":\"User not in room\"}"
        let refused = try channel().judge(
            .answered(HTTPResponse(status: 403, body: Array(body.utf8))), at: ChannelConformance.now)
        let expected =
            "the homeserver answered 403: M_FORBIDDEN, User not in room; has the bot's account joined the "
            + "room, and may it write there?"
        #expect(refused == .refusedChannel(expected))
    }
}
