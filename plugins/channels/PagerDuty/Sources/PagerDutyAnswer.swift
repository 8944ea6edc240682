internal import PluginKit

/// What PagerDuty's answers mean: 202 is taken, 400 never will be, everything else may pass.
enum PagerDutyAnswer {
    static func outcome(of response: HTTPResponse, at now: Moment) -> DeliveryOutcome {
        // Of a redirect nobody reads the page.
        let said = 300...399 ~= response.status ? "" : words(of: response)
        let sentence = "PagerDuty answered \(response.status)" + (said.isEmpty ? "" : ": \(said)")
        switch response.status {
        case 200...299:
            // A page where PagerDuty says "success" comes from something in between.
            return response.body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
                ? .unknown("\(sentence) with a web page; is there a proxy that wants a login?")
                : .delivered(receipt: nil)
        case 400 where isAboutKey(said):
            return .refusedChannel("\(sentence); copy the integration key of the service again")
        case 401, 403, 404:
            return .refusedChannel("\(sentence); check the integration key, and the region of the account")
        case 429:
            // Without a word it is not PagerDuty's own.
            return .retry(after: response.toldWait(now: now) ?? (said.isEmpty ? nil : wait), sentence)
        default:
            return DeliveryOutcome(response, in: sentence, at: now)
        }
    }

    /// Whether PagerDuty complains about the key and not about the event: "Invalid routing key" for one that it does not know,
    /// "'routing_key' is …" for one that cannot be a key. Taken for a refused event, an end would be lost for good.
    private static func isAboutKey(_ said: String) -> Bool {
        let words = said.lowercased()
        return words.contains("routing_key") || words.contains("routing key") || words.contains("integration key")
    }

    /// `message` and what stands in `errors`, or the beginning of what is no JSON.
    private static func words(of response: HTTPResponse) -> String {
        guard response.body.count <= bodyBytesMax, let json = try? JSON(parsing: response.body),
            let message = json["message"]?.string
        else { return response.excerpt(wordsMax) }
        let errors = (json["errors"]?.array ?? []).prefix(errorsMax).compactMap(\.string)
        return ([message] + errors).joined(separator: ": ").roughlyCut(to: wordsMax).tamed.clipped(to: wordsMax)
    }

    /// PagerDuty does not say when to come back, and counts by the minute.
    private static let wait = Duration.minutes(1)
    /// Answers have some hundred bytes; a proxy's page may be of any size.
    private static let bodyBytesMax = 65_536
    private static let errorsMax = 5
    private static let wordsMax = 200
}
