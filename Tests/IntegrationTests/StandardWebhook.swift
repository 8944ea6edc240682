import BotHarness
import Foundation

/// Signatures as Standard Webhooks 1.0 describes them, computed without any of the bot's libraries.
struct StandardWebhook {
    /// `whsec_` and the key in base64.
    let secret: String

    /// A key for tests.
    static let test = StandardWebhook(secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    func signature(id: String, timestamp: String, body: [UInt8]) -> String {
        let key = Data(base64Encoded: String(secret.dropFirst("whsec_".count))) ?? Data()
        let code = SHA256.authenticated(Array("\(id).\(timestamp).".utf8) + body, key: Array(key))
        return "v1," + Data(code).base64EncodedString()
    }

    func isSigned(_ request: LoopbackServer.Request) -> Bool {
        guard let id = request.header("webhook-id"), let timestamp = request.header("webhook-timestamp"),
            let said = request.header("webhook-signature")
        else { return false }
        return said.split(separator: " ").contains { $0 == signature(id: id, timestamp: timestamp, body: request.body) }
    }
}

/// SHA-256 (FIPS 180-4) and HMAC (RFC 2104).
enum SHA256 {
    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = primes(64).map { fraction(of: cbrt(Double($0))) }
    /// Those of the square roots of the first 8 primes.
    private static let start: [UInt32] = primes(8).map { fraction(of: Double($0).squareRoot()) }

    private static func primes(_ count: Int) -> [UInt64] {
        var found: [UInt64] = []
        var candidate: UInt64 = 2
        while found.count < count {
            if found.allSatisfy({ !candidate.isMultiple(of: $0) }) { found.append(candidate) }
            candidate += 1
        }
        return found
    }

    /// A double has bits enough: the whole part takes three at most.
    private static func fraction(of value: Double) -> UInt32 {
        UInt32((value - value.rounded(.down)) * 4_294_967_296)
    }

    static func digest(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        bytes += [UInt8](repeating: 0, count: (120 - bytes.count % 64) % 64)
        bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: (message.count * 8) >> ($0 * 8)) }
        var state = start
        for block in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[block + word * 4 + $1]) }
            }
            for index in 16..<64 {
                let (a, b) = (words[index - 15], words[index - 2])
                let first = turned(a, 7) ^ turned(a, 18) ^ a >> 3
                let second = turned(b, 17) ^ turned(b, 19) ^ b >> 10
                words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
            }
            var s = state
            for index in 0..<64 {
                let choice = s[4] & s[5] ^ ~s[4] & s[6]
                let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
                let mixed = turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)
                let one = s[7] &+ mixed &+ choice &+ constants[index] &+ words[index]
                let two = (turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22)) &+ majority
                s = [one &+ two, s[0], s[1], s[2], s[3] &+ one, s[4], s[5], s[6]]
            }
            state = zip(state, s).map { $0 &+ $1 }
        }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    static func authenticated(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? digest(key) : key
        let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
        return digest(padded.map { $0 ^ 0x5C } + digest(padded.map { $0 ^ 0x36 } + message))
    }
}
