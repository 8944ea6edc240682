internal import ChatKit
internal import PluginKit

/// How a Matrix client shows an event: read back from the HTML in it, so that a preview shows what people will see.
enum MatrixPicture {
    static func of(_ content: JSON) -> ChatPicture {
        guard let html = content["formatted_body"]?.string else {
            return ChatPicture(.matrix, [.paragraph([ChatPicture.Run(content["body"]?.string ?? "")])])
        }
        var reading = Reading()
        var rest = html[...]
        while let open = rest.firstIndex(of: "<") {
            reading.take(text: rest[..<open])
            guard let close = rest[open...].firstIndex(of: ">") else {
                rest = rest[open...]
                break
            }
            reading.take(tag: rest[rest.index(after: open)..<close])
            rest = rest[rest.index(after: close)...]
        }
        reading.take(text: rest)
        reading.endParagraph()
        return ChatPicture(.matrix, reading.blocks)
    }

    /// The few tags that `MatrixHTML` writes, one after the other.
    private struct Reading {
        var blocks: [ChatPicture.Block] = []
        private var runs: [ChatPicture.Run] = []
        private var items: [[ChatPicture.Run]] = []
        private var style: ChatPicture.Style = []
        private var link: String?

        mutating func take(text: Substring) {
            guard !text.isEmpty else { return }
            runs.append(ChatPicture.Run(ChatHTML.unescaped(text), style, link: link))
        }

        mutating func take(tag: Substring) {
            let name = tag.prefix { $0 != " " }
            switch name {
            case "strong", "b": style.insert(.bold)
            case "/strong", "/b": style.remove(.bold)
            case "code": style.insert(.code)
            case "/code": style.remove(.code)
            case "a": link = tag.attribute("href")
            case "/a": link = nil
            case "br": runs.append(ChatPicture.Run("\n"))
            case "p", "/p": endParagraph()
            case "/li":
                items.append(runs)
                runs = []
            case "/ul":
                blocks.append(.list(items))
                items = []
            default: break
            }
        }

        mutating func endParagraph() {
            if !runs.isEmpty { blocks.append(.paragraph(runs)) }
            runs = []
        }
    }
}

extension Substring {
    /// The value of a tag's attribute in double quotes.
    fileprivate func attribute(_ name: String) -> String? {
        guard let start = firstRange(of: name + "=\"")?.upperBound, let end = self[start...].firstIndex(of: "\"") else {
            return nil
        }
        return ChatHTML.unescaped(self[start..<end])
    }
}
