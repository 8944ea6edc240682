internal import ChatKit
internal import PluginKit

/// How a mail program shows a mail: the subject, and the HTML read back line by line; without HTML the text.
enum EmailPicture {
    private typealias Run = ChatPicture.Run

    static func of(_ mail: Mail) -> ChatPicture {
        let subject = ChatPicture.Block.paragraph([Run("Subject: "), Run(mail.subject, .bold)])
        guard let html = mail.html else { return ChatPicture(.email, [subject, .code(mail.text)]) }
        var blocks: [ChatPicture.Block] = []
        var color = ChatPicture.Color.of(.digest)
        var facts: [[Run]] = []
        var links: [Run]?
        for line in html.split(separator: "\n") {
            if let found = line.between("class=\"bar\" bgcolor=\"", "\"").flatMap({ ChatPicture.Color(String($0)) }) {
                color = found
            } else if let words = line.between("<h1>", "</h1>") {
                blocks.append(.heading(ChatHTML.read(String(words))))
            } else if let label = line.between("<th align=\"left\" valign=\"top\">", "</th>"),
                let value = line.between("<td>", "</td>")
            {
                let name = ChatHTML.read(String(label)).map { Run($0.text, .bold) }
                facts.append(name + [Run("\n")] + ChatHTML.read(String(value)))
            } else if line == "</table>" {
                blocks.append(.fields(facts))
            } else if let title = line.between("<h2>", "</h2>") {
                blocks.append(.paragraph(ChatHTML.read(String(title)).map { Run($0.text, .bold) }))
            } else if let words = line.between("<p class=\"r\">", "</p>") ?? line.between("<p>", "</p>") {
                blocks.append(.paragraph(ChatHTML.read(String(words))))
            } else if let words = line.between("<p class=\"s\">", "</p>") {
                blocks.append(.small(ChatHTML.read(String(words))))
            } else if line == "<p class=\"b\">" {
                links = []
            } else if line == "</p>" {
                blocks.append(.paragraph(links ?? []))
                links = nil
            } else if let before = links {
                links = before + (before.isEmpty ? [] : [Run("  ·  ")]) + ChatHTML.read(String(line))
            }
        }
        return ChatPicture(.email, [subject, .bar(color, blocks)])
    }
}

extension Substring {
    /// What stands between the first of the two and the next of the other.
    fileprivate func between(_ start: String, _ end: String) -> Substring? {
        guard let first = firstRange(of: start), let last = self[first.upperBound...].firstRange(of: end) else {
            return nil
        }
        return self[first.upperBound..<last.lowerBound]
    }
}
