public import PluginKit

/// One API of Google's, as one account may use it.
///
/// Requests to it are made of a call and an access token, so that none leaves without one. The token comes from the
/// shell, which keeps it; one that the service refuses is replaced once.
public struct GoogleService: Sendable {
    public let address: GuardedText
    public let account: ServiceAccount
    private let scope: String
    private let allowsPlainHTTP: Bool
    /// What to do about a refusal, where the service's own words do not say it.
    private let advice: @Sendable (GoogleRefusal) -> String?

    /// - Parameters:
    ///   - scope: what tokens are asked for, as one address.
    ///   - advice: what people should do about a refusal, such as who has to be invited where.
    public init(
        at address: GuardedText, as account: ServiceAccount, scope: String, allowsPlainHTTP: Bool = false,
        advice: @escaping @Sendable (GoogleRefusal) -> String? = { _ in nil }
    ) {
        self.address = address.droppingLast(anyOf: ["/"])
        self.account = account
        self.scope = scope
        self.allowsPlainHTTP = allowsPlainHTTP
        self.advice = advice
    }

    /// The host without port and without credentials; nil when the address has none or goes beyond a path.
    public var host: String? { address.serverHost }

    /// Whose budget calls are counted on.
    public var budget: String? { Account.name(at: host, [GuardedText(account.email)]) }

    /// What is asked of the service.
    public struct Call: Sendable {
        /// What the call is about, for failures: `crash rates of com.shop`.
        public let subject: String
        let method: HTTPRequest.Method
        let path: String
        let query: [(name: String, value: String)]
        let body: JSON?

        /// Asks for something.
        ///
        /// - Parameter path: below the address, with a slash in front; already encoded.
        public init(_ subject: String, get path: String, _ query: [(name: String, value: String)] = []) {
            self.subject = subject
            method = .get
            self.path = path
            self.query = query
            body = nil
        }

        /// Asks for something that takes a body to describe.
        public init(_ subject: String, post path: String, _ body: JSON) {
            self.subject = subject
            method = .post
            self.path = path
            query = []
            self.body = body
        }
    }

    /// Asks, and goes on with the answer's body or with why there is none.
    public func ask<Report>(
        _ call: Call, at now: Moment,
        then: @escaping @Sendable (Result<JSONReader, PollFailure>) -> Conversation<Report>
    ) -> Conversation<Report> {
        ask(call, account.order(for: scope), isLast: false, now, then)
    }

    private func ask<Report>(
        _ call: Call, _ order: TokenOrder, isLast: Bool, _ now: Moment,
        _ then: @escaping @Sendable (Result<JSONReader, PollFailure>) -> Conversation<Report>
    ) -> Conversation<Report> {
        .authorize(order) { given in
            switch given {
            case .failure(let failure): return then(.failure(failure))
            case .success(let token):
                return .fetch(request(call, with: token)) { result in
                    if case .answered(let response) = result, response.status == 401, !isLast {
                        return ask(call, order.refusing(token), isLast: true, now, then)
                    }
                    return then(read(result, call, now))
                }
            }
        }
    }

    private func request(_ call: Call, with token: AccessToken) -> HTTPRequest {
        let query = call.query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return HTTPRequest(
            call.method, "\(address)\(query.isEmpty ? call.path : "\(call.path)?\(query)")",
            headers: [.init("Authorization", "Bearer \(token.secret)"), .init("Accept", "application/json")],
            body: call.body.map(HTTPRequest.Body.json), allowsPlainHTTP: allowsPlainHTTP)
    }

    private func read(_ result: FetchResult, _ call: Call, _ now: Moment) -> Result<JSONReader, PollFailure> {
        do throws(PollFailure) {
            switch result {
            case .failed(let error): throw PollFailure(error)
            case .answered(let response):
                if let refusal = GoogleRefusal(response, now: now) {
                    throw refusal.failure(advice: advice(refusal), account: account)
                }
                return .success(try response.json())
            }
        } catch {
            return .failure(error.about(call.subject))
        }
    }
}

extension PollFailure {
    /// The same failure with what was asked for in front.
    public func about(_ subject: String) -> PollFailure {
        saying("\(subject): \(description)")
    }
}
