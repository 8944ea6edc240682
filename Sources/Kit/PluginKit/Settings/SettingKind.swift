/// What can be written for a setting, and what the code gets of it.
///
/// Each kind is its grammar, the way from a value that was read to the type that code works with and back, and the way
/// in which its values are written for people.
public struct SettingKind<Value: Sendable>: Sendable {
    let kind: OptionKind
    let read: @Sendable (Option.Value) -> Value?
    let write: @Sendable (Value) -> Option.Value
    /// The value as one would write it; nil for what nobody would write.
    let text: @Sendable (Value) -> String?
}

// MARK: Text

extension SettingKind where Value == GuardedText {
    /// Any text; may hold secrets.
    public static var text: SettingKind { guarded(.text) }
    /// An `http` or `https` address; may hold secrets.
    public static var url: SettingKind { guarded(.url) }
    /// A file or folder, relative to the config file's folder.
    public static var path: SettingKind { guarded(.path) }

    private static func guarded(_ kind: OptionKind) -> SettingKind {
        SettingKind(kind: kind, read: \.text, write: Option.Value.text, text: \.description.inYAML)
    }
}

extension SettingKind where Value == String {
    /// Any text in which a secret makes no sense, because people may be shown it; a secret in it is a mistake.
    public static var plain: SettingKind { shown(.plain) }
    /// An `http` or `https` address that people are shown; a secret in it is a mistake.
    public static var link: SettingKind { shown(.link) }
    /// The name of something else in the config; it must exist.
    public static func name(of reference: OptionKind.Reference) -> SettingKind { shown(.name(of: reference)) }

    private static func shown(_ kind: OptionKind) -> SettingKind {
        SettingKind(
            kind: kind, read: \.text?.description, write: { .text(GuardedText($0)) }, text: \.inYAML)
    }
}

extension SettingKind where Value == Metric {
    /// One of the metrics that alertbot knows, or one of the source's own.
    public static var metric: SettingKind { named(.metric) }
    /// One of these metrics.
    public static func metric(_ metrics: [Metric]) -> SettingKind { named(.choice(metrics.map(\.name))) }

    private static func named(_ kind: OptionKind) -> SettingKind {
        SettingKind(
            kind: kind, read: { $0.text.map { Metric($0.description) } }, write: { .text(GuardedText($0.name)) },
            text: \.name.inYAML)
    }
}

extension SettingKind where Value: RawRepresentable<String> {
    /// One of these words.
    public static func choice(_ values: [Value]) -> SettingKind {
        SettingKind(
            kind: .choice(values.map(\.rawValue)), read: { $0.text.flatMap { Value(rawValue: $0.description) } },
            write: { .text(GuardedText($0.rawValue)) }, text: \.rawValue)
    }

    /// One of the words that an enumeration has.
    public static func choice(of type: Value.Type) -> SettingKind where Value: CaseIterable {
        choice(Array(type.allCases))
    }
}

extension SettingKind where Value == Severity {
    public static var severity: SettingKind { .choice(of: Severity.self) }
}

// MARK: Numbers and times

extension SettingKind where Value == Bool {
    public static var flag: SettingKind {
        SettingKind(
            kind: .flag, read: { if case .flag(let flag) = $0 { flag } else { nil } }, write: Option.Value.flag,
            text: { "\($0)" })
    }
}

extension SettingKind where Value == Int {
    public static func integer(_ range: ClosedRange<Int>) -> SettingKind {
        SettingKind(
            kind: .integer(range), read: { if case .integer(let number) = $0 { number } else { nil } },
            write: Option.Value.integer, text: { "\($0)" })
    }
}

extension SettingKind where Value == Double {
    public static func number(_ range: ClosedRange<Double>) -> SettingKind {
        SettingKind(
            kind: .number(range), read: { if case .number(let number) = $0 { number } else { nil } },
            write: Option.Value.number, text: { JSON($0).text })
    }

    /// A share, `99.5%`, as a fraction.
    public static var percentage: SettingKind { fraction(.percentage(nil), \.percentTrimmed) }
    /// A share within bounds; all of them fractions.
    public static func percentage(_ range: ClosedRange<Double>) -> SettingKind {
        fraction(.percentage(range), \.percentTrimmed)
    }

