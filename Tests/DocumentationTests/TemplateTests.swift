import AlertCore
import BotHarness
import PluginKit
import Testing

/// The template that people copy from the page.
@Suite struct `The template on the page` {
    @Test(arguments: [Words.english, .spanish])
    func `loses nothing of any message`(_ words: Words) throws {
        let text = try #require(try Page("docs/guide/templates.md").files["team.mustache"])
        let template = try MessageTemplate(text, name: "team.mustache")
        let view = MessageView(bot: "alertbot", channel: "team", zone: .utc, words: words)
        for (name, message) in MessageSamples(zone: .utc, words: words).all {
            let dressed = try template.dress(message, view).plainText
            var said = [message.unmarkedHeadline, message.reason]
            said += message.lines
            said += message.fields.map { "\($0.label): \($0.value)" }
            said += message.issues.map(\.title)
            let lost = said.filter { !$0.isEmpty && !dressed.contains($0.tamed) }
            #expect(lost == [], "\(name): \(dressed)")
        }
    }
}
