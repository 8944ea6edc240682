/// Names for accounts.
public enum Account {
    /// The account behind a credential, for `Source.account`: the same for the same host and credential. Nil without a
    /// host or a credential.
    ///
    /// It is there to be compared and is shown to nobody, though it does not say what the credential is.
    public static func name(at host: String?, _ credentials: [GuardedText]) -> String? {
        guard let host, credentials.contains(where: { !$0.reveal().isEmpty }) else { return nil }
        var hash = StableHash()
        for credential in credentials { hash.add(credential.reveal()) }
        return "\(host) \(hash.text)"
    }
}

extension GuardedText {
    /// The host of a server's address, without port and without credentials; nil when the address has none or goes beyond a
    /// path.
    public var serverHost: String? { WebAddress(reveal()).flatMap { $0.hasQuery ? nil : $0.host } }

    /// Its secret pieces, each by itself: for `Account.name`, where the credential is not an option of its own but may stand
    /// anywhere in a request.
    public var secrets: [GuardedText] {
        pieces.compactMap { if case .secret(let secret) = $0 { GuardedText(secret) } else { nil } }
    }
}
