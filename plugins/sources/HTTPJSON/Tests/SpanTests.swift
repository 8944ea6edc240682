import PluginKit
import PluginTesting
import Testing

@testable import HTTPJSONSource

@Suite struct `The span asked for` {
    private func play(
        _ source: HTTPJSONSource, spans: [Duration], cursor: JSON? = nil, _ body: String = #"{"n":5}"#
    ) -> PlayedPoll {
        PlayedPoll(source, Poll(source: "own-dashboard", now: now + .milliseconds(250), cursor: cursor, spans: spans)) {
            _ in json(body)
        }
    }

    private func spans(_ played: PlayedPoll) -> [String] {
        guard case .values(let observations)? = played.report?.outcome else { return [] }
        return observations.map { "\($0.span.from) \($0.span.to)" }
    }

    @Test(arguments: [
        ("{from}", "2026-11-20T23:01:00Z"), ("{from:rfc3339}", "2026-11-20T23:01:00Z"),
        ("{to}", "2026-11-21T00:01:00Z"),
        ("{from:seconds}", "1795215660"), ("{to:milliseconds}", "1795219260000"), ("{app}", "{app}"), ("{}", "{}"),
        ("{from", "{from"), ("{ from }", "{ from }"), ("{{from:seconds}}", "{1795215660}"),
    ])
    func `it is written as the service wants it`(_ written: String, _ expected: String) throws {
        let source = try source(
            ["method": "POST", "body": "x \(written)", "app": "a"], map: ["users": "$.n"],
            headers: ["Content-Type": "text/plain", "X-From": "\(written)"])
        let request = try #require(play(source, spans: [.hours(1)]).requests.first)
        #expect(request.wireBody().map { String(decoding: $0.bytes, as: UTF8.self) } == "x \(expected)")
        #expect(request.headers.first { $0.name == "X-From" }?.value.reveal() == expected)
    }

    @Test(arguments: [
        // The poll is at 00:01:00.250.
        (["measured": "$.at"], "2026-11-21T00:01:01Z", "2026-11-20T23:01:00.250Z 2026-11-21T00:01:00.250Z", true),
        (["measured": "$.at"], "2026-11-21T00:05:59Z", "2026-11-20T23:01:00.250Z 2026-11-21T00:01:00.250Z", true),
        (["measured": "$.at"], "2026-11-21T00:00:59Z", "2026-11-20T23:00:59Z 2026-11-21T00:00:59Z", true),
        (["to": "$.at"], "2026-11-21T00:31:00Z", "2026-11-20T23:31:00Z 2026-11-21T00:31:00Z", false),
        (["to": "$.at"], "2026-11-21T00:01:01Z", "2026-11-20T23:01:00.250Z 2026-11-21T00:01:00.250Z", true),
        // An hour that is not over.
        (["from": "$.from", "to": "$.at"], "2026-11-21T00:05:00Z", "2026-11-20T23:05:00Z 2026-11-21T00:05:00Z", false),
    ])
    func `a service's now is ours, though it says it later and its clock need not agree`(
        _ mapped: [String: String], _ at: String, _ expected: String, _ isComplete: Bool
    ) throws {
        var map: [(String, Option)] = [("users", Option(.text("$.n"), at: place))]
        for name in ["from", "to"] {
            if let path = mapped[name] { map.append((name, Option(.text(GuardedText(path)), at: place))) }
        }
        var texts = ["app": "a", "span": "1h"]
        texts["measured"] = mapped["measured"]
        let source = try HTTPJSONSource(
            options: options(texts, adding: ["map": Option(.map(map), at: place)]), context: context)
        let played = play(source, spans: [.hours(1)], #"{"n":5,"at":"\#(at)","from":"2026-11-20T23:05:00Z"}"#)
        #expect(spans(played) == [expected])
        guard case .values(let observations)? = played.report?.outcome else { return }
        #expect(observations.map(\.isComplete) == [isComplete])
    }

    @Test(arguments: [("2026-11-21T01:01:01Z", false), ("2026-11-21T02:01:00Z", false), ("2026-11-21T01:01:00Z", true)])
    func `figures that were measured in the future fail the poll, for none of them would be kept`(
        _ at: String, _ isRead: Bool
    ) throws {
        let whole = try source(["app": "a", "span": "1d", "measured": "$.at"], map: ["users": "$.n"])
        let expected =
            "bad_answer: the answer is not what was expected: $.at: expected a moment for 'measured' that is not after now "
            + "(\(now)), found \(at); a clock or a time zone may be wrong"
        #expect(try report(whole, json(#"{"n":5,"at":"\#(at)"}"#)).summary == (isRead ? "a users=5" : expected))
        // Whose rows say what they cover does not need to know.
        let bucket = try source(["app": "a", "measured": "$.at"], map: ["users": "$.n", "to": "$.to"])
        let body = #"{"n":5,"at":"\#(at)","to":"2026-11-21T00:00:00Z"}"#
        #expect(try report(bucket, json(body)).summary == "a users=5")
    }

    /// Days by the calendar, of which the newest is never over.
    @Test func `a row that is not over for more than an hour waits until it is, and says so where there is no other`()
        throws
    {
        let days = try source(["app": "a", "each": "$[*]"], map: ["users": "$.n", "from": "$.from", "to": "$.to"])
        func row(_ from: Moment, _ length: Duration) -> String {
            #"{"n":5,"from":"\#(from)","to":"\#(from + length)"}"#
        }
        let yesterday = row(now - .hours(37), .days(1))
        let today = row(now - .hours(13), .days(1))
        #expect(try report(days, json("[\(yesterday),\(today)]")).summary == "a users=5")
        let alone = try report(days, json("[\(today)]"))
        #expect(alone.outcome == .noData)
        #expect(
            alone.warnings == [
                "no row covers a span that is over yet: none counts before \(now + .hours(11))"
            ])
        // Half of what there is is no bad answer, though half of what is over is.
        let bad = #"{"n":-5,"from":"\#(now - .hours(37))","to":"\#(now - .hours(13))"}"#
        #expect(try report(days, json("[\(yesterday),\(bad),\(bad),\(today)]")).summary == "a users=5")
        // With today's figures there, the source is not behind.
        let young = try source(
            ["app": "a", "each": "$[*]", "max_age": "6h"], map: ["users": "$.n", "from": "$.from", "to": "$.to"])
        #expect(try report(young, json("[\(yesterday),\(today)]")).outcome == .noData)
        // The last hour of a day is as good as over.
        guard case .values(let observations) = try report(days, json("[\(row(now - .hours(23), .days(1)))]")).outcome
        else {
            Testing.Issue.record("no values")
            return
        }
        #expect(observations.map(\.isComplete) == [false])
    }

