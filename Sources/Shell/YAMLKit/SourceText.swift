/// The text of a document, known to be UTF-8 that libyaml reads without objection and with lines where editors show
/// them.
///
/// libyaml reports bad bytes by offset and takes U+2028 and its like for line ends; looking first gives every such
/// problem a line and column, and keeps the marks of the rest true.
struct SourceText {
    let text: String

    /// - Throws: `Halt` at the first byte or character that cannot be read.
    init(_ bytes: [UInt8], bytesMax: Int) throws(Halt) {
        let start = Mark(line: 1, column: 1)
        guard bytes.count <= bytesMax else {
            throw Halt(start, "the text has \(bytes.count) bytes, more than the \(bytesMax) that are read")
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw Halt(start, "the text is UTF-16", advice: "save it as UTF-8")
        }
        let hasByteOrderMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let content = Array(bytes.dropFirst(hasByteOrderMark ? 3 : 0))
        let invalidOffset = Self.invalidOffset(in: content)
        text = String(decoding: content[..<(invalidOffset ?? content.count)], as: UTF8.self)

        let end = try Self.checkCharacters(of: text)
        if let invalidOffset {
            let byte = String(content[invalidOffset], radix: 16, uppercase: true)
            throw Halt(end, "byte 0x\(byte) is not valid UTF-8", advice: "save the file as UTF-8")
        }
    }

    /// The character at `index`, counted in Unicode scalars; nil at the end of the text.
    func character(at index: Int) -> Unicode.Scalar? {
        text.unicodeScalars.dropFirst(index).first
    }

    /// Whether only spaces stand between the start of the line and the character at `index`.
    func opensLine(at index: Int) -> Bool {
        for scalar in text.unicodeScalars.prefix(index).reversed() where scalar != " " {
            return scalar == "\n" || scalar == "\r"
        }
        return true
    }

    private static func invalidOffset(in bytes: [UInt8]) -> Int? {
        do {
            _ = try UTF8Span(validating: bytes.span)
            return nil
        } catch {
            return error.byteOffsets.lowerBound
        }
    }

    /// Walks the text and returns the mark of its end.
    private static func checkCharacters(of text: String) throws(Halt) -> Mark {
        let scalars = text.unicodeScalars
        var line = 1
        var column = 1
        var previous: Unicode.Scalar = "\n"
        for index in scalars.indices {
            let scalar = scalars[index]
            let mark = Mark(line: line, column: column)
            if let name = forbiddenName(of: scalar) {
                throw Halt(mark, "\(name) is not allowed here", advice: advice(for: scalar))
            }
            // Each %TAG line costs libyaml a walk over all before it, so a file of them would hang it. Refusing the
            // line also when it stands inside a string that ignores indentation is a fair price.
            if column == 1, scalar == "%", scalars[index...].starts(with: "%TAG".unicodeScalars) {
                throw Halt(mark, "tags are not used here, so '%TAG' is not either", advice: "remove the line")
            }
            if scalar == "\n" && previous == "\r" {
                // The second half of a line end that is already counted.
            } else if scalar == "\n" || scalar == "\r" {
                line += 1
                column = 1
            } else {
                column += 1
            }
            previous = scalar
        }
        return Mark(line: line, column: column)
    }

    /// What to call a character that may not stand in the text as such; nil for the others.
    ///
    /// These are the characters outside YAML's printable set, and the three it once took for line ends.
    private static func forbiddenName(of scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x00: "a NUL character"
        case 0x09, 0x0A, 0x0D: nil
        case 0x85, 0x2028, 0x2029: "the line separator \(code(of: scalar))"
        case 0xFEFF: "a byte order mark (U+FEFF)"
        case 0x01..<0x20, 0x7F..<0xA0: "the control character \(code(of: scalar))"
        case 0xFFFE, 0xFFFF: "the noncharacter \(code(of: scalar))"
        default: nil
        }
    }

    private static func advice(for scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x00: "save the file as UTF-8 text"
        case 0xFEFF: "remove it; it is invisible in most editors"
        default: "remove it, or write \"\\u\(hex(of: scalar))\" in double quotes"
        }
    }

    private static func code(of scalar: Unicode.Scalar) -> String {
        "U+\(hex(of: scalar))"
    }

    private static func hex(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
