internal import ChatKit
internal import PluginKit

/// What Teams takes. In bytes of JSON in which everything beyond ASCII is escaped, because it is counted after services in
/// between have written it anew.
enum TeamsLimits {
    /// 28,672 bytes are documented, with what is added on the way; 21 kB were seen to pass, and 24,453 bytes to fail.
    static let messageMax = 20_480
    /// The plain form is also for when the rich one was too large.
    static let plainMax = 8000
    /// More would be hidden behind "…", so they are links in the text.
    static let actionsMax = 6
}

extension ChatCard.Room {
    /// What stands around texts is counted with each row; the envelope takes less than 700.
    ///
    /// - Parameter mentions: what those take whom the card calls.
    static func teams(besides mentions: Int) -> ChatCard.Room {
        ChatCard.Room(
            shares: MessageShares(
                headlineMax: 600, fieldsMax: 12, fieldLabelMax: 120, fieldValueMax: 300, reasonMax: 1200,
                sparklineMax: 320,
                linkTitleMax: 120, addressMax: 800, footerMax: 400, issueTitleMax: 600, issueDetailMax: 200,
                lineMax: 600),
            card: TeamsLimits.messageMax - 1500 - mentions, text: 12_000, list: 4500)
    }
}

/// A message as the JSON that a workflow hands on to Teams.
///
/// Texts of strangers stand in text runs alone: all other texts of a card are read as Markdown.
enum TeamsPayload {
    /// Nobody is mentioned without an entry among the card's entities, nor outside of text blocks, so names need not be
    /// broken; but cards know `{{DATE(…)}}`, and workflows `${…}`.
    static let dialect = ChatDialect(unit: .bytesOfASCII) { text in
        text.withoutLinks.parted(after: "{", before: ["{"]).parted(after: "$", before: ["{"])
    }

    static func of(_ posting: Posting, calling people: [TeamsMention]) -> JSON {
        let room = ChatCard.Room.teams(besides: TeamsMention.size(of: people))
        var card = ChatCard(posting, in: room, dialect: dialect) { size(of: row($0)) }
        let links = posting.isPlain ? [] : card.takeButtons(TeamsLimits.actionsMax)
        var body = posting.isPlain ? plain(card) : body(card, of: posting.message)
        if !people.isEmpty { body.insert(TeamsMention.line(people), at: posting.isPlain ? 0 : 1) }
        var content = JSONObject([
            ("$schema", "http://adaptivecards.io/schemas/adaptive-card.json"), ("type", "AdaptiveCard"),
            ("version", "1.4"), ("body", .array(body)),
        ])
        if !links.isEmpty { content["actions"] = .array(links.map { openURL($0.url, title: $0.title) }) }
        content["msteams"] =
            people.isEmpty ? ["width": "Full"] : ["width": "Full", "entities": TeamsMention.entities(people)]
        return [
            "type": "message",
            "attachments": [
                [
                    "contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": .null,
                    "content": .object(content),
                ]
            ],
        ]
    }

    private static func body(_ card: ChatCard, of message: Message) -> [JSON] {
        let title = row([ChatPicture.Run(card.headline, .bold)], [("size", "Medium")])
        var body: [JSON] = [
            ["type": "Container", "style": style(of: message), "bleed": true, "items": [title]]
        ]
        body += card.text.map { row($0) }
        body += card.facts.enumerated().map { index, fact in
            row([ChatPicture.Run(fact.label, .bold), ChatPicture.Run("  \(fact.value)")], isTight: index > 0)
        }
        for list in card.listsWithLinks {
            body.append(row([ChatPicture.Run(list.title, .bold)]))
            body += list.rows.map { row($0, isTight: true) }
        }
        if !card.footer.isEmpty {
            body.append(row([ChatPicture.Run(card.footer)], [("size", "Small"), ("isSubtle", true)]))
        }
        return body
    }

    /// All lines in one block.
    private static func plain(_ card: ChatCard) -> [JSON] {
        [row([ChatPicture.Run(card.plainText(to: TeamsLimits.plainMax, dialect: dialect))])]
    }

    /// The colours of Teams' own, which are readable on a dark ground as on a light one.
    private static func style(of message: Message) -> JSON {
        switch message.tone {
        case .resolved: "good"
        case .closed, .digest, .acknowledged: "emphasis"
        case .critical: "attention"
        case .warning: "warning"
        case .info, .test: "accent"
        }
    }

    /// One line of text.
    ///
    /// - Parameter isTight: whether it stands close to the line above.
    private static func row(
        _ row: ChatCard.Row, _ members: [(String, JSON)] = [], isTight: Bool = false
    ) -> JSON {
        let runs = row.filter { !$0.text.isEmpty }.map { run -> JSON in
            var json = JSONObject([("type", "TextRun"), ("text", .string(run.text))] + members)
            if run.style.contains(.bold) { json["weight"] = "Bolder" }
            if run.style.contains(.code) { json["fontType"] = "Monospace" }
            if let link = run.link { json["selectAction"] = openURL(link) }
            return .object(json)
        }
        var block = JSONObject([("type", "RichTextBlock"), ("inlines", .array(runs))])
        if isTight { block["spacing"] = "None" }
        return .object(block)
    }

    private static func openURL(_ url: String, title: String? = nil) -> JSON {
        let members: [(String, JSON)] = [("type", "Action.OpenUrl"), ("url", .string(url))]
        return .object(JSONObject(members + (title.map { [("title", .string($0))] } ?? [])))
    }

    /// What the JSON takes with everything beyond ASCII escaped; whether a row is tight is not known here yet.
    private static func size(of block: JSON) -> Int {
        block.text.unicodeScalars.reduce(",\"spacing\":\"None\"".utf8.count) { size, scalar in
            size + (scalar.isASCII ? 1 : 6 * UTF16.width(scalar))
        }
    }
}
