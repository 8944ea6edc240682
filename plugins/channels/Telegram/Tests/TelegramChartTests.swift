import PluginKit
import PluginTesting
import Testing

@testable import TelegramChannel

private func channel(_ more: [String: Option.Value] = ["chart": .flag(true)]) throws -> TelegramChannel {
    let values: [String: Option.Value] = [
        "token": .text(GuardedText(Secret("123456:x7f3a9c-AbC"))), "chat": .text("-1001234567890"),
    ]
    return try TelegramChannel(options: Options(values.merging(more) { $1 }), context: .sample)
}

@Suite struct `Charts in Telegram` {
    @Test func `a photo answers its message, silently`() throws {
        let request = try #require(
            try channel(["chart": .flag(true), "topic": .integer(77)]).attachment(receipt: "4242"))
        #expect(request.url.description == "https://api.telegram.org/bot***/sendPhoto")
        #expect(request.parts["chat_id"] == .text("-1001234567890"))
        #expect(request.parts["message_thread_id"] == .text("77"))
        #expect(request.parts["disable_notification"] == .text("true"))
        #expect(
            request.parts["reply_parameters"] == .json(["message_id": 4242, "allow_sending_without_reply": true]))
        #expect(request.parts["caption"] == .text(SampleMessages.image.words))
        #expect(
            request.parts["photo"]
                == .file(SampleMessages.image.bytes, name: "chart.png", contentType: "image/png"))
    }

    @Test func `the message itself is the same with and without a picture`() throws {
        #expect(
            try bytes(of: channel().action()) == bytes(of: channel([:]).action(SampleMessages.opened, nil)))
    }

    @Test func `after the photo there is nothing to do, nor without a message to answer`() throws {
        #expect(try channel().attachment(receipt: "4242", after: [#"{"ok":true}"#]) == nil)
        #expect(try channel().attachment(receipt: nil) == nil)
        #expect(try channel().attachment(receipt: "x") == nil)
    }

    @Test func `whatever the words, a caption fits and calls nobody`() throws {
        let request = try #require(try channel().attachment(SampleMessages.hostileImage, receipt: "1"))
        guard case .text(let caption)? = request.parts["caption"] else { return #expect(Bool(false)) }
        #expect(caption.utf16.count <= 1024)
        #expect(!caption.contains("@everyone"))
        #expect(!caption.contains("\n"))
        #expect(!caption.contains("\u{202E}"))
    }

    @Test func `a preview shows the chart where it is wanted`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.charted, at: ChannelConformance.now)
        #expect(try channel().picture(of: posting).text.contains(SampleMessages.chart.words))
        #expect(try !channel([:]).picture(of: posting).text.contains(SampleMessages.chart.words))
    }
}
