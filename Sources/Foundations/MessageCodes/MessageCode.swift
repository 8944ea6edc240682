internal import CCrypto

/// A code by which whoever has the same key knows whose a message is (HMAC, RFC 2104).
public enum MessageCode {
    /// HMAC-SHA256; nil only for a key that libcrypto cannot count.
    public static func sha256(_ content: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard let keyCount = Int32(exactly: key.count) else { return nil }
        var code = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var codeCount: UInt32 = 0
        guard HMAC(EVP_sha256(), key, keyCount, content, content.count, &code, &codeCount) != nil else { return nil }
        return Array(code.prefix(Int(codeCount)))
    }
}

extension Sequence<UInt8> {
    /// Two hexadecimal digits for each byte, in lower case.
    public var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
