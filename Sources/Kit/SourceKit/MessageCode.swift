internal import CCrypto

/// A code by which a service shows that a message is its own.
public enum MessageCode {
    /// HMAC-SHA256 in hexadecimal digits; nil only for a key that libcrypto cannot count.
    public static func sha256(_ content: [UInt8], key: [UInt8]) -> String? {
        guard let keyCount = Int32(exactly: key.count) else { return nil }
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var codeCount: UInt32 = 0
        guard HMAC(EVP_sha256(), key, keyCount, content, content.count, &code, &codeCount) != nil else { return nil }
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: code.prefix(Int(codeCount)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}
