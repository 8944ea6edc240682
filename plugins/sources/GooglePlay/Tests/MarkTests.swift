import PluginKit
import PluginTesting
import Testing

@Suite struct `How far Google Play has come` {
    @Test func `is all that is asked where nothing has moved on`() throws {
        let play = try source()
        let first = Play().play(play, poll(.hours(1)))
        #expect(first.paths.count == 12)
        let second = Play().play(play, poll(.hours(1), cursor: first.report?.cursor, at: now + .minutes(15)))
        #expect(second.report?.outcome == .unchanged)
        #expect(
            second.paths
                == ["crashRateMetricSet", "anrRateMetricSet", "errorCountMetricSet"]
                .map { "apps/com.acme.wallet/\($0)" })
    }

    @Test func `brings what is new, and a little before it again`() throws {
        let play = try source()
        let first = Play().play(play, poll(.hours(1)))
        var server = Play()
        let mark = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
        server.freshness = answer(mark.replacing("\"hours\": 21", with: "\"hours\": 23"))
        let second = server.play(play, poll(.hours(1), cursor: first.report?.cursor, at: now + .hours(2)))
        let question = try #require(second.requests.first { $0.url.description.hasSuffix(":query") })
        #expect(body(question)["timelineSpec"]?["startTime"]?["hours"] == 17)
        #expect(body(question)["timelineSpec"]?["endTime"]?["hours"] == 23)
        #expect(!second.observations.isEmpty)
        // After a week without the bot, no more than at first.
        let late = now + .days(7)
        server.freshness = answer(mark.replacing("\"day\": 20", with: "\"day\": 27"))
        let third = server.play(play, poll(.hours(1), cursor: first.report?.cursor, at: late))
        let begin = third.requests.first { $0.url.description.hasSuffix(":query") }.map(body)
        #expect(begin?["timelineSpec"]?["startTime"]?["day"] == 26)
    }

    /// Figures told again without their ANR rate would lose it, and older ones would pass for how it is now.
    @Test func `is not told again without what a table that is refused had said`() throws {
        let play = try source()
        let first = Play().play(play, poll(.hours(1)))
        let mark = try #require(Moment(rfc3339: "2026-11-20T21:00:00Z"))
        #expect(first.observations.contains { $0.span.to <= mark })
        let freshness = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
        var server = Play()
        server.freshness = answer(freshness.replacing("\"hours\": 21", with: "\"hours\": 23"))
        server.hangs = answer(fixture: "error_400_invalid_argument.json", status: 400)
        let second = server.play(play, poll(.hours(1), cursor: first.report?.cursor, at: now + .hours(2)))
        #expect(!second.observations.contains { $0.span.to <= mark })
        server.hangs = Play().hangs
        let third = server.play(play, poll(.hours(1), cursor: second.report?.cursor, at: now + .hours(3)))
        #expect(third.observations.contains { $0.span.to <= mark })
    }

    @Test func `does not matter where what was read before may be lost`() throws {
        let play = try source()
        let cursor = Play().play(play, poll(.hours(1))).report?.cursor
        let anew = Poll(source: "play", now: now + .minutes(15), cursor: cursor, spans: [.hours(1)], isAnew: true)
        #expect(!Play().play(play, anew).observations.isEmpty)
    }

    @Test func `too long ago is stale`() throws {
        let play = try source()
        let first = Play().play(play, poll(.hours(1)))
        let end = try #require(Moment(rfc3339: "2026-11-20T21:00:00Z"))
        let later = Play().play(play, poll(.hours(1), cursor: first.report?.cursor, at: end + .hours(12)))
        #expect(later.report?.outcome == .unchanged)
        let stale = Play().play(play, poll(.hours(1), cursor: first.report?.cursor, at: end + .hours(12) + .seconds(1)))
        #expect(stale.report?.outcome == .stale(measured: end))
        let patient = try source(["max_age": option(.duration(.days(2)))])
        #expect(!Play().play(patient, poll(.hours(1), at: end + .hours(40))).observations.isEmpty)
        #expect(Play().play(play, poll(.hours(1), at: end + .hours(40))).report?.outcome == .stale(measured: end))
    }

    @Test func `up to which nothing was told, as it was too long ago, is not where the next begins`() throws {
        let play = try source()
        let first = Play().play(play, poll(.hours(1)))
        let end = try #require(Moment(rfc3339: "2026-11-20T21:00:00Z"))
        var server = Play()
        let mark = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
        server.freshness = answer(mark.replacing("\"hours\": 21", with: "\"hours\": 23"))
        let late = server.play(play, poll(.hours(1), cursor: first.report?.cursor, at: end + .hours(15)))
        #expect(late.report?.outcome == .stale(measured: end + .hours(2)))
        server.freshness = answer(
            mark.replacing("\"day\": 20", with: "\"day\": 21").replacing("\"hours\": 21", with: "\"hours\": 11"))
        let caughtUp = server.play(play, poll(.hours(1), cursor: late.report?.cursor, at: end + .hours(16)))
        let begin = caughtUp.requests.first { $0.url.description.hasSuffix(":query") }.map(body)
        #expect(begin?["timelineSpec"]?["startTime"]?["day"] == 20)
        // Four hours before what was told last, and not before what was only seen.
        #expect(begin?["timelineSpec"]?["startTime"]?["hours"] == 17)
        #expect(!caughtUp.observations.isEmpty)
    }

    /// The marks of the app's tables; those that are not named are the fixture's.
    private func marks(_ hours: [String: Int], of app: String = "com.acme.wallet")
        -> @Sendable (HTTPRequest) -> FetchResult
    {
        { request in
            let url = request.url.description
            guard request.method == .get, url.contains("/\(app)/"),
                let hour = hours.first(where: { url.hasSuffix("/\($0.key)") })?.value
            else { return Play().respond(to: request) }
            let mark = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
            return answer(mark.replacing("\"hours\": 21", with: "\"hours\": \(hour)"))
        }
    }

    @Test func `of one table holds up no other, and is told when it is too long ago`() throws {
        let late = PlayedPoll(try source(), poll(.hours(1)), answer: marks(["anrRateMetricSet": 10]))
        let hour = try #require(late.observation(from: "2026-11-20T20:00:00Z"))
        #expect(hour.isComplete)
        #expect(
            late.report?.warnings == [
                "com.acme.wallet: ANR rates end at 2026-11-20T10:00:00Z, more than 12h ago ('max_age')"
            ])
        let little = PlayedPoll(try source(), poll(.hours(1)), answer: marks(["anrRateMetricSet": 15]))
        #expect(little.report?.warnings == [])
    }

    @Test func `of a table that is late has the others read from where it begins`() throws {
        let first = PlayedPoll(try source(), poll(.hours(1)), answer: marks(["anrRateMetricSet": 12]))
        let second = PlayedPoll(
            try source(), poll(.hours(1), cursor: first.report?.cursor),
            answer: marks(["anrRateMetricSet": 13]))
        let questions = second.requests.filter { $0.url.description.hasSuffix(":query") }.map(body)
        #expect(questions.count == 6)
        // Four hours before the mark of noon: an hour told from one table alone would lose what the others said of it.
        #expect(questions.allSatisfy { $0["timelineSpec"]?["startTime"]?["hours"] == 8 })
        // One that has stopped for longer than is read at first, and has nothing new, is left alone.
        let later = PlayedPoll(
            try source(["max_age": option(.duration(.days(7)))]),
            poll(.hours(1), cursor: second.report?.cursor, at: now + .days(1))
        ) { request in
            let url = request.url.description
            guard request.method == .get, !url.contains("errorIssues"), !url.hasSuffix("/anrRateMetricSet") else {
                return marks(["anrRateMetricSet": 13])(request)
            }
            let mark = String(decoding: fixture("crashrate_metric_set.json"), as: UTF8.self)
            return answer(mark.replacing("\"day\": 20", with: "\"day\": 21"))
        }
        #expect(later.paths.allSatisfy { $0 != "apps/com.acme.wallet/anrRateMetricSet:query" })
        #expect(later.paths.contains("apps/com.acme.wallet/crashRateMetricSet:query"))
    }

    @Test func `of one app too long ago is told though the others are up to date`() throws {
        let two = try source(["apps": list("com.acme.shop", "com.acme.wallet")])
        let tables = ["crashRateMetricSet", "anrRateMetricSet", "errorCountMetricSet"]
        let old = Dictionary(uniqueKeysWithValues: tables.map { ($0, 9) })
        let played = PlayedPoll(two, poll(.hours(1)), answer: marks(old, of: "com.acme.shop"))
        #expect(!played.observations.isEmpty)
        #expect(
            played.report?.warnings == [
                "com.acme.shop: all figures end at 2026-11-20T09:00:00Z, more than 12h ago ('max_age')"
            ])
    }

    @Test func `as another config left it says nothing`() throws {
        let cursor = Play().play(try source(), poll(.hours(1))).report?.cursor
        let all = try source(["crashes": option(.text("all"))])
        #expect(Play().play(all, poll(.hours(1), cursor: cursor)).paths.count == 12)
        let days = Play.byDay.play(try daily(), poll(.days(1))).report?.cursor
        #expect(Play.byDay.play(try daily(), poll(.days(1), cursor: days)).report?.outcome == .unchanged)
        // A rule that is new asks for weeks, which are other columns.
        #expect(!Play.byDay.play(try daily(), poll(.days(1), .days(7), cursor: days)).observations.isEmpty)
    }

    @Test(arguments: [
        (#"{"freshnessInfo": {"freshnesses": []}}"#, "$.freshnessInfo.freshnesses: expected a freshness for HOURLY"),
        (#"{"freshnessInfo": {"freshnesses": [{"aggregationPeriod": "HOURLY"}]}}"#, "latestEndTime: expected a value"),
        (
            freshness(#"{"year": 2026, "month": 13, "day": 1, "timeZone": {"id": "UTC"}}"#),
            "expected a date that exists"
        ),
        (
            freshness(#"{"year": 2026, "month": 11, "day": 20, "timeZone": {"id": "Europe/Berlin"}}"#),
            "timeZone.id: expected \"UTC\", found the string \"Europe/Berlin\""
        ),
        (
            freshness(#"{"year": 2026, "month": 11, "day": 20, "hours": 9, "minutes": 30, "timeZone": {"id": "UTC"}}"#),
            "minutes: expected 0"
        ), (freshness(#"{"year": 2027, "month": 1, "day": 1, "timeZone": {"id": "UTC"}}"#), "expected no time to come"),
        ("{}", "$: expected a table with its 'name', found an object"),
    ]) func `in another shape is a failure with its place`(_ written: String, _ words: String) throws {
        let failure = try #require(Play(freshness: answer(written)).play(try source(), poll(.hours(1))).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.hasPrefix("freshness of crash rates of com.acme.wallet: "))
        #expect(failure.description.contains(words), "\(failure)")
    }

    private static func freshness(_ end: String) -> String {
        #"{"freshnessInfo": {"freshnesses": [{"aggregationPeriod": "HOURLY", "latestEndTime": \#(end)}]}}"#
    }
}
