import CrashlyticsSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `A table of crashes in BigQuery` {
    private static let columns = [
        "version", "build", "sessions", "crashed_sessions", "users", "crashed_users", "crash_events", "newest_event",
        "newest_crash", "crash_hours", "crash_minutes", "session_hours", "sessions_before", "sessions_since",
    ]

    /// How often anything was written to the table.
    struct Habit: Sendable {
        var hours = 60
        var minutes = 200
        var sessionHours = 72
        var before = 3000
        var since = 1000
    }

    /// An app with 900 sessions and 400 users, none of which is known to have crashed, and how far its tables are.
    private func told(_ sessions: String, _ crashes: String?, _ habit: Habit = Habit()) -> FetchResult {
        func stamp(_ text: String) -> String { "\((Moment(rfc3339: text)?.milliseconds ?? 0) / 1000)000000" }
        func row(_ cells: [String?]) -> String {
            let written = cells.map { cell in "{\"v\": \(cell.map { "\"\($0)\"" } ?? "null")}" }
            return "{\"f\": [\(written.joined(separator: ", "))]}"
        }
        let nothing = [String?](repeating: nil, count: 7)
        let whole: [String?] = [nil, nil, "900", "0", "400", "0", "0"] + nothing
        let counts = [habit.hours, habit.minutes, habit.sessionHours, habit.before, habit.since]
        let ends = nothing + [stamp(sessions), crashes.map(stamp)] + counts.map { Optional("\($0)") }
        let names = Self.columns.map { "{\"name\": \"\($0)\"}" }.joined(separator: ", ")
        return answer(
            """
            {"jobComplete": true, "schema": {"fields": [\(names)]}, "rows": [\(row(ends)), \(row(whole))]}
            """)
    }

    /// When the sessions of the day before have come in, and its crashes have not.
    private let morning = Moment(rfc3339: "2026-11-20T04:00:30Z") ?? now

    private func byDay() throws -> CrashlyticsSource {
        try exported(["tables": map(["wallet": "com_acme_wallet_ANDROID"])])
    }

    @Test(
        arguments: [
            // The crashes of a day come in hours after its sessions.
            ("2026-11-18T23:40:00Z", Habit(), true),
            // What came in a moment before the last session is all that there is.
            ("2026-11-19T23:50:00Z", Habit(since: 5), false),
            // Where there was little before, a day without any says nothing, nor where one bad evening was all.
            ("2026-11-18T23:40:00Z", Habit(hours: 4, minutes: 9), false),
            ("2026-11-18T23:40:00Z", Habit(hours: 6, minutes: 360), false),
            // Nor does an app that has no errors at all.
            (nil, Habit(hours: 0, minutes: 0, sessionHours: 0, before: 0, since: 0), false),
            ("2026-11-18T23:40:00Z", Habit(hours: 1, minutes: 1, sessionHours: 0, before: 0), false),
            // Nobody used the app since.
            ("2026-11-18T23:40:00Z", Habit(since: 0), false),
        ] as [(String?, Habit, Bool)]) func `that is late is not a day without crashes`(
            _ newest: String?, _ habit: Habit, _ isLate: Bool
        ) throws
    {
        let played = Firebase(query: told("2026-11-19T23:59:41Z", newest, habit))
            .play(try byDay(), poll(.days(1), at: morning))
        var metrics: Metrics = ["sessions": 900, "users": 400]
        if !isLate {
            metrics = ["sessions": 900, "crashed_sessions": 0, "users": 400, "crashed_users": 0, "crash_events": 0]
        }
        #expect(played.observation()?.metrics == metrics)
        #expect(played.observation()?.isComplete == true, "the sessions are all there")
        #expect(played.report?.warnings == [], "so it is each morning")
        #expect(
            played.report?.notes.contains(
                "wallet: the newest event in 'firebase_crashlytics.com_acme_wallet_ANDROID' is from "
                    + "2026-11-18T23:40:00Z, so later ones are still to come; figures of crashes are left out")
                == isLate)
    }

    @Test(
        arguments: [
            // Something each minute, and nothing for forty of them.
            (
                "2026-11-20T23:20:00Z", Habit(hours: 31, minutes: 1800, sessionHours: 31, before: 31_000, since: 700),
                true
            ),
            // Devices tell of crashes a while later.
            (
                "2026-11-20T23:46:00Z", Habit(hours: 31, minutes: 1800, sessionHours: 31, before: 31_000, since: 900),
                false
            ),
            (
                "2026-11-20T23:40:00Z", Habit(hours: 31, minutes: 1800, sessionHours: 31, before: 31_000, since: 300),
                false
            ),
            // A bad evening is over, of an app that hardly ever crashes.
            (
                "2026-11-20T22:30:00Z", Habit(hours: 6, minutes: 360, sessionHours: 31, before: 20_000, since: 2000),
                false
            ),
        ] as [(String, Habit, Bool)]) func `that is streamed to is found to be late within the hour where it is busy`(
            _ newest: String, _ habit: Habit, _ isLate: Bool
        ) throws
    {
        let played = Firebase(query: told("2026-11-20T23:59:50Z", newest, habit)).play(try exported(), poll(.hours(1)))
        #expect(played.observation()?.metrics[.sessions] == 900)
        #expect(played.observation()?.metrics[.crashedSessions] == (isLate ? nil : 0))
    }

    @Test func `stays late until it has something new, and is a trouble after 'max_age'`() throws {
        let source = try byDay()
        func play(_ answer: FetchResult, _ cursor: JSON?, _ days: Int64) -> PlayedPoll {
            Firebase(query: answer).play(source, poll(.days(1), cursor: cursor, at: morning + .days(days)))
        }
        let first = play(told("2026-11-19T23:59:41Z", "2026-11-18T23:40:00Z"), nil, 0)
        // By now nothing is left of what was there before.
        let later = play(told("2026-11-23T23:59:41Z", nil), first.report?.cursor, 4)
        #expect(later.observation()?.metrics == ["sessions": 900, "users": 400])
        let words =
            "wallet: the newest event in 'firebase_crashlytics.com_acme_wallet_ANDROID' is from 2026-11-18T23:40:00Z, "
            + "more than 2d ago ('max_age'); figures of crashes are left out"
        #expect(later.report?.warnings == [words])
        #expect(later.report?.missing?.description == words)
        let back = play(
            told("2026-11-24T23:59:41Z", "2026-11-24T23:00:00Z", Habit(since: 40)), later.report?.cursor, 5)
        #expect(back.observation()?.metrics[.crashedSessions] == 0)
        #expect(back.report?.warnings == [])
        // Without a memory nobody could tell.
        #expect(play(told("2026-11-23T23:59:41Z", nil), nil, 4).observation()?.metrics[.crashedSessions] == 0)
    }

    @Test func `is asked for errors of every kind, over a day more`() throws {
        let request = try #require(Firebase().play(try exported(), poll(.hours(1))).asked.first)
        let query = try #require(body(request)["query"]?.string)
        let parts = query.split(separator: "h AS (")
        #expect(parts.count == 2)
        #expect(parts.first?.contains("error_type = 'FATAL'") == true)
        #expect(parts.last?.contains("error_type") == false)
        #expect(parts.last?.contains("event_timestamp >= TIMESTAMP_SUB(@oldest, INTERVAL 1 DAY)") == true)
    }
}
