internal import PluginKit

/// How a chat reads text: what has to be escaped, what would call people or lead them astray, and in which unit it counts.
public struct ChatDialect: Sendable {
    /// What a chat's limits count.
    public enum Unit: Sendable {
        /// As JavaScript and Windows count characters.
        case utf16
        /// Code points of JSON, as servers count that keep it.
        case codePointsOfJSON
        /// Bytes of UTF-8.
        case bytes
        /// Bytes of JSON in which everything beyond ASCII is written as `\u202e`: the most that anybody makes of a text.
        case bytesOfASCII
    }

    private let unit: Unit
    private let escape: @Sendable (Unicode.Scalar) -> String?
    private let defuse: @Sendable (String) -> String
    private let lineMarks: Set<Unicode.Scalar>

    /// - Parameters:
    ///   - lineMarks: what makes a heading, a quotation or a list of a line that begins with it.
    ///   - escape: what is written for a code point; nil where it stands for itself.
    ///   - defuse: the text without what calls people, and without addresses that the chat would make links of.
    public init(
        unit: Unit, lineMarks: String = "", escape: @escaping @Sendable (Unicode.Scalar) -> String? = { _ in nil },
        defuse: @escaping @Sendable (String) -> String
    ) {
        self.unit = unit
        self.lineMarks = Set(lineMarks.unicodeScalars)
        self.escape = escape
        self.defuse = defuse
    }

    /// The text on one line, harmless, and cut in the middle so that it takes no more than the limit when it is escaped:
    /// what `Message.cut(to:by:)` wants.
    public func cut(_ text: String, to limit: Int) -> String {
        var text = defuse(text.roughlyCut(to: limit).tamed.trimmed)
        // An accent that stands alone would join the mark of ours before it.
        let isJoining = text.first.map { ("•" + String($0)).count == 1 } ?? false
        if isJoining || text.unicodeScalars.first.map(lineMarks.contains) ?? false { text = "\u{200B}" + text }
        return text.cutInTheMiddle(to: limit, markCost: size("…")) { size($0) }
    }

    /// The text with everything escaped that means something to the chat.
    public func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if let written = escape(scalar) { result += written } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// How long the chat finds a text that is written already.
    public func length(_ written: String) -> Int { written.unicodeScalars.reduce(0) { $0 + plainSize($1) } }

    /// What the code point takes when it is escaped.
    private func size(_ scalar: Unicode.Scalar) -> Int { escape(scalar).map(length) ?? plainSize(scalar) }

    private func plainSize(_ scalar: Unicode.Scalar) -> Int {
        switch unit {
        case .utf16: UTF16.width(scalar)
        case .codePointsOfJSON: ["\"", "\\", "\n"].contains(scalar) ? 2 : 1
        case .bytes: UTF8.width(scalar)
        case .bytesOfASCII:
            switch scalar {
            case "\"", "\\", "\n": 2
            case " "..."~": 1
            default: UTF16.width(scalar) * "\\u0000".utf8.count
            }
        }
    }
}

extension String {
    /// The text with a zero-width space, which nobody sees, wherever an address begins that a chat would make a link of.
    public var withoutLinks: String {
        let scalars = Array(unicodeScalars)
        var result = String.UnicodeScalarView()
        for (index, scalar) in scalars.enumerated() {
            result.append(scalar)
            // Code points and no characters: an accent behind the slashes makes no difference to a chat.
            if scalar == ":", scalars.dropFirst(index + 1).starts(with: ["/", "/"]) { result.append("\u{200B}") }
        }
        return String(result)
    }

    /// The same where a dot comes before a letter, for chats that make a link of `example.com`.
    public var withoutHosts: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if result.last == ".", scalar.properties.isAlphabetic { result.append("\u{200B}") }
            result.append(scalar)
        }
        return String(result)
    }

    /// The text with a zero-width space, which nobody sees, behind each of the marks: for chats in which any word can be
    /// somebody's name.
    public func parted(after marks: Set<Unicode.Scalar>) -> String {
        guard unicodeScalars.contains(where: marks.contains) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            result.unicodeScalars.append(scalar)
            if marks.contains(scalar) { result += "\u{200B}" }
        }
        return result
    }
}
