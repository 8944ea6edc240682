import PluginKit
import PluginTesting
import Testing

@testable import SimulatorSource

private let position = Position(line: 3, column: 5)
/// A Wednesday noon.
private let noon = Moment(milliseconds: 1_795_003_200_000)

private func source(
    seed: Int = 1, users: Int = 20_000, speed: Int = 120, apps: [String]? = nil
) throws -> SimulatorSource {
    var values: [String: Option] = [
        "seed": Option(.integer(seed), at: position), "users": Option(.integer(users), at: position),
        "speed": Option(.integer(speed), at: position),
    ]
    values["apps"] = apps.map { Option(.list($0.map { Option(.text(GuardedText($0)), at: position) }), at: position) }
    return try SimulatorSource(
        options: Options(name: "demo", position: position, values: values),
        context: SourceContext(name: "demo", folder: "/etc/alertbot", every: .seconds(5)))
}

/// What a poll at `moment` gives, when the first one was at `start`.
private func observations(
    _ source: SimulatorSource, at moment: Moment, since start: Moment, spans: [Duration] = [.minutes(2)]
) throws -> [Observation] {
    let poll = Poll(source: "demo", now: moment, cursor: ["start": JSON(start)], spans: spans)
    let report = try #require(PlayedPoll(source, poll) { _ in .failed(unwanted) }.report)
    guard case .values(let observations) = report.outcome else {
        Testing.Issue.record("no values but \(report.outcome)")
        return []
    }
    return observations
}

private let unwanted = TransportError(.other, mayHaveArrived: false, "the simulator calls nobody")

private func crashFree(_ observation: Observation) -> Double {
    observation.metrics.figure(.crashFreeUsers)?.value ?? .nan
}

@Suite struct `A simulated world` {
    @Test func `it conforms to what every source must do`() throws {
        for spans: [Duration] in [[.minutes(2)], [.minutes(5), .hours(1), .days(1)], [.milliseconds(1)]] {
            let poll = Poll(source: "demo", now: noon, cursor: nil, spans: spans)
            let conformance = SourceConformance(try source(), poll: poll) { _ in .failed(unwanted) }
            #expect(conformance.violations() == [])
        }
    }

    @Test func `the first poll is remembered as the start`() throws {
        let source = try source()
        let poll = Poll(source: "demo", now: noon, cursor: nil, spans: [.minutes(2)])
        let report = PlayedPoll(source, poll) { _ in .failed(unwanted) }.report
        #expect(report?.cursor == ["start": JSON(noon)])
        let later = Poll(source: "demo", now: noon + .hours(1), cursor: report?.cursor, spans: [.minutes(2)])
        #expect(PlayedPoll(source, later) { _ in .failed(unwanted) }.report?.cursor == ["start": JSON(noon)])
    }

    @Test func `the same seed and times give the same bytes, another seed other ones`() throws {
        func bytes(seed: Int) throws -> String {
            try observations(
                source(seed: seed), at: noon + .seconds(95), since: noon, spans: [.minutes(2), .hours(1)]
            ).map { ObservationLine.observed($0).json.text }.joined(separator: "\n")
        }
        #expect(try bytes(seed: 1) == bytes(seed: 1))
        #expect(try bytes(seed: 1) != bytes(seed: 2))
    }

