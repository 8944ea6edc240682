public import PluginKit

// Posts every message as JSON to an address of the user's own, signed as Standard Webhooks 1.0 says when there is a
// secret.
//
// This is the channel for programs: it carries the same text that people get, and beside it the incidents with their
// figures. The receiver recognises a repeated delivery by its `webhook-id`, so nothing has to be marked or held back; another
// service's interface (`body`, `hookshot`) does not.

/// Posts JSON to any HTTP endpoint.
public struct WebhookChannel: Channel {
    public static let manifest = PluginManifest(
        name: "webhook",
        summary: "Posts JSON to any HTTP endpoint, signed as Standard Webhooks says.",
        example: """
            url: https://hooks.example.com/alertbot
            secret: ${env:HOOK_SECRET}
            """,
        access: "A secret is made by echo \"whsec_$(openssl rand -base64 32)\"; the receiver needs the same one.",
        options: [url, format, body, pager, secret, headers, Setting.insecure])

    static let url = RequiredSetting(
        "url", .url, "The address that receives the messages; its path may hold {{incident.id}} and the like.")
    static let format = Setting(
        "format", .choice(of: WebhookFormat.self), default: .standard,
        "What is posted: standard (Standard Webhooks), cloudevents (CloudEvents 1.0, structured), or hookshot (for a "
            + "generic webhook of matrix-hookshot).")
    static let body = Setting(
        "body", .text, unset: "the envelope",
        "JSON for another service's interface: an object whose texts may use {{title}} and all else that a template has."
    )
    static let pager = Setting(
        "pager", .flag, default: false,
        "Whether the receiver keeps an alert for each incident and calls people: no digests, reminders or corrections.")
    static let secret = Setting(
        "secret", .text,
        "The key of the signature: 'whsec_' and base64; several, separated by spaces, while keys are rotated."
    ).secret.neverSent.asked
    static let headers = Setting(
        "headers", .map(.text), default: [], "Headers to send with each message, such as Authorization."
    ).secret

    /// The receiver is the user's own; if it wants less it says so with 429. At once, half of the connections that the
    /// transport keeps: the rest are for the sources.
    public var pace: Pace {
        // A room is read by people: in order, and no faster than they read.
        format == .hookshot
            ? Pace(perSecond: 1, burst: 10) : Pace(perSecond: 100_000, burst: 100_000, atOnce: 64)
    }
    /// The bridge recognises nothing that it has seen, and no other interface knows of the id in the headers.
    public var isIdempotent: Bool { format != .hookshot && form == nil }

    /// Decision 24 has what such a receiver is told.
    public let isPager: Bool

    private let bot: String
    private let address: WebhookAddress
    /// Nil for the envelope.
    private let form: WebhookForm?
    private let format: WebhookFormat
    private let secret: GuardedText?
    private let headers: [HTTPRequest.Header]
    private let allowsPlainHTTP: Bool
    public let cautions: [Problem]

