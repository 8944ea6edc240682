import Chance
import PluginKit
import PluginTesting
import Testing

@testable import HTTPJSONSource

@Suite struct `A conversation` {
    private let flat = #"{"users":10,"at":"2026-11-21T00:00:00Z"}"#

    @Test func `it conforms to what every source must do`() throws {
        let source = try HTTPJSONSource(
            options: Options(
                name: "own-dashboard", position: place,
                values: [
                    "url": Option(.text("https://stats.example.com/x?key=\(Secret("s3cret-key"))"), at: place),
                    "headers": Option(
                        .map([("Authorization", Option(.text("Bearer \(Secret("s3cret-token"))"), at: place))]),
                        at: place),
                    "app": Option(.text("wallet"), at: place),
                    "map": Option(.map([("users", Option(.text("$.users"), at: place))]), at: place),
                ]), context: context)
        let flat = flat
        let conformance = SourceConformance(source, poll: poll(), secrets: ["s3cret-key", "s3cret-token"]) { _ in
            json(flat)
        }
        #expect(conformance.violations() == [])
    }

    @Test func `the request carries what the options say`() throws {
        let options = options(
            ["method": "POST", "body": "{\"days\":1}", "app": "a"],
            maps: ["map": ["users": "$.n"], "headers": ["X-Team": "ops", "content-type": "application/vnd.x+json"]])
        let source = try HTTPJSONSource(options: options, context: context)
        let request = try #require(PlayedPoll(source, poll()) { _ in json(flat) }.requests.first)
        #expect(request.method == .post)
        #expect(
            request.headers == [HTTPRequest.Header("X-Team", "ops"), HTTPRequest.Header("Accept", "application/json")])
        #expect(request.body == .text("{\"days\":1}", contentType: "application/vnd.x+json"))
        #expect(!request.allowsPlainHTTP)
    }

    @Test func `the same answer again is unchanged, another one is not`() throws {
        let source = try source(["app": "a"], map: ["users": "$.users"])
        let first = PlayedPoll(source, poll()) { _ in json(flat) }
        #expect(first.requests.map(\.isConditional) == [false])
        #expect(first.requests.map(\.keepsValidators) == [true])
        let cursor = try #require(first.report?.cursor)
        let second = PlayedPoll(source, poll(cursor: cursor)) { _ in json(flat) }
        #expect(second.requests.map(\.isConditional) == [true])
        #expect(second.report?.outcome == .unchanged)
        #expect(try report(source, json("", status: 304), cursor: cursor).outcome == .unchanged)
        #expect(try report(source, json(#"{"users":11}"#), cursor: cursor).summary == "a users=11")
    }

    @Test func `the same answer again is taken in where what it said before may be lost`() throws {
        let source = try source(["app": "a"], map: ["users": "$.users"])
        let cursor = try report(source, json(flat)).cursor
        let anew = Poll(source: "own-dashboard", now: now, cursor: cursor, spans: [.hours(1)], isAnew: true)
        let played = PlayedPoll(source, anew) { _ in json(flat) }
        #expect(played.requests.map(\.isConditional) == [false])
        #expect(played.report?.summary == "a users=10")
        #expect(played.report?.cursor == cursor)
    }

    @Test func `other options make old answers new`() throws {
        let cursor = try report(source(["app": "a"], map: ["users": "$.users"]), json(flat)).cursor
        let other = try source(["app": "a"], map: ["load": "$.users"])
        let played = PlayedPoll(other, poll(cursor: cursor)) { _ in json(flat) }
        #expect(played.requests.map(\.isConditional) == [false])
        #expect(played.report?.summary == "a load=10")
    }

    @Test(arguments: ["{}", "[", #"{"users":null}"#])
    func `after an answer without figures the next is asked for whole`(_ body: String) throws {
        let source = try source(["app": "a"], map: ["users": "$.users"])
        let good = try report(source, json(flat)).cursor
        let cursor = try #require(report(source, json(body), cursor: good).cursor)
        let next = PlayedPoll(source, poll(cursor: cursor)) { _ in json(flat) }
        #expect(next.requests.map(\.isConditional) == [false])
        #expect(next.report?.summary == "a users=10")
    }

    @Test func `the same answer without figures again is as before, and says of none that they hold`() throws {
        let source = try source(["app": "a", "each": "$.apps[*]"], map: ["users": "$.users"])
        func answer(_ body: String, after before: PollReport? = nil) throws -> PollReport {
            try report(source, json(body), cursor: before?.cursor)
        }
        let empty = #"{"apps":[]}"#
        let first = try answer(empty)
        let second = try answer(empty, after: first)
        let other = try answer(#"{"apps": []}"#, after: second)
        #expect([first, second, other].map(\.summary) == ["no data", "no data", "no data"])
        #expect([first, second, other].map(\.isAsBefore) == [false, true, false])
        let figures = try answer(#"{"apps":[{"users":10}]}"#, after: second)
        #expect(figures.summary == "a users=10")
        #expect(try !answer(empty, after: figures).isAsBefore)
        // What is asked for whole is no "not modified".
        let played = PlayedPoll(source, poll(cursor: second.cursor)) { _ in json(empty) }
        #expect(played.requests.map(\.isConditional) == [false])
    }

    @Test func `a failure on the way keeps the cursor`() throws {
        let source = try source(["app": "a"], map: ["users": "$.users"])
        let cursor = try report(source, json(flat)).cursor
        #expect(try report(source, json("", status: 500), cursor: cursor).cursor == nil)
    }

    @Test func `not modified is no answer to a first request`() throws {
        let source = try source(["app": "a"], map: ["users": "$.users"])
        #expect(
            try report(source, json("", status: 304)).summary
                == "bad_answer: the source answered 304 (not modified) to a first request")
    }

    @Test func `figures grow stale, also behind answers that do not change`() throws {
        let source = try source(["app": "a", "max_age": "1h"], map: ["users": "$.users", "to": "$.at"])
        let measured = try #require(Moment(rfc3339: "2026-11-21T00:00:00Z"))
        let fresh = try report(source, json(flat))
        #expect(fresh.summary == "a users=10")
        let atLast = measured + .hours(1)
        let late = atLast + .milliseconds(1)
        #expect(try report(source, json(flat), at: atLast).summary == "a users=10")
        #expect(try report(source, json(flat), at: late).outcome == .stale(measured: measured))
        #expect(try report(source, json("", status: 304), at: atLast, cursor: fresh.cursor).outcome == .unchanged)
        #expect(
            try report(source, json("", status: 304), at: late, cursor: fresh.cursor).outcome
                == .stale(measured: measured))
        #expect(try report(source, json(flat), at: late, cursor: fresh.cursor).outcome == .stale(measured: measured))
    }

    @Test func `an app that is measured no more is named while others are`() throws {
        let source = try source(
            ["each": "$[*]", "max_age": "1h"], map: ["app": "$.a", "users": "$.n", "to": "$.t"])
        let body = #"[{"a":"old","n":1,"t":"2026-11-20T20:00:00Z"},{"a":"new","n":2,"t":"2026-11-21T00:00:00Z"}]"#
        let report = try report(source, json(body))
        #expect(report.summary == "new users=2")
        #expect(report.warnings == ["the figures of old are older than 1h"])
        #expect(report.unread == .apps(["old"]))
    }

    @Test func `a problem is reported in its own words`() throws {
        let source = try source(["app": "a"], map: ["users": "$.users"])
        let headers = [("Content-Type", "application/problem+json"), ("Retry-After", "30")]
        let response = HTTPResponse(
            status: 429, headers: headers, body: Array(text(fixture: "problem_details.json").utf8))
        let expected = PollFailure(
            .rateLimited, "the source answered 429: Quota exhausted: Try again in 30 seconds",
            retryAt: now + .seconds(30))
        #expect(try report(source, .answered(response)).outcome == .failed(expected))
    }

    @Test func `mutated answers never trap and never give figures that make no sense`() throws {
        var generator = SeededRandom(printedFor: "mutated answers")
        let sources: [(String, HTTPJSONSource)] = [
            (
                "flat",
                try source(map: [
                    "app": "$.app", "release": "$.release", "crash_free_users": "$.crash_free_users",
                    "users": "$.sessions",
                    "to": "$.measured_at",
                ])
            ),
            (
                "nested_rows",
                try source(
                    ["each": "$..rows[*]", "max_age": "1h", "measured": "$.meta.generated"],
                    map: [
                        "app": "$.app.id", "release": "$.version", "sessions": "$.stability.sessions | commas",
                        "crash_free_sessions": "$.stability.crashFreeSessionsPct | percent",
                    ])
            ),
            (
                "issues",
                try source(
                    ["app": "a"], map: ["users": "$.items[0].users"],
                    issues: [
                        "each": "$.items[*]", "id": "$.key", "events": "$.events", "first_seen": "$.first",
                        "url": "$['a/b'].x | missing no_data",
                    ])
            ),
            ("bare_array", try source(["app": "a", "each": "$[*]"], map: ["crash_free_users": "$.v", "to": "$.t"])),
            ("bare_number", try source(["app": "a"], map: ["crash_free_users": "$ | percent"])),
        ]
        let scraps = [
            "null", "-1", "1e400", "\"NaN\"", "[]", "{}", "\"\"", "99999999999999999999", "<html>", "}", "\"", ",",
        ]
        var readCount = 0
        for (name, source) in sources {
            let bytes = Array(text(fixture: "\(name).json").utf8)
            for _ in 0..<1500 {
                var mutated = bytes
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    guard !mutated.isEmpty else { continue }
                    let start = Int.random(in: 0..<mutated.count, using: &generator)
                    let end = min(mutated.count, start + Int.random(in: 0...8, using: &generator))
                    let scrap =
                        Bool.random(using: &generator)
                        ? Array((scraps.randomElement(using: &generator) ?? "").utf8)
                        : [UInt8.random(in: 0...255, using: &generator)]
                    mutated.replaceSubrange(start..<end, with: scrap)
                }
                let result = FetchResult.answered(HTTPResponse(status: 200, body: mutated))
                guard case .values(let seen) = try report(source, result).outcome else { continue }
                readCount += 1
                #expect(!seen.isEmpty)
                for observation in seen {
                    #expect(observation.metrics.flaw == nil)
                    // Of issues no figures need be known.
                    #expect(!observation.metrics.isEmpty || !observation.issues.isEmpty)
                    #expect(!observation.subject.app.isEmpty)
                }
            }
        }
        #expect(readCount > 100, "only \(readCount) answers could be read, so nearly nothing is tested")
    }
}
