import PluginKit
import PluginTesting
import Testing

@testable import MattermostChannel

@Suite struct `Calling people in Mattermost` {
    @Test func `whom the config names is called when it begins and when it gets worse, and nobody else can be`() throws
    {
        let conformance = MentionConformance(
            callable: ["@ana.b", "@channel"], uncallable: ["ana", "@", "@a b", "@ana>", "<!channel>", ""]
        ) { mention in
            let webhook = Option.Value.text("https://chat.example.com/hooks/x")
            return try MattermostChannel(options: Options(["webhook": webhook, "mention": mention]), context: .sample)
        }
        #expect(try conformance.violations() == [])
    }
}
