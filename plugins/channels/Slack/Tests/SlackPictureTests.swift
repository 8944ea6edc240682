import PluginKit
import PluginTesting
import Testing

@testable import SlackChannel

@Suite struct `What Slack shows` {
    typealias Run = ChatPicture.Run

    @Test(arguments: [
        ("plain", [Run("plain")]), ("*bold* rest", [Run("bold", .bold), Run(" rest")]),
        ("_i_ ~s~ `c`", [Run("i", .italic), Run(" "), Run("s", .strike), Run(" "), Run("c", .code)]),
        ("*a _b_*", [Run("a ", .bold), Run("b", [.bold, .italic])]), ("`*no*`", [Run("*no*", .code)]),
        ("2*3*4", [Run("2*3*4")]), ("* a *", [Run("* a *")]), ("*open", [Run("*open")]), ("*a\nb*", [Run("*a\nb*")]),
        ("snake_case_name", [Run("snake_case_name")]), ("a &amp;lt; b", [Run("a &lt; b")]),
        ("&lt;!here&gt;", [Run("<!here>")]),
        ("&nbsp;", [Run("&nbsp;")]),
        (
            "see <https://x.example/?a=1&amp;b=2|the *issue*>.",
            [Run("see "), Run("the *issue*", link: "https://x.example/?a=1&b=2"), Run(".")]
        ),
        ("<https://x.example>", [Run("https://x.example", link: "https://x.example")]), ("a < b", [Run("a < b")]),
        ("", []),
    ])
    func `its markup is read as Slack reads it`(markup: String, runs: [Run]) {
        #expect(SlackMarkup.runs(markup) == runs)
    }

    @Test func `a message is a headline, and details beside the colour of its severity`() throws {
        let posting = Posting(id: "d-1", message: SampleMessages.opened, at: SampleMessages.opened.at)
        let picture = SlackPicture.of(.object(SlackPayload.rich(posting, mentions: [])))
        #expect(picture.chat == .slack)
        #expect(picture.blocks.first == .heading([Run(SampleMessages.opened.headline)]))
        guard case .bar(let color, let details) = picture.blocks.last, picture.blocks.count == 2 else {
            Issue.record("no bar: \(picture.blocks)")
            return
        }
        #expect(color.text == "#B00020")
        #expect(details.contains(.small([Run("crash-free-floor · incident 3k9")])))
        guard case .fields(let fields) = details.first else {
            Issue.record("no fields: \(details)")
            return
        }
        #expect(fields.first == [Run("Before", .bold), Run("\n99.82% (last day)")])
    }

    @Test func `whom a message calls is shown`() {
        #expect(
            SlackMarkup.runs("<!subteam^S0123> <@U0123> <!here>").map(\.text) == [
                "@S0123", " ", "@U0123", " ", "@here",
            ])
    }

    @Test func `the plain form is its text`() {
        let posting = Posting(id: "d-1", message: SampleMessages.test, isPlain: true, at: SampleMessages.test.at)
        let picture = SlackPicture.of(.object(SlackPayload.plain(posting, mentions: [])))
        #expect(picture.blocks == [.paragraph(SlackMarkup.runs(SampleMessages.test.plainText.escaped))])
    }
}
