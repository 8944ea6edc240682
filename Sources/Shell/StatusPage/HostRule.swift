import AlertModel

/// Which `Host` a request may name.
///
/// A page anywhere on the web can have its own name resolve to 127.0.0.1 and then read us as if we were its own; but it
/// cannot hide that name. Where only this machine can connect, names that are not ours are therefore refused.
struct HostRule: Sendable {
    /// The names answered to, without ports; nil where any will do.
    let names: Set<String>?

    /// Anybody's name will do: on a unix socket, or where the whole network may connect and names are unknown.
    static let any = HostRule(names: nil)

    static func loopback(listenHost: String, publicHost: String?) -> HostRule {
        var names: Set = ["localhost", "127.0.0.1", "[::1]"]
        names.insert((listenHost.contains(":") ? "[\(listenHost)]" : listenHost).lowercased())
        if let publicHost { names.insert(publicHost.lowercased()) }
        return HostRule(names: names)
    }

    func refusal(of request: Request) -> Response? {
        guard let names else { return nil }
        let hosts = request.headers("host")
        guard hosts.count == 1 else {
            return .sentence(.badRequest, "The request names \(hosts.count) hosts in 'Host', expected one.")
        }
        guard !names.contains(HostRule.withoutPort(hosts[0].lowercased())) else { return nil }
        let host = hosts[0].tamed.clipped(to: 100)
        return .sentence(
            .misdirectedRequest,
            "'\(host)' is not a name of this bot; use http://localhost or, behind a proxy, 'bot.public_url'."
        )
    }

    private static func withoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy({ ("0"..."9").contains($0) })
        else { return host }
        return String(host[..<colon])
    }
}
