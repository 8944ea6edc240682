import MuteGate
import PluginKit
import PluginTesting
import Testing

@Suite struct `Mutes` {
    /// A mute as a config writes it; each option stands on its own line, from line 2 on, its value at column 9.
    private func rule(_ entries: KeyValuePairs<String, String>, zone: String = "Europe/Madrid") throws -> MuteGate {
        let written = WrittenOptions(entries.map { ($0.key, .text($0.value)) })
        let options = try written.options(of: MuteGate.manifest, name: "vacation")
        return try MuteGate(
            options: options,
            context: RuleContext(name: "vacation", zone: try ZoneDatabase().zone(zone), checksPerDay: 1440))
    }

    private func moment(_ text: String) throws -> Moment { try #require(Moment(rfc3339: text)) }

    private func notification(_ severity: Severity = .critical, _ kind: Notification.Kind = .opened) -> Notification {
        let incident = Incident(
            rule: "floor", subject: Subject(source: "ios", app: "shop"), labels: [:], severity: severity,
            since: Moment(milliseconds: 0), evidence: Evidence(sentence: ""))
        return Notification(incident: incident, kind: kind, severity: severity, channel: "team")
    }

    /// The whole seconds around an instant at which the mute opens or closes.
    private func isClosed(_ mute: MuteGate, at moment: Moment) -> Bool {
        mute.closure(for: notification(), at: moment) != nil
    }

    @Test(arguments: [
        (
            "plain local times in winter", "2026-12-24", "2027-01-02 09:00", "2026-12-23T23:00:00Z",
            "2027-01-02T08:00:00Z"
        ),
        (
            "plain local times in summer", "2026-07-01 12:00", "2026-07-01 12:00:30", "2026-07-01T10:00:00Z",
            "2026-07-01T10:00:30Z"
        ),
        (
            "offsets say it themselves", "2026-12-24T00:00:00Z", "2026-12-25T00:00:00+05:00", "2026-12-24T00:00:00Z",
            "2026-12-24T19:00:00Z"
        ),
        (
            "a begin in the gap is the first instant after it", "2026-03-29 02:30", "2026-03-29 05:00",
            "2026-03-29T01:00:00Z", "2026-03-29T03:00:00Z"
        ),
        (
            "an end in the gap is the first instant after it", "2026-03-28", "2026-03-29 02:30", "2026-03-27T23:00:00Z",
            "2026-03-29T01:00:00Z"
        ),
        (
            "a begin that exists twice is its first", "2026-10-25 02:30", "2026-10-25 05:00", "2026-10-25T00:30:00Z",
            "2026-10-25T04:00:00Z"
        ),
        (
            "an end that exists twice is its last", "2026-10-25 00:00", "2026-10-25 02:30", "2026-10-24T22:00:00Z",
            "2026-10-25T01:30:00Z"
        ),
        (
            "an hour that is shown twice is two hours", "2026-10-25 02:00", "2026-10-25 03:00", "2026-10-25T00:00:00Z",
            "2026-10-25T02:00:00Z"
        ),
    ])
    func `a mute is closed from its begin up to its end`(
        why: String, from: String, until: String, begin: String, end: String
    ) throws {
        let mute = try rule(["from": from, "until": until])
        let (begin, end) = (try moment(begin), try moment(end))
        #expect(!isClosed(mute, at: begin - .milliseconds(1)))
        #expect(isClosed(mute, at: begin))
        #expect(isClosed(mute, at: end - .milliseconds(1)))
        #expect(!isClosed(mute, at: end))
        #expect(mute.schedule(from: begin - .days(3), count: 5) == [TimeSpan(from: begin, to: end)])
    }

    @Test func `a mute without a begin has always been closed`() throws {
        let mute = try rule(["until": "2027-01-02"])
        #expect(isClosed(mute, at: .earliest))
        #expect(isClosed(mute, at: try moment("2027-01-01T22:59:59Z")))
        #expect(!isClosed(mute, at: try moment("2027-01-01T23:00:00Z")))
    }

    @Test func `what it covers is held until the end, and forgotten if it ends before`() throws {
        let mute = try rule(["from": "2026-12-24", "until": "2027-01-02 09:00", "reason": "release freeze"])
        let closure = mute.closure(for: notification(), at: try moment("2026-12-30T12:00:00Z"))
        let end = try moment("2027-01-02T08:00:00Z")
        #expect(closure == Closure(until: end, fate: .holdAndForget, reason: .muted("vacation")))
        #expect(mute.stage == .mutes)
    }

    @Test(
        arguments: [
            (nil, []), ("critical", [.critical]), ("warning", [.warning, .critical]),
            ("info", [.info, .warning, .critical]),
        ] as [(String?, [Severity])])
    func `except lets a severity and above pass`(except: String?, passing: [Severity]) throws {
        let mute = try except.map { try rule(["until": "2027-01-02", "except": $0]) } ?? rule(["until": "2027-01-02"])
        let now = try moment("2026-12-30T12:00:00Z")
        #expect(Severity.allCases.filter { mute.closure(for: notification($0), at: now) == nil } == passing)
    }

    @Test func `every kind of notification is held alike`() throws {
        let mute = try rule(["until": "2027-01-02"])
        let now = try moment("2026-12-30T12:00:00Z")
        for kind in Notification.Kind.ofIncidents {
            #expect(mute.closure(for: notification(.critical, kind), at: now)?.fate == .holdAndForget)
        }
    }

    @Test func `the schedule shows what is left of it`() throws {
        let mute = try rule(["from": "2026-12-24", "until": "2026-12-26"])
        let (inside, end) = (try moment("2026-12-25T12:00:00Z"), try moment("2026-12-25T23:00:00Z"))
        #expect(mute.schedule(from: inside, count: 3) == [TimeSpan(from: inside, to: end)])
        #expect(mute.schedule(from: end, count: 3) == [])
        #expect(mute.schedule(from: inside, count: 0) == [])
    }

    @Test(arguments: [
        ("2026-12-24", "2026-12-23", "Wed 23 Dec 2026 00:00 CET", "Thu 24 Dec 2026 00:00 CET"),
        ("2026-12-24 09:00", "2026-12-24T07:30:00Z", "Thu 24 Dec 2026 08:30 CET", "Thu 24 Dec 2026 09:00 CET"),
        // The wrong year is seen as such.
        ("2026-12-24", "2026-01-02", "Fri 2 Jan 2026 00:00 CET", "Thu 24 Dec 2026 00:00 CET"),
    ])
    func `a mute that never opens is a mistake`(from: String, until: String, end: String, begin: String) throws {
        let problem = Problem(
            Position(line: 3, column: 9),
            "the mute ends (\(end)) before it begins (\(begin)), so it never applies")
        #expect(throws: ProblemList([problem])) { try rule(["from": from, "until": until]) }
    }

    @Test(arguments: [
        ("2026-12-24", "2026-12-24", "Thu 24 Dec 00:00 CET"),
        // Both ends lie in the hour that the clock leaves out.
        ("2026-03-29 02:10", "2026-03-29 02:50", "Sun 29 Mar 03:00 CEST"),
    ])
    func `so is one that ends when it begins`(from: String, until: String, end: String) throws {
        let problem = Problem(
            Position(line: 3, column: 9), "the mute ends when it begins (\(end)), so it never applies")
        #expect(throws: ProblemList([problem])) { try rule(["from": from, "until": until]) }
    }
}
