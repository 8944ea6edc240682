import AlertModel

/// Which `Host` a request may name.
///
/// A page anywhere on the web can have its own name resolve to 127.0.0.1 and then read us as if we were its own; but it
/// cannot hide that name. Where only this machine can connect, names that are not ours are therefore refused.
struct HostRule: Sendable {
    /// This machine's own names answered to, without ports; nil where any name will do.
    private let names: Set<String>?
    /// With the name of the public URL.
    private let ring: KeyRing

    /// Anybody's name will do: on a unix socket, or where the whole network may connect and names are unknown.
    static let any = HostRule(names: nil, ring: KeyRing())

    static func loopback(listenHost: String, _ ring: KeyRing) -> HostRule {
        var names = HostRule.ofThisMachine
        names.insert((listenHost.contains(":") ? "[\(listenHost)]" : listenHost).lowercased())
        return HostRule(names: names, ring: ring)
    }

    /// What every machine calls itself.
    static let ofThisMachine: Set = ["localhost", "127.0.0.1", "[::1]"]

    func refusal(of request: Request) -> Response? {
        guard let names else { return nil }
        let hosts = request.headers("host")
        guard hosts.count == 1 else {
            return .sentence(.badRequest, "The request names \(hosts.count) hosts in 'Host', expected one.")
        }
        let name = HostRule.withoutPort(hosts[0].lowercased())
        guard !names.contains(name), name != ring.keys.publicHost else { return nil }
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
