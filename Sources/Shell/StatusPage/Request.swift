internal import AlertModel

/// An HTTP request; only those that carry a command or a form keep their body.
struct Request: Hashable, Sendable {
    let method: String
    /// As it was sent, percent signs included: no route has any.
    let path: String
    var body: [UInt8] = []
    /// The most bytes that somebody would have read of a body that has more; nil where it has not. Who sends it may hear
    /// something else than that first, such as who they are not.
    var bytesTaken: Int?
    /// Whether it comes from this machine.
    var isLocal = true
    private let query: [Field]
    let fields: [Field]

    struct Field: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// Nil where what was sent leaves doubts about what it means or where it ends: proxies may read it otherwise.
    init?(method: String, target: String, fields: [Field]) {
        guard target.hasPrefix("/"), fields.allSatisfy({ !$0.name.isEmpty && !$0.name.contains(where: \.isWhitespace) })
        else { return nil }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        path = String(parts[0])
        query = Request.fields(parts.count == 2 ? parts[1] : "")
        self.fields = fields.map { Field(name: $0.name.lowercased(), value: Request.trimmed($0.value)) }

        let codings = headers("transfer-encoding")
        guard codings.count + headers("content-length").count <= 1, codings.allSatisfy({ $0.lowercased() == "chunked" })
        else { return nil }
    }

    /// The pairs of a query or a form; percent signs are left as they are.
    static func fields(_ text: some StringProtocol) -> [Field] {
        text.split(separator: "&").map { part in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Field(name: String(pair[0]), value: pair.count == 2 ? String(pair[1]) : "")
        }
    }

    /// Every value of the header field of that name, in lower case.
    func headers(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The names in the query; percent signs are left as they are.
    var parameters: [String] { query.map(\.name) }

    /// The first value of that name in the query; percent signs are left as they are.
    func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// What kind of content the body is said to be, in lower case and without parameters; empty where nothing is said.
    var mediaType: String { String((headers("content-type").first ?? "").prefix { $0 != ";" }.lowercased()) }

    /// How long the body says it will be; nil when it does not say, and 0 when there is none.
    var declaredBytes: Int? {
        if !headers("transfer-encoding").isEmpty { return nil }
        // The library has refused what is no number; one that is too large for us is too large.
        return headers("content-length").first.map { Int($0) ?? .max } ?? 0
    }

    /// Whether a person sees the answer: a browser asks for a page, and programs and probes do not.
    var isForReading: Bool {
        headers("accept").contains { $0.lowercased().contains("text/html") }
            && !["/healthz", "/readyz"].contains(path) && !path.hasPrefix("/api/")
    }

    /// What whoever sends too much hears; nil where it is not too much.
    var excess: String? { bytesTaken.map { "The body has more than \($0) bytes." } }

    private static func trimmed(_ value: String) -> String {
        guard let end = value.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(value[...end])
    }
}

extension String {
    /// A value of a form or a query as it was typed: a plus sign is a space, and what is percent-encoded is a byte.
    var formDecoded: String { replacing("+", with: " ").pathDecoded }

    /// A part of a path as it was meant.
    var pathDecoded: String { String(decoding: percentDecoded, as: UTF8.self) }
}
