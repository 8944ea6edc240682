import Chance
import Journal
import JournalTesting
import Testing

@Suite struct `The writer` {
    @Test func `a commit is one write and one sync for all that was appended`() throws {
        let disk = try diskWith(1)
        var writer = try JournalWriter.open(disk) { _ in }
        _ = disk.takeOperations()
        for number in 2...101 { try writer.append(payload(number), at: noon) }
        #expect(disk.takeOperations() == [])
        try writer.commit()
        #expect(disk.takeOperations() == [.write, .sync])
        #expect(writer.pendingBytes == 0)
        try writer.commit()
        #expect(disk.takeOperations() == [])
        #expect(try read(disk).records == lines(1...101))
    }

    @Test func `what is not UTF-8 is refused wherever it stands, and nothing else is`() throws {
        let sound = ["é", "€", "🔴", "e\u{301}", "\u{7FF}\u{800}\u{10FFFF}"].map { Array($0.utf8) }
        let broken: [[UInt8]] = [
            [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x94], [0x80], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xC3, 0xC3],
            [0xF4, 0x90, 0x80, 0x80],
        ]
        var writer = try JournalWriter.open(MemoryDisk()) { _ in }
        func append(_ piece: [UInt8], behind count: Int, before rest: Int) throws {
            let head = Array(#"{"n":""#.utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: count)
            let tail = [UInt8](repeating: UInt8(ascii: "b"), count: rest) + Array(#""}"#.utf8)
            try writer.append(head + piece + tail, at: noon)
        }
        for count in 0...17 {
            for piece in sound { try append(piece, behind: count, before: 17 - count) }
            for piece in broken {
                #expect(throws: JournalError.recordMalformed(reason: "it is not valid UTF-8")) {
                    try append(piece, behind: count, before: 17 - count)
                }
            }
        }
        #expect(writer.lastSeq == UInt64(18 * sound.count))
    }

    @Test func `a flush is one write and no sync, and the next commit writes only what is new`() throws {
        let disk = try diskWith(1)
        var writer = try JournalWriter.open(disk) { _ in }
        _ = disk.takeOperations()
        for number in 2...3 { try writer.append(payload(number), at: noon) }
        try writer.flush()
        #expect(disk.takeOperations() == [.write])
        #expect(writer.committedSeq == 1)
        #expect(try read(disk).records == lines(1...3))
        _ = disk.takeOperations()
        try writer.flush()
        #expect(disk.takeOperations() == [])
        try writer.append(payload(4), at: noon)
        try writer.commit()
        #expect(disk.takeOperations() == [.write, .sync])
        #expect(writer.committedSeq == 4)
        #expect(try read(disk).records == lines(1...4))
    }

