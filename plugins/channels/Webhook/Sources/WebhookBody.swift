internal import PluginKit

/// A message as programs read it.
///
/// The shape is promised: members are never renamed, reordered or left out, so that receivers may rely on them.
enum WebhookBody {
    /// Of common servers, Express takes the least by default: 100 KiB.
    static let bytesMax = 100_000
    /// What Standard Webhooks advises; for a receiver that refused more.
    static let plainBytesMax = 20_000
    /// What the text may take of it; the incidents get the rest.
    private static let textShare = 0.25

    static func json(_ posting: Posting, bot: String, as format: WebhookFormat = .standard) -> JSON {
        let bytesMax = posting.isPlain ? plainBytesMax : bytesMax
        let message = posting.message
        let text = message.plainText.fitted(to: Int(Double(bytesMax) * textShare))
        let incidents = message.incidents.map(\.json)
        // Nearly every message is so far below the limit that it need not be written to know it.
        let whole = body(posting, bot, format, text: text, incidents: incidents)
        guard whole.bytesAtMost > bytesMax else { return whole }
        var left = bytesMax - body(posting, bot, format, text: text, incidents: []).bytes.count
        // Incidents that do not fit are still told of by the text.
        let fitting = incidents.prefix { incident in
            left -= incident.bytes.count + 1
            return left >= 0
        }
        return body(posting, bot, format, text: text, incidents: Array(fitting))
    }

    private static func body(
        _ posting: Posting, _ bot: String, _ format: WebhookFormat, text: String, incidents: [JSON]
    ) -> JSON {
        let kind = posting.message.kind.rawValue
        let type = posting.message.kind == .test ? kind : "incident.\(kind)"
        let data: JSON = [
            "bot": .string(bot),
            "kind": .string(kind),
            "text": .string(text),
            "possibly_repeated": .bool(posting.possiblyRepeated),
            "incidents": .array(incidents),
        ]
        switch format {
        case .standard, .hookshot: return ["type": .string(type), "timestamp": JSON(posting.message.at), "data": data]
        case .cloudevents:
            return [
                "specversion": "1.0", "id": .string(posting.id),
                // A URI reference; with the id it makes the event itself.
                "source": .string("/alertbot/\(bot.percentEncoded)"), "type": .string("alertbot.\(type)"),
                "time": JSON(posting.message.at), "datacontenttype": "application/json", "data": data,
            ]
        }
    }
}

/// What stands around what is said.
enum WebhookFormat: String, Sendable, CaseIterable {
    /// Standard Webhooks: `type`, `timestamp`, `data`.
    case standard
    /// CloudEvents 1.0 over HTTP, structured.
    case cloudevents
    /// What matrix-hookshot takes, and no program.
    case hookshot
}

extension String {
    /// The text, defused, with its middle cut out where it takes more bytes than the limit inside a JSON string, never
    /// inside a character.
    fileprivate func fitted(to limit: Int) -> String {
        let text = defused
        // Nothing in it costs more than two bytes a byte, and nearly every text is far below the limit.
        guard text.utf8.count * 2 > limit else { return text }
        return text.cutInTheMiddle(to: limit, markCost: "…".utf8.count, cost: \.bytesInJSON)
    }

    /// The text in which nothing calls anybody: what takes it may hand it on to a chat, where a title from a crashing
    /// program must not ring for all. In Slack and Discord `<!channel>` and `<@name>` do, in Teams `<at>`, and in these
    /// and others the bare words.
    var defused: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "@") }) else { return self }
        return parted(after: "<", before: ["!", "@", "#", "at>"])
            .parted(after: "@", before: ["room", "everyone", "channel", "here", "group", "all"])
    }
}

extension JSON {
    /// More bytes than its text has: no byte of a string takes more than six, as `\u001f`, and no number more than 32.
    fileprivate var bytesAtMost: Int {
        switch self {
        case .null, .bool: 5
        case .int, .double: 32
        case .string(let text): text.utf8.count * 6 + 2
        case .array(let elements): elements.reduce(2) { $0 + $1.bytesAtMost + 1 }
        case .object(let object): object.members.reduce(2) { $0 + $1.name.utf8.count * 6 + 4 + $1.value.bytesAtMost }
        }
    }
}

extension Unicode.Scalar {
    /// Of the characters that JSON escapes, a message's plain text holds only these.
    var bytesInJSON: Int {
        switch self {
        case "\"", "\\", "\n": 2
        default: UTF8.width(self)
        }
    }
}
