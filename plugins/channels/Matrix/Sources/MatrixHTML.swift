internal import PluginKit

/// A message in the HTML that Matrix allows: few tags, no styles.
///
/// No tables: some clients run their cells together. No colours: no letters of one colour can be read well on a light
/// and on a dark ground (the best have a contrast of 4.2 on both), and the mark in front of the headline has one.
enum MatrixHTML {
    /// The HTML of a message that is cut to its shares, and before it whom it calls.
    static func of(_ message: Message, calling called: [String]) -> String {
        let front = calling(called)
        let words = message.words
        let title = "<strong>\(message.headline.escaped)</strong>".paragraph
        let fields = message.fields.map { "<b>\($0.label.escaped):</b> \($0.value.escaped)" }
            .joined(separator: "<br />").paragraph
        let reason =
            message.reason.isEmpty ? "" : "<b>\(words[.captionWhy].escaped):</b> \(message.reason.escaped)".paragraph
        let sparkline =
            message.sparkline.map { "<b>\(words[.captionLastDay].escaped):</b> <code>\($0.escaped)</code>".paragraph }
            ?? ""
        let links = links(message.links, words).paragraph
        let footer = message.footer.escaped.paragraph

        // What can be long gets what the rest leaves; the issues first, because they say where to look.
        var room = MatrixLimits.htmlMax - (front + title + fields + reason + sparkline + links + footer).bytesInJSON
        let issues = list(
            "<b>\(words[.captionIssues].escaped)</b>".paragraph, message.issues.lazy.map { row($0, words) },
            besides: 0, words, room: &room)
        let body = paragraphs(message.body, words, room: &room)
        let lines = list(
            "", message.lines.lazy.map(\.escaped), besides: message.linesBesides, words, room: &room)
        return front + title + fields + body + lines + reason + issues + sparkline + links + footer
    }

    /// Whom the message calls, as clients show people.
    private static func calling(_ called: [String]) -> String {
        called.map { id in
            id == MatrixMention.room
                ? id : "<a href=\"https://matrix.to/#/\(id.percentEncoded)\">\(id.escaped)</a>"
        }.joined(separator: " ").paragraph
    }

    private static func links(_ links: [Message.Link], _ words: Words) -> String {
        func html(_ links: [Message.Link]) -> String {
            links.map { anchor($0.title, $0.url, words) }.joined(separator: " · ")
        }
        return html(links.fitting { html($0).bytesInJSON <= MatrixLimits.linksMax })
    }

    private static func row(_ issue: Message.IssueLine, _ words: Words) -> String {
        let title = issue.url.map { anchor(issue.title, $0, words) } ?? issue.title.escaped
        return title + (issue.detail.isEmpty ? "" : " — \(issue.detail.escaped)")
    }

    private static func anchor(_ title: String, _ address: String, _ words: Words) -> String {
        "<a href=\"\(address.escaped)\">\((title.isEmpty ? words[.linkUntitled] : title).escaped)</a>"
    }

    /// As many paragraphs as there is room for, and how many are left out.
    private static func paragraphs(_ all: [String], _ words: Words, room: inout Int) -> String {
        func rest(_ count: Int) -> String { words(.captionMore, count: count).escaped.paragraph }
        let restMax = max(60, rest(all.count).bytesInJSON)
        var html = ""
        for (index, text) in all.enumerated() {
            let paragraph = text.escaped.paragraph
            guard paragraph.bytesInJSON + restMax <= room else {
                return html + (room < restMax ? "" : rest(all.count - index))
            }
            room -= paragraph.bytesInJSON
            html += paragraph
        }
        return html
    }

    /// As many rows as there is room for, and how many are left out.
    ///
    /// - Parameter besides: what the last row stands for besides itself.
    private static func list(
        _ title: String, _ rows: some Collection<String>, besides: Int, _ words: Words, room: inout Int
    ) -> String {
        func rest(_ count: Int) -> String { "<li>\(words(.captionMore, count: count).escaped)</li>" }
        /// What the last row and the tags around the list need at most.
        let restMax = max(100, rest(rows.count + besides).bytesInJSON + 50)
        guard !rows.isEmpty, title.bytesInJSON + 2 * restMax <= room else { return "" }
        room -= title.bytesInJSON + restMax
        var items = ""
        for (index, row) in rows.enumerated() {
            let item = "<li>\(row)</li>"
            let size = item.bytesInJSON
            guard size <= room else {
                items += rest(rows.count - index + besides)
                break
            }
            room -= size
            items += item
        }
        return "\(title)<ul>\(items)</ul>"
    }
}

extension String {
    fileprivate var paragraph: String { isEmpty ? "" : "<p>\(self)</p>" }
}