    @Test(arguments: [Duration.minutes(30), .hours(11)])
    func `an answer with a row that is not over is read again, though it stays the same`(_ ahead: Duration) throws {
        let source = try source(["app": "a", "each": "$[*]"], map: ["users": "$.n", "from": "$.from", "to": "$.to"])
        let rows = [now - .days(1), now + ahead].map { #"{"n":5,"from":"\#($0 - .days(1))","to":"\#($0)"}"# }
        let body = json("[\(rows.joined(separator: ","))]")
        func play(_ cursor: JSON?, at moment: Moment) -> PollReport? {
            PlayedPoll(source, Poll(source: "own-dashboard", now: moment, cursor: cursor, spans: [.days(1)])) { _ in
                body
            }.report
        }
        let first = play(nil, at: now)
        guard case .values(let later)? = play(first?.cursor, at: now + .hours(12))?.outcome else {
            Testing.Issue.record("it is said to be as before")
            return
        }
        #expect(later.map(\.isComplete) == [true, true])
    }

    @Test func `in an address it is encoded`() throws {
        let source = try source(
            ["url": "https://stats.example.com/q?from={from}&to={to:seconds}", "app": "a"], map: ["users": "$.n"])
        let played = play(source, spans: [.hours(1), .days(1)])
        #expect(
            played.requests.map { $0.url.reveal() } == [
                "https://stats.example.com/q?from=2026-11-20T23%3A01%3A00Z&to=1795219260",
                "https://stats.example.com/q?from=2026-11-20T00%3A01%3A00Z&to=1795219260",
            ])
        #expect(
            spans(played) == ["2026-11-20T23:01:00Z 2026-11-21T00:01:00Z", "2026-11-20T00:01:00Z 2026-11-21T00:01:00Z"])
    }

    @Test func `whole days are asked for where days are written`() throws {
        let source = try source(
            ["url": "https://stats.example.com/q?from={from:date}&to={to:last_date}", "app": "a"],
            map: ["users": "$.n"])
        let played = play(source, spans: [.hours(1), .hours(6), .days(7)])
        #expect(
            played.requests.map { $0.url.reveal().drop { $0 != "?" } } == [
                "?from=2026-11-20&to=2026-11-20", "?from=2026-11-14&to=2026-11-20",
            ])
        #expect(
            spans(played) == ["2026-11-20T00:00:00Z 2026-11-21T00:00:00Z", "2026-11-14T00:00:00Z 2026-11-21T00:00:00Z"])
    }

    @Test func `a span in the config is the only one`() throws {
        let source = try source(
            ["url": "https://stats.example.com/q?from={from:seconds}", "app": "a", "span": "2h"], map: ["users": "$.n"])
        #expect(spans(play(source, spans: [.hours(1), .days(1)])) == ["2026-11-20T22:01:00Z 2026-11-21T00:01:00Z"])
    }

    @Test func `rows that say what they cover are asked for once, for the longest`() throws {
        let source = try source(
            ["url": "https://stats.example.com/q?from={from:seconds}", "app": "a", "each": "$[*]", "span": "1h"],
            map: ["users": "$.n", "from": "$.t"])
        let played = play(source, spans: [.hours(1), .days(1)], #"[{"n":1,"t":"2026-11-20T10:00:00Z"}]"#)
        #expect(played.requests.count == 1)
        #expect(spans(played) == ["2026-11-20T10:00:00Z 2026-11-20T11:00:00Z"])
    }

    @Test func `the same figures of another span are news`() throws {
        let source = try source(
            ["url": "https://stats.example.com/q?from={from}", "app": "a"], map: ["users": "$.n"])
        let first = play(source, spans: [.hours(1)])
        #expect(first.requests.first?.isConditional == false)
        let second = play(source, spans: [.hours(1)], cursor: first.report?.cursor)
        #expect(second.requests.first?.isConditional == false)
        #expect(second.report?.summary == "a users=5")
    }

    @Test func `too many spans are too many requests`() throws {
        let source = try source(
            ["url": "https://stats.example.com/q?from={from}", "app": "a"], map: ["users": "$.n"])
        let played = play(source, spans: (1...8).map { .hours($0) })
        #expect(played.requests.count == 6)
        #expect(played.report?.warnings == ["rules ask for 8 different spans; only the 6 shortest are measured"])
    }

    /// Polls for an hour and what is longer, which is answered in its own way.
    private func play(_ longer: FetchResult, strict: Bool = false) throws -> PlayedPoll {
        let source = try HTTPJSONSource(
            options: options(
                ["url": "https://stats.example.com/q?from={from}", "app": "a"], maps: ["map": ["users": "$.n"]],
                strict: strict), context: context)
        let asked = Poll(source: "own-dashboard", now: now, cursor: nil, spans: [.hours(1), .days(30), .days(90)])
        return PlayedPoll(source, asked) { request in
            request.url.reveal().contains("from=2026-11-20") ? json(#"{"n":5}"#) : longer
        }
    }

    @Test(
        arguments: [
            (json("", status: 504), "the source answered 504"), (json("<html>"), "the answer is an HTML page"),
            (.failed(TransportError(.timeout, mayHaveArrived: true, "it took too long")), "it took too long"),
        ] as [(FetchResult, String)])
    func `a longer one that fails leaves the shorter, and is named`(_ trouble: FetchResult, _ words: String) throws {
        let played = try play(trouble)
        #expect(played.requests.count == 2, "what is longer yet is not asked for")
        let report = try #require(played.report)
        #expect(report.summary == "a users=5")
        #expect(report.unread == .anything)
        let missing = try #require(report.missing)
        #expect(missing.description.hasPrefix("the span of 30d: \(words)"), "\(missing)")
        #expect(report.warnings == ["longer spans are not measured this time: \(missing)"])
    }

    @Test func `longer ones whose answers make no sense leave the shorter, unless the source is strict`() throws {
        let played = try play(json(#"{"n":-1}"#))
        #expect(played.report?.summary == "a users=5")
        #expect(played.report?.missing?.description.hasPrefix("the span of 90d: ") == true)
        #expect(try play(json(#"{"n":-1}"#), strict: true).failure?.reason == .badAnswer)
    }

    @Test func `a credential that is refused is so for all, and without the shortest nothing is read`() throws {
        #expect(try play(json("", status: 401)).failure?.reason == .unauthorized)
        let source = try source(["url": "https://stats.example.com/q?from={from}", "app": "a"], map: ["users": "$.n"])
        let asked = Poll(source: "own-dashboard", now: now, cursor: nil, spans: [.hours(1), .days(30)])
        let played = PlayedPoll(source, asked) { _ in json("", status: 504) }
        #expect(played.requests.count == 1)
        #expect(played.failure?.description.hasPrefix("the source answered 504") == true)
    }

    @Test(arguments: [
        ("{form}", "'{form}' is not a placeholder -> {from}"),
        (
            "{from:second}",
            "'{from:second}' is not a placeholder, expected rfc3339, seconds, milliseconds, date or last_date -> {from:seconds}"
        ),
        ("{cursor:date}", "'{cursor:date}' is not a placeholder, expected '{cursor}'"),
    ])
    func `a slip of the hand is reported`(_ written: String, _ expected: String) {
        let error = #expect(throws: ProblemList.self) {
            try source(["url": "https://stats.example.com/?a=\(written)", "app": "a"], map: ["users": "$.n"])
        }
        #expect(error?.problems.map { $0.message + ($0.suggestion.map { " -> \($0)" } ?? "") } == [expected])
    }

    @Test func `a secret stays one`() throws {
        let url = GuardedText(pieces: [
            .plain("https://stats.example.com/"), .secret(Secret("k3y-{from}")), .plain("?f={from:seconds}"),
        ])
        let source = try HTTPJSONSource(
            options: Options(
                name: "s", position: place,
                values: [
                    "url": Option(.text(url), at: place), "app": Option(.text("a"), at: place),
                    "map": Option(.map([("users", Option(.text("$.n"), at: place))]), at: place),
                ]), context: context)
        let request = try #require(play(source, spans: [.hours(1)]).requests.first)
        #expect(request.url.description == "https://stats.example.com/***?f=1795215660")
    }
}

@Suite struct `Other bodies than JSON` {
    @Test(arguments: [
        (
            "<!doctype html><html><head><title>Sign in</title>", "text/html",
            "the answer is an HTML page, titled \"Sign in\" (is it a page for logging in, or one for people rather than programs?), expected JSON"
        ),
        (
            "<html><body>Bad gateway", "",
            "the answer is an HTML page (is it a page for logging in, or one for people rather than programs?), expected JSON"
        ),
        (
            "<?xml version=\"1.0\"?><apps/>", "application/xml",
            "the answer is XML, which begins with \"<?xml version=\"1.0\"?><apps/>\", expected JSON"
        ),
        (
            "app,users\nshop,12\nwallet,3\n", "text/csv",
            "the answer is CSV (values between commas; its first line is \"app,users\"), expected JSON"
        ),
        (
            "app;users\nshop;12\nwallet;3\n", "text/plain",
            "the answer is CSV (values between semicolons; its first line is \"app;users\"), expected JSON"
        ),
        (
            "app\tusers\nshop\t12\n", "text/tab-separated-values",
            "the answer is CSV (values between tabs; its first line is \"app users\"), expected JSON"
        ),
        (
            "{\"a\":1}\n{\"a\":2}\n", "application/json",
            "the answer is several JSON texts, one a line (JSON lines); one of all, such as an array, can be read, expected JSON"
        ),
        ("", "application/json", "the answer is empty, expected JSON"),
        (
            "{\"n\":1,}", "application/json",
            "the answer is not JSON (line 1, column 8: expected a member's name in quotes, found '}'); it begins with \"{\"n\":1,}\""
        ),
        (
            "OK", "text/plain",
            "the answer is not JSON (line 1, column 1: expected a value, found 'O'); it begins with \"OK\""
        ),
    ])
    func `are refused with a sentence that says what came`(_ body: String, _ type: String, _ expected: String) throws {
        let source = try source(["app": "a"], map: ["users": "$.n"])
        #expect(try report(source, json(body, type: type)).summary == "bad_answer: \(expected)")
    }

    @Test func `none at all is no data where the service says so with 204`() throws {
        let found = try report(source(["app": "a"], map: ["users": "$.n"]), json("", status: 204))
        #expect(found.outcome == .noData)
        #expect(found.warnings == [])
    }

    @Test func `JSON is read whatever it is called`() throws {
        let source = try source(["app": "a"], map: ["users": "$.n"])
        #expect(try report(source, json(#"{"n":3}"#, type: "text/html")).summary == "a users=3")
    }

    @Test func `compressed bytes are named`() throws {
        let source = try source(["app": "a"], map: ["users": "$.n"])
        let result = FetchResult.answered(HTTPResponse(status: 200, body: [0x1F, 0x8B, 8, 0]))
        #expect(
            try report(source, result).summary
                == "bad_answer: the answer is compressed (gzip) without a header that says so, expected JSON")
    }
}
