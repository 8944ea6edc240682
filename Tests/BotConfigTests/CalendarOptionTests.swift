import AlertCore
import BotConfig
import PluginKit
import Testing

/// A gate that is closed on the days of a calendar.
private struct DayGate: CalendarGate {
    static let manifest = PluginManifest(name: "days", summary: "Is closed on certain days.", options: [calendar])
    static let calendar = Setting("calendar", .list(.calendar), default: [], "The days.")

    let days: [Int]

    init(options: Options, context: RuleContext) throws(ProblemList) {
        var days: [Int] = []
        for calendar in options[Self.calendar] {
            do throws(CalendarFaults) {
                days += try calendar.days(in: context.zone).ranges.flatMap { Array($0.days) }
            } catch {
                throw ProblemList(error.problems(in: calendar.name))
            }
        }
        self.days = days
    }

    func closure(for notification: Notification, at now: Moment) -> Closure? { nil }
    func schedule(from now: Moment, count: Int) -> [TimeSpan] { [] }
}

@Suite struct `Calendars in the config` {
    private func load(_ calendar: String, _ files: [String: String], withholding: Bool = false) -> ConfigResult {
        let config = "rules:\n  free: {plugin: days, timezone: Europe/Madrid, calendar: \(calendar)}" + least
        var surroundings = FakeWorld.surroundings()
        surroundings.withholdsSecrets = withholding
        surroundings.file = { path throws(ConfigSurroundings.Missing) in
            guard let text = files[path] else { throw ConfigSurroundings.Missing("there is no such file") }
            return Array(text.utf8)
        }
        let plugins = FakeWorld.catalog
        let catalog = PluginCatalog(
            sources: plugins.sources, detectors: plugins.detectors, gates: [DayGate.self], channels: plugins.channels)
        return Config.load(Array(config.utf8), folder: "/etc/bot", catalog: catalog, surroundings: surroundings)
    }

    private func calendar(_ lines: String...) -> String {
        (["BEGIN:VCALENDAR", "BEGIN:VEVENT"] + lines + ["END:VEVENT", "END:VCALENDAR"]).joined(separator: "\n")
    }

    private func days(_ result: ConfigResult) -> [Int]? {
        (result.config?.plan.gates.first { $0.name == "free" }?.gate as? DayGate)?.days
    }

    @Test func `one file or several, from the config's folder`() throws {
        let files = [
            "/etc/bot/es.ics": calendar("DTSTART:20261208"), "/srv/de.ics": calendar("DTSTART:20261003T220000Z"),
        ]
        let day = CivilTime.dayNumber(year: 2026, month: 12, day: 8)
        for written in ["es.ics", "./es.ics", "[es.ics]"] {
            let result = load(written, files)
            #expect(result.problems == [])
            #expect(days(result) == [day])
            #expect(result.texts.keys.sorted() == ["/etc/bot/es.ics"])
        }
        // By the rule's own clock it is the fourth of October.
        #expect(
            days(load("[es.ics, /srv/de.ics]", files)) == [day, CivilTime.dayNumber(year: 2026, month: 10, day: 4)])
    }

    @Test(arguments: [
        (
            "gone.ics",
            ":2:59: 'calendar': /etc/bot/gone.ics cannot be read: there is no such file (relative paths start at the config's folder)"
        ),
        (
            "https://example.com/holidays.ics",
            ":2:59: 'calendar' is an address, expected a file (fetch it from time to time with a timer of the system, as in curl -o holidays.ics URL)"
        ),
        (
            "bad.ics",
            "/etc/bot/bad.ics:3:1: DTSTART is 'soon', expected a date such as 20261224 or a time such as 20261224T180000"
        ),
        (
            "long.ics",
            "/etc/bot/long.ics:4:1: with this rule the calendar has more than 100000 occurrences until 2100 (give it an UNTIL)"
        ),
    ])
    func `a mistake is reported with its place`(_ name: String, _ expected: String) {
        let files = [
            "/etc/bot/bad.ics": calendar("DTSTART:soon"),
            "/etc/bot/long.ics": calendar("DTSTART:00010101", "RRULE:FREQ=DAILY"),
        ]
        let result = load(name, files)
        #expect(result.config == nil)
        #expect(result.problems.map { ($0.position.file ?? "") + ":" + $0.line } == [expected])
    }

    @Test func `what several rules name is reported once`() {
        let result = load("[bad.ics, bad.ics]", ["/etc/bot/bad.ics": calendar("DTSTART:soon")])
        #expect(result.problems.count == 1)
    }

    @Test func `where secrets are not, calendars need not be either`() {
        let result = load("gone.ics", [:], withholding: true)
        #expect(result.problems.map(\.level) == [.warning])
        #expect(days(result) == [])
        // Nor does it matter what stands for one.
        let mentioned = load("a.ics", ["/etc/bot/a.ics": ""], withholding: true)
        #expect(mentioned.problems == [])
        #expect(days(mentioned) == [])
        #expect(load("a.ics", ["/etc/bot/a.ics": ""]).problems.map(\.message) == ["the calendar has no event"])
    }

    @Test func `a change of the file is a change of the config`() throws {
        let before = load("a.ics", ["/etc/bot/a.ics": calendar("DTSTART:20261208")])
        let after = load("a.ics", ["/etc/bot/a.ics": calendar("DTSTART:20261225")])
        let (old, new) = (try #require(before.config).things, try #require(after.config).things)
        #expect(new.changes(since: old) == ["files: changed /etc/bot/a.ics"])
    }
}
