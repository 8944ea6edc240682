internal import PluginKit

/// What Slack's answers mean. A webhook answers with a bare word; the same word came with different statuses over time,
/// so the word counts first and the status only where there is none that is known.
enum SlackAnswer {
    static func outcome(of response: HTTPResponse, at now: Moment) -> DeliveryOutcome {
        let word = word(in: response)
        let said = "Slack answered \(response.status)" + (word.map { ": \($0)" } ?? "")
        switch word {
        case "invalid_payload", "invalid_blocks", "invalid_blocks_format", "invalid_attachments", "no_text",
            "missing_text_or_fallback_or_attachments", "too_many_attachments", "msg_blocks_too_long", "msg_too_long":
            return .refusedBody(said)
        case "no_service", "no_service_id", "no_team", "no_active_hooks", "invalid_token":
            return .refusedChannel("\(said); the webhook is gone or was never right: make a new one and configure it")
        case "channel_not_found", "channel_is_archived", "user_not_found":
            return .refusedChannel("\(said); the webhook's channel is gone: make a webhook for another one")
        case "action_prohibited", "posting_to_general_channel_denied", "team_disabled":
            return .refusedChannel("\(said); the workspace forbids it: ask one of its administrators")
        case "rollup_error", "rate_limited", "ratelimited":
            return .retry(after: response.retryAfter(now: now), said)
        default: break
        }
        // A page where Slack says "ok" comes from something in between, which may or may not have passed the message on.
        if response.isSuccess, response.body.first(where: { !whiteSpace.contains($0) }) == UInt8(ascii: "<") {
            return .unknown("\(said) with a web page where Slack says \"ok\"; is there a proxy that wants a login?")
        }
        return DeliveryOutcome(response, said: word, at: now)
    }

    /// The body's bare word; under a 429 it may stand in JSON as `error`.
    private static func word(in response: HTTPResponse) -> String? {
        guard response.body.count <= wordBytesMax else { return nil }
        let text = String(decoding: response.body, as: UTF8.self).trimmed
        let word = text.hasPrefix("{") ? (try? JSON(parsing: response.body))?["error"]?.string : text
        guard let word, !word.isEmpty, word.utf8.allSatisfy(isWordByte) else { return nil }
        return word
    }

    /// Slack's longest known word has 39 bytes; this leaves room for the JSON around one.
    private static let wordBytesMax = 500

    private static let whiteSpace = Set(" \t\r\n".utf8)

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }
}
