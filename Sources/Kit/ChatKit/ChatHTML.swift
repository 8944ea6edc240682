internal import PluginKit

/// Rows of a card as the little HTML that some chats read, and back for previews.
public enum ChatHTML {
    /// - Parameter hasCode: whether the chat knows `<code>`.
    public static func written(_ row: ChatCard.Row, _ dialect: ChatDialect, hasCode: Bool) -> String {
        row.map { run in
            var text = dialect.escaped(run.text)
            if hasCode, run.style.contains(.code) { text = "<code>\(text)</code>" }
            if run.style.contains(.bold) { text = "<b>\(text)</b>" }
            return run.link.map { "<a href=\"\(dialect.escaped($0))\">\(text)</a>" } ?? text
        }.joined()
    }

    /// What people see of it: the tags that are written here, one after the other; others are passed over.
    public static func read(_ html: String) -> ChatCard.Row {
        var runs: ChatCard.Row = []
        var style: ChatPicture.Style = []
        var link: String?
        for (index, piece) in html.split(separator: "<", omittingEmptySubsequences: false).enumerated() {
            let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
            if index > 0 {
                switch parts[0] {
                case "b": style.insert(.bold)
                case "/b": style.remove(.bold)
                case "i": style.insert(.italic)
                case "/i": style.remove(.italic)
                case "code": style.insert(.code)
                case "/code": style.remove(.code)
                case "br": runs.append(ChatPicture.Run("\n"))
                case "/a": link = nil
                case let tag where tag.hasPrefix("a href="):
                    link = unescaped(tag.dropFirst("a href=\"".count).dropLast())
                default: break
                }
            }
            if let text = index > 0 ? parts.dropFirst().first : parts.first, !text.isEmpty {
                runs.append(ChatPicture.Run(unescaped(text), style, link: link))
            }
        }
        return runs
    }

    private static func unescaped(_ text: Substring) -> String {
        String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    }
}
