extension JSON {
    /// The value as JSON text on one line; members keep their order, so equal values give equal bytes.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The same as UTF-8 bytes.
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output, indent: nil)
        return output
    }

    /// The value as JSON text over several lines, two spaces a level; what could deceive a reader or steer a terminal
    /// is escaped.
    public var prettyText: String {
        var output: [UInt8] = []
        write(to: &output, indent: 0)
        return String(decoding: output, as: UTF8.self).wildEscaped
    }

    /// Writes the value; `indent` is the current level, or nil for one line.
    public func write(to output: inout [UInt8], indent: Int? = nil) {
        TextRoom.add(to: &output) { room in
            var room = room
            put(into: &room, indent)
            return room
        }
    }

    func put(into room: inout TextRoom, _ indent: Int? = nil) {
        switch self {
        case .null: room.append("null")
        case .bool(let value): if value { room.append("true") } else { room.append("false") }
        case .int(let value): room.append(value)
        case .double(let value):
            var text = value.isFinite ? value.description : "null"
            text.withUTF8 { room.append($0) }
        // U+2028 and U+2029 are escaped too: they end lines in JavaScript and in some log readers.
        case .string(let text): room.append(quoted: text)
        case .array(let elements):
            room.append(mark: "[")
            for (index, element) in elements.enumerated() {
                if index > 0 { room.append(mark: ",") }
                JSON.newLine(indent.map { $0 + 1 }, in: &room)
                element.put(into: &room, indent.map { $0 + 1 })
            }
            if !elements.isEmpty { JSON.newLine(indent, in: &room) }
            room.append(mark: "]")
        case .object(let object):
            room.append(mark: "{")
            for (index, member) in object.members.enumerated() {
                if index > 0 { room.append(mark: ",") }
                JSON.newLine(indent.map { $0 + 1 }, in: &room)
                room.append(quoted: member.name)
                room.append(mark: ":")
                if indent != nil { room.append(mark: " ") }
                member.value.put(into: &room, indent.map { $0 + 1 })
            }
            if !object.members.isEmpty { JSON.newLine(indent, in: &room) }
            room.append(mark: "}")
        }
    }

    private static func newLine(_ level: Int?, in room: inout TextRoom) {
        guard let level else { return }
        room.append("\n")
        for _ in 0..<level { room.append("  ") }
    }

    /// Gives out what stands between the quotes of a string literal. Nearly every text is one piece, as it is.
    @inline(__always)
    static func eachPiece(of text: String, _ take: (UnsafeBufferPointer<UInt8>) -> Void) {
        var text = text
        text.withUTF8 { bytes in
            var done = 0
            var index = 0
            while index < bytes.count {
                if isPlainWord(bytes, at: index) {
                    index += 8
                    continue
                }
                if mayNeedEscape(bytes[index]), let escape = escape(bytes, at: index) {
                    take(UnsafeBufferPointer(rebasing: bytes[done..<escape.start]))
                    var words = escape.text
                    words.withUTF8(take)
                    done = index + 1
                }
                index += 1
            }
            take(UnsafeBufferPointer(rebasing: bytes[done...]))
        }
    }

    /// Whether eight bytes follow of which none may need an escape.
    @inline(__always)
    private static func isPlainWord(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        guard let word = UInt64(bytes, at: index) else { return false }
        let marks = word.mayBe(UInt8(ascii: "\"")) | word.mayBe(UInt8(ascii: "\\"))
        // The ends of U+2028 and U+2029, which differ in the last bit.
        let separator = (word | .all(0x01)).mayBe(0xA9)
        return (word.mayBeControl | marks | separator) & .all(0x80) == 0
    }

    @inline(__always)
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0xA8 || byte == 0xA9
    }

    /// What to write instead of the character that ends at `index`, and where that character starts; nil for most.
    private static func escape(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> (start: Int, text: String)? {
        switch bytes[index] {
        case UInt8(ascii: "\""): (index, "\\\"")
        case UInt8(ascii: "\\"): (index, "\\\\")
        case 0x0A: (index, "\\n")
        case 0x0D: (index, "\\r")
        case 0x09: (index, "\\t")
        case 0..<0x10: (index, "\\u000" + String(bytes[index], radix: 16))
        case 0x10..<0x20: (index, "\\u00" + String(bytes[index], radix: 16))
        case 0xA8 where index >= 2 && bytes[index - 1] == 0x80 && bytes[index - 2] == 0xE2: (index - 2, "\\u2028")
        case 0xA9 where index >= 2 && bytes[index - 1] == 0x80 && bytes[index - 2] == 0xE2: (index - 2, "\\u2029")
        default: nil
        }
    }
}
