/// The fixed envelope of a line: where its parts are. Offsets count from the line's first byte.
struct Line {
    enum Kind: CaseIterable { case record, begin, end }

    var kind: Kind
    var seq: UInt64
    var at: Range<Int>
    var payload: Range<Int>

    /// Numbers stay below this, so that counting on never overflows.
    static let seqMax = UInt64(Int64.max)
    /// The format this module writes.
    static let version = 1
    static let head: StaticString = "{\"v\":1,\"seq\":"

    static let versionHead: StaticString = "{\"v\":"
    private static let atHead: StaticString = ",\"at\":\""
    static let crcHead: StaticString = ",\"crc\":\""

    /// What a line turned out to be.
    enum Reading {
        case whole(Line)
        case damaged(JournalDamage)
        case newer(version: Int)
    }

    /// Takes a line apart and checks its checksum; `bytes` has no line feed.
    static func read(_ bytes: Span<UInt8>) -> Reading {
        guard bytes.has(head, at: 0) else { return readForeign(bytes) }
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

    /// Finds the parts of a version 1 line, and where the part after the checksum begins.
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
        guard position > digitsStart, seq <= seqMax, bytes.has(atHead, at: position) else { return nil }
        position += atHead.utf8CodeUnitCount
        let atStart = position
        let atEndMax = min(bytes.count, atStart + JournalLimits.atBytesMax + 1)
        while position < atEndMax, bytes[position] != UInt8(ascii: "\"") { position += 1 }
        let at = atStart..<position
        guard position < atEndMax, bytes.has(crcHead, at: position + 1) else { return nil }
        let crcEnd = position + 1 + crcHead.utf8CodeUnitCount + 8
        guard crcEnd < bytes.count, bytes[crcEnd] == UInt8(ascii: "\"") else { return nil }
        let body = crcEnd + 1
        for kind in Kind.allCases where bytes.has(kind.head, at: body) {
            let start = body + kind.head.utf8CodeUnitCount
            let end = bytes.count - 1
            guard end - start >= 2, bytes[start] == UInt8(ascii: "{"), bytes[end - 1] == UInt8(ascii: "}"),
                bytes[end] == UInt8(ascii: "}")
            else { return nil }
            return (Line(kind: kind, seq: seq, at: at, payload: start..<end), body)
        }
        return nil
    }

    /// A line of another version, unless one flipped digit made it look like one.
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
        var asOurs = bytes.withUnsafeBufferPointer(Array.init)
        asOurs[versionHead.utf8CodeUnitCount] = UInt8(ascii: "1")
        if asOurs.span.has(head, at: 0), case .whole = read(asOurs.span) { return .damaged(.badChecksum) }
        return .newer(version: version)
    }

    private static func blame(_ bytes: Span<UInt8>, else damage: JournalDamage) -> JournalDamage {
        bytes.withUnsafeBufferPointer { isUTF8($0) } ? damage : .invalidUTF8
    }

    /// Adds one whole line to `buffer`, line feed included.
    static func write(_ kind: Kind, seq: UInt64, at: String, payload: [UInt8], to buffer: inout [UInt8]) {
        let start = buffer.count
        buffer.append(head)
        buffer.append(contentsOf: String(seq).utf8)
        buffer.append(atHead)
        buffer.append(contentsOf: at.utf8)
        buffer.append(UInt8(ascii: "\""))
        let cut = buffer.count
        buffer.append(crcHead)
        buffer.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 8))
        buffer.append(UInt8(ascii: "\""))
        let body = buffer.count
        buffer.append(kind.head)
        buffer.append(contentsOf: payload)
        buffer.append(UInt8(ascii: "}"))
        var crc = CRC32C.extend(0, with: buffer.span.bytes.extracting(start..<cut))
        crc = CRC32C.extend(crc, with: buffer.span.bytes.extracting(body..<buffer.count))
        for digit in 0..<8 {
            let nibble = UInt8(crc >> (28 - 4 * UInt32(digit)) & 0xF)
            buffer[body - 9 + digit] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        }
        buffer.append(UInt8(ascii: "\n"))
    }

    /// The payload of a snapshot's last line.
    static func endPayload(records: Int) -> [UInt8] { Array("{\"records\":\(records)}".utf8) }

    /// Whether the bytes are UTF-8; plain ASCII, the common case, is seen at once.
    static func isUTF8(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }
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

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}
