import AlertModel

/// Who may change something over HTTP: somebody on this machine, whom a proxy with a login names, or who knows the
/// bot's token; and no page of another site, whoever looks at it.
struct Gatekeeper: Sendable {
    private let ring: KeyRing

    /// Longer than any name that people go by in a chat.
    static let nameMax = 80

    /// What somebody hears to whom nothing can open.
    static let closed =
        "Changes from another machine need 'bot.token' in the config, or a proxy that names the user ('bot.user_header')."

    init(_ ring: KeyRing) { self.ring = ring }

    /// What whoever is not on this machine has to know to change anything; nil where only a proxy can vouch for people.
    var password: Secret? { ring.keys.token }

    /// By which links of messages vouch for whoever has them.
    var seal: LinkSeal? { ring.keys.seal }

    /// Whom the proxy in front names; nil also where several are named: a proxy that adds its own leaves the one that whoever
    /// asks has sent, and nobody can tell which is which.
    func user(of request: Request) -> String? {
        let names = users(of: request)
        return names.count == 1 ? Gatekeeper.name(names[0]) : nil
    }

    private func users(of request: Request) -> [String] { ring.keys.userHeader.map { request.headers($0) } ?? [] }

    /// Where several users are named, it comes from somewhere else, whoever handed it on.
    func needsPassword(_ request: Request) -> Bool {
        (!request.isLocal || users(of: request).count > 1) && user(of: request) == nil
    }

    /// Whether it comes with the bot's token: in the header that programs use, or in the field of a form.
    func isRight(_ request: Request, key: String? = nil) -> Bool {
        guard let password else { return false }
        let bearer = request.headers("authorization").first?.bearerToken
        return [key, bearer].contains { $0.map { password.isSame(as: $0) } ?? false }
    }

    /// Whether the one origin that it names is ours: every browser of today names the origin of what is posted.
    func isOurs(_ request: Request) -> Bool {
        let origins = request.headers("origin")
        guard origins.count == 1, let host = WebAddress(origins[0])?.host,
            HostRule.ofThisMachine.contains(host) || host == ring.keys.publicHost
        else { return false }
        return request.headers("sec-fetch-site").allSatisfy { $0 == "same-origin" }
    }

    /// Whether the origin is the very address that it was sent to. Another site can have its own name lead here, and is then the
    /// same origin, too: so this is enough only for whoever has to know the bot's token besides, which that site does not.
    func isSameAddress(_ request: Request) -> Bool {
        let (origins, hosts) = (request.headers("origin"), request.headers("host").map { $0.lowercased() })
        guard origins.count == 1, hosts.count == 1, needsPassword(request) else { return false }
        return ["http://\(hosts[0])", "https://\(hosts[0])"].contains(origins[0].lowercased())
            && request.headers("sec-fetch-site").allSatisfy { $0 == "same-origin" }
    }

    /// Whether a browser sent it for a page that is not ours; programs name no origin.
    func isForeign(_ request: Request) -> Bool {
        let isBrowser = !request.headers("origin").isEmpty || !request.headers("sec-fetch-site").isEmpty
        return isBrowser && !isOurs(request)
    }

    /// A name as somebody wrote it; nil for none.
    static func name(_ written: String?) -> String? {
        guard let name = written?.tamed.trimmed.clipped(to: nameMax), !name.isEmpty else { return nil }
        return name
    }
}
