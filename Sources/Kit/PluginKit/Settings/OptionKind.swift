/// The grammar of an option's value.
public indirect enum OptionKind: Sendable {
    /// Any text; may hold secrets.
    case text
    /// Any text that people may be shown, so no secret.
    case plain
    /// An `http` or `https` address; may hold secrets.
    case url
    /// An `http` or `https` address that people are shown, so no secret.
    case link
    /// A file or folder, relative to the config file's folder.
    case path
    /// An iCalendar file, relative to the config file's folder.
    case calendar
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case flag
    /// What else to say of one that is out of bounds, where the bounds do not speak for themselves.
    case duration(ClosedRange<Duration>, advice: String? = nil)
    /// So many in so much time: `10 per 1h`.
    case rate
    /// A share; the bounds are fractions.
    case percentage(ClosedRange<Double>?)
    /// A difference of shares; the bounds are fractions.
    case points(ClosedRange<Double>?)
    /// A difference of shares, or a plain number.
    case margin
    case comparison
    case days
    case hours
    case instant
    case choice([String])
    /// The name of something else in the config; it must exist.
    case name(of: Reference)
    /// Somebody whom a chat is to call, as the chat writes it, or a rotation: `oncall:mobile`.
    case callee
    /// One of the metric names, or a name of the source's own.
    case metric
    /// Any of the kinds, or the word `off`.
    case orOff(OptionKind)
    /// Several values; a single one stands for a list of one.
    case list(OptionKind, mayBeEmpty: Bool)
    /// Names with values.
    case map(OptionKind)
    /// Options of their own, as a mapping.
    case section([OptionSpec])
    case match

    /// What an option can name.
    public enum Reference: String, Hashable, Sendable { case channel, source }
}

extension OptionKind {
    /// The value that a single text stands for; nil for the kinds that are made of several or read from a file, and for `off`.
    ///
    /// What is suggested in place of a text that stands for none is one that does.
    public func value(_ text: GuardedText) throws(GrammarError) -> Option.Value? {
        do throws(GrammarError) {
            return try read(text)
        } catch {
            guard let suggestion = error.suggestion, (try? read(GuardedText(suggestion))) == nil else { throw error }
            throw GrammarError(expected: error.expected, advice: error.advice, found: error.found)
        }
    }

    private func read(_ text: GuardedText) throws(GrammarError) -> Option.Value? {
        let word = text.reveal()
        switch self {
        case .text, .plain, .path, .name, .callee: return .text(text)
        case .url, .link:
            guard WebAddress(word) != nil else {
                if text.isAddressButForSecrets {
                    throw GrammarError(
                        expected:
                            "an address: its secret holds a space, a quote or another character that none may have, "
                            + "so percent-encode it")
                }
                throw GrammarError(expected: "an address such as https://example.com")
            }
            return .text(text)
        case .metric:
            guard word.isMetricName else { throw GrammarError(expected: "a name such as crash_free_users") }
            return .text(text)
        case .choice(let words):
            guard words.contains(word) else {
                throw GrammarError(expected: words.listed, suggestion: word.nearest(in: words))
            }
            // One of the words is no secret, wherever it came from.
            return .text(GuardedText(word))
        case .flag: return .flag(try Bool(grammar: word))
        case .integer(let range):
            guard let number = Int(word), word.first != "+", range.contains(number) else {
                throw GrammarError(expected: "a whole number from \(rangeText ?? "")")
            }
            return .integer(number)
        case .number(let range):
            guard let number = Double(word), range.contains(number) else {
                throw GrammarError(expected: "a number from \(rangeText ?? "")")
            }
            return .number(number)
        case .duration(let range, let advice):
            do {
                return .duration(
                    try within(range, try Duration(grammar: word, within: range), written: \.grammar, advice))
            } catch {
                // Well written, and longer than anything that is counted.
                guard error.found == nil, error.suggestion == nil, word.wholeMatch(of: /(?:[0-9]+[smhd])+/) != nil
                else { throw error }
                throw GrammarError(expected: "from \(rangeText ?? "")", advice: advice, found: word.clipped(to: 60))
            }
        case .percentage(let range):
            return .fraction(try within(range, try Percentage(grammar: word).fraction, written: \.percentTrimmed))
        case .points(let range):
            return .fraction(try within(range, try PercentagePoints(grammar: word).fraction, written: \.pointsTrimmed))
        case .margin:
            let margin = try Margin(grammar: word)
            return margin.isPoints ? .fraction(margin.amount) : .number(margin.amount)
        case .rate:
            let rate = try Rate(grammar: word)
            return .rate(count: rate.count, per: rate.per)
        case .comparison: return .comparison(try Comparison(grammar: word))
        case .days: return .days(try DaySet(grammar: word))
        case .hours: return .hours(try DailyHours(grammar: word))
        case .instant: return .instant(try WrittenInstant(grammar: word))
        case .calendar, .orOff, .list, .map, .section, .match: return nil
        }
    }

    /// The value, if it is within the bounds.
    private func within<Value>(
        _ range: ClosedRange<Value>?, _ value: Value, written: (Value) -> String, _ advice: String? = nil
    ) throws(GrammarError) -> Value {
        guard range?.contains(value) ?? true else {
            throw GrammarError(expected: "from \(rangeText ?? "")", advice: advice, found: written(value))
        }
        return value
    }

    /// The bounds of its values, as one would write them: `1m to 30d`.
    public var rangeText: String? {
        switch self {
        case .duration(let range, _): "\(range.lowerBound.grammar) to \(range.upperBound.grammar)"
        case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .number(let range): "\(JSON(range.lowerBound).text) to \(JSON(range.upperBound).text)"
        case .percentage(let range):
            range.map { "\($0.lowerBound.percentTrimmed) to \($0.upperBound.percentTrimmed)" }
        case .points(let range): range.map { "\($0.lowerBound.pointsTrimmed) to \($0.upperBound.pointsTrimmed)" }
        case .orOff(let inner): inner.rangeText
        default: nil
        }
    }
}

extension Bool {
    /// Reads `true` and `false`, and knows what those mean who write another word.
    fileprivate init(grammar word: String) throws(GrammarError) {
        switch word {
        case "true": self = true
        case "false": self = false
        default:
            let meant: String? =
                switch word.lowercased() {
                case "yes", "on", "y", "1": "true"
                case "no", "off", "n", "0": "false"
                default: word.nearest(in: ["true", "false"])
                }
            throw GrammarError(expected: "true or false", suggestion: meant)
        }
    }
}

extension Problem {
    /// That a source's options give a figure a name by which no rule could name it; nil where one can.
    public static func ofMetricName(_ name: String, at position: Position) -> Problem? {
        name.isMetricName
            ? nil
            : Problem(
                position,
                "'\(name.quotable)' is not a metric name; expected one such as crash_free_users")
    }
}

extension String {
    fileprivate var isMetricName: Bool {
        !isEmpty && count <= 100 && allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_:.-".contains($0)) }
    }
}

extension [String] {
    /// `a, b or c`.
    public var listed: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}

extension GuardedText {
    /// Whether nothing but what its secrets say keeps it from being an address.
    fileprivate var isAddressButForSecrets: Bool {
        guard hasSecret else { return false }
        let plain = pieces.map { if case .plain(let text) = $0 { text } else { "x" } }
        return WebAddress(plain.joined()) != nil
    }
}
