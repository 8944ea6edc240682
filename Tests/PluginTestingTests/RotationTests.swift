import PluginKit
import Testing

@Suite struct `People on call` {
    private let people = ["ana", "bo", "cai"].map { Rotation.Person($0, mentions: ["@\($0)"], channel: $0) }

    private func rotation(
        _ zone: String = "Europe/Madrid", starts: String = "2026-11-02 09:00", every: Duration = .days(7),
        overrides: [(Int, String, String)] = [], people: [Rotation.Person]? = nil
    ) throws -> Rotation {
        guard case .local(let starts) = try WrittenInstant(grammar: starts) else { throw Rejected() }
        let standIns = try overrides.map { Rotation.Override($0, in: try span($1, $2)) }
        let clock = try ZoneDatabase().zone(zone)
        return try #require(
            Rotation(
                "mobile", zone: clock, starts: starts, every: every, people: people ?? self.people, overrides: standIns)
        )
    }

    private func span(_ from: String, _ to: String) throws -> TimeSpan {
        try #require(TimeSpan(from: at(from), to: at(to)))
    }

    private struct Rejected: Error {}

    private func at(_ text: String) throws -> Moment { try #require(Moment(rfc3339: text)) }

    @Test(arguments: [
        ("2026-11-02T08:00:00Z", "ana"), ("2026-11-09T07:59:59Z", "ana"), ("2026-11-09T08:00:00Z", "bo"),
        ("2026-11-16T08:00:00Z", "cai"), ("2026-11-23T08:00:00Z", "ana"),
        // Before the first turn the order goes backwards.
        ("2026-11-02T07:59:59Z", "cai"), ("2026-10-26T07:59:59Z", "bo"),
        // In summer the same hour of the wall is another one of UTC.
        ("2027-03-29T06:59:59Z", "cai"), ("2027-03-29T07:00:00Z", "ana"),
    ])
    func `take turns at the same time of the wall clock`(_ now: String, _ person: String) throws {
        #expect(try rotation().person(on: at(now)).name == person)
    }

    @Test(arguments: [
        // 25 October 2026: 03:00 becomes 02:00 at 01:00Z, and 02:30 is there twice.
        ("02:30", "2026-10-25T00:29:59Z", "cai"), ("02:30", "2026-10-25T00:30:00Z", "ana"),
        ("02:30", "2026-10-25T01:10:00Z", "ana"), ("02:30", "2026-10-25T01:30:00Z", "ana"),
    ])
    func `a handover that exists twice is at the first`(_ time: String, _ now: String, _ person: String) throws {
        let rotation = try rotation(starts: "2026-10-25 \(time)", every: .days(1))
        #expect(rotation.person(on: try at(now)).name == person)
    }

    @Test func `a handover in a gap is at the first instant after it`() throws {
        let rotation = try rotation(starts: "2026-03-29 02:30", every: .days(1))
        #expect(rotation.person(on: try at("2026-03-29T00:59:59Z")).name == "cai")
        #expect(rotation.person(on: try at("2026-03-29T01:00:00Z")).name == "ana")
        #expect(rotation.nextChange(after: try at("2026-03-28T12:00:00Z")) == (try at("2026-03-29T01:00:00Z")))
    }

    @Test func `turns may be of hours, and the day that has an hour more has it in one of them`() throws {
        let rotation = try rotation(starts: "2026-10-24 21:00", every: .hours(12))
        let shifts = rotation.shifts(
            in: try span("2026-10-24T19:00:00Z", "2026-10-25T20:00:00Z"), count: 9)
        #expect(shifts.map { "\($0.person.name) \($0.span.length.grammar)" } == ["ana 13h", "bo 12h"])
    }

    @Test func `an override stands in, and the later of two counts`() throws {
        let rotation = try rotation(overrides: [
            (1, "2026-11-03T08:00:00Z", "2026-11-05T08:00:00Z"), (2, "2026-11-04T08:00:00Z", "2026-11-04T12:00:00Z"),
        ])
        let shifts = rotation.shifts(
            in: try span("2026-11-02T08:00:00Z", "2026-11-16T08:00:00Z"), count: 9)
        #expect(
            shifts.map { "\($0.person.name) \($0.span.from)" } == [
                "ana 2026-11-02T08:00:00Z", "bo 2026-11-03T08:00:00Z", "cai 2026-11-04T08:00:00Z",
                "bo 2026-11-04T12:00:00Z", "ana 2026-11-05T08:00:00Z", "bo 2026-11-09T08:00:00Z",
            ])
    }

    @Test func `a handover to the same person is none`() throws {
        // Bo stands in for Ana, and goes on with a turn of his own.
        let rotation = try rotation(overrides: [(1, "2026-11-05T08:00:00Z", "2026-11-09T08:00:00Z")])
        #expect(rotation.nextChange(after: try at("2026-11-05T08:00:00Z")) == (try at("2026-11-16T08:00:00Z")))
    }

    @Test(arguments: [
        // Bo stands in for Ana, and goes on with a turn of his own; an empty moment is none.
        ("2026-11-04T08:00:00Z", "ana", "2026-11-02T08:00:00Z"), ("2026-11-05T07:59:59Z", "bo", ""),
        ("2026-11-05T08:00:00Z", "bo", "2026-11-05T08:00:00Z"), ("2026-11-12T08:00:00Z", "bo", "2026-11-05T08:00:00Z"),
        ("2026-11-16T08:00:00Z", "bo", ""), ("2026-11-16T08:00:00Z", "cai", "2026-11-16T08:00:00Z"),
    ])
    func `somebody's time on call began where it was somebody else's before`(
        _ now: String, _ channel: String, _ since: String
    ) throws {
        let rotation = try rotation(overrides: [(1, "2026-11-05T08:00:00Z", "2026-11-09T08:00:00Z")])
        #expect(rotation.onCallSince(try at(now), channel: channel) == Moment(rfc3339: since))
    }

    @Test func `one person alone is always on call`() throws {
        let alone = try rotation(every: .hours(1), people: [people[0]])
        #expect(alone.nextChange(after: try at("2026-11-05T08:00:00Z")) == nil)
        let relieved = try rotation(
            overrides: [(0, "2026-11-05T08:00:00Z", "2026-11-09T08:00:00Z")], people: [people[0]])
        #expect(relieved.nextChange(after: try at("2026-11-05T08:00:00Z")) == nil)
        #expect(alone.person(on: .latest).name == "ana")
        #expect(try rotation(every: .hours(1)).nextChange(after: .latest) == nil)
        #expect(alone.onCallSince(.latest, channel: "ana") == nil)
    }

    /// A second implementation: goes through all handovers of a year on the wall, one after the other.
    @Test(arguments: ["Europe/Madrid", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
    func `every minute of a year has who a list of handovers says`(_ zone: String) throws {
        let clock = try ZoneDatabase().zone(zone)
        let rotation = try rotation(zone, starts: "2026-01-05 02:15", every: .hours(84))
        guard case .local(let first) = try WrittenInstant(grammar: "2026-01-05 02:15") else { throw Rejected() }
        let handovers = (0..<110).map { turn in
            clock.moment(beginning: CivilTime(day: first.day, secondOfDay: first.secondOfDay + turn * 84 * 3600))
        }
        var turn = 0
        var now = handovers[0]
        while now < handovers[100] {
            while handovers[turn + 1] <= now { turn += 1 }
            let isRight =
                rotation.person(on: now).name == people[turn % 3].name
                && rotation.nextChange(after: now) == handovers[turn + 1]
                && rotation.onCallSince(now, channel: people[turn % 3].name) == handovers[turn]
            if !isRight { Issue.record("\(now): \(rotation.person(on: now).name)") }
            now = now + .minutes(23)
        }
    }
}
