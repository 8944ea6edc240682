public import PluginKit

// Keeps an alert in PagerDuty for each incident, through Events API v2: its beginning triggers it, its end resolves it.
//
// The incident's id is the alert's key, so that a repeated event joins the alert it has made already: a lost answer is
// no trouble, and nothing has to be marked as a repetition.

/// Calls people through PagerDuty.
public struct PagerDutyChannel: Channel {
    public static let manifest = PluginManifest(
        name: "pagerduty",
        summary: "Keeps an alert in PagerDuty for each incident: triggers it, raises it if it gets worse, resolves it.",
        example: """
            routing_key: ${env:PAGERDUTY_KEY}
            """,
        access: "To get the key, open the service in PagerDuty, Integrations, Add integration, Events API V2, and "
            + "copy the Integration Key.",
        options: [routingKey, region, url, Setting.insecure])

    static let routingKey = RequiredSetting(
        "routing_key", .text, "The integration key of a service's Events API v2 integration: 32 letters and digits."
    ).secret
    static let region = Setting(
        "region", .choice(of: Region.self), default: .us, "Where your PagerDuty account lives: us, or eu.")
    static let url = Setting(
        "url", .url, unset: "the region's", "Another address to send events to, such as a relay of your own.")

    /// The service regions of PagerDuty.
    enum Region: String, Sendable, CaseIterable {
        case us, eu

        var address: GuardedText {
            switch self {
            case .us: "https://events.pagerduty.com/v2/enqueue"
            case .eu: "https://events.eu.pagerduty.com/v2/enqueue"
            }
        }
    }

    /// PagerDuty documents no figure, only that too many are refused with 429: one a second stays far below what
    /// users report, and a team that is called more often than that is not helped by speed.
    public let pace = Pace(perSecond: 1, burst: 30)
    public let isIdempotent = true
    public let isPager = true

    private let bot: String
    private let key: GuardedText
    private let address: GuardedText
    private let allowsPlainHTTP: Bool

    /// PagerDuty's documentation of Events API v2.
    private static let keyLength = 32

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        bot = context.bot
        let written = try options[Self.routingKey].reveal()
        guard written.utf8.count == Self.keyLength, written.utf8.allSatisfy(\.isASCIILetterOrDigit) else {
            throw ProblemList(
                options.position(of: Self.routingKey),
                "'routing_key' is not an integration key; expected \(Self.keyLength) letters and digits, found "
                    + "\(written.utf8.count) characters",
                advice: "in PagerDuty: the service, Integrations, Events API v2, Integration Key")
        }
        // A key is a secret even if somebody wrote it into the file.
        key = GuardedText(Secret(written))
        address = options[Self.url] ?? options[Self.region].address
        allowsPlainHTTP = options[.insecure]
    }

    public func post(_ posting: Posting) -> ChannelAction {
        .request(
            HTTPRequest(
                .post, address, body: .json(PagerDutyEvent.json(posting, bot: bot), behind: "routing_key", key),
                allowsPlainHTTP: allowsPlainHTTP))
    }

    public func picture(of posting: Posting) -> ChatPicture {
        PagerDutyPicture.of(.object(PagerDutyEvent.json(posting, bot: bot)))
    }

    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let response): PagerDutyAnswer.outcome(of: response, at: now)
        case .failed(let error): DeliveryOutcome(error)
        }
    }
}
