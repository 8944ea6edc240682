internal import PluginKit

/// How large an event may be, in bytes as they stand in the JSON.
enum MatrixLimits {
    /// An event with its signatures is at most 65,536 bytes (Matrix specification, "Size limits"); Synapse took a text
    /// of 64,000 and refused 65,000. The rest is for what the homeserver adds.
    static let contentMax = 60_000

    // The shares of the two texts; 4,000 are for names and punctuation.
    static let bodyMax = 20_000
    static let htmlMax = 36_000
}

/// How much of each part is shown, so that one huge part leaves room for the others. All but issues and lines stay below
/// 21,000 as HTML together, which leaves those at least 15,000 of `MatrixLimits.htmlMax`.
enum MatrixShares {
    static let headlineMax = 1500
    static let factsMax = 20
    static let factLabelMax = 100
    static let factValueMax = 400
    static let reasonMax = 1500
    static let sparklineMax = 300
    static let linkTitleMax = 200
    static let linksMax = 5000
    static let addressMax = 2000
    static let footerMax = 600
    static let issueTitleMax = 700
    static let issueDetailMax = 200
    static let lineMax = 1000
}

/// A message as the content of an `m.room.message` event.
enum MatrixContent {
    /// Text, and the same as HTML for clients that show it.
    ///
    /// - Parameter thread: the event that opened the incident; what follows goes into its thread.
    static func rich(_ message: Message, thread: String? = nil) -> JSON {
        let message = message.cutForMatrix
        let html: [(String, JSON)] = [
            ("format", "org.matrix.custom.html"), ("formatted_body", .string(MatrixHTML.of(message))),
        ]
        return .object(JSONObject(start(message) + html + end + relation(to: thread)))
    }

    /// A message of a thread, and for clients that know no threads a reply to its first message.
    private static func relation(to thread: String?) -> [(String, JSON)] {
        guard let thread else { return [] }
        return [
            (
                "m.relates_to",
                [
                    "rel_type": "m.thread", "event_id": .string(thread), "is_falling_back": true,
                    "m.in_reply_to": ["event_id": .string(thread)],
                ]
            )
        ]
    }

    /// Text alone.
    static func plain(_ message: Message) -> JSON { .object(JSONObject(start(message.cutForMatrix) + end)) }

    /// `m.text`: push rules keep a notice silent, and an alert is there to be noticed.
    private static func start(_ message: Message) -> [(String, JSON)] {
        [("msgtype", "m.text"), ("body", .string(message.plainText.fitted(to: MatrixLimits.bodyMax)))]
    }

    /// Said outright, that nobody is mentioned turns off the older rules that search the text for names and `@room`.
    private static let end: [(String, JSON)] = [("m.mentions", .object(JSONObject()))]
}

extension Message {
    /// The message with every part cut to its share; what is empty or leads nowhere is left out.
    fileprivate var cutForMatrix: Message {
        var message = self
        message.headline = headline.cut(to: MatrixShares.headlineMax)
        if message.headline.isEmpty {
            message.headline = "\(Message.mark(kind: kind, severity: severity)) \(kind.rawValue)"
        }
        message.facts = facts.prefix(MatrixShares.factsMax).map { fact in
            Fact(fact.label.cut(to: MatrixShares.factLabelMax), fact.value.cut(to: MatrixShares.factValueMax))
        }
        message.facts.removeAll { $0.label.isEmpty && $0.value.isEmpty }
        message.reason = reason.cut(to: MatrixShares.reasonMax)
        message.issues = issues.map { issue in
            let title = issue.title.cut(to: MatrixShares.issueTitleMax)
            return IssueLine(
                title: title.isEmpty ? "(without a title)" : title,
                detail: issue.detail.cut(to: MatrixShares.issueDetailMax),
                url: issue.url?.webAddress
            )
        }
        message.sparkline = sparkline?.cut(to: MatrixShares.sparklineMax)
        if message.sparkline?.isEmpty ?? false { message.sparkline = nil }
        message.lines = lines.map { $0.cut(to: MatrixShares.lineMax) }
        message.links = links.compactMap { link in
            link.url.webAddress.map { Link(link.title.cut(to: MatrixShares.linkTitleMax), $0) }
        }
        message.footer = footer.cut(to: MatrixShares.footerMax)
        return message
    }
}
