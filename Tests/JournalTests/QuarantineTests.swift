import Foundation
import Journal
import JournalTesting
import Testing

@Suite struct `Damaged bytes` {
    private let quarantine = "quarantine.jsonl"

    private struct Piece: Decodable, Equatable {
        var file: String
        var line: Int
        var byte: Int
        var bytes: Int
        var why: String
        var base64: Data
    }

    private func pieces(_ disk: MemoryDisk) throws -> [Piece] {
        try disk[quarantine].split(separator: 0x0A).map { try JSONDecoder().decode(Piece.self, from: Data($0)) }
    }

    @Test func `are kept with their place when a writer opens, once however often`() throws {
        let disk = try diskWith(3)
        let parts = disk[firstSegment].split(separator: 0x0A)
        disk[firstSegment][parts[0].count + 30] = 0xFF
        let damaged = disk[firstSegment][parts[0].count + 1..<parts[0].count + 1 + parts[1].count]
        for _ in 0..<3 { #expect(try reopen(disk).damagedLines == 1) }
        #expect(
            try pieces(disk) == [
                Piece(
                    file: firstSegment, line: 2, byte: parts[0].count + 1, bytes: parts[1].count,
                    why: "the line is not valid UTF-8; it is skipped", base64: Data(damaged))
            ])
        #expect(try JournalReader(disk).quarantined() == 1)
        #expect(try read(disk).records == lines([1, 3]))
    }

    @Test func `are put aside by a compaction soon after, so that no later start finds them`() throws {
        let disk = try diskWith(3)
        disk[firstSegment][150] ^= 1
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            let (isDue, isOverdue) = (writer.needsCompaction, writer.isCompactionOverdue)
            #expect(isDue, "though there is little to compact")
            #expect(!isOverdue, "and it may wait for a quiet moment")
            let written = try writer.begin(at: noon).write([payload(1), payload(3)])
            try writer.finish(written)
            let isDueAgain = writer.needsCompaction
            #expect(!isDueAgain)
        }
        let writer = try JournalWriter.open(disk) { _ in }
        let (loss, isDue) = (writer.report.loss, writer.needsCompaction)
        #expect(loss == nil)
        #expect(!isDue)
    }

    @Test func `stay in quarantine after the journal was compacted`() throws {
        let disk = try diskWith(3)
        disk[firstSegment][150] ^= 1
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.compact([payload(1), payload(3)], at: noon)
        }
        let report = try JournalReader(disk).verify()
        #expect(!report.isDamaged)
        #expect(try JournalReader(disk).quarantined() == 1)
        #expect(disk.fileNames.contains(firstSegment + ".damaged"))
    }

    @Test func `are not written by readers, nor is there a quarantine of a sound journal`() throws {
        let disk = try diskWith(3)
        try reopen(disk)
        #expect(!disk.fileNames.contains(quarantine))
        disk[firstSegment][150] ^= 1
        _ = try read(disk)
        #expect(!disk.fileNames.contains(quarantine))
        #expect(try JournalReader(disk).quarantined() == 0)
    }

    @Test func `that cannot be kept hinder nobody`() throws {
        let disk = try diskWith(3)
        disk[firstSegment][150] ^= 1
        let name = quarantine
        disk.setFaults { operation, file in
            operation == .write && file == name ? .init(reason: .full, bytesKept: 7) : nil
        }
        try reopen(disk)
        disk.setFaults { _, _ in nil }
        try reopen(disk)
        // The torn line stays; the whole one follows on a line of its own.
        #expect(disk[quarantine].split(separator: 0x0A).count == 2)
    }

    @Test func `of a record beyond all bounds are kept in part, and the end of the file is left alone`() throws {
        var limits = JournalLimits()
        limits.chunkBytes = 1 << 16
        limits.recordBytesMax = 1 << 17
        for ended in [true, false] {
            let disk = try diskWith(2)
            let whole = disk[firstSegment]
            let giant = Array(#"{"v":1,"seq":3,"at":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: 3 << 20)
            disk[firstSegment] = whole + giant + (ended ? [0x0A] : [])
            var writer = try JournalWriter.open(disk, limits: limits) { _ in }
            #expect(writer.report.isDamaged)
            #expect(writer.report.notices.first.map { "\($0)".contains("more than any record") } == true)
            let piece = try #require(try pieces(disk).first)
            #expect((piece.byte, piece.bytes, piece.base64.count) == (whole.count, giant.count, 64 << 10))
            try writer.append(payload(4), at: noon)
            try writer.commit()
            #expect(disk[firstSegment].count >= whole.count + giant.count)
            #expect(try read(disk, limits: limits).records == lines([1, 2, 4]))
        }
    }
}

