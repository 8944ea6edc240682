internal import AlertModel
internal import CCrypto

extension HTTPRequest.Signature {
    /// The headers that sign `body`, the exact bytes that will be sent.
    ///
    /// A secret is `whsec_` and the key in base64; the prefix may be missing. Several, parted by spaces, are for the
    /// time of a change of keys: each signs, and the receiver takes whichever it knows.
    func headers(over body: [UInt8]) throws(TransportError) -> [(name: String, value: String)] {
        switch self {
        case .standardWebhooks(let id, let timestamp, let secret):
            let content = Array("\(id).\(timestamp.unixSeconds).".utf8) + body
            var signatures: [String] = []
            for secret in secret.reveal().split(separator: " ") {
                let encoded = secret.hasPrefix("whsec_") ? secret.dropFirst("whsec_".count) : secret
                guard let key = Base64.decode(encoded), !key.isEmpty, let code = hmacSHA256(content, key: key) else {
                    throw HTTPRequest.Signature.badSecret
                }
                signatures.append("v1," + Base64.encode(code))
            }
            guard !signatures.isEmpty else { throw HTTPRequest.Signature.badSecret }
            return [
                ("webhook-id", id), ("webhook-timestamp", String(timestamp.unixSeconds)),
                ("webhook-signature", signatures.joined(separator: " ")),
            ]
        }
    }

    private static let badSecret = TransportError.unsent(
        .badAddress,
        "the secret for signing is not 'whsec_' with a key in base64 after it; copy it again from the receiver"
    )

    /// Nil only for a key or content that libcrypto cannot count.
    private func hmacSHA256(_ content: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard let keyCount = Int32(exactly: key.count) else { return nil }
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var codeCount: UInt32 = 0
        guard HMAC(EVP_sha256(), key, keyCount, content, content.count, &code, &codeCount) != nil else { return nil }
        return Array(code.prefix(Int(codeCount)))
    }
}

/// Base64 with the standard alphabet (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8: UInt32] = Dictionary(
        uniqueKeysWithValues: zip(alphabet, 0..<UInt32(alphabet.count))
    )

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for anything but base64. The `=` at the end may be missing, but must be right if there is any.
    static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var digits = Array(text.utf8)
        let paddingCount = digits.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard paddingCount == 0 || paddingCount <= 2 && digits.count % 4 == 0 else { return nil }
        digits.removeLast(paddingCount)
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var bitsCount = 0
        for digit in digits {
            guard let value = values[digit] else { return nil }
            bits = bits << 6 | value
            bitsCount += 6
            if bitsCount >= 8 {
                bitsCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitsCount)))
                bits &= (1 << UInt32(bitsCount)) - 1
            }
        }
        return bytes
    }
}
