internal import CCrypto
internal import PluginKit

/// A private RSA key that signs with SHA-256 (RSASSA-PKCS1-v1_5, the RS256 of signed tokens).
///
/// It is kept as the text that it was read from: a signature is made once an hour, and a value has nothing to free.
struct RSAKey: Hashable, Sendable {
    private let pem: Secret

    /// Whoever makes a shorter one today has made a mistake, and services refuse it.
    private static let bitsMin: Int32 = 2048

    /// Why a text is not a key, as the end of "the private key …". It quotes nothing of it.
    struct Flaw: Error, Hashable {
        let words: String
    }

    init(pem: Secret) throws(Flaw) {
        self.pem = pem
        guard pem.reveal().contains("-----BEGIN ") else { throw Flaw(words: "is not in PEM, with BEGIN and END lines") }
        let found: (isRSA: Bool, bits: Int32)? = withKey { key in
            (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, EVP_PKEY_get_bits(key))
        }
        guard let found else { throw Flaw(words: "cannot be read; it is cut short, changed, or locked by a password") }
        guard found.isRSA else { throw Flaw(words: "is not an RSA key") }
        guard found.bits >= RSAKey.bitsMin else {
            throw Flaw(words: "has \(found.bits) bits, expected at least \(RSAKey.bitsMin)")
        }
    }

    /// The same bytes have the same signature. Nil only when libcrypto is out of memory.
    func signature(over bytes: [UInt8]) -> [UInt8]? {
        let signature: [UInt8]?? = withKey { key in
            guard let context = EVP_MD_CTX_new() else { return nil }
            defer { EVP_MD_CTX_free(context) }
            guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
            var count = Int(EVP_PKEY_get_size(key))
            var signature = [UInt8](repeating: 0, count: count)
            guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { return nil }
            return Array(signature.prefix(count))
        }
        return signature ?? nil
    }

    /// Reads the key for as long as `body` runs; nil when it is none.
    private func withKey<Result>(_ body: (OpaquePointer) -> Result) -> Result? {
        // What libcrypto notes of its trouble belongs to the thread, and somebody else's next call would find it.
        defer { ERR_clear_error() }
        let text = Array(pem.reveal().utf8)
        return text.withUnsafeBytes { text in
            guard let count = Int32(exactly: text.count), let bytes = BIO_new_mem_buf(text.baseAddress, count) else {
                return nil
            }
            defer { BIO_free(bytes) }
            // Without an answer of ours to the question for a password, libcrypto would ask the terminal.
            guard let key = PEM_read_bio_PrivateKey(bytes, nil, { _, _, _, _ in 0 }, nil) else { return nil }
            defer { EVP_PKEY_free(key) }
            return body(key)
        }
    }
}
