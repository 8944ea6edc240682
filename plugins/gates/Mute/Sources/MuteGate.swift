public import PluginKit

/// A gate that holds everything it matches from one instant to another.
///
/// What is still wrong when it ends is said then; what began and ended under it is dropped.
public struct MuteGate: CalendarGate {
    public static let manifest = PluginManifest(
        name: "mute",
        summary: "Holds matching notifications until an instant; what opens and resolves meanwhile is dropped.",
        example: """
            match: {app: shop-ios}
            until: 2027-01-02 09:00
            reason: release freeze
            """,
        options: [from, until, channel, reason, Setting.except])

    static let from = Setting(
        "from", .instant, unset: "always", "When it begins; in bot.timezone unless it has an offset.")
    static let until = RequiredSetting("until", .instant, "When it ends; that instant is no longer muted.")
    static let channel = Setting("channel", .list(.name(of: .channel)), default: [], "Only in these channels.")
    static let reason = Setting("reason", .plain, "Why, for whoever asks.")

    private let name: String
    private let from: Moment
    private let until: Moment
    public let channels: [String]
    public let except: Severity?
    public let purpose: String?

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        from = options[Self.from]?.moment(beginningIn: context.zone) ?? .earliest
        until = try options[Self.until].moment(endingIn: context.zone)
        channels = options[Self.channel]
        except = options[.except]
        purpose = options[Self.reason]
        guard from != until else {
            throw ProblemList(
                options.position(of: Self.until),
                "the mute ends when it begins (\(context.zone.words(until))), so it never applies")
        }
        guard from < until else {
            // It is most often the year that is wrong.
            func dated(_ moment: Moment) -> String { context.zone.words(moment, readAt: moment - .days(366)) }
            throw ProblemList(
                options.position(of: Self.until),
                "the mute ends (\(dated(until))) before it begins (\(dated(from))), so it never applies")
        }
    }

    public var stage: GateStage { .mutes }

    public func closure(for notification: Notification, at now: Moment) -> Closure? {
        guard from <= now, now < until, channels.isEmpty || channels.contains(notification.channel) else { return nil }
        if let except, notification.severity >= except { return nil }
        return Closure(until: until, fate: .holdAndForget, reason: .muted(name))
    }

    public func schedule(from now: Moment, count: Int) -> [TimeSpan] {
        guard now < until, count > 0, let span = TimeSpan(from: max(from, now), to: until) else { return [] }
        return [span]
    }
}
