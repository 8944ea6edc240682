import BugsnagSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Counters of releases` {
    private let fiveMinutes = Duration.minutes(5)

    /// Two polls five minutes apart, with these releases.
    private func second(_ before: FetchResult, _ after: FetchResult, pause: Duration = .minutes(5)) throws -> PlayedPoll
    {
        let source = try source()
        let empty = answer(fixture: "stability_trend_no_sessions.json")
        let first = Bugsnag(trend: empty, releases: before, errors: answer("[]")).play(source, poll())
        return Bugsnag(trend: empty, releases: after, errors: answer("[]"))
            .play(source, poll(cursor: first.report?.cursor, at: now + pause))
    }

    @Test func `what came since the last poll is the figure, of each release and of all`() throws {
        let played = try second(
            releases(release("5.4.0", sessions: 1000, crashed: 10), release("5.3.0", sessions: 5000, crashed: 20)),
            releases(release("5.4.0", sessions: 1300, crashed: 19), release("5.3.0", sessions: 5050, crashed: 20)))
        let step = try #require(played.step("5.4.0 (7)"))
        #expect(step.metrics == ["sessions": 300, "crashed_sessions": 9])
        #expect(step.span == TimeSpan(from: now, to: now + fiveMinutes))
        #expect(step.subject.environment == "production")
        #expect(played.step("5.3.0 (7)")?.metrics == ["sessions": 50, "crashed_sessions": 0])
        #expect(played.step()?.metrics == ["sessions": 350, "crashed_sessions": 9])
        #expect(played.observations.last?.subject.release == nil)
    }

    @Test func `a release that is new counts from nothing`() throws {
        let old = release("5.3.0", sessions: 5000, crashed: 20)
        let played = try second(
            releases(old),
            releases(old, release("5.4.0", at: "2026-11-21T00:01:00Z", sessions: 30, crashed: 2)))
        #expect(played.step("5.4.0 (7)")?.metrics == ["sessions": 30, "crashed_sessions": 2])
        #expect(played.step("5.4.0 (7)")?.span.length == fiveMinutes)
        #expect(played.step()?.metrics == ["sessions": 30, "crashed_sessions": 2])
        #expect(played.step("5.3.0 (7)") == nil, "nobody used it, which says nothing")
    }

    @Test func `a young one is told with its whole life at first, and an old one is not`() throws {
        let played = Bugsnag().play(try source(), poll())
        let young = try #require(played.step("5.4.0 (5401)"))
        #expect(young.metrics == ["sessions": 41_875, "crashed_sessions": 1046])
        #expect(young.span.from == Moment(rfc3339: "2026-11-20T17:31:00Z"))
        #expect(played.step("5.3.0 (5300)") == nil)
        #expect(played.step() == nil, "the whole is not known over any one stretch")
    }

    @Test func `one that comes back into sight is no news`() throws {
        let seen = release("5.4.0", sessions: 10, crashed: 1)
        let played = try second(
            releases(seen),
            releases(release("5.4.0", sessions: 20, crashed: 1), release("4.0.0", sessions: 90_000, crashed: 900)))
        #expect(played.step("4.0.0 (7)") == nil)
        #expect(played.step("5.4.0 (7)")?.metrics[.sessions] == 10)
        #expect(played.step() == nil, "the sum would lack it")
    }

    @Test func `counts that fall are a correction and no figure`() throws {
        for (sessions, crashed) in [(900, 10), (1010, 9), (0, 0)] {
            let played = try second(
                releases(release("5.4.0", sessions: 1000, crashed: 10), release("5.3.0", sessions: 50, crashed: 1)),
                releases(
                    release("5.4.0", sessions: sessions, crashed: crashed), release("5.3.0", sessions: 60, crashed: 1)))
            #expect(played.step("5.4.0 (7)") == nil)
            #expect(played.step("5.3.0 (7)")?.metrics[.sessions] == 10)
            #expect(played.step() == nil)
            #expect(played.report?.notes.first?.contains("has corrected its counts of 5.4.0 (7)") == true)
        }
    }

    @Test func `after a correction it goes on from there`() throws {
        let source = try source()
        var cursor: JSON?
        var found: [Double?] = []
        for (minute, count) in [(0, 1000), (5, 400), (10, 450)] {
            let served = Bugsnag(releases: releases(release("5.4.0", sessions: count, crashed: 0)))
            let played = served.play(source, poll(cursor: cursor, at: now + .minutes(Int64(minute))))
            cursor = played.report?.cursor
            found.append(played.step("5.4.0 (7)")?.metrics[.sessions])
        }
        #expect(found == [nil, nil, 50])
    }

    @Test func `crashes that are told of later than their sessions wait for the next`() throws {
        let source = try source()
        var cursor: JSON?
        var found: [Metrics?] = []
        for (minute, sessions, crashed) in [(0, 1000, 10), (5, 1003, 20), (10, 1010, 20), (15, 1020, 20)] {
            let served = Bugsnag(releases: releases(release("5.4.0", sessions: sessions, crashed: crashed)))
            let played = served.play(source, poll(cursor: cursor, at: now + .minutes(Int64(minute))))
            cursor = played.report?.cursor
            found.append(played.step("5.4.0 (7)")?.metrics)
        }
        #expect(
            found == [
                nil, ["sessions": 3, "crashed_sessions": 3], ["sessions": 7, "crashed_sessions": 7],
                ["sessions": 10, "crashed_sessions": 0],
            ])
    }

    @Test func `two builds of one name are one release, and other stages are none`() throws {
        let played = try second(
            releases(
                release("5.4.0", id: "a", sessions: 10, crashed: 0), release("5.4.0", id: "b", sessions: 20, crashed: 0)
            ),
            releases(
                release("5.4.0", id: "a", sessions: 15, crashed: 1),
                release("5.4.0", id: "b", sessions: 27, crashed: 2),
                release("5.4.0", id: "c", sessions: 99, crashed: 9, stage: "beta")))
        #expect(played.step("5.4.0 (7)")?.metrics == ["sessions": 12, "crashed_sessions": 3])
        #expect(played.observations.filter { $0.subject.release != nil }.count == 1)
        #expect(played.step()?.metrics[.sessions] == 12)
    }

    @Test func `one that stands on two pages is counted once, as it was read last`() throws {
        let source = try source()
        let served = Bugsnag(
            trend: answer(fixture: "stability_trend_no_sessions.json"),
            releases: releases(
                release("5.4.0", sessions: 1000, crashed: 10), release("5.3.0", sessions: 50, crashed: 2)),
            errors: answer("[]"))
        let first = served.play(source, poll())
        let next = [(name: "Link", value: "<https://api.bugsnag.com/projects/1/releases?offset=10>; rel=\"next\"")]
        // A release came out after the first page was read.
        let pages = [
            release("5.4.0", sessions: 1100, crashed: 12),
            release("5.4.0", sessions: 1104, crashed: 13) + "," + release("5.3.0", sessions: 60, crashed: 2),
        ]
        let second = PlayedPoll(source, poll(cursor: first.report?.cursor, at: now + fiveMinutes)) { request in
            let url = request.url.description
            guard url.contains("/releases") else { return served.respond(to: request) }
            return url.contains("offset=10") ? answer("[\(pages[1])]") : answer("[\(pages[0])]", headers: next)
        }
        #expect(second.step("5.4.0 (7)")?.metrics == ["sessions": 104, "crashed_sessions": 3])
        #expect(second.step()?.metrics == ["sessions": 114, "crashed_sessions": 3])
        let third = Bugsnag(
            trend: served.trend, releases: releases(release("5.4.0", sessions: 1110, crashed: 13)),
            errors: served.errors
        ).play(source, poll(cursor: second.report?.cursor, at: now + .minutes(10)))
        #expect(third.step("5.4.0 (7)")?.metrics == ["sessions": 6, "crashed_sessions": 0])
    }

    @Test func `a clock that was set back, or a week without the bot, begins anew`() throws {
        let (before, after) = (
            releases(release("5.4.0", sessions: 10, crashed: 0)), releases(release("5.4.0", sessions: 90, crashed: 0))
        )
        for pause in [Duration.minutes(-5), .zero, .days(8)] {
            #expect(try second(before, after, pause: pause).observations.isEmpty)
        }
        #expect(try second(before, after, pause: .days(6)).step("5.4.0 (7)")?.metrics[.sessions] == 80)
    }

    @Test func `a crash that is counted before its session spoils nothing`() throws {
        let played = try second(
            releases(release("5.4.0", sessions: 1, crashed: 2), release("5.3.0", sessions: 5000, crashed: 20)),
            releases(release("5.4.0", sessions: 4, crashed: 2), release("5.3.0", sessions: 5050, crashed: 21)))
        #expect(played.step("5.4.0 (7)")?.metrics == ["sessions": 3, "crashed_sessions": 1])
        #expect(played.step()?.metrics == ["sessions": 53, "crashed_sessions": 2])
    }

    @Test func `a plan without stability monitoring is named`() throws {
        let bare = answer(
            #"[{"id": "1", "app_version": "5", "release_time": "2026-11-20T00:00:00Z", "release_stage": {"name": "production"}}]"#
        )
        let played = Bugsnag(releases: bare).play(try source(), poll())
        #expect(played.report?.warnings.first?.contains("the organization's plan lacks stability monitoring") == true)
        #expect(!played.observations.isEmpty)
    }

    @Test(arguments: [
        release("5.3.0", sessions: 5, crashed: 9), release("5.3.0", at: "", sessions: 50, crashed: 1), "7",
        release("5.3.0", sessions: 50, crashed: 1).replacing("_code\": null", with: "_code\": 540"),
    ]) func `one that makes no sense is named and left out, and the whole with it`(_ odd: String) throws {
        let old = release("5.2.0", sessions: 70, crashed: 7)
        let played = try second(
            releases(release("5.4.0", sessions: 1000, crashed: 10), old),
            releases(release("5.4.0", sessions: 1300, crashed: 19), odd, old))
        #expect(played.step("5.4.0 (7)")?.metrics == ["sessions": 300, "crashed_sessions": 9])
        #expect(played.step() == nil, "the sum would lack it")
        let warning = try #require(played.report?.warnings.first)
        #expect(warning.hasPrefix("releases of wallet-android: a release is left out: $[1]"), "\(warning)")
        #expect(played.report?.unread == .apps(["wallet-android"]))
        #expect(played.report?.missing?.description == warning)
    }

    @Test func `where they cannot be read, the errors are read all the same`() throws {
        let played = Bugsnag(releases: answer("{}")).play(try source(), poll())
        #expect(played.observations.flatMap(\.issues).count == 2)
        #expect(played.report?.warnings.first?.hasPrefix("releases of wallet-android: the answer is not what") == true)
        #expect(played.report?.unread == .apps(["wallet-android"]))
    }

    @Test(arguments: [
        (release("5", sessions: 5, crashed: 8), "unhandled_sessions_count: expected at most the 5 of"),
        (release("5", sessions: -5, crashed: 6), "total_sessions_count: expected a count, 0 or more, found -5"),
        (release("5", at: "yesterday", sessions: 5, crashed: 6), "release_time: expected an instant"),
        (release("", id: "x", sessions: 5, crashed: 5), "app_version: expected a string that is not empty"),
        ("{}", "$[0].id: expected a value"), ("7", "$[0]: expected an object, found 7"),
    ]) func `a release of another shape is a failure with its place`(_ written: String, _ words: String) throws {
        let played = Bugsnag(
            trend: answer(fixture: "stability_trend_no_sessions.json"), releases: releases(written),
            errors: answer("[]")
        ).play(try source(), poll())
        let failure = try #require(played.failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.hasPrefix("releases of wallet-android: the answer is not what was expected: "))
        #expect(failure.description.contains(words), "\(failure)")
    }
}
