internal import PluginKit

extension HTTPJSONSource {
    /// The request that the options describe.
    static func request(_ options: Options) throws(ProblemList) -> HTTPRequest {
        let url = try options[Self.url]
        var problems: [Problem] = []
        var headers: [HTTPRequest.Header] = []
        var contentType: String?
        for header in options[Self.headers] {
            let (name, value) = (header.name, header.value)
            if name.isEmpty || !name.utf8.allSatisfy(isTokenByte) {
                problems.append(Problem(header.position, "'\(name.tamed.clipped(to: 40))' is not a header name"))
            } else if value.reveal().utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
                problems.append(
                    Problem(header.position, "the header '\(name)' holds a line break or a control character"))
            } else if name.lowercased() == "content-type", options.has(Self.body) {
                // The body brings its own.
                contentType = value.description
            } else {
                headers.append(HTTPRequest.Header(name, value))
            }
        }
        let method = options[Self.method]
        if options.has(Self.body), method == .get {
            problems.append(
                Problem(options.position(of: Self.body), "a GET request has no 'body'", advice: "add method: POST"))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
        if !headers.contains(where: { $0.name.lowercased() == "accept" }) {
            headers.append(HTTPRequest.Header("Accept", "application/json"))
        }
        return HTTPRequest(
            method, url, headers: headers,
            body: options[Self.body].map { .text($0, contentType: contentType ?? "application/json") },
            allowsPlainHTTP: options[.insecure])
    }

    /// What a header's name may hold (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

}
