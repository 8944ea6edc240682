import JournalTesting
import Testing

@testable import Journal

/// What one commit wrote counts as a whole or not at all.
@Suite struct `A commit` {
    private static let secondSegment = "journal-00000000000000000006.jsonl"

    /// Records 1 and 2 in a commit, and 3 to 5 in another.
    private static func disk() throws -> (disk: MemoryDisk, firstCommit: Int) {
        let disk = MemoryDisk()
        var writer = try JournalWriter.open(disk) { _ in }
        for number in 1...2 { try writer.append(payload(number), at: noon) }
        try writer.commit()
        let firstCommit = disk[firstSegment].count
        for number in 3...5 { try writer.append(payload(number), at: noon) }
        try writer.commit()
        return (disk, firstCommit)
    }

    /// The line of a commit, written by hand.
    private static func line(_ number: Int, isLast: Bool) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var stamp = Line.Stamp()
        try stamp.set(noon)
        try Line.write(.record, seq: UInt64(number), isLast: isLast, at: stamp, limits: .standard, to: &bytes) {
            $0 += payload(number)
        }
        return bytes
    }

    /// The journal that a reader and a writer find in a file of these bytes; both must agree.
    private static func found(
        _ bytes: [UInt8], _ comment: Comment
    ) throws -> (records: [String], report: JournalReport, disk: MemoryDisk) {
        let disk = MemoryDisk()
        disk[firstSegment] = bytes
        let (records, report) = try read(disk)
        #expect(disk[firstSegment] == bytes, comment)
        var given: [String] = []
        let writer = try JournalWriter.open(disk) { given.append("\($0.seq) \(text($0.payload))") }
        #expect(given == records, comment)
        #expect(writer.report == report, comment)
        drop(writer)
        return (records, report, disk)
    }

    @Test func `that is torn at any byte leaves nothing of it, and its numbers are given anew`() throws {
        let (whole, firstCommit) = try Self.disk()
        let bytes = whole[firstSegment]
        for end in firstCommit..<bytes.count - 1 {
            let comment: Comment = "cut at \(end)"
            let (records, report, disk) = try Self.found(Array(bytes[..<end]), comment)
            #expect(records == lines(1...2), comment)
            #expect((report.lastSeq, report.records, report.isDamaged) == (2, 2, false), comment)
            if end == firstCommit {
                #expect(report.notices == [], comment)
            } else {
                let place = JournalPlace(file: firstSegment, line: 3, byteOffset: firstCommit)
                #expect(report.notices == [.tornTail(place, bytes: end - firstCommit)], comment)
            }
            #expect(disk[firstSegment] == Array(bytes[..<firstCommit]), comment)
            var writer = try JournalWriter.open(disk) { _ in }
            for number in 3...5 { #expect(try writer.append(payload(number), at: noon) == number, comment) }
            try writer.commit()
            #expect(disk[firstSegment] == bytes, comment)
        }
    }

    @Test func `that is the first of its file is known for a journal's, torn and with a bit turned`() throws {
        let line = try Self.line(1, isLast: false)
        for end in 1..<line.count {
            for index in 0..<end {
                for bit in 0..<8 {
                    var torn = Array(line[..<end])
                    torn[index] ^= 1 << bit
                    let disk = MemoryDisk()
                    disk[firstSegment] = torn
                    #expect(try read(disk).records.isEmpty, "cut at \(end), byte \(index), bit \(bit)")
                }
            }
        }
    }

    @Test func `that lacks nothing but its last line feed is whole`() throws {
        let bytes = try Self.disk().disk[firstSegment]
        for ending in ["", "X"] {
            let (records, report, disk) = try Self.found(bytes.dropLast() + Array(ending.utf8), "ends in '\(ending)'")
            #expect(records == lines(1...5))
            #expect(!report.isDamaged)
            #expect(disk[firstSegment] == bytes)
        }
    }

    @Test func `that the power cuts short with zeros in it leaves nothing of it`() throws {
        let (whole, firstCommit) = try Self.disk()
        let bytes = whole[firstSegment]
        for end in firstCommit + 1..<bytes.count {
            let torn = bytes[..<end] + [UInt8](repeating: 0, count: bytes.count - end)
            let (records, report, _) = try Self.found(Array(torn), "zeros from \(end)")
            // A zero in place of the last line feed is fixed.
            #expect(records == lines(end == bytes.count - 1 ? 1...5 : 1...2), "zeros from \(end)")
            #expect(!report.isDamaged)
        }
    }

    @Test func `in which a bit has turned loses one record at most, and says so`() throws {
        let (whole, firstCommit) = try Self.disk()
        let bytes = whole[firstSegment]
        for index in firstCommit..<bytes.count {
            for bit in 0..<8 {
                var turned = bytes
                turned[index] ^= 1 << bit
                let comment: Comment = "byte \(index), bit \(bit)"
                let (records, report, _) = try Self.found(turned, comment)
                #expect(records.count >= 4, comment)
                #expect(records.allSatisfy(lines(1...5).contains), comment)
                #expect(!report.notices.isEmpty, comment)
                #expect(report.isDamaged || records.count == 5, comment)
                #expect(report.lastSeq == 5, comment)
            }
        }
    }

    @Test(
        arguments: [
            // Lines of the second and last commit by number, a minus for damaged ones; what is left, and the last
            // number.
            ([3, -4, 5], [1, 2, 3, 5], 5), ([3, 4, -5], [1, 2, 3, 4], 5), ([-3, 4, 5], [1, 2, 4, 5], 5),
            // Torn besides: what follows the damage may still be of a commit that never ended.
            ([3, -4], [1, 2, 3], 4), ([-3, 4], [1, 2], 3), ([3], [1, 2], 2), ([4], [1, 2], 3),
        ] as [([Int], [Int], UInt64)])
    func `with damage in it keeps what can be saved`(tail: [Int], expected: [Int], lastSeq: UInt64) throws {
        let (whole, firstCommit) = try Self.disk()
        var bytes = Array(whole[firstSegment][..<firstCommit])
        for number in tail {
            var line = try Self.line(abs(number), isLast: abs(number) == 5)
            if number < 0 { line[line.count - 5] ^= 1 }
            bytes += line
        }
        let (records, report, disk) = try Self.found(bytes, "\(tail)")
        #expect(records == lines(expected))
        #expect(report.lastSeq == lastSeq)
        // Once cut off it is read as it was.
        let (again, after) = try read(disk)
        #expect(again == records)
        #expect(after.lastSeq == lastSeq || tail == [4])
    }

    @Test func `before another segment is whole even if its last line is lost`() throws {
        for lost in 1...3 {
            let (disk, _) = try Self.disk()
            let kept = disk[firstSegment].split(separator: 0x0A).dropLast(lost).map { $0 + [0x0A] }
            disk[firstSegment] = Array(kept.joined())
            disk[Self.secondSegment] = try Self.line(6, isLast: true)
            let (records, report) = try read(disk)
            #expect(records == lines(Array(1...5 - lost) + [6]))
            #expect(report.isDamaged)
            #expect(report.lastSeq == 6)
        }
    }

    @Test func `that failed and is tried again with more behind may come back without the rest`() throws {
        let disk = try diskWith(1)
        var writer = try JournalWriter.open(disk) { _ in }
        for number in 2...3 { try writer.append(payload(number), at: noon) }
        disk.setFaults { operation, _ in operation == .write ? .init(reason: .full, bytesKept: 40) : nil }
        #expect(throws: JournalError.self) { try writer.commit() }
        disk.setFaults { _, _ in nil }
        for number in 4...5 { try writer.append(payload(number), at: noon) }
        try writer.commit()
        drop(writer)
        let bytes = disk[firstSegment]
        let lengths = bytes.split(separator: 0x0A).map { $0.count + 1 }
        let firstEnd = lengths[..<3].reduce(0, +)
        for end in lengths[0]..<bytes.count - 1 {
            let records = try Self.found(Array(bytes[..<end]), "cut at \(end)").records
            // Its line feed may be missing.
            #expect(records == lines(1...(end >= firstEnd - 1 ? 3 : 1)), "cut at \(end)")
        }
    }

    @Test func `whose records are let go leaves no mark on the next`() throws {
        let disk = try diskWith(1)
        var writer = try JournalWriter.open(disk) { _ in }
        for number in 2...3 { try writer.append(payload(number), at: noon) }
        writer.discardPending()
        try writer.commit()
        try writer.append(payload(2), at: noon)
        #expect(throws: JournalError.self) { try writer.append([], at: noon) }
        try writer.commit()
        #expect(disk[firstSegment] == (try diskWith(2))[firstSegment])
    }

    // MARK: Version 1

    @Test func `of release 0.1 counts line by line, and is cut within a line as it was`() throws {
        let bytes = Array((1...3).map { oldLine($0) }.joined())
        let length = oldLine(1).count
        for end in 0..<bytes.count {
            // A line that lacks nothing but its line feed is whole.
            let count = (end + 1) / length
            let (records, report, disk) = try Self.found(Array(bytes[..<end]), "cut at \(end)")
            #expect(records == (count == 0 ? [] : lines(1...count)), "cut at \(end)")
            #expect(!report.isDamaged)
            #expect(disk[firstSegment] == Array(bytes[..<(count * length)]))
        }
    }

    @Test func `follows lines of release 0.1 in their segment`() throws {
        let old = Array((1...2).map { oldLine($0) }.joined())
        let disk = MemoryDisk()
        disk[firstSegment] = old + Array("{\"v\":1,\"seq\":3,\"a".utf8)
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            for number in 3...5 { try writer.append(payload(number), at: noon) }
            try writer.commit()
        }
        let bytes = disk[firstSegment]
        #expect(bytes == old + (try Self.disk()).disk[firstSegment].suffix(bytes.count - old.count))
        for end in old.count..<bytes.count - 1 {
            #expect(try Self.found(Array(bytes[..<end]), "cut at \(end)").records == lines(1...2), "cut at \(end)")
        }
        #expect(try Self.found(bytes, "whole").records == lines(1...5))
        // A line feed lost between the two versions joins their lines, and costs none.
        var joined = bytes
        joined[old.count - 1] = UInt8(ascii: "x")
        let (records, report, _) = try Self.found(joined, "joined")
        #expect(records == lines(1...5))
        #expect(report.isDamaged)
    }

    @Test func `that is torn is neither repaired nor compacted into a journal`() throws {
        let (whole, firstCommit) = try Self.disk()
        let disk = MemoryDisk()
        disk[firstSegment] = Array(whole[firstSegment].dropLast(20))
        let target = MemoryDisk()
        let repair = try JournalRepair(disk, to: target)
        #expect(repair.saved == 2)
        #expect(!repair.found.isDamaged)
        #expect(try read(target).records == lines(1...2))
        #expect(target[firstSegment] == Array(whole[firstSegment][..<firstCommit]))

        var found: [[UInt8]] = []
        var writer = try JournalWriter.open(disk) { found.append(Array($0.payload)) }
        try writer.compact(found, at: noon)
        #expect(disk.fileNames == ["journal-00000000000000000003.jsonl", "snapshot-00000000000000000002.jsonl"])
        let (records, report) = try read(disk)
        #expect(records == ["2 {\"n\":1}", "2 {\"n\":2}"])
        #expect(report.notices.isEmpty)
    }

    @Test func `is seen by a reader beside the writer once it is there whole`() throws {
        let disk = MemoryDisk()
        var seen: [[String]] = []
        let (whole, _) = try Self.disk()
        for byte in whole[firstSegment] {
            disk[firstSegment].append(byte)
            let records = try read(disk).records
            if seen.last != records { seen.append(records) }
        }
        #expect(seen == [[], lines(1...2), lines(1...5)])
    }
}
