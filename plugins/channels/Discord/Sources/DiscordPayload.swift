internal import ChatKit
internal import PluginKit

/// What Discord takes: its documentation of webhooks and of embeds. In UTF-16 units, of all ways of counting characters
/// the one that gives most.
enum DiscordLimits {
    static let contentMax = 2000
    static let descriptionMax = 4096
    static let fieldValueMax = 1024
    /// What describes an attachment.
    static let altMax = 1024
    /// All texts of all embeds together.
    static let embedsMax = 6000
}

extension ChatCard.Room {
    /// All but issues and lines stay below 4,500 together, which leaves those at least 1,500.
    static let discord = ChatCard.Room(
        shares: MessageShares(
            headlineMax: 250, fieldsMax: 12, fieldLabelMax: 50, fieldValueMax: 150, reasonMax: 500, sparklineMax: 100,
            linkTitleMax: 60, addressMax: 500, footerMax: 200, issueTitleMax: 200, issueDetailMax: 80, lineMax: 300),
        card: DiscordLimits.embedsMax, text: DiscordLimits.descriptionMax, list: DiscordLimits.fieldValueMax)
}

extension ChatMarkdown {
    /// No `@everyone` calls anybody, because the payload says so; but it would still look as if it did. Invitations are
    /// recognised without `https://`.
    static let discord = ChatMarkdown(unit: .utf16, lineMarks: "#>-+", escapes: "\\*_~`|[]<") { text in
        text.parted(after: "@", before: ["everyone", "here"]).withoutLinks
            .parted(after: ".", before: ["gg/", "com/invite/"])
    }
}

/// A message as the JSON that a webhook takes.
enum DiscordPayload {
    static func of(_ posting: Posting) -> JSON {
        let markdown = ChatMarkdown.discord
        let card = markdown.card(posting, in: .discord)
        let embed = posting.isPlain ? JSONObject() : embed(card)
        let content =
            posting.isPlain
            ? markdown.plainText(card, to: DiscordLimits.contentMax) : markdown.written(card.headline, .bold)
        var payload = JSONObject([("content", .string(content))])
        if embed.members.isEmpty {
            // Previews of links would be the only embeds; they show a login, and fetching them tells strangers.
            payload["flags"] = .int(suppressEmbeds)
        } else {
            payload["embeds"] = [.object(embed)]
        }
        // Whatever a text says, nobody is called.
        payload["allowed_mentions"] = ["parse": []]
        return .object(payload)
    }

    private static let suppressEmbeds: Int64 = 4

    /// The payload as it changes a message: what an edit leaves out stays as it was.
    static func edit(_ payload: JSON) -> JSON {
        guard var object = payload.object else { return payload }
        if object["flags"] == nil { object["flags"] = 0 }
        if object["embeds"] == nil { object["embeds"] = [] }
        return .object(object)
    }

    /// The payload with a picture in its embed, which the request carries.
    static func showing(_ image: ChartImage, in payload: JSON) -> JSON {
        guard var object = payload.object else { return payload }
        var embed = object["embeds"]?.array?.first?.object ?? JSONObject()
        embed["image"] = ["url": .string("attachment://\(ChartImage.fileName)")]
        object["embeds"] = [.object(embed)]
        // There is an embed now.
        object["flags"] = nil
        object["attachments"] = [
            [
                "id": 0, "filename": .string(ChartImage.fileName),
                "description": .string(image.words.tamed.cutAtTheEnd(to: DiscordLimits.altMax) { $0.utf16.count }),
            ]
        ]
        return .object(object)
    }

    private static func embed(_ card: ChatCard) -> JSONObject {
        let markdown = ChatMarkdown.discord
        var embed = JSONObject()
        if !card.text.isEmpty { embed["description"] = .string(markdown.written(card.text)) }
        let facts = card.facts.map { fact in
            field(markdown.written(fact.label), markdown.written(fact.value), isShort: true)
        }
        let lists = card.listsWithLinks.map { field($0.title, markdown.written($0.rows), isShort: false) }
        if !(facts + lists).isEmpty { embed["fields"] = .array(facts + lists) }
        if !card.footer.isEmpty { embed["footer"] = ["text": .string(card.footer)] }
        if !embed.members.isEmpty { embed["color"] = .int(card.color.number) }
        return embed
    }

    /// Discord refuses a field of which one half is empty.
    private static func field(_ name: String, _ value: String, isShort: Bool) -> JSON {
        let (name, value) = (name.isEmpty ? "\u{200B}" : name, value.isEmpty ? "\u{200B}" : value)
        return ["name": .string(name), "value": .string(value), "inline": .bool(isShort)]
    }
}

extension ChatPicture.Color {
    var number: Int64 { Int64(red) << 16 | Int64(green) << 8 | Int64(blue) }

    init?(number: Double) {
        guard (0...0xFFFFFF).contains(number) else { return nil }
        let digits = String(Int(number), radix: 16)
        self.init("#" + String(repeating: "0", count: 6 - digits.count) + digits)
    }
}
