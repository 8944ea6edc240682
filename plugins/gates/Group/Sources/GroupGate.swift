public import PluginKit

/// A gate that waits a moment for what belongs together, and has it said in one message.
public struct GroupGate: Gate {
    public static let manifest = PluginManifest(
        name: "group",
        summary: "Makes one message of incidents that open, or resolve, together.",
        example: """
            by: [app]
            wait: 30s
            """,
        options: [wait, by, channel, except])

    static let wait = Setting(
        "wait", .duration(.seconds(1) ... .hours(1)), default: .seconds(30), "How long the first waits for others.")
    static let by = Setting(
        "by", .list(.plain), default: ["app"], "What they have in common: properties of a match, or labels.")
    static let channel = Setting("channel", .list(.name(of: .channel)), default: [], "Only in these channels.")
    static let except = Setting("except", .severity, "This severity and above do not wait.")

    private let name: String
    private let wait: Duration
    private let properties: [String]
    private let channels: [String]
    public let except: Severity?

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        wait = options[Self.wait]
        properties = options[Self.by]
        channels = options[Self.channel]
        except = options[Self.except]
        var problems: [Problem] = []
        for (word, position) in zip(properties, options.positions(in: Self.by)) {
            guard !Match.properties.contains(word), let near = word.nearest(in: Match.properties) else { continue }
            problems.append(Problem(position, "'by' names '\(word)', which is not a property", suggestion: near))
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
    }

    public var gathers: Phrase? { Phrase(.gateGroup, [.period: .period(wait), .gate: .text(name)]) }

    public func closure(for notification: Notification, at now: Moment, given view: any GateView) -> Closure? {
        let reason = Reason.gate(plugin: GroupGate.manifest.name, name: name)
        // What has ended before its opening left goes with the others of its group, and no sooner.
        let isUnheard = notification.kind == .digest && notification.held?.reason == reason
        let kind = isUnheard ? .opened : notification.kind
        guard kind == .opened || kind == .resolved, channels.isEmpty || channels.contains(notification.channel) else {
            return nil
        }
        // What goes into another message for many need not wait for this one.
        if let held = notification.held, held.isGathered, held.reason != reason { return nil }
        let values = properties.map { notification.incident.property($0) ?? "" }
        let gathering = Gathering(
            gate: name, key: ([kind.rawValue] + values).joined(separator: "|"), style: .group)
        let since = min(
            notification.waits(behind: reason, at: now), view.gathered(gathering, for: notification.channel) ?? now)
        let until = since + wait
        return until > now ? Closure(until: until, fate: .gather(gathering), reason: reason) : nil
    }
}
