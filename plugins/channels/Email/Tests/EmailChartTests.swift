import PluginKit
import PluginTesting
import Testing

@testable import EmailChannel

private func channel(charts: Bool = true) throws -> EmailChannel {
    try EmailChannel(
        options: Options([
            "server": .text("smtp.example.com"), "from": .text("Shop alerts <alerts@example.com>"),
            "to": .list([Option(.text("oncall@example.com"), at: Position(line: 9, column: 5))]),
            "chart": .flag(charts),
        ]), context: .sample)
}

private func mail(_ action: ChannelAction) throws -> Mail {
    guard case .mail(let mail) = action else { throw NoMail() }
    return mail
}

private struct NoMail: Error {}

@Suite struct `Charts in mails` {
    @Test func `a picture travels in the mail, beside the HTML that shows it`() throws {
        let mail = try mail(channel().action())
        #expect(mail.pictures.map(\.id) == ["chart.d-1@example.com"])
        #expect(
            mail.html?.contains("<img src=\"cid:chart.d-1@example.com\" width=\"480\" height=\"200\" alt=\"Crash-free")
                == true)
        #expect(mail.html?.contains("http-equiv") == false)
        #expect(try snapshotFlaw(of: mail, named: "chart") == nil)
        let text = String(decoding: mail.wireMessage(), as: UTF8.self)
        #expect(text.contains("\r\nContent-ID: <chart.d-1@example.com>\r\n"))
        #expect(text.contains("\r\niVBORw0KGgoA/w==\r\n"))
        #expect(try PluginTesting.bytes(of: channel().action()) == mail.wireMessage())
    }

    @Test func `a large picture is cut into lines`() throws {
        let image = ChartImage(bytes: Array(repeating: 0xA5, count: 50_000), width: 960, height: 400, words: "w")
        let lines = try mail(channel().action(SampleMessages.charted, image)).wireMessage()
            .split(separator: 0x0A).map(\.count)
        #expect(lines.allSatisfy { $0 <= 100 })
        #expect(lines.reduce(0, +) > 66_000)
    }

    @Test func `whatever the words, they stay in their place`() throws {
        for (_, message) in SampleMessages.nasty {
            let mail = try mail(channel().action(message, SampleMessages.hostileImage))
            let html = try #require(mail.html)
            #expect(html.split(separator: "<img ").count == 2)
            #expect(!html.contains("<b>more"))
            #expect(!html.contains("\u{202E}"))
        }
    }

    @Test func `the plain form, and a message whose picture could not be made, are as without charts`() throws {
        let without = try channel(charts: false)
        #expect(try mail(channel().action(isPlain: true)) == mail(without.action(isPlain: true)))
        #expect(
            try mail(channel().action(SampleMessages.charted, nil)) == mail(without.action(SampleMessages.opened, nil)))
    }

    @Test func `a preview shows the chart where it is wanted`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.charted, at: ChannelConformance.now)
        #expect(try channel().picture(of: posting).text.contains(SampleMessages.chart.words))
        #expect(try !channel(charts: false).picture(of: posting).text.contains(SampleMessages.chart.words))
    }
}
