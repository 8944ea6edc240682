// Everything that the bot says in messages stands in one table of phrases: English and Spanish are built in, and a team
// can put its own in the place of single ones. What is in the places of a phrase is found anew for each message, and
// always as text.

/// The language of messages: the phrase of every id, and how numbers and times are written.
///
/// A value that is handed along; what is not told of one speaks English.
public struct Words: Hashable, Sendable {
    /// The tables that are built in.
    public enum Language: String, Hashable, Sendable, CaseIterable {
        case english = "en"
        case spanish = "es"
    }

    /// One that is shared by all copies: nothing is copied with a message.
    private final class Table: Sendable {
        /// By the numbers of the ids: every message asks for a dozen of them.
        let wordings: [Wording]
        let weekdays: [String]
        let months: [String]
        /// Nil where numbers are written as in English.
        let marks: (decimal: String, thousands: String)?
        let hasEnglishPercent: Bool
        let hasEnglishUnits: Bool
        let hasEnglishDates: Bool

        init(_ wordings: [Wording]) {
            self.wordings = wordings
            func text(_ id: PhraseID) -> String { wordings[id.rawValue].text }
            weekdays = Words.list(text(.weekdays))
            months = Words.list(text(.months))
            let marks = (decimal: text(.numberDecimal), thousands: text(.numberThousands))
            self.marks = marks == (".", ",") ? nil : marks
            hasEnglishPercent = wordings[PhraseID.percent.rawValue] == PhraseID.percent.english && marks == (".", ",")
            hasEnglishDates = [PhraseID.date, .weekdays, .months].allSatisfy { wordings[$0.rawValue] == $0.english }
            hasEnglishUnits = [PhraseID.days, .hours, .minutes, .seconds].allSatisfy {
                wordings[$0.rawValue] == $0.english
            }
        }
    }

    public let language: Language
    private let table: Table

    public static let english = Words(.english)
    public static let spanish = Words(.spanish)

    /// The table of a language as it is built in.
    public static func builtIn(_ language: Language) -> Words {
        switch language {
        case .english: english
        case .spanish: spanish
        }
    }

    private init(_ language: Language) {
        self.init(language, PhraseID.allCases.map { $0.wording(in: language) })
    }

    private init(_ language: Language, _ wordings: [Wording]) {
        self.language = language
        table = Table(wordings)
    }

    /// The same with some phrases of a team's own.
    public func replacing(_ own: [PhraseID: Wording]) -> Words {
        guard !own.isEmpty else { return self }
        var wordings = table.wordings
        for (id, wording) in own { wordings[id.rawValue] = wording }
        return Words(language, wordings)
    }

    public static func == (left: Words, right: Words) -> Bool {
        left.table === right.table || left.language == right.language && left.table.wordings == right.table.wordings
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(language) }

    /// The phrase as the table has it.
    public func wording(_ id: PhraseID) -> Wording { table.wordings[id.rawValue] }

    static func list(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }

    // MARK: Phrases

    /// A phrase without placeholders.
    public subscript(_ id: PhraseID) -> String { table.wordings[id.rawValue].text }

    /// A phrase with what stands in its places.
    public func callAsFunction(_ id: PhraseID, _ values: KeyValuePairs<Placeholder, String>) -> String {
        table.wordings[id.rawValue].filled(values)
    }

    /// A phrase about a number of things.
    public func callAsFunction(
        _ id: PhraseID, count: Double, _ values: KeyValuePairs<Placeholder, String> = [:]
    ) -> String {
        table.wordings[id.rawValue].filled(values, count: plain(count))
    }

    public func callAsFunction(
        _ id: PhraseID, count: Int, _ values: KeyValuePairs<Placeholder, String> = [:]
    ) -> String {
        self(id, count: Double(count), values)
    }

