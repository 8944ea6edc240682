/// Finds one secret in texts from outside, in whatever spelling, and masks it.
///
/// Whoever sends back what it was sent may write it as JSON does (`\/`, `\u002B`), as addresses do (`%2F`) or as pages do
/// (`&#47;`, `&quot;`), each of them once more inside another, and every character in its own way. And what was cut before
/// anybody masked it has only an end of the secret left, next to the mark of the cut.
public struct SecretMask: Sendable {
    /// The characters of the secret; empty where it is too short to be one.
    private let letters: [Letter]

    public init(_ secret: Secret) {
        // Space at the ends of a header is not sent, so what comes back is without.
        let value = secret.reveal().trimmed
        let plain = SecretMask.plain(value)
        // What stands for fewer characters is looked for as it is written.
        let sought = plain.count >= SecretMask.bytesMin ? plain : Array(value.unicodeScalars)
        letters = value.utf8.count >= SecretMask.bytesMin ? sought.map { Letter($0) } : []
    }

    /// The characters of a secret that stands in an address, and may be sent back as what its `%2F` stand for: those are
    /// spellings like any other.
    private static func plain(_ value: String) -> [Unicode.Scalar] {
        var rest = Array(value.unicodeScalars)[...]
        var plain: [Unicode.Scalar] = []
        while let scalar = rest.popFirst() {
            if scalar == "%", let (meant, length) = escaped(rest) {
                rest = rest.dropFirst(length)
                plain.append(meant)
            } else {
                plain.append(scalar)
            }
        }
        return plain
    }

    /// The character that stands behind a `%`, and how long it is written there; nil where there is none that anybody would
    /// write in another way.
    private static func escaped(_ rest: ArraySlice<Unicode.Scalar>) -> (Unicode.Scalar, length: Int)? {
        func byte(_ place: Int) -> UInt8? {
            let digits = rest.dropFirst(place).prefix(2)
            guard digits.count == 2, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
            return UInt8(String(String.UnicodeScalarView(digits)), radix: 16)
        }
        guard let first = byte(0) else { return nil }
        var bytes = [first]
        // Characters beyond ASCII have as many bytes as the first of them says, each written by itself.
        while bytes.count < (first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4) {
            let place = 3 * bytes.count
            guard rest.dropFirst(place - 1).first == "%", let next = byte(place) else { return nil }
            bytes.append(next)
        }
        guard let scalar = String(validating: bytes, as: UTF8.self)?.unicodeScalars.first, scalar.mayBeEscaped else {
            return nil
        }
        return (scalar, 3 * bytes.count - 1)
    }

    /// One of fewer bytes is left alone: masking every `1` would hide more than it protects.
    private static let bytesMin = 4
    /// As many characters of a secret next to a cut are too many to be seen.
    private static let piecesMin = 4

