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
        // One damaged line, and the beginning of one that was never committed.
        let name = try #require(try disk.list().filter { $0.hasPrefix("journal-") }.sorted().first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        bytes[60] ^= 1
        try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        let last = try #require(try disk.list().filter { $0.hasPrefix("journal-") }.max())
        let file = try disk.openToWrite(last)
        try file.write(Array(#"{"v":1,"seq":13,"at":"#.utf8), at: file.bytesCount())

        let (records, report) = try read(disk)
        #expect(report.isDamaged)
        #expect(records.count == 9)
        let found = try run(try reader(), folder)
        #expect(found.split(separator: "\n").map(String.init) == records)
    }
}
