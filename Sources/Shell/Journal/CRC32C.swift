internal import CCRC32C

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78): by the processor's instruction where it has one, else from
/// tables, eight bytes a step.
enum CRC32C {
    private static let isInstructionThere = crc32c_instruction_is_there()

    /// The checksum of what `crc` is the checksum of, followed by `bytes`. Start with 0.
    static func extend(_ crc: UInt32, with bytes: RawSpan) -> UInt32 {
        guard isInstructionThere else { return extendByTables(crc, with: bytes) }
        return bytes.withUnsafeBytes { bytes in
            // The instruction reads no byte but the `count` from `base` on, and keeps neither beyond the call.
            guard let base = bytes.baseAddress else { return crc }
            return ~crc32c_by_instruction(~crc, base.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }

    /// Eight tables of 256 entries: table k holds the checksum of a byte followed by k zero bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for index in 0..<256 {
            var crc = UInt32(index)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x82F6_3B78 : crc >> 1 }
            tables[index] = crc
        }
        for index in 256..<8 * 256 {
            let before = tables[index - 256]
            tables[index] = (before >> 8) ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// The same for a processor without the instruction.
    static func extendByTables(_ crc: UInt32, with bytes: RawSpan) -> UInt32 {
        tables.withUnsafeBufferPointer { table in
            func entry(_ row: Int, _ byte: UInt64) -> UInt32 { table[row << 8 | Int(byte & 0xFF)] }
            var crc = ~crc
            var offset = 0
            while offset + 8 <= bytes.byteCount {
                let loaded = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
                let word = UInt64(littleEndian: loaded) ^ UInt64(crc)
                crc = entry(7, word) ^ entry(6, word >> 8) ^ entry(5, word >> 16) ^ entry(4, word >> 24)
                crc ^= entry(3, word >> 32) ^ entry(2, word >> 40) ^ entry(1, word >> 48) ^ entry(0, word >> 56)
                offset += 8
            }
            while offset < bytes.byteCount {
                let byte = bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
                crc = (crc >> 8) ^ entry(0, UInt64(UInt8(truncatingIfNeeded: crc) ^ byte))
                offset += 1
            }
            return ~crc
        }
    }
}
