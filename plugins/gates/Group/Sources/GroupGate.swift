public import PluginKit

/// A gate that waits a moment for what belongs together, and has it said in one message.
public struct GroupGate: Gate {
    public static let manifest = PluginManifest(
        name: "group",
        summary: "Makes one message of incidents that open, or end, together.",
        example: """
            by: [app]
            wait: 30s
            """,
        options: [
            OptionSpec(
                "wait", .duration(.seconds(1) ... .hours(1)), default: "30s",
                "How long the first waits for others."),
            OptionSpec(
                "by", .list(.text), default: "app",
                "What they have in common: properties of a match, or labels."),
            OptionSpec("channel", .list(.name(of: .channel)), "Only in these channels."),
            OptionSpec("except", .choice(Severity.allCases.map(\.rawValue)), "This severity and above do not wait."),
        ])

    private let name: String
    private let wait: Duration
    private let properties: [String]
    private let channels: [String]
    public let except: Severity?

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        wait = options.duration("wait") ?? .seconds(30)
        properties = options.has("by") ? options.texts("by").map(\.description) : ["app"]
        channels = options.names("channel")
        except = options.severity("except")
        var problems: [Problem] = []
        for option in options.list("by") {
            guard let word = option.text?.description, !Match.properties.contains(word),
                let near = word.nearest(in: Match.properties)
            else { continue }
            problems.append(Problem(option.position, "'by' names '\(word)', which is no property", suggestion: near))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    public var gathers: String? { "What begins or ends within \(wait.short) is told together (\(name))." }

    public func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? {
        guard notification.kind == .opened || notification.kind == .resolved,
            channels.isEmpty || channels.contains(notification.channel)
        else { return nil }
        let reason = Reason.gate(plugin: GroupGate.manifest.name, name: name)
        // What goes into another message for many need not wait for this one.
        if let held = notification.held, held.isGathered, held.reason != reason { return nil }
        let values = properties.map { notification.incident.property($0) ?? "" }
        let gathering = Gathering(
            gate: name, key: ([notification.kind.rawValue] + values).joined(separator: "|"), style: .group)
        let since = min(
            notification.waits(behind: reason, at: now), view.gathered(gathering, for: notification.channel) ?? now)
        let until = since + wait
        return until > now ? Closure(until: until, fate: .gather(gathering), reason: reason) : nil
    }
}
