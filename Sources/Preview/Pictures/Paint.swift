/// Colours and links for a terminal, or none.
public struct Paint: Sendable {
    private let isOn: Bool
    /// Whether words can lead somewhere.
    public let hasLinks: Bool

    public static let none = Paint(isOn: false)

    public init(isOn: Bool, hasLinks: Bool = false) {
        self.isOn = isOn
        self.hasLinks = hasLinks
    }

    /// Words that lead to an address where the terminal can do that, by OSC 8; the words alone for any address that is not
    /// plain, since it may come from a stranger and must not end the sequence that it stands in.
    public func link(_ text: String, to address: String?) -> String {
        guard hasLinks, let address, Paint.isPlain(address) else { return text }
        return "\u{1B}]8;;\(address)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
    }

    /// VTE, whose bound is the lowest of the known, ignores longer addresses
    /// (https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda).
    private static let addressBytesMax = 2083

    private static func isPlain(_ address: String) -> Bool {
        let start = address.prefix(8).lowercased()
        return (start.hasPrefix("https://") || start.hasPrefix("http://"))
            && address.utf8.count <= addressBytesMax && address.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    public func bold(_ text: String) -> String { wrap(text, "1") }
    public func dim(_ text: String) -> String { wrap(text, "2") }
    public func red(_ text: String) -> String { wrap(text, "31") }
    public func green(_ text: String) -> String { wrap(text, "32") }
    public func yellow(_ text: String) -> String { wrap(text, "33") }

    public func line(_ line: TerminalLine) -> String {
        line.pieces.map { piece in
            let ink = piece.ink
            var codes: [String] = []
            if ink.isBold { codes.append("1") }
            if ink.isDim { codes.append("2") }
            if ink.isItalic { codes.append("3") }
            if ink.isUnderlined { codes.append("4") }
            if ink.isStruck { codes.append("9") }
            switch ink.color {
            case .red: codes.append("31")
            case .green: codes.append("32")
            case .yellow: codes.append("33")
            case .blue: codes.append("34")
            case nil: break
            }
            let text = codes.isEmpty ? piece.text : wrap(piece.text, codes.joined(separator: ";"))
            return link(text, to: ink.link)
        }.joined()
    }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
