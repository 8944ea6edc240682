/// The fixed envelope of a line: where its parts are. Offsets count from the line's first byte.
struct Line {
    enum Kind: CaseIterable { case record, begin, end }

    var kind: Kind
    var seq: UInt64
    /// Whether it is the last line of its commit.
    var isLast: Bool
    var at: Range<Int>
    var topic: Mark
    var payload: Range<Int>

    /// Where a line says what its record is about.
    enum Mark: Equatable {
        case always
        case whole(Range<Int>)
        case part(Range<Int>, of: Range<Int>)
        /// The keys with their quotes and commas.
        case end(Range<Int>)
    }

    /// Numbers stay below this, so that counting on never overflows.
    static let seqMax = UInt64(Int64.max)
    /// The format this module writes; it reads those before it, too.
    static let version = 3
    static let head: StaticString = "{\"v\":3,\"seq\":"
    /// Without a topic.
    private static let secondHead: StaticString = "{\"v\":2,\"seq\":"
    /// Release 0.1: without `lastHead` either, so that each line counts by itself.
    private static let firstHead: StaticString = "{\"v\":1,\"seq\":"

    static let versionHead: StaticString = "{\"v\":"
    /// What one digit follows: 1 on the last line of a commit, 0 on all others.
    static let lastHead: StaticString = ",\"last\":"
    static let atHead: StaticString = ",\"at\":\""
    static let crcHead: StaticString = ",\"crc\":\""
    static let keyHead: StaticString = ",\"key\":\""
    static let partHead: StaticString = ",\"part\":\""
    static let endsHead: StaticString = ",\"ends\":["

    /// What a line turned out to be.
    enum Reading {
        case whole(Line)
        case damaged(JournalDamage)
        /// A later release wrote it; not `isCertain` if its checksum does not bear that out.
        case newer(version: Int, isCertain: Bool)
    }

    /// Takes a line apart and checks its checksum; `bytes` has no line feed.
    static func read(_ bytes: Span<UInt8>) -> Reading {
        guard hasHead(bytes, at: 0) else { return readForeign(bytes) }
        guard let (line, body) = split(bytes) else { return .damaged(blame(bytes, else: .notARecord)) }
        let raw = bytes.bytes
        let cut = line.at.upperBound + 1
        var crc = CRC32C.extend(0, with: raw.extracting(0..<cut))
        crc = CRC32C.extend(crc, with: raw.extracting(body..<bytes.count))
        guard crc == bytes.hexadecimal(at: cut + crcHead.utf8CodeUnitCount) else {
            return .damaged(blame(bytes, else: .badChecksum))
        }
        return .whole(line)
    }

    /// Whether a line of a version that this module reads may begin there.
    static func hasHead(_ bytes: Span<UInt8>, at position: Int) -> Bool {
        bytes.has(head, at: position) || bytes.has(secondHead, at: position) || bytes.has(firstHead, at: position)
    }

    /// Whether a byte may stand in a time stamp as it is. A line with another one is none of ours, whatever its checksum: what is
    /// read can be written again, by a compaction or a repair.
    static func isOfStamp(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Finds the parts of a line, and where the part after the checksum begins.
    private static func split(_ bytes: Span<UInt8>) -> (Line, body: Int)? {
        var position = head.utf8CodeUnitCount
        var seq: UInt64 = 0
        let digitsStart = position
        while position < bytes.count, let digit = bytes[position].decimalDigit {
            let (tenfold, over) = seq.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tenfold.addingReportingOverflow(UInt64(digit))
            guard !over, !carry else { return nil }
            seq = sum
            position += 1
        }
        guard position > digitsStart, seq <= seqMax else { return nil }
        var isLast = true
        if !bytes.has(firstHead, at: 0) {
            let digit = position + lastHead.utf8CodeUnitCount
            guard bytes.has(lastHead, at: position), digit < bytes.count, let value = bytes[digit].decimalDigit,
                value < 2
            else { return nil }
            isLast = value == 1
            position = digit + 1
        }
        guard bytes.has(atHead, at: position) else { return nil }
        position += atHead.utf8CodeUnitCount
        let atStart = position
        let atEndMax = min(bytes.count, atStart + JournalLimits.atBytesMax + 1)
        while position < atEndMax, isOfStamp(bytes[position]) { position += 1 }
        let at = atStart..<position
        guard !at.isEmpty, position < atEndMax, bytes[position] == UInt8(ascii: "\""),
            bytes.has(crcHead, at: position + 1)
        else { return nil }
        let crcEnd = position + 1 + crcHead.utf8CodeUnitCount + 8
        guard crcEnd < bytes.count, bytes[crcEnd] == UInt8(ascii: "\"") else { return nil }
        let body = crcEnd + 1
        guard let (topic, recordHead) = mark(bytes, from: body) else { return nil }
        for kind in Kind.allCases where bytes.has(kind.head, at: recordHead) {
            let start = recordHead + kind.head.utf8CodeUnitCount
            let end = bytes.count - 1
            guard end - start >= 2, bytes[start] == UInt8(ascii: "{"), bytes[end - 1] == UInt8(ascii: "}"),
                bytes[end] == UInt8(ascii: "}")
            else { return nil }
            return (Line(kind: kind, seq: seq, isLast: isLast, at: at, topic: topic, payload: start..<end), body)
        }
        return nil
    }

    /// Finds what the record is about, and where it begins; nil where that is not as it should be.
    private static func mark(_ bytes: Span<UInt8>, from position: Int) -> (Mark, next: Int)? {
        if bytes.has(keyHead, at: position) {
            guard let key = bytes.text(from: position + keyHead.utf8CodeUnitCount) else { return nil }
            let next = key.upperBound + 1
            guard bytes.has(partHead, at: next) else { return (.whole(key), next) }
            guard let part = bytes.text(from: next + partHead.utf8CodeUnitCount) else { return nil }
            return (.part(part, of: key), part.upperBound + 1)
        }
        guard bytes.has(endsHead, at: position) else { return (.always, position) }
        let start = position + endsHead.utf8CodeUnitCount
        var end = start
        while end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
            guard let key = bytes.text(from: end + 1) else { return nil }
            end = key.upperBound + 1
            if end < bytes.count, bytes[end] == UInt8(ascii: ",") { end += 1 }
        }
        guard end > start, end < bytes.count, bytes[end] == UInt8(ascii: "]"), bytes[end - 1] == UInt8(ascii: "\"")
        else { return nil }
        return (.end(start..<end), end + 1)
    }