    public init(options: Options, context: ChannelContext) throws(ProblemList) {
        bot = context.bot
        isPager = options[Self.pager]
        format = options[Self.format]
        // The type follows from the body.
        var problems = options.flaws(inHeaders: Self.headers) { $0.hasPrefix("webhook-") || $0 == "content-type" }
        if options[Self.body] != nil, options.written(Self.format) != nil {
            problems.append(
                Problem(
                    options.position(of: Self.format), "'format' and 'body' both say what is posted",
                    advice: "remove one"))
        }
        // A key is a secret even if somebody wrote it into the file.
        secret = options[Self.secret].map { GuardedText(Secret($0.reveal())) }
        if let secret { problems += WebhookChannel.flaws(of: secret, at: options.position(of: Self.secret)) }
        let view = MessageView(bot: context.bot, channel: context.name, zone: context.zone)
        do throws(ProblemList) {
            address = try WebhookAddress(try options[Self.url], at: options.position(of: Self.url), view)
            form = try options[Self.body].map { text throws(ProblemList) in
                try WebhookForm(text, at: options.position(of: Self.body), view)
            }
        } catch {
            throw ProblemList(problems + error.problems)
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
        cautions = secret.map { WebhookChannel.cautions(of: $0, at: options.position(of: Self.secret)) } ?? []
        headers = options[Self.headers].map { HTTPRequest.Header($0.name, $0.value) }
        allowsPlainHTTP = options[.insecure]
    }

    public func post(_ posting: Posting) -> ChannelAction {
        let body = form.map { .json($0.json(posting)) } ?? envelope(posting)
        var request = HTTPRequest(
            .post, address.url(of: posting), headers: headers, body: body, allowsPlainHTTP: allowsPlainHTTP)
        if format == .cloudevents {
            request.headers.append(HTTPRequest.Header("Content-Type", "application/cloudevents+json; charset=utf-8"))
        }
        if let secret {
            request.signature = .standardWebhooks(id: posting.id, timestamp: posting.at, secret: secret)
        } else {
            request.headers += [
                HTTPRequest.Header("webhook-id", GuardedText(posting.id)),
                HTTPRequest.Header("webhook-timestamp", GuardedText(String(posting.at.unixSeconds))),
            ]
        }
        return .request(request)
    }

    private func envelope(_ posting: Posting) -> HTTPRequest.Body {
        format == .hookshot
            ? .json(WebhookHookshot.json(posting, bot: bot))
            : .json(written: WebhookBody.bytes(posting, bot: bot, as: format))
    }

    public func picture(of posting: Posting) -> ChatPicture {
        guard format == .hookshot else {
            guard case .request(let request) = post(posting) else { return ChatPicture(posting.message) }
            return ChatPicture(.program, [.code(request.body?.shown.prettyText ?? "")])
        }
        return WebhookHookshot.picture(of: WebhookHookshot.json(posting, bot: bot))
    }

    public func judge(_ result: FetchResult, at now: Moment) -> DeliveryOutcome {
        switch result {
        case .answered(let response):
            format == .hookshot
                ? WebhookHookshot.outcome(of: response, at: now)
                : WebhookAnswer.outcome(of: response, knowsIDs: isIdempotent, at: now)
        case .failed(let error): DeliveryOutcome(error)
        }
    }

    /// Keys that nothing can be signed with are refused before the first message needs one.
    private static func flaws(of secret: GuardedText, at position: Position) -> [Problem] {
        let keys = keys(of: secret)
        guard keys.isEmpty || keys.contains(where: { $0?.isEmpty != false }) else { return [] }
        return [
            Problem(
                position, "'secret' is not a signing key; expected 'whsec_' and base64, as the receiver shows it",
                advice: "a new one is 'whsec_' and what openssl rand -base64 32 prints")
        ]
    }

    /// What Standard Webhooks asks of a key; one that is shorter signs, and somebody may guess it.
    private static let keyBytes = 24...64

    private static func cautions(of secret: GuardedText, at position: Position) -> [Problem] {
        let isShort = keys(of: secret).contains { ($0?.count ?? 0) < keyBytes.lowerBound }
        guard isShort else { return [] }
        return [
            Problem(
                position,
                "the key in 'secret' is shorter than the \(keyBytes.lowerBound) to \(keyBytes.upperBound) bytes that "
                    + "Standard Webhooks asks for, so receivers may refuse it and others may guess it",
                advice: "a new one is 'whsec_' and what openssl rand -base64 32 prints", level: .warning)
        ]
    }

    /// The keys of a secret, decoded; nil for one that cannot be.
    private static func keys(of secret: GuardedText) -> [[UInt8]?] {
        secret.reveal().split(separator: " ").map { key in
            Base64.decode(key.hasPrefix("whsec_") ? key.dropFirst("whsec_".count) : key)
        }
    }
}
