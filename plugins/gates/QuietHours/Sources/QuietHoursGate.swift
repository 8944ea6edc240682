public import PluginKit

/// A gate that is closed at certain hours of certain days, by the wall clock of the bot's zone.
///
/// `days` name the days on which a window begins: Friday's 22:00-07:00 ends on Saturday.
public struct QuietHoursGate: CalendarGate {
    public static let manifest = PluginManifest(
        name: "quiet_hours",
        summary: "Holds notifications at night or on certain days, and sums up afterwards what came and went.",
        example: """
            between: 22:00-07:00
            except: critical
            """,
        options: [
            OptionSpec("days", .days, default: "mon-sun", "The days on which a window begins."),
            OptionSpec("between", .hours, required: true, "The hours, such as 22:00-07:00; may cross midnight."),
            OptionSpec("except", .choice(Severity.allCases.map(\.rawValue)), "This severity and above pass."),
            OptionSpec(
                "then", .choice(["hold", "drop"]), default: "hold",
                "hold: said when the window ends; drop: never said."),
        ])

    private let name: String
    private let window: DailyWindow
    public let except: Severity?
    private let drops: Bool

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        guard let hours = options.hours("between") else {
            throw ProblemList(options.position, "'between' is missing", advice: "write between: 22:00-07:00")
        }
        window = DailyWindow(zone: context.zone, days: options.days("days") ?? .everyDay, hours: hours)
        except = options.severity("except")
        drops = options.plain("then") == "drop"
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
