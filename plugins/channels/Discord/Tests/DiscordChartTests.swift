import ChatKit
import PluginKit
import PluginTesting
import Testing

@testable import DiscordChannel

private func channel(charts: Bool = true) throws -> DiscordChannel {
    let webhook = GuardedText(pieces: [.plain("https://discord.com/api/webhooks/"), .secret(Secret("1200/x7f3a9c"))])
    return try DiscordChannel(
        options: Options(["webhook": .text(webhook), "chart": .flag(charts)]), context: .sample)
}

private func request(_ action: ChannelAction) throws -> HTTPRequest {
    guard case .request(let request) = action else { throw NoRequest() }
    return request
}

private struct NoRequest: Error {}

@Suite struct `Charts in Discord` {
    @Test func `a picture stands in the embed of its message`() throws {
        let request = try request(channel().action())
        let parts = request.parts
        guard case .json(let payload)? = parts["payload_json"],
            case .file(let bytes, let name, let type)? = parts["files[0]"]
        else { throw NoRequest() }
        #expect(payload["embeds"]?.array?.first?["image"]?["url"] == "attachment://chart.png")
        #expect(payload["attachments"]?.array?.first?["description"]?.string == SampleMessages.image.words)
        #expect(payload["embeds"]?.array?.first?["fields"] != nil)
        #expect(discordFlaws(payload) == [])
        #expect((bytes, name, type) == (SampleMessages.image.bytes, "chart.png", "image/png"))
        let body = try #require(request.wireBody())
        let boundary = try #require(body.contentType.split(separator: "boundary=").last)
        #expect(body.contentType == "multipart/form-data; boundary=\(boundary)")
        let text = String(decoding: body.bytes, as: UTF8.self)
        #expect(text.hasPrefix("--\(boundary)\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n"))
        #expect(text.hasSuffix("\r\n--\(boundary)--\r\n"))
        #expect(text.split(separator: "--\(boundary)").count == 3)
        // A later attempt is the same request.
        #expect(try PluginTesting.bytes(of: channel().action()) == body.bytes)
    }

    @Test func `whatever the words, they fit and call nobody`() throws {
        for (_, message) in SampleMessages.nasty {
            guard
                case .json(let payload)? = try request(channel().action(message, SampleMessages.hostileImage))
                    .parts["payload_json"]
            else { throw NoRequest() }
            #expect(payload["attachments"]?.array?.first?["description"]?.string?.utf16.count ?? 9999 <= 1024)
            #expect(payload["allowed_mentions"]?["parse"] == [])
            #expect(payload["flags"] == nil)
        }
    }

    @Test func `the plain form, and a message whose picture could not be made, are as without charts`() throws {
        let plain = try channel(charts: false)
        #expect(try request(channel().action(isPlain: true)) == request(plain.action(isPlain: true)))
        #expect(
            try request(channel().action(SampleMessages.charted, nil))
                == request(plain.action(SampleMessages.opened, nil)))
    }

    @Test func `a preview shows the chart where it is wanted`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.charted, at: ChannelConformance.now)
        #expect(try channel().picture(of: posting).text.contains(SampleMessages.chart.words))
        #expect(try !channel(charts: false).picture(of: posting).text.contains(SampleMessages.chart.words))
    }
}
