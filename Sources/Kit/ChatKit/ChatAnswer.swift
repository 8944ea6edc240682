public import PluginKit

/// What a chat answered to a message, and the outcomes that it may stand for.
///
/// Every sentence begins with what was answered, "Discord answered 404: Unknown Webhook, 10015", and those that end a
/// delivery say what to do about it.
public struct ChatAnswer: Sendable {
    public let response: HTTPResponse
    /// The body, where it is JSON.
    public let json: JSON?
    public let now: Moment
    private let chat: String

    /// What chats answer is far smaller; a proxy's page may be of any size.
    private static let bodyBytesMax = 65_536
    private static let wordsMax = 120

    /// - Parameter chat: the chat's name.
    public init(_ response: HTTPResponse, of chat: String, at now: Moment) {
        self.response = response
        self.chat = chat
        self.now = now
        json = response.body.count <= Self.bodyBytesMax ? try? JSON(parsing: response.body) : nil
    }

    /// "Discord answered 404", and behind it the chat's own words, if there are any; without any that it is asked for,
    /// how the body begins.
    public func said(_ words: String?...) -> String {
        var words = words.compactMap { $0?.tamed.trimmed.withoutFullStop.clipped(to: Self.wordsMax) }
            .filter { !$0.isEmpty }
        if words.isEmpty, !response.isSuccess {
            words = [response.excerpt(Self.wordsMax)].filter { !$0.isEmpty }
        }
        return "\(chat) answered \(response.status)" + (words.isEmpty ? "" : ": " + words.joined(separator: ", "))
    }

    /// The message is in the chat.
    public func delivered(receipt: String? = nil) -> DeliveryOutcome {
        .delivered(receipt: receipt.map { $0.tamed.clipped(to: Self.wordsMax) })
    }

    /// An answer of success that is none of the chat's, mostly a page of something in between, which may or may not have
    /// passed the message on.
    ///
    /// - Parameter expected: what the chat says, such as "the message".
    public func strange(insteadOf expected: String) -> DeliveryOutcome {
        .unknown(
            "\(chat) answered \(response.status) with \"\(response.excerpt(60))\" instead of \(expected); "
                + "is there a proxy in between that wants a login?")
    }

    /// Whether the body is a web page.
    public var isPage: Bool { response.body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<") }

    /// To be tried again, after the wait that the answer asks for: the longest, where it names several. A header in whole
    /// seconds that is the chat's own wait rounded up says nothing else.
    ///
    /// - Parameter seconds: the wait, where it stands in a place of the chat's own.
    public func retry(_ said: String, after seconds: Double? = nil) -> DeliveryOutcome {
        let own = seconds.flatMap { Duration.told(seconds: $0) }
        let told = response.toldWait(now: now)
        guard let own else { return .retry(after: told, said) }
        return .retry(after: told.map { $0 - own < .seconds(1) ? own : $0 } ?? own, said)
    }

    /// What the status alone means.
    ///
    /// - Parameter said: what was answered, with the chat's words.
    public func outcome(_ said: String) -> DeliveryOutcome {
        let outcome = DeliveryOutcome(response, in: said, at: now)
        guard case .refusedChannel = outcome, !(300...399 ~= response.status) else { return outcome }
        if response.status == 403, isPage {
            return .refusedChannel(
                "\(said); the address is no longer accepted, or something in between refuses it: if it is the address, "
                    + "make a new webhook and configure it")
        }
        return .refusedChannel(
            [401, 403].contains(response.status)
                ? "\(said); the address is no longer accepted: make a new webhook and configure it"
                : "\(said); there is no webhook at this address: make a new one and configure it")
    }
}

extension String {
    /// The words as a part of a sentence that goes on.
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
