import PluginKit
import PluginTesting
import Testing

@testable import SlackChannel

private func channel(_ more: [String: Option.Value] = ["chart": .flag(true)]) throws -> SlackChannel {
    let values: [String: Option.Value] = [
        "token": .text(GuardedText(Secret("xoxb-12-x7f3a9c"))), "channel": .text("#crashes"),
    ]
    return try SlackChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

private let receipt = "C0123456789:1795219200.000200"
private let opening = "C0123456789:1795219200.000100"
private let place = #"{"ok":true,"upload_url":"https://files.slack.com/upload/v1/ABC","file_id":"F0123"}"#

@Suite struct `Charts in Slack` {
    @Test func `a picture goes up in three steps, into the thread of its message`() throws {
        let first = try #require(try channel().attachment(receipt: receipt))
        #expect(first.url.description == "https://slack.com/api/files.getUploadURLExternal")
        #expect(first.headers.map(\.value.description) == ["Bearer ***"])
        guard case .form(let fields)? = first.body else { return #expect(Bool(false)) }
        #expect(fields.map(\.name) == ["filename", "length", "alt_txt"])
        #expect(fields[1].value.description == "10")

        let second = try #require(try channel().attachment(receipt: receipt, after: [place]))
        #expect(second.url.reveal() == "https://files.slack.com/upload/v1/ABC")
        #expect(!second.url.description.contains("ABC"))
        #expect(second.body == .bytes(SampleMessages.image.bytes, contentType: "image/png"))
        #expect(second.headers.isEmpty)

        let third = try #require(try channel().attachment(receipt: receipt, after: [place, "OK - 10"]))
        #expect(third.url.description == "https://slack.com/api/files.completeUploadExternal")
        guard case .json(let body)? = third.body else { return #expect(Bool(false)) }
        #expect(body["channel_id"] == "C0123456789")
        #expect(body["thread_ts"] == "1795219200.000200")
        #expect(body["files"] == [["id": "F0123", "title": .string(SampleMessages.image.words)]])
        #expect(try channel().attachment(receipt: receipt, after: [place, "OK", #"{"ok":true}"#]) == nil)
    }

    @Test func `what follows shows its picture in the thread of the opening`() throws {
        let third = try #require(
            try channel().attachment(receipt: receipt, thread: opening, after: [place, "OK"]))
        guard case .json(let body)? = third.body else { return #expect(Bool(false)) }
        #expect(body["thread_ts"] == "1795219200.000100")
    }

    @Test(arguments: [
        (#"{"ok":false,"error":"missing_scope"}"#, "Slack answered missing_scope; give the bot the scope files:write"),
        ("<html>", "Slack answered <html>"),
        (#"{"ok":true,"file_id":"F1"}"#, "Slack did not say where the picture goes"),
        (
            #"{"ok":true,"upload_url":"https://evil.example/x","file_id":"F1"}"#,
            "Slack did not say where the picture goes"
        ),
        (
            #"{"ok":true,"upload_url":"http://files.slack.com/x","file_id":"F1"}"#,
            "Slack did not say where the picture goes"
        ),
        (
            #"{"ok":true,"upload_url":"https://slack.com@evil.example/","file_id":"F1"}"#,
            "Slack did not say where the picture goes"
        ),
        (
            #"{"ok":true,"upload_url":"https://evilslack.com/","file_id":"F1"}"#,
            "Slack did not say where the picture goes"
        ),
    ])
    func `what Slack refuses, or sends elsewhere, ends the way with a sentence`(body: String, why: String) throws {
        let posting = Posting(id: "d-1", message: SampleMessages.charted, at: ChannelConformance.now)
        let step = try channel().attach(
            SampleMessages.image, to: posting, receipt: receipt,
            after: [HTTPResponse(status: 200, body: Array(body.utf8))])
        guard case .failed(let sentence) = step else { return #expect(Bool(false), "\(step)") }
        #expect(sentence == why)
    }

    @Test func `the message itself is the same with and without a picture`() throws {
        #expect(
            try bytes(of: channel().action()) == bytes(of: channel([:]).action(SampleMessages.opened, nil)))
    }

    @Test func `a webhook cannot show pictures`() throws {
        let options = Options(["webhook": .text("https://hooks.slack.com/services/T/B/x"), "chart": .flag(true)])
        let problems = #expect(throws: ProblemList.self) { _ = try SlackChannel(options: options, context: .sample) }
        #expect(problems?.problems.map(\.message) == ["'chart' goes with 'token'; a webhook takes no pictures"])
    }
}
