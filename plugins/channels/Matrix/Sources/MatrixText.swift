internal import PluginKit

// Text of strangers made fit for Matrix: bounded, on one line, and without what could deceive a reader.

extension String {
    /// The text on one line, cut in the middle so that it takes at most `limit` bytes of the event, as HTML or not.
    func cut(to limit: Int) -> String {
        roughlyCut(to: limit).tamed.trimmed.defused.fitted(to: limit)
    }

    /// The text with its middle cut out where it would take more bytes of the event than the limit, as HTML or not;
    /// never inside a character.
    func fitted(to limit: Int) -> String {
        let costs = map { character in character.unicodeScalars.reduce(0) { $0 + $1.matrixCost } }
        guard costs.reduce(0, +) > limit else { return self }
        let head = costs.count(within: limit / 2)
        let tail = costs.reversed().count(within: limit - limit / 2 - "…".utf8.count)
        return prefix(head) + "…" + suffix(tail)
    }

    /// The text without what lies far from both its ends, before anything is done to each of its characters.
    private func roughlyCut(to limit: Int) -> String {
        // Four bytes a scalar, at both ends.
        guard utf8.count > 8 * limit else { return self }
        return String(unicodeScalars.prefix(limit)) + "…" + String(unicodeScalars.suffix(limit))
    }

    /// The text without words that call everybody: a zero-width space breaks them and is not seen.
    ///
    /// Events say that they mention nobody, but older clients look for `@room` in the text all the same, and bridges to
    /// other chats for what means the same there.
    private var defused: String {
        var result = ""
        var rest = self[...]
        while let index = rest.firstIndex(of: "@") {
            let next = rest.index(after: index)
            result += rest[..<next]
            rest = rest[next...]
            let calls = ["room", "everyone", "channel", "here"].contains { rest.prefix($0.count).lowercased() == $0 }
            if calls { result += "\u{200B}" }
        }
        return result + rest
    }

    /// The text escaped for HTML, inside attributes too.
    var escaped: String {
        var result = ""
        for scalar in unicodeScalars {
            if let entity = scalar.entity { result += entity } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }

    /// How many bytes the text takes inside a JSON string.
    var bytesInJSON: Int { JSON.string(self).bytes.count - "\"\"".utf8.count }

    /// The address with everything percent-encoded that could end it early; nil when it is none that a person should be
    /// led to, or too long.
    var webAddress: String? {
        let start = prefix(8).lowercased()
        guard start.hasPrefix("https://") || start.hasPrefix("http://"), utf8.count <= MatrixShares.addressMax else {
            return nil
        }
        var result = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "<", ">", "\"", "`", "\\", "^", "{", "|", "}": result += String(scalar).percentEncoded
            case "!"..."~": result.unicodeScalars.append(scalar)
            default: result += String(scalar).percentEncoded
            }
        }
        return result.utf8.count <= MatrixShares.addressMax ? result : nil
    }
}

extension Unicode.Scalar {
    fileprivate var entity: String? {
        switch self {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        default: nil
        }
    }

    /// The most bytes it takes in the event: escaped for HTML, or for JSON alone.
    fileprivate var matrixCost: Int {
        switch self {
        case "\\", "\n": 2
        default: entity?.utf8.count ?? UTF8.width(self)
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
