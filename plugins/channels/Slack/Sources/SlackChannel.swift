public import PluginKit

// Posts messages to one Slack channel: a headline as the message's own block, and below it the details beside a bar in
// the colour of the severity.
//
// There are two ways in. A webhook can only post; it gives no id back, so nothing can be threaded or edited. A bot's token
// posts through the Web API, which gives an id: what follows goes into the thread of the opening message, which is edited
// to say how it stands. Slack recognises no delivery that it has seen before, so a lost answer may mean a message said
// twice, which is then marked as such.

/// Posts to Slack through an incoming webhook, or with a bot's token.
public struct SlackChannel: Channel {
    public static let manifest = PluginManifest(
        name: "slack",
        summary: "Posts to a Slack channel through an incoming webhook, or with a bot's token in threads.",
        example: """
            webhook: ${env:SLACK_WEBHOOK}
            """,
        access: "To get the address, open https://api.slack.com/apps, make an app in your workspace, switch on "
            + "Incoming Webhooks, and add one for the channel.",
        options: [webhook, token, channel, Mentions.setting, chart, url, Setting.insecure])

    static let webhook = Setting(
        "webhook", .url, unset: "none, where there is a token",
        "The address of the incoming webhook; whoever knows it can post, so keep it in the environment."
    ).secret.asked
    static let token = Setting(
        "token", .text, unset: "none, where there is a webhook",
        "A bot's token with the scope chat:write, which begins with xoxb-; instead of a webhook."
    ).secret.inHeader.asked(without: webhook)
    static let channel = Setting(
        "channel", .plain, unset: "none, where there is a webhook",
        "With a token: the channel's id, such as C0123456789, or its name."
    ).asked(with: token)
    static let url = Setting(
        "url", .url, default: "https://slack.com/api", "With a token: another address of the Web API.")

    static let chart = Setting(
        "chart", .flag, default: false,
        "With a token that has the scope files:write: show the last day's figures as a picture; needs libcairo "
            + "(Debian: libcairo2).")

    /// Slack documents one message a second for a webhook, and lets short bursts through without promising how long.
    public let pace = Pace(perSecond: 1, burst: 3)
    public let isIdempotent = false
    public let hasCharts: Bool
    public let cautions: [Problem]

    private let way: Way
    private let mentions: Mentions
    private let allowsPlainHTTP: Bool

    /// How messages get in.
    private enum Way {
        case webhook(GuardedText)
        case api(SlackAPI)
    }

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        way = try SlackChannel.way(options)
        hasCharts = options[Self.chart]
        if case .webhook = way, hasCharts {
            throw ProblemList(
                options.position(of: Self.chart), "'chart' goes with 'token'; a webhook takes no pictures")
        }
        var doubtful: [SlackMention] = []
        mentions = try Mentions(options, forms: SlackMention.forms) { written in
            let mention = SlackMention(written)
            if let mention, mention.isDoubtful { doubtful.append(mention) }
            return mention?.text
        }
        let position = options.position(of: Mentions.setting)
        cautions = doubtful.map { mention in
            Problem(
                position,
                "'\(mention.id)' has no digit, so it may be a handle and not an id: Slack calls nobody by a handle",
                advice: "if it is the id, write \(mention.text)", level: .warning)
        }
        allowsPlainHTTP = options[.insecure]
    }

    private static func way(_ options: Options) throws(ProblemList) -> Way {
        switch (options[Self.webhook], options[Self.token]) {
        case (let webhook?, nil):
            if options[Self.channel] != nil {
                throw ProblemList(
                    options.position(of: Self.channel),
                    "'channel' goes with 'token'; a webhook posts to the channel that it was made for")
            }
            return .webhook(webhook.showingOnlyOrigin)
        case (nil, let token?):
            guard let channel = options[Self.channel], !channel.isEmpty else {
                throw ProblemList(
                    options.position, "slack needs 'channel' beside 'token': the channel's id, or its name")
            }
            guard !channel.contains(Secret.mask) else {
                throw ProblemList(
                    options.position(of: Self.channel),
                    "'channel' cannot be a secret; write the channel's id or name itself")
            }
            // A token is a secret even if somebody wrote it into the file.
            return .api(
                SlackAPI(
                    url: options[Self.url].droppingLast(anyOf: ["/"]), token: Secret(token.reveal()), channel: channel,
                    allowsPlainHTTP: options[.insecure]))
        case (nil, nil):
            throw ProblemList(options.position, "slack needs 'webhook', or 'token' and 'channel'")
        case (_?, _?):
            throw ProblemList(
                options.position(of: Self.token), "'webhook' and 'token' are two ways to post; expected one of them")
        }
    }

    public func post(_ posting: Posting) -> ChannelAction {
        switch way {
        case .webhook(let address):
            return .request(
                HTTPRequest(
                    .post, address, body: .json(.object(payload(posting))), allowsPlainHTTP: allowsPlainHTTP))
        case .api(let api):
            var body = JSONObject([("channel", .string(api.channel))])
            // The plain form stands alone: a thread whose root is gone is one reason to refuse the rich one.
            if !posting.isPlain, let opening = SlackReceipt(posting.thread) {
                // The id that came with the message: a name may be another channel's by now.
                body["channel"] = .string(opening.channel)
                body["thread_ts"] = .string(opening.ts)
                if posting.message.kind.changesStanding { body["reply_broadcast"] = true }
            }
            for member in payload(posting).members { body[member.name] = member.value }
            return .request(api.call("chat.postMessage", body))
        }
    }

    /// The opening message says how it stands; its thread has what was said on the way.
    public func update(after posting: Posting) -> HTTPRequest? {
        guard case .api(let api) = way, !posting.isPlain, posting.message.kind.changesStanding,
            let opening = SlackReceipt(posting.thread)
        else { return nil }
        // What is left out stays as it was, so attachments are named even where there are none.
        var body = JSONObject([
            ("channel", .string(opening.channel)), ("ts", .string(opening.ts)), ("attachments", []),
        ])
        // Whether this attempt repeats another is nothing that the opening message is to say.
        let told = Posting(id: posting.id, message: posting.message, at: posting.at)
        for member in SlackPayload.rich(told, mentions: []).members { body[member.name] = member.value }
        return api.call("chat.update", body)
    }

    public func attach(
        _ image: ChartImage, to posting: Posting, receipt: String?, after answers: [HTTPResponse]
    ) -> ImageStep {
        guard case .api(let api) = way, let message = SlackReceipt(receipt) else { return .done }
        return SlackUpload(api: api, image: image, message: message, opening: SlackReceipt(posting.thread))
            .step(after: answers)
    }

    public func picture(of posting: Posting) -> ChatPicture {
        SlackPicture.of(.object(payload(posting))).showing(hasCharts && !posting.isPlain ? posting.message.chart : nil)
    }

    private func payload(_ posting: Posting) -> JSONObject {
        let called = mentions.called(by: posting.message, at: posting.at)
        return posting.isPlain
            ? SlackPayload.plain(posting, mentions: called) : SlackPayload.rich(posting, mentions: called)
    }

    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch (result, way) {
        case (.answered(let response), .webhook): SlackAnswer.outcome(of: response, .webhook, at: now)
        case (.answered(let response), .api): SlackAnswer.outcome(of: response, .api, at: now)
        case (.failed(let error), _): DeliveryOutcome(error)
        }
    }
}

