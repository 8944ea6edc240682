internal import PluginKit

/// What Slack's answers mean. A webhook answers with a bare word, other addresses of Slack's (workflow triggers, the
/// Web API behind a relay) with JSON, mostly under status 200. The same word came with different statuses over time, so
/// the word counts first and the status only where there is none that is known.
enum SlackAnswer {
    /// Where the answer comes from, as far as it matters for what to do.
    enum Way { case webhook, api }

    static func outcome(of response: HTTPResponse, _ way: Way, at now: Moment) -> DeliveryOutcome {
        let answer = Answer(response)
        let said = "Slack answered \(response.status)" + (answer.word.map { ": \($0)" } ?? "")
        switch answer.word {
        case "invalid_payload", "invalid_blocks", "invalid_blocks_format", "invalid_attachments", "no_text",
            "missing_text_or_fallback_or_attachments", "too_many_attachments", "msg_blocks_too_long", "msg_too_long":
            return .refusedBody(said)
        case "message_not_found", "cant_update_message", "edit_window_closed":
            // What it refers to is gone; the plain form refers to nothing.
            return .refusedBody(said)
        case "no_service", "no_service_id", "no_team", "no_active_hooks", "invalid_token":
            return .refusedChannel("\(said); the webhook is gone or was never valid: make a new one and configure it")
        case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "missing_scope",
            "ekm_access_denied", "access_denied", "no_permission", "not_allowed_token_type", "team_access_not_granted",
            "two_factor_setup_required":
            return .refusedChannel(
                way == .webhook
                    ? "\(said); the token behind the address is not valid for this: renew it"
                    : "\(said); the token is not valid for this: renew it, with the scope chat:write")
        case "channel_not_found", "channel_is_archived", "is_archived", "user_not_found", "not_in_channel":
            return .refusedChannel(
                way == .webhook
                    ? "\(said); the webhook's channel is gone: make a webhook for another one"
                    : "\(said); check 'channel', and invite the bot to it: /invite @NAME")
        case "action_prohibited", "posting_to_general_channel_denied", "team_disabled":
            return .refusedChannel("\(said); the workspace forbids it: ask one of its administrators")
        case let word? where word.hasPrefix("restricted_action"):
            return .refusedChannel("\(said); the workspace forbids it: ask one of its administrators")
        case "rollup_error", "rate_limited", "ratelimited", "message_limit_exceeded", "service_unavailable",
            "external_channel_migrating", "org_login_required", "team_added_to_org":
            // The last three: the channel or the workspace is moving, and is away until that is done.
            return .retry(after: response.toldWait(now: now), said)
        case "internal_error", "fatal_error", "request_timeout":
            // Slack documents that some of the work may have been done.
            return .unknown(said)
        default: break
        }
        guard response.isSuccess else {
            // Of a redirect nobody reads the page.
            let page = answer.word == nil && !(300...399 ~= response.status) ? response.excerpt(120) : ""
            return DeliveryOutcome(response, in: said + (page.isEmpty ? "" : ": \(page)"), at: now)
        }
        // A success that says it is none, for a reason that nobody has heard of.
        if answer.isRefusal {
            guard let word = answer.word, isAboutPlace(word) else { return .refusedBody(said) }
            return .refusedChannel(
                way == .webhook
                    ? "\(said); Slack takes nothing from this webhook: ask one of the workspace's administrators"
                    : "\(said); Slack takes nothing from the bot there: check 'channel' and the bot's rights")
        }
        // A page where Slack says "ok" comes from something in between, which may or may not have passed the message
        // on.
        if response.body.first(where: { !whiteSpace.contains($0) }) == UInt8(ascii: "<") {
            return .unknown("\(said) with a web page where Slack says \"ok\"; is there a proxy that wants a login?")
        }
        guard way == .api else { return .delivered(receipt: nil) }
        guard answer.isAgreement else {
            return .unknown("\(said) without \"ok\": true; is 'url' the address of Slack's Web API?")
        }
        return .delivered(receipt: answer.receipt?.text)
    }

    /// Whether a word that is not known speaks of the place or of rights: no other form of the message would pass there.
    private static func isAboutPlace(_ word: String) -> Bool {
        ["channel_", "team_", "enterprise_", "not_allowed"].contains(where: word.hasPrefix)
            || ["_disabled", "_restricted", "_denied", "_not_allowed", "_channel_type"].contains(where: word.hasSuffix)
    }

    /// What stands in the body.
    private struct Answer {
        /// The bare word; in JSON it is the member `error`.
        var word: String?
        /// Whether it is JSON that says `"ok": false`.
        var isRefusal = false
        /// Whether it is JSON that says `"ok": true`.
        var isAgreement = false
        /// Which message it is, where the Web API says so.
        var receipt: SlackReceipt?

        init(_ response: HTTPResponse) {
            guard response.body.count <= bodyBytesMax else { return }
            let text = String(decoding: response.body, as: UTF8.self).trimmed
            var written: String? = text
            if text.hasPrefix("{") {
                let json = try? JSON(parsing: response.body)
                isRefusal = json?["ok"] == .bool(false)
                isAgreement = json?["ok"] == .bool(true)
                if let channel = json?["channel"]?.string, let ts = json?["ts"]?.string {
                    receipt = SlackReceipt(channel: channel, ts: ts)
                }
                written = json?["error"]?.string
            }
            if let written, !written.isEmpty, written.utf8.count <= wordBytesMax,
                written.utf8.allSatisfy(SlackAnswer.isWordByte)
            {
                word = written
            }
        }
    }

    /// The Web API gives the posted message back, which is at most some tens of thousands of bytes.
    private static let bodyBytesMax = 65_536
    /// Slack's longest known word has 39 bytes.
    private static let wordBytesMax = 100

    private static let whiteSpace = Set(" \t\r\n".utf8)

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
    }
}