    @Test func `what was flushed outlives the process and no power cut`() throws {
        let disk = try diskWith(1)
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.append(payload(2), at: noon)
            try writer.flush()
        }
        disk.restartProcess()
        #expect(try read(disk).records == lines(1...2))
        var lost = 0
        for seed in 0..<20 as Range<UInt64> {
            let disk = try diskWith(1)
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.append(payload(2), at: noon)
            try writer.flush()
            var random = SeededRandom(seed: seed)
            disk.restart(&random)
            if try read(disk).records == lines(1...1) { lost += 1 }
        }
        #expect(lost > 0)
    }

    @Test func `flushed bytes whose sync fails are written anew, with all that came since`() throws {
        let disk = try diskWith(1)
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(2), at: noon)
        try writer.flush()
        try writer.append(payload(3), at: noon)
        disk.setFaults { operation, name in
            operation == .sync && !name.isEmpty ? .init(reason: .failed("I/O error")) : nil
        }
        #expect(throws: JournalError.self) { try writer.commit() }
        disk.setFaults { _, _ in nil }
        #expect(writer.committedSeq == 1)
        try writer.commit()
        var random = SeededRandom(seed: 1)
        disk.restart(&random)
        #expect(try read(disk).records == lines(1...3))
    }

    @Test func `letting go of what is pending takes back what was flushed of it`() throws {
        let disk = try diskWith(1)
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(2), at: noon)
        try writer.flush()
        writer.discardPending()
        #expect(try read(disk).records == lines(1...1))
        try writer.append(payload(2), at: noon)
        try writer.commit()
        #expect(try read(disk).records == lines(1...2))
    }

    @Test func `an empty or absent folder is a fresh journal`() throws {
        let disk = MemoryDisk()
        var writer = try JournalWriter.open(disk) { _ in Issue.record("there is nothing to replay") }
        #expect(writer.report == JournalReport())
        #expect(disk.fileNames == [])
        #expect(try writer.append(payload(1), at: noon) == 1)
        try writer.commit()
        #expect(disk.fileNames == [firstSegment])
    }

    @Test func `a record comes back with its number, its time and its very bytes`() throws {
        let disk = MemoryDisk()
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.append(Array(#"{ "été" : "\n" }"#.utf8), at: "2026-11-21T03:04:05+01:00")
            try writer.commit()
        }
        var found: [JournalRecord] = []
        try JournalReader(disk).forEach { found.append($0) }
        #expect(found.map(\.seq) == [1])
        #expect(found.map(\.at) == ["2026-11-21T03:04:05+01:00"])
        #expect(found.map { text($0.payload) } == [#"{ "été" : "\n" }"#])
    }

    @Test(arguments: [
        ("[1]", noon, "not a JSON object"), ("", noon, "not a JSON object"), ("{\n}", noon, "line feed"),
        ("{}", "", "time stamp"), ("{}", "a\"b", "time stamp"), ("{}", "2026-11-21 12:00", "time stamp"),
        ("{}", String(repeating: "0", count: 41), "time stamp"),
    ])
    func `what cannot stand in a line is refused and takes no number`(
        json: String,
        at: String,
        reason: String
    ) throws {
        var writer = try JournalWriter.open(MemoryDisk()) { _ in }
        let error = #expect(throws: JournalError.self) { try writer.append(Array(json.utf8), at: at) }
        #expect(error.map { "\($0)".contains(reason) } == true)
        #expect(writer.lastSeq == 0)
        #expect(writer.pendingBytes == 0)
    }

    @Test func `the longest record fits and the next longer one does not`() throws {
        var limits = JournalLimits()
        limits.recordBytesMax = 200
        limits.chunkBytes = 16
        let disk = MemoryDisk()
        var writer = try JournalWriter.open(disk, limits: limits) { _ in }
        let longest = Array(("{\"a\":\"" + String(repeating: "x", count: 192) + "\"}").utf8)
        try writer.append(longest, at: String(repeating: "9", count: 40))
        #expect(throws: JournalError.recordTooLarge(bytes: 201, bytesMax: 200)) {
            try writer.append([0x7B, 0x20] + longest.dropFirst(), at: noon)
        }
        try writer.commit()
        #expect(try read(disk, limits: limits).report.records == 1)
    }

    @Test(arguments: [0, 1, 50, 150])
    func `a full disk loses nothing, and writing goes on once there is room`(bytesKept: Int) throws {
        let disk = try diskWith(2)
        let before = disk[firstSegment]
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(3), at: noon)
        try writer.append(payload(4), at: noon)
        disk.setFaults { operation, _ in operation == .write ? .init(reason: .full, bytesKept: bytesKept) : nil }
        #expect(throws: JournalError.diskFull(path: "state/\(firstSegment)")) { try writer.commit() }
        #expect(throws: JournalError.diskFull(path: "state/\(firstSegment)")) { try writer.commit() }
        #expect(disk[firstSegment] == before)
        #expect(writer.committedSeq == 2)
        disk.setFaults { _, _ in nil }
        try writer.append(payload(5), at: noon)
        try writer.commit()
        #expect(try read(disk).records == lines(1...5))
        #expect(disk.fileNames == [firstSegment])
    }

    @Test(arguments: [false, true])
    func `after a failed sync the segment is never written to again`(truncateFails: Bool) throws {
        let disk = try diskWith(2)
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(3), at: noon)
        disk.setFaults { operation, _ in
            operation == .sync || (truncateFails && operation == .truncate) ? .init(reason: .failed("I/O error")) : nil
        }
        let error = #expect(throws: JournalError.self) { try writer.commit() }
        #expect(error == .diskFailed(path: "state/\(firstSegment)", operation: .sync, reason: "I/O error"))
        disk.setFaults { _, _ in nil }
        try writer.append(payload(4), at: noon)
        try writer.commit()
        #expect(disk.fileNames == [firstSegment, "journal-00000000000000000003.jsonl"])

        // What the failed sync left in the first segment is lost in a power cut, and not missed.
        let (records, report) = try read(disk)
        #expect(records == lines(1...4))
        #expect(report.notices.count == (truncateFails ? 1 : 0))
        #expect(!report.isDamaged)
        var random = SeededRandom(seed: 1)
        disk.restart(&random)
        #expect(try read(disk).records == lines(1...4))
    }

    @Test func `a torn write that could not be cut off is passed over for the next segment`() throws {
        let disk = try diskWith(2)
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(3), at: noon)
        disk.setFaults { operation, _ in
            switch operation {
            case .write: .init(reason: .full, bytesKept: 40)
            case .truncate: .init(reason: .failed("I/O error"))
            default: nil
            }
        }
        #expect(throws: JournalError.self) { try writer.commit() }
        disk.setFaults { _, _ in nil }
        try writer.commit()
        let (records, report) = try read(disk)
        #expect(records == lines(1...3))
        #expect(
            report.notices.map(\.description) == [
                "\(firstSegment):3 (byte \(disk[firstSegment].count - 40)): 40 bytes from here on were left by a "
                    + "failed write; the next file replaces them"
            ])
    }

    @Test func `records of a failed commit do not come back once others took their numbers`() throws {
        let disk = try diskWith(2)
        let committed = disk[firstSegment].count
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.append(payload(33), at: noon)
            try writer.append(payload(44), at: noon)
            disk.setFaults { operation, _ in
                operation == .sync || operation == .truncate ? .init(reason: .failed("I/O error")) : nil
            }
            #expect(throws: JournalError.self) { try writer.commit() }
            disk.setFaults { operation, _ in operation == .write ? .init(reason: .full) : nil }
            #expect(throws: JournalError.self) { try writer.commit() }
            disk.setFaults { _, _ in nil }
        }
        var writer = try JournalWriter.open(disk) { _ in }
        #expect(try writer.append(payload(3), at: noon) == 3)
        try writer.commit()
        let (records, report) = try read(disk)
        #expect(records == lines(1...3))
        let left = disk[firstSegment].count - committed
        guard case .superseded(let place, bytes: left) = report.notices.first else {
            Issue.record("\(report.notices)")
            return
        }
        #expect((place.line, place.byteOffset, report.notices.count) == (3, committed, 1))
    }

    @Test func `a first segment whose write failed is begun anew`() throws {
        let disk = MemoryDisk()
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(1), at: noon)
        disk.setFaults { operation, _ in
            switch operation {
            case .write: .init(reason: .full, bytesKept: 40)
            case .truncate: .init(reason: .failed("I/O error"))
            default: nil
            }
        }
        #expect(throws: JournalError.self) { try writer.commit() }
        disk.setFaults { _, _ in nil }
        try writer.commit()
        let (records, report) = try read(disk)
        #expect(records == lines([1]))
        #expect(report.notices.isEmpty)
    }

    @Test(arguments: 0..<20)
    func `what a killed writer wrote is durable once it was replayed`(seed: UInt64) throws {
        let disk = try diskWith(2)
        let all = try diskWith(3)[firstSegment]
        let count = disk[firstSegment].count
        try disk.openToWrite(firstSegment).write(Array(all.dropFirst(count)), at: count)
        #expect(try reopen(disk).records == 3)
        var random = SeededRandom(seed: seed)
        disk.restart(&random)
        #expect(try read(disk).records == lines(1...3), "seed \(seed)")
    }

    /// After a sync that failed the system shows bytes that no later sync will write.
    @Test(arguments: 0..<20)
    func `what a failed sync left in memory alone is durable once it was replayed`(seed: UInt64) throws {
        let disk = try diskWith(2)
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.append(payload(3), at: noon)
            disk.setFaults { operation, _ in
                [.sync, .truncate, .openToWrite].contains(operation) ? .init(reason: .failed("I/O error")) : nil
            }
            #expect(throws: JournalError.self) { try writer.commit() }
            disk.setFaults { _, _ in nil }
        }
        #expect(try reopen(disk).records == 3)
        var random = SeededRandom(seed: seed)
        disk.restart(&random)
        #expect(try read(disk).records == lines(1...3), "seed \(seed)")
    }

    @Test func `a segment that is long enough is followed by a new one`() throws {
        var limits = JournalLimits()
        limits.segmentBytesMax = 150
        let disk = try diskWith(4, limits: limits)
        #expect(disk.fileNames == [firstSegment, "journal-00000000000000000003.jsonl"])
        #expect(try read(disk).records == lines(1...4))
    }

    @Test func `compaction leaves one snapshot and one segment`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(4), at: noon)
        try writer.compact([payload(40)], at: noon)
        try writer.append(payload(5), at: noon)
        try writer.commit()
        #expect(disk.fileNames == ["journal-00000000000000000005.jsonl", "snapshot-00000000000000000004.jsonl"])
        let (records, report) = try read(disk)
        #expect(records == ["4 {\"n\":40}", "5 {\"n\":5}"])
        #expect(report.lastSeq == 5)
        #expect(report.notices.isEmpty)
    }

    @Test func `compaction removes older snapshots before the segments that follow them`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.compact((1...3).map(payload), at: noon)
        try writer.append(payload(4), at: noon)
        try writer.commit()
        let snapshot = "snapshot-00000000000000000003.jsonl"
        disk.setFaults { operation, name in
            operation == .remove && name == snapshot ? .init(reason: .failed("I/O error")) : nil
        }
        try writer.compact((1...4).map(payload), at: noon)
        #expect(disk.fileNames.contains(snapshot))
        #expect(disk.fileNames.contains("journal-00000000000000000004.jsonl"))
        disk.setFaults { _, _ in nil }

        // What could not be removed does no harm, and the next start removes it.
        #expect(try read(disk).records.count == 4)
        drop(writer)
        try reopen(disk)
        #expect(disk.fileNames == ["journal-00000000000000000005.jsonl", "snapshot-00000000000000000004.jsonl"])
    }

    @Test func `compaction pays once twice as much was written as the snapshot holds, and not little`() throws {
        var limits = JournalLimits()
        limits.compactionBytesMin = 300
        let disk = MemoryDisk()
        var writer = try JournalWriter.open(disk, limits: limits) { _ in }
        var written = 0
        while !writer.needsCompaction {
            written += 1
            try writer.append(payload(written), at: noon)
            try writer.commit()
        }
        #expect(written == 4)
        try writer.compact((1...20).map(payload), at: noon)
        #expect(writer.bytesSinceSnapshot == 0)
        var more = 0
        while !writer.needsCompaction {
            more += 1
            try writer.append(payload(more), at: noon)
            try writer.commit()
        }
        #expect((40...44).contains(more))
    }

    @Test func `a compaction that fails leaves a journal that goes on`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        disk.setFaults { operation, name in
            operation == .write && name.hasPrefix("snapshot") ? .init(reason: .full, bytesKept: 10) : nil
        }
        #expect(throws: JournalError.self) { try writer.compact((1...3).map(payload), at: noon) }
        disk.setFaults { _, _ in nil }
        try writer.append(payload(4), at: noon)
        try writer.commit()
        #expect(try read(disk).records == lines(1...4))
        try writer.compact((1...4).map(payload), at: noon)
        #expect(try read(disk).records == (1...4).map { "4 {\"n\":\($0)}" }, "all of it is the snapshot's")
        #expect(disk.fileNames.count == 2)
    }

    @Test func `an error of the caller ends the replay and says where`() throws {
        struct Unknown: Error, CustomStringConvertible { let description = "kind 'teleport' is unknown" }
        let disk = try diskWith(3)
        let error = #expect(throws: JournalError.self) {
            _ = try JournalWriter.open(disk) { if $0.seq == 2 { throw Unknown() } }
        }
        guard case .refused(let place, 2, "kind 'teleport' is unknown") = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.line == 2)
    }

    @Test func `there is one writer, and any number of readers`() throws {
        let disk = try diskWith(2)
        var writer = try JournalWriter.open(disk) { _ in }
        let error = #expect(throws: JournalError.self) { try reopen(disk) }
        #expect(
            error?.description == "another bot (pid 123) holds the lock on state; "
                + "stop it first, or give this one a folder of its own")
        #expect(try read(disk).records == lines(1...2))
        try writer.append(payload(3), at: noon)
        try writer.commit()
    }

    @Test func `an actor can own it`() async throws {
        actor Owner {
            private var writer: JournalWriter
            init(_ writer: consuming JournalWriter) { self.writer = writer }
            func write(_ payload: [UInt8]) throws(JournalError) -> UInt64 {
                try writer.append(payload, at: noon)
                try writer.commit()
                return writer.committedSeq
            }
        }
        let owner = Owner(try JournalWriter.open(MemoryDisk()) { _ in })
        #expect(try await owner.write(payload(1)) == 1)
    }
}
