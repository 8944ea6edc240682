internal import ChatKit
internal import PluginKit

/// How Teams shows a payload: read back from the card in it.
enum TeamsPicture {
    private typealias Run = ChatPicture.Run

    static func of(_ payload: JSON) -> ChatPicture {
        let card = payload["attachments"]?.array?.first?["content"]
        let actions = (card?["actions"]?.array ?? []).map { action in
            [Run(action["title"]?.string ?? "", link: action["url"]?.string)]
        }
        let buttons = Array(actions.joined(separator: [Run("  ·  ")]))
        return ChatPicture(.teams, blocks(card?["body"]) + (buttons.isEmpty ? [] : [.paragraph(buttons)]))
    }

    private static func blocks(_ elements: JSON?) -> [ChatPicture.Block] {
        (elements?.array ?? []).reduce(into: []) { blocks, element in
            if element["type"] == "Container" {
                let color = ChatPicture.Color(color(of: element["style"]?.string))
                let inner = self.blocks(element["items"])
                blocks += color.map { [.bar($0, inner)] } ?? inner
            } else if element["type"] == "TextBlock" {
                let called = (element["text"]?.string ?? "").split(separator: "</at>").map { part in
                    Run(String(part).replacing("<at>", with: "").trimmed, .bold)
                }
                blocks.append(.paragraph(Array(called.map { [$0] }.joined(separator: [Run(" ")]))))
            } else {
                let runs = (element["inlines"]?.array ?? []).map(run)
                let isSmall = element["inlines"]?.array?.first?["isSubtle"] == true
                if isSmall {
                    blocks.append(.small(runs))
                } else if element["spacing"] == "None", case .paragraph(let above) = blocks.last {
                    blocks[blocks.count - 1] = .paragraph(above + [Run("\n")] + runs)
                } else {
                    blocks.append(.paragraph(runs))
                }
            }
        }
    }

    private static func run(_ json: JSON) -> ChatPicture.Run {
        let styles: [ChatPicture.Style] =
            (json["weight"] == "Bolder" ? [.bold] : []) + (json["fontType"] == "Monospace" ? [.code] : [])
        return Run(json["text"]?.string ?? "", ChatPicture.Style(styles), link: json["selectAction"]?["url"]?.string)
    }

    /// The grounds of containers in Teams' light theme, in the strong colour of each.
    private static func color(of style: String?) -> String {
        switch style {
        case "attention": "#C4314B"
        case "warning": "#F8D22A"
        case "good": "#13A10E"
        case "accent": "#5B5FC7"
        default: "#8A8886"
        }
    }
}
