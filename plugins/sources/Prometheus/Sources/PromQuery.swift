internal import PluginKit

/// A PromQL query and the metric it gives.
struct PromQuery: Sendable {
    let metric: String
    let text: GuardedText

    /// Stands for a span inside a query, as in `increase(sessions_total[$span])`.
    private static let placeholder = "$span"

    var hasPlaceholder: Bool { PromQuery.replacing(text.reveal(), by: "") != nil }

    /// The query with the span in place of the placeholder.
    func text(over span: Duration) -> GuardedText {
        let range = PromQuery.range(span)
        return text.mapped { PromQuery.replacing($0, by: range) ?? $0 }
    }

    /// The text with every placeholder replaced; nil when there is none. `$spanish` is none.
    private static func replacing(_ text: String, by range: String) -> String? {
        var result = ""
        var rest = text[...]
        var isFound = false
        while let start = rest.firstIndex(of: "$") {
            result += rest[..<start]
            rest = rest[start...]
            let after = rest.dropFirst(placeholder.count)
            let isWhole = after.first.map { !($0.isLetter || $0.isNumber || $0 == "_") } ?? true
            if rest.hasPrefix(placeholder), isWhole {
                result += range
                rest = after
                isFound = true
            } else {
                result.append(rest.removeFirst())
            }
        }
        return isFound ? result + rest : nil
    }

    /// A duration in one unit, as every server reads it: older ones know no `1h30m`.
    private static func range(_ span: Duration) -> String {
        let milliseconds = max(span.wholeMilliseconds, 1)
        let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        let unit = units.first { milliseconds % $0.0 == 0 } ?? (1, "ms")
        return "\(milliseconds / unit.0)\(unit.1)"
    }

    // MARK: - The range written in a query

    /// The one range that the queries write in brackets; nil when they write none, or several.
    static func commonRange(of queries: [PromQuery]) -> Duration? {
        let ranges = queries.flatMap { PromQuery.ranges(in: $0.text.reveal()) }
        guard let first = ranges.first, ranges.allSatisfy({ $0 == first }) else { return nil }
        return first
    }

    /// The ranges in brackets, outside of quotes and comments; nil stands for one that cannot be read.
    private static func ranges(in query: String) -> [Duration?] {
        var ranges: [Duration?] = []
        var quote: Character?
        var isEscaped = false
        var bracket: String?
        var isComment = false
        for character in query {
            if isComment {
                isComment = !character.isNewline
                continue
            }
            if let mark = quote {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\", mark != "`" {
                    isEscaped = true
                } else if character == mark {
                    quote = nil
                }
                continue
            }
            switch character {
            case "\"", "'", "`": quote = character
            case "#": isComment = true
            case "[": bracket = ""
            case "]":
                ranges.append(bracket.flatMap { duration($0) })
                bracket = nil
            default: bracket?.append(character)
            }
        }
        return ranges
    }

    /// Reads `1h30m`, `500ms` or plain seconds; of a subquery, `1h:5m`, what stands before the colon.
    private static func duration(_ text: String) -> Duration? {
        let text = text.prefix { $0 != ":" }.filter { !$0.isWhitespace }
        if let seconds = Int64(text), (1...maxSeconds).contains(seconds) { return .seconds(seconds) }
        let units: [String: Int64] = [
            "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000, "y": 31_536_000_000,
        ]
        var total: Int64 = 0
        var rest = text[...]
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard let count = Int64(digits), let length = units[String(unit)] else { return nil }
            let (product, overflow) = count.multipliedReportingOverflow(by: length)
            guard !overflow, product <= maxSeconds * 1000 - total else { return nil }
            total += product
        }
        return total > 0 ? .milliseconds(total) : nil
    }

    /// Ten years; whatever lies beyond is no range that anybody meant.
    private static let maxSeconds: Int64 = 315_360_000
}