    @Test func `each app is observed over each span, ending now`() throws {
        let seen = try observations(source(), at: noon, since: noon, spans: [.minutes(2), .hours(1)])
        #expect(
            seen.map { "\($0.subject.app) \($0.span.length.grammar)" } == [
                "shop-ios 2m", "shop-ios 1h", "shop-android 2m", "shop-android 1h",
            ])
        #expect(seen.allSatisfy { $0.span.to == noon && $0.seen == noon && $0.subject.source == "demo" })
        #expect(seen.allSatisfy { $0.subject.release == nil })
    }

    @Test(arguments: UInt64(1)...5)
    func `a longer span holds all that a shorter one does`(_ seed: UInt64) throws {
        let spans: [Duration] = [.seconds(7), .minutes(1), .minutes(2), .minutes(30), .hours(6), .days(2)]
        let moment = noon + .seconds(Int64(seed) * 1234)
        let seen = try observations(source(seed: Int(seed), apps: ["a"]), at: moment, since: noon, spans: spans)
        for (short, long) in zip(seen, seen.dropFirst()) {
            for entry in short.metrics.entries {
                #expect(entry.value <= (long.metrics[entry.name] ?? -1), "\(entry.name), seed \(seed)")
            }
        }
        for observation in seen {
            let metrics = observation.metrics
            #expect((metrics[.users] ?? 1) <= (metrics[.sessions] ?? 0))
            #expect((metrics[.crashedUsers] ?? 1) <= (metrics[.crashedSessions] ?? 0))
        }
    }

    @Test func `sessions of neighbouring spans add up`() throws {
        let source = try source(apps: ["a"])
        func sessions(_ moment: Moment, _ span: Duration) throws -> Double {
            try observations(source, at: moment, since: noon, spans: [span])[0].metrics[.sessions] ?? -1
        }
        let whole = try sessions(noon + .seconds(333), .seconds(300))
        let halves = try sessions(noon + .seconds(333), .seconds(133)) + sessions(noon + .seconds(200), .seconds(167))
        #expect(whole == halves)
        #expect(whole > 0)
    }

    @Test func `a day has about the users asked for, whatever the speed`() throws {
        for (speed, span) in [(1, Duration.days(1)), (120, .minutes(12)), (3600, .seconds(24))] {
            // A day before the start, in which no release went wrong.
            let seen = try observations(source(speed: speed), at: noon, since: noon, spans: [span])
            let users = try #require(seen[0].metrics[.users])
            // The tick grid cuts up to a fifth of the shortest span.
            #expect((15_000...23_500).contains(users), "speed \(speed)")
        }
    }

    @Test func `evenings are livelier than early mornings, and Saturdays than Mondays`() throws {
        let source = try source(speed: 1)
        func sessions(day: Int, hour: Int64) throws -> Double {
            // 2026-11-16, a Monday.
            let moment = Moment(milliseconds: 1_794_787_200_000) + .days(Int64(day)) + .hours(hour)
            return try observations(source, at: moment, since: noon + .days(30), spans: [.hours(1)])[0]
                .metrics[.sessions] ?? -1
        }
        for day in 0..<7 { #expect(try sessions(day: day, hour: 20) > 2 * sessions(day: day, hour: 6)) }
        #expect(try sessions(day: 5, hour: 20) > 1.05 * sessions(day: 0, hour: 20))
        #expect((0..<7).map { Rhythm.activity(at: Double($0) * 86_400) }.allSatisfy { $0 > 0.3 && $0 < 1.7 })
    }

    @Test func `a simulated year has no flaw`() throws {
        let source = try source(seed: 7)
        // 365 days at 120 times the speed are three real days; a poll every 20 minutes sees every third hour or so.
        for minute in stride(from: 0, to: Int64(365 * 24 * 60 / 120), by: 20) {
            for seen in try observations(source, at: noon + .minutes(minute), since: noon) {
                #expect(seen.metrics.flaw == nil)
                #expect((0.92...1).contains(crashFree(seen)), "after \(minute) minutes")
                #expect(seen.issues.count <= KnownIssue.titles.count + 1)
            }
        }
    }

    @Test func `tiny worlds, fast worlds and empty spans have no flaw either`() throws {
        for (users, speed) in [(1, 1), (1, 3600), (50, 60), (10_000_000, 3600)] {
            for second in [Int64(0), 3, 61, 3601] {
                let seen = try observations(
                    source(users: users, speed: speed), at: noon + .seconds(second), since: noon,
                    spans: [.milliseconds(1), .seconds(30), .hours(1)])
                for observation in seen { #expect(observation.metrics.flaw == nil, "\(users) users, speed \(speed)") }
            }
        }
    }

    @Test func `a cursor from the future or of another kind does no harm`() throws {
        let source = try source()
        #expect(try observations(source, at: noon - .days(400), since: noon).count == 2)
        for cursor: JSON in [.null, 7, ["start": "yesterday"], ["start": 5]] {
            let poll = Poll(source: "demo", now: noon, cursor: cursor, spans: [.minutes(2)])
            #expect(PlayedPoll(source, poll) { _ in .failed(unwanted) }.report?.cursor == ["start": JSON(noon)])
        }
    }

    @Test(arguments: [
        ([], "'apps' needs names"), ([""], "'apps' needs names"), (["a", "a"], "'apps' names an app twice"),
        ((0...50).map { "app\($0)" }, "'apps' names 51 apps, more than 50"),
    ])
    func `a wrong list of apps is reported`(_ apps: [String], _ message: String) {
        #expect(throws: ProblemList(position, message)) { try source(apps: apps) }
    }
}
