/// Something that can be set in the config, declared once: the config reader, `check`, the schema, `plugins describe`
/// and the code that uses the value all go by the declaration.
///
///     static let window = Setting("window", .duration(.minutes(1) ... .days(30)), default: .hours(1), "The span.")
///     static let critical = Setting("critical", .comparison, "When it fires with severity critical.")
///
///     options[Self.window]    // Duration: what is written, or else an hour
///     options[Self.critical]  // Comparison?: it has no default
///
/// How the default is shown is made of its value, by the kind. Where words say it better than the value does, or where
/// there is no value, `unset` has the words:
///
///     static let apps = Setting("apps", .list(.plain), default: [], unset: "all of them", "The apps to watch.")
///     static let span = Setting("span", .duration(.seconds(1) ... .days(366)), unset: "every", "What a row covers.")
///
/// What must be written is a `RequiredSetting`.
public struct Setting<Value: Sendable>: SettingDeclaration, Adjustable {
    public fileprivate(set) var spec: OptionSpec
    /// What holds when the option is left out.
    public let `default`: Value
    let kind: SettingKind<Value>

    /// A setting that always has a value.
    ///
    /// - Parameters:
    ///   - unset: what to say of the default instead of showing its value.
    ///   - help: one sentence.
    public init(
        _ name: String, _ kind: SettingKind<Value>, default value: Value, unset: String? = nil, _ help: String
    ) {
        spec = OptionSpec(
            name: name, kind: kind.kind, isRequired: false, defaultValue: kind.write(value),
            writtenDefault: kind.text(value), unset: unset, help: help)
        `default` = value
        self.kind = kind
    }

    /// A setting that is nil when it is left out.
    ///
    /// - Parameters:
    ///   - unset: what it means to leave it out, in words.
    ///   - help: one sentence.
    public init<Written>(_ name: String, _ kind: SettingKind<Written>, unset: String? = nil, _ help: String)
    where Value == Written? {
        spec = OptionSpec(
            name: name, kind: kind.kind, isRequired: false, defaultValue: nil, writtenDefault: nil, unset: unset,
            help: help)
        `default` = nil
        self.kind = kind.orNothing
    }
}

extension Setting {
    /// The same setting, holding a secret: a credential, or an address that is one.
    ///
    ///     static let token = Setting("token", .text, "A bearer token.").secret
    public var secret: Setting { with { $0.isSecret = true } }

    /// The same setting, which stays with the bot, such as a key that signs: plain http shows nobody what it holds.
    public var neverSent: Setting { with { $0.isSent = false } }

    /// The same setting, whose text travels in a header of each request, and so must stay within one line.
    public var inHeader: Setting { with { $0.isInHeader = true } }

    /// The same setting, for which `alertbot init` asks though it may be left out: a first config is poorer without it.
    public var asked: Setting { asking(.always) }

    /// The same, asked for only where that one was given.
    public func asked(with other: any SettingDeclaration) -> Setting { asking(.with(other.name)) }

    /// The same, asked for only where that one was left out: there are two ways, and one is enough.
    public func asked(without other: any SettingDeclaration) -> Setting { asking(.without(other.name)) }

    private func asking(_ asking: OptionSpec.Asking) -> Setting { with { $0.asking = asking } }
}

/// A setting that the config must have.
///
///     static let url = RequiredSetting("url", .url, "The address to poll.")
///
///     try options[Self.url]  // GuardedText
public struct RequiredSetting<Value: Sendable>: SettingDeclaration, Adjustable {
    public fileprivate(set) var spec: OptionSpec
    let kind: SettingKind<Value>

    /// - Parameter help: one sentence.
    public init(_ name: String, _ kind: SettingKind<Value>, _ help: String) {
        spec = OptionSpec(
            name: name, kind: kind.kind, isRequired: true, defaultValue: nil, writtenDefault: nil, unset: nil,
            help: help)
        self.kind = kind
    }

    /// The same setting, holding a secret: a credential, or an address that is one.
    public var secret: RequiredSetting { with { $0.isSecret = true } }

    /// The same setting, whose text travels in a header of each request, and so must stay within one line.
    public var inHeader: RequiredSetting { with { $0.isInHeader = true } }

    /// The same setting, naming a server that is none of the web, such as `smtp.example.com:587`: `network` in the config
    /// says where it may be.
    public var server: RequiredSetting { with { $0.isServer = true } }
}

/// What both kinds of settings have in common, and only here.
private protocol Adjustable {
    var spec: OptionSpec { get set }
}

extension Adjustable {
    /// The same but for what is changed.
    fileprivate func with(_ change: (inout OptionSpec) -> Void) -> Self {
        var copy = self
        change(&copy.spec)
        return copy
    }
}

/// A setting of any type: what a plugin lists in its manifest.
public protocol SettingDeclaration: Sendable {
    var spec: OptionSpec { get }
}

extension SettingDeclaration {
    /// The key in the config.
    public var name: String { spec.name }
}

/// A setting without its type, as readers and documentation go by it.
public struct OptionSpec: Sendable {
    /// The key in the config.
    public let name: String
    public let kind: OptionKind
    public let isRequired: Bool
    /// What holds when the option is left out; nil where no value of its kind says it.
    public let defaultValue: Option.Value?
    /// The same as one would write it.
    public let writtenDefault: String?
    /// What leaving it out means, in words.
    let unset: String?
    /// One sentence.
    public let help: String
    /// Whether its value is a secret wherever it comes from, and so has no place in the file itself.
    public internal(set) var isSecret = false
    /// Whether its value travels to the service.
    public internal(set) var isSent = true
    /// Whether its text travels in a header of each request.
    public internal(set) var isInHeader = false
    /// Whether it names a server that is none of the web.
    var isServer = false
    /// When whoever writes a first config is asked for it.
    public internal(set) var asking: Asking

    /// When whoever writes a first config is asked for an option.
    public enum Asking: Hashable, Sendable {
        case never
        case always
        /// Where the option of that name was given.
        case with(String)
        /// Where it was left out.
        case without(String)
    }

    init(
        name: String, kind: OptionKind, isRequired: Bool, defaultValue: Option.Value?, writtenDefault: String?,
        unset: String?, help: String
    ) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
        self.defaultValue = defaultValue
        self.writtenDefault = writtenDefault
        self.unset = unset
        self.help = help
        asking = isRequired ? .always : .never
    }

    /// Whether its value leads somewhere on the network.
    public var isAddress: Bool {
        if case .url = kind { true } else { isServer }
    }

    /// What holds when the option is left out, for people; nil when there is nothing to say.
    public var defaultText: String? { unset ?? writtenDefault }
}

extension Setting where Value == Bool {
    /// Shared by all plugins that call an address their user wrote.
    public static var insecure: Setting {
        Setting(
            "insecure", .flag, default: false,
            "Accept plain http to a host that is not loopback, even with a secret in the request.")
    }
}

extension Setting where Value == Severity? {
    /// Shared by gates that let the worst pass.
    public static var except: Setting { Setting("except", .severity, "This severity and above pass.") }
}

extension Setting where Value == Duration {
    /// Shared by detectors whose condition must hold for a while.
    public static var holdTime: Setting {
        Setting("for", .duration(.zero ... .days(7)), default: .zero, "How long it must hold before it counts.")
    }
}
