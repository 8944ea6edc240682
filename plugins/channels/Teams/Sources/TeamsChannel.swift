public import ChatKit
public import PluginKit

// Posts messages to a Teams channel or chat through a workflow that waits for a webhook request, as an Adaptive Card.
//
// The answer says no more than that the workflow was started: a card that Teams refuses fails later, and nobody tells us.
// So the card keeps to what every Teams client shows, and far from the size that is refused.

/// Posts to Microsoft Teams through a workflow.
public struct TeamsChannel: WebhookChat {
    public static let manifest = PluginManifest(
        name: "teams",
        summary: "Posts to a Microsoft Teams channel or chat through a workflow.",
        example: """
            webhook: ${env:TEAMS_WEBHOOK}
            """,
        access:
            "To get the address, open the channel's \"…\" menu in Teams, Workflows, choose Post to a channel when a "
            + "webhook request is received (in a chat: Post to a chat …), and copy the address that it shows at the end.",
        options: ChatWebhook.settings + [Mentions.setting])

    public static let chat = "the Teams workflow"

    /// Microsoft names four requests a second for the connectors of old and nothing for workflows, whose gateway refuses
    /// what is too much for a plan.
    public let pace = Pace(perSecond: 0.5, burst: 4)
    public let webhook: ChatWebhook
    public let mentions: Mentions

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        webhook = try ChatWebhook(options, refusing: TeamsChannel.refusal)
        mentions = try Mentions(options, forms: TeamsMention.forms) { TeamsMention($0)?.text }
        for severity in Severity.allCases {
            let people = mentions.everybody(at: severity).compactMap { TeamsMention($0) }
            guard TeamsMention.size(of: people) > TeamsMention.bytesMax else { continue }
            throw ProblemList(
                options.position(of: Mentions.setting),
                "'mention' has \(people.count) people for \(severity.rawValue), too many for a card",
                advice: "mention fewer, or a channel of theirs")
        }
    }

    private static func refusal(of address: String) -> ChatWebhook.Refusal? {
        func isOf(_ domain: String) -> Bool {
            let host = WebAddress(address)?.host ?? ""
            return host == domain || host.hasSuffix("." + domain)
        }
        if isOf("webhook.office.com") || isOf("outlook.office.com") || isOf("outlook.office365.com") {
            return ChatWebhook.Refusal(
                "'webhook' is the address of an Office 365 connector, and Microsoft has switched those off",
                advice:
                    "in Teams, make the workflow \"Post to a channel when a webhook request is received\" and use its address"
            )
        }
        if isOf("logic.azure.com") || isOf("api.powerplatform.com"), !address.contains("sig=") {
            return ChatWebhook.Refusal(
                "'webhook' has no 'sig=', without which the workflow accepts nothing",
                advice:
                    "copy the whole address from the workflow, and put it between quotes where a shell reads it: it has '&' in it"
            )
        }
        return nil
    }

    public func payload(_ posting: Posting) -> JSON {
        TeamsPayload.of(
            posting, calling: mentions.called(by: posting.message, at: posting.at).compactMap { TeamsMention($0) })
    }

    /// They stand in the card already: a card has to say twice whom it calls.
    public func calling(_ called: [String], in payload: JSON) -> JSON { payload }

    public static func picture(of payload: JSON) -> ChatPicture { TeamsPicture.of(payload) }

    public static func outcome(of answer: ChatAnswer) -> DeliveryOutcome { TeamsAnswer.outcome(of: answer) }
}
