// What somebody means who writes a value in another way than config does: ready to be pasted, and nil where it could be two
// things.

extension Duration {
    /// `5min`, `2 hours`, `1 day 12 h`, `1D`.
    static func meant(by text: String) -> String? {
        // A large M may be minutes or months.
        guard !text.contains("M"), text.wholeMatch(of: /(?:\s*[0-9]{1,9}\s*[A-Za-z]+)+\s*/) != nil else { return nil }
        let parts = text.matches(of: /([0-9]+)\s*([A-Za-z]+)/).map { match in
            (count: Int64(match.output.1), unit: units[match.output.2.lowercased()])
        }
        guard Set(parts.map(\.unit)).count == parts.count else { return nil }
        var words: [String] = []
        for part in parts {
            guard let count = part.count, let unit = part.unit else { return nil }
            words.append(unit == "w" ? "\(count * 7)d" : "\(count)\(unit)")
        }
        return words.joined()
    }

    private static let units: [String: String] = {
        let names = [
            "s": ["s", "sec", "secs", "second", "seconds"], "m": ["m", "min", "mins", "minute", "minutes"],
            "h": ["h", "hr", "hrs", "hour", "hours"], "d": ["d", "day", "days"], "w": ["w", "week", "weeks"],
        ]
        return Dictionary(uniqueKeysWithValues: names.flatMap { unit, names in names.map { ($0, unit) } })
    }()
}

extension Comparison {
    /// `≤ 99%`, `=< 99%`, `< 99,5%`, `< 1,000`.
    static func meant(by text: String) -> String? {
        let marks = [
            ("≤", Relation.lessOrEqual), ("≥", .greaterOrEqual), ("=<", .lessOrEqual), ("=>", .greaterOrEqual),
            ("<=", .lessOrEqual), (">=", .greaterOrEqual), ("<", .less), (">", .greater),
        ]
        guard let (mark, relation) = marks.first(where: { text.hasPrefix($0.0) }) else { return nil }
        var number = String(text.dropFirst(mark.count)).trimmed
        if number.wholeMatch(of: /[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?/) != nil {
            // Of a count, three digits at a time; of a share, nobody knows.
            number = number.replacing(",", with: "")
        } else if number.wholeMatch(of: /[1-9][0-9]{0,2}(?:\.[0-9]{3})+/) != nil {
            // Whoever writes a share as 99,5% means a thousand by that.
            return nil
        } else if number.wholeMatch(of: /(?:[0-9]+,[0-9]{1,2}|0,[0-9]+)\s*%?/) != nil {
            number = number.replacing(",", with: ".")
        }
        guard number.wholeMatch(of: /[0-9]+(?:\.[0-9]+)?\s*%?/) != nil else { return nil }
        return "\(relation.rawValue) \(number)"
    }
}

extension DailyHours {
    /// `22-07`, `22:00–07:00`, `22.00 to 7.00`.
    static func meant(by text: String) -> String? {
        let dashed = String(text.replacing(" to ", with: "-").map { "–—".contains($0) ? "-" : $0 })
        let ends = dashed.split(separator: "-", omittingEmptySubsequences: false).map { end in
            let end = String(end).trimmed.replacing(".", with: ":")
            return (end.count < 2 ? "0" + end : end) + (end.contains(":") ? "" : ":00")
        }
        guard ends.count == 2, let begin = seconds(ends[0]), let end = seconds(ends[1]), begin < 86_400, begin != end
        else { return nil }
        // From nine to five may be the day or, as it is written, nearly all of the night with it.
        let noon = 43_200
        guard dashed.contains(":") || dashed.contains(".") || begin < end || begin > noon else { return nil }
        return ends.joined(separator: "-")
    }
}
