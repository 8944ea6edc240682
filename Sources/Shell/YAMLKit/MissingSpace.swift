/// A key and its value with no space between them: one text to YAML.
///
/// What it says never quotes the value, which may be a secret.
struct MissingSpace {
    let key: Substring
    /// What is behind the colon.
    private let rest: Substring

    /// Nil where the text is nothing like it.
    init?(_ text: Substring) {
        guard text.first?.isLetter == true, let colon = text.firstIndex(of: ":") else { return nil }
        (key, rest) = (text[..<colon], text[text.index(after: colon)...])
        // An address is no key, and with a blank before the colon that is in the value.
        if rest.isEmpty || rest.hasPrefix("//") || key.contains(where: \.isWhitespace) { return nil }
    }

    /// The sentence, without a position.
    var message: String { "\(quoted(key + ":")) has no \(space == nil ? "" : "plain ")space after it" }

    var messageWithoutKey: String { "this ':' has no \(space == nil ? "" : "plain ")space after it" }

    var adviceWithoutKey: String { space?.adviceOnSpace ?? "put one there, or put the value in quotes" }

    var advice: String {
        if let advice = space?.adviceOnSpace { return advice }
        // What stands for a secret looks so without its dollar.
        return ["env", "file", "credential"].contains(key)
            ? "write ${\(key):…}, in quotes" : "write \(quoted(key + ": …"))"
    }

    /// The one behind the colon that YAML takes for a letter.
    private var space: Substring? {
        let space = rest.prefix(1)
        return space.strangeSpace == nil ? nil : space
    }
}

extension Node {
    /// The key and its value that a plain text was meant to be; nil where it is nothing like it.
    public var missingSpace: KeyFlaw? {
        if case .scalar(let text, .plain) = kind { MissingSpace(text[...]).map { KeyFlaw($0) } } else { nil }
    }
}

extension StringProtocol {
    /// What to do about a space that looks like any other and is none to YAML, or about what nobody sees at all; nil where
    /// there is no such thing.
    public var adviceOnSpace: String? { flawOfSpace.map { "it " + $0 } }

    /// The same, to follow the name of what it is in.
    public var flawOfSpace: String? {
        if let space = strangeSpace {
            let what = space == "\u{A0}" ? "a no-break space" : "a space of another kind"
            return "has \(what) in it (\(space.code)), which YAML takes for a letter; write a plain one"
        }
        let unseen = unicodeScalars.first(where: \.isUnseen)
        return unseen.map { "has an invisible character in it (\($0.code)); remove it" }
    }

    fileprivate var strangeSpace: Unicode.Scalar? {
        unicodeScalars.first { $0.properties.generalCategory == .spaceSeparator && $0 != " " }
    }
}

extension Unicode.Scalar {
    fileprivate var code: String {
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// Whether it shows nothing by itself: what comes along with a text that was copied from a page. Joiners and the tags of
    /// flags make characters that people see.
    fileprivate var isUnseen: Bool {
        properties.generalCategory == .format && properties.isDefaultIgnorableCodePoint
            && !(0x200C...0x200D ~= value || 0xE0020...0xE007F ~= value)
    }
}
