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
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): JSON.write(value, to: &output)
        case .double(let value): output.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
        case .string(let text): JSON.write(text, to: &output)
        case .array(let elements):
            JSON.write(elements, between: "[", and: "]", to: &output, indent: indent) { element, output, indent in
                element.write(to: &output, indent: indent)
            }
        case .object(let object):
            JSON.write(object.members, between: "{", and: "}", to: &output, indent: indent) { member, output, indent in
                JSON.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                if indent != nil { output.append(UInt8(ascii: " ")) }
                member.value.write(to: &output, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between open: Unicode.Scalar, and close: Unicode.Scalar, to output: inout [UInt8],
        indent: Int?, each: (Element, inout [UInt8], Int?) -> Void
    ) {
        output.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            newLine(indent.map { $0 + 1 }, to: &output)
            each(element, &output, indent.map { $0 + 1 })
        }
        if !elements.isEmpty { newLine(indent, to: &output) }
        output.append(UInt8(ascii: close))
    }

    private static func newLine(_ level: Int?, to output: inout [UInt8]) {
        guard let level else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: level * 2))
    }

    static func write(_ number: Int64, to output: inout [UInt8]) {
        // An Int64 has at most 19 digits.
        output.append(addingCapacity: 20) { output in
            if number < 0 { output.append(UInt8(ascii: "-")) }
            var place: UInt64 = 1
            while number.magnitude / place >= 10 { place *= 10 }
            while place > 0 {
                output.append(UInt8(ascii: "0") + UInt8(number.magnitude / place % 10))
                place /= 10
            }
        }
    }

    /// Writes a string literal. U+2028 and U+2029 are escaped too: they end lines in JavaScript and in some log
    /// readers.
    static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            // Nearly every text is written as it is, in one piece.
            var done = 0
            var index = 0
            while index < bytes.count {
                if isPlainWord(bytes, at: index) {
                    index += 8
                    continue
                }
                if mayNeedEscape(bytes[index]), let escape = escape(bytes, at: index) {
                    output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[done..<escape.start]))
                    output.append(contentsOf: escape.text.utf8)
                    done = index + 1
                }
                index += 1
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[done...]))
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether eight bytes follow of which none may need an escape.
    @inline(__always)
    private static func isPlainWord(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> Bool {
        guard index + 8 <= bytes.count else { return false }
        let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
        // The top bit of each byte below 0x20; a byte that is equal to another leaves 0 when both are crossed out.
        let control = (word &- all(0x20)) & ~word
        let quote = hasZero(word ^ all(UInt8(ascii: "\"")))
        let backslash = hasZero(word ^ all(UInt8(ascii: "\\")))
        let separator = hasZero((word | all(0x01)) ^ all(0xA9))
        return (control | quote | backslash | separator) & all(0x80) == 0
    }

    @inline(__always)
    private static func hasZero(_ word: UInt64) -> UInt64 { (word &- all(0x01)) & ~word }

    @inline(__always)
    private static func all(_ byte: UInt8) -> UInt64 { UInt64(byte) &* 0x0101_0101_0101_0101 }

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
