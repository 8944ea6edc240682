public import PluginKit

/// One API of Google's, as one account may use it.
///
/// Requests to it are made of a call and an access token, so that none leaves without one. The token comes from the
/// shell, which keeps it; one that the service refuses is replaced once.
public struct GoogleService: Sendable {
    public let address: GuardedText
    public let account: ServiceAccount
    private let scope: String
    /// What to do about a refusal, where the service's own words do not say it.
    private let advice: @Sendable (GoogleRefusal) -> String?

    /// - Parameters:
    ///   - scope: what tokens are asked for, as one address.
    ///   - advice: what people should do about a refusal, such as who has to be invited where.
    public init(
        at address: GuardedText, as account: ServiceAccount, scope: String,
        advice: @escaping @Sendable (GoogleRefusal) -> String? = { _ in nil }
    ) {
        self.address = address.droppingLast(anyOf: ["/"])
        self.account = account
        self.scope = scope
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
        let query: AddressQuery
        let body: JSON?

        /// Asks for something.
        ///
        /// - Parameter path: below the address, with a slash in front; already encoded.
        public init(_ subject: String, get path: String, _ query: AddressQuery = []) {
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

    /// Asks, and goes on with what was read of the answer's body or with why there is nothing.
    public func ask<Value: Sendable, Report>(
        _ call: Call, at now: Moment, reading body: @escaping @Sendable (JSONReader) throws(JSONMismatch) -> Value,
        then: @escaping @Sendable (Result<Value, PollFailure>) -> Conversation<Report>
    ) -> Conversation<Report> {
        ask(call, account.order(for: scope), isLast: false, now, then) { read($0, call, now, body) }
    }

    private func ask<Value: Sendable, Report>(
        _ call: Call, _ order: TokenOrder, isLast: Bool, _ now: Moment,
        _ then: @escaping @Sendable (Result<Value, PollFailure>) -> Conversation<Report>,
        reading read: @escaping @Sendable (FetchResult) -> Result<Value, PollFailure>
    ) -> Conversation<Report> {
        .authorize(order) { given in
            switch given {
            case .failure(let failure): return then(.failure(failure))
            case .success(let token):
                return .fetch(request(call, with: token)) { result in
                    if case .answered(let response) = result, response.status == 401, !isLast {
                        return ask(call, order.refusing(token), isLast: true, now, then, reading: read)
                    }
                    return then(read(result))
                }
            }
        }
    }

    private func request(_ call: Call, with token: AccessToken) -> HTTPRequest {
        let url: GuardedText = "\(address)\(call.path)"
        return HTTPRequest(
            call.method, url.asking(call.query),
            headers: [.init("Authorization", "Bearer \(token.secret)"), .init("Accept", "application/json")],
            body: call.body.map(HTTPRequest.Body.json))
    }

    private func read<Value>(
        _ result: FetchResult, _ call: Call, _ now: Moment, _ body: (JSONReader) throws(JSONMismatch) -> Value
    ) -> Result<Value, PollFailure> {
        do throws(PollFailure) {
            let response = try result.response()
            if let refusal = GoogleRefusal(response, now: now) {
                throw refusal.failure(advice: advice(refusal), account: account)
            }
            let json = try response.json()
            do throws(JSONMismatch) {
                return .success(try body(json))
            } catch {
                throw PollFailure(error)
            }
        } catch {
            return .failure(error.about(call.subject))
        }
    }
}
