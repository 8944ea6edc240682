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

    /// The card line by line, for chats that show no fields.
    ///
    /// - Parameter footer: how the chat writes the last line, which is escaped already.
    public static func lines(
        _ card: ChatCard, _ dialect: ChatDialect, footer: (String) -> String = { $0 }
    ) -> [String] {
        func line(_ row: ChatCard.Row) -> String { written(row, dialect, hasCode: true) }
        func bold(_ words: String, _ rest: ChatCard.Row = []) -> String { line([ChatPicture.Run(words, .bold)] + rest) }
        var lines = [bold(card.headline)]
        lines += card.facts.map { bold("\($0.label):", [ChatPicture.Run(" \($0.value)")]) }
        lines += card.text.map(line)
        for list in card.listsWithLinks { lines += [bold("\(list.title):")] + list.rows.map(line) }
        return lines + (card.footer.isEmpty ? [] : [footer(dialect.escaped(card.footer))])
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

    /// What is written for a code point that could end a text or a quoted attribute; nil where it stands for itself.
    public static func entity(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        default: nil
        }
    }

    /// The entities that chats write, and what they stand for.
    public static let entities: KeyValuePairs = [
        "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'",
    ]

    /// The text with its entities read once: of `&amp;lt;` is left `&lt;`.
    ///
    /// - Parameter known: those that the chat reads.
    public static func unescaped(
        _ text: Substring, _ known: KeyValuePairs<String, String> = entities
    ) -> String {
        var result = ""
        var rest = text
        while let index = rest.firstIndex(of: "&") {
            result += rest[..<index]
            rest = rest[index...]
            guard let found = known.first(where: { rest.hasPrefix($0.key) }) else {
                result += "&"
                rest = rest.dropFirst()
                continue
            }
            result += found.value
            rest = rest.dropFirst(found.key.count)
        }
        return result + rest
    }
}
