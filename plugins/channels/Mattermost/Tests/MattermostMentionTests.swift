import PluginKit
import PluginTesting
import Testing

@testable import MattermostChannel

@Suite struct `Calling people in Mattermost` {
    private func channel(_ names: [String]) throws -> MattermostChannel {
        let position = Position(line: 2, column: 3)
        let list = Option.Value.list(names.map { Option(.text(GuardedText($0)), at: position) })
        let mention = Options(name: "mention", position: position, values: ["critical": Option(list, at: position)])
        return try MattermostChannel(
            options: Options([
                "webhook": .text("https://chat.example.com/hooks/x"), "mention": .section(mention),
            ]), context: .sample)
    }

    private func payload(
        _ channel: MattermostChannel, _ kind: Notification.Kind, _ severity: Severity = .critical,
        isPlain: Bool = false,
        headline: String = "it crashes"
    ) throws -> JSON {
        let message = Message(kind: kind, severity: severity, at: ChannelConformance.now, headline: headline)
        let request = try #require(channel.request(for: message, isPlain: isPlain))
        return try JSON(parsing: try #require(request.wireBody()?.bytes))
    }

    @Test(arguments: [false, true])
    func `whom the config names is called when it begins and when it gets worse`(isPlain: Bool) throws {
        let channel = try channel(["@ana.b", "@channel"])
        for kind in Notification.Kind.allCases {
            let text = try #require(try payload(channel, kind, isPlain: isPlain)["text"]?.string)
            #expect(text.hasPrefix("@ana.b @channel ") == [.opened, .escalated].contains(kind), "\(kind): \(text)")
            #expect(text.contains("it crashes"))
        }
        let warning = try #require(try payload(channel, .opened, .warning)["text"]?.string)
        #expect(!warning.hasPrefix("@ana.b @channel "))
    }

    @Test func `a text that is as long as it may be gives way to them`() throws {
        let channel = try channel(Array(repeating: ["@ana.b", "@channel"][0], count: 20))
        let long = String(repeating: "it crashes 👨‍👩‍👧‍👦 ", count: 2000)
        let text = try #require(try payload(channel, .opened, isPlain: true, headline: long)["text"]?.string)
        #expect(text.utf16.count <= 4000)
    }

    @Test(arguments: ["ana", "@", "@a b", "@ana>", "<!channel>", ""]) func `who cannot be called is told at once`(
        _ name: String
    ) {
        #expect(throws: ProblemList.self) { try channel([name]) }
    }
}
