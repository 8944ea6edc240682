internal import PluginKit

/// How a telephone shows a message of ntfy: the title, the text, and its buttons.
enum NtfyPicture {
    private typealias Run = ChatPicture.Run

    static func of(_ payload: JSON) -> ChatPicture {
        let tags = (payload["tags"]?.array ?? []).compactMap(\.string)
        var blocks: [ChatPicture.Block] = []
        if let title = payload["title"]?.string {
            let mark = tags.first.flatMap { marks[$0] }.map { "\($0) " } ?? ""
            blocks.append(.heading([Run(mark + title)]))
        }
        blocks += (payload["message"]?.string ?? "").split(separator: "\n").map { .paragraph([Run(String($0))]) }
        var links: [[Run]] = []
        if let address = payload["click"]?.string { links.append([Run("Open", link: address)]) }
        links += (payload["actions"]?.array ?? []).map { action in
            [Run(action["label"]?.string ?? "", .bold, link: action["url"]?.string)]
        }
        if !links.isEmpty { blocks.append(.paragraph(Array(links.joined(separator: [Run("  ·  ")])))) }
        let rest = tags.filter { marks[$0] == nil }
        let priority = payload["priority"]?.number.flatMap { Int(exactly: $0) } ?? 3
        blocks.append(.small([Run((["Priority \(priority)"] + rest).joined(separator: " · "))]))
        return ChatPicture(.ntfy, blocks)
    }

    private static let marks = [
        "white_check_mark": "✅", "white_circle": "⚪", "spiral_notepad": "🗒", "eyes": "👀", "test_tube": "🧪",
        "red_circle": "🔴", "orange_circle": "🟠", "large_blue_circle": "🔵",
    ]
}
