// Markup writes HTML and SVG in which words cannot become tags: there is no way to put a string into a piece but
// through the escape. It knows nothing of pages, alerts or servers.

internal import AlertModel

/// A piece of a page. Words that are put into it by `\(…)` are escaped; only other pieces of HTML go in as they are, so
/// that forgetting to escape is not possible.
public struct HTML: Hashable, Sendable, ExpressibleByStringInterpolation {
    public let text: String

    public init(stringLiteral value: String) { text = value }
    public init(stringInterpolation: Interpolation) { text = stringInterpolation.text }

    /// What stands between the quotes.
    public struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 32)
        }

        public mutating func appendLiteral(_ literal: String) { text += literal }
        /// Words, cut to what people can read and without what could deceive them.
        public mutating func appendInterpolation(_ words: String) { text += HTML.escape(words) }
        /// Words of which every character counts, such as those of a program; lines stay lines.
        public mutating func appendInterpolation(whole words: String) {
            let lines = words.split(separator: "\n", omittingEmptySubsequences: false)
            text += lines.map { HTML.escapeTamed(String($0).tamed) }.joined(separator: "\n")
        }
        public mutating func appendInterpolation(_ number: Int) { text += String(number) }
        /// A length or a place in a drawing: one decimal, which is finer than any screen.
        public mutating func appendInterpolation(_ number: Double) { text += HTML.short(number) }
        public mutating func appendInterpolation(_ piece: HTML) { text += piece.text }
        public mutating func appendInterpolation(_ piece: HTML?) { text += piece?.text ?? "" }
        public mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }
    }

    /// The longest text that is shown in full; whole stack traces have no place in a chat.
    public static let wordsMax = 2000

    /// The text as HTML shows it, safe between tags and in quoted attributes; what could deceive a reader is gone.
    public static func escape(_ words: String) -> String { escapeTamed(words.clipped(to: wordsMax).tamed) }

    private static func escapeTamed(_ words: String) -> String {
        var result = ""
        for scalar in words.unicodeScalars {
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

    /// `12` or `12.3`; what is no number, or beyond any drawing, is written as 0.
    private static func short(_ number: Double) -> String {
        guard number.magnitude < 1e9 else { return "0" }
        let tenths = Int((number * 10).rounded())
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + String(whole) + (rest == 0 ? "" : ".\(rest)")
    }

    /// The words as a link, or only as words where the URL is not one that a browser may safely follow.
    public static func link(_ words: String, to url: String?) -> HTML {
        let piece: HTML = "\(words)"
        return link(piece, to: url)
    }

    /// The piece as a link, or only itself where the URL is not one that a browser may safely follow.
    public static func link(_ piece: HTML, to url: String?) -> HTML {
        guard let url, isSafe(url) else { return piece }
        return """
            <a href="\(url)" target="_blank" rel="noopener noreferrer">\(piece)</a>
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
