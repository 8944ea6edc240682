/// Just enough of a URL for checks: an absolute `http` or `https` address and whose it is.
public struct WebAddress: Hashable, Sendable {
    public let scheme: String
    /// Lower case, without user and port; an IPv6 address keeps its brackets.
    public let host: String
    /// As it is written; nil for the one that the scheme has.
    public let port: UInt16?
    /// Whether there is a query or a fragment behind the path.
    public let hasQuery: Bool

    /// Reads an address; nil for anything else, also for one with white space or control characters in it.
    public init?(_ text: String) {
        guard let scheme = ["https", "http"].first(where: { text.lowercased().hasPrefix($0 + "://") }),
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
        else { return nil }
        let rest = text.dropFirst(scheme.count + 3)
        var authority = rest.prefix { !"/?#".contains($0) }
        hasQuery = rest.contains { "?#".contains($0) }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        let written: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[...end].lowercased()
            written = authority[authority.index(after: end)...]
        } else {
            host = authority.prefix { $0 != ":" }.lowercased()
            written = authority.dropFirst(host.count)
        }
        port = UInt16(written.dropFirst())
        guard !host.isEmpty, written.isEmpty || (written.hasPrefix(":") && port != nil),
            host.unicodeScalars.allSatisfy(WebAddress.isOfHosts)
        else { return nil }
        self.scheme = scheme
    }

    /// Letters of all languages may be part of a name; quotes, of which text programs make curly ones, and what turns the
    /// direction of reading are not.
    private static func isOfHosts(_ scalar: Unicode.Scalar) -> Bool {
        // Marks of Catalan, Japanese, Persian and Indic names, which IDNA 2008 allows (RFC 5892, appendix A).
        if [0xB7, 0x30FB, 0x200C, 0x200D].contains(scalar.value) { return true }
        if scalar.isASCII { return !"\"'<>\\^`|".unicodeScalars.contains(scalar) }
        let properties = scalar.properties
        return properties.isAlphabetic || properties.numericType != nil
            || properties.canonicalCombiningClass != .notReordered
    }

    /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return bytes.count == 4 && bytes.allSatisfy { $0 != nil } && bytes[0] == 127
    }
}
