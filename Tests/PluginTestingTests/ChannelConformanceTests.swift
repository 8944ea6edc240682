import Foundation
import PluginKit
import PluginTesting
import Testing

/// A channel that cuts what is too long, in one way or another.
private struct Cutter: Channel {
    static let manifest = PluginManifest(name: "cutter", summary: "Cuts.", options: [])
    let pace = Pace.unlimited
    let isIdempotent = false
    var cut: @Sendable (String) -> String = { $0 }
    var shown: @Sendable (Message) -> Message = { $0 }

    init(cut: @escaping @Sendable (String) -> String) { self.cut = cut }
    init(options: Options, context: ChannelContext) throws(ProblemList) {}

    func post(_ posting: Posting) -> ChannelAction { .print(cut(posting.message.headline.tamed)) }
    func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome { .delivered(receipt: nil) }
    func picture(of posting: Posting) -> ChatPicture { ChatPicture(shown(posting.message)) }
}

@Suite struct `Channels that cut` {
    private func violations(_ cut: @escaping @Sendable (String) -> String) -> [String] {
        ChannelConformance(Cutter(cut: cut), audience: .people, bodyBytesMax: 0).violations()
    }

    @Test func `between characters do as they must`() {
        #expect(violations { $0.clipped(to: 101) } == [])
        #expect(violations { $0.cutAtTheEnd(to: 97) { $0.utf16.count } } == [])
    }

    @Test func `within characters are found out, whatever they count`() {
        let byScalars = violations { String(String.UnicodeScalarView($0.unicodeScalars.prefix(101))) }
        #expect(byScalars.contains { $0.hasPrefix("rich text is cut within '👨‍👩‍👧‍👦': ") })
        #expect(byScalars.contains { $0.hasPrefix("plain text is cut within '🇪🇸': ") })
        #expect(violations { String(decoding: $0.utf8.prefix(101), as: UTF8.self) }.count > 4)
    }
}

@Suite struct `Pictures of messages` {
    private func violations(_ shown: @escaping @Sendable (Posting) -> Message = { $0.message }) -> [String] {
        var channel = Cutter { $0.clipped(to: 101) }
        channel.shown = { message in
            var message = message
            message.links = Array(message.links.dropFirst())
            message.footer = ""
            return message
        }
        return ChannelConformance(channel, audience: .people, bodyBytesMax: 0, shown: shown).violations()
    }

    @Test func `that lack a word are found out`() {
        let found = violations()
        #expect(found.contains("opened: its rich picture does not show 'crash-free-floor · incident 3k9'"))
        #expect(found.contains("opened: its plain picture does not show 'Open in Sentry'"))
    }

    @Test func `lack none that the service has no place for`() {
        let found = violations { posting in
            var message = posting.message
            message.links = Array(message.links.dropFirst())
            message.footer = ""
            return message
        }
        #expect(found == [])
    }
}

@Suite struct `Answers of a service` {
    @Test func `that are none are no test that passes`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("answers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let fixtures = folder.appendingPathComponent("TestData/Fixtures")
        try FileManager.default.createDirectory(at: fixtures, withIntermediateDirectories: true)
        try Data("[]".utf8).write(to: fixtures.appendingPathComponent("answers.json"))
        #expect(throws: JSONMismatch.self) {
            try AnswerCase.all(here: folder.appendingPathComponent("Tests/ChannelTests.swift").path)
        }
    }
}