    /// The text without the secret.
    public func masked(in text: String) -> String {
        // What is shorter than the secret has none of it, unless it is cut.
        guard text.utf8.count >= letters.count || text.utf8.contains(SecretMask.cut[0]), let first = letters.first
        else { return text }
        var text = text
        let masked: [UInt8]? = text.withUTF8 { bytes in
            var result: [UInt8] = []
            var (copied, place) = (0, 0)
            while place < bytes.count {
                let isBehindCut =
                    place >= SecretMask.cut.count && bytes.has(SecretMask.cut, at: place - SecretMask.cut.count)
                guard first.mayBegin(with: bytes[place]) || isBehindCut,
                    let end = end(in: bytes, at: place, from: 0)
                        ?? (isBehindCut ? endOfRest(in: bytes, at: place) : nil)
                else {
                    place += 1
                    continue
                }
                result += bytes[copied..<place]
                result += Secret.mask.utf8
                (copied, place) = (end, end)
            }
            return copied == 0 ? nil : result + bytes[copied...]
        }
        return masked.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// What stands for what was cut out of a text.
    private static let cut = Array("…".utf8)

    /// Where the rest of the secret ends that stands behind a cut.
    private func endOfRest(in bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Int? {
        for number in letters.indices.dropFirst() {
            if let end = end(in: bytes, at: place, from: number) { return end }
            // The cut may have gone through the spelling of the character before.
            for spelling in letters[number - 1].spellings {
                for length in stride(from: spelling.count - 1, to: 0, by: -1)
                where bytes.has(spelling.suffix(length), at: place) {
                    if let end = end(in: bytes, at: place + length, from: number) { return end }
                }
            }
        }
        return nil
    }

    /// Where the secret from that character on ends, or the piece of it that a cut has left, should it begin at the place.
    private func end(in bytes: UnsafeBufferPointer<UInt8>, at place: Int, from number: Int) -> Int? {
        // A character that may be spelled in several ways may end in several places.
        var places = [place]
        for (count, letter) in letters[number...].enumerated() {
            if count >= SecretMask.piecesMin, let end = places.compactMap({ cut(in: bytes, at: $0, in: letter) }).max()
            {
                return end
            }
            var next: [Int] = []
            for place in places {
                for spelling in letter.spellings where bytes.has(spelling, at: place) {
                    if !next.contains(place + spelling.count) { next.append(place + spelling.count) }
                }
            }
            guard !next.isEmpty else { return nil }
            places = next
        }
        return number == 0 || letters.count - number >= SecretMask.piecesMin ? places.max() : nil
    }

    /// Where the text is cut, should that be at the place, be it amid the spelling of the next character.
    private func cut(in bytes: UnsafeBufferPointer<UInt8>, at place: Int, in next: Letter) -> Int? {
        if bytes.has(SecretMask.cut, at: place) { return place }
        for spelling in next.spellings {
            for length in stride(from: spelling.count - 1, to: 0, by: -1)
            where bytes.has(spelling.prefix(length), at: place) && bytes.has(SecretMask.cut, at: place + length) {
                return place + length
            }
        }
        return nil
    }
}

extension SecretMask {
    /// One character of a secret.
    private struct Letter: Sendable {
        /// In bytes, all in lower case: digits are written in either, and names of hosts are turned into it.
        let spellings: [[UInt8]]
        private let firstBytes: [UInt8]

        func mayBegin(with byte: UInt8) -> Bool { firstBytes.contains(byte.lowercased) }

        init(_ scalar: Unicode.Scalar) {
            var spellings = [String(scalar)]
            if scalar.mayBeEscaped { spellings += Letter.escapes(of: scalar) }
            self.spellings = spellings.map { $0.utf8.map(\.lowercased) }
            firstBytes = Array(Set(self.spellings.map { $0[0] }))
        }

        private static func escapes(of scalar: Unicode.Scalar) -> [String] {
            let text = String(scalar)
            let (hex, number) = (String(scalar.value, radix: 16), String(scalar.value))
            let units = text.utf16.map { "\\u" + String($0, radix: 16).padded(to: 4) }.joined()
            var backslashed = [units]
            if scalar.isASCII { backslashed += ["\\" + text, "\\x" + hex.padded(to: 2)] }
            if let letter = controls[scalar] { backslashed += ["\\" + letter] }
            let percented = text.utf8.map { "%" + String($0, radix: 16).padded(to: 2) }.joined()
            let numbers = [number, number.padded(to: 3), "x" + hex, "x" + hex.padded(to: 4)]
            let references = (numbers.map { "#" + $0 } + [names[scalar]].compactMap(\.self)).map { "&\($0);" }
            // Inside another text of the same kind the mark of the spelling is spelled, too.
            var all =
                backslashed + backslashed.map { $0.replacing("\\", with: "\\\\") } + ["\\\\\\" + text]
                + [percented, percented.replacing("%", with: "%25")]
                + references + references.map { $0.replacing("&", with: "&amp;") }
            if scalar == " " { all += ["+"] }
            // Texts for one line have spaces for the ends of lines.
            if controls[scalar] != nil { all += [" "] }
            return all
        }

        private static let controls: [Unicode.Scalar: String] = ["\n": "n", "\r": "r", "\t": "t"]
        private static let names: [Unicode.Scalar: String] = [
            "\"": "quot", "'": "apos", "&": "amp", "<": "lt", ">": "gt", "/": "sol", "+": "plus", "=": "equals",
        ]
    }
}

extension Unicode.Scalar {
    /// Whether anybody has a reason to write it in another way: all but letters and digits of ASCII.
    fileprivate var mayBeEscaped: Bool { !isASCII || !properties.isAlphabetic && !("0"..."9" ~= self) }
}

extension String {
    /// The digits with zeros before them.
    fileprivate func padded(to length: Int) -> String { String(repeating: "0", count: max(0, length - count)) + self }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether those bytes stand there, letters in either case.
    fileprivate func has(_ wanted: some RandomAccessCollection<UInt8>, at place: Int) -> Bool {
        place + wanted.count <= count && zip(self[place...], wanted).allSatisfy { $0.lowercased == $1 }
    }
}

extension UInt8 {
    /// A letter of ASCII in lower case.
    fileprivate var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}
