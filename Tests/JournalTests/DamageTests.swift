import Chance
import Journal
import JournalTesting
import Testing

@Suite struct `A damaged journal` {
    @Test func `a torn last record is cut at each of its bytes`() throws {
        let whole = try diskWith(3)[firstSegment]
        let lastStart = try #require(whole.dropLast().lastIndex(of: 0x0A)) + 1
        for end in lastStart + 1..<whole.count - 1 {
            let disk = MemoryDisk()
            disk[firstSegment] = Array(whole[..<end])
            let report = try reopen(disk)
            let place = try #require(read(disk).report.records == 2 ? report.notices.first : nil)
            guard case .tornTail(let torn, let bytes) = place else {
                Issue.record("cut at \(end): \(place)")
                continue
            }
            #expect((torn.line, torn.byteOffset, bytes) == (3, lastStart, end - lastStart))
            #expect(disk[firstSegment].count == lastStart)
            #expect(!report.isDamaged)
        }
    }

    @Test(arguments: [("", 0), ("X", 1)])
    func `a last record that lacks nothing but its line feed is kept and fixed`(ending: String, extra: Int) throws {
        let whole = try diskWith(3)[firstSegment]
        let disk = MemoryDisk()
        disk[firstSegment] = whole.dropLast() + Array(ending.utf8)
        let report = try reopen(disk)
        guard case .lineFeedMissing = report.notices.first else {
            Issue.record("\(report.notices)")
            return
        }
        #expect(report.lastSeq == 3)
        #expect(disk[firstSegment] == whole)
    }

    @Test func `a flipped bit at any byte of a middle record is reported and the others survive`() throws {
        let whole = try diskWith(3)[firstSegment]
        let start = try #require(whole.firstIndex(of: 0x0A)) + 1
        let end = try #require(whole[start...].firstIndex(of: 0x0A))
        for index in start...end {
            for bit in 0..<8 {
                let disk = MemoryDisk()
                var bytes = whole
                bytes[index] ^= 1 << bit
                disk[firstSegment] = bytes
                let report = try reopen(disk)
                let comment: Comment = "byte \(index - start), bit \(bit)"
                #expect(report.isDamaged, comment)
                // An altered line feed costs no record at all.
                #expect(try read(disk).records == lines(index == end ? [1, 2, 3] : [1, 3]), comment)
                #expect(report.lastSeq == 3, comment)
            }
        }
    }

