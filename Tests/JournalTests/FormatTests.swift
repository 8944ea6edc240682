import JournalTesting
import Records
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

    @Test func `the processor and the tables count alike`() {
        // Every length up to some words, at every place within a word.
        let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 3) }
        for start in 0..<8 {
            for end in start...bytes.count {
                let piece = bytes.span.bytes.extracting(start..<end)
                let seed = UInt32(truncatingIfNeeded: end &* 0x9E37_79B9)
                #expect(
                    CRC32C.extend(seed, with: piece) == CRC32C.extendByTables(seed, with: piece), "\(start)..<\(end)")
            }
        }
        #expect(CRC32C.extendByTables(0, with: Array("123456789".utf8).span.bytes) == 0xE306_9283)
    }

    @Test(arguments: [
        ("", false), ("2026-11-21T12:00:00Z", true), (String(repeating: "1", count: 40), true),
        (String(repeating: "1", count: 41), false), ("a\"b", false), ("a\\b", false), ("a b", false), ("ä", false),
        ("a\n", false),
    ])
    func `a time stamp is taken or refused each time`(at: String, isTaken: Bool) throws {
        var stamp = Line.Stamp()
        for _ in 0..<2 {
            if isTaken {
                try stamp.set(at)
            } else {
                #expect(throws: JournalError.self) { try stamp.set(at) }
            }
        }
    }

    @Test func `lines carry the number and the time that they were given`() throws {
        let disk = MemoryDisk()
        var writer = try JournalWriter.open(disk) { _ in }
        let times = ["a", "b", "b", "a", "cc", "cc", "cc", "a", "d", "d", "d", "d"]
        for time in times { try writer.append(Array("{}".utf8), at: time) }
        #expect(throws: JournalError.self) { try writer.append(Array("{}".utf8), at: "") }
        try writer.append(Array("{}".utf8), at: "d")
        try writer.commit()
        var found: [String] = []
        try JournalReader(disk).forEach { found.append("\($0.seq) \($0.at)") }
        #expect(found == (times + ["d"]).enumerated().map { "\($0.offset + 1) \($0.element)" })
    }

    @Test(arguments: [
        (Topic.always, ""), (.whole(of: "i/7"), #","key":"i/7""#), (.part("x", of: "i/7"), #","key":"i/7","part":"x""#),
        (.end(of: ["i/7"]), #","ends":["i/7"]"#), (.end(of: ["i/7", "d/8"]), #","ends":["i/7","d/8"]"#),
        (.end(of: []), ""), (.whole(of: "\"\\\n"), #","key":"\"\\\u000a""#),
    ])
    func `a line has exactly the documented bytes`(topic: Topic, written: String) throws {
        var bytes: [UInt8] = []
        var stamp = Line.Stamp()
        try stamp.set("2026-11-21T02:41:54.123Z")
        let place = try Line.write(
            .record, seq: 12, isLast: false, at: stamp, about: topic, limits: .standard, to: &bytes
        ) { $0 += Array("{\"a\":1}".utf8) }
        func line(_ last: Int) -> String {
            let head = #"{"v":3,"seq":12,"last":\#(last),"at":"2026-11-21T02:41:54.123Z""#
            let tail = written + #","record":{"a":1}}"#
            let checksum = String(CRC32C.extend(0, with: Array((head + tail).utf8).span.bytes), radix: 16)
            return head + #","crc":""# + String(repeating: "0", count: 8 - checksum.count) + checksum + "\"" + tail
                + "\n"
        }
        #expect(text(bytes) == line(0))
        for _ in 0..<2 {
            Line.markLast(place, in: &bytes)
            #expect(text(bytes) == line(1))
        }
    }

    @Test func `lines of release 0.1 are read`() {
        let line = #"{"v":1,"seq":120,"at":"2026-11-21T12:40:45.110Z","crc":"f566fedc","end":{"records":14}}"#
        guard case .whole(let read) = Line.read(Array(line.utf8).span) else {
            Issue.record("not read")
            return
        }
        #expect((read.kind, read.seq, read.isLast) == (.end, 120, true))
    }

    @Test(arguments: [
        "", "{", "{}", #"{"v":1}"#, #"{"v":1,"seq":}"#, #"{"v":1,"seq":99999999999999999999,"at":""#,
        #"{"v":1,"seq":1,"at":"#, #"{"v":1,"seq":1,"at":"x","crc":"#, #"{"v":1,"seq":1,"at":"x","crc":"12345678"#,
        #"{"v":1,"seq":1,"at":"x","crc":"12345678","record":"#, #"{"v":1,"seq":1,"at":"x","crc":"12345678","record":}"#,
        #"{"v":2,"seq":1,"at":"x","crc":"12345678","record":{}}"#, #"{"v":2,"seq":1,"last":"#,
        #"{"v":2,"seq":1,"last":2,"at":"x","crc":"12345678","record":{}}"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","key":"a"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","key":"a\"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","key":"a"}"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","part":"a","record":{}}"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","key":"a","part":"b"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","ends":[],"record":{}}"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","ends":["a",],"record":{}}"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","ends":["a"#,
        #"{"v":3,"seq":1,"last":1,"at":"x","crc":"12345678","ends":["a"]"#,
        #"{"v":1,"seq":1,"last":1,"at":"x","crc":"12345678","record":{}}"#, #"{"v":0,"seq":1"#, #"{"v":-1,"#, "null",
        "[]",
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
