public import ChatKit
public import PluginKit

// Posts messages to one Discord channel through a webhook: the headline as the message's text, which is what phones show
// and what stays when somebody has embeds switched off, and below it an embed with the details.

/// Posts to Discord through a webhook.
public struct DiscordChannel: WebhookChat {
    public static let manifest = PluginManifest(
        name: "discord",
        summary: "Posts to a Discord channel through a webhook.",
        example: """
            webhook: ${env:DISCORD_WEBHOOK}
            """,
        options: ChatWebhook.settings)

    public static let chat = "Discord"

    /// One of Discord's staff named 30 a minute for a channel, which no header tells; the bursts are those of the
    /// headers, five in two seconds.
    public let pace = Pace(perSecond: 0.5, burst: 5)
    public let webhook: ChatWebhook

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        // Without `wait` Discord answers before it has saved the message, and never tells when it could not.
        webhook = try ChatWebhook(options, adding: "wait=true", refusing: DiscordChannel.refusal)
    }

    private static func refusal(of address: String) -> ChatWebhook.Refusal? {
        let path = address.prefix { $0 != "?" && $0 != "#" }
        if let format = ["/slack", "/github"].first(where: { path.hasSuffix($0) }) {
            return ChatWebhook.Refusal(
                "'webhook' ends in \(format), where Discord expects another service's messages",
                advice: "remove \(format) from its end")
        }
        let host = WebAddress(address)?.host ?? ""
        guard ["discord.com", "discordapp.com"].contains(where: { host == $0 || host.hasSuffix("." + $0) }),
            !path.contains("/webhooks/")
        else { return nil }
        return ChatWebhook.Refusal(
            "'webhook' is an address of Discord's, but not that of a webhook",
            advice: "in the channel's settings, under Integrations, copy a webhook's URL")
    }

    public func payload(_ posting: Posting) -> JSON { DiscordPayload.of(posting) }

    public static func picture(of payload: JSON) -> ChatPicture { DiscordPicture.of(payload) }

    public static func outcome(of answer: ChatAnswer) -> DeliveryOutcome { DiscordAnswer.outcome(of: answer) }
}
