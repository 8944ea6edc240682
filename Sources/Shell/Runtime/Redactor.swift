public import PluginKit

/// Masks secrets in words that came from outside: a service may send back what it was sent.
public struct Redactor: Sendable {
    private var values: [String]
    private var masks: [SecretMask]

    public init(_ secrets: [Secret]) {
        self.init(values: secrets.flatMap { [$0.reveal()] + Redactor.telling(in: $0.reveal()) })
    }

    private init(values: [String]) {
        self.values = Set(values).sorted { ($0.count, $0) > ($1.count, $1) }
        masks = self.values.map { SecretMask(Secret($0)) }
    }

    /// What of a secret address tells enough to use it, for a service says which path it does not know: the path with
    /// what is behind it, the path alone, its last part, and the values that are asked with.
    private static func telling(in address: String) -> [String] {
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://"),
            let start = address[colon...].dropFirst(3).firstIndex(of: "/")
        else { return [] }
        let target = address[start...].prefix { $0 != "#" }
        let path = target.prefix { $0 != "?" }
        let values = target.dropFirst(path.count + 1).split(separator: "&")
            .compactMap { $0.split(separator: "=", maxSplits: 1).dropFirst().first }
        let tokens = path.split(separator: "/").suffix(1) + values
        return [target, path].filter { $0.count >= pathCharactersMin }.map(String.init)
            + tokens.filter { $0.count >= valueCharactersMin }.map(String.init)
    }

    /// Shorter paths are no secrets, and words of many sentences.
    private static let pathCharactersMin = 12
    /// Shorter values and names are words rather than tokens.
    private static let valueCharactersMin = 16

    /// Masks one more.
    func masking(_ secret: Secret) -> Redactor {
        let value = secret.reveal()
        guard !values.contains(value) else { return self }
        // The longest first, as above; the others need not be made again.
        let place = values.firstIndex { ($0.count, $0) < (value.count, value) } ?? values.count
        var redactor = self
        redactor.values.insert(value, at: place)
        redactor.masks.insert(SecretMask(secret), at: place)
        return redactor
    }

    /// Masks some more.
    func masking(_ secrets: [Secret]) -> Redactor { secrets.reduce(self) { $0.masking($1) } }

    /// Masks the credentials in a request's headers and its address that are tokens rather than words: for names, which rules
    /// match.
    func masking(credentialsOf request: HTTPRequest) -> Redactor {
        let pieces = request.headers.filter(\.name.surelyNamesCredential).flatMap(\.value.pieces)
        let secrets = pieces.compactMap { if case .secret(let secret) = $0 { secret } else { nil } }
        return masking((secrets + Redactor.credentials(in: request.url)).filter { $0.reveal().isTokenlike })
    }

    /// The secrets of an address, but for those that it asks with under a name which is none of a credential: such a one may
    /// name the app itself.
    private static func credentials(in address: GuardedText) -> [Secret] {
        var found: [Secret] = []
        var before = ""
        for piece in address.pieces {
            switch piece {
            case .plain(let text): before += text
            case .secret(let secret):
                let value = secret.reveal()
                if parameter(endingIn: before)?.isCredentialOfAddress ?? true { found.append(secret) }
                if before.isEmpty { found += credentials(inWhole: value) }
                before += value
            }
        }
        return found
    }

    /// The same of an address that is one secret: what a service repeats of it begins behind its host.
    private static func credentials(inWhole address: String) -> [Secret] {
        let query = address.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let values = query.split(separator: "&").compactMap { pair -> String? in
            let parts = pair.split(separator: "=", maxSplits: 1)
            return parts.count == 2 && String(parts[0]).isCredentialOfAddress ? String(parts[1]) : nil
        }
        // The last part of a path alone is as often a name.
        return (telling(in: address).filter { $0.hasPrefix("/") } + values).map { Secret($0) }
    }

    /// The name of the parameter whose value begins where an address has been read up to; nil outside a query, or within a value.
    private static func parameter(endingIn address: String) -> String? {
        guard let mark = address.firstIndex(of: "?") else { return nil }
        let last = address[mark...].dropFirst().split(separator: "&", omittingEmptySubsequences: false).last ?? ""
        return last.hasSuffix("=") ? String(last.dropLast()) : nil
    }

    public func redact(_ text: String) -> String { masks.reduce(text) { $1.masked(in: $0) } }

    /// The same observation without secrets that have come back.
    ///
    /// - Parameter credentials: what of them is masked in names, too.
    func redacted(_ observation: Observation, namesBy credentials: Redactor) -> Observation {
        credentials.redactNames(in: redactIssues(in: observation))
    }

    /// The same observation with secrets masked in the titles of its issues, which come from crashing programs, and without links
    /// that hold any, as of a service that repeats its own query. Names stay, for rules match them, and so do words that are too
    /// short to be tokens, such as the name of an organization.
    private func redactIssues(in observation: Observation) -> Observation {
        guard !observation.issues.isEmpty else { return observation }
        let masks = masks.prefix(values.prefix { $0.count >= Redactor.valueCharactersMin }.count)
        var observation = observation
        for (place, issue) in observation.issues.enumerated() {
            let title = masks.reduce(issue.title) { $1.masked(in: $0) }
            if title != issue.title { observation.issues[place].title = title }
            if let url = issue.url, masks.reduce(url, { $1.masked(in: $0) }) != url {
                observation.issues[place].url = nil
            }
        }
        return observation
    }

    /// The same observation with secrets masked in its names: a source that repeats what it was sent would have the credential for
    /// an app's name, in every message and on every page.
    private func redactNames(in observation: Observation) -> Observation {
        guard !masks.isEmpty else { return observation }
        var observation = observation
        let subject = observation.subject
        let names = (redact(subject.app), subject.release.map(redact), subject.environment.map(redact))
        if names != (subject.app, subject.release, subject.environment) {
            observation.subject = Subject(source: subject.source, app: names.0, release: names.1, environment: names.2)
        }
        for (name, value) in observation.labels where redact(value) != value {
            observation.labels[name] = redact(value)
        }
        observation.issues = observation.issues.map { issue in
            var issue = issue
            (issue.id, issue.release, issue.status) = (
                redact(issue.id), issue.release.map(redact), issue.status.map(redact)
            )
            return issue
        }
        return observation
    }
}

extension String {
    /// Whether the parameter of that name in an address is a credential, where its value is a secret: a mere `key` is one then.
    fileprivate var isCredentialOfAddress: Bool {
        surelyNamesCredential || namesCredentialOfQuery || lowercased() == "key"
    }
}
