internal import JSONPath
internal import PluginKit

/// One mapped value as the config writes it: a path, then what is done with the value, such as `$.rate | percent |
/// invert`.
struct Mapping: Hashable, Sendable {
    /// What the value is for; decides which words make sense.
    enum Use: Hashable { case rows, number, text, instant }

    /// Steps from the value found to the figure wanted, in the order written.
    enum Conversion: Hashable {
        /// 97.5 and "97.5%" mean 0.975.
        case percent
        /// The share of what went wrong becomes that of what went right, or the other way round.
        case invert
        case scale(Double)
    }

    /// What is made of a value that is not there or not usable.
    enum Policy: String, CaseIterable {
        case noData = "no_data"
        case error
        case zero
    }

    /// Its name in the config, for messages.
    let name: String
    let path: JSONPath
    private(set) var conversions: [Conversion] = []
    /// Whether a text such as "41,875" is a number.
    private(set) var acceptsCommas = false
    private(set) var whenMissing = Policy.error
    private(set) var whenNull = Policy.noData
    private(set) var whenEmpty = Policy.noData
    /// A value of another kind than wanted.
    private(set) var whenOther = Policy.error
}

/// Why a mapping is not written as it should be.
struct MappingError: Error {
    let message: String
    var suggestion: String?
}

extension Mapping {
    init(_ text: String, named name: String, for use: Use) throws(MappingError) {
        var parser = JSONPathParser(text)
        do {
            path = try parser.path()
        } catch {
            throw MappingError(message: "'\(name)' is not a JSONPath: \(error)")
        }
        if let doubt = path.doubt { throw MappingError(message: "'\(name)': \(doubt)") }
        self.name = name
        parser.skipSpace()
        guard !parser.isAtEnd else { return }
        guard parser.rest.hasPrefix("|") else {
            throw MappingError(message: "'\(name)' is not a JSONPath: \(parser.expected("'.', '[', '|' or the end"))")
        }
        for part in parser.rest.dropFirst().split(separator: "|", omittingEmptySubsequences: false) {
            try add(part.split(whereSeparator: \.isWhitespace).map(String.init), for: use)
        }
    }

    private static let conversionWords = ["percent", "invert", "scale", "commas"]
    private static let absenceWords = ["missing", "null", "empty", "other", "absent"]

    /// Adds one step, such as `scale 1000`.
    private mutating func add(_ words: [String], for use: Use) throws(MappingError) {
        guard let word = words.first else { throw MappingError(message: "'\(name)' lacks a word after '|'") }
        let known = (use == .number ? Mapping.conversionWords : []) + Mapping.absenceWords
        guard known.contains(word) else {
            throw MappingError(
                message: "'\(word.clipped(to: 40))' in '\(name)' is none of \(known.joined(separator: ", "))",
                suggestion: word.nearest(in: known))
        }
        if Mapping.absenceWords.contains(word) {
            try setPolicy(word, words.dropFirst().joined(separator: " "), for: use)
        } else if word == "scale" {
            guard words.count == 2, let factor = Double(words[1]), factor > 0, factor.isFinite else {
                throw MappingError(message: "'scale' in '\(name)' needs a positive number, such as 'scale 1000'")
            }
            conversions.append(.scale(factor))
        } else {
            guard words.count == 1 else { throw MappingError(message: "'\(word)' in '\(name)' takes no value") }
            switch word {
            case "percent": conversions.append(.percent)
            case "invert": conversions.append(.invert)
            default: acceptsCommas = true
            }
        }
    }

    private mutating func setPolicy(_ word: String, _ value: String, for use: Use) throws(MappingError) {
        let allowed = Policy.allCases.filter { $0 != .zero || use == .number }
        guard let policy = allowed.first(where: { $0.rawValue == value }) else {
            let names = allowed.map(\.rawValue)
            throw MappingError(
                message: "'\(word)' in '\(name)' needs \(names.joined(separator: " or ")), such as '\(word) no_data'",
                suggestion: value.nearest(in: names).map { "\(word) \($0)" })
        }
        switch word {
        case "missing": whenMissing = policy
        case "null": whenNull = policy
        case "empty": whenEmpty = policy
        case "other": whenOther = policy
        default: (whenMissing, whenNull, whenEmpty) = (policy, policy, policy)
        }
    }
}