    @Test(arguments: [
        ("not json at all", JournalDamage.notARecord),
        ("", .notARecord),
        (#"{"v":1,"seq":2,"at":"2026-11-21T12:00:00.000Z","crc":"00000000","record":{"n":2}}"#, .badChecksum),
        (#"{"v":2,"seq":2,"last":0,"at":"2026-11-21T12:00:00.000Z","crc":"00000000","record":{"n":2}}"#, .badChecksum),
        (String(repeating: "x", count: 400), .oversize(bytes: 400)),
    ])
    func `a damaged line is named with its place`(line: String, damage: JournalDamage) throws {
        var limits = JournalLimits()
        limits.recordBytesMax = 100
        limits.chunkBytes = 64
        let whole = try diskWith(3)[firstSegment]
        let parts = whole.split(separator: 0x0A)
        let disk = MemoryDisk()
        disk[firstSegment] = Array([parts[0], Array(line.utf8)[...], parts[2], []].joined(separator: [0x0A]))
        let (records, report) = try read(disk, limits: limits)
        #expect(records == lines([1, 3]))
        guard case .damaged(let place, damage) = report.notices.first else {
            Issue.record("\(report.notices)")
            return
        }
        #expect((place.file, place.line, place.byteOffset) == (firstSegment, 2, parts[0].count + 1))
        #expect(report.notices.count == 1)
    }

    @Test func `invalid UTF-8 is named`() throws {
        let disk = try diskWith(3)
        let middle = disk[firstSegment].count / 2
        disk[firstSegment][middle] = 0xFF
        #expect(try read(disk).report.notices.first.map { "\($0)".contains("not valid UTF-8") } == true)
    }

    @Test func `a missing line is a gap, and a line that stands twice is given once`() throws {
        let parts = try diskWith(4)[firstSegment].split(separator: 0x0A).map { $0 + [0x0A] }
        let disk = MemoryDisk()
        disk[firstSegment] = Array((parts[0] + parts[2] + parts[3] + parts[3]))
        let (records, report) = try read(disk)
        #expect(records == lines([1, 3, 4]))
        #expect(
            report.notices.map(\.description) == [
                "\(firstSegment):2 (byte \(parts[0].count)): record 2, which should come before this, is missing",
                "\(firstSegment):4 (byte \(parts[0].count * 3)): record 4 is here a second time; it is skipped",
            ])
    }

    @Test func `a damaged last record keeps its number, so that no later record gets it`() throws {
        let disk = try diskWith(3)
        let count = disk[firstSegment].count
        disk[firstSegment][count - 5] ^= 1
        var writer = try JournalWriter.open(disk) { _ in }
        #expect(writer.report.isDamaged)
        #expect(try writer.append(payload(4), at: noon) == 4)
        try writer.commit()
        let (records, report) = try read(disk)
        #expect(records == lines([1, 2, 4]))
        #expect(report.notices.count == 1)
    }

    @Test func `a record broken in three lines does not hide the last one of its segment`() throws {
        var limits = JournalLimits()
        limits.segmentBytesMax = 200
        let disk = try diskWith(4, limits: limits)
        #expect(disk.fileNames.count == 2)
        let secondStart = try #require(disk[firstSegment].firstIndex(of: 0x0A)) + 1
        for offset in [30, 60] { disk[firstSegment][secondStart + offset] = 0x0A }
        let (records, report) = try read(disk, limits: limits)
        #expect(records == lines([1, 3, 4]))
        #expect(report.notices.count == 3)
        #expect(report.isDamaged)
    }

    @Test func `a lost segment in the middle is a gap`() throws {
        var limits = JournalLimits()
        limits.segmentBytesMax = 1
        let disk = try diskWith(4, limits: limits)
        try disk.remove("journal-00000000000000000002.jsonl")
        let (records, report) = try read(disk)
        #expect(records == lines([1, 3, 4]))
        #expect(report.isDamaged)
        #expect(report.notices.count == 1)
    }

    @Test func `a file that only has a journal's name is left alone`() throws {
        let disk = MemoryDisk()
        disk[firstSegment] = Array("some other program's\nlines\nand more".utf8)
        #expect(throws: JournalError.foreignFile(path: "state/\(firstSegment)")) { try reopen(disk) }
        #expect(text(disk[firstSegment]).hasSuffix("and more"))
    }

    @Test func `a newer version is refused`() throws {
        let disk = try diskWith(1)
        let before = disk[firstSegment]
        disk[firstSegment] += Array("{\"v\":4,\"crc\":\"877ddc01\",\"id\":\"x\"}\n".utf8)
        let error = #expect(throws: JournalError.self) { try reopen(disk) }
        guard case .newerVersion(let place, 4) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.line == 2)
        #expect("\(place)".hasPrefix(firstSegment))
        #expect(disk[firstSegment].starts(with: before))
    }

