internal import Text

// What nobody has configured, because it was made for one request out of what somebody has, and what is too short to be
// masked in every text: whoever is asked may send it back, and it is worth as much as what it was made of.

extension HTTPRequest {
    /// The secrets in its headers and its body, such as a signed assertion, and the logins in its address and its proxy's as
    /// they go over the wire.
    public var ownSecrets: [Secret] {
        var secrets = headers.flatMap(\.value.secretPieces) + [url.basicLogin].compactMap(\.self)
        switch body {
        case .form(let fields): secrets += fields.filter(\.value.hasSecret).map { Secret($0.value.reveal()) }
        case .text(let text, _): secrets += text.secretPieces
        case .json, .bytes, .parts, nil: break
        }
        if case .at(let proxy) = connection.proxy, let login = proxy.basicLogin { secrets.append(login) }
        return secrets
    }
}

extension Mail {
    /// What of its login goes over the wire: RFC 4616, and AUTH LOGIN.
    public var ownSecrets: [Secret] {
        guard let login = server.login else { return [] }
        let (user, password) = (login.user.reveal(), login.password.reveal())
        return (["\0\(user)\0\(password)", password] + (login.user.hasSecret ? [user] : []))
            .map { Secret(Base64.encode(Array($0.utf8))) }
    }
}

extension GuardedText {
    fileprivate var secretPieces: [Secret] {
        pieces.compactMap { if case .secret(let secret) = $0 { secret } else { nil } }
    }

    /// The login in front of the host of an address, as RFC 7617 has it in a header; nil where there is none.
    fileprivate var basicLogin: Secret? {
        let address = reveal()
        guard let scheme = address.firstRange(of: "://") else { return nil }
        let authority = address[scheme.upperBound...].prefix { !"/?#".contains($0) }
        guard let end = authority.lastIndex(of: "@") else { return nil }
        let parts = authority[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        // Either is sent as what its percent signs stand for, and a password that is not there as an empty one.
        let login = String(parts[0]).percentDecoded + [UInt8(ascii: ":")]
        return Secret(Base64.encode(login + (parts.count > 1 ? String(parts[1]).percentDecoded : [])))
    }
}
