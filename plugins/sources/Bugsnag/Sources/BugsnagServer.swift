internal import PluginKit
internal import SourceKit

/// Where and as whom to ask.
struct BugsnagServer: Sendable {
    let address: GuardedText
    private let token: GuardedText
    private let allowsPlainHTTP: Bool

    init(address: GuardedText, token: GuardedText, allowsPlainHTTP: Bool) {
        self.address = address.droppingLast(anyOf: ["/"])
        self.token = token
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// The host without port and without credentials; nil when the address has none or goes beyond a path.
    var host: String? { address.serverHost }

    /// Whose budget requests are counted on: a token has one of its own.
    var account: String? { Account.name(at: host, [token]) }

    /// Where people look; nil for a host of one's own.
    var pages: String? {
        guard let host, host == "api.bugsnag.com" || host == "api.bugsnag.smartbear.com" else { return nil }
        return "https://app.\(host.dropFirst("api.".count))"
    }

    func request(_ path: String, _ query: AddressQuery) -> HTTPRequest {
        let url: GuardedText = "\(address)\(path)"
        return request(to: url.asking(query))
    }

    /// A page that an answer leads to, by its whole address; nil when it is elsewhere, where the token has no business.
    func request(page next: String) -> HTTPRequest? {
        let base = address.reveal()
        guard !next.isEmpty, WebAddress(next) != nil, next.hasPrefix(base),
            next.dropFirst(base.count).first == "/"
        else { return nil }
        return request(to: "\(address)\(String(next.dropFirst(base.count)))")
    }

    /// Without a version the API moves on by itself.
    ///
    /// No conditional requests: Bugsnag documents no ETag, and counts requests whatever it answers.
    private func request(to url: GuardedText) -> HTTPRequest {
        HTTPRequest(
            .get, url,
            headers: [
                .init("Authorization", "token \(token)"), .init("X-Version", "2"),
                .init("Accept", "application/json"),
            ], allowsPlainHTTP: allowsPlainHTTP)
    }
}

/// A usable answer: its body, and what its headers say about going on.
struct BugsnagAnswer: Sendable {
    let body: JSONReader
    /// The address of the next page, if there is one.
    let next: String?
    /// Whether no request is left of the minute's budget.
    let isSpent: Bool

    init(_ result: FetchResult, about subject: String, now: Moment) throws(PollFailure) {
        do throws(PollFailure) {
            let response = try result.response()
            if let failure = PollFailure(response, detail: BugsnagAnswer.detail(of: response), now: now) {
                throw PollFailure(
                    BugsnagAnswer.isIncomplete(response) ? .tooLarge : failure.reason, failure.description,
                    retryAt: failure.retryAt ?? (failure.reason == .rateLimited ? now + BugsnagAnswer.window : nil)
                ).advised(by: BugsnagAnswer.advice(about: response))
            }
            body = try response.json()
            next = response.links.first { $0.relations.contains("next") }?.address
            isSpent = response.header("X-RateLimit-Remaining") == "0"
        } catch {
            throw error.about(subject)
        }
    }

    /// The limit counts in windows of a minute.
    static let window = Duration.minutes(1)
    /// "Unable to return complete results".
    private static let incompleteCode: JSON = 60000

    /// `{"errors": ["text", …]}`.
    private static func detail(of response: HTTPResponse) -> String? {
        guard !response.isSuccess, let json = try? JSON(parsing: response.body) else { return nil }
        let texts = (json["errors"]?.array ?? []).compactMap(\.string)
        return texts.isEmpty ? nil : texts.prefix(3).joined(separator: "; ")
    }

    /// Whether there is more of what was asked for than one answer holds; less of it may be asked for.
    private static func isIncomplete(_ response: HTTPResponse) -> Bool {
        response.status == 422 && (try? JSON(parsing: response.body))?["code"] == incompleteCode
    }

    private static func advice(about response: HTTPResponse) -> String? {
        switch response.status {
        case 401: "check 'token'"
        case 403: "the token's owner may not see this"
        case 404: "check 'url'; organizations of app.bugsnag.smartbear.com have an API of their own"
        case 422 where isIncomplete(response): "there is too much of it for one answer"
        default: nil
        }
    }
}
