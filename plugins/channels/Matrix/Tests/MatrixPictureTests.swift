import PluginKit
import PluginTesting
import Testing

@testable import MatrixChannel

@Suite struct `What Matrix shows` {
    typealias Run = ChatPicture.Run

    private func blocks(_ html: String) -> [ChatPicture.Block] {
        MatrixPicture.of(["body": "text", "formatted_body": .string(html)]).blocks
    }

    @Test(arguments: [
        ("<p>plain &lt;b&gt; &amp;amp;</p>", [ChatPicture.Block.paragraph([Run("plain <b> &amp;")])]),
        (
            "<p><b>Hit:</b> 3<br /><b>Since:</b> 4</p>",
            [.paragraph([Run("Hit:", .bold), Run(" 3"), Run("\n"), Run("Since:", .bold), Run(" 4")])]
        ),
        (
            "<ul><li>one</li><li><a href=\"https://x.example/?a&amp;b\">two</a></li></ul>",
            [.list([[Run("one")], [Run("two", link: "https://x.example/?a&b")]])]
        ),
        ("<p><code>▁█</code></p>", [.paragraph([Run("▁█", .code)])]),
        (
            "<p><strong><span data-mx-color=\"#B00020\">bad</span></strong></p>",
            [.paragraph([Run("bad", .bold)])]
        ),
        ("no tags", [.paragraph([Run("no tags")])]), ("<p>open", [.paragraph([Run("open")])]),
        ("<p", [.paragraph([Run("<p")])]), ("", []),
    ])
    func `its HTML is read as clients read it`(html: String, expected: [ChatPicture.Block]) {
        #expect(blocks(html) == expected)
    }

    @Test func `without HTML there is the body`() {
        #expect(MatrixPicture.of(["body": "text"]).blocks == [.paragraph([Run("text")])])
    }

    @Test func `a message begins with its headline`() {
        let picture = MatrixPicture.of(MatrixContent.rich(SampleMessages.opened))
        #expect(picture.chat == .matrix)
        #expect(picture.blocks.first == .paragraph([Run(SampleMessages.opened.headline, .bold)]))
        let (first, second) = (SampleMessages.opened.issues[0], SampleMessages.opened.issues[1])
        let issues: [[Run]] = [
            [Run(first.title, link: first.url), Run(" — " + first.detail)], [Run("\(second.title) — \(second.detail)")],
        ]
        #expect(picture.blocks.contains(.list(issues)))
    }
}
