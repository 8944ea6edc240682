import Testing

@testable import Journal

@Suite struct `The line format` {
    @Test func `the checksum is CRC-32C`() {
        // The check value of the published catalogue of checksums, and the all-zeros vector of RFC 3720.
        #expect(CRC32C.extend(0, with: Array("123456789".utf8).span.bytes) == 0xE306_9283)
        #expect(CRC32C.extend(0, with: [UInt8](repeating: 0, count: 32).span.bytes) == 0x8A91_36AA)
    }

    @Test(arguments: 0...40)
    func `a checksum taken in two parts is the checksum of the whole`(cut: Int) {
        let bytes = Array("a line of forty bytes, more or less even".utf8)
        let first = CRC32C.extend(0, with: bytes.span.bytes.extracting(0..<cut))
        let both = CRC32C.extend(first, with: bytes.span.bytes.extracting(cut..<bytes.count))
        #expect(both == CRC32C.extend(0, with: bytes.span.bytes))
    }

    @Test func `a line has exactly the documented bytes`() throws {
        var bytes: [UInt8] = []
        try Line.write(.record, seq: 12, at: "2026-11-21T02:41:54.123Z", limits: .standard, to: &bytes) {
            $0 += Array("{\"a\":1}".utf8)
        }
        let bare = #"{"v":1,"seq":12,"at":"2026-11-21T02:41:54.123Z","record":{"a":1}}"#
        let checksum = String(CRC32C.extend(0, with: Array(bare.utf8).span.bytes), radix: 16)
        let padded = String(repeating: "0", count: 8 - checksum.count) + checksum
        #expect(
            text(bytes)
                == #"{"v":1,"seq":12,"at":"2026-11-21T02:41:54.123Z","crc":""# + padded + #"","record":{"a":1}}"# + "\n"
        )
    }

    @Test(arguments: [
        "", "{", "{}", #"{"v":1}"#, #"{"v":1,"seq":}"#, #"{"v":1,"seq":99999999999999999999,"at":""#,
        #"{"v":1,"seq":1,"at":"#, #"{"v":1,"seq":1,"at":"x","crc":"#, #"{"v":1,"seq":1,"at":"x","crc":"12345678"#,
        #"{"v":1,"seq":1,"at":"x","crc":"12345678","record":"#, #"{"v":1,"seq":1,"at":"x","crc":"12345678","record":}"#,
        #"{"v":0,"seq":1"#, #"{"v":-1,"#, "null", "[]",
    ])
    func `what is not a line is called so`(line: String) {
        guard case .damaged(.notARecord) = Line.read(Array(line.utf8).span) else {
            Issue.record("taken for a line: \(line)")
            return
        }
    }

    @Test(arguments: [
        ("journal-00000000000000000012.jsonl", FileName.segment(first: 12)),
        ("snapshot-00000000000000000012.jsonl", .snapshot(through: 12)),
        ("snapshot-00000000000000000012.jsonl.tmp", .leftover),
        ("snapshot-00000000000000000012.jsonl.tmp.tmp", nil),
        ("journal-00000000000000000000.jsonl", nil),
        ("journal-12.jsonl", nil),
        ("journal-99999999999999999999.jsonl", nil),
        ("journal-0000000000000000001x.jsonl", nil),
        ("journal-00000000000000000012.jsonl.damaged", nil),
        ("lock", nil),
    ])
    func `a file is known by its name`(name: String, expected: FileName?) {
        #expect(FileName(name) == expected)
    }
}
