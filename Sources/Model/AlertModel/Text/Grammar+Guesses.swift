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

extension DaySet {
    /// What somebody means who writes days in another way: `Monday – Friday`, `mo-fr`, `sat sun`, `mon to fri`, `mon..fri`.
    static func meant(by text: String) -> String? {
        let usual = [" to ", "...", ".."].reduce(text.lowercased()) { $0.replacing($1, with: "-") }
            .map { "–—…_:".contains($0) ? "-" : $0 }
        // Blanks around a dash join, other blanks part.
        let dashed = String(usual).split(separator: "-", omittingEmptySubsequences: false).map { String($0).trimmed }
            .joined(separator: "-")
        let parts = dashed.split { ",; /&+".contains($0) }.map { part in
            part.split(separator: "-", omittingEmptySubsequences: false).map { day(meantBy: String($0)) }
        }
        guard !parts.isEmpty, parts.allSatisfy({ $0.count <= 2 && !$0.contains(nil) }) else { return nil }
        return parts.map { $0.compactMap(\.self).joined(separator: "-") }.joined(separator: ",")
    }

    /// The one day that a word is for: its name cut short, or several of it, perhaps with a slip. What only begins like a day
    /// may be more than one.
    private static func day(meantBy word: String) -> String? {
        let days = Weekday.allCases
        let singular = word.hasSuffix("s") ? String(word.dropLast()) : word
        let meant = days.first { day in
            word.count > 1 && (day.name.hasPrefix(word) || singular == day.name || singular == day.shortName)
        }
        guard meant == nil else { return meant?.shortName }
        // What is as near to two days is for neither.
        func near(_ name: (Weekday) -> String) -> String? {
            guard let near = word.nearest(in: days.map(name)), word.nearest(in: days.map(name).reversed()) == near
            else {
                return nil
            }
            return days.first { name($0) == near }?.shortName
        }
        return near(\.shortName) ?? near(\.name)
    }
}

extension DailyHours {
    /// `22-07`, `22:00–07:00`, `22.00 to 7.00`.
    static func meant(by text: String) -> String? {
        let dashed = String(text.replacing(" to ", with: "-").map { "–—".contains($0) ? "-" : $0 })
        let written = dashed.split(separator: "-", omittingEmptySubsequences: false).map { String($0).trimmed }
        // An end that is not there is no midnight.
        guard written.count == 2, !written.contains("") else { return nil }
        let ends = written.map { end in
            let end = end.replacing(".", with: ":")
            return (end.count < 2 ? "0" + end : end) + (end.contains(":") ? "" : ":00")
        }
        guard let begin = seconds(ends[0]), let end = seconds(ends[1]), begin < 86_400, begin != end else { return nil }
        // From nine to five may be the day or, as it is written, nearly all of the night with it.
        let noon = 43_200
        guard dashed.contains(":") || dashed.contains(".") || begin < end || begin > noon else { return nil }
        return ends.joined(separator: "-")
    }
}
