internal import Journal
internal import JournalTesting

extension FuzzTarget {
    private static let segment = "journal-00000000000000000001.jsonl"

    /// Small enough that a fuzzer comes to every bound.
    private static let limits: JournalLimits = {
        var limits = JournalLimits()
        limits.recordBytesMax = 256
        limits.segmentBytesMax = 2048
        limits.chunkBytes = 64
        return limits
    }()

    /// A segment: what is read of it stands in it byte for byte, is read again after it was written to, and survives repair.
    ///
    /// A line that begins with an exclamation mark loses it and gets its right checksum, which no fuzzer would find.
    static let journal = FuzzTarget(
        "journal",
        seeds: [
            #"!{"v":3,"seq":1,"last":1,"at":"2026-11-21T12:00:00.000Z","crc":"00000000","record":{"n":1}}"# + "\n"
                + #"!{"v":3,"seq":2,"last":0,"at":"2026-11-21T12:00:00.000Z","crc":"00000000","key":"i/7","record":{"n":2}}"#
                + "\n"
                + #"!{"v":3,"seq":3,"last":1,"at":"2026-11-21T12:00:00.000Z","crc":"00000000","key":"i/7","part":"a","record":{}}"#
                + "\n"
                + #"!{"v":3,"seq":4,"last":1,"at":"2026-11-21T12:00:00.000Z","crc":"00000000","ends":["i/7","b"],"record":{"e":[]}}"#
                + "\n",
            #"!{"v":1,"seq":1,"at":"2026-11-21T12:00:00Z","crc":"00000000","record":{"n":"\u0001"}}"# + "\n"
                + #"!{"v":2,"seq":2,"last":1,"at":"2026-11-21T12:00:00Z","crc":"00000000","record":{}}"# + "\n",
        ],
        words: [
            "!{\"v\":3,\"seq\":", "\"last\":0", "\"last\":1", ",\"crc\":\"00000000\"", "\"key\":\"", "\"part\":\"",
            "\"ends\":[", "\"record\":{", "\"begin\":{}", "\"end\":{\"records\":1}", "\\u0000", "\n!",
        ]
    ) { bytes in
        let bytes = rightened(bytes)
        let disk = MemoryDisk()
        disk[segment] = bytes
        do throws(JournalError) {
            let before = try records(of: disk)
            for record in before where !bytes.contains(record) { return "a record that was never written" }
            var found: [[UInt8]] = []
            var writer = try JournalWriter.open(disk, limits: limits) { found.append(Array($0.payload)) }
            guard found.allSatisfy(before.contains) else { return "a writer finds what a reader does not" }
            let added = Array(#"{"added":1}"#.utf8)
            try writer.append(added, at: "2026-11-21T12:00:00.000Z")
            try writer.commit()
            guard try records(of: disk).last == added else { return "what was committed is not the last" }
            let copy = MemoryDisk()
            _ = try JournalRepair(disk, to: copy, limits: limits)
            guard try records(of: copy) == records(of: disk) else { return "the repaired journal says something else" }
            return nil
        } catch .foreignFile, .newerVersion {
            return nil
        } catch {
            return "it cannot be opened: \(error)"
        }
    }

    private static func records(of disk: MemoryDisk) throws(JournalError) -> [[UInt8]] {
        var records: [[UInt8]] = []
        try JournalReader(disk, limits: limits).forEach { records.append(Array($0.payload)) }
        return records
    }

    /// The bytes with the right checksums in the lines that ask for one. What is no UTF-8, longer than a record or
    /// has control characters keeps a wrong one: no writer writes it, and checksums are against damage, not against whoever could
    /// give it the right one.
    private static func rightened(_ bytes: [UInt8]) -> [UInt8] {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let member = Array(#","crc":""#.utf8)
        return Array(
            lines.map { line -> [UInt8] in
                let isAsking = line.first == UInt8(ascii: "!") && line.count <= limits.recordBytesMax
                let isWritable = line.allSatisfy { $0 >= 0x20 } && String(validating: line, as: UTF8.self) != nil
                guard isAsking, isWritable else { return Array(line) }
                let line = Array(line.dropFirst())
                guard let start = line.firstRange(of: member)?.lowerBound, line.count >= start + member.count + 9 else {
                    return line
                }
                let rest = Array(line[(start + member.count + 9)...])
                let digits = String(checksum(line[..<start] + rest), radix: 16)
                return line[..<start] + member
                    + Array((String(repeating: "0", count: 8 - digits.count) + digits + "\"").utf8)
                    + rest
            }.joined(separator: [UInt8(ascii: "\n")]))
    }

    /// CRC-32C, bit by bit: the journal's own is not asked whether it is right.
    private static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
        }
        return ~sum
    }
}
