internal import PluginKit
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

    init(_ result: FetchResult, from endpoint: SentryServer.Endpoint, now: Moment) throws(PollFailure) {
        do throws(PollFailure) {
            let response: HTTPResponse
            switch result {
            case .failed(let error): throw PollFailure(error)
            case .answered(let answer): response = answer
            }
            if let failure = PollFailure(response, detail: SentryAnswer.detail(of: response), now: now) {
                let hint = SentryAnswer.hint(for: failure.reason, endpoint)
                throw PollFailure(
                    failure.reason,
                    failure.description + hint,
                    retryAt: failure.reason == .rateLimited
                        ? SentryAnswer.patience(response, failure.retryAt, now) : failure.retryAt
                )
            }
            body = try response.json()
            next = SentryAnswer.nextCursor(in: response)
            let isSpent = response.header("X-Sentry-Rate-Limit-Remaining") == "0"
            spentUntil = isSpent ? SentryAnswer.patience(response, nil, now) : nil
        } catch {
            throw PollFailure(error.reason, "\(endpoint.rawValue): \(error.description)", retryAt: error.retryAt)
        }
    }

    /// When to ask again: the limiter's reset or what `Retry-After` says, and a second from now at the least.
    private static func patience(_ response: HTTPResponse, _ told: Moment?, _ now: Moment) -> Moment {
        let reset = response.header("X-Sentry-Rate-Limit-Reset").flatMap(Double.init)
            .flatMap { Moment(unixSeconds: $0) }
        let believed = min(reset ?? .earliest, now + waitMax)
        return max(now + .seconds(1), believed, told ?? .earliest)
    }

    /// The service's own words: `detail` as a text or with a message inside, a bare string, or messages per field.
    private static func detail(of response: HTTPResponse) -> String? {
        guard !response.isSuccess, let json = try? JSON(parsing: response.body) else { return nil }
        if let text = json.string { return text }
        if let detail = json["detail"] {
            return detail.string ?? detail["message"]?.string ?? detail["code"]?.string
        }
        let fields = (json.object?.members ?? []).compactMap { member in
            (member.value.array?.first?.string).map { "\(member.name): \($0)" }
        }
        return fields.isEmpty ? nil : fields.joined(separator: "; ")
    }

    private static func hint(for reason: PollFailure.Reason, _ endpoint: SentryServer.Endpoint) -> String {
        switch reason {
        case .unauthorized: " (check 'token')"
        case .forbidden: " (the token needs the scope \(endpoint.scope) and access to the projects)"
        case .notFound: " (check 'organization' and 'url'; the service says the same when the token may not see it)"
        default: ""
        }
    }

    /// The cursor of `rel="next"`, unless it has no results: the header always names a next page.
    ///
    /// Only the cursor is taken. The address beside it is not followed, so the token goes nowhere else.
    static func nextCursor(in response: HTTPResponse) -> String? {
        for link in response.links where link.relation == "next" && link.parameters["results"] == "true" {
            let cursor = link.parameters["cursor"]
            if let cursor, !cursor.isEmpty, cursor.utf8.count <= cursorBytesMax { return cursor }
        }
        return nil
    }
}
