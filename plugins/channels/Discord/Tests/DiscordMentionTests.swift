import PluginKit
import PluginTesting
import Testing

@testable import DiscordChannel

@Suite struct `Calling people in Discord` {
    private func channel(_ names: [String]) throws -> DiscordChannel {
        let position = Position(line: 2, column: 3)
        let list = Option.Value.list(names.map { Option(.text(GuardedText($0)), at: position) })
        let mention = Options(name: "mention", position: position, values: ["critical": Option(list, at: position)])
        return try DiscordChannel(
            options: Options([
                "webhook": .text("https://discord.com/api/webhooks/1/x"), "mention": .section(mention),
            ]), context: .sample)
    }

    private func payload(
        _ channel: DiscordChannel, _ kind: Notification.Kind, _ severity: Severity = .critical, isPlain: Bool = false,
        headline: String = "it crashes"
    ) throws -> JSON {
        let message = Message(kind: kind, severity: severity, at: ChannelConformance.now, headline: headline)
        let request = try #require(channel.request(for: message, isPlain: isPlain))
        return try JSON(parsing: try #require(request.wireBody()?.bytes))
    }

    @Test(arguments: [false, true])
    func `whom the config names is called when it begins and when it gets worse`(isPlain: Bool) throws {
        let channel = try channel(["<@&12>", "<@34>", "@here"])
        for kind in Notification.Kind.allCases {
            let text = try #require(try payload(channel, kind, isPlain: isPlain)["content"]?.string)
            #expect(text.hasPrefix("<@&12> <@34> @here ") == [.opened, .escalated].contains(kind), "\(kind): \(text)")
            #expect(text.contains("it crashes"))
        }
        let warning = try #require(try payload(channel, .opened, .warning)["content"]?.string)
        #expect(!warning.hasPrefix("<@&12> <@34> @here "))
    }

    @Test func `a text that is as long as it may be gives way to them`() throws {
        let channel = try channel(Array(repeating: ["<@&12>", "<@34>", "@here"][0], count: 20))
        let long = String(repeating: "it crashes 👨‍👩‍👧‍👦 ", count: 2000)
        let text = try #require(try payload(channel, .opened, isPlain: true, headline: long)["content"]?.string)
        #expect(text.utf16.count <= DiscordLimits.contentMax)
    }

    @Test func `nothing but those is allowed to call`() throws {
        let channel = try channel(["<@&12>", "<@34>"])
        #expect(
            try payload(channel, .opened)["allowed_mentions"] == ["parse": [], "roles": ["12"], "users": ["34"]])
        #expect(try payload(channel, .reminder)["allowed_mentions"] == ["parse": []])
        #expect(try payload(self.channel(["@here"]), .opened)["allowed_mentions"]?["parse"] == ["everyone"])
    }

    @Test(arguments: ["@ana", "<@&>", "<@&1x>", "<@12", "12", ""]) func `who cannot be called is told at once`(
        _ name: String
    ) {
        #expect(throws: ProblemList.self) { try channel([name]) }
    }
}
