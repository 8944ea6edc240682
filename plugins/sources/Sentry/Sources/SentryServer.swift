internal import PluginKit

/// Where and as whom to ask.
struct SentryServer: Sendable {
    /// The parts of the API that are used; each has a request budget of its own.
    enum Endpoint: String, Hashable, Sendable {
        case projects, sessions, issues

        /// The scope that a token needs.
        var scope: String { self == .issues ? "event:read" : "org:read" }
    }

    typealias Query = [(name: String, value: String)]

    let address: GuardedText
    let organization: GuardedText
    let token: GuardedText
    let allowsPlainHTTP: Bool

    init(address: GuardedText, organization: GuardedText, token: GuardedText, allowsPlainHTTP: Bool) {
        self.address = address.droppingLast(anyOf: ["/", "/api/0"])
        self.organization = organization
        self.token = token
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// The trailing slash of the path matters: without it the server redirects, and the credential may get lost.
    func request(_ endpoint: Endpoint, _ query: Query) -> HTTPRequest {
        let items = query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        let path: GuardedText =
            "\(address)/api/0/organizations/\(organization.percentEncoded)/\(endpoint.rawValue)/"
        // No conditional requests: the windows move on with every poll, so that no address is asked twice.
        return HTTPRequest(
            .get,
            items.isEmpty ? path : "\(path)?\(items)",
            headers: [.init("Authorization", "Bearer \(token)"), .init("Accept", "application/json")],
            allowsPlainHTTP: allowsPlainHTTP
        )
    }

    /// The host without port and without credentials; nil when the address has none or goes beyond a path.
    var host: String? {
        WebAddress(address.reveal()).flatMap { $0.hasQuery ? nil : $0.host }
    }
}
