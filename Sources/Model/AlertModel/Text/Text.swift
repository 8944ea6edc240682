internal import Text

extension String {
    /// The text with its middle cut out where it is longer than `length` characters as people see them, so that both ends
    /// stay readable.
    ///
    /// One character can carry marks without end: one with more bytes than people write counts as several.
    public func clipped(to length: Int) -> String {
        // Counting characters costs more than counting bytes, and a text never has more characters than bytes.
        guard utf8.count > max(length, 0) else { return self }
        return cutInTheMiddle(to: length, bytesMax: String.characterBytesMax) { character in
            (character.utf8.count + String.characterBytesMax - 1) / String.characterBytesMax
        }
    }

    /// More than any character needs that people write: a family of four with shades of skin has 41 bytes.
    private static let characterBytesMax = 64

    /// The text without what could deceive a reader or break a line: what ends a line and tabs become spaces; other
    /// control characters, bidirectional overrides and marks of direction go.
    public var tamed: String {
        guard mayBeWild, unicodeScalars.contains(where: \.isWild) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar.value {
            case 0x0A, 0x0D, 0x09, 0x2028, 0x2029: result.append(" ")
            default: if !scalar.isWild { result.append(scalar) }
            }
        }
        return String(result)
    }

    /// The text as a sentence quotes it: tame, and no longer than a sentence bears.
    public var quotable: String { tamed.clipped(to: String.quotedMax) }

    /// What a sentence quotes is a name or a value, not a document: most are shorter, and of the others both ends tell
    /// which one is meant.
    private static let quotedMax = 60

    /// Whether any of the bytes may begin something wild: looking at bytes costs less than looking at characters, and at
    /// eight at once still less.
    private var mayBeWild: Bool {
        var text = self
        return text.withUTF8 { bytes in
            var (index, last) = (0, UInt8(0))
            while index < bytes.count {
                if let word = UInt64(bytes, at: index), word.isOfPlainLetters {
                    (index, last) = (index + 8, 0)
                    continue
                }
                switch bytes[index] {
                // U+0080 to U+00BF and U+0600 to U+063F begin with 0xC2 and 0xD8.
                case 0..<0x20, 0x7F, 0xC2, 0xD8: return true
                // U+2000 to U+207F begin with 0xE2 and one of these two.
                case 0x80, 0x81: if last == 0xE2 { return true }
                default: break
                }
                (index, last) = (index + 1, bytes[index])
            }
            return false
        }
    }

    /// JSON text in which what `tamed` would take away is written as `\u202e`; the value that it stands for stays the
    /// same.
    public var wildEscaped: String {
        // Below U+0020 there are only the ends of lines between values: JSON escapes the others itself.
        guard unicodeScalars.contains(where: { $0.value > 0x20 && $0.isWild }) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.value > 0x20, scalar.isWild {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text percent-encoded for one piece of a URL: everything but RFC 3986's unreserved characters.
    public var percentEncoded: String {
        var result = ""
        for byte in utf8 {
            if byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let hex = String(byte, radix: 16, uppercase: true)
                result += "%" + (hex.count == 1 ? "0" : "") + hex
            }
        }
        return result
    }

    /// The bytes that a percent-encoded text stands for; what only looks like a code is left as it is.
    public var percentDecoded: [UInt8] {
        var bytes: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            // A sign would pass for a digit.
            if byte == UInt8(ascii: "%"), digits.count == 2,
                digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// The candidate nearest to this text, or nil when none is near enough to be a likely slip of the hand: at most one
    /// edit for short words, a third of the letters for longer ones.
    public func nearest(in candidates: some Sequence<String>) -> String? {
        let limit = max(1, min(3, count / 3))
        let letters = Array(lowercased())
        var best: (distance: Int, candidate: String)?
        for candidate in candidates {
            let others = Array(candidate.lowercased())
            // So many edits it takes at least.
            guard abs(others.count - letters.count) <= limit else { continue }
            let distance = letters.edits(to: others)
            if distance <= limit, distance < (best?.distance ?? .max) { best = (distance, candidate) }
        }
        return best?.candidate
    }

    /// Whether it is another text but for one insertion, deletion or replacement, or two neighbours swapped.
    public func isOneSlip(from other: String) -> Bool { Array(lowercased()).edits(to: Array(other.lowercased())) == 1 }

    /// `; did you mean shop?` with the nearest of the candidates, for the end of a sentence; empty when none is near.
    public func guess(in candidates: some Sequence<String>) -> String {
        nearest(in: candidates).map { "; did you mean \($0.tamed)?" } ?? ""
    }
}

extension [Character] {
    /// The number of insertions, deletions, replacements and swaps of neighbours between two texts (optimal string
    /// alignment); texts beyond 64 characters are never near.
    fileprivate func edits(to right: [Character]) -> Int {
        let left = self
        guard left.count <= 64, right.count <= 64 else { return .max }
        var rows: [[Int]] = [[Int](0...right.count)]
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for (column, candidate) in right.enumerated() {
                var cost = Swift.min(
                    rows[row][column + 1] + 1, current[column] + 1, rows[row][column] + (character == candidate ? 0 : 1)
                )
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == candidate {
                    cost = Swift.min(cost, rows[row - 1][column - 1] + 1)
                }
                current.append(cost)
            }
            rows.append(current)
        }
        return rows[left.count][right.count]
    }
}

extension Unicode.Scalar {
    /// Whether it could deceive a reader or break a line.
    fileprivate var isWild: Bool {
        switch value {
        case 0x20..<0x7F: false
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
