public import PluginKit

/// A gate that says how often people are reminded of what it matches, instead of the rule that found it.
public struct RepeatGate: Gate {
    public static let manifest = PluginManifest(
        name: "repeat",
        summary: "Sets how often reminders of matching incidents are sent, instead of their rule's own 'repeat'.",
        example: """
            match: {severity: critical}
            every: 1h
            """,
        options: [every, atMost, backoff, slowest, channel])

    static let every = RequiredSetting(
        "every", .orOff(.duration(.minutes(1) ... .days(30))),
        "The time from the last message to the next reminder; off: no reminders.")
    static let atMost = Setting(
        "at_most", .integer(1...1000), "How many reminders until something new happens; without it, no limit.")
    static let backoff = Setting(
        "backoff", .integer(2...10),
        "Each reminder waits this many times as long as the one before; without it, equally long.")
    static let slowest = Setting(
        "slowest", .duration(.minutes(1) ... .days(30)), default: .days(1), unset: "1d, or 'every' if that is longer",
        "The longest wait that backoff may reach.")
    static let channel = Setting("channel", .list(.name(of: .channel)), default: [], "Only in these channels.")

    private let every: Duration?
    private let countMax: Int?
    private let factor: Int?
    private let slowest: Duration
    private let channels: [String]

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        every = try options[Self.every]
        countMax = options[Self.atMost]
        factor = options[Self.backoff]
        slowest = max(options[Self.slowest], every ?? .zero)
        channels = options[Self.channel]
        var problems: [Problem] = []
        let slowestPlace = options.position(of: Self.slowest)
        if let every {
            if options.has(Self.slowest), factor == nil {
                problems.append(
                    Problem(
                        slowestPlace, "'slowest' has no effect without 'backoff'",
                        advice: "add backoff: 2, or leave it out"))
            } else if let written = options.written(Self.slowest), written < every {
                problems.append(
                    Problem(
                        slowestPlace,
                        "'slowest' is \(written.grammar), shorter than 'every' (\(every.grammar))"))
            }
        } else {
            let idle: [any SettingDeclaration] = [Self.atMost, Self.backoff, Self.slowest]
            for setting in idle where options.has(setting) {
                problems.append(
                    Problem(options.position(of: setting), "'\(setting.name)' has no effect: 'every' is off"))
            }
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    public func reminding(of incident: Incident, in channel: String) -> Reminding? {
        guard channels.isEmpty || channels.contains(channel) else { return nil }
        let said = incident.standings[channel]?.reminders ?? 0
        guard let every, countMax.map({ said < $0 }) ?? true else { return .never }
        var wait = every
        if let factor { for _ in 0..<said where wait < slowest { wait = min(wait * factor, slowest) } }
        return .after(wait)
    }
}