    /// A difference of shares, `0.5pp`, as a fraction.
    public static var points: SettingKind { fraction(.points(nil), \.pointsTrimmed) }
    /// A difference of shares within bounds; all of them fractions.
    public static func points(_ range: ClosedRange<Double>) -> SettingKind {
        fraction(.points(range), \.pointsTrimmed)
    }

    private static func fraction(_ kind: OptionKind, _ text: @escaping @Sendable (Double) -> String) -> SettingKind {
        SettingKind(
            kind: kind, read: { if case .fraction(let fraction) = $0 { fraction } else { nil } },
            write: Option.Value.fraction, text: text)
    }
}

extension SettingKind where Value == Margin {
    /// A difference of shares, `0.5pp`, or a plain number.
    public static var margin: SettingKind {
        SettingKind(
            kind: .margin,
            read: {
                switch $0 {
                case .fraction(let fraction): Margin(fraction, isPoints: true)
                case .number(let number): Margin(number, isPoints: false)
                default: nil
                }
            }, write: { $0.isPoints ? .fraction($0.amount) : .number($0.amount) }, text: \.description)
    }
}

extension SettingKind where Value == Duration {
    /// - Parameter advice: what else to say of one that is out of bounds: a phrase that can follow after a semicolon.
    public static func duration(_ range: ClosedRange<Duration>, advice: String? = nil) -> SettingKind {
        SettingKind(
            kind: .duration(range, advice: advice),
            read: { if case .duration(let duration) = $0 { duration } else { nil } },
            write: Option.Value.duration, text: \.grammar)
    }
}

extension SettingKind where Value == Rate {
    /// So many in so much time: `10 per 1h`.
    public static var rate: SettingKind {
        SettingKind(
            kind: .rate, read: { if case .rate(let count, let per) = $0 { Rate(count, per: per) } else { nil } },
            write: { .rate(count: $0.count, per: $0.per) }, text: \.grammar)
    }
}

extension SettingKind where Value == Comparison {
    /// A limit: `< 99.5%`.
    public static var comparison: SettingKind {
        SettingKind(
            kind: .comparison, read: { if case .comparison(let comparison) = $0 { comparison } else { nil } },
            write: Option.Value.comparison, text: { "\"\($0)\"" })
    }
}

extension SettingKind where Value == DaySet {
    /// `mon-fri`.
    public static var days: SettingKind {
        SettingKind(
            kind: .days, read: { if case .days(let days) = $0 { days } else { nil } }, write: Option.Value.days,
            text: \.grammar)
    }
}

extension SettingKind where Value == DailyHours {
    /// `22:00-07:00`.
    public static var hours: SettingKind {
        SettingKind(
            kind: .hours, read: { if case .hours(let hours) = $0 { hours } else { nil } }, write: Option.Value.hours,
            text: \.grammar)
    }
}

extension SettingKind where Value == WrittenInstant {
    /// `2026-12-24 09:00`.
    public static var instant: SettingKind {
        SettingKind(
            kind: .instant, read: { if case .instant(let instant) = $0 { instant } else { nil } },
            write: Option.Value.instant, text: \.grammar)
    }
}

extension SettingKind where Value == EventCalendar {
    /// An iCalendar file, relative to the config file's folder; it has been read.
    public static var calendar: SettingKind {
        SettingKind(
            kind: .calendar, read: { if case .calendar(let calendar) = $0 { calendar } else { nil } },
            write: Option.Value.calendar, text: \.name.inYAML)
    }
}

extension SettingKind where Value == Callee {
    /// Somebody whom a chat is to call, or a rotation.
    public static var callee: SettingKind {
        SettingKind(
            kind: .callee,
            read: { value in
                if case .rotation(let rotation) = value { return .onCall(rotation) }
                return value.text.map { .written($0.description) }
            },
            write: { callee in
                switch callee {
                case .written(let text): .text(GuardedText(text))
                case .onCall(let rotation): .rotation(rotation)
                }
            },
            text: { callee in
                switch callee {
                case .written(let text): text.inYAML
                case .onCall(let rotation): (Rotation.prefix + rotation.name).inYAML
                }
            })
    }
}

// MARK: What is made of others

