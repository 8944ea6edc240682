/// A hash that is the same on every machine and in every run, unlike `Hasher`: for ids and for jitter.
///
/// FNV-1a over 64 bits with a finishing mix (the 64-bit finaliser of MurmurHash3), so that near texts give far numbers.
/// It tells things apart; it protects nothing.
public struct StableHash: Sendable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    public init() {}

    /// Adds a text and its end, so that ("ab", "c") and ("a", "bc") differ.
    public mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add($0) }
        add(CollectionOfOne(0xFF))
    }

    /// Adds bytes and their count.
    public mutating func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { add($0) }
        add(String(bytes.count))
    }

    private mutating func add(_ bytes: some Collection<UInt8>) {
        // In a register: a file of a whole poll is hashed, too.
        var state = state
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        self.state = state
    }

    public var value: UInt64 {
        var mixed = state
        mixed = (mixed ^ (mixed >> 33)) &* 0xFF51_AFD7_ED55_8CCD
        mixed = (mixed ^ (mixed >> 33)) &* 0xC4CE_B9FE_1A85_EC53
        return mixed ^ (mixed >> 33)
    }

    /// The hash as 13 letters and digits, safe in URLs and headers.
    public var text: String {
        var rest = value
        return String(unsafeUninitializedCapacity: 13) { buffer in
            for place in (0..<13).reversed() {
                let digit = UInt8(truncatingIfNeeded: rest % 32)
                buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                rest /= 32
            }
            return 13
        }
    }

    /// A number from 0 up to 1 that depends on the texts alone.
    public static func unit(_ texts: String...) -> Double {
        var hash = StableHash()
        for text in texts { hash.add(text) }
        return Double(hash.value >> 11) / 9_007_199_254_740_992
    }
}
