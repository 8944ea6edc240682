public import ChatKit
public import PluginKit

// Posts messages to one Mattermost channel through an incoming webhook: the headline as the message's text, which is what
// phones show, and the details in an attachment beside a bar.

/// Posts to Mattermost through an incoming webhook.
public struct MattermostChannel: WebhookChat {
    public static let manifest = PluginManifest(
        name: "mattermost",
        summary: "Posts to a Mattermost channel through an incoming webhook.",
        example: """
            webhook: ${env:MATTERMOST_WEBHOOK}
            """,
        access: "To get the address, open Integrations, Incoming Webhooks in Mattermost, and add one for the "
            + "channel.",
        options: ChatWebhook.settings + [Mentions.setting])

    public static let chat = "Mattermost"

    /// Only a server whose administrator switched it on has a limit, ten requests a second unless they set another.
    public let pace = Pace(perSecond: 1, burst: 5)
    public let webhook: ChatWebhook
    public let mentions: Mentions

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        webhook = try ChatWebhook(options)
        mentions = try Mentions(options, forms: "a name such as @ana, or @here, @channel or @all", ChatMentions.name)
    }

    public func payload(_ posting: Posting) -> JSON {
        let markdown = ChatMarkdown.mattermost
        let card = markdown.card(posting, in: .mattermost)
        guard !posting.isPlain else {
            return ["text": .string(markdown.plainText(card, to: MattermostLimits.plainTextMax))]
        }
        var payload = JSONObject([("text", .string(markdown.written(card.headline, .bold)))])
        if let attachment = ChatAttachment.mattermost.json(card) { payload["attachments"] = [attachment] }
        return .object(payload)
    }

    public static func picture(of payload: JSON) -> ChatPicture {
        let attachments = payload["attachments"]?.array ?? []
        return ChatPicture(
            .mattermost,
            ChatAttachment.mattermost.paragraphs(payload["text"]) + attachments.map(ChatAttachment.mattermost.block))
    }

    /// Its JSON has an `id` that names what went wrong, under statuses that do not: an unknown webhook is a 400.
    public static func outcome(of answer: ChatAnswer) -> DeliveryOutcome {
        if answer.response.isSuccess {
            return answer.isPage ? answer.strange(insteadOf: "\"ok\"") : answer.delivered()
        }
        let id = answer.json?["id"]?.string
        let said = answer.said(answer.json?["message"]?.string, id)
        switch id {
        case "web.incoming_webhook.invalid.app_error":
            return .refusedChannel("\(said); the webhook is gone: make a new one and configure its address")
        case "web.incoming_webhook.disabled.app_error":
            return .refusedChannel(
                "\(said); incoming webhooks are switched off: ask an administrator to switch them on under Integrations"
            )
        case "web.incoming_webhook.channel.app_error":
            return .refusedChannel("\(said); the webhook's channel is gone: make a webhook for another one")
        case "web.incoming_webhook.channel_locked.app_error", "web.incoming_webhook.permissions.app_error":
            return .refusedChannel("\(said); the webhook may not post there: ask whoever made it, or make a new one")
        default: return answer.outcome(said)
        }
    }
}

/// What Mattermost takes, in code points of JSON.
enum MattermostLimits {
    /// 16,383 today; servers before version 5 took 4,000, and today's make several posts of a longer one.
    static let plainTextMax = 4000
    /// Attachments are kept with the post's properties, of which older servers took 8,000 as JSON.
    static let attachmentMax = 6500
}

extension ChatCard.Room {
    static let mattermost = ChatCard.Room(
        shares: MessageShares(
            headlineMax: 250, fieldsMax: 12, fieldLabelMax: 50, fieldValueMax: 150, reasonMax: 500, sparklineMax: 100,
            linkTitleMax: 60, addressMax: 500, footerMax: 200, issueTitleMax: 200, issueDetailMax: 80, lineMax: 300),
        card: MattermostLimits.attachmentMax, text: 3000, list: 1500)
}

extension ChatMarkdown {
    /// There is no switch against mentions, and any word behind `@` can be somebody's name; `<!channel>` is read as Slack
    /// reads it. Addresses are recognised by one slash already, and by `www`.
    static let mattermost = ChatMarkdown(unit: .codePointsOfJSON, lineMarks: "#>-+=", escapes: "\\`*_[]|") { text in
        text.parted(after: ["@", "<", "~", "#"]).parted(after: ":", before: ["/"]).parted(after: "w", before: ["ww"])
    }
}

extension ChatAttachment {
    static let mattermost = ChatAttachment(.mattermost, titlesAreMarkdown: false)
}
