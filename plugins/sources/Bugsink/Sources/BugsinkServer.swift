internal import PluginKit
internal import SentryKit
internal import SourceKit

/// Where and as whom to ask.
struct BugsinkServer: Sendable {
    let address: GuardedText
    private let token: GuardedText
    private let allowsPlainHTTP: Bool

    private static let path = "/api/canonical/0"
    /// Cursors are some dozens of characters long.
    private static let cursorBytesMax = 500

    init(address: GuardedText, token: GuardedText, allowsPlainHTTP: Bool) {
        self.address = address.droppingLast(anyOf: ["/", BugsinkServer.path])
        self.token = token
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// The host without port and without credentials; nil when the address has none or goes beyond a path.
    var host: String? { address.serverHost }

    /// Whose budget requests are counted on, where something in front of the server counts them.
    var account: String? { Account.name(at: host, [token]) }

    /// No conditional requests: Bugsink documents no ETag.
    ///
    /// - Parameter cursor: what leads to a later page, as `cursor(in:)` found it.
    func request(_ list: String, _ query: AddressQuery, cursor: String?) -> HTTPRequest {
        let path: GuardedText = "\(address)\(BugsinkServer.path)/\(list)/"
        var url = path.asking(query)
        // It comes encoded.
        if let cursor { url = "\(url)\(query.isEmpty ? "?" : "&")cursor=\(cursor)" }
        return HTTPRequest(
            .get, url, headers: [.init("Authorization", "Bearer \(token)"), .init("Accept", "application/json")],
            allowsPlainHTTP: allowsPlainHTTP)
    }

    /// The cursor of the next page, out of its address; nil on the last one.
    ///
    /// Only the cursor is taken. The address itself is not followed: behind a proxy it may be wrong, and the token goes
    /// nowhere else.
    private static func cursor(in next: JSONReader) throws(JSONMismatch) -> String? {
        let address = try next.string()
        let query = address.drop { $0 != "?" }.dropFirst().prefix { $0 != "#" }
        let cursor = query.split(separator: "&").first { $0.hasPrefix("cursor=") }?.dropFirst("cursor=".count)
        let allowed = "-._~%+="
        guard let cursor, !cursor.isEmpty, cursor.utf8.count <= cursorBytesMax,
            cursor.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || allowed.contains($0)) })
        else { throw next.mismatch(expected: "an address with a cursor") }
        return String(cursor)
    }

    /// One page of a list as an answer holds it.
    ///
    /// - Parameter capability: what a token of newer servers needs for the list.
    static func page<Item: Sendable>(
        _ result: FetchResult, about subject: String, needing capability: String, now: Moment,
        _ read: (JSONReader) throws(JSONMismatch) -> Item
    ) -> Result<Page<Item>, PollFailure> {
        do throws(PollFailure) {
            let response = try result.response()
            if let failure = PollFailure(response, detail: response.wordsOfRefusal, now: now) {
                throw failure.advised(by: advice(about: failure.reason, needing: capability))
            }
            let body = try response.json()
            do throws(JSONMismatch) {
                var left = LeftOut()
                let items = try body.member("results").elements(leaving: &left) {
                    element throws(JSONMismatch) -> Item? in try read(element)
                }
                let next = try body.optional("next")
                return .success(
                    Page(
                        items, next: try next.flatMap { next throws(JSONMismatch) in try cursor(in: next) },
                        leaving: left))
            } catch {
                throw PollFailure(error)
            }
        } catch {
            return .failure(error.about(subject))
        }
    }

    private static func advice(about reason: PollFailure.Reason, needing capability: String) -> String? {
        switch reason {
        case .unauthorized: "check 'token': 40 hexadecimal digits, from Bugsink's page of tokens"
        case .forbidden: "a token with capabilities needs \(capability)"
        case .notFound: "check 'url'; the API came with Bugsink 2"
        default: nil
        }
    }
}
