import AlertModel
import Markup

/// What is sent back: a status, a kind of content and a body.
struct Response: Hashable, Sendable {
    let status: Status
    let contentType: String
    let body: [UInt8]
    var headers: [Header] = []
    /// Whether it is a page with a form that comes back to us.
    var hasForm = false

    struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The statuses in use, each with its name in RFC 9110 or RFC 6585.
    enum Status: Int {
        case ok = 200
        case badRequest = 400
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case contentTooLarge = 413
        case misdirectedRequest = 421
        case headerFieldsTooLarge = 431
        case serviceUnavailable = 503

        var phrase: String {
            switch self {
            case .ok: "OK"
            case .badRequest: "Bad Request"
            case .forbidden: "Forbidden"
            case .notFound: "Not Found"
            case .methodNotAllowed: "Method Not Allowed"
            case .contentTooLarge: "Content Too Large"
            case .misdirectedRequest: "Misdirected Request"
            case .headerFieldsTooLarge: "Request Header Fields Too Large"
            case .serviceUnavailable: "Service Unavailable"
            }
        }
    }

    init(_ status: Status = .ok, _ contentType: String, _ text: String) {
        self.status = status
        self.contentType = contentType
        body = Array(text.utf8)
    }

    static func json(_ value: JSON) -> Response { Response(.ok, "application/json", value.prettyText + "\n") }
    /// A page that may send a form back to us.
    static func form(_ html: HTML) -> Response {
        var response = page(html)
        response.hasForm = true
        return response
    }

    static func page(_ html: HTML) -> Response { Response(.ok, "text/html; charset=utf-8", html.text) }

    /// A sentence for people, on a line of its own.
    static func sentence(_ status: Status, _ sentence: String) -> Response {
        Response(status, "text/plain; charset=utf-8", sentence + "\n")
    }

    /// The response as it goes over the wire; `HEAD` gets everything but the body.
    func bytes(withBody: Bool = true) -> [UInt8] {
        let head = Response.head(
            status,
            contentType,
            headers + [Header(name: "Content-Length", value: String(body.count))],
            hasForm: hasForm
        )
        return Array(head.utf8) + (withBody ? body : [])
    }

    static let eventStreamType = "text/event-stream"

    /// The head of a stream of events, which ends when the connection does.
    static let eventStreamHead = head(
        .ok,
        eventStreamType,
        // Proxies that gather an answer before they pass it on would hold events back; this is how nginx is told.
        [Header(name: "X-Accel-Buffering", value: "no")]
    )

    private static func head(
        _ status: Status, _ contentType: String, _ headers: [Header], hasForm: Bool = false
    ) -> String {
        var text = "HTTP/1.1 \(status.rawValue) \(status.phrase)\r\nContent-Type: \(contentType)\r\n"
        for header in headers + everywhere(hasForm: hasForm) { text += "\(header.name): \(header.value)\r\n" }
        return text + "\r\n"
    }

    /// Said with every response. Texts of crashing programs are on the page, so a slip in escaping must still find
    /// nothing to run: scripts, styles and pictures come from files of ours only.
    private static func everywhere(hasForm: Bool) -> [Header] {
        [
            Header(
                name: "Content-Security-Policy",
                value: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action \(hasForm ? "'self'" : "'none'"); frame-ancestors 'none'"
            ),
            Header(name: "X-Content-Type-Options", value: "nosniff"),
            // Without any referrer a browser would also hide from us that the form is our own.
            Header(name: "Referrer-Policy", value: hasForm ? "same-origin" : "no-referrer"),
            Header(name: "Cross-Origin-Resource-Policy", value: "same-origin"),
            Header(name: "Cache-Control", value: "no-store"),
            Header(name: "Connection", value: "close"),
        ]
    }
}
