internal import ChatKit
internal import PluginKit

// Text of strangers made fit for Slack: nothing in it may notify people, make links, or leave its place.

extension String {
    /// The text on one line, harmless, and cut in the middle so that it has at most `limit` characters after escaping.
    ///
    /// - Parameter breakingLinks: for texts outside of blocks, of which none can say that it is verbatim.
    func cut(to limit: Int, breakingLinks: Bool = false) -> String {
        let text = roughlyCut(to: limit).tamed.trimmed.defused
        return (breakingLinks ? text.withoutLinks : text)
            .cutInTheMiddle(to: limit, markCost: "…".utf16.count, cost: \.slackCost)
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

    /// The text without mentions and code fences: a zero-width space breaks them and is not seen.
    ///
    /// Escaping alone would do for markup; but the same words also stand in objects that are not escaped, and show up
    /// in clients that do not know blocks.
    private var defused: String {
        parted(after: "<", before: ["!", "@", "#"])
            .parted(after: "@", before: ["channel", "everyone", "here", "group"])
            // No run of back-ticks: three would open a fence over everything that follows.
            .parted(after: "`", before: ["`"])
    }

    /// A link in Slack's own writing, from a `webAddress`.
    static func slackLink(_ title: String, _ address: String) -> String {
        // A bar would end the address a second time, also one that an accent makes another character of.
        let label = String(String.UnicodeScalarView(title.unicodeScalars.map { $0 == "|" ? "¦" : $0 })).escaped
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
