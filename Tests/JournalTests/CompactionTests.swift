import Chance
import Journal
import JournalTesting
import Testing

/// A snapshot is written while the journal goes on.
@Suite struct `A compaction` {
    private static let snapshot = "snapshot-00000000000000000003.jsonl"

    @Test func `lets records through between its steps, and its snapshot stands for those before it`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        let compaction = try writer.begin(at: noon)
        #expect(compaction.through == 3)
        try writer.append(payload(4), at: noon)
        try writer.commit()
        #expect(try read(disk).records == lines(1...4))

        let written = try compaction.write([payload(30)])
        try writer.append(payload(5), at: noon)
        try writer.commit()
        #expect(try read(disk).records == lines(1...5))

        let before = writer.bytesSinceSnapshot
        try writer.finish(written)
        let (records, report) = try read(disk)
        #expect(records == ["3 {\"n\":30}"] + lines(4...5))
        #expect(report.notices.isEmpty)
        #expect(disk.fileNames == ["journal-00000000000000000004.jsonl", Self.snapshot])
        #expect(writer.bytesSinceSnapshot == disk["journal-00000000000000000004.jsonl"].count)
        #expect(writer.bytesSinceSnapshot < before)
    }

    @Test func `begins no dearer than a commit`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        _ = disk.takeOperations()
        _ = try writer.begin(at: noon)
        #expect(disk.takeOperations() == [.remove, .openToWrite, .sync])
    }

    @Test func `that finds no room leaves nothing behind and is not due again at once`() throws {
        var limits = JournalLimits()
        limits.compactionBytesMin = 300
        let disk = try diskWith(4, limits: limits)
        var writer = try JournalWriter.open(disk, limits: limits) { _ in }
        #expect(writer.needsCompaction == true)
        disk.setFaults { operation, name in
            operation == .write && name.hasPrefix("snapshot") ? .init(reason: .full, bytesKept: 10) : nil
        }
        let compaction = try writer.begin(at: noon)
        #expect(writer.needsCompaction == false)
        #expect(throws: JournalError.diskFull(path: "state/snapshot-00000000000000000004.jsonl.tmp")) {
            _ = try compaction.write((1...4).map(payload))
        }
        writer.abandon()
        #expect(!disk.fileNames.contains { $0.hasPrefix("snapshot") })
        #expect(writer.needsCompaction == false)
        disk.setFaults { _, _ in nil }
        for number in 5...8 {
            try writer.append(payload(number), at: noon)
            try writer.commit()
        }
        #expect(writer.needsCompaction == true)
        #expect(try read(disk).records == lines(1...8))
    }

    @Test func `whose last step fails leaves the journal as it was`() throws {
        for operation in [DiskFault.Operation.rename, .sync] {
            let disk = try diskWith(3)
            var writer = try JournalWriter.open(disk) { _ in }
            let written = try writer.begin(at: noon).write((1...3).map(payload))
            disk.setFaults { found, _ in found == operation ? .init(reason: .failed("I/O error")) : nil }
            #expect(throws: JournalError.self) { try writer.finish(written) }
            disk.setFaults { _, _ in nil }
            try writer.append(payload(4), at: noon)
            try writer.commit()
            #expect(try read(disk).records.map { $0.drop { $0 != "{" } } == lines(1...4).map { $0.drop { $0 != "{" } })
            var random = SeededRandom(seed: 1)
            disk.restart(&random)
            #expect(try read(disk).report.records == 4)
        }
    }

    @Test func `that was overtaken is thrown away`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        let stale = try writer.begin(at: noon).write([payload(99)])
        try writer.append(payload(4), at: noon)
        try writer.compact((1...4).map(payload), at: noon)
        try writer.finish(stale)
        #expect(try read(disk).records == (1...4).map { "4 {\"n\":\($0)}" })
        #expect(disk.fileNames == ["journal-00000000000000000005.jsonl", "snapshot-00000000000000000004.jsonl"])
    }

    @Test func `may wait for a quieter moment until there is eight times as much`() throws {
        var limits = JournalLimits()
        limits.compactionBytesMin = 1000
        var writer = try JournalWriter.open(MemoryDisk(), limits: limits) { _ in }
        func fill(to bytes: Int) throws {
            while writer.bytesSinceSnapshot < bytes {
                try writer.append(payload(1), at: noon)
                try writer.commit()
            }
        }
        try fill(to: 1000)
        #expect(writer.needsCompaction == true)
        #expect(writer.isCompactionOverdue == false)
        try fill(to: 8000)
        #expect(writer.isCompactionOverdue == true)
        try writer.compact([payload(1)], at: noon)
        #expect(writer.isCompactionOverdue == false)
    }

    @Test func `leaves out what is too long for a record, says so, and keeps the rest`() throws {
        var limits = JournalLimits()
        limits.recordBytesMax = 200
        let disk = try diskWith(3, limits: limits)
        var writer = try JournalWriter.open(disk, limits: limits) { _ in }
        let tooLong = Array("{\"kind\":\"long\",\"text\":\"\(String(repeating: "x", count: 200))\"}".utf8)
        let (reason, begin) = (JournalError.recordTooLarge(bytes: 225, bytesMax: 200), #"{"kind":"long","text":"xxxx"#)
        let leftOut = try writer.compact([payload(1), tooLong, payload(3)], at: noon)
        #expect(leftOut.map(\.reason) == [reason])
        #expect(
            leftOut.allSatisfy { $0.begin.hasPrefix(begin) && $0.begin.hasSuffix("x…") && $0.begin.utf8.count == 80 })
        #expect(try read(disk, limits: limits).records == ["3 {\"n\":1}", "3 {\"n\":3}"])
        try writer.append(payload(4), at: noon)
        try writer.commit()
        let (records, report) = try read(disk, limits: limits)
        #expect(records == ["3 {\"n\":1}", "3 {\"n\":3}", "4 {\"n\":4}"])
        #expect(report.notices.isEmpty)
    }

    @Test func `of a cancelled task gives up`() async throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        let compaction = try writer.begin(at: noon)
        let task = Task { () async -> JournalError? in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(JournalError) {
                _ = try compaction.write([payload(1)])
                return nil
            } catch {
                return error
            }
        }
        #expect(await task.value == .cancelled)
        #expect(!disk.fileNames.contains { $0.hasPrefix("snapshot") })
    }
}

