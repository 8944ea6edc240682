internal import PluginKit

/// A message as the JSON that an incoming webhook takes.
enum SlackPayload {
    /// The headline as a block of its own, the details in an attachment: only attachments have a colour bar, and only
    /// what stands outside them is never folded behind "Show more".
    static func rich(_ posting: Posting) -> JSON {
        let message = posting.message
        let title = headline(of: message)
        let header = SlackBlock.header(title)
        let details = details(of: posting, room: SlackLimits.blocksTextMax - header.textCount)

        var payload = JSONObject([
            ("text", .string(notification(title, posting))),
            ("blocks", [header.json]),
        ])
        if !details.isEmpty {
            payload["attachments"] = [
                [
                    "color": .string(color(of: message)),
                    "fallback": .string(title),
                    "blocks": .array(details.map(\.json)),
                ]
            ]
        }
        return .object(withoutPreviews(payload))
    }

    /// Text and nothing else, for when Slack refused the blocks.
    static func plain(_ posting: Posting) -> JSON {
        let lines = posting.plainText.split(separator: "\n").map { $0.slackLine }
        let whole = lines.isEmpty ? headline(of: posting.message) : lines.joined(separator: "\n")
        let text = whole.fitted(to: SlackLimits.textMax) { $0.escaped.utf16.count }.escaped
        return .object(withoutPreviews(JSONObject([("text", .string(text))])))
    }

    /// What phones show, and clients that do not know blocks.
    private static func notification(_ title: String, _ posting: Posting) -> String {
        (posting.possiblyRepeated ? Message.repeatNotice + " " : "") + title.escaped
    }

    /// Links lead to dashboards behind a login: a preview of them would show nothing, and fetching it tells strangers.
    private static func withoutPreviews(_ payload: JSONObject) -> JSONObject {
        var payload = payload
        payload["unfurl_links"] = false
        payload["unfurl_media"] = false
        return payload
    }

    /// The headline, never empty: Slack refuses an empty header.
    private static func headline(of message: Message) -> String {
        let headline = message.headline.slackPlain(to: SlackLimits.headerTextMax)
        guard headline.isEmpty else { return headline }
        return "\(Message.mark(kind: message.kind, severity: message.severity)) \(message.kind.rawValue)"
    }

    private static func color(of message: Message) -> String {
        switch (message.kind, message.severity) {
        case (.resolved, _): "#2DA44E"
        case (_, .critical): "#B00020"
        case (_, .warning): "#F2A600"
        case (_, .info): "#2F81F7"
        }
    }

    private static func details(of posting: Posting, room: Int) -> [SlackBlock] {
        let message = posting.message
        let notice = posting.possiblyRepeated ? [SlackBlock.context(Message.repeatNotice)] : []
        let facts = facts(message.facts)
        let reason = message.reason.slackMarkup(to: SlackShares.reasonMax)
        let reasons = reason.isEmpty ? [] : [SlackBlock.section("*Why:* \(reason)")]
        let sparkline = message.sparkline?.slackCode(to: SlackShares.sparklineMax) ?? ""
        let sparklines = sparkline.isEmpty ? [] : [SlackBlock.section("*Last day:*  `\(sparkline)`")]
        let links = links(message.links)
        let footer = message.footer.slackPlain(to: SlackShares.footerMax)
        let footers = footer.isEmpty ? [] : [SlackBlock.context(footer)]

        // What can be long gets what the rest leaves; the issues first, because they say where to look.
        var room = room
        for block in notice + facts + reasons + sparklines + links + footers { room -= block.textCount }
        let issues = list("*Top issues*", message.issues.map(row), room: &room)
        let lines = list(nil, message.lines.map(row), room: &room)
        return notice + facts + lines + reasons + issues + sparklines + links + footers
    }

    private static func facts(_ facts: [Message.Fact]) -> [SlackBlock] {
        let texts = facts.prefix(SlackShares.factsMax).compactMap { fact -> String? in
            let label = fact.label.slackMarkup(to: SlackShares.factLabelMax)
            var value = fact.value.slackMarkup(to: SlackShares.factValueMax)
            guard !label.isEmpty, !value.isEmpty else { return label.isEmpty && value.isEmpty ? nil : label + value }
            // At the beginning of a line, Slack reads a "greater than" as a quotation, escaped or not.
            if value.hasPrefix("&gt;") { value = String.zeroWidthSpace + value }
            return "*\(label)*\n\(value)"
        }
        return stride(from: 0, to: texts.count, by: SlackLimits.fieldsMax).map { start in
            .fields(Array(texts[start..<min(start + SlackLimits.fieldsMax, texts.count)]))
        }
    }

    /// Links rather than buttons: pressing a button also calls the app that owns the webhook, and one that does not
    /// listen, as most do not, gets a warning mark beside it.
    private static func links(_ links: [Message.Link]) -> [SlackBlock] {
        var text = ""
        for link in links {
            guard let markup = SlackLink.markup(link.title, link.url, titleMax: SlackShares.linkTitleMax) else {
                continue
            }
            let longer = text.isEmpty ? markup : "\(text)  ·  \(markup)"
            if longer.utf16.count <= SlackShares.linksTextMax { text = longer }
        }
        return text.isEmpty ? [] : [.section(text)]
    }

    private static func row(_ issue: Message.IssueLine) -> String {
        let title = issue.title.tamed.trimmed.isEmpty ? "(without a title)" : issue.title
        let detail = issue.detail.slackMarkup(to: SlackShares.issueDetailMax)
        let link = issue.url.flatMap { SlackLink.markup(title, $0, titleMax: SlackShares.issueTitleMax) }
        return "• " + (link ?? title.slackMarkup(to: SlackShares.issueTitleMax))
            + (detail.isEmpty ? "" : " — \(detail)")
    }

    private static func row(_ line: String) -> String { "• " + line.slackMarkup(to: SlackShares.lineMax) }

    /// As many rows as there is room for, in as many sections as they need, and how many are left out.
    private static func list(_ title: String?, _ rows: [String], room: inout Int) -> [SlackBlock] {
        /// What "… and 1,234,567 more" needs at most.
        let restRowMax = 40
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
                add("… and \(rows.count - index) more", &room)
                break
            }
            add(row, &room)
        }
        return sections.map(SlackBlock.section)
    }
}

extension Substring {
    fileprivate var slackLine: String {
        String(self).defused.fitted(to: SlackShares.lineMax) { $0.escaped.utf16.count }
    }
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
