// ChatKit is what channels share whose chat takes messages at an incoming webhook: an address, one POST of JSON for each
// message, one answer. Discord, Teams and Mattermost are of that kind. Start here: `WebhookChat` is what a channel
// conforms to, `ChatCard` is the message that it writes, `ChatDialect` and `ChatMarkdown` are how it writes, `ChatAnswer`
// is what it is answered.

public import PluginKit

/// A channel whose chat takes messages at an incoming webhook.
///
/// It says how the JSON looks, how people see that JSON, and what the answers mean; all else is here. Webhooks recognise
/// nothing that they have seen before, so a lost answer may mean a message said twice, which is then marked as such.
public protocol WebhookChat: Channel {
    /// Where messages are posted.
    var webhook: ChatWebhook { get }
    /// The JSON of a posting, in its rich or its plain form.
    func payload(_ posting: Posting) -> JSON
    /// Whom the config has called.
    var mentions: Mentions { get }
    /// The JSON with those called, in the chat's own writing, in front of its text; that is what most chats want, and
    /// what stands here for them.
    func calling(_ called: [String], in payload: JSON) -> JSON
    /// How the chat shows such JSON.
    static func picture(of payload: JSON) -> ChatPicture
    /// What the chat is called in sentences.
    static var chat: String { get }
    /// What an answer means. The chat's own words count first; where there are none that are known,
    /// `ChatAnswer.outcome` goes by the status.
    static func outcome(of answer: ChatAnswer) -> DeliveryOutcome
}

extension WebhookChat {
    public var isIdempotent: Bool { false }

    public var mentions: Mentions { .none }

    public func calling(_ called: [String], in payload: JSON) -> JSON {
        ChatMentions.calling(called, in: payload, "text", textMax: ChatMentions.textMax)
    }

    public func post(_ posting: Posting) -> ChannelAction { .request(webhook.request(composed(posting))) }

    public func picture(of posting: Posting) -> ChatPicture {
        Self.picture(of: composed(posting)).showing(hasCharts && !posting.isPlain ? posting.message.chart : nil)
    }

    /// The JSON of a posting, with those called.
    public func composed(_ posting: Posting) -> JSON {
        let called = mentions.called(by: posting.message, at: posting.at)
        return called.isEmpty ? payload(posting) : calling(called, in: payload(posting))
    }

    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let response): Self.outcome(of: ChatAnswer(response, of: Self.chat, at: now))
        case .failed(let error): DeliveryOutcome(error)
        }
    }
}

/// The address of an incoming webhook. Whoever knows it can post, so no more than its origin is ever shown.
public struct ChatWebhook: Sendable {
    /// The settings of every channel that has one.
    public static let settings: [any SettingDeclaration] = [address, Setting.insecure]

    static let address = RequiredSetting(
        "webhook", .url,
        "The address of the incoming webhook; whoever knows it can post, so keep it in the environment."
    ).secret

    /// Why an address cannot be one of the chat's: what is wrong with it, and what to do. Neither may quote the address.
    public struct Refusal: Sendable {
        let complaint: String
        let advice: String

        public init(_ complaint: String, advice: String) {
            self.complaint = complaint
            self.advice = advice
        }
    }

    private let address: GuardedText
    private let allowsPlainHTTP: Bool

    /// - Parameters:
    ///   - query: what the chat wants behind the address, such as `wait=true`; the address itself is used as it is
    ///     written, to the letter.
    ///   - refuse: finds addresses that people take for the right one.
    public init(
        _ options: Options, adding query: String? = nil, refusing refuse: (_ address: String) -> Refusal? = { _ in nil }
    ) throws(ProblemList) {
        let written = try options[Self.address]
        let whole = written.reveal()
        if let refusal = refuse(whole) {
            throw ProblemList(options.position(of: Self.address), refusal.complaint, advice: refusal.advice)
        }
        let shown = written.showingOnlyOrigin
        address = query.map { "\(shown)\(whole.contains("?") ? "&" : "?")\($0)" } ?? shown
        allowsPlainHTTP = options[.insecure]
    }

    /// The id behind a word of the address, as in `spaces/AAA` or `thread_id=12`; nil where none is there. Ids are no
    /// secrets, unlike the address as a whole.
    public func id(behind word: String) -> String? {
        let parts = address.reveal().split { "/?&=#".contains($0) }
        return zip(parts, parts.dropFirst()).first { $0.0 == word }.map { String($0.1) }
    }

    func request(_ payload: JSON) -> HTTPRequest { request(.json(payload)) }

    /// A body of the chat's own kind.
    public func request(_ body: HTTPRequest.Body) -> HTTPRequest {
        HTTPRequest(.post, address, body: body, allowsPlainHTTP: allowsPlainHTTP)
    }

    /// What changes a message that was posted before, for chats whose messages have addresses below the webhook's.
    public func change(of path: String, to payload: JSON) -> HTTPRequest {
        HTTPRequest(.patch, address.appendingPath(path), body: .json(payload), allowsPlainHTTP: allowsPlainHTTP)
    }
}
