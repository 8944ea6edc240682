internal import Text

/// One HTTP request as a plugin describes it; the transport performs it, a preview prints it.
public struct HTTPRequest: Hashable, Sendable {
    /// What is to be done with what is at the address.
    public enum Method: String, Hashable, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
    }

    /// What is sent along, with its content type.
    public enum Body: Hashable, Sendable {
        case json(JSON)
        /// Bytes as they are, with their content type.
        case text(GuardedText, contentType: String)
        /// `application/x-www-form-urlencoded`.
        case form([FormField])
        /// Bytes that are no text, with their content type.
        case bytes([UInt8], contentType: String)
        /// `multipart/form-data`.
        case parts([FormPart])

        /// JSON of which one member, the first, is a secret: for services that want their key in the body.
        public static func json(_ object: JSONObject, behind name: String, _ secret: GuardedText) -> Body {
            // As text in JSON, but for the quotation marks, which would make a piece more.
            let value = secret.mapped { String(JSON.string($0).text.dropFirst().dropLast()) }
            let rest = JSON.object(object).text.dropFirst()
            return .text(
                "{\(JSON.string(name).text):\"\(value)\"\(object.members.isEmpty ? "" : ",")\(String(rest))",
                contentType: jsonType)
        }

        /// JSON that is text already.
        public static func json(written text: [UInt8]) -> Body { .bytes(text, contentType: jsonType) }

        /// The body as people may see it: every secret masked, and JSON as JSON.
        public var shown: JSON {
            switch self {
            case .json(let json): json
            case .text(let text, Body.jsonType):
                (try? JSON(parsing: Array(text.description.utf8))) ?? .string(text.description)
            case .text(let text, _): .string(text.description)
            case .bytes(let text, Body.jsonType):
                (try? JSON(parsing: text)) ?? .string(String(decoding: text, as: UTF8.self))
            case .form(let fields): .object(JSONObject(fields.map { ($0.name, .string($0.value.description)) }))
            case .bytes(let bytes, let contentType): .string("\(bytes.count) bytes of \(contentType)")
            case .parts(let parts): .object(JSONObject(parts.map { ($0.name, $0.shown) }))
            }
        }

        fileprivate static let jsonType = "application/json; charset=utf-8"
    }

    /// A name and its value in a form.
    public struct FormField: Hashable, Sendable {
        public let name: String
        public let value: GuardedText
        public init(_ name: String, _ value: GuardedText) {
            self.name = name
            self.value = value
        }
    }

    /// A part of a form that may hold files. Whoever makes one gives names of ASCII without quotation marks.
    public struct FormPart: Hashable, Sendable {
        /// What stands in a part.
        public enum Content: Hashable, Sendable {
            case text(String)
            case json(JSON)
            case file([UInt8], name: String, contentType: String)
        }

        public let name: String
        public let content: Content
        public init(_ name: String, _ content: Content) {
            self.name = name
            self.content = content
        }

        fileprivate var shown: JSON {
            switch content {
            case .text(let text): .string(text)
            case .json(let json): json
            case .file(let bytes, _, let contentType): .string("\(bytes.count) bytes of \(contentType)")
            }
        }
    }

    /// A line of the head.
    public struct Header: Hashable, Sendable {
        public let name: String
        public let value: GuardedText
        public init(_ name: String, _ value: GuardedText) {
            self.name = name
            self.value = value
        }
    }

    /// A signature that the transport computes over the exact bytes it sends.
    public enum Signature: Hashable, Sendable {
        /// Standard Webhooks 1.0: HMAC-SHA256 over `id.timestamp.body`; the key is base64 after `whsec_`.
        case standardWebhooks(id: String, timestamp: Moment, secret: GuardedText)
    }

    public var method: Method
    public var url: GuardedText
    public var headers: [Header]
    public var body: Body?
    public var signature: Signature?
    /// Whether `ETag` and `Last-Modified` of the answer before should be sent along; a 304 then says "unchanged".
    public var isConditional: Bool
    /// Whether those of this answer should be kept for a later request, even if this one is not conditional itself.
    public var keepsValidators: Bool
    /// Whether plain `http` to a host that is not loopback is wanted.
    public var allowsPlainHTTP: Bool
    /// How the service is reached, besides its address: whoever performs the request says so.
    public var connection: Connection

    public init(
        _ method: Method, _ url: GuardedText, headers: [Header] = [], body: Body? = nil, signature: Signature? = nil,
        isConditional: Bool = false, allowsPlainHTTP: Bool = false
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.signature = signature
        self.isConditional = isConditional
        keepsValidators = isConditional
        self.allowsPlainHTTP = allowsPlainHTTP
        connection = .usual
    }

    /// The body's bytes as they go over the wire, with their content type; nil when there is none.
    public func wireBody() -> (bytes: [UInt8], contentType: String)? {
        switch body {
        case nil: nil
        case .json(let json): (json.bytes, Body.jsonType)
        case .text(let text, let contentType): (Array(text.reveal().utf8), contentType)
        case .form(let fields):
            (
                Array(
                    fields.map { "\($0.name.percentEncoded)=\($0.value.reveal().percentEncoded)" }.joined(
                        separator: "&"
                    ).utf8), "application/x-www-form-urlencoded"
            )
        case .bytes(let bytes, let contentType): (bytes, contentType)
        case .parts(let parts): HTTPRequest.form(of: parts)
        }
    }

    /// RFC 7578. The same parts give the same bytes.
    private static func form(of parts: [FormPart]) -> (bytes: [UInt8], contentType: String) {
        let pieces = parts.map { part -> (head: String, bytes: [UInt8]) in
            let head = "Content-Disposition: form-data; name=\"\(part.name)\""
            return switch part.content {
            case .text(let text): (head, Array(text.utf8))
            case .json(let json): ("\(head)\r\nContent-Type: application/json", json.bytes)
            case .file(let bytes, let name, let type): ("\(head); filename=\"\(name)\"\r\nContent-Type: \(type)", bytes)
            }
        }
        // What is in the parts decides on what ends them, so nobody who writes a part can write its end.
        var hash = StableHash()
        for piece in pieces { hash.add(String(decoding: piece.bytes, as: UTF8.self)) }
        let boundary = "alertbot-\(hash.text)"
        var bytes: [UInt8] = []
        for piece in pieces {
            bytes += Array("--\(boundary)\r\n\(piece.head)\r\n\r\n".utf8) + piece.bytes + [0x0D, 0x0A]
        }
        return (bytes + Array("--\(boundary)--\r\n".utf8), "multipart/form-data; boundary=\(boundary)")
    }
}