/// The folder is taken away under a running writer.
@Suite struct `An uprooted journal` {
    @Test func `is noticed at the next commit, and begun anew with all that is known`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        disk.uproot()
        try writer.append(payload(4), at: noon)
        #expect(throws: JournalError.uprooted(path: "state")) { try writer.commit() }
        #expect(throws: JournalError.uprooted(path: "state")) { try writer.commit() }
        #expect(writer.committedSeq == 3)
        try writer.append(payload(5), at: noon)

        try writer.restore((1...5).map(payload), at: noon)
        #expect(writer.committedSeq == 5)
        #expect(try read(disk).records == (1...5).map { "5 {\"n\":\($0)}" })
        try writer.append(payload(6), at: noon)
        try writer.commit()
        let (records, report) = try read(disk)
        #expect(records.last == "6 {\"n\":6}")
        #expect(records.count == 6)
        #expect(report.notices.isEmpty)
        #expect(throws: JournalError.lockHeld(folder: "state", pid: 123)) { try reopen(disk) }
        drop(writer)
        try reopen(disk)
    }

    @Test func `loses nothing to a power cut at any step of its new beginning`() throws {
        for cut in 1...14 {
            var random = SeededRandom(seed: UInt64(cut))
            let disk = try diskWith(3)
            var writer = try JournalWriter.open(disk) { _ in }
            disk.uproot()
            try writer.append(payload(4), at: noon)
            #expect(throws: JournalError.self) { try writer.commit() }
            disk.cutPower(at: cut)
            var isRestored = false
            do {
                try writer.restore((1...4).map(payload), at: noon)
                isRestored = true
            } catch {}
            disk.restart(&random)
            let (records, report) = try read(disk)
            #expect(records.count == 4 || (!isRestored && records.isEmpty), "cut at \(cut)")
            #expect(!report.isDamaged, "cut at \(cut)")
        }
    }

    @Test func `is not begun where another journal or another bot has taken its place`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        disk.uproot()
        try writer.append(payload(4), at: noon)
        #expect(throws: JournalError.self) { try writer.commit() }
        disk[firstSegment] = try diskWith(7)[firstSegment]
        let theirs = disk[firstSegment]
        #expect(throws: JournalError.replaced(folder: "state")) { try writer.restore([payload(1)], at: noon) }
        do {
            let other = try JournalWriter.open(disk) { _ in }
            #expect(throws: JournalError.lockHeld(folder: "state", pid: 123)) {
                try writer.restore([payload(1)], at: noon)
            }
            drop(other)
        }
        #expect(disk[firstSegment] == theirs)
    }

    @Test func `whose disk cannot be written yet is begun at a later try`() throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        disk.uproot()
        try writer.append(payload(4), at: noon)
        #expect(throws: JournalError.self) { try writer.commit() }
        for refused in [DiskFault.Operation.makeFolder, .lock, .write, .sync, .rename] {
            disk.setFaults { operation, _ in operation == refused ? .init(reason: .full) : nil }
            #expect(throws: JournalError.self, "\(refused)") { try writer.restore((1...4).map(payload), at: noon) }
        }
        disk.setFaults { _, _ in nil }
        try writer.restore((1...4).map(payload), at: noon)
        #expect(try read(disk).records.count == 4)
    }
}
