import PluginKit
import PluginTesting
import Testing

@testable import ChatKit

private typealias Run = ChatPicture.Run

private let markdown = ChatMarkdown(unit: .utf16, lineMarks: "#-", escapes: "\\*_`[]") {
    $0.parted(after: ["@"]).withoutLinks
}

private func card(
    _ message: Message, possiblyRepeated: Bool = false, card: Int = 6000, text: Int = 4000, list: Int = 1000
) -> ChatCard {
    let shares = MessageShares(
        headlineMax: 200, fieldsMax: 10, fieldLabelMax: 50, fieldValueMax: 100, reasonMax: 300, sparklineMax: 50,
        linkTitleMax: 60, addressMax: 300, footerMax: 100, issueTitleMax: 100, issueDetailMax: 50, lineMax: 200)
    let posting = Posting(id: "d-1", message: message, possiblyRepeated: possiblyRepeated, at: message.at)
    return markdown.card(posting, in: ChatCard.Room(shares: shares, card: card, text: text, list: list))
}

@Suite struct `A message as a card` {
    @Test func `it has what there is, in a fixed order`() {
        let opened = card(SampleMessages.opened, possiblyRepeated: true)
        #expect(opened.headline == SampleMessages.opened.headline)
        #expect(opened.color.text == "#B00020")
        #expect(opened.facts == SampleMessages.opened.fields)
        #expect(
            opened.text.map { $0.map(\.text).joined() } == [
                Words.english[.captionRepeated], "Why: " + SampleMessages.opened.reason,
            ])
        #expect(opened.lists.map(\.title) == ["Top issues", "Last day"])
        #expect(
            opened.listsWithLinks.last?.rows.first?.map(\.link) == [
                "https://crashes.example.com/releases/4.2.1", nil, "https://alerts.example.com/mute/3k9?for=2h", nil,
                "https://alerts.example.com/mute/3k9?for=2d",
            ])
        #expect(card(SampleMessages.escalated).lists.isEmpty)
        #expect(
            card(SampleMessages.digest).text.map { $0.map(\.text).joined() } == [
                "• 🔴 shop-ios: crash-free users 98.31% (alert below 99.0%)", "• 🟠 shop-android: 12 new issues",
                "• ✅ pay-ios: crash-free sessions, 22:10 to 23:40", "Why: The budget of 10 messages an hour is spent.",
            ])
    }

    @Test func `its colour is that of the headline's mark, whatever words a team puts in its place`() {
        var message = Message(
            kind: .resolved, severity: .critical, at: ChannelConformance.now, headline: "⚪ shop: news has ended")
        #expect(card(message).color.text == "#8C959F")
        message.headline = "No longer new"
        #expect(card(message).color.text == "#8C959F")
    }

    @Test(arguments: [100, 300, 500, 900, 2000]) func `what does not fit is counted`(_ room: Int) throws {
        let message = Message(
            kind: .digest, severity: .info, at: ChannelConformance.now, headline: "many",
            issues: (1...400).map { Message.IssueLine(title: "Issue \($0)", detail: "", url: nil) },
            lines: (1...400).map { "line \($0)" })
        let card = card(message, card: room, list: 400)
        let lists = card.lists.map(\.rows) + [card.text]
        for rows in lists where !rows.isEmpty {
            let written = rows.dropLast().map { $0.map(\.text).joined() }
            let last = try #require(rows.last?.map(\.text).joined())
            #expect(written.allSatisfy { $0.hasPrefix("• ") })
            #expect(last == "… and \(400 - written.count) more")
        }
        let size = lists.joined().reduce(0) { $0 + markdown.written($1).utf16.count + 1 }
        #expect(size <= room)
        #expect(room < 500 || !card.text.isEmpty)
    }

    @Test(arguments: [120, 200, 300, 350, 2000])
    func `where a digest is cut, what it had left out before counts, too`(_ room: Int) throws {
        var message = Message(
            kind: .digest, severity: .info, at: ChannelConformance.now, headline: "many",
            lines: (1...30).map { "line \($0)" } + ["and 470 more"])
        message.linesLeftOut = 470
        let rows = card(message, text: room).text.map { $0.map(\.text).joined() }
        let last = try #require(rows.last)
        #expect(last == (rows.count == 31 ? "• and 470 more" : "… and \(500 - (rows.count - 1)) more"))
        #expect((rows.count == 31) == (room == 2000))
    }

    @Test func `a list that fits to the last row says of none that it is missing`() {
        let message = Message(
            kind: .digest, severity: .info, at: ChannelConformance.now, headline: "few", lines: ["one", "two"])
        // Two rows of five characters with their line ends, and the last needs nothing behind it.
        #expect(card(message, text: 54).text.map { $0.map(\.text).joined() } == ["• one", "• two"])
        #expect(card(message, text: 14).text.isEmpty)
    }

    @Test func `links that do not fit are left out whole`() {
        let message = Message(
            kind: .opened, severity: .info, at: ChannelConformance.now, headline: "links",
            links: [
                Message.Link("", "https://a.example/1"),
                Message.Link("b", "https://a.example/" + String(repeating: "2", count: 90)),
                Message.Link("c", "https://a.example/3"),
            ])
        #expect(card(message, list: 80).links.map(\.title) == ["link", "c"])
        #expect(card(message, list: 80).listsWithLinks.last?.rows.first?.last?.text == "… and 1 more")
        #expect(card(message, list: 20).listsWithLinks.map { $0.rows.map { $0.map(\.text) } } == [[["… and 3 more"]]])
    }

    @Test func `an address that is too long for the chat is counted, and one that leads nowhere is not`() {
        let message = Message(
            kind: .opened, severity: .info, at: ChannelConformance.now, headline: "links",
            links: [
                Message.Link("Dashboard", "https://a.example/" + String(repeating: "2", count: 500)),
                Message.Link("Nowhere", "javascript:alert(1)"), Message.Link("c", "https://a.example/3"),
            ])
        #expect(card(message).listsWithLinks.last?.rows.first?.map(\.text) == ["c", "  ·  ", "… and 1 more"])
    }

    @Test func `where there is no room for all links, the bot's own are the last to go`() {
        let message = Message(
            kind: .opened, severity: .info, at: ChannelConformance.now, headline: "links",
            links: ["a", "b"].map { Message.Link($0, "https://a.example/\($0)") } + [
                Message.Link("Acknowledge", "https://b.example/ack?incident=3k9", isOwn: true),
                Message.Link("Mute 2 h", "https://b.example/mute?incident=3k9&for=2h", isOwn: true),
            ])
        #expect(card(message, list: 400).links.map(\.title) == ["a", "b", "Acknowledge", "Mute 2 h"])
        #expect(card(message, list: 275).links.map(\.title) == ["a", "Acknowledge", "Mute 2 h"])
        #expect(card(message, list: 150).links.map(\.title) == ["Acknowledge"])
    }

    @Test func `as plain text it keeps its begin and its end`() {
        let opened = card(SampleMessages.opened)
        let whole = markdown.plainText(opened, to: 2000)
        #expect(
            whole.split(separator: "\n").map(String.init) == [
                "🔴 shop-ios: crash-free users 98.31% (alert below 99.0%)", "Before: 99.82% (last day)",
                "Users hit: 31 of 1,840", "Since: 2026-11-20 23:20 UTC, 40 min", "Release: 4.2.1 (62% of users)",
                "Why: " + SampleMessages.opened.reason, "Top issues:",
                "• EXC\\_BAD\\_ACCESS in Renderer.draw(\\_:) "
                    + "<https://crashes.example.com/issues/7f3a9c?project=1&query=is%3Aunresolved> — 40 events, 29 users",
                "• NSRangeException in -\\[Feed item:\\] — 3 events, 2 users", "Last day:", "▇▇▇█▇▇▇█▇▇▇▇█▇▇▇▇█▇▇▇▅▂▁",
                "Links:",
                "Open in Sentry <https://crashes.example.com/releases/4.2.1>  ·  Mute 2 h "
                    + "<https://alerts.example.com/mute/3k9?for=2h>  ·  Mute 2 days "
                    + "<https://alerts.example.com/mute/3k9?for=2d>",
                "crash-free-floor · incident 3k9",
            ])
        let cut = markdown.plainText(opened, to: 500)
        #expect(cut.utf16.count <= 500)
        #expect(cut.hasPrefix("🔴 shop-ios") && cut.hasSuffix("crash-free-floor · incident 3k9"))
        #expect(cut.split(separator: "\n").contains("…"))
    }

    @Test func `where a text gives way to those called, whole lines go`() {
        let text = (1...60).map { "• issue \($0) https://a.example/?issue=\($0)" }.joined(separator: "\n")
        let payload = ChatMentions.calling(["@ana"], in: ["text": .string(text)], "text", textMax: 1000)
        let called = payload["text"]?.string ?? ""
        let lines = Set(text.split(separator: "\n"))
        #expect(called.hasPrefix("@ana • issue 1 ") && called.utf16.count <= 1000)
        #expect(called.dropFirst("@ana ".count).split(separator: "\n").filter { !lines.contains($0) } == ["…"])
    }
}

