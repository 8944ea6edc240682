internal import PluginKit

/// Finds `${env:NAME}`, `${file:PATH}` and `${credential:NAME}` in a text and puts secrets in their place.
struct SecretReading {
    let surroundings: ConfigSurroundings
    /// The config file's folder.
    let folder: String

    struct Failure: Error {
        let sentence: String
        var suggestion: String?
        var advice: String?
    }

    /// All that is wrong with the references of one text.
    struct Failures: Error {
        let all: [Failure]
        /// The text with something else in the place of each secret that could not be read.
        let text: GuardedText
    }

    /// A secret is a credential, not a document: whole key files fit.
    private static let fileBytesMax = 64 << 10

    func read(_ text: String) -> Result<GuardedText, Failures> {
        guard text.contains("${") else { return .success(GuardedText(text)) }
        var pieces: [GuardedText.Piece] = []
        var plain = ""
        var failures: [Failure] = []
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            plain += rest[..<dollar]
            rest = rest[dollar...]
            if rest.hasPrefix("$${") {
                plain += "${"
                rest = rest.dropFirst(3)
            } else if rest.hasPrefix("${") {
                guard let end = rest.firstIndex(of: "}") else {
                    failures.append(Failure(sentence: "'${' is never closed", advice: "write '$${' for a plain '${'"))
                    rest = ""
                    break
                }
                let value: String
                switch secret(String(rest[rest.index(rest.startIndex, offsetBy: 2)..<end])) {
                case .failure(var failure):
                    // A suggestion stands for the whole value.
                    if let suggestion = failure.suggestion, rest[...end] != text {
                        failure.suggestion = nil
                        failure.advice = "write \(suggestion)"
                    }
                    failures.append(failure)
                    value = SecretReading.standIn
                case .success(let read): value = read
                }
                if !plain.isEmpty { pieces.append(.plain(plain)) }
                plain = ""
                pieces.append(.secret(Secret(value)))
                rest = rest[rest.index(after: end)...]
            } else {
                plain += "$"
                rest = rest.dropFirst()
            }
        }
        plain += rest
        if !plain.isEmpty { pieces.append(.plain(plain)) }
        let whole = GuardedText(pieces: pieces)
        return failures.isEmpty ? .success(whole) : .failure(Failures(all: failures, text: whole))
    }

    /// What stands for a secret that nobody may read, or that is not there.
    private static let standIn = "withheld"

    private func secret(_ reference: String) -> Result<String, Failure> {
        let parts = reference.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, parts[1].trimmed.isEmpty {
            return .failure(
                Failure(
                    sentence: "'${\(reference)}' names nothing",
                    advice: "the name goes after the ':', as in ${env:NAME} or ${file:PATH}"))
        }
        guard parts.count == 2 else {
            let written = parts.first ?? ""
            // As other tools write it.
            let name = written.hasPrefix("env.") ? String(written.dropFirst(4)) : written
            return .failure(
                Failure(
                    sentence: "'${\(reference)}' is not a kind of secret; the kinds are env, file and credential",
                    suggestion: name.isEmpty ? nil : "${env:\(name)}"))
        }
        switch parts[0] {
        case "env":
            if surroundings.withholdsSecrets { return .success(SecretReading.standIn) }
            guard let value = surroundings.variable(parts[1]) else {
                return .failure(Failure(sentence: "the environment variable \(parts[1]) is not set"))
            }
            return .success(value)
        case "file":
            return contents(of: path(parts[1]))
        case "credential":
            if surroundings.withholdsSecrets, !parts[1].contains("/") { return .success(SecretReading.standIn) }
            guard let folder = surroundings.credentialsFolder else {
                return .failure(
                    Failure(
                        sentence: "there are no credentials: CREDENTIALS_DIRECTORY is not set",
                        advice: "add LoadCredential=\(parts[1]):PATH to the systemd unit"))
            }
            guard !parts[1].contains("/") else {
                return .failure(Failure(sentence: "the name of a credential must not contain '/'"))
            }
            return contents(of: folder + "/" + parts[1])
        default:
            let near = parts[0].nearest(in: ["env", "file", "credential"])
            return .failure(
                Failure(
                    sentence: "'\(parts[0])' is not a kind of secret; the kinds are env, file and credential",
                    suggestion: near.map { "${\($0):\(parts[1])}" }))
        }
    }

    /// A path as the config writes it, from its folder.
    func path(_ written: String) -> String {
        written.hasPrefix("/") ? written : folder + "/" + written.withoutDotSlash
    }

    /// The references to secrets in a text, without `${` and `}`, in the order in which `read` puts secrets in their place.
    func references(in text: String) -> [String] {
        var found: [String] = []
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            rest = rest[dollar...]
            guard rest.hasPrefix("${"), let end = rest.firstIndex(of: "}") else {
                rest = rest.dropFirst(rest.hasPrefix("$${") ? 3 : 1)
                continue
            }
            found.append(String(rest[rest.index(rest.startIndex, offsetBy: 2)..<end]))
            rest = rest[end...]
        }
        return found
    }

    /// The files that a text takes secrets from though others than the bot may read or change them.
    func openFiles(in text: String) -> [String] {
        guard !surroundings.withholdsSecrets else { return [] }
        let kind = "file:"
        return references(in: text).filter { $0.hasPrefix(kind) }.map { path(String($0.dropFirst(kind.count))) }
            // What a supervisor mounts for one service is often readable by all, within walls that only that service sees.
            .filter { !$0.hasPrefix("/run/") && surroundings.isOpenToOthers($0) }
    }

    /// The credentials that a text names and that the bot's service does not get.
    func keptBack(in text: String) -> [String] {
        guard !surroundings.withholdsSecrets else { return [] }
        let kind = "credential:"
        return references(in: text).filter { $0.hasPrefix(kind) }.map { String($0.dropFirst(kind.count)) }
            .filter { !surroundings.isHandedOut($0) }
    }

    private func contents(of path: String) -> Result<String, Failure> {
        if surroundings.withholdsSecrets { return .success(SecretReading.standIn) }
        do {
            let bytes = try surroundings.file(path)
            guard bytes.count <= SecretReading.fileBytesMax else {
                return .failure(
                    Failure(sentence: "the secret file \(path) is larger than \(SecretReading.fileBytesMax >> 10) KiB"))
            }
            guard var text = String(validating: bytes, as: UTF8.self) else {
                return .failure(Failure(sentence: "the secret file \(path) is not UTF-8 text"))
            }
            // Nobody means the mark of a file's encoding, nor the newline with which editors and `echo` end one.
            if text.first == "\u{FEFF}" { text.removeFirst() }
            if text.hasSuffix("\r\n") || text.hasSuffix("\n") { text.removeLast() }
            return .success(text)
        } catch {
            return .failure(Failure(sentence: "the secret file \(path) cannot be read: \(error.sentence)"))
        }
    }
}

extension GuardedText {
    /// Whether one of its secrets begins or ends with white space within a line. Ends of lines are told where they do harm, for a
    /// key has many lines.
    var hasSpaceAtSecret: Bool {
        pieces.contains { piece in
            guard case .secret(let secret) = piece, case let value = secret.reveal(), !value.trimmed.isEmpty else {
                return false
            }
            return [value.first, value.last].compactMap(\.self).contains { $0.isWhitespace && !$0.isNewline }
        }
    }
}

extension Secret {
    /// What is masked of it by itself: of an address the last part, too.
    var ownPart: String {
        let value = reveal()
        return value.contains("://") ? value.split(separator: "/").last.map(String.init) ?? "" : value
    }

    /// Whether it, or the end of an address that is masked by itself, is a word.
    var isWord: Bool {
        let (value, part) = (reveal(), ownPart)
        guard value.utf8.count >= String.tokenBytesMin else { return true }
        return part.utf8.count >= String.tokenBytesMin && !part.isTokenlike
    }
}

extension String {
    /// A relative path without the `./` that says so.
    var withoutDotSlash: String { hasPrefix("./") ? String(dropFirst(2)) : self }
}
