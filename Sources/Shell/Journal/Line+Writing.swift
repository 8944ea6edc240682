import Glibc
internal import Records

extension Line {
    /// A time stamp as lines carry it, checked and put together once for all the lines that share it.
    struct Stamp: ~Copyable, Sendable {
        private var at = ""
        /// What stands between `last` and the body, with zeros for the checksum.
        fileprivate var bytes: [UInt8] = []

        /// Takes on another time; if it throws, the stamp is as it was.
        mutating func set(_ at: String) throws(JournalError) {
            guard at != self.at || at.isEmpty else { return }
            guard at.utf8.allSatisfy(Line.isOfStamp), (1...JournalLimits.atBytesMax).contains(at.utf8.count) else {
                throw .recordMalformed(reason: "its time stamp is not RFC 3339")
            }
            self.at = at
            bytes = Array("\(atHead)\(at)\"\(crcHead)00000000\"".utf8)
        }
    }

    /// `,"crc":"00000000"`: the member that the checksum does not cover.
    private static let crcBytes = 17

    /// Where the parts of a line are that are filled in once it is written.
    struct Place {
        fileprivate var start: Int
        fileprivate var last: Int
        fileprivate var body: Int
        fileprivate var end: Int
    }

    /// Adds one whole line to `buffer`, line feed included; `payload` adds the payload to it. All that the line must
    /// not hold is refused, and the buffer is as it was then.
    @discardableResult
    static func write(
        _ kind: Kind, seq: UInt64, isLast: Bool, at stamp: borrowing Stamp, about topic: Topic = .always,
        limits: JournalLimits, to buffer: inout [UInt8], _ payload: (inout [UInt8]) -> Void
    ) throws(JournalError) -> Place {
        let start = buffer.count
        let last = start + head.utf8CodeUnitCount + seq.digitsCount + lastHead.utf8CodeUnitCount
        let body = last + 1 + stamp.bytes.count
        buffer.append(addingCapacity: body + kind.head.utf8CodeUnitCount - start) { output in
            output.append(head)
            output.append(decimal: seq)
            output.append(lastHead)
            output.append(isLast ? UInt8(ascii: "1") : UInt8(ascii: "0"))
            output.append(stamp.bytes.span)
        }
        let topicStart = buffer.count
        write(topic, to: &buffer)
        let topicBytes = buffer.count - topicStart
        buffer.append(addingCapacity: kind.head.utf8CodeUnitCount) { $0.append(kind.head) }
        let payloadStart = buffer.count
        payload(&buffer)
        do {
            try check(
                payload: buffer.span.extracting(payloadStart..<buffer.count), topicBytes: topicBytes,
                bytesMax: limits.recordBytesMax)
        } catch {
            buffer.removeSubrange(start...)
            throw error
        }
        buffer.append(addingCapacity: 2) { $0.append("}\n") }
        let place = Place(start: start, last: last, body: body, end: buffer.count - 1)
        seal(place, in: &buffer)
        return place
    }

    private static func write(_ topic: Topic, to buffer: inout [UInt8]) {
        switch topic {
        case .always: break
        case .whole(let key):
            buffer.append(literal: keyHead)
            buffer.append(text: key)
        case .part(let part, let key):
            buffer.append(literal: keyHead)
            buffer.append(text: key)
            buffer.append(literal: partHead)
            buffer.append(text: part)
        case .end(let keys):
            guard !keys.isEmpty else { return }
            buffer.append(literal: endsHead)
            for (index, key) in keys.enumerated() {
                buffer += index == 0 ? [UInt8(ascii: "\"")] : [UInt8(ascii: ","), UInt8(ascii: "\"")]
                buffer.append(text: key)
            }
            buffer.append(UInt8(ascii: "]"))
        }
    }

    /// Makes a line in `buffer` the last of its commit.
    static func markLast(_ place: Place, in buffer: inout [UInt8]) {
        buffer[place.last] = UInt8(ascii: "1")
        seal(place, in: &buffer)
    }

    private static func seal(_ place: Place, in buffer: inout [UInt8]) {
        var crc = CRC32C.extend(0, with: buffer.span.bytes.extracting(place.start..<place.body - crcBytes))
        crc = CRC32C.extend(crc, with: buffer.span.bytes.extracting(place.body..<place.end))
        var bytes = buffer.mutableSpan
        for digit in 0..<8 {
            let nibble = UInt8(crc >> (28 - 4 * UInt32(digit)) & 0xF)
            bytes[place.body - 9 + digit] = nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
        }
    }

    private static func check(payload: Span<UInt8>, topicBytes: Int, bytesMax: Int) throws(JournalError) {
        guard payload.count + topicBytes <= bytesMax else {
            throw .recordTooLarge(bytes: payload.count + topicBytes, bytesMax: bytesMax)
        }
        guard payload.count >= 2, payload[0] == UInt8(ascii: "{"), payload[payload.count - 1] == UInt8(ascii: "}")
        else {
            throw .recordMalformed(reason: "it is not a JSON object")
        }
        guard !payload.hasLineFeed else { throw .recordMalformed(reason: "it contains a line feed") }
        guard payload.isUTF8 else { throw .recordMalformed(reason: "it is not valid UTF-8") }
    }
}

extension Span<UInt8> {
    var hasLineFeed: Bool {
        withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            return memchr(base, Int32(UInt8(ascii: "\n")), bytes.count) != nil
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(literal text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Adds a string's text and its closing quote.
    fileprivate mutating func append(text: String) {
        // Keys and channels are of plain letters, nearly always.
        var text = text
        let isPlain = text.withUTF8 { bytes in
            for byte in bytes where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                return false
            }
            append(contentsOf: bytes)
            return true
        }
        if isPlain { return append(UInt8(ascii: "\"")) }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): self += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: self += Array("\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}

extension UInt64 {
    fileprivate var digitsCount: Int {
        var digits = 1
        var rest = self / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        return digits
    }
}

extension OutputSpan<UInt8> {
    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append($0.span) }
    }

    fileprivate mutating func append(_ bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }

    fileprivate mutating func append(decimal number: UInt64) {
        let start = count
        append(repeating: 0, count: number.digitsCount)
        var rest = number
        for index in (start..<count).reversed() {
            self[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }
}
