public import PluginKit

/// A gate that is closed at certain hours of certain days, by the wall clock of the bot's zone.
///
/// `days` name the days on which a window begins: Friday's 22:00-07:00 ends on Saturday.
public struct QuietHoursGate: CalendarGate {
    public static let manifest = PluginManifest(
        name: "quiet_hours",
        summary: "Holds notifications at night or on certain days, and summarises afterwards what came and went.",
        example: """
            between: 22:00-07:00
            except: critical
            """,
        options: [days, between, except, then])

    static let days = Setting("days", .days, default: .everyDay, "The days on which a window begins.")
    static let between = RequiredSetting("between", .hours, "The hours, such as 22:00-07:00; may cross midnight.")
    static let except = Setting("except", .severity, "This severity and above pass.")
    static let then = Setting(
        "then", .choice(of: Then.self), default: .hold, "hold: sent when the window ends; drop: never sent.")

    enum Then: String, CaseIterable { case hold, drop }

    private let name: String
    private let window: DailyWindow
    public let except: Severity?
    private let drops: Bool

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        window = DailyWindow(zone: context.zone, days: options[Self.days], hours: try options[Self.between])
        except = options[Self.except]
        drops = options[Self.then] == .drop
    }

    public var stage: GateStage { .quietHours }

    public func closure(for notification: Notification, at now: Moment) -> Closure? {
        if let except, notification.severity >= except { return nil }
        guard let until = window.quietUntil(now) else { return nil }
        return Closure(until: until, fate: drops ? .drop : .holdAndSummarize, reason: .quietHours(name))
    }

    public func schedule(from now: Moment, count: Int) -> [TimeSpan] {
        var spans: [TimeSpan] = []
        var moment = now
        while spans.count < count {
            guard let span = window.window(containing: moment) ?? window.next(after: moment) else { break }
            spans.append(span)
            moment = span.to
        }
        return spans
    }
}