/// The answer to a request, whatever its status.
public struct HTTPResponse: Hashable, Sendable {
    public let status: Int
    public let body: [UInt8]
    private let head: Head

    private enum Head: Sendable {
        case fields([(name: String, value: String)])
        /// As they came: of most answers nobody wants to know them.
        case lines([UInt8])
    }

    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.body = body
        head = .fields(headers)
    }

    /// - Parameter head: The header lines as they came, each with its end.
    public init(status: Int, head: [UInt8], body: [UInt8]) {
        self.status = status
        self.body = body
        self.head = .lines(head)
    }

    /// In the order they came; names as they came.
    public var headers: [(name: String, value: String)] {
        switch head {
        case .fields(let fields): fields
        case .lines(let lines): HTTPResponse.fields(of: lines)
        }
    }

    /// RFC 9112, section 5: a name, a colon, and a value that lines with space at their begin go on with.
    private static func fields(of lines: [UInt8]) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let text = String(decoding: line, as: UTF8.self)
            if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
                guard let last = fields.popLast() else { continue }
                fields.append((last.name, "\(last.value) \(text.trimmed)".trimmed))
            } else if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
                let value = text.utf8.index(after: colon)
                fields.append((String(text[..<colon]).trimmed, String(text[value...]).trimmed))
            }
        }
        return fields
    }

    public static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
        left.status == right.status && left.body == right.body
            && left.headers.elementsEqual(right.headers) { $0 == $1 }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(body)
    }

    /// The first header of that name, whatever its case, without surrounding space.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value.trimmed
    }

    public var isSuccess: Bool { (200...299).contains(status) }

    /// The body as text for people: invalid bytes replaced, control characters tamed, at most `length` characters.
    public func excerpt(_ length: Int = 200) -> String {
        String(decoding: body, as: UTF8.self).roughlyCut(to: 16 * length).tamed.trimmed.clipped(to: length)
    }
}

/// Why a request got no usable answer.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The closed set of causes, for logic and metrics.
    public enum Cause: String, Hashable, Sendable {
        case badAddress = "bad_address"
        case refusedScheme = "refused_scheme"
        case resolve
        case connect
        case tls
        case timeout
        case redirect
        case tooLarge = "too_large"
        case interrupted
        case cancelled
        case other
    }

    public let cause: Cause
    /// Whether the other side may have seen the whole request: then nobody knows whether it acted on it.
    public let mayHaveArrived: Bool
    /// A sentence for people, without secrets.
    public let description: String

    public init(_ cause: Cause, mayHaveArrived: Bool, _ description: String) {
        self.cause = cause
        self.mayHaveArrived = mayHaveArrived
        self.description = description
    }
}

extension String {
    /// The text without white space at its ends.
    public var trimmed: String {
        // Nearly every text begins and ends with a letter or a mark of ASCII, of which none is a space.
        if let first = utf8.first, let last = utf8.last, 0x21...0x7E ~= first, 0x21...0x7E ~= last { return self }
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}

extension String {
    /// The token of a header `Authorization: Bearer TOKEN`, which is given without its name; nil for any other.
    public var bearerToken: String? {
        let scheme = prefix { $0 != " " }
        let token = String(self[scheme.endIndex...]).trimmed
        return scheme.lowercased() == "bearer" && !token.isEmpty ? token : nil
    }
}