@Suite struct `A chat's Markdown` {
    @Test(arguments: [
        ([Run("a*b", .bold), Run(" c_d")], "**a\\*b** c\\_d"), ([Run("▁▂▃", .code)], "`▁▂▃`"),
        ([Run("x]y", link: "https://a.example/(1)")], "[x\\]y](https://a.example/%281%29)"),
        ([Run("\\")], "\\\\"), ([], ""),
    ])
    func `what is written is read back`(_ row: [ChatPicture.Run], _ expected: String) {
        #expect(markdown.written(row) == expected)
        let again = row.map { Run($0.text, $0.style, link: $0.link == nil ? nil : "https://a.example/%281%29") }
        #expect(markdown.read(expected) == again)
    }

    @Test(arguments: [
        (
            "see <https://a.example/x> now",
            [
                Run("see "), Run("https://a.example/x", link: "https://a.example/x"), Run(" now"),
            ]
        ),
        ("a < b > c", [Run("a < b > c")]), ("[no link", [Run("[no link")]), ("[a] (b)", [Run("[a] (b)")]),
        ("`open", [Run("`open")]), ("\\a", [Run("\\a")]), ("**a", [Run("a", .bold)]),
        ("[**b**](https://x.example)", [Run("b", .bold, link: "https://x.example")]),
    ])
    func `it is read as chats read it`(_ text: String, _ runs: [ChatPicture.Run]) {
        #expect(markdown.read(text) == runs)
    }
}

