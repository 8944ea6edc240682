internal import PluginKit

/// What a homeserver's answers mean: the `errcode` counts first, the status where there is none that is known.
enum MatrixAnswer {
    /// Answers to a send are far smaller; a proxy's page may be of any size.
    private static let answerBytesMax = 65_536
    /// Matrix specification, appendix "Identifiers": no id is longer.
    private static let eventIDMax = 255

    static func outcome(of response: HTTPResponse, at now: Moment) -> DeliveryOutcome {
        let answer = response.body.count <= answerBytesMax ? try? JSON(parsing: response.body) : nil
        if response.isSuccess {
            guard let event = answer?["event_id"]?.string, !event.isEmpty else {
                // Asking again costs nothing: the id is the same.
                return .unknown(
                    "the homeserver answered \(response.status) without an event_id: \"\(response.excerpt(60))\""
                )
            }
            return .delivered(receipt: event.tamed.clipped(to: eventIDMax))
        }
        let code = answer?["errcode"]?.string.map(\.quotable)
        let reason = answer?["error"]?.string.map { $0.tamed.clipped(to: 120) }
        let words = [code, reason].compactMap { $0 }.joined(separator: ", ")
        let said = "the homeserver answered \(response.status)" + (words.isEmpty ? "" : ": \(words)")
        switch code {
        case "M_LIMIT_EXCEEDED":
            return .retry(after: response.toldWait(now: now), said)
        case "M_UNKNOWN_TOKEN", "M_MISSING_TOKEN":
            return .refusedChannel("\(said); the token is no longer valid: make a new one and configure it")
        case "M_USER_DEACTIVATED", "M_USER_LOCKED", "M_USER_SUSPENDED", "M_CONSENT_NOT_GIVEN":
            return .refusedChannel("\(said); the bot's account may not send: ask the homeserver's administrator")
        case "M_FORBIDDEN":
            return .refusedChannel("\(said); has the bot's account joined the room, and may it write there?")
        case "M_UNRECOGNIZED":
            return .refusedChannel("\(said); is 'homeserver' the address of the client API?")
        case "M_NOT_JSON", "M_BAD_JSON", "M_TOO_LARGE", "M_INVALID_PARAM", "M_MISSING_PARAM":
            return .refusedBody(said)
        case "M_DUPLICATE_ANNOTATION":
            // The homeserver has it already.
            return .delivered(receipt: nil)
        default: break
        }
        return DeliveryOutcome(response, said: words.isEmpty ? nil : words, at: now)
    }
}
