internal import ChatKit
internal import PluginKit

/// How Google Chat shows a payload: read back from its text and the HTML in its card.
enum GoogleChatPicture {
    private typealias Run = ChatPicture.Run

    static func of(_ payload: JSON) -> ChatPicture {
        let lines = (payload["text"]?.string ?? "").split(separator: "\n")
        let cards = (payload["cardsV2"]?.array ?? []).map { card -> ChatPicture.Block in
            // A card has no colour of its own.
            .bar(.of(.closed), (card["card"]?["sections"]?.array ?? []).flatMap(section))
        }
        return ChatPicture(.googleChat, lines.map { .paragraph([Run(String($0))]) } + cards)
    }

    private static func section(_ section: JSON) -> [ChatPicture.Block] {
        let header = section["header"]?.string.map { [ChatPicture.Block.paragraph([Run($0, .bold)])] } ?? []
        let widgets = section["widgets"]?.array ?? []
        let fields = widgets.compactMap { $0["decoratedText"] }.map { field in
            [Run(field["topLabel"]?.string ?? "", .bold), Run("\n")] + ChatHTML.read(field["text"]?.string ?? "")
        }
        return header + widgets.compactMap(block) + (fields.isEmpty ? [] : [.fields(fields)])
    }

    private static func block(_ widget: JSON) -> ChatPicture.Block? {
        if let buttons = widget["buttonList"]?["buttons"]?.array {
            let links = buttons.map { button in
                [Run(button["text"]?.string ?? "", link: button["onClick"]?["openLink"]?["url"]?.string)]
            }
            return .paragraph(Array(links.joined(separator: [Run("  ·  ")])))
        }
        guard let text = widget["textParagraph"]?["text"]?.string else { return nil }
        return text.hasPrefix("<font") ? .small(ChatHTML.read(text)) : .paragraph(ChatHTML.read(text))
    }
}