    /// A line that names a later version. One whose checksum holds is what it says; every version of the format keeps
    /// the head and the checksum where they are here.
    private static func readForeign(_ bytes: Span<UInt8>) -> Reading {
        var version = 0
        var position = versionHead.utf8CodeUnitCount
        guard bytes.has(versionHead, at: 0) else { return .damaged(blame(bytes, else: .notARecord)) }
        while position < min(bytes.count, 12), let digit = bytes[position].decimalDigit {
            version = version * 10 + Int(digit)
            position += 1
        }
        guard version > Self.version, position < bytes.count, bytes[position] == UInt8(ascii: ",") else {
            return .damaged(blame(bytes, else: .notARecord))
        }
        return .newer(version: version, isCertain: checksumHolds(bytes))
    }

    private static func checksumHolds(_ bytes: Span<UInt8>) -> Bool {
        let length = crcHead.utf8CodeUnitCount
        for cut in 0..<min(bytes.count, JournalLimits.envelopeBytesMax) where bytes.has(crcHead, at: cut) {
            let body = cut + length + 9
            guard body <= bytes.count, bytes[body - 1] == UInt8(ascii: "\"") else { return false }
            var crc = CRC32C.extend(0, with: bytes.bytes.extracting(0..<cut))
            crc = CRC32C.extend(crc, with: bytes.bytes.extracting(body..<bytes.count))
            return crc == bytes.hexadecimal(at: cut + length)
        }
        return false
    }

    private static func blame(_ bytes: Span<UInt8>, else damage: JournalDamage) -> JournalDamage {
        bytes.isUTF8 ? damage : .invalidUTF8
    }

    /// The payload of a snapshot's last line.
    static func endPayload(records: Int) -> [UInt8] { Array("{\"records\":\(records)}".utf8) }
}

extension Line.Kind {
    var head: StaticString {
        switch self {
        case .record: ",\"record\":"
        case .begin: ",\"begin\":"
        case .end: ",\"end\":"
        }
    }
}

extension UInt8 {
    var decimalDigit: UInt8? { self >= 0x30 && self <= 0x39 ? self - 0x30 : nil }
}

extension Span<UInt8> {
    func has(_ text: StaticString, at position: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard position + length <= count else { return false }
        return text.withUTF8Buffer { expected in
            for index in 0..<length where self[position + index] != expected[index] { return false }
            return true
        }
    }

    /// Where the text of a string is whose opening quote stands before `start`.
    func text(from start: Int) -> Range<Int>? {
        var end = start
        while end < count, self[end] != UInt8(ascii: "\"") { end += self[end] == UInt8(ascii: "\\") ? 2 : 1 }
        return end < count ? start..<end : nil
    }

    /// Whether the bytes are UTF-8; plain ASCII, the common case, is passed over eight bytes at a time.
    var isUTF8: Bool {
        var start = 0
        while true {
            start = endOfASCII(from: start)
            guard start < count else { return true }
            // A piece of other characters ends with a byte of ASCII, which is part of none of them.
            var end = start + 1
            while end < count, self[end] >= 0x80 { end += 1 }
            let piece = extracting(start..<end)
            guard piece.withUnsafeBufferPointer({ String(validating: $0, as: UTF8.self) != nil }) else { return false }
            start = end
        }
    }

    /// Where the first byte from `start` on stands that is not of ASCII; `count` when there is none.
    private func endOfASCII(from start: Int) -> Int {
        var index = start
        while index + 8 <= count,
            bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        {
            index += 8
        }
        while index < count, self[index] < 0x80 { index += 1 }
        return index
    }

    /// Eight lower-case hexadecimal digits; `nil` when they are anything else. All eight must be inside the span.
    fileprivate func hexadecimal(at position: Int) -> UInt32? {
        var value: UInt32 = 0
        for index in position..<position + 8 {
            switch self[index] {
            case let digit where digit.decimalDigit != nil: value = value << 4 | UInt32(digit & 0xF)
            case let letter where (0x61...0x66).contains(letter): value = value << 4 | UInt32(letter - 0x61 + 10)
            default: return nil
            }
        }
        return value
    }
}
