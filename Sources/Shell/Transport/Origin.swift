internal import AlertModel
internal import CCurl
internal import Glibc
internal import Synchronization

/// Where a URL leads: scheme, host and port, as libcurl itself reads them, so that what is checked is what is used.
///
/// An origin is no secret; the rest of an address may be one.
struct Origin: Hashable, Sendable {
    /// In lower case.
    let scheme: String
    /// In lower case; IPv4 in four decimal parts however it was written, IPv6 in brackets.
    let host: String
    /// Empty for a scheme without a known port.
    let port: String
    /// Whether the host is this machine by definition, without asking any resolver.
    let isLoopback: Bool

    /// Reads the origin of a URL. Errors quote nothing of it.
    init(of url: String) throws(TransportError) {
        guard !url.isEmpty else { throw Origin.badAddress("the address is empty") }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw Origin.badAddress("the address holds a space, a line break or a control character")
        }
        guard let parts = curl_url() else { throw Origin.badAddress("the address could not be read: no memory") }
        defer { curl_url_cleanup(parts) }
        let code = curl_url_set(parts, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME))
        guard code == CURLUE_OK else {
            throw Origin.badAddress("the address is not a URL (\(String(cString: curl_url_strerror(code))))")
        }
        func part(_ part: CURLUPart) -> String {
            var text: UnsafeMutablePointer<CChar>?
            guard curl_url_get(parts, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else { return "" }
            defer { curl_free(text) }
            return String(cString: text).lowercased()
        }
        scheme = part(CURLUPART_SCHEME)
        host = part(CURLUPART_HOST)
        port = part(CURLUPART_PORT)
        isLoopback = Origin.isLoopback(host)
    }

    private static func isLoopback(_ host: String) -> Bool {
        var four = in_addr()
        return host == "localhost" || host == "[::1]"
            || inet_pton(AF_INET, host, &four) == 1 && UInt32(bigEndian: four.s_addr) >> 24 == 127
    }

    private static func badAddress(_ what: String) -> TransportError {
        .unsent(.badAddress, "\(what); write it as https://host/path")
    }

    /// For messages: host and port, on one line and not endless.
    var hostAndPort: String {
        (port.isEmpty ? host : "\(host):\(port)").tamed.clipped(to: 100)
    }
}

/// The origins of the addresses asked for last: whoever sends very much sends it to few places.
final class RecentOrigins: Sendable {
    /// To look through these costs less than to read one address.
    private static let keptMax = 4
    private let kept = Mutex<[(url: String, origin: Origin)]>([])

    /// Reads the origin of an address, or remembers it.
    func origin(of url: String) throws(TransportError) -> Origin {
        if let known = kept.withLock({ kept in kept.first { $0.url == url }?.origin }) { return known }
        let origin = try Origin(of: url)
        kept.withLock { kept in
            if kept.count == RecentOrigins.keptMax { kept.removeFirst() }
            kept.append((url, origin))
        }
        return origin
    }
}
