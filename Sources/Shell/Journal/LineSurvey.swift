internal import Records

/// The lines of one file, taken apart and checked, with everything saved that can be saved.
struct LineSurvey {
    typealias Spot = LineReader.Spot

    enum Finding {
        /// An intact line; `base` is where it begins in the buffer.
        case line(Line, base: Int, Spot)
        /// The file ends after an intact line without a line feed; the line itself is in the first `keep` bytes.
        case lineFeedMissing(Line, base: Int, Spot, keep: Int)
        case damaged(Spot, JournalDamage, bytes: Int)
        /// The file ends within a line that does not check out.
        case unfinished(Spot, JournalDamage, bytes: Int)
        case newer(Spot, version: Int)
    }

    private var reader: LineReader
    private var queue: [Finding] = []
    private var intactLines = 0
    private var looksOurs = false

    /// How often a damaged line is searched for an intact one inside it. A lost line feed joins two lines; the rest is
    /// room for payloads that look like lines.
    private static let searchesMax = 8

    init(_ file: any JournalFile, limits: JournalLimits) {
        reader = LineReader(file, limits: limits)
    }

    var bytesTaken: Int { reader.bytesTaken }

    /// The later version that the file's first line names without a checksum to bear it out. Of an unfinished line it
    /// would not matter: in no version does what a power cut tore count.
    private var firstLineVersion: (spot: Spot, version: Int)?

    /// The later version that wrote the file, read to its end: its first line says so, and no line is of this version.
    var laterVersion: (spot: Spot, version: Int)? { intactLines == 0 ? firstLineVersion : nil }

    /// Whether the file, read to its end, holds something and nothing of a journal.
    var isForeign: Bool { bytesTaken > 0 && intactLines == 0 && !looksOurs }

    func record(_ line: Line, base: Int) -> JournalRecord {
        JournalRecord(
            seq: line.seq, payload: reader.buffer[base + line.payload.lowerBound..<base + line.payload.upperBound],
            atBytes: reader.buffer[base + line.at.lowerBound..<base + line.at.upperBound],
            topic: topic(line.topic, base: base))
    }

    private func topic(_ mark: Line.Mark, base: Int) -> Topic {
        func text(_ range: Range<Int>) -> String {
            JournalRecord.unescaped(reader.buffer[base + range.lowerBound..<base + range.upperBound])
        }
        switch mark {
        case .always: return .always
        case .whole(let key): return .whole(of: text(key))
        case .part(let part, let key): return .part(text(part), of: text(key))
        case .end(let range):
            let bytes = reader.buffer.span
            var keys: [String] = []
            var position = base + range.lowerBound
            while position < base + range.upperBound, let key = bytes.text(from: position + 1) {
                keys.append(text(key.lowerBound - base..<key.upperBound - base))
                position = key.upperBound + 2
            }
            return .end(of: keys)
        }
    }

    mutating func next() throws(DiskFault) -> Finding? {
        if !queue.isEmpty { return queue.removeFirst() }
        guard let raw = try reader.next() else { return nil }
        guard !raw.isOversize else {
            let damage = JournalDamage.oversize(bytes: raw.bytes)
            return raw.ended
                ? .damaged(raw.spot, damage, bytes: raw.bytes) : .unfinished(raw.spot, damage, bytes: raw.bytes)
        }
        let reading = read(raw.range)
        if case .whole(let line) = reading, raw.ended {
            intactLines += 1
            return .line(line, base: raw.range.lowerBound, raw.spot)
        }
        return examine(raw, reading)
    }

    private func read(_ range: Range<Int>) -> Line.Reading {
        Line.read(reader.buffer.span.extracting(range))
    }

    /// Every line but the intact and ended ones, which are nearly all, comes here.
    private mutating func examine(_ raw: LineReader.RawLine, _ reading: Line.Reading) -> Finding {
        looksOurs = looksOurs || resemblesLine(reader.buffer[raw.range])
        let base = raw.range.lowerBound
        switch reading {
        case .newer(let version, isCertain: true): return .newer(raw.spot, version: version)
        case .whole(let line):
            return .lineFeedMissing(line, base: base, raw.spot, keep: raw.spot.byteOffset + raw.bytes)
        case .newer(let version, isCertain: false):
            if raw.spot.line == 1, raw.ended { firstLineVersion = (raw.spot, version) }
            return examineDamaged(raw, .badChecksum)
        case .damaged(let damage): return examineDamaged(raw, damage)
        }
    }

    private mutating func examineDamaged(_ raw: LineReader.RawLine, _ damage: JournalDamage) -> Finding {
        if raw.ended { return splitJoined(raw) ?? .damaged(raw.spot, damage, bytes: raw.bytes) }
        if raw.bytes > 0, case .whole(let line) = read(raw.range.dropLast()) {
            let keep = raw.spot.byteOffset + raw.bytes - 1
            return .lineFeedMissing(line, base: raw.range.lowerBound, raw.spot, keep: keep)
        }
        return .unfinished(raw.spot, damage, bytes: raw.bytes)
    }

    /// Two lines that became one because the line feed between them was altered, or the first was never ended.
    private mutating func splitJoined(_ raw: LineReader.RawLine) -> Finding? {
        var from = raw.range.lowerBound + 1
        for _ in 0..<Self.searchesMax where from < raw.range.upperBound {
            guard let second = findHead(in: from..<raw.range.upperBound) else { return nil }
            from = second + 1
            guard case .whole(let line) = read(second..<raw.range.upperBound) else { continue }
            let firstBytes = second - raw.range.lowerBound
            let spot = Spot(line: raw.spot.line, byteOffset: raw.spot.byteOffset + firstBytes)
            intactLines += 1
            queue.append(.line(line, base: second, spot))
            switch read(raw.range.lowerBound..<second - 1) {
            case .whole(let first):
                queue.insert(.damaged(raw.spot, .lineFeed, bytes: 0), at: 0)
                return .line(first, base: raw.range.lowerBound, raw.spot)
            case .damaged(let damage): return .damaged(raw.spot, damage, bytes: firstBytes)
            case .newer(let version, isCertain: true): return .newer(raw.spot, version: version)
            case .newer: return .damaged(raw.spot, .badChecksum, bytes: firstBytes)
            }
        }
        return nil
    }

    private func findHead(in range: Range<Int>) -> Int? {
        let bytes = reader.buffer.span
        return range.first { bytes[$0] == UInt8(ascii: "{") && Line.hasHead(bytes, at: $0) }
    }

    private func find(_ text: StaticString, in range: Range<Int>) -> Int? {
        let bytes = reader.buffer.span
        return range.first { bytes[$0] == text.utf8Start[0] && bytes.has(text, at: $0) }
    }

    /// Whether damaged bytes still have the look of a line or the beginning of one, in which a byte may have been
    /// altered. Zeros at the end are blocks that a power cut left unwritten.
    private func resemblesLine(_ bytes: ArraySlice<UInt8>) -> Bool {
        let versionHead = Line.versionHead.withUTF8Buffer { Array($0) }
        let head = Line.head.withUTF8Buffer { Array($0) }
        let written = bytes[..<(bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? bytes.startIndex)]
        return written.starts(with: versionHead) || zip(written, head).count { $0 != $1 } <= 1
            || find(Line.crcHead, in: bytes.indices) != nil
    }
}
