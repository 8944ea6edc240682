internal import PluginKit

/// What PagerDuty's answers mean: 202 is taken, 400 never will be, everything else may pass.
enum PagerDutyAnswer {
    static func outcome(of response: HTTPResponse, at now: Moment) -> DeliveryOutcome {
        let said = words(of: response)
        let sentence = "PagerDuty answered \(response.status)" + (said.isEmpty ? "" : ": \(said)")
        switch response.status {
        case 200...299:
            // A page where PagerDuty says "success" comes from something in between.
            return response.body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
                ? .unknown("\(sentence) with a web page; is there a proxy that wants a login?")
                : .delivered(receipt: nil)
        case 400 where said.contains("routing_key"):
            return .refusedChannel("\(sentence); copy the integration key of the service again")
        case 401, 403, 404:
            return .refusedChannel("\(sentence); check the integration key, and the region of the account")
        default:
            return DeliveryOutcome(response, said: said.isEmpty ? nil : said, at: now)
        }
    }

    /// `message` and what stands in `errors`, or the beginning of what is no JSON.
    private static func words(of response: HTTPResponse) -> String {
        guard response.body.count <= bodyBytesMax, let json = try? JSON(parsing: response.body),
            let message = json["message"]?.string
        else { return response.excerpt(wordsMax) }
        let errors = (json["errors"]?.array ?? []).prefix(errorsMax).compactMap(\.string)
        return ([message] + errors).joined(separator: ": ").roughlyCut(to: wordsMax).tamed.clipped(to: wordsMax)
    }

    /// Answers have some hundred bytes; a proxy's page may be of any size.
    private static let bodyBytesMax = 65_536
    private static let errorsMax = 5
    private static let wordsMax = 200
}
