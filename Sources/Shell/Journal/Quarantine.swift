internal import Text

/// Where the writer keeps damaged bytes for a closer look, when it opens a journal and skips them: a file of JSON
/// lines, each with the bytes and the place they were found at. Nothing reads it but people, and `quarantined`, which
/// counts.
///
///     {"file":"journal-00000000000000000001.jsonl","line":3,"byte":212,"bytes":154,"why":"...","base64":"..."}
struct Quarantine {
    private let disk: any JournalDisk

    /// The most that is kept of one damaged line. 64 KiB: a thousand times what shows what happened to it.
    private static let pieceBytesMax = 64 << 10
    /// The file grows no more beyond this. 16 MiB: the damaged files themselves are kept anyway.
    private static let fileBytesMax = 16 << 20

    init(_ disk: any JournalDisk) { self.disk = disk }

    /// Adds what is not in the file yet. A disk that refuses is no reason not to start: the damaged files are still
    /// there.
    func keep(_ spans: [Replay.Span], of catalog: Catalog) {
        guard !spans.isEmpty else { return }
        let files = Dictionary((catalog.segments + catalog.snapshots).map { ($0.name, $0.file) }) { first, _ in first }
        do {
            let file = try disk.openToWrite(FileName.quarantine)
            let before = try file.read(at: 0, bytesMax: Self.fileBytesMax)
            var known = Set(before.split(separator: UInt8(ascii: "\n")))
            var added: [UInt8] = before.isEmpty || before.last == UInt8(ascii: "\n") ? [] : [UInt8(ascii: "\n")]
            for span in spans where before.count + added.count < Self.fileBytesMax {
                guard let source = files[span.place.file] else { continue }
                let line = Self.line(span, try Self.bytes(of: span, in: source))
                if known.insert(line[...]).inserted { added += line + [UInt8(ascii: "\n")] }
            }
            if added.count > 1 {
                try file.write(added, at: before.count)
                try file.syncData()
                try disk.syncFolder()
            }
        } catch {}
    }

    /// How many pieces are kept.
    func count() throws(DiskFault) -> Int {
        do {
            let file = try disk.openToRead(FileName.quarantine)
            return try file.read(at: 0, bytesMax: 2 * Self.fileBytesMax).count { $0 == UInt8(ascii: "\n") }
        } catch  where error.reason == .absent {
            return 0
        }
    }

    private static func bytes(of span: Replay.Span, in file: any JournalFile) throws(DiskFault) -> [UInt8] {
        let wanted = min(span.bytes, pieceBytesMax)
        var bytes: [UInt8] = []
        while bytes.count < wanted {
            let chunk = try file.read(at: span.place.byteOffset + bytes.count, bytesMax: wanted - bytes.count)
            if chunk.isEmpty { break }
            bytes += chunk
        }
        return bytes
    }

    private static func line(_ span: Replay.Span, _ bytes: [UInt8]) -> [UInt8] {
        let place = span.place
        return Array(
            ("{\"file\":\"\(place.file)\",\"line\":\(place.line),\"byte\":\(place.byteOffset),\"bytes\":\(span.bytes),"
                + "\"why\":\"\(span.damage)\",\"base64\":\"\(Base64.encode(bytes))\"}").utf8)
    }
}
