public import PluginKit

// SourceKit is what sources share whose vendors want more than a token in a header: accounts of Google with their signed
// tokens, calls that are made with such a token and no other, lists in pages, and figures as vendors write them. It knows
// no source and no metric; it builds requests and reads answers, and performs nothing.

/// A service account of Google's cloud, from its key file.
public struct ServiceAccount: Hashable, Sendable {
    public let email: String
    /// The project it belongs to, where the file tells.
    public let project: String?
    let keyID: String
    /// Where tokens are had.
    let tokenAddress: String
    private let key: RSAKey

    /// Google takes at most this much.
    private static let assertionLasts = Duration.hours(1)
    /// Whom assertions are for. Google's own libraries name it whatever the key file says: behind an address of Private
    /// Service Connect, and where a file of old names another, Google expects this one all the same.
    private static let audience = "https://oauth2.googleapis.com/token"
    /// A clock that is a little ahead would sign in the future, which is refused.
    private static let clockSlack = Duration.minutes(1)

    /// Why a text is not such a file, as a sentence that quotes no secret.
    public struct Flaw: Error, Hashable {
        public let sentence: String
        /// What was probably meant, where it can be told.
        public var suggestion: String?
    }

    /// Reads the file's text.
    public init(keyFile: GuardedText) throws(Flaw) {
        let text = keyFile.reveal().trimmed
        if let flaw = ServiceAccount.flaw(ofWhatIsNoFile: text) { throw flaw }
        let file: JSONReader
        do {
            file = JSONReader(try JSON(parsing: text))
        } catch {
            // The parser's words may quote what they found, and here that may be a piece of the key.
            throw Flaw(sentence: "it is not JSON from line \(error.line), column \(error.column) on; copy it again")
        }
        do throws(JSONMismatch) {
            let type = try file.member("type")
            guard try type.string() == "service_account" else {
                throw type.mismatch(expected: "\"service_account\": make a key for a service account")
            }
            email = try file.member("client_email").nonEmptyString()
            keyID = try file.member("private_key_id").nonEmptyString()
            project = try file.optional("project_id")?.nonEmptyString()
            let address = try file.member("token_uri")
            tokenAddress = try address.nonEmptyString()
            guard let web = WebAddress(tokenAddress), web.scheme == "https" || web.isLoopback else {
                throw address.mismatch(expected: "an https address")
            }
        } catch {
            throw Flaw(sentence: "\(error)")
        }
        guard let pem = file.value["private_key"]?.string, !pem.isEmpty else {
            throw Flaw(sentence: "$.private_key: expected the private key, found none")
        }
        do throws(RSAKey.Flaw) {
            key = try RSAKey(pem: Secret(pem))
        } catch {
            throw Flaw(sentence: "$.private_key: the private key \(error.words)")
        }
    }

    private static func flaw(ofWhatIsNoFile text: String) -> Flaw? {
        if text.isEmpty { return Flaw(sentence: "it is empty") }
        if text.hasPrefix("{") { return nil }
        if text.hasPrefix("-----BEGIN") {
            return Flaw(sentence: "this is the private key alone; the whole JSON file is needed")
        }
        guard text.utf8.count < 1000, !text.contains(where: \.isNewline), text.hasSuffix(".json") else {
            return Flaw(sentence: "it is not the JSON file that the cloud console gives")
        }
        return Flaw(sentence: "this is the file's name, not what is in it", suggestion: "${file:\(text)}")
    }

    /// The assertion that gets a token for a scope, signed at that moment.
    func assertion(for scope: String, at now: Moment) -> Secret? {
        let issued = now - ServiceAccount.clockSlack
        let claims: JSON = [
            "iss": .string(email), "scope": .string(scope), "aud": .string(ServiceAccount.audience),
            "iat": .int(issued.unixSeconds), "exp": .int((issued + ServiceAccount.assertionLasts).unixSeconds),
        ]
        return SignedToken.rs256(claims, keyID: keyID, key)
    }
}

// MARK: - In a config

extension ServiceAccount {
    /// The option of every source that asks Google.
    public static let setting = RequiredSetting(
        "key", .text, "The service account's key file (JSON), as ${file:PATH} or ${credential:NAME}."
    ).secret

    /// The account that the options name.
    public init(_ options: Options) throws(ProblemList) {
        let text = try options[ServiceAccount.setting]
        do throws(Flaw) {
            try self.init(keyFile: text)
        } catch {
            throw ProblemList(
                options.position(of: ServiceAccount.setting),
                "'\(ServiceAccount.setting.name)' is not a service account's key file: \(error.sentence)",
                suggestion: error.suggestion)
        }
    }
}
