extension JSON {
    /// The value as JSON text on one line; members keep their order, so equal values give equal bytes.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The same as UTF-8 bytes.
    public var bytes: [UInt8] {
        var output: [UInt8] = []
        write(to: &output, indent: nil)
        return output
    }

    /// The value as JSON text over several lines, two spaces a level.
    public var prettyText: String {
        var output: [UInt8] = []
        write(to: &output, indent: 0)
        return String(decoding: output, as: UTF8.self)
    }

    /// Writes the value; `indent` is the current level, or nil for one line.
    public func write(to output: inout [UInt8], indent: Int? = nil) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): output.append(contentsOf: String(value).utf8)
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

    /// Whether the first two bytes of U+2028 or U+2029 stand at the end.
    private static func endsInSeparator(_ output: [UInt8]) -> Bool {
        output.count >= 2 && output[output.count - 2] == 0xE2 && output[output.count - 1] == 0x80
    }

    /// Writes a string literal. U+2028 and U+2029 are escaped too: they end lines in JavaScript and in some log readers.
    static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): output.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case UInt8(ascii: "\\"): output.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x0A: output.append(contentsOf: "\\n".utf8)
            case 0x0D: output.append(contentsOf: "\\r".utf8)
            case 0x09: output.append(contentsOf: "\\t".utf8)
            case 0..<0x20:
                output.append(contentsOf: "\\u00".utf8)
                output.append(contentsOf: (byte < 16 ? "0" : "").utf8)
                output.append(contentsOf: String(byte, radix: 16).utf8)
            case 0xA8 where endsInSeparator(output), 0xA9 where endsInSeparator(output):
                output.removeLast(2)
                output.append(contentsOf: (byte == 0xA8 ? "\\u2028" : "\\u2029").utf8)
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }
}
