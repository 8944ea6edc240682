public import PluginKit

// Posts messages to one Slack channel through an incoming webhook: a headline as the message's own block, and below it
// the details beside a bar in the colour of the severity.
//
// A webhook can only post. It gives no id back, so nothing here edits, threads or deletes; and Slack does not recognise
// a delivery it has seen before, so a lost answer may mean a message said twice, which is then marked as such.

/// Posts to Slack through an incoming webhook.
public struct SlackChannel: Channel {
    public static let manifest = PluginManifest(
        name: "slack",
        summary: "Posts to a Slack channel through an incoming webhook.",
        example: """
            webhook: ${env:SLACK_WEBHOOK}
            """,
        options: [webhook, Setting.insecure])

    static let webhook = RequiredSetting(
        "webhook", .url,
        "The address of the incoming webhook; whoever knows it can post, so keep it in the environment."
    ).secret

    /// Slack documents one message a second for a webhook, and lets short bursts through without promising how long.
    public let pace = Pace(perSecond: 1, burst: 3)
    public let isIdempotent = false

    private let webhook: GuardedText
    private let allowsPlainHTTP: Bool

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        webhook = try options[Self.webhook].showingOnlyOrigin
        allowsPlainHTTP = options[.insecure]
    }

    public func post(_ posting: Posting) -> ChannelAction {
        .request(HTTPRequest(.post, webhook, body: .json(payload(posting)), allowsPlainHTTP: allowsPlainHTTP))
    }

    public func picture(of posting: Posting) -> ChatPicture { SlackPicture.of(payload(posting)) }

    private func payload(_ posting: Posting) -> JSON {
        posting.isPlain ? SlackPayload.plain(posting) : SlackPayload.rich(posting)
    }

    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let response): SlackAnswer.outcome(of: response, at: now)
        case .failed(let error): DeliveryOutcome(error)
        }
    }
}
