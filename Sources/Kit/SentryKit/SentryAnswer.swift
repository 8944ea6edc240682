public import PluginKit
internal import SourceKit

/// A usable answer of the service: its body, and what its headers say about going on.
struct SentryAnswer: Sendable {
    let body: JSONReader
    /// The cursor of the next page, if there is one.
    let next: String?
    /// Set when the budget of this endpoint is used up: no request before that moment.
    let spentUntil: Moment?

    /// The limiter counts in windows of seconds; a wait beyond this is a mistake of a clock.
    private static let waitMax = Duration.hours(1)
    /// Cursors are a dozen characters; this leaves room for other servers' ideas.
    private static let cursorBytesMax = 500

    init(
        _ result: FetchResult, of server: SentryServer, from endpoint: SentryServer.Endpoint, now: Moment
    ) throws(PollFailure) {
        do throws(PollFailure) {
            let response: HTTPResponse
            switch result {
            case .failed(let error): throw PollFailure(error).advised(by: server.advice(about: error))
            case .answered(let answer): response = answer
            }
            if var failure = PollFailure(response, detail: response.wordsOfRefusal, now: now) {
                if failure.reason == .rateLimited {
                    failure.retryAt = SentryAnswer.patience(response, failure.retryAt, now)
                }
                throw failure.advised(by: server.advice(about: failure.reason, of: endpoint))
            }
            body = try response.json()
            next = SentryAnswer.nextCursor(in: response)
            let isSpent = response.header("X-Sentry-Rate-Limit-Remaining") == "0"
            spentUntil = isSpent ? SentryAnswer.patience(response, nil, now) : nil
        } catch {
            throw error.about(endpoint.rawValue)
        }
    }

    /// When to ask again: the limiter's reset or what `Retry-After` says, and a second from now at the least.
    private static func patience(_ response: HTTPResponse, _ told: Moment?, _ now: Moment) -> Moment {
        let reset = response.header("X-Sentry-Rate-Limit-Reset").flatMap(Double.init)
            .flatMap { Moment(unixSeconds: $0) }
        let believed = min(reset ?? .earliest, now + waitMax)
        return max(now + .seconds(1), believed, told ?? .earliest)
    }

    /// The cursor of `rel="next"`, unless it has no results: the header always names a next page.
    ///
    /// Only the cursor is taken. The address beside it is not followed, so the token goes nowhere else.
    static func nextCursor(in response: HTTPResponse) -> String? {
        for link in response.links where link.relations.contains("next") && link.parameters["results"] == "true" {
            let cursor = link.parameters["cursor"]
            if let cursor, !cursor.isEmpty, cursor.utf8.count <= cursorBytesMax { return cursor }
        }
        return nil
    }
}

extension HTTPResponse {
    /// A refusal in the service's own words: `detail` as a text or with a message inside, a bare string, or messages per
    /// field. Nil where there are none, and for success.
    public var wordsOfRefusal: String? {
        guard !isSuccess, let json = try? JSON(parsing: body) else { return nil }
        if let text = json.string { return text }
        if let detail = json["detail"] {
            return detail.string ?? detail["message"]?.string ?? detail["code"]?.string
        }
        let fields = (json.object?.members ?? []).compactMap { member in
            (member.value.array?.first?.string).map { "\(member.name): \($0)" }
        }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }
}
