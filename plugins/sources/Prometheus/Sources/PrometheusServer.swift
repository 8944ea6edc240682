internal import PluginKit

/// Where and as whom to ask.
struct PrometheusServer: Sendable {
    let address: GuardedText
    let headers: [HTTPRequest.Header]
    /// Sent with every query, such as `partial_response=false`.
    let parameters: [HTTPRequest.FormField]
    /// What to look at when the server refuses the credential, or wants one.
    let credentialAdvice: String
    let allowsPlainHTTP: Bool

    /// Longest address asked by GET. Proxies commonly refuse more than 8,000 bytes, some more than 2,000.
    private static let addressBytesMax = 2000

    init(
        address: GuardedText, headers: [HTTPRequest.Header], parameters: [HTTPRequest.FormField],
        credentialAdvice: String, allowsPlainHTTP: Bool
    ) {
        self.address = address.droppingLast(anyOf: ["/", "/api/v1"])
        self.headers = headers
        self.parameters = parameters
        self.credentialAdvice = credentialAdvice
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    /// Asks by GET, or by POST where the query is too long for an address.
    ///
    /// Nothing is conditional: every request names its own time, so no address is asked twice.
    func request(_ query: GuardedText, at times: QueryTimes) -> HTTPRequest {
        let fields = [HTTPRequest.FormField("query", query)] + times.fields + parameters
        let path: GuardedText = "\(address)/api/v1/\(times.endpoint)"
        let items = fields.enumerated().flatMap { index, field -> [GuardedText.Piece] in
            let item: GuardedText =
                "\(index == 0 ? "?" : "&")\(field.name.percentEncoded)=\(field.value.percentEncoded)"
            return item.pieces
        }
        let whole: GuardedText = "\(path)\(GuardedText(pieces: items))"
        guard whole.reveal().utf8.count > PrometheusServer.addressBytesMax else {
            return HTTPRequest(.get, whole, headers: headers, allowsPlainHTTP: allowsPlainHTTP)
        }
        return HTTPRequest(.post, path, headers: headers, body: .form(fields), allowsPlainHTTP: allowsPlainHTTP)
    }

    /// Where people see a query drawn; nil where there is no such page, where it would tell what is nobody's business, and
    /// where the address would be too long.
    func graph(of query: GuardedText) -> String? {
        guard let address = address.linkable, !query.hasSecret, !isWithoutPages else { return nil }
        let graph = "\(address)/graph?g0.expr=\(query.description.percentEncoded)&g0.tab=0&g0.range_input=1d"
        return graph.utf8.count > PrometheusServer.addressBytesMax ? nil : graph
    }

    /// Whether it answers queries and no more, as far as it can be told: services whose pages are elsewhere, and servers
    /// that want a tenant named, which no link can do.
    private var isWithoutPages: Bool {
        let services = ["grafana.net", "amazonaws.com", "googleapis.com", "azure.com", "embrace.io"]
        return headers.contains { $0.name.lowercased() == "x-scope-orgid" }
            || address.description.hasSuffix(PrometheusServer.mimirPath) && hasCredential
            || services.contains { host == $0 || host?.hasSuffix(".\($0)") ?? false }
    }

    /// Where Mimir and what is built on it answer queries, and have no pages: a Prometheus below such a path is nobody's who
    /// asks for a credential.
    private static let mimirPath = "/prometheus"

    private var hasCredential: Bool {
        headers.contains { $0.name.lowercased() == "authorization" || $0.value.hasSecret }
    }

    /// The host without port and without credentials; nil when the address has none or goes beyond a path.
    var host: String? { address.serverHost }

    /// Whose budget requests are counted on, as far as it can be told: by the secrets in the headers, or where there are none
    /// by those in the address and the parameters.
    var account: String? {
        let own = headers.flatMap(\.value.secrets)
        return Account.name(at: host, own.isEmpty ? ([address] + parameters.map(\.value)).flatMap(\.secrets) : own)
    }
}

/// The time or times at which a query is evaluated.
enum QueryTimes: Hashable, Sendable {
    case instant(Moment)
    /// From the first to the last, both included.
    case range(from: Moment, to: Moment, step: Duration)

    var isRange: Bool { if case .range = self { true } else { false } }

    fileprivate var endpoint: String {
        switch self {
        case .instant: "query"
        case .range: "query_range"
        }
    }

    fileprivate var fields: [HTTPRequest.FormField] {
        switch self {
        case .instant(let time): [.init("time", "\(time.unixText)")]
        case .range(let from, let to, let step):
            [
                .init("start", "\(from.unixText)"), .init("end", "\(to.unixText)"),
                .init("step", "\(Moment(milliseconds: step.wholeMilliseconds).unixText)"),
            ]
        }
    }
}

extension Moment {
    /// Unix seconds in decimals, which every relative understands.
    fileprivate var unixText: String {
        let rest = milliseconds - unixSeconds * 1000
        return rest == 0 ? String(unixSeconds) : "\(unixSeconds).\(rest.padded(3))"
    }
}
