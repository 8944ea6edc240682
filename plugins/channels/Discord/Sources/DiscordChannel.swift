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
        access: "To get the address, open the channel's settings, Integrations, Webhooks, make one, and copy its "
            + "URL.",
        options: ChatWebhook.settings + [Mentions.setting, Setting.chart])

    public static let chat = "Discord"

    /// One of Discord's staff named 30 a minute for a channel, which no header tells; the bursts are those of the
    /// headers, five in two seconds.
    public let pace = Pace(perSecond: 0.5, burst: 5)
    public let webhook: ChatWebhook
    public let mentions: Mentions
    public let hasCharts: Bool

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        // Without `wait` Discord answers before it has saved the message, and never tells when it could not.
        webhook = try ChatWebhook(options, adding: "wait=true", refusing: DiscordChannel.refusal)
        hasCharts = options[.chart]
        mentions = try Mentions(options, forms: "<@&ROLE>, <@USER>, @here or @everyone, with ids of digits") { name in
            ["@here", "@everyone"].contains(name) || DiscordChannel.role(name) != nil
                || DiscordChannel.user(name) != nil
                ? name : nil
        }
    }

    /// The thread. In which channel a webhook posts its address does not say: another one is mostly one for the same.
    public var home: String? { id(behind: "thread_id") }

    private func id(behind word: String) -> String? { webhook.id(behind: word).flatMap(Self.number) }
    private static func number(_ text: String) -> String? { ChatMentions.number(text, between: "", and: "") }
    private static func role(_ name: String) -> String? { ChatMentions.number(name, between: "<@&", and: ">") }
    private static func user(_ name: String) -> String? { ChatMentions.number(name, between: "<@", and: ">") }

    /// Discord calls only whom the payload allows, and of those only who stands in its text.
    public func calling(_ called: [String], in payload: JSON) -> JSON {
        let payload = ChatMentions.calling(called, in: payload, "content", textMax: DiscordLimits.contentMax)
        guard var object = payload.object else { return payload }
        let (roles, users) = (called.compactMap(Self.role), called.compactMap(Self.user))
        object["allowed_mentions"] = [
            "parse": roles.count + users.count < called.count ? ["everyone"] : [],
            "roles": .array(roles.map(JSON.string)), "users": .array(users.map(JSON.string)),
        ]
        return .object(object)
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

    /// A picture is part of its message; where Discord does not take it, the plain form follows, which has none.
    public func post(_ posting: Posting) -> ChannelAction {
        let payload = composed(posting)
        guard let image = posting.image, !posting.isPlain else { return .request(webhook.request(.json(payload))) }
        return .request(
            webhook.request(
                .parts([
                    HTTPRequest.FormPart("payload_json", .json(DiscordPayload.showing(image, in: payload))),
                    HTTPRequest.FormPart(
                        "files[0]",
                        .file(image.bytes, name: ChartImage.fileName, contentType: ChartImage.contentType)),
                ])))
    }

    /// The opening message says how it stands, for those who look at nothing else; a webhook can answer none.
    public func update(after posting: Posting) -> HTTPRequest? {
        guard !posting.isPlain, posting.message.kind.changesStanding,
            let ids = posting.thread?.split(separator: ":").map({ Self.number(String($0)) }), let first = ids.first,
            let opening = first
        else { return nil }
        // A webhook can change no other's messages.
        if ids.count > 1, let own = id(behind: "webhooks"), ids[1] != own { return nil }
        let told = Posting(id: posting.id, message: posting.message, at: posting.at)
        return webhook.change(of: "/messages/\(opening)", to: DiscordPayload.edit(payload(told)))
    }

    public static func picture(of payload: JSON) -> ChatPicture { DiscordPicture.of(payload) }

    public static func outcome(of answer: ChatAnswer) -> DeliveryOutcome { DiscordAnswer.outcome(of: answer) }
}
