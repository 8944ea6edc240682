internal import PluginKit

/// Where the mail server is, as one writes it.
struct EmailPlace: Hashable, Sendable {
    let host: String
    let port: Int
    let security: MailServer.Security

    struct Mistake: Error {
        let complaint: String
        var advice: String?
    }

    var isLoopback: Bool { WebAddress("https://\(host)")?.isLoopback ?? false }

    private static let advice = "write smtp.example.com, smtp.example.com:587 or smtps://smtp.example.com"

    /// Reads `smtp.example.com`, with a port, and with `smtp://` or `smtps://` in front.
    ///
    /// - Parameter security: what the config says of it; else the scheme and the port do.
    static func read(_ written: String, _ security: MailServer.Security?) -> Result<EmailPlace, Mistake> {
        let shown = written.tamed.clipped(to: 80)
        func wrong(_ complaint: String) -> Result<EmailPlace, Mistake> {
            .failure(Mistake(complaint: complaint, advice: advice))
        }
        var rest = written.trimmed
        var scheme: String?
        if let mark = rest.firstRange(of: "://") {
            scheme = rest[..<mark.lowerBound].lowercased()
            rest = String(rest[mark.upperBound...])
        }
        while rest.hasSuffix("/") { rest.removeLast() }
        guard [nil, "smtp", "smtps"].contains(scheme) else {
            return wrong("'server' is '\(shown)', expected a mail server: its scheme is smtp or smtps")
        }
        // The grammar of hosts and ports is that of web addresses, with IPv6 addresses in brackets.
        guard !rest.isEmpty, rest.utf8.allSatisfy({ $0.isASCIILetterOrDigit || "-._:[]".utf8.contains($0) }),
            let address = WebAddress("https://\(rest)")
        else {
            return wrong("'server' is '\(shown)', expected the name of a mail server, and perhaps its port")
        }
        let port = rest.dropFirst(address.host.count).dropFirst()
        if scheme == "smtps", let security, security != .tls {
            return wrong("'server' says smtps, which is tls, and 'security' says \(security.rawValue)")
        }
        let meant =
            security ?? (scheme == "smtps" || Int(port) == MailServer.Security.tls.port ? .tls : .starttls)
        guard let number = port.isEmpty ? meant.port : Int(port), number > 0 else {
            return wrong("'server' is '\(shown)', expected a port from 1 to 65535")
        }
        return .success(EmailPlace(host: address.host, port: number, security: meant))
    }
}
