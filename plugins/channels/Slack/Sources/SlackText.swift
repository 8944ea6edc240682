internal import PluginKit

// Text of strangers made fit for Slack: nothing in it may notify people, make links, or leave its place.

extension String {
    /// The text on one line, without what could deceive a reader, for `plain_text` objects.
    ///
    /// Slack reads no mentions in those; they are broken all the same, because the same words also show up in
    /// notifications and in clients that do not know blocks.
    func slackPlain(to limit: Int) -> String {
        defused.fitted(to: limit) { $0.utf16.count }
    }

    /// The same for `mrkdwn` objects and the message's `text`; the limit holds after escaping.
    func slackMarkup(to limit: Int) -> String {
        defused.fitted(to: limit) { $0.escaped.utf16.count }.escaped
    }

    /// The same for the inside of a `code` span, which ends at the next back-tick.
    func slackCode(to limit: Int) -> String {
        filter { $0 != "`" }.slackMarkup(to: limit)
    }

    /// One line without mentions and code fences. A zero-width space breaks them and is not seen.
    var defused: String {
        let line = tamed.trimmed
            .parted(after: "<", before: ["!", "@", "#"])
            .parted(after: "@", before: ["channel", "everyone", "here", "group"])
        // No run of back-ticks: three would open a fence over everything that follows.
        return line.parted(after: "`", before: ["`"])
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

    /// A zero-width space.
    static let zeroWidthSpace = "\u{200B}"

    /// The three characters that Slack wants escaped; it wants no other.
    var escaped: String {
        // Most texts hold none of them.
        guard utf8.contains(where: { "&<>".utf8.contains($0) }) else { return self }
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

    /// The text with its middle cut out where its characters cost more than the limit, never inside a character.
    func fitted(to limit: Int, cost: (String) -> Int) -> String {
        let costs = map { cost(String($0)) }
        guard costs.reduce(0, +) > limit else { return self }
        let head = costs.count(within: limit / 2)
        let tail = costs.reversed().count(within: limit - limit / 2 - "…".utf16.count)
        return prefix(head) + "…" + suffix(tail)
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

/// A link in Slack's own writing.
enum SlackLink {
    /// Nil when the address is none that a person should be led to, or longer than the limit.
    static func markup(_ title: String, _ url: String, titleMax: Int) -> String? {
        let scheme = url.prefix(8).lowercased()
        guard scheme.hasPrefix("https://") || scheme.hasPrefix("http://") else { return nil }
        guard url.utf8.count <= SlackShares.linkURLMax else { return nil }
        // A bar ends the address and would confuse the title.
        let label = String(title.map { $0 == "|" ? "¦" : $0 }).slackMarkup(to: titleMax)
        return "<\(encoded(url))|\(label.isEmpty ? "link" : label)>"
    }

    /// The address without what would end it early; what is percent-encoded already stays.
    private static func encoded(_ url: String) -> String {
        var result = ""
        for scalar in url.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "|", "<", ">", "\"", "`", "\\", "^", "{", "}": result += String(scalar).percentEncoded
            case "!"..."~": result.unicodeScalars.append(scalar)
            default: result += String(scalar).percentEncoded
            }
        }
        return result
    }
}
