/// The options of one source, rule or channel, already checked against the plugin's manifest.
///
/// A plugin asks for them by the settings that it declares, and gets values of their types:
///
///     window = options[Self.window]
///     url = try options[Self.url]
public struct Options: Sendable {
    /// The name the thing has in the config.
    public let name: String
    /// Where it stands there.
    public let position: Position
    private var values: [String: Option]
    /// Told of every setting that somebody asks for; nil outside of tests.
    private var note: (@Sendable (OptionSpec) -> Void)?

    public init(name: String, position: Position, values: [String: Option] = [:]) {
        self.name = name
        self.position = position
        self.values = values
    }

    // MARK: Reading

    /// What is written, or else the default.
    public subscript<Value>(_ setting: Setting<Value>) -> Value { written(setting) ?? setting.default }

    /// What is written.
    public subscript<Value>(_ setting: RequiredSetting<Value>) -> Value {
        get throws(ProblemList) {
            guard let value = option(setting).flatMap({ setting.kind.read($0.value) }) else {
                throw ProblemList(position, "'\(setting.name)' is missing")
            }
            return value
        }
    }

    /// What is written, where it matters whether anything is; most code asks for the value by the subscript.
    public func written<Value>(_ setting: Setting<Value>) -> Value? {
        option(setting).flatMap { setting.kind.read($0.value) }
    }

    /// Whether the option is written.
    public func has(_ setting: any SettingDeclaration) -> Bool { option(setting) != nil }

    /// Where the option stands, or the whole thing when it was left out.
    public func position(of setting: any SettingDeclaration) -> Position { option(setting)?.position ?? position }

    /// Where the values of a list stand, one after the other; none when it was left out.
    public func positions<Element>(in setting: Setting<[Element]>) -> [Position] {
        guard case .list(let elements) = option(setting)?.value else { return [] }
        return elements.map(\.position)
    }

    /// The same of one that must be written.
    public func positions<Element>(in setting: RequiredSetting<[Element]>) -> [Position] {
        guard case .list(let elements) = option(setting)?.value else { return [] }
        return elements.map(\.position)
    }

    /// The option of that name as it is written, for whoever goes through a manifest.
    public subscript(named name: String) -> Option? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// A plugin gets a secret as one, wherever it is written.
    private func option(_ setting: any SettingDeclaration) -> Option? {
        note?(setting.spec)
        let option = values[setting.name]
        return setting.spec.isSecret ? option?.guarded : option
    }

    /// The same options, which tell of every setting that is asked for: what is asked for and not declared can never be
    /// written in a config, and what is declared and never asked for has no effect. The conformance suites look for
    /// both.
    public func noting(_ note: @escaping @Sendable (OptionSpec) -> Void) -> Options {
        var result = self
        result.note = note
        return result
    }

    // MARK: Options made of others

    /// The same thing with that value.
    public func setting<Value>(_ setting: Setting<Value>, to value: Value, at position: Position) -> Options {
        replacing(setting.name, with: Option(setting.kind.write(value), at: position))
    }

    /// The same thing with what is written there for these settings.
    public func taking(_ settings: [any SettingDeclaration], from other: Options) -> Options {
        settings.reduce(self) { options, setting in
            other.option(setting).map { options.replacing(setting.name, with: $0) } ?? options
        }
    }

    /// The same thing without that option.
    public func removing(_ setting: any SettingDeclaration) -> Options { replacing(setting.name, with: nil) }

    private func replacing(_ name: String, with option: Option?) -> Options {
        var result = self
        result.values[name] = option
        return result
    }
}

/// One option as it was read, by the grammar of its kind.
public struct Option: Sendable {
    public indirect enum Value: Sendable {
        case text(GuardedText)
        case integer(Int)
        case number(Double)
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
        case calendar(EventCalendar)
        case rotation(Rotation)
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