@Suite struct `A repair` {
    @Test func `copies all that is left, in order, into a sound journal`() throws {
        let disk = try diskWith(3)
        do {
            var writer = try JournalWriter.open(disk) { _ in }
            try writer.compact((1...3).map(payload), at: noon)
            for number in 4...8 {
                try writer.append(payload(number), at: "2026-11-21T12:00:0\(number)Z")
                try writer.commit()
            }
        }
        let segment = "journal-00000000000000000004.jsonl"
        disk[segment][150] ^= 1
        let lines = disk[segment].split(separator: 0x0A)
        disk[segment] = Array((lines[..<3] + lines[4...] + [[]]).joined(separator: [0x0A]))
        let before = disk[segment]

        let target = MemoryDisk()
        let repair = try JournalRepair(disk, to: target)
        #expect(repair.saved == 6)
        #expect((repair.found.damagedLines, repair.found.missingRecords) == (1, 1))
        #expect(disk[segment] == before)
        #expect(!disk.fileNames.contains("quarantine.jsonl"))
        var found: [String] = []
        let report = try JournalReader(target).forEach { found.append("\($0.seq) \($0.at) \(text($0.payload))") }
        #expect(!report.isDamaged)
        #expect(
            found == [
                "1 \(noon) {\"n\":1}", "2 \(noon) {\"n\":2}", "3 \(noon) {\"n\":3}",
                "4 2026-11-21T12:00:04Z {\"n\":4}", "5 2026-11-21T12:00:06Z {\"n\":6}",
                "6 2026-11-21T12:00:08Z {\"n\":8}",
            ])
    }

    @Test func `works beside a writer`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.append(payload(4), at: noon)
        try writer.commit()
        try writer.append(payload(5), at: noon)
        let target = MemoryDisk()
        #expect(try JournalRepair(disk, to: target).saved == 4)
        try writer.commit()
        #expect(try read(target).records == lines(1...4))
    }

    @Test func `is refused where a journal lies already`() throws {
        let disk = try diskWith(3)
        let target = try diskWith(1)
        #expect(throws: JournalError.occupied(folder: "state")) { _ = try JournalRepair(disk, to: target) }
        #expect(try read(target).records == lines([1]))
    }

    @Test func `says what kept the copy from being written, and leaves nothing that would be in the way of the next`()
        throws
    {
        let target = MemoryDisk()
        target.setFaults { operation, _ in operation == .write ? .init(reason: .full) : nil }
        #expect(throws: JournalError.diskFull(path: "state/\(firstSegment)")) {
            _ = try JournalRepair(try diskWith(3), to: target)
        }
        #expect(target.fileNames == [])
        target.setFaults { _, _ in nil }
        #expect(try JournalRepair(try diskWith(3), to: target).saved == 3)
    }

    @Test func `of what is no journal makes nothing`() throws {
        let disk = MemoryDisk()
        disk[firstSegment] = Array("some other program's\nlines\n".utf8)
        let target = MemoryDisk()
        #expect(throws: JournalError.foreignFile(path: "state/\(firstSegment)")) {
            _ = try JournalRepair(disk, to: target)
        }
        #expect(target.fileNames == [])
    }
}
