public import PluginKit
public import SourceKit

// SentryKit is what sources share whose servers speak Sentry's API: where and as whom to ask, pages by cursor, what
// refusals and limits mean, the names of projects, and issues. It knows no sessions: those only Sentry has.

/// Where and as whom to ask.
public struct SentryServer: Sendable {
    /// The parts of the API that are used; each has a request budget of its own.
    public enum Endpoint: String, Hashable, Sendable {
        case projects, sessions, issues
    }

    public let address: GuardedText
    public let organization: GuardedText
    private let token: GuardedText
    private let allowsPlainHTTP: Bool
    private let scopes: [Endpoint: String]

    /// - Parameter scopes: what a token needs for each part.
    public init(
        address: GuardedText, organization: GuardedText, token: GuardedText, allowsPlainHTTP: Bool,
        scopes: [Endpoint: String]
    ) {
        self.address = address.droppingLast(anyOf: ["/", "/api/0"])
        self.organization = organization
        self.token = token
        self.allowsPlainHTTP = allowsPlainHTTP
        self.scopes = scopes
    }

    /// The trailing slash of the path matters: without it the server redirects, and the credential may get lost.
    public func request(_ endpoint: Endpoint, _ query: AddressQuery) -> HTTPRequest {
        let path: GuardedText =
            "\(address)/api/0/organizations/\(organization.percentEncoded)/\(endpoint.rawValue)/"
        // No conditional requests: windows move on with every poll, so that no address is asked twice, and of lists, whose
        // addresses stay, Sentry documents no ETag.
        return HTTPRequest(
            .get, path.asking(query),
            headers: [.init("Authorization", "Bearer \(token)"), .init("Accept", "application/json")],
            allowsPlainHTTP: allowsPlainHTTP)
    }

    /// The host without port and without credentials; nil when the address has none or goes beyond a path.
    public var host: String? { address.serverHost }

    /// Whose budget requests are counted on.
    public var account: String? { Account.name(at: host, [token]) }

    /// Sentry's own host for all regions; an organization lives in one.
    private static let everyRegion = "sentry.io"
    private static let regions = "the organization's region, https://us.sentry.io or https://de.sentry.io"

    /// What Sentry's tokens for an organization begin with: they read neither sessions nor issues.
    private static let organizationTokens = "sntrys_"

    /// What to do about a failure.
    func advice(about reason: PollFailure.Reason, of endpoint: Endpoint) -> String? {
        switch reason {
        case .unauthorized: return "check 'token'"
        case .forbidden where token.reveal().hasPrefix(SentryServer.organizationTokens):
            return "this is an organization token, which is only for CI; create an internal integration with the scope "
                + "\(scopes[endpoint] ?? "of this part") and use its token"
        case .forbidden:
            return "the token needs the scope \(scopes[endpoint] ?? "of this part") and access to the projects"
        case .notFound:
            let region = host == SentryServer.everyRegion ? ", or 'url' has to name \(SentryServer.regions)" : ""
            return "check 'organization' and 'url'; the service says the same when the token may not see it\(region)"
        default: return nil
        }
    }

    /// What to do about an answer that leads elsewhere: the token is not sent along.
    func advice(about error: TransportError) -> String? {
        error.cause == .redirect && host == SentryServer.everyRegion
            ? "name in 'url' the host of \(SentryServer.regions)" : nil
    }
}
