internal import ChatKit
internal import PluginKit

/// What ntfy takes, in bytes.
enum NtfyLimits {
    static let messageMax = 4096
    /// It has the links in it, too, and is never longer than the rich form.
    static let plainMessageMax = 3300
    static let titleMax = 250
    /// Links that are shown as buttons, besides the one that a touch of the message opens.
    static let actionsMax = 3
}

extension ChatCard.Room {
    /// All but issues and lines stay below 2,200 together.
    static let ntfy = ChatCard.Room(
        shares: MessageShares(
            headlineMax: NtfyLimits.titleMax, fieldsMax: 8, fieldLabelMax: 40, fieldValueMax: 90, reasonMax: 400,
            sparklineMax: 100, linkTitleMax: 40, addressMax: 1500, footerMax: 120, issueTitleMax: 180,
            issueDetailMax: 60, lineMax: 200),
        card: 3600, text: 1600, list: 1600)
}

/// A message as the JSON that ntfy publishes, without the topic.
enum NtfyPayload {
    /// Telephones make links of addresses and hosts.
    static let dialect = ChatDialect(unit: .bytes) { $0.withoutLinks.withoutHosts }

    static func of(_ posting: Posting) -> JSONObject {
        let message = posting.message
        var card = ChatCard(posting, in: .ntfy, dialect: dialect) { dialect.length($0.plain()) }
        // The first of them is what a touch opens.
        let links = posting.isPlain ? [] : card.takeButtons(1 + NtfyLimits.actionsMax)
        let text = card.plainText(
            to: posting.isPlain ? NtfyLimits.plainMessageMax : NtfyLimits.messageMax, dialect: dialect,
            hasHeadline: posting.isPlain)
        var payload = JSONObject()
        let mark = message.mark.rawValue
        var title = card.headline
        if title.hasPrefix(mark) { title = String(title.dropFirst(mark.count)).trimmed }
        if !posting.isPlain {
            // The mark comes back as a tag, which telephones show in front of the title.
            if !title.isEmpty { payload["title"] = .string(title) }
            payload["tags"] = .array([.string(message.mark.tag), .string(message.severity.rawValue)])
        }
        // Without a text, ntfy would write one of its own.
        payload["message"] = .string(text.isEmpty ? (title.isEmpty ? card.headline : title) : text)
        payload["priority"] = .int(message.priority)
        // Servers that know it show a repetition in the place of the first.
        payload["sequence_id"] = .string(posting.id)
        guard let first = links.first else { return payload }
        payload["click"] = .string(first.url)
        let actions = links.dropFirst()
        if !actions.isEmpty {
            payload["actions"] = .array(
                actions.map { ["action": "view", "label": .string($0.title), "url": .string($0.url)] })
        }
        return payload
    }
}

extension Message {
    /// How loudly a telephone rings, from 1 to 5: as an alarm only for what calls for somebody.
    fileprivate var priority: Int64 {
        switch kind == .reminder ? severity : callsFor {
        case .critical: 5
        case .warning: 4
        case .info, nil: 3
        }
    }
}

extension Message.Mark {
    /// What ntfy calls it.
    fileprivate var tag: String {
        switch self {
        case .resolved: "white_check_mark"
        case .closed: "white_circle"
        case .digest: "spiral_notepad"
        case .acknowledged: "eyes"
        case .test: "test_tube"
        case .critical: "red_circle"
        case .warning: "orange_circle"
        case .info: "large_blue_circle"
        }
    }
}
