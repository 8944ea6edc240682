/// Base64 with the standard alphabet (RFC 4648, section 4).
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8: UInt32] = Dictionary(
        uniqueKeysWithValues: zip(alphabet, 0..<UInt32(alphabet.count)))

    /// With padding.
    public static func encode(_ bytes: [UInt8]) -> String {
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
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
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