    @Test func `a file whose first line names a newer version, and that has none of this one, is refused`() throws {
        let disk = MemoryDisk()
        disk[firstSegment] = Array("{\"v\":4,\"sum\":\"?\",\"id\":\"x\"}\n{\"v\":4,\"sum\":\"?\",\"id\":\"y\"}\n".utf8)
        let error = #expect(throws: JournalError.self) { try reopen(disk) }
        guard case .newerVersion(let place, 4) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.line == 1)
    }

    @Test(arguments: [0, 1, 2])
    func `damage that spells a later version is damage`(line: Int) throws {
        let disk = try diskWith(3)
        var parts = disk[firstSegment].split(separator: 0x0A).map { Array($0) }
        parts[line][5] = UInt8(ascii: "7")
        parts[line][parts[line].count - 3] ^= 1
        disk[firstSegment] = Array(parts.joined(separator: [0x0A])) + [0x0A]
        let (records, report) = try read(disk)
        #expect(records == lines((1...3).filter { $0 != line + 1 }))
        guard case .damaged(let place, .badChecksum) = report.notices.first else {
            Issue.record("\(report.notices)")
            return
        }
        #expect(place.line == line + 1)
    }

    @Test(arguments: ["", "yester day", "12:00\\n", "12:00\u{7F}", "11:59 \u{E9}"])
    func `a line with a time stamp that could not be written again is damage, and repair saves the others`(
        at: String
    ) throws {
        let disk = MemoryDisk()
        disk[firstSegment] = oldLine(1) + oldLine(2, at: at) + oldLine(3)
        let (records, report) = try read(disk)
        #expect(records == lines([1, 3]))
        #expect(report.notices.count == 1)
        let copy = MemoryDisk()
        #expect(try JournalRepair(disk, to: copy).saved == 2)
    }

    @Test(arguments: 0..<400)
    func `whatever is done to the bytes, no record is altered or doubled and the journal can be written to`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        var limits = JournalLimits()
        limits.segmentBytesMax = 300
        limits.chunkBytes = 50
        limits.recordBytesMax = 60
        let disk = try diskWith(8, limits: limits)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let name = try #require(disk.fileNames.randomElement(using: &random))
            var bytes = disk[name]
            let from = Int.random(in: 0...bytes.count, using: &random)
            let to = min(bytes.count, from + Int.random(in: 0...150, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeSubrange(from..<to)
            case 1: bytes.insert(contentsOf: bytes[from..<to], at: Int.random(in: 0...bytes.count, using: &random))
            case 2:
                for index in from..<to where index % 7 == 0 { bytes[index] = UInt8.random(in: 0...255, using: &random) }
            default: bytes.removeLast(bytes.count - from)
            }
            disk[name] = bytes
        }
        var found: [String] = []
        do {
            var writer = try JournalWriter.open(disk, limits: limits) { found.append("\($0.seq) \(text($0.payload))") }
            let seq = try writer.append(payload(100), at: noon)
            found.append("\(seq) {\"n\":100}")
            try writer.commit()
        } catch {
            // Nothing is left that looks like a journal, or chance made a later version of it: then nothing is touched.
            switch error {
            case .foreignFile, .newerVersion: return
            default: throw error
            }
        }
        let survivors = found.dropLast().compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(Array(found.dropLast()) == lines(survivors), "seed \(seed)")
        #expect(survivors == Set(survivors).sorted(), "seed \(seed)")
        #expect(try read(disk, limits: limits).records == found, "seed \(seed)")
    }

    @Test func `a file of nothing but damage fills neither the memory nor the report`() throws {
        let disk = try diskWith(1)
        disk[firstSegment] += Array(String(repeating: "x\n", count: 5_000).utf8)
        let report = try read(disk).report
        #expect(report.notices.count == 1_000)
        #expect(report.noticesOmitted == 4_000)
    }

    @Test func `a snapshot damaged by age is replayed as far as it goes and put aside by the next compaction`() throws {
        let disk = try diskWith(3)
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.compact((1...3).map(payload), at: noon)
        }
        let snapshot = "snapshot-00000000000000000003.jsonl"
        let middle = disk[snapshot].count / 2
        disk[snapshot][middle] ^= 1
        let damaged = disk[snapshot]
        var found: [String] = []
        var writer = try JournalWriter.open(disk) { found.append(text($0.payload)) }
        #expect(found.count == 2)
        #expect(writer.report.notices.contains(.brokenSnapshot(file: snapshot, used: true)))
        #expect(writer.lastSeq == 3)
        try writer.compact(found.map { Array($0.utf8) }, at: noon)
        #expect(disk[snapshot + ".damaged"] == damaged)
        let (_, report) = try read(disk)
        #expect(report.records == 2)
        #expect(!report.isDamaged)
    }

    @Test func `a half-written snapshot gives way to the older files that are still there`() throws {
        let disk = try diskWith(3)
        let segment = disk[firstSegment]
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.compact((1...3).map(payload), at: noon)
        }
        let snapshot = "snapshot-00000000000000000003.jsonl"
        for end in 0..<disk[snapshot].count - 1 {
            let copy = MemoryDisk()
            copy[firstSegment] = segment
            copy[snapshot] = Array(disk[snapshot].prefix(end))
            let (records, report) = try read(copy)
            #expect(records == lines(1...3), "cut at \(end)")
            #expect(report.notices == [.brokenSnapshot(file: snapshot, used: false)], "cut at \(end)")
        }
    }
}
