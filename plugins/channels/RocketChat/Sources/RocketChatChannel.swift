public import ChatKit
public import PluginKit

// Posts messages to one Rocket.Chat channel through an incoming webhook: the headline as the message's text, which is what
// phones show, and the details in an attachment beside a bar.
//
// Rocket.Chat reads the two by different rules: an attachment is Markdown with backslashes, a message's text knows none
// and makes a link of anything that could be a host's name.

/// Posts to Rocket.Chat through an incoming webhook.
public struct RocketChatChannel: WebhookChat {
    public static let manifest = PluginManifest(
        name: "rocketchat",
        summary: "Posts to a Rocket.Chat channel through an incoming webhook.",
        example: """
            webhook: ${env:ROCKETCHAT_WEBHOOK}
            """,
        access: "To get the address, an administrator opens Workspace, Integrations, New, Incoming, chooses the "
            + "channel and a user to post as, switches it on and copies the Webhook URL.",
        options: ChatWebhook.settings + [Mentions.setting])

    public static let chat = "Rocket.Chat"

    /// A server lets ten calls a minute pass unless its administrator set something else.
    public let pace = Pace(perSecond: 0.1, burst: 4)
    public let webhook: ChatWebhook
    public let mentions: Mentions

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        webhook = try ChatWebhook(options)
        mentions = try Mentions(options, forms: "a name such as @ana, or @here or @all", ChatMentions.name)
    }

    public func payload(_ posting: Posting) -> JSON {
        let card = ChatMarkdown.rocketChat.card(posting, in: .rocketChat)
        guard !posting.isPlain else {
            let text = card.plainText(to: RocketChatLimits.textMax, dialect: ChatMarkdown.rocketChat.dialect) {
                $0.plain(\.asMessageText)
            }
            return ["text": .string(text)]
        }
        var payload = JSONObject([("text", .string(card.headline.asMessageText))])
        if let attachment = ChatAttachment.rocketChat.json(card) { payload["attachments"] = [attachment] }
        return .object(payload)
    }

    public static func picture(of payload: JSON) -> ChatPicture {
        let lines = (payload["text"]?.string ?? "").split(separator: "\n")
        let attachments = payload["attachments"]?.array ?? []
        return ChatPicture(
            .rocketchat,
            lines.map { .paragraph([ChatPicture.Run(String($0))]) } + attachments.map(ChatAttachment.rocketChat.block))
    }

    /// Its JSON says in words what went wrong, under statuses that changed from version to version.
    public static func outcome(of answer: ChatAnswer) -> DeliveryOutcome {
        let words = answer.json?["error"]?.string
        let said = answer.said(words)
        if answer.response.isSuccess {
            if answer.json?["success"] == false { return .refusedBody(said) }
            return answer.isPage ? answer.strange(insteadOf: "\"success\": true") : answer.delivered()
        }
        switch words ?? "" {
        case let words where words.hasPrefix("Invalid integration id or token"):
            return .refusedChannel("\(said); the webhook is gone: make a new one and configure its address")
        case "invalid-channel", "error-invalid-room", "error-not-allowed":
            return .refusedChannel("\(said); the webhook may not post to its channel: check it under Integrations")
        case let words where words.contains("error-too-many-requests"):
            return answer.retry(said, after: secondsToWait(in: words))
        case "Service Unavailable":
            return answer.retry("\(said); if that goes on, check whether the integration is still enabled")
        default: return answer.outcome(said)
        }
    }

    /// How long to wait, which older servers say in words alone: "You must wait 42 seconds before trying …".
    private static func secondsToWait(in words: String) -> Double? {
        let pieces = words.split(separator: " ")
        guard let unit = pieces.firstIndex(where: { $0.hasPrefix("second") }), unit > 0 else { return nil }
        return Double(pieces[unit - 1])
    }
}

/// What Rocket.Chat takes, in UTF-16 units.
enum RocketChatLimits {
    /// 5,000 characters, unless the administrator allows another number.
    static let textMax = 4500
    static let attachmentMax = 4500
}

extension ChatCard.Room {
    static let rocketChat = ChatCard.Room(
        shares: MessageShares(
            headlineMax: 250, fieldsMax: 10, fieldLabelMax: 50, fieldValueMax: 120, reasonMax: 400, sparklineMax: 100,
            linkTitleMax: 60, addressMax: 400, footerMax: 150, issueTitleMax: 200, issueDetailMax: 80, lineMax: 250),
        card: RocketChatLimits.attachmentMax, text: 3000, list: 1200)
}

extension ChatMarkdown {
    /// There is no switch against mentions, and any word behind `@` can be somebody's name.
    static let rocketChat = ChatMarkdown(unit: .utf16, lineMarks: "#>-+=*", escapes: "\\`*_[]~") { text in
        text.parted(after: ["@", "#", "<"]).parted(after: ":", before: ["/"]).parted(after: "w", before: ["ww"])
    }
}

extension ChatAttachment {
    /// A line ends where two spaces stand before its end; a footer is not shown.
    static let rocketChat = ChatAttachment(
        .rocketChat, lineEnd: "  \n", footerTitle: .captionSentBy, titlesAreMarkdown: true)
}

extension String {
    /// The text without what makes links, formulas and spoilers in a message's own text, where nothing can be escaped:
    /// `example.com` is a link there already.
    fileprivate var asMessageText: String { parted(after: ["\\", "|", "]", "+", "$"]).withoutHosts }
}
