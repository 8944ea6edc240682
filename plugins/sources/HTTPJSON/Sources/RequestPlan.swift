internal import PluginKit

/// The request that the options describe, with what is filled in each time.
struct RequestPlan: Sendable {
    private let method: HTTPRequest.Method
    let url: GuardedText
    private let headers: [HTTPRequest.Header]
    private let body: GuardedText?
    private let bodyType: String
    private let allowsPlainHTTP: Bool
    /// What stands in any of it.
    let placeholders: Set<Placeholder>

    /// Reads the options; every mistake is reported.
    init(_ options: Options) throws(ProblemList) {
        typealias Source = HTTPJSONSource
        url = try options[Source.url]
        var problems = options.flaws(inHeaders: Source.headers)
        var headers: [HTTPRequest.Header] = []
        var contentType: String?
        for header in options[Source.headers] {
            if header.name.lowercased() == "content-type", options.has(Source.body) {
                // The body brings its own.
                contentType = header.value.description
            } else {
                headers.append(HTTPRequest.Header(header.name, header.value))
            }
        }
        method = options[Source.method]
        body = options[Source.body]
        if body != nil, method == .get {
            problems.append(
                Problem(options.position(of: Source.body), "a GET request has no 'body'", advice: "add method: POST"))
        }
        var found: Set<Placeholder> = []
        func look(_ text: GuardedText, _ position: Position) {
            for piece in text.pieces {
                guard case .plain(let plain) = piece else { continue }
                let words = Placeholder.all(in: plain)
                found.formUnion(words.found)
                problems += words.flaws.map { Problem(position, $0.message.trimmed, suggestion: $0.suggestion) }
            }
        }
        look(url, options.position(of: Source.url))
        for header in options[Source.headers] { look(header.value, header.position) }
        if let body { look(body, options.position(of: Source.body)) }
        guard problems.isEmpty else { throw ProblemList(problems) }
        if !headers.contains(where: { $0.name.lowercased() == "accept" }) {
            headers.append(HTTPRequest.Header("Accept", "application/json"))
        }
        self.headers = headers
        bodyType = contentType ?? "application/json"
        allowsPlainHTTP = options[.insecure]
        placeholders = found
    }

    var isGet: Bool { method == .get }
    var host: String? { WebAddress(url.reveal())?.host }
    /// Whose budget requests are counted on, as far as it can be told: by the secrets in the headers, or where there are none
    /// by those in the address and the body. Beside a token a secret in the address is a place, and no account.
    var account: String? {
        let own = headers.flatMap(\.value.secrets)
        return Account.name(at: host, own.isEmpty ? ([url] + [body].compactMap(\.self)).flatMap(\.secrets) : own)
    }

    /// Whether a span is asked for, and not whatever the service likes to tell.
    var asksSpan: Bool { placeholders.contains { $0.name.isMoment } }

    /// Spans begin and end at whole multiples of this, so that what is asked for is what is observed.
    var step: Duration {
        let formats = placeholders.filter { $0.name.isMoment }.map(\.format)
        return formats.contains { $0 == .date || $0 == .lastDate } ? .days(1) : .seconds(1)
    }

    /// - Parameters:
    ///   - address: where to, if not to the address of the options.
    ///   - parameter: what is added to the query of the address.
    func request(
        _ filling: Filling, at address: GuardedText? = nil, adding parameter: (name: String, value: String)? = nil
    ) -> HTTPRequest {
        var target = address ?? filling.fill(url, \.percentEncoded)
        if let parameter {
            let mark = WebAddress(target.reveal())?.hasQuery == true ? "&" : "?"
            target = "\(target)\(mark)\(parameter.name.percentEncoded)=\(parameter.value.percentEncoded)"
        }
        let isJSON = bodyType.lowercased().contains("json")
        let isForm = bodyType.lowercased().contains("x-www-form-urlencoded")
        return HTTPRequest(
            method, target,
            headers: headers.map { HTTPRequest.Header($0.name, filling.fill($0.value, \.tamed)) },
            body: body.map { body in
                let text = filling.fill(body) { value in
                    // Inside the quotation marks of a text: as JSON writes it, without its own.
                    isJSON
                        ? String(JSON.string(value).text.dropFirst().dropLast()) : isForm ? value.percentEncoded : value
                }
                return .text(text, contentType: bodyType)
            },
            allowsPlainHTTP: allowsPlainHTTP)
    }
}
