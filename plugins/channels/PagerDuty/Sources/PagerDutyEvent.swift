internal import PluginKit

/// A message as an event of PagerDuty's Events API v2, without the key.
enum PagerDutyEvent {
    /// - Parameter bot: the bot's name, which the key of a message about no incident begins with.
    static func json(_ posting: Posting, bot: String) -> JSONObject {
        let message = posting.message
        let incident = message.incidents.count == 1 ? message.incidents.first : nil
        var event = JSONObject([
            ("event_action", .string(message.action)),
            ("dedup_key", .string(incident?.id ?? "\(bot)-\(message.kind == .test ? "test" : posting.id)")),
        ])
        // The others take no words.
        guard message.action == "trigger" else { return event }
        let cut = message.cutForPagerDuty
        event["payload"] = payload(cut, of: incident, bot: bot, isPlain: posting.isPlain)
        event["client"] = .string("alertbot (\(bot))")
        guard !posting.isPlain else { return event }
        let links = cut.links + cut.issues.compactMap { issue in issue.url.map { Message.Link(issue.title, $0) } }
        if !links.isEmpty {
            event["links"] = .array(
                links.fitting { $0.count <= PagerDutyLimits.linksMax }.map { link in
                    [
                        "href": .string(link.url),
                        "text": .string(link.title.isEmpty ? message.words[.linkUntitled] : link.title),
                    ]
                })
        }
        return event
    }

    private static func payload(
        _ message: Message, of incident: IncidentSummary?, bot: String, isPlain: Bool
    ) -> JSON {
        var payload = JSONObject([
            ("summary", .string(message.headline)),
            // PagerDuty wants to know what is ill; of a message about nothing else, that is the bot.
            ("source", .string(PagerDutyLimits.name(incident?.subject.app ?? bot))),
            ("severity", .string(message.severity.rawValue)),
            ("timestamp", JSON(incident?.since ?? message.at)),
        ])
        guard !isPlain else { return .object(payload) }
        if let incident {
            if let release = incident.subject.release { payload["component"] = .string(PagerDutyLimits.name(release)) }
            if let environment = incident.subject.environment {
                payload["group"] = .string(PagerDutyLimits.name(environment))
            }
            payload["class"] = .string(PagerDutyLimits.name(incident.evidence.metric ?? incident.rule))
        }
        let details = details(of: message)
        if !details.members.isEmpty { payload["custom_details"] = .object(details) }
        return .object(payload)
    }

    /// What stands beside the summary, under the names that people read in chats.
    private static func details(of message: Message) -> JSONObject {
        var details = JSONObject()
        let words = message.words
        for field in message.fields where !field.label.isEmpty { details[field.label] = .string(field.value) }
        if let sparkline = message.sparkline { details[words[.captionLastDay]] = .string(sparkline) }
        if !message.body.isEmpty { details[words[.captionMessage]] = list(message.body, words) }
        if !message.lines.isEmpty { details[words[.captionIncidents]] = list(message.lines, words) }
        if !message.reason.isEmpty { details[words[.captionWhy]] = .string(message.reason) }
        if !message.issues.isEmpty {
            details[words[.captionIssues]] = list(
                message.issues.map { $0.title + ($0.detail.isEmpty ? "" : " (\($0.detail))") }, words)
        }
        if !message.footer.isEmpty {
            // "Rule: Rule floor …" says it twice.
            let caption = words[.captionRule]
            let footer = message.footer
            details[caption] = .string(
                footer.hasPrefix(caption + " ") ? String(footer.dropFirst(caption.count + 1)) : footer)
        }
        return details
    }

    private static func list(_ rows: [String], _ words: Words) -> JSON {
        let rest = rows.count - PagerDutyLimits.rowsMax
        return .array(
            rows.prefix(PagerDutyLimits.rowsMax).map(JSON.string)
                + (rest > 0 ? [.string(words(.captionMore, count: rest))] : []))
    }
}

/// What PagerDuty takes, in code points; its documentation of Events API v2 has the limits without another source.
enum PagerDutyLimits {
    static let summaryMax = 1024
    /// Undocumented: as long as a `dedup_key` may be.
    static let nameMax = 255
    /// Undocumented: what fits on a telephone.
    static let linksMax = 10
    static let rowsMax = 50

    /// A name of a stranger's, harmless and of bounded length; PagerDuty wants none to be empty.
    static func name(_ text: String) -> String {
        let name = text.cutForPagerDuty(nameMax)
        return name.isEmpty ? "?" : name
    }
}

extension Message {
    /// What it does to the alert: an end, or what is over by the time it is told, leaves nothing to call anybody for.
    fileprivate var action: String {
        isOver ? "resolve" : kind == .acknowledged ? "acknowledge" : "trigger"
    }

    /// The message with every part harmless and cut to its share, and without the mark, which is read aloud on the
    /// telephone.
    fileprivate var cutForPagerDuty: Message {
        var message = self
        message.headline = unmarkedHeadline
        return message.cut(
            to: MessageShares(
                headlineMax: PagerDutyLimits.summaryMax, fieldsMax: 20, fieldLabelMax: 100, fieldValueMax: 1000,
                reasonMax: 2000, sparklineMax: 100, linkTitleMax: 200, addressMax: 2000, footerMax: 300,
                issueTitleMax: 500, issueDetailMax: 200, lineMax: 500)
        ) { $0.cutForPagerDuty($1) }
    }
}

extension String {
    /// The text on one line, harmless, and cut in the middle to so many code points.
    fileprivate func cutForPagerDuty(_ limit: Int) -> String {
        roughlyCut(to: limit).tamed.trimmed.cutInTheMiddle(to: limit, markCost: 1) { (_: Unicode.Scalar) in 1 }
    }
}
