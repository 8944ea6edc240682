internal import PluginKit

// Text of strangers made fit for Slack: nothing in it may notify people, make links, or leave its place.

extension String {
    /// The text on one line, harmless, and cut in the middle so that it has at most `limit` characters after escaping.
    func cut(to limit: Int) -> String {
        roughlyCut(to: limit).tamed.trimmed.defused.fitted(to: limit)
    }

    /// The text with its middle cut out where it is longer than the limit after escaping, never inside a character.
    func fitted(to limit: Int) -> String {
        let costs = map { character in character.unicodeScalars.reduce(0) { $0 + $1.slackCost } }
        guard costs.reduce(0, +) > limit else { return self }
        let head = costs.count(within: limit / 2)
        let tail = costs.reversed().count(within: limit - limit / 2 - "…".utf16.count)
        return prefix(head) + "…" + suffix(tail)
    }

    /// The three characters that Slack wants escaped; it wants no other.
    var escaped: String {
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The text without what lies far from both its ends, before anything is done to each of its characters.
    private func roughlyCut(to limit: Int) -> String {
        // Four bytes a scalar, at both ends.
        guard utf8.count > 8 * limit else { return self }
        return String(unicodeScalars.prefix(limit)) + "…" + String(unicodeScalars.suffix(limit))
    }

    /// The text without mentions and code fences: a zero-width space breaks them and is not seen.
    ///
    /// Escaping alone would do for markup; but the same words also stand in objects that are not escaped, and show up in
    /// clients that do not know blocks.
    private var defused: String {
        parted(after: "<", before: ["!", "@", "#"])
            .parted(after: "@", before: ["channel", "everyone", "here", "group"])
            // No run of back-ticks: three would open a fence over everything that follows.
            .parted(after: "`", before: ["`"])
    }

    /// Puts a zero-width space wherever one of the words, in letters of any size, follows the mark.
    private func parted(after mark: Character, before words: [String]) -> String {
        var result = ""
        var rest = self[...]
        while let index = rest.firstIndex(of: mark) {
            let next = rest.index(after: index)
            result += rest[..<next]
            rest = rest[next...]
            if words.contains(where: { rest.prefix($0.count).lowercased() == $0 }) { result += String.zeroWidthSpace }
        }
        return result + rest
    }

    static let zeroWidthSpace = "\u{200B}"

    /// The address with everything percent-encoded that could end it early; nil when it is none that a person should be
    /// led to, or too long.
    var webAddress: String? {
        let start = prefix(8).lowercased()
        guard start.hasPrefix("https://") || start.hasPrefix("http://"), utf8.count <= SlackShares.addressMax else {
            return nil
        }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "|", "<", ">", "\"", "`", "\\", "^", "{", "}": result += String(scalar).percentEncoded
            case "!"..."~": result.unicodeScalars.append(scalar)
            default: result += String(scalar).percentEncoded
            }
        }
        return result.utf8.count <= SlackShares.addressMax ? result : nil
    }

    /// A link in Slack's own writing, from a `webAddress`.
    static func slackLink(_ title: String, _ address: String) -> String {
        // A bar would end the address a second time.
        let label = String(title.map { $0 == "|" ? "¦" : $0 }).escaped
        return "<\(address.escaped)|\(label.isEmpty ? "link" : label)>"
    }
}

extension Unicode.Scalar {
    /// How many UTF-16 units it takes after escaping.
    fileprivate var slackCost: Int {
        switch self {
        case "&": "&amp;".utf16.count
        case "<": "&lt;".utf16.count
        case ">": "&gt;".utf16.count
        default: value > 0xFFFF ? 2 : 1
        }
    }
}

extension Sequence<Int> {
    /// How many of the numbers, from the front, stay within the limit together.
    fileprivate func count(within limit: Int) -> Int {
        var left = limit
        let fitting = prefix { number in
            left -= number
            return left >= 0
        }
        return fitting.count
    }
}
