import PluginKit
import PluginTesting
import Testing

@testable import MatrixChannel

@Suite struct `Calling people in Matrix` {
    private func channel(_ names: [String]) throws -> MatrixChannel {
        try MatrixChannel(
            options: Options([
                "homeserver": .text("https://matrix.example.org"), "room": .text("!abc:example.org"),
                "token": .text(GuardedText(Secret("syt_x"))), "mention": .mentioning(names),
            ]), context: .sample)
    }

    private func content(
        _ channel: MatrixChannel, _ kind: Notification.Kind, _ severity: Severity = .critical, isPlain: Bool = false
    ) throws -> JSON {
        let message = Message(kind: kind, severity: severity, at: ChannelConformance.now, headline: "@room it crashes")
        let request = try #require(channel.request(for: message, isPlain: isPlain))
        return try JSON(parsing: try #require(request.wireBody()?.bytes))
    }

    @Test(arguments: [false, true])
    func `whom the config names is called when it begins and when it gets worse`(isPlain: Bool) throws {
        let channel = try channel(["@ana:example.org", "@room"])
        for kind in [Notification.Kind.opened, .escalated] {
            let content = try content(channel, kind, isPlain: isPlain)
            #expect(content["m.mentions"] == ["user_ids": ["@ana:example.org"], "room": true])
            #expect(content["body"]?.string?.hasPrefix("@ana:example.org @room\n") == true)
        }
        let html = try content(channel, .opened)["formatted_body"]?.string
        #expect(
            html?.hasPrefix(#"<p><a href="https://matrix.to/#/%40ana%3Aexample.org">@ana:example.org</a> @room</p>"#)
                == true)
    }

    @Test func `nobody else ever is`() throws {
        let channel = try channel(["@ana:example.org"])
        for kind in Notification.Kind.allCases where kind != .opened && kind != .escalated {
            #expect(try content(channel, kind)["m.mentions"] == .object(JSONObject()), "\(kind)")
        }
        #expect(try content(channel, .opened, .warning)["m.mentions"] == .object(JSONObject()))
        #expect(try content(channel, .opened)["m.mentions"] == ["user_ids": ["@ana:example.org"]])
    }

    @Test func `many names with long servers still leave an event that is taken`() throws {
        let names = (0..<20).map { "@u\($0):" + String(repeating: "x", count: 240) }
        let message = try #require(SampleMessages.nasty.first { $0.name == "100 issues of 2 kB" }?.message)
        let request = try #require(
            try channel(names).request(
                for: Message(
                    kind: .opened, severity: .critical, at: message.at, headline: message.headline,
                    fields: message.fields,
                    reason: message.reason, issues: message.issues, lines: message.lines)))
        #expect(try #require(request.wireBody()?.bytes).count <= MatrixLimits.contentMax)
    }

    @Test func `where whom to call and what to say are too much for an event, the plain form goes out`() throws {
        let names = (10..<30).map { "@\($0)" + String(repeating: "x", count: 250) + ":x" }
        let message = Message(
            kind: .opened, severity: .critical, at: ChannelConformance.now, headline: "it crashes",
            lines: Array(repeating: String(repeating: "it crashes ", count: 9), count: 1000))
        let request = try #require(try channel(names).request(for: message))
        let bytes = try #require(request.wireBody()?.bytes)
        #expect(bytes.count <= MatrixLimits.contentMax)
        let content = try JSON(parsing: bytes)
        #expect(content["formatted_body"] == nil)
        #expect(content["m.mentions"]?["user_ids"]?.array?.count == 20)
    }

    @Test(arguments: ["ana", "@ana", "ana:example.org", "@:example.org", "@a b:example.org", "@<b>:x", "@channel", ""])
    func `who cannot be called is told at once`(_ name: String) {
        #expect(throws: ProblemList.self) { try channel([name]) }
    }

    // MARK: Edits

    @Test func `the opening message is edited to say how it stands`() throws {
        let channel = try channel(["@room"])
        func update(_ message: Message, thread: String? = "$root", isPlain: Bool = false) -> HTTPRequest? {
            channel.update(
                after: Posting(
                    id: "d-2", message: message, isPlain: isPlain, thread: thread, at: ChannelConformance.now))
        }
        let request = try #require(update(SampleMessages.resolved))
        #expect(request.url.reveal().hasSuffix("/send/m.room.message/d-2-edit"))
        #expect(try snapshotFlaw(of: request, named: "edit") == nil)
        #expect(update(SampleMessages.digest) != nil)
        for message in [SampleMessages.opened, SampleMessages.test] {
            #expect(update(message) == nil, "\(message.kind)")
        }
        #expect(update(SampleMessages.resolved, thread: nil) == nil)
        #expect(update(SampleMessages.resolved, isPlain: true) == nil)
    }

    @Test(arguments: SampleMessages.nasty.map(\.name)) func `an edit of anything is taken, too`(_ name: String) throws {
        let message = try #require(SampleMessages.nasty.first { $0.name == name }?.message)
        let edit = MatrixContent.edit(of: "$root", message)
        #expect(edit.bytes.count <= MatrixLimits.contentMax)
        #expect(edit["m.mentions"] == .object(JSONObject()))
        #expect(matrixFlaws(try #require(edit["m.new_content"])) == [])
    }
}
