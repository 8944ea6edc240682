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
        options: [days, dates, calendar, between, channel, Setting.except, then])

    static let days = Setting(
        "days", .days, default: .everyDay, unset: "every day, or none if there are dates or calendars",
        "The days on which a window begins.")
    static let dates = Setting(
        "dates", .list(.plain), default: [], "More days on which one begins, such as 2026-12-24/2027-01-02.")
    static let calendar = Setting(
        "calendar", .list(.calendar), default: [],
        "iCalendar files, such as holidays.ics: a window begins on every day of their events, too.")
    static let between = RequiredSetting("between", .hours, "The hours, such as 22:00-07:00; may cross midnight.")
    static let channel = Setting("channel", .list(.name(of: .channel)), default: [], "Only in these channels.")
    static let then = Setting(
        "then", .choice(of: Then.self), default: .hold, "hold: sent when the window ends; drop: never sent.")

    enum Then: String, CaseIterable { case hold, drop }

    private let name: String
    private let window: DailyWindow
    public let except: Severity?
    public let drops: Bool
    public let channels: [String]
    public let calendars: [FollowedCalendar]

    public init(options: Options, context: RuleContext) throws(ProblemList) {
        name = context.name
        var dates: [DateRange] = []
        var problems: [Problem] = []
        for (written, place) in zip(options[Self.dates], options.positions(in: Self.dates)) {
            do throws(GrammarError) {
                dates.append(try DateRange(grammar: written))
            } catch {
                problems.append(
                    Problem(
                        place, "'dates' holds '\(written.quotable)', expected \(error.expected)",
                        suggestion: error.suggestion))
            }
        }
        guard problems.isEmpty else { throw ProblemList(problems) }
        var calendars: [FollowedCalendar] = []
        dates += try QuietHoursGate.days(of: options, in: context.zone, &calendars)
        self.calendars = calendars
        let days = options.written(Self.days) ?? (dates.isEmpty ? .everyDay : DaySet([]))
        let hours = try options[Self.between]
        window = DailyWindow(zone: context.zone, days: days, dates: DateSet(dates), hours: hours)
        // The next version of a calendar may have other days.
        if calendars.isEmpty, window.isNever {
            throw ProblemList(
                options.position(of: Self.dates),
                "no window ever opens: the clock skips \(hours.grammar) on every day of 'dates'",
                advice: "choose other hours, or more days")
        }
        except = options[.except]
        channels = options[Self.channel]
        drops = options[Self.then] == .drop
    }

    /// The days of all its calendars; each of them has some.
    private static func days(
        of options: Options, in zone: Zone, _ calendars: inout [FollowedCalendar]
    ) throws(ProblemList) -> [DateRange] {
        var found: [DateRange] = []
        for (calendar, place) in zip(options[Self.calendar], options.positions(in: Self.calendar)) {
            let days: DateSet
            do throws(CalendarFaults) {
                days = try calendar.days(in: zone)
            } catch {
                throw ProblemList(error.problems(in: calendar.name))
            }
            guard let followed = FollowedCalendar(calendar.name, at: place, days, in: zone) else {
                throw ProblemList(
                    place, "no event of '\(calendar.name.quotable)' falls on any day",
                    advice: "remove it, or export the calendar again")
            }
            calendars.append(followed)
            found += days.ranges
        }
        return found
    }

    public var stage: GateStage { .quietHours }

    public func closure(for notification: Notification, at now: Moment) -> Closure? {
        guard channels.isEmpty || channels.contains(notification.channel) else { return nil }
        if let except, notification.severity >= except { return nil }
        guard let until = window.quietUntil(now) else { return nil }
        return Closure(until: until, fate: drops ? .drop : .holdAndSummarize, reason: .quietHours(name))
    }

    public func schedule(from now: Moment, count: Int) -> [TimeSpan] {
        var spans: [TimeSpan] = []
        var moment = now
        while spans.count < count {
            guard moment < .latest, let first = window.window(containing: moment) ?? window.next(after: moment) else {
                break
            }
            // Windows that follow one another without a pause are one, as for what they hold.
            moment = window.quietUntil(max(first.from, moment)) ?? first.to
            spans += TimeSpan(from: first.from, to: moment).map { [$0] } ?? []
        }
        return spans
    }
}
