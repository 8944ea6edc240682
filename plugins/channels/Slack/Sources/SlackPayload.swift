internal import ChatKit
internal import PluginKit

/// A message as the JSON that an incoming webhook takes, and `chat.postMessage` beside the channel.
enum SlackPayload {
    /// The headline as a block of its own, the details in an attachment: only attachments have a colour bar, and only
    /// what stands outside them is never folded behind "Show more".
    ///
    /// - Parameter mentions: whom it calls, in Slack's own writing.
    static func rich(_ posting: Posting, mentions: [String]) -> JSONObject {
        let message = posting.message.cutForSlack()
        let head =
            [SlackBlock.header(message.headline)]
            + (mentions.isEmpty ? [] : [SlackBlock.section(mentions.joined(separator: " "))])
        let notice = posting.possiblyRepeated ? [SlackBlock.context(message.repeatNotice)] : []
        let room = (head + notice).reduce(SlackLimits.blocksTextMax) { $0 - $1.textCount }
        let details = notice + details(of: message, room: room)

        // The text is what phones show, and clients that do not know blocks.
        let front = mentions + (posting.possiblyRepeated ? [message.repeatNotice] : [])
        let text = (front + [message.headline.withoutLinks.escaped]).joined(separator: " ")
        var payload = JSONObject([("text", .string(text)), ("blocks", .array(head.map(\.json)))])
        if !details.isEmpty {
            payload["attachments"] = [
                [
                    "color": .string(ChatPicture.Color.of(message).text),
                    "fallback": .string(message.headline),
                    "blocks": .array(details.map(\.json)),
                ]
            ]
        }
        return withoutPreviews(payload)
    }

    /// Text and nothing else, for when Slack refused the blocks.
    static func plain(_ posting: Posting, mentions: [String]) -> JSONObject {
        let message = posting.message.cutForSlack(breakingLinks: true)
        let notice = posting.possiblyRepeated ? message.repeatNotice + "\n" : ""
        let called = mentions.isEmpty ? "" : mentions.joined(separator: " ") + "\n"
        let text = (notice + message.plainText).escaped
            .linesCutInTheMiddle(to: SlackLimits.textMax - called.utf16.count) { $0.utf16.count }
        return withoutPreviews(JSONObject([("text", .string(called + text))]))
    }

    /// Links lead to dashboards behind a login: a preview of them would show nothing, and fetching it tells strangers.
    private static func withoutPreviews(_ payload: JSONObject) -> JSONObject {
        var payload = payload
        payload["unfurl_links"] = false
        payload["unfurl_media"] = false
        return payload
    }

    /// The blocks below the headline, of a message cut to its shares.
    private static func details(of message: Message, room: Int) -> [SlackBlock] {
        let words = message.words
        let fields = fields(message.fields)
        let reason =
            message.reason.isEmpty
            ? [] : [SlackBlock.section("*\(words[.captionWhy].escaped):* \(message.reason.escaped)")]
        let sparkline =
            message.sparkline.map { [SlackBlock.section("*\(words[.captionLastDay].escaped):*  `\($0.escaped)`")] }
            ?? []
        let links = links(message.links)
        let footer = message.footer.isEmpty ? [] : [SlackBlock.context(message.footer)]

        // What can be long gets what the rest leaves; the issues first, because they say where to look.
        var room = (fields + reason + sparkline + links + footer).reduce(room) { $0 - $1.textCount }
        let issues = list(
            "*\(words[.captionIssues].escaped)*", message.issues.lazy.map(row), besides: 0, words, room: &room)
        let rows = message.body.map(\.unquoted) + message.lines.map { "• \($0.escaped)" }
        let lines = list(nil, rows, besides: message.linesBesides, words, room: &room)
        return fields + lines + reason + issues + sparkline + links + footer
    }

    private static func fields(_ fields: [Message.Field]) -> [SlackBlock] {
        let texts = fields.map { field -> String in
            let value = field.value.unquoted
            let label = field.label.isEmpty ? "" : "*\(field.label.escaped)*"
            return [label, value].filter { !$0.isEmpty }.joined(separator: "\n")
        }
        return stride(from: 0, to: texts.count, by: SlackLimits.fieldsMax).map { start in
            .fields(Array(texts[start..<min(start + SlackLimits.fieldsMax, texts.count)]))
        }
    }

