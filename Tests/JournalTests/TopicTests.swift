import JournalTesting
import Records
import Testing

@testable import Journal

/// What a record is about, and what a replay leaves out for it.
@Suite struct `Topics` {
    private static let topics: [Topic] = [
        .always, .whole(of: "i/7"), .part("team", of: "i/7"), .end(of: ["i/7"]), .end(of: ["i/7", "d/8", "d/9"]),
        .whole(of: #"s/a "name", with \ and \u0041,"record":{}"#), .part("\u{1}\n\t\u{1f}", of: "日本語 \u{1F680}"),
        .whole(of: ""), .end(of: [#"a","b"#, "]", #"\"#]),
    ]

    @Test func `a record whose topic alone is too long is told the bound as it is`() throws {
        var limits = JournalLimits()
        limits.recordBytesMax = 200
        var writer = try JournalWriter.open(MemoryDisk(), limits: limits) { _ in }
        let error = #expect(throws: JournalError.self) {
            try writer.append(payload(1), at: noon, about: .whole(of: String(repeating: "k", count: 300)))
        }
        let sentence = try #require(error).description
        #expect(sentence.hasSuffix("is too long for the journal, which takes up to 200 bytes"), "\(sentence)")
    }

    @Test(arguments: topics)
    func `a topic is read back as it was written, and the record beside it`(topic: Topic) throws {
        let disk = MemoryDisk()
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(1), at: noon, about: topic)
        try writer.append(payload(2), at: noon)
        try writer.commit()
        drop(writer)
        var found: [(Topic, String)] = []
        let report = try JournalReader(disk).forEach { found.append(($0.topic, text($0.payload))) }
        #expect(!report.isDamaged)
        #expect(found.map(\.0) == [topic, .always])
        #expect(found.map(\.1) == [text(payload(1)), text(payload(2))])
    }

    private func diskWith(_ records: [(Int, Topic)]) throws -> MemoryDisk {
        let disk = MemoryDisk()
        var writer = try JournalWriter.open(disk) { _ in }
        for (number, topic) in records {
            try writer.append(payload(number), at: noon, about: topic)
            try writer.commit()
        }
        return disk
    }

    private let story: [(Int, Topic)] = [
        (1, .whole(of: "a")), (2, .part("x", of: "a")), (3, .always), (4, .whole(of: "b")), (5, .whole(of: "a")),
        (6, .part("x", of: "a")), (7, .part("x", of: "a")), (8, .whole(of: "c")), (9, .end(of: ["b"])),
    ]

    private func replayed(_ disk: MemoryDisk) throws -> (given: [UInt64], report: JournalReport) {
        var given: [UInt64] = []
        let report = try JournalReader(disk).replay { given.append($0.seq) }
        return (given, report)
    }

    @Test func `a replay gives out what counts, and reports all that is there`() throws {
        let disk = try diskWith(story)
        let (given, report) = try replayed(disk)
        #expect(given == [3, 9, 5, 7, 8])
        #expect(report.records == 9)
        var opened: [UInt64] = []
        drop(try JournalWriter.open(disk) { opened.append($0.seq) })
        #expect(opened == given)
        #expect(try read(disk).records == lines(1...9))
    }

    @Test func `where the last word is damaged, the one before it counts`() throws {
        let disk = try diskWith(story)
        let place = try #require(disk[firstSegment].firstRange(of: Array("\"n\":5".utf8))).upperBound
        disk[firstSegment][place - 1] ^= 1
        let (given, report) = try replayed(disk)
        #expect(given == [3, 9, 1, 7, 8])
        #expect(report.isDamaged)
    }

    @Test func `a record that cannot be used is named by its own place, also when it comes last`() throws {
        struct Unknown: Error {}
        let disk = try diskWith(story)
        let error = #expect(throws: JournalError.self) {
            try JournalReader(disk).replay { if $0.seq == 5 { throw Unknown() } }
        }
        guard case .refused(let place, let seq, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(seq == 5)
        #expect(place.line == 5)
    }

    @Test func `a copy keeps what records are about`() throws {
        let disk = try diskWith(story)
        let copy = MemoryDisk()
        _ = try JournalRepair(disk, to: copy)
        #expect(try replayed(copy).given == replayed(disk).given)
    }

    @Test func `a topic counts towards the length of a record`() throws {
        var limits = JournalLimits()
        limits.recordBytesMax = 100
        var writer = try JournalWriter.open(MemoryDisk(), limits: limits) { _ in }
        #expect(throws: JournalError.self) {
            try writer.append(payload(1), at: noon, about: .whole(of: String(repeating: "a", count: 100)))
        }
        try writer.append(payload(1), at: noon, about: .whole(of: String(repeating: "a", count: 80)))
        try writer.commit()
    }

    @Test(arguments: [1, 2])
    func `lines of earlier versions have no topic, and go on in the same file`(version: Int) throws {
        let disk = MemoryDisk()
        disk[firstSegment] = oldLine(1, version: version)
        var writer = try JournalWriter.open(disk) { #expect($0.topic == .always) }
        try writer.append(payload(2), at: noon, about: .whole(of: "a"))
        try writer.append(payload(3), at: noon, about: .whole(of: "a"))
        try writer.commit()
        drop(writer)
        #expect(try read(disk).records == lines(1...3))
        #expect(try replayed(disk).given == [1, 3])
    }
}
