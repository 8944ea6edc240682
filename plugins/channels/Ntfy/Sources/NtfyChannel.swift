internal import ChatKit
public import PluginKit

// Publishes messages to a topic of ntfy, on ntfy.sh or a server of one's own, from where they reach telephones.
//
// Whoever knows a topic can read and write it, so it is a secret. It stands in the body and not in the address, which
// appears in the logs of servers and proxies.

/// Publishes to a topic of ntfy.
public struct NtfyChannel: Channel {
    public static let manifest = PluginManifest(
        name: "ntfy",
        summary: "Publishes to an ntfy topic, for phones.",
        example: """
            topic: ${env:NTFY_TOPIC}
            """,
        access: "Install the app from https://ntfy.sh, choose a topic that nobody can guess (openssl rand -hex 16), "
            + "subscribe to it.",
        options: [topic, url, token, username, password, Setting.insecure])

    static let topic = RequiredSetting(
        "topic", .text, "The topic; whoever knows it can read and write it, so keep it in the environment."
    ).secret
    static let url = Setting("url", .url, default: "https://ntfy.sh", "The server's address, without the topic.")
    static let token = Setting("token", .text, unset: "no login", "An access token of the server.").secret
    static let username = Setting("username", .text, unset: "no login", "The user name, where there is no token.")
    static let password = Setting("password", .text, unset: "no login", "The user's password.").secret

    /// ntfy.sh takes sixty requests at once and then one every five seconds; some are left for whoever else publishes
    /// from here.
    public let pace = Pace(perSecond: 0.2, burst: 40)
    /// Servers from 2.16 on show the second instead of the first; older ones show both, and nobody can tell before.
    public let isIdempotent = false

    private let address: GuardedText
    private let topicName: GuardedText
    private let headers: [HTTPRequest.Header]
    private let allowsPlainHTTP: Bool

    private static let topicMax = 64

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        let topic = try options[Self.topic].reveal().trimmed
        guard 1...Self.topicMax ~= topic.utf8.count,
            topic.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-_".utf8.contains($0) })
        else {
            throw ProblemList(
                options.position(of: Self.topic),
                "'topic' is not a valid ntfy topic; expected 1 to \(Self.topicMax) letters, digits, '-' and '_'",
                advice: topic.contains("/") ? "write the server's address under 'url'" : nil)
        }
        // A topic is a secret even if somebody wrote it into the file.
        topicName = GuardedText(Secret(topic))
        // JSON goes to the server itself, whatever the topic.
        address = "\(options[Self.url].droppingLast(anyOf: ["/"]))/"
        headers = try Self.login(options)
        allowsPlainHTTP = options[.insecure]
    }

    private static func login(_ options: Options) throws(ProblemList) -> [HTTPRequest.Header] {
        let (user, password) = (options[username], options[password])
        if let token = options[token] {
            guard user == nil, password == nil else {
                throw ProblemList(
                    options.position(of: Self.token), "'token' and 'username' are two logins; keep one")
            }
            return [HTTPRequest.Header("Authorization", "Bearer \(Secret(token.reveal().trimmed))")]
        }
        switch (user, password) {
        case (nil, nil): return []
        case (let user?, let password?):
            let login = Base64.encode(Array("\(user.reveal()):\(password.reveal())".utf8))
            return [HTTPRequest.Header("Authorization", "Basic \(Secret(login))")]
        case (let user, _):
            let (there, missing) = user == nil ? (Self.password, Self.username) : (Self.username, Self.password)
            throw ProblemList(
                options.position(of: there), "'\(there.name)' is set and '\(missing.name)' is not; a login needs both")
        }
    }

    public func post(_ posting: Posting) -> ChannelAction {
        .request(
            HTTPRequest(
                .post, address, headers: headers, body: .json(NtfyPayload.of(posting), behind: "topic", topicName),
                allowsPlainHTTP: allowsPlainHTTP))
    }

    public func picture(of posting: Posting) -> ChatPicture { NtfyPicture.of(.object(NtfyPayload.of(posting))) }

    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let response): NtfyAnswer.outcome(of: ChatAnswer(response, of: "ntfy", at: now))
        case .failed(let error): DeliveryOutcome(error)
        }
    }
}
