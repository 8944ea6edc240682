/// Colours for a terminal, or none.
public struct Paint: Sendable {
    private let isOn: Bool

    public static let none = Paint(isOn: false)

    public init(isOn: Bool) { self.isOn = isOn }

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
            return codes.isEmpty ? piece.text : wrap(piece.text, codes.joined(separator: ";"))
        }.joined()
    }

    private func wrap(_ text: String, _ code: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
