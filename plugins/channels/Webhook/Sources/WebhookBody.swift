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

    static func json(_ posting: Posting, bot: String) -> JSON {
        let bytesMax = posting.isPlain ? plainBytesMax : bytesMax
        let message = posting.message
        let text = message.plainText.fitted(to: Int(Double(bytesMax) * textShare))
        var left = bytesMax - body(posting, bot: bot, text: text, incidents: []).bytes.count
        // Incidents that do not fit are still told of by the text.
        let incidents = message.incidents.map(\.json).prefix { incident in
            left -= incident.bytes.count + 1
            return left >= 0
        }
        return body(posting, bot: bot, text: text, incidents: Array(incidents))
    }

    private static func body(_ posting: Posting, bot: String, text: String, incidents: [JSON]) -> JSON {
        let kind = posting.message.kind.rawValue
        return [
            "type": .string("incident.\(kind)"),
            "timestamp": JSON(posting.message.at),
            "data": [
                "bot": .string(bot),
                "kind": .string(kind),
                "text": .string(text),
                "possibly_repeated": .bool(posting.possiblyRepeated),
                "incidents": .array(incidents),
            ],
        ]
    }
}

extension String {
    /// The text with its middle cut out where it takes more bytes than the limit inside a JSON string, never inside a
    /// character.
    fileprivate func fitted(to limit: Int) -> String {
        // Nothing in it costs more than two bytes a byte, and nearly every text is far below the limit.
        guard utf8.count * 2 > limit else { return self }
        return cutInTheMiddle(to: limit, markCost: "…".utf8.count, cost: \.bytesInJSON)
    }
}

extension Unicode.Scalar {
    /// Of the characters that JSON escapes, a message's plain text holds only these.
    fileprivate var bytesInJSON: Int {
        switch self {
        case "\"", "\\", "\n": 2
        default: UTF8.width(self)
        }
    }
}