    /// A phrase that was found elsewhere, as a message says it.
    ///
    /// - Parameters:
    ///   - evidence: where a place stands for what was judged, such as `{bound}` or `{span}`, it need not be given.
    ///   - clock: how a moment is written.
    public func text(_ phrase: Phrase, of evidence: Evidence? = nil, clock: (Moment) -> String) -> String {
        switch phrase.content {
        case .verbatim(let text): return text
        case .phrase(let id, let values):
            let count = values.first { $0.place == .count }?.value.number
            return wording(id).filled(isOne: count.map { plain($0) == "1" } ?? false) { place in
                guard let value = values.first(where: { $0.place == place })?.value else {
                    return evidence.flatMap { text(of: place, in: $0) }
                }
                if case .figure(let number, let metric) = value {
                    // A figure beside a limit is judged by it.
                    return figure(number, of: metric, by: values.lazy.compactMap(\.value.limit).first)
                }
                // So is a share.
                if case .percent(let fraction) = value,
                    case .share(let limit)? = values.first(where: { $0.place == .limit })?.value
                {
                    return percent(fraction, besides: limit)
                }
                return text(value, of: evidence, clock)
            }
        }
    }

    private func text(_ value: Phrase.Value, of evidence: Evidence?, _ clock: (Moment) -> String) -> String {
        switch value {
        case .text(let text): text
        case .count(let number): plain(number.rounded())
        case .figure(let number, let metric): figure(number, of: metric)
        case .percent(let fraction): percent(fraction)
        case .share(let fraction): percentTrimmed(fraction)
        case .points(let fraction): points(fraction)
        case .period(let duration): short(duration)
        case .rough(let duration): rough(duration)
        case .moment(let moment): clock(moment)
        case .metric(let name): title(of: Metric(name))
        case .limit(let limit): self.limit(limit)
        case .phrase(let phrase): text(phrase, of: evidence, clock: clock)
        case .list(let phrases): phrases.map { text($0, of: evidence, clock: clock) }.joined(separator: ", ")
        }
    }

    /// What evidence has for a place.
    private func text(of place: Placeholder, in evidence: Evidence) -> String? {
        func figure(_ value: Double) -> String { self.figure(value, of: evidence.metric ?? "", by: evidence.limit) }
        switch place {
        case .bound: return evidence.bound.map { percent($0, besides: evidence.limit?.limit) }
        case .span: return evidence.span.map { short($0.length) }
        case .figure: return evidence.figure.map { figure($0.value) }
        case .metric: return evidence.metric.map { title(of: Metric($0)) }
        case .usual:
            if case .usual(let value)? = evidence.reference { return figure(value) }
            return nil
        default: return nil
        }
    }

    // MARK: Numbers

    /// The number as people write it: whole numbers with separators for thousands, others with at most three places, or below
    /// one with as many as three digits take.
    public func plain(_ number: Double) -> String { marked(number.plain) }

    /// - Parameter limit: what it is not to be rounded onto.
    public func percent(_ fraction: Double, besides limit: Double? = nil) -> String {
        let text = fraction.percent(besides: limit)
        return table.hasEnglishPercent ? text : percent(text)
    }

    /// With as few places as it needs.
    public func percentTrimmed(_ fraction: Double) -> String {
        table.hasEnglishPercent ? fraction.percentTrimmed : percent(fraction.percentTrimmed)
    }

    private func percent(_ text: String) -> String {
        self(.percent, [.number: marked(text.hasSuffix("%") ? String(text.dropLast()) : text)])
    }

    /// A difference of fractions in percentage points: `0.12pp`.
    public func points(_ fraction: Double) -> String { self(.points, [.number: plain(fraction * 100)]) }

    /// A figure in the unit of its metric.
    ///
    /// - Parameter limit: what it is judged by, whose unit one of a source's own takes. Only what is at its limit is
    ///   told as if it were.
    public func figure(_ value: Double, of metric: String, by limit: Comparison? = nil) -> String {
        guard Metric(metric).isRate(by: limit) else { return marked(value.plain(besides: limit?.limit)) }
        return percent(value, besides: limit?.limit)
    }

    /// An English number with the marks of this language.
    private func marked(_ number: String) -> String {
        guard let marks = table.marks else { return number }
        var marked = ""
        for character in number {
            switch character {
            case ".": marked += marks.decimal
            case ",": marked += marks.thousands
            default: marked.append(character)
            }
        }
        return marked
    }

    // MARK: Limits