/// Slack's Web API, as one bot uses it in one channel.
struct SlackAPI {
    let url: GuardedText
    let token: Secret
    let channel: String
    let allowsPlainHTTP: Bool

    func call(_ method: String, _ body: JSONObject) -> HTTPRequest {
        HTTPRequest(
            .post, "\(url)/\(method)", headers: [HTTPRequest.Header("Authorization", "Bearer \(token)")],
            body: .json(.object(body)), allowsPlainHTTP: allowsPlainHTTP)
    }

    /// For the one method that takes no JSON.
    func form(_ method: String, _ fields: [HTTPRequest.FormField]) -> HTTPRequest {
        HTTPRequest(
            .post, "\(url)/\(method)", headers: [HTTPRequest.Header("Authorization", "Bearer \(token)")],
            body: .form(fields), allowsPlainHTTP: allowsPlainHTTP)
    }
}

/// Which message it was: Slack names one by its channel's id and a time stamp, which is no number.
struct SlackReceipt {
    let channel: String
    let ts: String

    /// Reads `C0123456789:1795219200.000100`.
    init?(_ text: String?) {
        guard let parts = text?.split(separator: ":", maxSplits: 1).map(String.init), parts.count == 2 else {
            return nil
        }
        self.init(channel: parts[0], ts: parts[1])
    }

    /// - Returns: nil for what Slack would not give.
    init?(channel: String, ts: String) {
        guard (1...Self.partMax).contains(channel.utf8.count), (1...Self.partMax).contains(ts.utf8.count),
            channel.utf8.allSatisfy(\.isASCIILetterOrDigit),
            ts.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: ".") })
        else { return nil }
        self.channel = channel
        self.ts = ts
    }

    var text: String { "\(channel):\(ts)" }

    /// Slack's have 11 and 17 bytes.
    private static let partMax = 40
}

/// Somebody that Slack can call.
struct SlackMention {
    /// In Slack's own writing.
    let text: String
    /// Without what Slack writes around it; empty for those who have none.
    private(set) var id = ""
    /// Whether it may as well be a handle.
    private(set) var isDoubtful = false

    static let forms = "<!subteam^S…> or <@U…> with the id and not the name, @here or @channel"

    init?(_ written: String) {
        switch written {
        case "@here", "<!here>": text = "<!here>"
        case "@channel", "<!channel>": text = "<!channel>"
        case "@everyone", "<!everyone>": text = "<!everyone>"
        default:
            var id = written[...]
            if id.hasPrefix("<"), id.hasSuffix(">") { id = id.dropFirst().dropLast() }
            for prefix in ["!subteam^", "@"] where id.hasPrefix(prefix) { id = id.dropFirst(prefix.count) }
            // What follows a bar is a name for people, which Slack does not need.
            id = id.prefix { $0 != "|" }
            // A handle such as `@WEBTEAM` looks like an id and calls nobody. Most ids have a digit; those without, such as
            // `USLACKBOT`, are as long as others.
            let hasDigit = id.utf8.contains(where: \.isASCIIDigit)
            guard (2...Self.idMax).contains(id.utf8.count), id.utf8.allSatisfy({ $0.isUpperAlphanumeric }),
                hasDigit || id.utf8.count >= Self.wordlikeMin
            else { return nil }
            self.id = String(id)
            isDoubtful = !hasDigit && !written.hasPrefix("<")
            switch id.first {
            case "S": text = "<!subteam^\(id)>"
            case "U", "W": text = "<@\(id)>"
            default: return nil
            }
        }
    }

    /// Slack's have eleven characters, and had nine.
    private static let idMax = 30
    private static let wordlikeMin = 9
}

extension UInt8 {
    fileprivate var isUpperAlphanumeric: Bool {
        isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self)
    }
}
