import PluginKit
import PluginTesting
import Testing

@testable import GoogleChatChannel

@Suite struct `Calling people in Google Chat` {
    private func channel(_ names: [String]) throws -> GoogleChatChannel {
        let position = Position(line: 2, column: 3)
        let list = Option.Value.list(names.map { Option(.text(GuardedText($0)), at: position) })
        let mention = Options(name: "mention", position: position, values: ["critical": Option(list, at: position)])
        return try GoogleChatChannel(
            options: Options([
                "webhook": .text("https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t"),
                "mention": .section(mention),
            ]), context: .sample)
    }

    private func payload(
        _ channel: GoogleChatChannel, _ kind: Notification.Kind, _ severity: Severity = .critical,
        isPlain: Bool = false,
        headline: String = "it crashes"
    ) throws -> JSON {
        let message = Message(kind: kind, severity: severity, at: ChannelConformance.now, headline: headline)
        let request = try #require(channel.request(for: message, isPlain: isPlain))
        return try JSON(parsing: try #require(request.wireBody()?.bytes))
    }

    @Test(arguments: [false, true])
    func `whom the config names is called when it begins and when it gets worse`(isPlain: Bool) throws {
        let channel = try channel(["<users/12>", "<users/all>"])
        for kind in Notification.Kind.allCases {
            let text = try #require(try payload(channel, kind, isPlain: isPlain)["text"]?.string)
            #expect(
                text.hasPrefix("<users/12> <users/all> ") == [.opened, .escalated].contains(kind), "\(kind): \(text)")
            #expect(text.contains("it crashes"))
        }
        let warning = try #require(try payload(channel, .opened, .warning)["text"]?.string)
        #expect(!warning.hasPrefix("<users/12> <users/all> "))
    }

    @Test func `a text that is as long as it may be gives way to them`() throws {
        let channel = try channel(Array(repeating: ["<users/12>", "<users/all>"][0], count: 20))
        let long = String(repeating: "it crashes 👨‍👩‍👧‍👦 ", count: 2000)
        let text = try #require(try payload(channel, .opened, isPlain: true, headline: long)["text"]?.string)
        #expect(text.utf16.count <= 4000)
    }

    @Test(arguments: ["all", "<users/>", "<users/ana>", "@all", ""]) func `who cannot be called is told at once`(
        _ name: String
    ) {
        #expect(throws: ProblemList.self) { try channel([name]) }
    }
}
