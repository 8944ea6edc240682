internal import ChatKit
public import PluginKit

// Posts messages to one Telegram chat through a bot: one text in Telegram's HTML. What follows the opening of an incident
// answers it, and the opening is edited to say how it stands.
//
// The bot's token is part of the address, so no more of that is ever shown than its beginning.

/// Posts to a Telegram chat through a bot.
public struct TelegramChannel: Channel {
    public static let manifest = PluginManifest(
        name: "telegram",
        summary: "Posts to a Telegram chat through a bot.",
        example: """
            token: ${env:TELEGRAM_TOKEN}
            chat: "-1001234567890"
            """,
        access: "Write to @BotFather: /newbot makes a bot and shows its token. Add the bot to the group, write "
            + "something there, and look for the chat's id in what "
            + "https://api.telegram.org/bot<TOKEN>/getUpdates answers.",
        options: [token, chat, topic, Mentions.setting, Setting.chart, url, Setting.insecure])

    static let token = RequiredSetting(
        "token", .text, "The bot's token, as BotFather shows it; keep it in the environment."
    ).secret
    static let chat = RequiredSetting(
        "chat", .plain, "The chat's id, such as -1001234567890, or the name of a public one, such as @shop_alerts.")
    static let topic = Setting(
        "topic", .integer(1...Int(Int32.max)), unset: "the chat itself", "The id of a topic of the group.")
    static let url = Setting(
        "url", .url, default: "https://api.telegram.org",
        "Another address of the Bot API, such as a server of your own.")

    /// Telegram lets a bot post twenty messages a minute to a group.
    public let pace = Pace(perSecond: 0.33, burst: 3)
    public let isIdempotent = false
    public let hasCharts: Bool

    private let address: GuardedText
    private let place: TelegramPlace
    private let mentions: Mentions
    private let allowsPlainHTTP: Bool

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        // A token is a secret even if somebody wrote it into the file.
        let token = Secret(try options[Self.token].reveal().trimmed)
        let letters = token.reveal().utf8
        guard letters.contains(UInt8(ascii: ":")),
            letters.allSatisfy({ $0.isASCIILetterOrDigit || ":-_".utf8.contains($0) })
        else {
            throw ProblemList(
                options.position(of: Self.token),
                "'token' is not a bot's token; expected a number, a colon, and letters, digits, '-' and '_'",
                advice: "BotFather shows it: /mybots, the bot, API Token")
        }
        let chat = try options[Self.chat]
        guard let place = TelegramPlace(chat, topic: options[Self.topic]) else {
            throw ProblemList(
                options.position(of: Self.chat),
                "'\(chat.quotable)' is not a Telegram chat; expected an id such as -1001234567890, or a "
                    + "name such as @shop_alerts")
        }
        // Its link, t.me/c/…/1, looks as if it had one.
        if place.topic == 1 {
            throw ProblemList(
                options.position(of: Self.topic), "'topic' is 1, but General has no id of its own",
                advice: "leave 'topic' out")
        }
        self.place = place
        address = "\(options[Self.url].droppingLast(anyOf: ["/"]))/bot\(token)"
        hasCharts = options[.chart]
        mentions = try Mentions(options, forms: "a name such as @ana_lopez", TelegramPlace.name)
        allowsPlainHTTP = options[.insecure]
    }

    public func post(_ posting: Posting) -> ChannelAction { .request(call("sendMessage", payload(posting))) }

    /// The opening message says how it stands; what was said on the way answers it.
    public func update(after posting: Posting) -> HTTPRequest? {
        guard !posting.isPlain, posting.message.kind.changesStanding,
            let opening = posting.thread.flatMap({ Int64($0) })
        else { return nil }
        return call("editMessageText", TelegramPayload.edit(of: opening, posting, in: place))
    }

    /// A caption has a quarter of a text's room, so the picture answers its message, without ringing once more.
    public func attach(
        _ image: ChartImage, to posting: Posting, receipt: String?, after answers: [HTTPResponse]
    ) -> ImageStep {
        guard answers.isEmpty, let message = receipt.flatMap({ Int64($0) }) else { return .done }
        return .request(call("sendPhoto", .parts(TelegramPayload.photo(image, answering: message, in: place))))
    }

    private func call(_ method: String, _ payload: JSON) -> HTTPRequest { call(method, .json(payload)) }

    private func call(_ method: String, _ body: HTTPRequest.Body) -> HTTPRequest {
        HTTPRequest(.post, "\(address)/\(method)", body: body, allowsPlainHTTP: allowsPlainHTTP)
    }

    private func payload(_ posting: Posting) -> JSON {
        let called = mentions.called(by: posting.message, at: posting.at)
        let payload = TelegramPayload.of(posting, in: place, calling: called)
        return called.isEmpty
            ? payload : ChatMentions.calling(called, in: payload, "text", textMax: TelegramLimits.textMax)
    }

    public func picture(of posting: Posting) -> ChatPicture {
        TelegramPicture.of(payload(posting)).showing(hasCharts && !posting.isPlain ? posting.message.chart : nil)
    }

    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let response): TelegramAnswer.outcome(of: ChatAnswer(response, of: "Telegram", at: now))
        case .failed(let error): DeliveryOutcome(error)
        }
    }
}

/// A chat, and its topic.
struct TelegramPlace: Hashable, Sendable {
    /// A number for ids, a text for names.
    let chat: JSON
    let topic: Int?

    /// - Returns: nil for what is neither an id nor a name.
    init?(_ chat: String, topic: Int?) {
        if let id = Int64(chat), id != 0, id.magnitude < Self.idMax {
            self.chat = .int(id)
        } else if Self.name(chat) != nil {
            self.chat = .string(chat)
        } else {
            return nil
        }
        self.topic = topic
    }

    /// `@ana_lopez`, the name of a person or a public chat; nil for what is none. Names have five characters or more, but
    /// those that Telegram sells, which may have four.
    static func name(_ written: String) -> String? {
        guard (4...32).contains(written.utf8.count - 1), !written.utf8.contains(where: { ".-".utf8.contains($0) })
        else { return nil }
        return ChatMentions.name(written)
    }

    /// Telegram's documentation: at most 52 bits of an id are used.
    private static let idMax: UInt64 = 1 << 52
}
