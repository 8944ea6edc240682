import AlertModel
import Markup

/// What is sent back: a status, a kind of content and a body.
struct Response: Hashable, Sendable {
    let status: Status
    let contentType: String
    let body: [UInt8]
    var headers: [Header] = []
    /// What the forms of a page do.
    var forms = Forms.none
    /// Whether it goes on until the connection ends: what there is of it is the head.
    var isEndless = false

    enum Forms: Hashable, Sendable {
        case none
        /// They ask for a page of ours.
        case search
        /// They come back to us to change something.
        case action
    }

    struct Header: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The statuses in use.
    enum Status: Int {
        case ok = 200
        case badRequest = 400
        case unauthorized = 401
        case forbidden = 403
        case notFound = 404
        case methodNotAllowed = 405
        case conflict = 409
        case contentTooLarge = 413
        case unsupportedMediaType = 415
        case misdirectedRequest = 421
        case tooManyRequests = 429
        case headerFieldsTooLarge = 431
        case serviceUnavailable = 503
    }

    init(_ status: Status = .ok, _ contentType: String, _ text: String) {
        self.status = status
        self.contentType = contentType
        body = Array(text.utf8)
    }

    /// What a page hears that wants to know what is new, where as many do as may.
    static let crowdedStreams = sentence(.serviceUnavailable, "Too many pages are open; close some of them.")
        .with("Retry-After", "5")

    /// The same with another header.
    func with(_ name: String, _ value: String) -> Response {
        var response = self
        response.headers.append(Header(name: name, value: value))
        return response
    }

    static func json(_ value: JSON) -> Response { Response(.ok, "application/json", value.prettyText + "\n") }

    /// What a program reads that nothing was done, and why.
    static func refused(_ status: Status, _ sentence: String) -> Response {
        let body: JSON = ["done": false, "sentence": .string(sentence)]
        return Response(status, "application/json", body.prettyText + "\n")
    }

    /// A page that may send a form back to us.
    static func form(_ html: HTML) -> Response {
        var response = page(html)
        response.forms = .action
        return response
    }

    static func page(_ html: HTML) -> Response { Response(.ok, "text/html; charset=utf-8", html.text) }

    /// A page in which one can search.
    static func search(_ html: HTML) -> Response {
        var response = page(html)
        response.forms = .search
        return response
    }

    /// A sentence for people, on a line of its own.
    static func sentence(_ status: Status, _ sentence: String) -> Response {
        Response(status, plain, sentence + "\n")
    }

    /// What a sentence refuses, under a title; nil for all else.
    var refusal: (title: String, sentence: String)? {
        guard status.rawValue >= 400, contentType == Response.plain else { return nil }
        let title =
            switch status {
            case .notFound: "Not found"
            case .serviceUnavailable: "Not now"
            default: "Not done"
            }
        return (title, String(decoding: body, as: UTF8.self).trimmed)
    }

    /// The same refusal as a page, with a way home.
    static func notice(_ html: HTML, of refusal: Response) -> Response {
        var response = Response(refusal.status, "text/html; charset=utf-8", html.text)
        response.headers = refusal.headers
        return response
    }

    private static let plain = "text/plain; charset=utf-8"

    /// The head of a stream of events, which ends when the connection does.
    static let eventStream: Response = {
        // Proxies that gather an answer before they pass it on would hold events back; this is how nginx is told.
        var response = Response(.ok, "text/event-stream", "").with("X-Accel-Buffering", "no")
        response.isEndless = true
        return response
    }()

    /// What a client hears that cannot even be asked what it wants.
    static let full: [UInt8] = {
        let sentence = "Too many connections are open; try again soon.\n"
        let head = """
            HTTP/1.1 503 Service Unavailable\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(sentence.utf8.count)\r
            Connection: close\r
            \r

            """
        return Array((head + sentence).utf8)
    }()

    /// All headers but those that the server adds itself, such as the length.
    ///
    /// Texts of crashing programs are on the page, so a slip in escaping must still find nothing to run: scripts,
    /// styles and pictures come from files of ours only.
    var allHeaders: [Header] {
        [Header(name: "Content-Type", value: contentType)] + headers + [
            Header(
                name: "Content-Security-Policy",
                value: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "base-uri 'none'; form-action \(forms == .none ? "'none'" : "'self'"); frame-ancestors 'none'"
            ),
            Header(name: "X-Content-Type-Options", value: "nosniff"),
            // Without any referrer a browser would also hide from us that the form is our own.
            Header(name: "Referrer-Policy", value: forms == .action ? "same-origin" : "no-referrer"),
            Header(name: "Cross-Origin-Resource-Policy", value: "same-origin"),
            Header(name: "Cache-Control", value: "no-store"),
            // One request a connection: what a proxy and we could read differently is never the start of a second.
            Header(name: "Connection", value: "close"),
        ]
    }
}
