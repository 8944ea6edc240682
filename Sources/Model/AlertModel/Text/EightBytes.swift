/// Eight bytes of a text looked at in one step.
extension UInt64 {
    /// The eight bytes from `index` on; nil where there are fewer.
    @inline(__always)
    init?(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        guard index + 8 <= bytes.count else { return nil }
        self = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
    }

    /// Eight times the same byte.
    @inline(__always)
    static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

    /// The top bit of each byte is set if the byte is the given one, or, now and then, if one below it is.
    @inline(__always)
    func mayBe(_ byte: UInt8) -> UInt64 {
        // A byte that is equal to another leaves 0 when both are crossed out.
        let crossed = self ^ .all(byte)
        return (crossed &- .all(0x01)) & ~crossed
    }

    /// The top bit of each byte is set if the byte is below 0x20, or, now and then, if one below it is.
    @inline(__always)
    var mayBeControl: UInt64 { (self &- .all(0x20)) & ~self }

    /// Whether all are of ASCII, and no control characters; now and then not though they are.
    @inline(__always)
    var isOfPlainLetters: Bool { (self | mayBeControl | mayBe(0x7F)) & .all(0x80) == 0 }
}
