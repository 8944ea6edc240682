import PluginKit
import PluginTesting
import Testing

@testable import GoogleChatChannel

@Suite struct `Calling people in Google Chat` {
    @Test func `whom the config names is called when it begins and when it gets worse, and nobody else can be`() throws
    {
        let conformance = MentionConformance(
            callable: ["<users/12>", "<users/all>"], uncallable: ["all", "<users/>", "<users/ana>", "@all", ""]
        ) { mention in
            let webhook = Option.Value.text("https://chat.googleapis.com/v1/spaces/A/messages?key=k&token=t")
            return try GoogleChatChannel(options: Options(["webhook": webhook, "mention": mention]), context: .sample)
        }
        #expect(try conformance.violations() == [])
    }
}
