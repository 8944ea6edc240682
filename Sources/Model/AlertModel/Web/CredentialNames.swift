// What a credential is called, wherever names stand beside values. The places differ in what a mistake costs: of a header,
// a part of the name is enough, for to mask one value too many does no harm; a query and an answer have plain values under
// names that only look alike, such as `next_page_token`, so there it is the whole name.

extension String {
    /// Whether a header of that name carries a credential, or a key of the config. Any `key` is taken for one.
    package var namesCredential: Bool {
        surelyNamesCredential || lowercased().contains("key") || words.contains(where: CredentialNames.words.contains)
    }

    /// The same where what the header carries is masked in names, too, which rules match: an `X-App-Key` may name the app
    /// itself, and so may an `X-Auth-Tenant`.
    package var surelyNamesCredential: Bool {
        let name = lowercased()
        return ["authorization", "cookie", "token", "secret", "password", "passwd"].contains { name.contains($0) }
            || withoutJoints.contains("apikey") || words.last.map(CredentialNames.words.contains) == true
    }

    private var words: [Substring] { lowercased().split { !$0.isLetter } }

    /// Whether the value of that name in a query is a credential. A mere `key` is mostly something else.
    package var namesCredentialOfQuery: Bool { CredentialNames.ofQueries.contains(withoutJoints) }

    /// Whether the member of that name in an answer is a credential: tokens, keys of projects, addresses that are keys. A mere
    /// `token` is as often that of the next page.
    package var namesCredentialOfAnswer: Bool { CredentialNames.ofAnswers.contains(lowercased()) }

    /// `API-Key`, `api_key` and `apikey` are one.
    private var withoutJoints: String { lowercased().filter { $0 != "-" && $0 != "_" } }
}

private enum CredentialNames {
    /// Within other words they are letters, as of `author`.
    static let words: Set<Substring> = ["auth", "bearer", "pwd"]
    static let ofQueries: Set = [
        "token", "accesstoken", "authtoken", "apitoken", "apikey", "secret", "clientsecret", "password", "passwd",
        "pwd", "sig", "signature",
    ]
    static let ofAnswers: Set = [
        "access_token", "refresh_token", "id_token", "api_key", "apikey", "secret", "client_secret", "password",
        "private_key", "authorization", "dsn",
    ]
}