extension SettingKind where Value == Match {
    public static var match: SettingKind {
        SettingKind(
            kind: .match, read: { if case .match(let match) = $0 { match } else { nil } }, write: Option.Value.match,
            text: { match in
                let conditions = match.conditions.map { "\($0.property): \($0.patterns.map(\.pattern.inYAML).asList)" }
                return conditions.isEmpty ? nil : "{\(conditions.joined(separator: ", "))}"
            })
    }
}

extension SettingKind where Value == Options {
    /// Settings of their own, as a mapping.
    public static func section(_ settings: [any SettingDeclaration]) -> SettingKind {
        SettingKind(
            kind: .section(settings.map(\.spec)), read: { if case .section(let options) = $0 { options } else { nil } },
            write: Option.Value.section, text: { _ in nil })
    }
}

extension SettingKind {
    /// A value, or the word `off`, which is nil.
    public static func orOff<Wrapped>(_ kind: SettingKind<Wrapped>) -> SettingKind where Value == Wrapped? {
        SettingKind(
            kind: .orOff(kind.kind),
            read: { value in if case .off = value { .some(nil) } else { kind.read(value).map(Optional.some) } },
            write: { $0.map(kind.write) ?? .off }, text: { $0.map(kind.text) ?? "off" })
    }

    /// Several values; a single one may be written without brackets.
    ///
    /// - Parameter mayBeEmpty: whether `[]` says something that leaving it out does not.
    public static func list<Element>(_ kind: SettingKind<Element>, mayBeEmpty: Bool = false) -> SettingKind
    where Value == [Element] {
        SettingKind(
            kind: .list(kind.kind, mayBeEmpty: mayBeEmpty),
            read: { if case .list(let options) = $0 { options.compactMap { kind.read($0.value) } } else { nil } },
            write: { .list($0.map { Option(kind.write($0), at: .none) }) },
            text: { $0.isEmpty && !mayBeEmpty ? nil : $0.compactMap(kind.text).asList })
    }

    /// Names with values, in the order of the config.
    public static func map<Element>(_ kind: SettingKind<Element>) -> SettingKind
    where Value == [NamedValue<Element>] {
        SettingKind(
            kind: .map(kind.kind),
            read: { value in
                guard case .map(let entries) = value else { return nil }
                return entries.compactMap { entry in
                    kind.read(entry.option.value).map { NamedValue(entry.name, $0, at: entry.option.position) }
                }
            },
            write: { .map($0.map { ($0.name, Option(kind.write($0.value), at: $0.position)) }) },
            text: { entries in
                let texts = entries.compactMap { entry in
                    kind.text(entry.value).map { "\(entry.name.inYAML): \($0)" }
                }
                return entries.isEmpty ? nil : "{\(texts.joined(separator: ", "))}"
            })
    }

    /// The same for a setting that may be left out.
    var orNothing: SettingKind<Value?> {
        SettingKind<Value?>(
            kind: kind, read: { read($0).map(Optional.some) }, write: { $0.map(write) ?? .off },
            text: { $0.flatMap(text) })
    }
}

/// One entry of a map in the config.
public struct NamedValue<Value: Sendable>: Sendable {
    public let name: String
    public let value: Value
    /// Where the value stands.
    public let position: Position

    public init(_ name: String, _ value: Value, at position: Position) {
        self.name = name
        self.value = value
        self.position = position
    }
}

extension Position {
    /// Of what is not written anywhere.
    static let none = Position(line: 1, column: 1)
}

extension Option.Value {
    fileprivate var text: GuardedText? {
        if case .text(let text) = self { text } else { nil }
    }
}

extension [String] {
    /// A list as config writes it; of one, the value itself.
    fileprivate var asList: String { count == 1 ? self[0] : "[\(joined(separator: ", "))]" }
}

extension String {
    /// The text as a value in YAML: in quotes where it would be read as something else.
    public var inYAML: String {
        let isPlain =
            unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            && allSatisfy { !",[]{}\"\\\n\t#".contains($0) } && first.map { !"-?:&*!|>'%@` ~".contains($0) } ?? false
            && firstRange(of: ": ") == nil && !hasSuffix(" ") && !hasSuffix(":") && lowercased() != "null"
        return isPlain ? self : JSON.string(self).text
    }
}
