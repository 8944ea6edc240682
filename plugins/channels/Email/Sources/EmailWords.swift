internal import ChatKit
internal import PluginKit

/// What fits into a mail, in bytes. Servers take megabytes, but Gmail hides what follows the first 102 KB of HTML.
enum EmailLimits {
    static let subjectMax = 150
    static let cardMax = 60_000
    static let textMax = 60_000
}

extension ChatCard.Room {
    static let email = ChatCard.Room(
        shares: MessageShares(
            headlineMax: 1000, fieldsMax: 20, fieldLabelMax: 200, fieldValueMax: 1000, reasonMax: 3000,
            sparklineMax: 300, linkTitleMax: 300, addressMax: 2000, footerMax: 500, issueTitleMax: 1000,
            issueDetailMax: 300, lineMax: 1000),
        card: EmailLimits.cardMax, text: 20_000, list: 20_000)
}

/// A message in the words of a mail: its subject, its text, and its HTML.
struct EmailWords {
    let subject: String
    let text: String
    let html: String

    /// Mail programs make links of addresses and hosts.
    static let dialect = ChatDialect(unit: .bytes, escape: ChatHTML.entity) { $0.withoutLinks.withoutHosts }

    /// - Parameter picture: the id of the picture of the message's chart.
    init(_ posting: Posting, showing picture: String?) {
        var card = ChatCard(posting, in: .email, dialect: Self.dialect) { Self.dialect.length(Self.html($0)) }
        let links = card.takeButtons(.max)
        // Nobody makes links of a subject, and filters look for what stands in it, so it is left as it is.
        let headline = posting.message.headline.roughlyCut(to: EmailLimits.subjectMax).tamed.trimmed
            .clipped(to: EmailLimits.subjectMax)
        subject = headline.isEmpty ? card.headline : headline
        let body = card.plainText(to: EmailLimits.textMax, dialect: Self.dialect, hasHeadline: false)
        // One link a line, where every mail program finds its end.
        let linkLines = links.map { "\($0.title): \($0.url)" }.joined(separator: "\n")
        text = [card.headline, body, linkLines].filter { !$0.isEmpty }.joined(separator: "\n\n")
        html = Self.page(card, links, Self.picture(posting.image, picture))
    }

    // MARK: HTML

    // One block a line, which `EmailPicture` reads again. Tables, because the mail program of Outlook knows nothing else;
    // colours in attributes for programs that drop the style sheet, and in the sheet for those that are dark.

    private typealias Run = ChatPicture.Run

    private static func html(_ row: ChatCard.Row) -> String { ChatHTML.written(row, dialect, hasCode: true) }

    private static let altMax = 1000

    private static func picture(_ image: ChartImage?, _ id: String?) -> [String] {
        guard let image, let id else { return [] }
        // Half of its pixels: it is as sharp as the letters beside it on any screen.
        return [
            "<p class=\"c\"><img src=\"cid:\(id)\" width=\"\(image.width / 2)\" height=\"\(image.height / 2)\" "
                + "alt=\"\(dialect.escaped(dialect.cut(image.words, to: altMax)))\" style=\"max-width: 100%; height: auto;\"></p>"
        ]
    }

    private static func page(_ card: ChatCard, _ links: [Message.Link], _ picture: [String]) -> String {
        var lines = [
            "<!DOCTYPE html>", "<html lang=\"\(card.words.language.rawValue)\"><head><meta charset=\"utf-8\">",
            "<meta name=\"viewport\" content=\"width=device-width\">",
            "<meta name=\"color-scheme\" content=\"light dark\">", "<style>", style, "</style></head>",
            "<body bgcolor=\"#ffffff\">",
            "<table role=\"presentation\" class=\"m\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\"><tr>",
            "<td class=\"bar\" bgcolor=\"\(card.color.text)\" width=\"5\">&nbsp;</td><td class=\"in\">",
            "<h1>\(dialect.escaped(card.headline))</h1>",
        ]
        lines += card.text.map { "<p>\(html($0))</p>" }
        if !card.facts.isEmpty {
            lines.append("<table role=\"presentation\" class=\"f\" cellpadding=\"0\" cellspacing=\"0\" border=\"0\">")
            lines += card.facts.map { fact in
                "<tr><th align=\"left\" valign=\"top\">\(dialect.escaped(fact.label))</th><td>"
                    + "\(dialect.escaped(fact.value))</td></tr>"
            }
            lines.append("</table>")
        }
        for list in card.listsWithLinks {
            lines.append("<h2>\(dialect.escaped(list.title))</h2>")
            lines += list.rows.map { "<p class=\"r\">\(html($0))</p>" }
        }
        if !links.isEmpty {
            lines.append("<p class=\"b\">")
            lines += links.map { html([Run($0.title, link: $0.url)]) }
            lines.append("</p>")
        }
        if !card.footer.isEmpty { lines.append("<p class=\"s\">\(dialect.escaped(card.footer))</p>") }
        return (lines + picture + ["</td></tr></table>", "</body></html>"]).joined(separator: "\n")
    }

    private static let style = """
        :root { color-scheme: light dark; }
        body { margin: 0; padding: 12px; background: #ffffff; color: #1f2328;
        font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
        .m { width: 100%; max-width: 640px; }
        .bar { font-size: 1px; } .in { padding: 2px 0 2px 16px; }
        h1 { font-size: 18px; line-height: 1.3; margin: 0 0 10px; }
        h2 { font-size: 14px; margin: 14px 0 4px; color: #57606a; }
        p { margin: 0 0 8px; } p.r { margin: 0 0 3px; } p, h1, td { overflow-wrap: anywhere; }
        .f { margin: 4px 0 10px; } th { font-weight: 600; color: #57606a; padding: 2px 14px 2px 0; white-space: nowrap; }
        code { font-family: ui-monospace, Menlo, Consolas, monospace; }
        a { color: #0857c3; } .b { margin: 14px 0 6px; }
        .b a { display: inline-block; margin: 0 6px 6px 0; padding: 7px 13px; border: 1px solid #8c959f;
        border-radius: 6px; text-decoration: none; font-weight: 600; }
        .s { font-size: 12px; color: #57606a; }
        @media (prefers-color-scheme: dark) {
        body { background: #16181d; color: #e6e8eb; } h2, th, .s { color: #a3abb5; } a { color: #7db4ff; }
        .b a { border-color: #6e7781; } }
        """
}
