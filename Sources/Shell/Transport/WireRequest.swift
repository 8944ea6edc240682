internal import AlertModel

/// A request with its secrets revealed, checked, and ready for the wire.
///
/// It never leaves this module, and nothing prints it. A class, for it passes through many hands and never changes.
final class WireRequest: Sendable {
    let method: HTTPRequest.Method
    let url: String
    let origin: Origin
    /// `Name: value`, as libcurl takes them.
    let headerLines: [String]
    let body: [UInt8]?
    let unixSocketPath: String?
    let connection: Connection

    init(
        _ request: HTTPRequest, userAgent: String, unixSocketPath: String?, _ origins: RecentOrigins = RecentOrigins()
    ) throws(TransportError) {
        method = request.method
        url = request.url.reveal()
        origin = try origins.origin(of: url)
        self.unixSocketPath = unixSocketPath
        connection = request.connection
        if let path = unixSocketPath {
            guard 1...ControlSocket.pathBytesMax ~= path.utf8.count, !path.utf8.contains(0) else {
                throw TransportError.unsent(
                    .badAddress,
                    "the path of the socket has \(path.utf8.count) bytes, or a zero byte among them; "
                        + "1 to \(ControlSocket.pathBytesMax) are possible: choose a shorter folder")
            }
        }
        try WireRequest.checkScheme(
            of: origin, isPlainFine: request.allowsPlainHTTP || unixSocketPath != nil || origin.isLoopback)

        let wireBody = request.wireBody()
        body = wireBody?.bytes
        // Nothing wins over a signature, and the request's own headers win over what is set without them.
        var headers = try request.signature?.headers(over: body ?? []) ?? []
        headers += request.headers.lazy
            .filter { [headers] header in !headers.contains { $0.name.isSameName(header.name) } }
            .map { ($0.name, $0.value.reveal()) }
        for (name, value) in [("User-Agent", userAgent), ("Content-Type", wireBody?.contentType)] {
            if let value, !headers.contains(where: { $0.name.isSameName(name) }) { headers.append((name, value)) }
        }
        var lines: [String] = []
        for (name, value) in headers { lines.append(try WireRequest.line(name, value)) }
        // Without this, libcurl sends "Expect: 100-continue" with large bodies and waits a second where it is ignored.
        lines.append("Expect:")
        headerLines = lines
    }

    /// - Parameter url: Of the same origin.
    private init(_ request: WireRequest, at url: String) {
        method = request.method
        self.url = url
        origin = request.origin
        headerLines = request.headerLines
        body = request.body
        unixSocketPath = request.unixSocketPath
        connection = request.connection
    }

    /// Whom the request goes to, for messages.
    var peer: String { unixSocketPath.map { "the socket \($0.tamed.clipped(to: 200))" } ?? origin.hostAndPort }

    /// Whether it goes no further than this machine.
    var isLocal: Bool { unixSocketPath != nil || origin.isLoopback }

    /// Whether a redirect may be followed at all: only where asking again changes nothing and repeats no body.
    var followsRedirects: Bool { method == .get && body == nil }

    /// The same request to another address of the same origin.
    func redirected(to target: String) throws(TransportError) -> WireRequest {
        func refusal(_ what: String) -> TransportError {
            TransportError(.redirect, mayHaveArrived: true, "\(peer) redirects to \(what)")
        }
        let targetOrigin: Origin
        do {
            targetOrigin = try Origin(of: target)
        } catch {
            throw refusal("something that is not an address; check the address asked for")
        }
        guard targetOrigin == origin else {
            let place = "\(targetOrigin.scheme)://\(targetOrigin.hostAndPort)".tamed.clipped(to: 240)
            throw refusal("\(place), and nothing was sent there; if that is right, use its address instead")
        }
        return WireRequest(self, at: target)
    }

    private static func checkScheme(of origin: Origin, isPlainFine: Bool) throws(TransportError) {
        switch origin.scheme {
        case "https": return
        case "http" where isPlainFine: return
        case "http":
            throw TransportError.unsent(
                .refusedScheme,
                "\(origin.hostAndPort) would be contacted without encryption; "
                    + "use https, or set `insecure: true` if it has none")
        case let scheme:
            throw TransportError.unsent(
                .refusedScheme,
                "'\(scheme.tamed.clipped(to: 40))' is not a supported scheme; write the address as https://host/path"
            )
        }
    }

    /// One header as libcurl takes it, or an error if it would break out of its line.
    private static func line(_ name: String, _ value: String) throws(TransportError) -> String {
        func refusal(_ what: String) -> TransportError {
            .unsent(.badAddress, "the header '\(name.tamed.clipped(to: 80))' \(what)")
        }
        guard name.isHeaderName else {
            throw refusal("has a name that no header may have; use letters, digits and hyphens")
        }
        guard value.isHeaderValue else {
            throw refusal("has a line break or a control character in its value; remove it")
        }
        guard !ownNames.contains(where: name.isSameName) else {
            throw refusal("is set by the transport itself; remove it")
        }
        let value = value.trimmed
        // The way to say "with an empty value"; a name and a colon alone would mean "without this header".
        return value.isEmpty ? name + ";" : name + ": " + value
    }

    /// What says where a request ends: a wrong one would let one request pass for two.
    private static let ownNames = ["Content-Length", "Transfer-Encoding"]
}

extension String {
    /// Names of headers are of ASCII, and their case counts for nothing.
    fileprivate func isSameName(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) { $0.inLowerCase == $1.inLowerCase }
    }
}

extension UInt8 {
    fileprivate var inLowerCase: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }
}