    /// A limit in words: `below 99.5%`.
    public func limit(_ comparison: Comparison) -> String {
        let id: PhraseID =
            switch comparison.relation {
            case .less: .limitBelow
            case .lessOrEqual: .limitAtBelow
            case .greater: .limitAbove
            case .greaterOrEqual: .limitAtAbove
            }
        return self(id, [.limit: limitText(comparison)])
    }

    /// The limit alone, in its unit.
    public func limitText(_ comparison: Comparison) -> String {
        if comparison.isPercentage { return percentTrimmed(comparison.limit) }
        let isWhole = comparison.limit.rounded() == comparison.limit
        return isWhole ? plain(comparison.limit) : marked(comparison.limitText)
    }

    // MARK: Names

    /// The word for people: `crash-free users`. What a source calls by a name of its own keeps it.
    public func title(of metric: Metric) -> String {
        switch metric {
        case .users: self[.metricUsers]
        case .crashedUsers: self[.metricCrashedUsers]
        case .crashFreeUsers: self[.metricCrashFreeUsers]
        case .sessions: self[.metricSessions]
        case .crashedSessions: self[.metricCrashedSessions]
        case .crashFreeSessions: self[.metricCrashFreeSessions]
        case .crashEvents: self[.metricCrashEvents]
        case .anrRate: self[.metricAnrRate]
        case .adoption: self[.metricAdoption]
        case .other(let name): name
        }
    }

    public func name(of severity: Severity) -> String {
        switch severity {
        case .info: self[.severityInfo]
        case .warning: self[.severityWarning]
        case .critical: self[.severityCritical]
        }
    }

    /// `ana`, `ana and ben`, `ana, ben and 2 others`; somebody where no name was given.
    public func names(of acknowledgement: Acknowledgement?) -> String {
        let people = acknowledgement.map { [$0] + $0.also } ?? []
        let names = people.map { $0.by ?? self[.namesNobody] }
        switch names.count {
        case 0: return self[.namesNobody]
        case 1: return names[0]
        case 2: return self(.namesTwo, [.name: names[0], .other: names[1]])
        case 3: return self(.namesThree, [.name: names[0], .other: names[1], .third: names[2]])
        default: return self(.namesMore, count: names.count - 2, [.name: names[0], .other: names[1]])
        }
    }

    // MARK: Times

    /// Names of the days of the week, from Monday on, and of the months.
    public var weekdays: [String] { table.weekdays }
    public var months: [String] { table.months }

    /// Whether dates are written as in English, which is written often enough to have a way of its own.
    public var hasEnglishDates: Bool { table.hasEnglishDates }

    /// The duration in words short enough for a message: its two largest units.
    public func short(_ duration: Duration) -> String {
        guard !table.hasEnglishUnits else { return duration.short }
        let parts = duration.shortParts
        func words(_ count: Int64, _ unit: PhraseID) -> String { self(unit, count: Double(count)) }
        let large = words(parts.large.count, parts.large.unit)
        return parts.small.map { large + " " + words($0.count, $0.unit) } ?? large
    }

    /// The same, but from ten minutes on without seconds, which nobody wants to know.
    public func rough(_ duration: Duration) -> String {
        short(duration < .minutes(10) ? duration : Duration.minutes(duration.wholeMilliseconds / 60_000))
    }
}

extension PhraseID {
    /// How the phrase reads in a built-in language.
    public func wording(in language: Words.Language) -> Wording {
        switch language {
        case .english: english
        case .spanish: spanish
        }
    }
}

extension Duration {
    fileprivate typealias Part = (count: Int64, unit: PhraseID)

    /// The two largest units; the smaller one where it is not zero.
    fileprivate var shortParts: (large: Part, small: Part?) {
        let seconds = Swift.max(0, wholeMilliseconds / 1000)
        let parts: [Part] = [
            (seconds / 86_400, .days), (seconds / 3600 % 24, .hours), (seconds / 60 % 60, .minutes),
            (seconds % 60, .seconds),
        ]
        let first = parts.firstIndex { $0.count > 0 } ?? parts.count - 1
        let next = first + 1 < parts.count && parts[first + 1].count > 0 ? parts[first + 1] : nil
        return (parts[first], next)
    }
}
