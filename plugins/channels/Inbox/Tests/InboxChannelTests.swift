import InboxChannel
import PluginKit
import PluginTesting
import Testing

@Suite struct `The inbox` {
    @Test func `every message is kept, and nothing leaves`() throws {
        let options = Options(name: "here", position: Position(line: 1, column: 1), values: [:])
        let channel = try InboxChannel(
            options: options, context: ChannelContext(name: "here", bot: "shop-alerts", zone: .utc))
        for (name, message) in SampleMessages.usual + SampleMessages.nasty {
            guard case .keep = channel.post(Posting(id: "d-1", message: message, at: ChannelConformance.now)) else {
                Issue.record("\(name) was not kept")
                continue
            }
        }
        #expect(ChannelConformance(channel, audience: .people, bodyBytesMax: 0).violations() == [])
        #expect(channel.pace == .unlimited)
        #expect(channel.isIdempotent)
    }
}
