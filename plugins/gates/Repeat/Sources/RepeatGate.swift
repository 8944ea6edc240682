public import PluginKit

/// A gate that says how often people are reminded of what it matches, instead of the rule that found it.
public struct RepeatGate: Gate {
    public static let manifest = PluginManifest(
        name: "repeat",
        summary: "Sets how often matching incidents are reminded of, instead of their rule's own 'repeat'.",
        example: """
            match: {severity: critical}
            every: 1h
            """,
        options: [
            OptionSpec(
                "every", .orOff(.duration(.minutes(1) ... .days(30))), required: true,
                "The time from the last message to the next reminder; off: no reminders."),
            OptionSpec("at_most", .integer(1...1000), "Reminders until something new happens; without it, no end."),
            OptionSpec(
                "backoff", .integer(2...10),
                "Each reminder waits so many times as long as the one before; without it, as long."
            ),
            OptionSpec(
                "slowest", .duration(.minutes(1) ... .days(30)), default: "1d", "The longest wait that backoff makes."),
            OptionSpec("channel", .list(.name(of: .channel)), "Only in these channels."),
        ])

    private let every: Duration?
    private let countMax: Int?
    private let factor: Int
    private let slowest: Duration
    private let channels: [String]

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        every = options.duration("every")
        countMax = options.integer("at_most")
        factor = options.integer("backoff") ?? 1
        slowest = max(options.duration("slowest") ?? .days(1), every ?? .zero)
        channels = options.names("channel")
        var problems: [Problem] = []
        if options.isOff("every") {
            for name in ["at_most", "backoff", "slowest"] where options.has(name) {
                problems.append(Problem(options.position(of: name), "'\(name)' has no effect: 'every' is off"))
            }
        } else if options.has("slowest"), factor == 1 {
            problems.append(
                Problem(
                    options.position(of: "slowest"), "'slowest' has no effect without 'backoff'",
                    advice: "add backoff: 2, or leave it out"))
        } else if let every, let written = options.duration("slowest"), written < every {
            problems.append(
                Problem(
                    options.position(of: "slowest"),
                    "'slowest' is \(written.grammar), shorter than 'every' (\(every.grammar))"))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    public func reminding(of incident: Incident, in channel: String) -> Reminding? {
        guard channels.isEmpty || channels.contains(channel) else { return nil }
        let said = incident.standings[channel]?.reminders ?? 0
        guard let every, countMax.map({ said < $0 }) ?? true else { return .never }
        var wait = every
        for _ in 0..<said where wait < slowest && factor > 1 { wait = min(wait * factor, slowest) }
        return .after(wait)
    }
}
