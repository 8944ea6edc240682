public import PluginKit

/// How chats that call people from a message's text are told whom.
public enum ChatMentions {
    /// In UTF-16 units: no chat of the family takes less, but for those that say so.
    static let textMax = 4000

    /// The payload with those called in front of the text, which gives way where both do not fit.
    ///
    /// - Parameters:
    ///   - member: the member that the text is in.
    ///   - textMax: what the chat takes in it, in UTF-16 units.
    public static func calling(_ called: [String], in payload: JSON, _ member: String, textMax: Int) -> JSON {
        guard var object = payload.object else { return payload }
        let front = called.joined(separator: " ")
        let text = (object[member]?.string ?? "")
            .linesCutInTheMiddle(to: textMax - front.utf16.count - 1) { $0.utf16.count }
        object[member] = .string(text.isEmpty ? front : "\(front) \(text)")
        return .object(object)
    }

    /// `@ana`, as chats write names that anybody may choose; nil for what is none.
    public static func name(_ written: String) -> String? {
        let name = written.utf8.dropFirst()
        guard written.hasPrefix("@"), (1...64).contains(name.count),
            name.allSatisfy({ $0.isASCIILetterOrDigit || "._-".utf8.contains($0) })
        else { return nil }
        return written
    }

    /// The digits between the two texts, as chats write ids; nil for anything else.
    public static func number(_ written: String, between start: String, and end: String) -> String? {
        guard written.hasPrefix(start), written.hasSuffix(end), written.utf8.count > start.utf8.count + end.utf8.count
        else { return nil }
        let digits = written.dropFirst(start.count).dropLast(end.count)
        return digits.utf8.count <= 24 && digits.isDigits ? String(digits) : nil
    }
}