    /// Links rather than buttons: pressing a button also calls the app that owns the webhook, and one that does not
    /// listen, as most do not, gets a warning mark beside it.
    private static func links(_ links: [Message.Link]) -> [SlackBlock] {
        func text(_ links: [Message.Link]) -> String {
            links.map { String.slackLink($0.title, $0.url) }.joined(separator: "  ·  ")
        }
        let fitting = links.fitting { text($0).utf16.count <= SlackLimits.linksTextMax }
        return fitting.isEmpty ? [] : [.section(text(fitting))]
    }

    private static func row(_ issue: Message.IssueLine) -> String {
        func text(_ title: String) -> String {
            "• \(title)" + (issue.detail.isEmpty ? "" : " — \(issue.detail.escaped)")
        }
        // An address of nothing but `&` becomes five times as long, and a row is never parted.
        guard let linked = issue.url.map({ text(String.slackLink(issue.title, $0)) }),
            linked.utf16.count <= SlackLimits.sectionTextMax
        else { return text(issue.title.escaped) }
        return linked
    }

    /// As many rows as there is room for, in as many sections as they need, and how many are left out.
    ///
    /// - Parameter besides: what the last row stands for besides itself.
    private static func list(
        _ title: String?, _ rows: some Collection<String>, besides: Int, _ words: Words, room: inout Int
    ) -> [SlackBlock] {
        func restRow(_ count: Int) -> String { words(.captionMore, count: count).escaped }
        let restRowMax = max(40, restRow(rows.count + besides).utf16.count + 1)
        var sections: [String] = []
        func add(_ row: String, _ room: inout Int) {
            room -= row.utf16.count + 1
            if let last = sections.last, last.utf16.count + 1 + row.utf16.count <= SlackLimits.sectionTextMax {
                sections[sections.count - 1] = last + "\n" + row
            } else {
                sections.append(row)
            }
        }
        guard !rows.isEmpty, room >= 3 * restRowMax else { return [] }
        if let title { add(title, &room) }
        for (index, row) in rows.enumerated() {
            guard row.utf16.count + 1 + restRowMax <= room else {
                add(restRow(rows.count - index + besides), &room)
                break
            }
            add(row, &room)
        }
        return sections.map(SlackBlock.section)
    }
}

extension String {
    /// Escaped; at the beginning of a line, Slack reads a "greater than" as a quotation, escaped or not.
    fileprivate var unquoted: String { (hasPrefix(">") ? "\u{200B}" : "") + escaped }
}

/// One layout block, and what it adds to the text of the whole message.
struct SlackBlock {
    let json: JSON
    let textCount: Int

    private init(_ json: JSON, textCount: Int) {
        self.json = json
        self.textCount = textCount
    }

    static func header(_ text: String) -> SlackBlock {
        SlackBlock(["type": "header", "text": plainText(text)], textCount: text.utf16.count)
    }

    static func section(_ markup: String) -> SlackBlock {
        SlackBlock(["type": "section", "text": markdown(markup)], textCount: markup.utf16.count)
    }

    static func fields(_ markups: [String]) -> SlackBlock {
        SlackBlock(
            ["type": "section", "fields": .array(markups.map(markdown))],
            textCount: markups.reduce(0) { $0 + $1.utf16.count }
        )
    }

    /// Small grey text.
    static func context(_ text: String) -> SlackBlock {
        SlackBlock(["type": "context", "elements": [plainText(text)]], textCount: text.utf16.count)
    }

    private static func plainText(_ text: String) -> JSON {
        ["type": "plain_text", "text": .string(text), "emoji": false]
    }

    /// Verbatim: Slack shall not make links of what merely looks like an address, a channel or a person.
    private static func markdown(_ markup: String) -> JSON {
        ["type": "mrkdwn", "text": .string(markup), "verbatim": true]
    }
}
