public import PluginKit

/// A gate that holds everything it matches from one instant to another.
///
/// What is still wrong when it ends is said then; what began and ended under it is dropped.
public struct MuteGate: CalendarGate {
    public static let manifest = PluginManifest(
        name: "mute",
        summary: "Holds matching notifications until an instant; what begins and ends meanwhile is dropped.",
        example: """
            match: {app: shop-ios}
            until: 2027-01-02 09:00
            reason: release freeze
            """,
        options: [
            OptionSpec("from", .instant, default: "always", "When it begins; in bot.timezone unless it has an offset."),
            OptionSpec("until", .instant, required: true, "When it ends; the instant itself is outside."),
            OptionSpec("reason", .text, "Why, for whoever asks."),
            OptionSpec("except", .choice(Severity.allCases.map(\.rawValue)), "This severity and above pass."),
        ])

    private let name: String
    private let from: Moment
    private let until: Moment
    public let except: Severity?
    public let purpose: String?

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        from = options.instant("from").map { $0.moment(beginningIn: context.zone) } ?? .earliest
        until = options.instant("until").map { $0.moment(endingIn: context.zone) } ?? .latest
        except = options.severity("except")
        purpose = options.plain("reason")
        guard from < until else {
            throw ProblemList(
                options.position(of: "until"), "the mute ends (\(until)) before it begins (\(from)), so it never opens")
        }
    }

    public var stage: GateStage { .mutes }

    public func closure(for notification: Notification, at now: Moment) -> Closure? {
        guard from <= now, now < until else { return nil }
        if let except, notification.severity >= except { return nil }
        return Closure(until: until, fate: .holdAndForget, reason: .muted(name))
    }

    public func schedule(from now: Moment, count: Int) -> [TimeSpan] {
        guard now < until, count > 0, let span = TimeSpan(from: max(from, now), to: until) else { return [] }
        return [span]
    }
}
