import Journal
import JournalTesting
import Testing

@Suite struct `The reader` {
    /// A disk whose first listing is what a folder shows to somebody who looks while a compaction renames and removes.
    private struct StaleListing: JournalDisk {
        let disk: MemoryDisk
        let first: [String]
        let listings = Counter(0)

        var folder: String { disk.folder }
        func list() throws(DiskFault) -> [String] { listings.next() == 0 ? first : try disk.list() }
        func openToRead(_ name: String) throws(DiskFault) -> any JournalFile { try disk.openToRead(name) }
        func openToWrite(_ name: String) throws(DiskFault) -> any JournalFile { try disk.openToWrite(name) }
        func makeFolder() throws(DiskFault) { try disk.makeFolder() }
        func lock(_ name: String) throws(DiskFault) -> any JournalLock { try disk.lock(name) }
        func rename(_ name: String, to newName: String) throws(DiskFault) { try disk.rename(name, to: newName) }
        func remove(_ name: String) throws(DiskFault) { try disk.remove(name) }
        func syncFolder() throws(DiskFault) { try disk.syncFolder() }
    }

    @Test(arguments: [
        [firstSegment], ["journal-00000000000000000004.jsonl"], [],
        [firstSegment, "journal-00000000000000000004.jsonl"],
    ])
    func `a listing that a compaction made stale is taken again`(first: [String]) throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        try writer.compact((1...3).map(payload), at: noon)
        let (records, report) = try read(StaleListing(disk: disk, first: first))
        #expect(records.count == 3)
        #expect(!report.isDamaged)
    }

    @Test func `a reader starts over when a file it has listed is gone`() throws {
        let disk = try diskWith(3)
        let openings = Counter(0)
        disk.setFaults { operation, _ in
            operation == .openToRead && openings.next() == 0 ? .init(reason: .absent) : nil
        }
        #expect(try read(disk).records == lines(1...3))
    }

    @Test(arguments: 0..<16)
    func `a reader sees a whole journal whenever it looks while a compaction runs`(cut: Int) throws {
        let disk = try diskWith(3)
        var writer = try JournalWriter.open(disk) { _ in }
        // The writer stops for good at one operation after the other; the reader sees what is visible then.
        let operations = Counter(cut)
        disk.setFaults { _, _ in operations.next() <= 0 ? .init(reason: .failed("stopped")) : nil }
        do { try writer.compact((1...3).map(payload), at: noon) } catch {}
        disk.setFaults { _, _ in nil }
        let (records, report) = try read(disk)
        #expect(records.map { $0.drop { $0 != "{" } } == (1...3).map { text(payload($0))[...] })
        #expect(!report.isDamaged)
    }

    @Test func `records that the snapshot stands for are not given again`() throws {
        let disk = try diskWith(4)
        let other = try diskWith(2)
        var writer = try JournalWriter.open(other) { _ in }
        try writer.compact((1...2).map(payload), at: noon)
        let snapshot = "snapshot-00000000000000000002.jsonl"
        disk[snapshot] = other[snapshot]
        let (records, report) = try read(disk)
        #expect(records == ["2 {\"n\":1}", "2 {\"n\":2}"] + lines(3...4))
        #expect(report.notices.isEmpty)
    }
}
