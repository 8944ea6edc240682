internal import ChatKit
internal import PluginKit

/// How Google Chat shows a payload: read back from its text and the HTML in its card.
enum GoogleChatPicture {
    private typealias Run = ChatPicture.Run

    static func of(_ payload: JSON) -> ChatPicture {
        let lines = (payload["text"]?.string ?? "").split(separator: "\n")
        let cards = (payload["cardsV2"]?.array ?? []).map { card -> ChatPicture.Block in
            // A card has no colour of its own.
            .bar(.of(.closed, .info), (card["card"]?["sections"]?.array ?? []).flatMap(section))
        }
        return ChatPicture(.googleChat, lines.map { .paragraph([Run(String($0))]) } + cards)
    }

    private static func section(_ section: JSON) -> [ChatPicture.Block] {
        let header = section["header"]?.string.map { [ChatPicture.Block.paragraph([Run($0, .bold)])] } ?? []
        let widgets = section["widgets"]?.array ?? []
        let fields = widgets.compactMap { $0["decoratedText"] }.map { field in
            [Run(field["topLabel"]?.string ?? "", .bold), Run("\n")] + runs(field["text"]?.string ?? "")
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
        return text.hasPrefix("<font") ? .small(runs(text)) : .paragraph(runs(text))
    }

    /// The tags that the payload writes, one after the other.
    private static func runs(_ html: String) -> ChatCard.Row {
        var runs: ChatCard.Row = []
        var style: ChatPicture.Style = []
        var link: String?
        for piece in html.split(separator: "<", omittingEmptySubsequences: false).enumerated() {
            let parts = piece.element.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
            if piece.offset > 0 {
                switch parts[0] {
                case "b": style = .bold
                case "/b": style = []
                case "br": runs.append(Run("\n"))
                case "/a": link = nil
                case let tag where tag.hasPrefix("a href="):
                    link = String(tag.dropFirst("a href=\"".count).dropLast()).unescaped
                default: break
                }
            }
            if let text = piece.offset > 0 ? parts.dropFirst().first : parts.first, !text.isEmpty {
                runs.append(Run(String(text).unescaped, style, link: link))
            }
        }
        return runs
    }
}

extension String {
    fileprivate var unescaped: String {
        replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
