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
        // Of a redirect nobody reads the page.
        let page = words.isEmpty && !(300...399 ~= response.status) ? response.excerpt(120) : ""
        let sentence = said + (page.isEmpty ? "" : ": \(page)")
        switch response.status {
        // A homeserver names a code: what answers without one is something else.
        case 404 where code == nil, 405 where code == nil:
            return .refusedChannel("\(sentence); is 'homeserver' the address of the client API?")
        case 401 where code == nil, 403 where code == nil:
            return .refusedChannel("\(sentence); is there a proxy in between that refuses it?")
        default: return DeliveryOutcome(response, in: sentence, at: now)
        }
    }
}
