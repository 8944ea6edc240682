import PluginKit
import PluginTesting
import Testing

@testable import TeamsChannel

@Suite struct `Calling people in Teams` {
    private func channel(_ names: [String]) throws -> TeamsChannel {
        try TeamsChannel(
            options: Options(["webhook": .text("https://relay.example.com/teams"), "mention": .mentioning(names)]),
            context: .sample)
    }

    private func card(_ channel: TeamsChannel, _ message: Message, isPlain: Bool = false) throws -> JSON {
        let request = try #require(channel.request(for: message, isPlain: isPlain))
        let payload = try JSON(parsing: try #require(request.wireBody()?.bytes))
        #expect(teamsFlaws(payload) == [])
        return try #require(payload["attachments"]?.array?.first?["content"])
    }

    private func message(
        _ kind: Notification.Kind, _ severity: Severity = .critical, headline: String = "it crashes"
    ) -> Message {
        Message(kind: kind, severity: severity, at: ChannelConformance.now, headline: headline)
    }

    private let people = [
        "ana_lopez@example.com", "Ben Ruiz <ben@example.com>", "On call <8f0c1d5e-1b2c-4d3e-9f00-0123456789ab>",
    ]

    @Test(arguments: [false, true])
    func `whom the config names is called when it begins and when it gets worse`(isPlain: Bool) throws {
        let channel = try channel(people)
        for kind in Notification.Kind.allCases {
            let card = try card(channel, message(kind), isPlain: isPlain)
            let line = card["body"]?.array?.first { $0["type"] == "TextBlock" }
            guard [.opened, .escalated].contains(kind) else {
                #expect(line == nil && card["msteams"] == ["width": "Full"], "\(kind)")
                continue
            }
            #expect(line?["text"] == "<at>ana lopez</at> <at>Ben Ruiz</at> <at>On call</at>")
            let entities = try #require(card["msteams"]?["entities"]?.array)
            #expect(
                entities.map { $0["mentioned"]?["id"]?.string } == [
                    "ana_lopez@example.com", "ben@example.com", "8f0c1d5e-1b2c-4d3e-9f00-0123456789ab",
                ])
            #expect(entities.first?["text"] == "<at>ana lopez</at>")
        }
        #expect(try card(channel, message(.opened, .warning), isPlain: isPlain)["msteams"] == ["width": "Full"])
    }

    @Test func `nothing that a title says calls anybody`() throws {
        let card = try card(channel(people), message(.opened, headline: "<at>Boss</at> <at>Ben Ruiz</at>"))
        let names = card["msteams"]?["entities"]?.array?.map { $0["mentioned"]?["name"]?.string }
        #expect(names == ["ana lopez", "Ben Ruiz", "On call"])
        // Text runs, in which a title stands, mention nobody.
        #expect(card["body"]?.array?.count { $0["type"] == "TextBlock" } == 1)
    }

    @Test func `anything fits beside as many people as can be called`() throws {
        let many = (1...11).map { "购物者\($0) <a\($0)@example.com>" }
        let conformance = ChannelConformance(
            try channel(many), audience: .people, bodyBytesMax: 20_480, secrets: [],
            success: HTTPResponse(status: 202), bodyFlaws: teamsFlaws)
        #expect(conformance.violations() == [])
        #expect(throws: ProblemList.self) {
            try channel((1...20).map { "购物者购物者购物者购物者\($0) <a\($0)@example.com>" })
        }
    }

    @Test func `a picture shows whom it calls`() throws {
        let posting = Posting(id: "d", message: message(.opened), at: ChannelConformance.now)
        let text = TeamsChannel.picture(of: try channel(people).payload(posting)).text
        #expect(text.contains("ana lopez Ben Ruiz On call"), "\(text)")
    }

    @Test(arguments: [
        "@ana", "ana", "ana@", "Ana <>", "<ana@example.com>", "Ana </at> <ana@example.com>", "*Ana* <ana@example.com>",
        "8f0c1d5e", "8f0c1d5e-1b2c-4d3e-9f00-0123456789ab", "",
    ])
    func `who cannot be called is told at once`(_ name: String) {
        #expect(throws: ProblemList.self) { try channel([name]) }
    }
}
