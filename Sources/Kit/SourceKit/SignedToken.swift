internal import PluginKit

/// A signed token (JWT, RFC 7519), with which an account says who it is and what it wants.
enum SignedToken {
    /// The token as it goes over the wire; nil only when libcrypto is out of memory.
    ///
    /// - Parameter keyID: tells the service by which of the account's keys it is signed.
    static func rs256(_ claims: JSON, keyID: String, _ key: RSAKey) -> Secret? {
        let header: JSON = ["typ": "JWT", "alg": "RS256", "kid": .string(keyID)]
        let content = [header, claims].map { base64URL($0.bytes) }.joined(separator: ".")
        return key.signature(over: Array(content.utf8)).map { Secret("\(content).\(base64URL($0))") }
    }

    /// Base64 for addresses (RFC 4648, section 5), without padding.
    private static func base64URL(_ bytes: [UInt8]) -> String {
        Base64.encode(bytes).filter { $0 != "=" }.replacing("+", with: "-").replacing("/", with: "_")
    }
}
