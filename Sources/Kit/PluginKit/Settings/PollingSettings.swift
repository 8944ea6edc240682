/// How a source is polled, for every source under `polling` and for each in its own section.
public enum PollingSettings {
    public static let every = Setting(
        "every", .duration(.seconds(1) ... .days(7)), default: .minutes(5), "The usual time between polls.")
    public static let throttle = Setting(
        "throttle", .duration(.seconds(1) ... .days(7)), default: .minutes(1),
        "Never more often than this, whoever asks.")
    public static let slowest = Setting(
        "slowest", .duration(.seconds(1) ... .days(30)), default: .minutes(30),
        "Never less often than this: bounds the detection delay.")
    public static let timeout = Setting(
        "timeout", .duration(.seconds(1) ... .hours(1)), default: .seconds(20), "How long a request may take.")
    public static let jitter = Setting(
        "jitter", .percentage(0...0.5), default: 0.1, "How much of the interval is random, in either direction.")
    public static let backoff = Setting(
        "backoff", .section([factor, when]), default: Options(name: "backoff", position: .none),
        "When to poll less often, and by how much.")
    /// Four is polite to an API that did not promise more.
    public static let perHost = Setting(
        "per_host", .integer(1...256), default: 4, "Polls in flight at once to one host.")
    /// Of all sources together.
    public static let concurrency = Setting("concurrency", .integer(1...256), default: 8, "Polls in flight at once.")

    // Inside of `backoff`.
    public static let factor = Setting("factor", .number(1...10), default: 2, "By how much the interval grows.")
    public static let when = Setting(
        "when", .list(.choice(PollReason.slowing), mayBeEmpty: true), default: PollReason.slowing, unset: "all of them",
        "The reasons for polling less often.")

    /// What a source may say for itself.
    public static let ofSource: [any SettingDeclaration] = [
        every, throttle, slowest, timeout, jitter, perHost, backoff,
    ]
    /// What stands under `polling`.
    public static let ofAll: [any SettingDeclaration] = ofSource + [concurrency]
}

/// Why a source is polled more or less often than it says.
public enum PollReason: String, Hashable, Sendable, CaseIterable, Comparable {
    case failing, unchanged, calm, idle
    case lowPower = "low_power"
    case near
    /// The service asked to wait.
    case told

    public static func < (left: PollReason, right: PollReason) -> Bool { left.rawValue < right.rawValue }

    /// The reasons that a config may name for slowing down.
    public static let slowing: [PollReason] = [.failing, .unchanged, .calm, .idle, .lowPower]
}
