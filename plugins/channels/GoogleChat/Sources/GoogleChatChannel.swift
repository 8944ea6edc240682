public import ChatKit
public import PluginKit

// Posts messages to one Google Chat space through a webhook: the headline as the message's text, which is what phones show,
// and the details in a card. What follows the opening of an incident goes into its thread.

/// Posts to Google Chat through a webhook.
public struct GoogleChatChannel: WebhookChat {
    public static let manifest = PluginManifest(
        name: "google_chat",
        summary: "Posts to a Google Chat space through a webhook.",
        example: """
            webhook: ${env:GOOGLE_CHAT_WEBHOOK}
            """,
        access: "To get the address, open the space's menu, Apps & integrations, Webhooks, and add one.",
        options: ChatWebhook.settings + [Mentions.setting])

    public static let chat = "Google Chat"

    /// One message a second for a space, which all its apps share.
    public let pace = Pace(perSecond: 1, burst: 2)
    public let webhook: ChatWebhook
    public let mentions: Mentions

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        // Without this the thread that a message names is ignored; with it a thread that is gone makes a new one.
        webhook = try ChatWebhook(
            options, adding: "messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD",
            refusing: GoogleChatChannel.refusal)
        mentions = try Mentions(options, forms: "<users/ID>, or <users/all>") { name in
            name == "<users/all>" || ChatMentions.number(name, between: "<users/", and: ">") != nil ? name : nil
        }
    }

    /// The space: other webhooks of it lead to the same threads.
    public var home: String? { webhook.id(behind: "spaces") }

    private static func refusal(of address: String) -> ChatWebhook.Refusal? {
        guard WebAddress(address)?.host == "chat.googleapis.com",
            !address.contains("key=") || !address.contains("token=")
        else { return nil }
        return ChatWebhook.Refusal(
            "'webhook' has no 'key=' or no 'token=', without which Google Chat accepts nothing",
            advice: "copy the whole address, and put it between quotes where a shell reads it: it has '&' in it")
    }

    public func payload(_ posting: Posting) -> JSON { GoogleChatPayload.of(posting) }

    public static func picture(of payload: JSON) -> ChatPicture { GoogleChatPicture.of(payload) }

    /// An error has the name of one of Google's status codes, which says the same as the status in other words.
    public static func outcome(of answer: ChatAnswer) -> DeliveryOutcome {
        if answer.response.isSuccess {
            guard answer.json?["name"]?.string != nil else { return answer.strange(insteadOf: "the message") }
            return answer.delivered(receipt: answer.json?["thread"]?["name"]?.string)
        }
        let error = answer.json?["error"]
        let said = answer.said(error?["status"]?.string, error?["message"]?.string)
        switch error?["status"]?.string {
        case "RESOURCE_EXHAUSTED", "UNAVAILABLE": return answer.retry(said)
        case "INVALID_ARGUMENT":
            // The key in the address counts as an argument, too.
            let reasons = error?["details"]?.array?.compactMap { $0["reason"]?.string } ?? []
            return reasons.contains("API_KEY_INVALID")
                ? .refusedChannel("\(said); copy the webhook's whole address again") : .refusedBody(said)
        case "NOT_FOUND":
            return .refusedChannel(
                "\(said); the space or the webhook is gone: make a new one and configure its address")
        case "PERMISSION_DENIED", "UNAUTHENTICATED":
            return .refusedChannel(
                "\(said); the webhook was removed, or the organisation allows none: make a new one, or ask an administrator"
            )
        default: return answer.outcome(said)
        }
    }
}