@Suite struct `A chat's dialect` {
    private func dialect(_ unit: ChatDialect.Unit) -> ChatDialect {
        ChatDialect(unit: unit, lineMarks: "#", escape: { $0 == "&" ? "&amp;" : nil }, defuse: \.withoutLinks)
    }

    @Test(arguments: [
        (ChatDialect.Unit.utf16, "a😀é", 4), (.codePointsOfJSON, "a😀é\"", 5), (.bytes, "a😀é", 7),
        (.bytesOfASCII, "a😀é\"\n", 23),
    ])
    func `it counts in its unit`(_ unit: ChatDialect.Unit, _ text: String, _ length: Int) {
        #expect(dialect(unit).length(text) == length)
    }

    @Test(arguments: [ChatDialect.Unit.utf16, .codePointsOfJSON, .bytes, .bytesOfASCII])
    func `a text is cut to what it takes when it is escaped`(_ unit: ChatDialect.Unit) {
        let dialect = dialect(unit)
        for text in [String(repeating: "&", count: 40), String(repeating: "👨‍👩‍👧‍👦", count: 20), "0123456789&<>\"\\"] {
            for limit in [0, 1, 5, 20, 100, 150] {
                #expect(dialect.length(dialect.escaped(dialect.cut(text, to: limit))) <= limit)
            }
        }
    }

