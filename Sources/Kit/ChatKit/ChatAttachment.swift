public import PluginKit

/// A card as the attachment that Slack once had and that Mattermost and Rocket.Chat still show: text and fields beside a
/// coloured bar.
public struct ChatAttachment: Sendable {
    private let markdown: ChatMarkdown
    private let lineEnd: String
    private let footerTitle: PhraseID?
    private let titlesAreMarkdown: Bool

    /// - Parameters:
    ///   - lineEnd: what parts two lines of text.
    ///   - footerTitle: the title of the field that stands for the footer, in a chat that shows none.
    ///   - titlesAreMarkdown: whether the chat reads fields' titles as Markdown.
    public init(
        _ markdown: ChatMarkdown, lineEnd: String = "\n", footerTitle: PhraseID? = nil, titlesAreMarkdown: Bool
    ) {
        self.markdown = markdown
        self.lineEnd = lineEnd
        self.footerTitle = footerTitle
        self.titlesAreMarkdown = titlesAreMarkdown
    }

    /// Nil where the card has nothing but its headline.
    public func json(_ card: ChatCard) -> JSON? {
        var fields = card.facts.map { fact in
            field(
                titlesAreMarkdown ? markdown.written(fact.label) : fact.label, markdown.written(fact.value),
                isShort: true)
        }
        fields += card.listsWithLinks.map { field($0.title, text($0.rows), isShort: false) }
        if let footerTitle, !card.footer.isEmpty {
            fields.append(field(card.words[footerTitle], markdown.written(card.footer), isShort: false))
        }
        var json = JSONObject([("fallback", .string(card.headline)), ("color", .string(card.color.text))])
        if !card.text.isEmpty { json["text"] = .string(text(card.text)) }
        if !fields.isEmpty { json["fields"] = .array(fields) }
        if footerTitle == nil, !card.footer.isEmpty { json["footer"] = .string(card.footer) }
        return json.members.count > 2 ? .object(json) : nil
    }

    private func text(_ rows: [ChatCard.Row]) -> String { rows.map(markdown.written).joined(separator: lineEnd) }

    private func field(_ title: String, _ value: String, isShort: Bool) -> JSON {
        ["short": .bool(isShort), "title": .string(title), "value": .string(value)]
    }

    // MARK: Reading

    /// How the chat shows it.
    public func block(_ json: JSON) -> ChatPicture.Block {
        var blocks = paragraphs(json["text"])
        let fields = json["fields"]?.array ?? []
        let short = fields.filter { $0["short"] == true }
        if !short.isEmpty { blocks.append(.fields(short.map(runs))) }
        blocks += fields.filter { $0["short"] != true }.map { .paragraph(runs($0)) }
        if let footer = json["footer"]?.string { blocks.append(.small([ChatPicture.Run(footer)])) }
        // Swift 6.3 with optimisation does not compile this as one expression with `??`.
        var color = ChatPicture.Color.of(.closed)
        if let text = json["color"]?.string, let written = ChatPicture.Color(text) { color = written }
        return .bar(color, blocks)
    }

    /// The text of a message or an attachment, a line a paragraph.
    public func paragraphs(_ text: JSON?) -> [ChatPicture.Block] {
        (text?.string ?? "").split(separator: "\n").map { .paragraph(markdown.read(String($0).trimmed)) }
    }

    /// The title in bold above the value.
    private func runs(_ field: JSON) -> ChatCard.Row {
        let title = field["title"]?.string ?? ""
        return (titlesAreMarkdown ? markdown.read(title) : [ChatPicture.Run(title)]).map {
            ChatPicture.Run($0.text, .bold)
        }
            + [ChatPicture.Run("\n")] + markdown.read(field["value"]?.string?.replacing(lineEnd, with: "\n"))
    }
}
