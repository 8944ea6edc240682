import AlertModel

/// A piece of a page. Words that are put into it by `\(…)` are escaped; only other pieces of HTML go in as they are, so
/// that forgetting to escape is not possible.
struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    let text: String

    init(stringLiteral value: String) { text = value }
    init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ words: String) { text += HTML.escape(words) }
        mutating func appendInterpolation(_ piece: HTML) { text += piece.text }
        mutating func appendInterpolation(_ piece: HTML?) { text += piece?.text ?? "" }
        mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }
    }

    /// The longest text that is shown in full; whole stack traces have no place in a chat.
    static let wordsMax = 2000

    /// The text as HTML shows it, safe between tags and in quoted attributes; what could deceive a reader is gone.
    static func escape(_ words: String) -> String {
        var result = ""
        for scalar in words.clipped(to: wordsMax).tamed.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The words as a link, or only as words where the URL is not one that a browser may safely follow.
    static func link(_ words: String, to url: String?) -> HTML {
        guard let url, isSafe(url) else { return "\(words)" }
        return """
            <a href="\(url)" target="_blank" rel="noopener noreferrer">\(words)</a>
            """
    }

    /// Whether the URL is a web address without tricks: browsers skip spaces and control characters inside a scheme.
    private static func isSafe(_ url: String) -> Bool {
        guard url.utf8.count <= wordsMax, url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0 != "\\" }),
            url.tamed == url
        else { return false }
        let start = url.prefix(8).lowercased()
        let host = url.dropFirst(start.hasPrefix("https://") ? 8 : start.hasPrefix("http://") ? 7 : url.count)
        return host.first.map { $0.isLetter || $0.isNumber || $0 == "[" } ?? false
    }
}
