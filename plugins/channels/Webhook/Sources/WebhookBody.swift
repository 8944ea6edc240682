internal import PluginKit

/// A message as programs read it.
///
/// The shape is promised: members are never renamed, reordered or left out, so that receivers may rely on them.
struct WebhookBody: JSONWritable {
    /// Of common servers, Express takes the least by default: 100 KiB.
    static let bytesMax = 100_000
    /// What Standard Webhooks advises; for a receiver that refused more.
    static let plainBytesMax = 20_000
    /// What the text may take of it; the incidents get the rest.
    private static let textShare = 0.25

    private let posting: Posting
    private let bot: String
    private let format: WebhookFormat
    private let text: String
    private var incidents: [IncidentSummary]

    /// The body as it is sent. In a storm there are thousands, so it is written without a tree.
    static func bytes(_ posting: Posting, bot: String, as format: WebhookFormat) -> [UInt8] {
        let bytesMax = posting.isPlain ? plainBytesMax : bytesMax
        let message = posting.message
        let text = message.plainText.fitted(to: Int(Double(bytesMax) * textShare))
        var body = WebhookBody(posting: posting, bot: bot, format: format, text: text, incidents: message.incidents)
        let whole = body.bytes
        guard whole.count > bytesMax else { return whole }
        body.incidents = []
        var left = bytesMax - body.bytes.count
        // Incidents that do not fit are still told of by the text.
        body.incidents = Array(
            message.incidents.prefix { incident in
                left -= incident.bytes.count + 1
                return left >= 0
            })
        return body.bytes
    }

    func put(into json: inout JSONWriter) {
        let kind = posting.message.kind.rawValue
        let type = posting.message.kind == .test ? kind : "incident.\(kind)"
        json.object { json in
            switch format {
            case .standard, .hookshot:
                json.member("type", type)
                json.member("timestamp", posting.message.at)
            case .cloudevents:
                json.member("specversion", "1.0")
                json.member("id", posting.id)
                // A URI reference; with the id it makes the event itself.
                json.member("source", "/alertbot/\(bot.percentEncoded)")
                json.member("type", "alertbot.\(type)")
                json.member("time", posting.message.at)
                json.member("datacontenttype", "application/json")
            }
            json.object("data") { json in
                json.member("bot", bot)
                json.member("kind", kind)
                json.member("text", text)
                json.member("possibly_repeated", posting.possiblyRepeated)
                json.member("incidents", incidents)
            }
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
        var text = self
        let mayCall = text.withUTF8 { $0.contains { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "@") } }
        guard mayCall else { return self }
        return parted(after: "<", before: ["!", "@", "#", "at>"])
            .parted(after: "@", before: ["room", "everyone", "channel", "here", "group", "all"])
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
