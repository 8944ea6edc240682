import Foundation
import Journal
import Testing

private let hasPython = ["/usr/bin/python3", "/usr/local/bin/python3"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// The reader in docs/journal.md is what another program would be written from, so it is run.
@Suite(.enabled(if: hasPython, "python3 is not installed")) struct OtherReaderTests {

    private func reader() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let page = try String(contentsOf: root.appendingPathComponent("docs/journal.md"), encoding: .utf8)
        let begin = try #require(page.range(of: "```python\n"))
        let end = try #require(page.range(of: "```", range: begin.upperBound..<page.endIndex))
        return String(page[begin.upperBound..<end.lowerBound])
    }

    private func run(_ program: String, _ folder: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program, folder]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `the documented reader finds what ours finds`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var limits = JournalLimits()
        limits.segmentBytesMax = 250
        let disk = FolderDisk(folder)
        var writer = try JournalWriter.open(disk, limits: limits) { _ in }
        for number in 1...4 { try writer.append(payload(number), at: noon) }
        try writer.compact([payload(3), payload(4)], at: noon)
        for number in 5...12 {
            try writer.append(payload(number), at: noon)
            try writer.commit()
        }
        for number in 13...15 { try writer.append(payload(number), at: noon) }
        try writer.commit()
        // One damaged line.
        let name = try #require(try disk.list().filter { $0.hasPrefix("journal-") }.sorted().first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        bytes[60] ^= 1
        try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        let last = try #require(try disk.list().filter { $0.hasPrefix("journal-") }.max())
        let file = try disk.openToWrite(last)
        let whole = try file.read(at: 0, bytesMax: 1 << 20)

        // The last commit, of three lines, whole and torn: within its last line, between two lines, within its first.
        let line = try #require(whole.split(separator: 0x0A).last).count + 1
        for (cut, expected) in [(0, 12), (1, 12), (2, 9), (line, 9), (line + 5, 9), (3 * line - 5, 9), (3 * line, 9)] {
            try file.truncate(to: whole.count - cut)
            let (records, report) = try read(disk)
            #expect(report.isDamaged)
            #expect(records.count == expected, "cut by \(cut)")
            let found = try run(try reader(), folder)
            #expect(found.split(separator: "\n").map(String.init) == records, "cut by \(cut)")
        }
        // A damaged line in it shows that it was whole; what follows that may still be torn.
        for (cut, expected) in [(0, 11), (line, 10)] {
            try file.truncate(to: 0)
            var bytes = whole
            bytes[whole.count - line - 10] ^= 1
            try file.write(Array(bytes.dropLast(cut)), at: 0)
            let (records, _) = try read(disk)
            #expect(records.count == expected, "damaged, cut by \(cut)")
            let found = try run(try reader(), folder)
            #expect(found.split(separator: "\n").map(String.init) == records, "damaged, cut by \(cut)")
        }
    }
}
