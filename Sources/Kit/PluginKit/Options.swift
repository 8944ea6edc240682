/// One option of a plugin, declared once: checks, documentation and the editor's schema are made from it.
public struct OptionSpec: Hashable, Sendable {
    public let name: String
    public let kind: OptionKind
    public let isRequired: Bool
    /// What holds when the option is left out, as one would write it; nil when there is nothing to say.
    public let defaultText: String?
    /// One sentence.
    public let help: String

    public init(_ name: String, _ kind: OptionKind, required: Bool = false, default: String? = nil, _ help: String) {
        self.name = name
        self.kind = kind
        isRequired = required
        defaultText = `default`
        self.help = help
    }
}

/// The grammar of an option's value.
public indirect enum OptionKind: Hashable, Sendable {
    /// Any text; may hold secrets.
    case text
    /// An `http` or `https` address; may hold secrets.
    case url
    /// A file or folder, relative to the config file's folder.
    case path
    case integer(ClosedRange<Int>)
    case flag
    case duration(ClosedRange<Duration>)
    /// So many in so much time: `10 per 1h`.
    case rate
    case percentage
    case points
    case comparison
    case days
    case hours
    case instant
    case choice([String])
    /// The name of something else in the config; it must exist.
    case name(of: Reference)
    /// One of the metric names, or a name of the source's own.
    case metric
    /// Any of the kinds, or the word `off`.
    case orOff(OptionKind)
    /// Several values; a single one stands for a list of one.
    case list(OptionKind)
    /// Names with values.
    case map(OptionKind)
    /// Options of their own, as a mapping.
    case section([OptionSpec])
    case match

    /// What an option can name.
    public enum Reference: String, Hashable, Sendable { case channel, source }
}

/// A place in the config file, both counted from 1; columns count characters.
public struct Position: Hashable, Sendable, Comparable {
    public let line: Int
    public let column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// Something wrong in the config, with its place.
public struct Problem: Hashable, Sendable {
    public enum Level: String, Hashable, Sendable { case error, warning }

    public let position: Position
    public let level: Level
    /// One sentence: what was found, what was expected.
    public let message: String
    /// What was probably meant, ready to be written in place of what stands there.
    public let suggestion: String?
    /// What to do, where there is nothing to be put in place.
    public let advice: String?

    public init(
        _ position: Position, _ message: String, suggestion: String? = nil, advice: String? = nil, level: Level = .error
    ) {
        self.position = position
        self.level = level
        self.message = message
        self.suggestion = suggestion
        self.advice = advice
    }
}

/// All that a plugin found wrong with its options.
public struct ProblemList: Error, Hashable, Sendable {
    public let problems: [Problem]

    public init(_ problems: [Problem]) { self.problems = problems }
    public init(_ position: Position, _ message: String, suggestion: String? = nil, advice: String? = nil) {
        problems = [Problem(position, message, suggestion: suggestion, advice: advice)]
    }
}

/// The value of one option, read by the grammar its kind names.
public struct Option: Sendable {
    public indirect enum Value: Sendable {
        case text(GuardedText)
        case integer(Int)
        case flag(Bool)
        case duration(Duration)
        case rate(count: Int, per: Duration)
        /// A percentage or percentage points, as a fraction.
        case fraction(Double)
        case comparison(Comparison)
        case days(DaySet)
        case hours(DailyHours)
        case instant(WrittenInstant)
        case match(Match)
        case off
        case list([Option])
        case map([(name: String, option: Option)])
        case section(Options)
    }

    public let value: Value
    public let position: Position

    public init(_ value: Value, at position: Position) {
        self.value = value
        self.position = position
    }
}

/// The options of one source, rule or channel, already checked against the plugin's manifest.
public struct Options: Sendable {
    /// The name the thing has in the config.
    public let name: String
    /// Where it stands there.
    public let position: Position
    private let values: [String: Option]

    public init(name: String, position: Position, values: [String: Option]) {
        self.name = name
        self.position = position
        self.values = values
    }

    public subscript(_ name: String) -> Option? { values[name] }

    public func has(_ name: String) -> Bool { values[name] != nil }

    /// Where the option stands, or the whole thing when it was left out.
    public func position(of name: String) -> Position { values[name]?.position ?? position }

    /// Whether the option was switched off by the word `off`.
    public func isOff(_ name: String) -> Bool {
        if case .off = values[name]?.value { true } else { false }
    }

    public func text(_ name: String) -> GuardedText? {
        if case .text(let text) = values[name]?.value { text } else { nil }
    }

    /// The text of an option that the manifest requires.
    public func required(_ name: String) throws(ProblemList) -> GuardedText {
        guard let text = text(name) else { throw ProblemList(position, "'\(name)' is missing") }
        return text
    }

    /// The text of an option in which a secret makes no sense, because it is shown to people; a secret stays masked.
    public func plain(_ name: String) -> String? { text(name)?.description }

    public func integer(_ name: String) -> Int? {
        if case .integer(let number) = values[name]?.value { number } else { nil }
    }

    public func flag(_ name: String) -> Bool? {
        if case .flag(let flag) = values[name]?.value { flag } else { nil }
    }

    public func duration(_ name: String) -> Duration? {
        if case .duration(let duration) = values[name]?.value { duration } else { nil }
    }

    public func rate(_ name: String) -> Rate? {
        if case .rate(let count, let per) = values[name]?.value { Rate(count, per: per) } else { nil }
    }

    /// A percentage or percentage points, as a fraction.
    public func fraction(_ name: String) -> Double? {
        if case .fraction(let fraction) = values[name]?.value { fraction } else { nil }
    }

    public func comparison(_ name: String) -> Comparison? {
        if case .comparison(let comparison) = values[name]?.value { comparison } else { nil }
    }

    public func days(_ name: String) -> DaySet? {
        if case .days(let days) = values[name]?.value { days } else { nil }
    }

    public func hours(_ name: String) -> DailyHours? {
        if case .hours(let hours) = values[name]?.value { hours } else { nil }
    }

    public func instant(_ name: String) -> WrittenInstant? {
        if case .instant(let instant) = values[name]?.value { instant } else { nil }
    }

    public func match(_ name: String) -> Match? {
        if case .match(let match) = values[name]?.value { match } else { nil }
    }

    public func severity(_ name: String) -> Severity? { plain(name).flatMap(Severity.init(rawValue:)) }

    public func list(_ name: String) -> [Option] {
        if case .list(let options) = values[name]?.value { options } else { [] }
    }

    public func texts(_ name: String) -> [GuardedText] { list(name).compactMap(\.text) }

    /// The sections of a list, each named like the whole.
    public func sections(_ name: String) -> [Options] {
        list(name).compactMap { if case .section(let options) = $0.value { options } else { nil } }
    }

    /// The same thing with other values.
    public func replacing(_ values: [String: Option], at position: Position? = nil) -> Options {
        Options(name: name, position: position ?? self.position, values: values)
    }

    /// The names in a list of names of other things.
    public func names(_ name: String) -> [String] { texts(name).map(\.description) }

    public func map(_ name: String) -> [(name: String, option: Option)] {
        if case .map(let entries) = values[name]?.value { entries } else { [] }
    }
}

extension Option {
    public var text: GuardedText? {
        if case .text(let text) = value { text } else { nil }
    }
}

extension OptionSpec {
    /// Shared by all plugins that call an address their user wrote.
    public static let insecure = OptionSpec(
        "insecure", .flag, default: "false", "Accept plain http to a host that is not loopback.")
}
