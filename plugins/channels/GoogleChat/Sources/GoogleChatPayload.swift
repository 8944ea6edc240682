internal import ChatKit
internal import PluginKit

/// What Google Chat takes, in bytes.
enum GoogleChatLimits {
    /// Text and cards together.
    static let messageMax = 32_000
    static let cardMax = 24_000
    static let plainTextMax = 3800
}

extension ChatCard.Room {
    /// All but issues and lines stay below 18,000 together, which leaves those at least 6,000.
    static let googleChat = ChatCard.Room(
        shares: MessageShares(
            headlineMax: 600, fieldsMax: 12, fieldLabelMax: 100, fieldValueMax: 400, reasonMax: 1000, sparklineMax: 200,
            linkTitleMax: 100, addressMax: 1000, footerMax: 400, issueTitleMax: 600, issueDetailMax: 200, lineMax: 500),
        card: GoogleChatLimits.cardMax, text: 12_000, list: 6000)
}

/// A message as the JSON that a webhook takes. Cards are written in a few tags of HTML; a message's own text knows no way
/// to escape anything, and makes a link of every word that could be a host's name.
enum GoogleChatPayload {
    /// `<users/all>` calls everybody in a text.
    static let dialect = ChatDialect(unit: .bytes, escape: entity) { text in
        text.parted(after: ["<"]).parted(after: "`", before: ["`"]).withoutLinks
    }

    private static func entity(_ scalar: Unicode.Scalar) -> String? {
        scalar == "'" ? "&#39;" : ChatHTML.entity(scalar)
    }

    static func of(_ posting: Posting) -> JSON {
        let card = ChatCard(posting, in: .googleChat, dialect: dialect) { row in
            // With what stands around it.
            JSON.string(html(row)).bytes.count + 60
        }
        guard !posting.isPlain else {
            let text = card.plainText(to: GoogleChatLimits.plainTextMax, dialect: dialect) { $0.plain(\.withoutHosts) }
            return ["text": .string(text)]
        }
        var payload = JSONObject([("text", .string(card.headline.withoutHosts))])
        let sections = sections(of: card)
        if !sections.isEmpty {
            payload["cardsV2"] = [["cardId": "alert", "card": ["sections": .array(sections)]]]
        }
        if let thread = posting.thread { payload["thread"] = ["name": .string(thread)] }
        return .object(payload)
    }

    private static func sections(of card: ChatCard) -> [JSON] {
        var first = card.text.isEmpty ? [] : [paragraph(html(card.text))]
        first += card.facts.map { fact in
            [
                "decoratedText": [
                    "topLabel": .string(fact.label), "text": .string(dialect.escaped(fact.value)), "wrapText": true,
                ]
            ]
        }
        var last: [JSON] = []
        if !card.links.isEmpty {
            let buttons = card.links.map { link -> JSON in
                ["text": .string(link.title), "onClick": ["openLink": ["url": .string(link.url)]]]
            }
            last.append(["buttonList": ["buttons": .array(buttons)]])
        }
        if !card.footer.isEmpty {
            last.append(paragraph("<font color=\"#80868b\">\(dialect.escaped(card.footer))</font>"))
        }
        let lists = card.lists.map { list -> JSON in
            ["header": .string(list.title), "widgets": [paragraph(html(list.rows))]]
        }
        return section(first) + lists + section(last)
    }

    private static func section(_ widgets: [JSON]) -> [JSON] { widgets.isEmpty ? [] : [["widgets": .array(widgets)]] }

    private static func paragraph(_ html: String) -> JSON { ["textParagraph": ["text": .string(html)]] }

    private static func html(_ rows: [ChatCard.Row]) -> String { rows.map(html).joined(separator: "<br>") }

    private static func html(_ row: ChatCard.Row) -> String { ChatHTML.written(row, dialect, hasCode: false) }
}
