internal import ChatKit
internal import PluginKit

/// How Slack shows a payload: read back from it by Slack's own rules, so that a preview shows what people will see.
enum SlackPicture {
    static func of(_ payload: JSON) -> ChatPicture {
        var blocks = self.blocks(payload["blocks"])
        for attachment in payload["attachments"]?.array ?? [] {
            let inner = self.blocks(attachment["blocks"])
            guard let color = attachment["color"]?.string.flatMap({ ChatPicture.Color($0) }) else {
                blocks += inner
                continue
            }
            blocks.append(.bar(color, inner))
        }
        // Where there are blocks, the text is only for notifications.
        if blocks.isEmpty, let text = payload["text"]?.string { blocks = [.paragraph(SlackMarkup.runs(text))] }
        return ChatPicture(.slack, blocks)
    }

    private static func blocks(_ blocks: JSON?) -> [ChatPicture.Block] { (blocks?.array ?? []).flatMap(block) }

    private static func block(_ block: JSON) -> [ChatPicture.Block] {
        switch block["type"]?.string {
        case "header": [.heading(runs(block["text"]))]
        case "context": [.small((block["elements"]?.array ?? []).flatMap(runs))]
        case "section":
            (block["text"].map { [.paragraph(runs($0))] } ?? [])
                + (block["fields"]?.array.map { [.fields($0.map(runs))] } ?? [])
        default: []
        }
    }

    private static func runs(_ text: JSON?) -> [ChatPicture.Run] {
        let words = text?["text"]?.string ?? ""
        return text?["type"] == "mrkdwn" ? SlackMarkup.runs(words) : [ChatPicture.Run(words)]
    }
}

/// Slack's `mrkdwn`, as far as a webhook's message uses it.
enum SlackMarkup {
    typealias Run = ChatPicture.Run

    static func runs(_ markup: String) -> [Run] { runs(markup[...], []) }

    private static func runs(_ markup: Substring, _ style: ChatPicture.Style) -> [Run] {
        var runs: [Run] = []
        var plain = markup.startIndex
        var index = markup.startIndex
        /// Ends the plain text before `index`, adds what came instead of the markup, and goes on behind it.
        func take(_ found: [Run], upTo end: Substring.Index) {
            if plain < index { runs.append(Run(markup[plain..<index].unescaped, style)) }
            runs += found
            index = end
            plain = end
        }
        while index < markup.endIndex {
            if let (end, run) = link(markup[index...], style) {
                take([run], upTo: end)
            } else if let (inner, added, end) = styled(markup, at: index) {
                let isCode = added == .code
                take(
                    isCode ? [Run(inner.unescaped, style.union(added))] : self.runs(inner, style.union(added)),
                    upTo: end)
            } else {
                index = markup.index(after: index)
            }
        }
        take([], upTo: markup.endIndex)
        return runs
    }

    /// `<https://…|words>` at the begin of the text.
    private static func link(_ text: Substring, _ style: ChatPicture.Style) -> (Substring.Index, Run)? {
        guard text.first == "<", let close = text.firstIndex(of: ">") else { return nil }
        let inside = text[text.index(after: text.startIndex)..<close]
        // Whom it calls is shown as far as the payload says it: Slack alone knows the names behind ids.
        for (prefix, mark) in [("!subteam^", "@"), ("!", "@"), ("@", "@")] where inside.hasPrefix(prefix) {
            return (text.index(after: close), Run(mark + inside.dropFirst(prefix.count), style.union(.bold)))
        }
        let parts = inside.split(separator: "|", maxSplits: 1)
        guard let address = parts.first, address.contains(":") else { return nil }
        let words = (parts.last ?? address).unescaped
        return (text.index(after: close), Run(words, style, link: address.unescaped))
    }

    /// A stretch between two like marks on one line, as Slack finds it: outside of words, and not beside a space.
    private static func styled(
        _ text: Substring, at open: Substring.Index
    ) -> (inner: Substring, style: ChatPicture.Style, end: Substring.Index)? {
        let mark = text[open]
        let style: ChatPicture.Style
        switch mark {
        case "*": style = .bold
        case "_": style = .italic
        case "~": style = .strike
        case "`": style = .code
        default: return nil
        }
        let begin = text.index(after: open)
        guard open == text.startIndex || !text[text.index(before: open)].isWord, begin < text.endIndex,
            !text[begin].isWhitespace, text[begin] != mark
        else { return nil }
        let line = text[begin...].prefix { !$0.isNewline }
        var close = line.startIndex
        while let found = line[close...].firstIndex(of: mark) {
            let after = line.index(after: found)
            let isEnd = after == line.endIndex || !line[after].isWord
            if found > begin, isEnd, mark == "`" || !line[line.index(before: found)].isWhitespace {
                return (line[begin..<found], style, after)
            }
            close = after
        }
        return nil
    }
}

extension Character {
    fileprivate var isWord: Bool { isLetter || isNumber }
}

extension Substring {
    /// With the three characters that Slack has escaped.
    fileprivate var unescaped: String { ChatHTML.unescaped(self, ["&amp;": "&", "&lt;": "<", "&gt;": ">"]) }
}
