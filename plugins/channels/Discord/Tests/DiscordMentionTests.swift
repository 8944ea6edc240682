import PluginKit
import PluginTesting
import Testing

@testable import DiscordChannel

@Suite struct `Calling people in Discord` {
    private static func channel(_ mention: Option.Value) throws -> DiscordChannel {
        let webhook = Option.Value.text("https://discord.com/api/webhooks/1/x")
        return try DiscordChannel(options: Options(["webhook": webhook, "mention": mention]), context: .sample)
    }

    @Test func `whom the config names is called when it begins and when it gets worse, and nobody else can be`() throws
    {
        let conformance = MentionConformance(
            callable: ["<@&12>", "<@34>", "@here"], uncallable: ["@ana", "<@&>", "<@&1x>", "<@12", "12", ""],
            in: "content",
            textMax: DiscordLimits.contentMax
        ) { try Self.channel($0) }
        #expect(try conformance.violations() == [])
    }

    @Test func `nothing but those is allowed to call`() throws {
        func allowed(_ names: [String], _ kind: Notification.Kind) throws -> JSON? {
            let message = Message(kind: kind, severity: .critical, at: ChannelConformance.now, headline: "it crashes")
            let request = try #require(try Self.channel(.mentioning(names)).request(for: message))
            return try JSON(parsing: try #require(request.wireBody()?.bytes))["allowed_mentions"]
        }
        #expect(try allowed(["<@&12>", "<@34>"], .opened) == ["parse": [], "roles": ["12"], "users": ["34"]])
        #expect(try allowed(["<@&12>", "<@34>"], .reminder) == ["parse": []])
        #expect(try allowed(["@here"], .opened)?["parse"] == ["everyone"])
    }
}