    @Test func `marks at the begin of a line and addresses mean nothing`() {
        let dialect = dialect(.utf16)
        #expect(dialect.cut("# not a title", to: 100) == "\u{200B}# not a title")
        #expect(dialect.cut("\u{301}e", to: 100) == "\u{200B}\u{301}e")
        #expect(dialect.cut("see https://evil.example", to: 100) == "see https:\u{200B}//evil.example")
        #expect("x://\u{301}".withoutLinks.unicodeScalars.elementsEqual("x:\u{200B}//\u{301}".unicodeScalars))
        #expect("a.example 4.2.1".withoutHosts == "a.\u{200B}example 4.2.1")
        #expect("@kim @all".parted(after: ["@"]) == "@\u{200B}kim @\u{200B}all")
    }
}

@Suite struct `A chat's answers` {
    private func answer(_ status: Int, _ body: String = "", _ headers: [(String, String)] = []) -> ChatAnswer {
        let response = HTTPResponse(
            status: status, headers: headers.map { (name: $0.0, value: $0.1) }, body: Array(body.utf8))
        return ChatAnswer(response, of: "Chat", at: ChannelConformance.now)
    }

    @Test func `it says what was answered`() {
        #expect(answer(400, #"{"a": 1}"#).said("no\ngood.", nil, "7") == "Chat answered 400: no good, 7")
        #expect(answer(400, "what?").said(nil) == "Chat answered 400: what?")
        #expect(answer(200, "{}").said() == "Chat answered 200")
        #expect(answer(404).said() == "Chat answered 404")
    }

    @Test(arguments: [
        (301, "Chat answered 301, a redirect, which is not followed; put the address that it leads to into the config"),
        (403, "Chat answered 403; the address is no longer accepted: make a new webhook and configure it"),
        (404, "Chat answered 404; there is no webhook at this address: make a new one and configure it"),
    ])
    func `a status that ends a delivery says what to do`(_ status: Int, _ sentence: String) {
        let answer = answer(status)
        #expect(answer.outcome(answer.said()) == .refusedChannel(sentence))
    }

    @Test func `a page that refuses may be a proxy's`() {
        let page = answer(403, "<html>no</html>")
        #expect("\(page.outcome(page.said()))".contains("or something in between refuses it"))
    }

    @Test func `other statuses are tried again, refuse the body, or deliver`() {
        let busy = answer(503, "", [("Retry-After", "7")])
        #expect(busy.outcome(busy.said()) == .retry(after: .seconds(7), "Chat answered 503"))
        #expect(busy.retry("later", after: 1.5) == .retry(after: .seconds(7), "later"), "the longer one")
        #expect(busy.retry("later", after: 6.5) == .retry(after: .seconds(6.5), "later"), "rounded up in the header")
        #expect(busy.retry("later", after: 9.5) == .retry(after: .seconds(9.5), "later"))
        #expect(busy.retry("later", after: 999_999_999) == .retry(after: .seconds(7), "later"), "nobody means 31 years")
        #expect(busy.retry("later", after: -1) == .retry(after: .seconds(7), "later"))
        #expect(answer(422).outcome("no") == .refusedBody("no"))
        #expect(answer(202).outcome("yes") == .delivered(receipt: nil))
        #expect(
            answer(200, " <html>").strange(insteadOf: "\"ok\"")
                == .unknown(
                    "Chat answered 200 with \"<html>\" instead of \"ok\"; is there a proxy in between that wants a login?"
                ))
        #expect(answer(200, "\n<html>").isPage && !answer(200, "ok").isPage)
    }
}

@Suite struct `HTML of chats` {
    @Test func `each entity is read once, and only those that the chat knows`() {
        #expect(ChatHTML.unescaped("&lt;b&gt; &amp;lt; &quot;&#39; & &x; &") == "<b> &lt; \"' & &x; &")
        #expect(ChatHTML.unescaped("&amp;lt; &quot;", ["&amp;": "&"]) == "&lt; &quot;")
    }
}
