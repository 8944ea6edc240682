import PluginKit
import PluginTesting
import Testing

@testable import RocketChatChannel

@Suite struct `Calling people in Rocket Chat` {
    @Test func `whom the config names is called when it begins and when it gets worse, and nobody else can be`() throws
    {
        let conformance = MentionConformance(
            callable: ["@ana.b", "@all"], uncallable: ["ana", "@", "@a b", "@ana>", ""]
        ) { mention in
            let webhook = Option.Value.text("https://chat.example.com/hooks/5f/x")
            return try RocketChatChannel(options: Options(["webhook": webhook, "mention": mention]), context: .sample)
        }
        #expect(try conformance.violations() == [])
    }
}
