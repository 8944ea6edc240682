import DatadogSource
import PluginKit
import PluginTesting
import Testing

@Suite struct `Sessions from Datadog` {
    @Test func `the source conforms`() throws {
        for values: [String: Option] in [
            [:], ["environments": list("production", "beta")], ["releases": option(.flag(false))],
        ] {
            let conformance = SourceConformance(
                try source(values), poll: poll(), secrets: [key, applicationKey], methods: [.post],
                answer: Datadog().respond)
            #expect(conformance.violations() == [])
        }
    }

    @Test func `are counted as a whole and by version, with those that crashed`() throws {
        let played = Datadog().play(try source(), poll())
        #expect(
            played.requests.map(question) == ["sessions", "crashed", "sessions by version", "crashed by version"])
        let seen = played.observations.map { seen in
            "\(seen.subject.release ?? "whole") \(seen.metrics[.sessions] ?? -1) \(seen.metrics[.crashedSessions] ?? -1)"
        }
        #expect(
            seen == [
                "whole 261480.0 1471.0", "5.2.1 1900.0 0.0", "5.3.0 206000.0 412.0", "5.4.0 52300.0 1046.0",
            ])
        #expect(played.observations.allSatisfy { $0.span == TimeSpan(lasting: .hours(1), until: now) && $0.isComplete })
        #expect(played.observations.first?.subject == Subject(source: "mobile", app: "wallet"))
        #expect(played.report?.warnings == [])
    }

    @Test func `are asked for in the words of Datadog's own documentation`() throws {
        let played = Datadog().play(try source(["environments": list("prod")]), poll())
        let request = try #require(played.requests.last)
        #expect(request.method == .post)
        #expect(request.url.description == "https://api.datadoghq.com/api/v2/rum/analytics/aggregate")
        #expect(
            request.headers.map { "\($0.name): \($0.value.reveal())" } == [
                "DD-API-KEY: \(key)", "DD-APPLICATION-KEY: \(applicationKey)", "Accept: application/json",
            ])
        #expect(
            body(request) == [
                "compute": [["aggregation": "cardinality", "metric": "@session.id", "type": "total"]],
                "filter": [
                    "from": .string("\(now.milliseconds - 3_600_000)"), "to": .string("\(now.milliseconds)"),
                    "query":
                        #"@type:error @error.is_crash:true @session.type:user @application.id:"abc" env:"prod""#,
                ], "group_by": [["facet": "version", "limit": 100]],
            ])
        #expect(
            body(try #require(played.requests.first))["filter"]?["query"]
                == #"@session.type:user @application.id:"abc" env:"prod""#)
    }

    @Test func `are counted for each environment and each span that rules ask for`() throws {
        let played = Datadog().play(
            try source(["environments": list("prod", "beta"), "releases": option(.flag(false))]),
            poll(.hours(1), .days(1)))
        #expect(played.requests.count == 8)
        let seen = played.observations.map { "\($0.subject.environment ?? "") \($0.span.length.short)" }
        #expect(seen == ["prod 1 d", "beta 1 d", "prod 1 h", "beta 1 h"])
    }

    @Test func `are counted over the six shortest spans at most, and that is said`() throws {
        let spans = (1...8).map { Duration.hours($0) }
        let played = Datadog().play(
            try source(["releases": option(.flag(false))]),
            Poll(source: "mobile", now: now, cursor: nil, spans: spans))
        #expect(played.requests.count == 12)
        #expect(played.observations.map(\.span.length) == spans.prefix(6).reversed())
        #expect(
            played.report?.warnings == ["rules ask for 8 different spans; only the 6 shortest are measured"])
    }

    @Test func `are asked for from where the budget ended the last time`() throws {
        let source = try source(["environments": list("prod", "beta", "qa"), "releases": option(.flag(false))])
        /// Plays a poll with so many requests left; gives back the environments that it got.
        func play(_ budget: Int, _ cursor: JSON?) -> (seen: [String?], cursor: JSON?) {
            var left = budget
            let played = PlayedPoll(source, poll(cursor: cursor)) { request in
                left -= 1
                let headers = [(name: "X-RateLimit-Remaining", value: String(max(left, 0)))]
                return answer(
                    fixture: question(request) == "sessions" ? "sessions.json" : "crashed.json", headers: headers)
            }
            return (played.observations.map(\.subject.environment), played.report?.cursor)
        }
        let first = play(3, nil)
        #expect(first.seen == ["prod"])
        let second = play(4, first.cursor)
        #expect(second.seen == ["beta", "qa"])
        let third = play(100, second.cursor)
        #expect(third.seen == ["prod", "beta", "qa"])
        #expect(play(100, third.cursor).seen == ["prod", "beta", "qa"])
        // One that needs more than there ever is does not keep the others from their turn.
        let short = play(1, nil)
        #expect(short.seen == [])
        #expect(play(2, short.cursor).seen == ["beta"])
        // What nobody asks for any more is no place to begin.
        #expect(play(100, ["environment": "gone", "span": "1h"]).seen == ["prod", "beta", "qa"])
    }

    @Test(
        arguments: [
            (answer(#"{"data": {"buckets": []}, "meta": {"status": "timeout"}}"#), "the query took Datadog too long"),
            (.failed(TransportError(.timeout, mayHaveArrived: true, "no answer within 20 s")), "no answer within 20 s"),
            (answer(#"{"errors": ["too many buckets"]}"#, status: 400), "the source answered 400: too many buckets"),
            (answer("[]"), "the answer is not what was expected"),
        ] as [(FetchResult, String)]) func `are asked for though a query of one environment fails at every poll`(
            _ trouble: FetchResult, _ words: String
        ) throws
    {
        let source = try source(["environments": list("prod", "beta"), "releases": option(.flag(false))])
        let begin = TimeSpan(lasting: .days(30), until: now).from
        func isLong(_ request: HTTPRequest) -> Bool {
            body(request)["filter"]?["from"] == .string("\(begin.milliseconds)")
        }
        let played = PlayedPoll(source, poll(.hours(1), .days(30))) { request in
            let isOfProduction = body(request)["filter"]?["query"]?.string?.contains("prod") == true
            return isLong(request) && isOfProduction ? trouble : Datadog().respond(to: request)
        }
        let seen = played.observations.map { "\($0.subject.environment ?? "") \($0.span.length.short)" }
        #expect(seen == ["beta 30 d", "prod 1 h", "beta 1 h"])
        #expect(played.requests.map(isLong) == [false, false, false, false, true, true, true], "the shortest first")
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix("prod, 30 d: sessions: \(words)") == true)
        #expect(played.report?.unread == .anything)
        #expect(played.report?.missing != nil)
    }

    @Test(
        arguments: [
            // Three that take all their time leave none for more.
            (.failed(TransportError(.timeout, mayHaveArrived: true, "no answer within 20 s")), 3, "d"),
            // Whoever is in trouble is not asked on and on.
            (answer("no", status: 503), 1, "b"),
        ] as [(FetchResult, Int, String)]) func `are asked for from behind what ended the last poll`(
            _ trouble: FetchResult, _ count: Int, _ next: String
        ) throws
    {
        let source = try source(["environments": list("a", "b", "c", "d"), "releases": option(.flag(false))])
        let failed = PlayedPoll(source, poll()) { _ in trouble }
        #expect(failed.requests.count == count)
        #expect(failed.failure != nil)
        let after = Datadog().play(source, poll(cursor: failed.report?.cursor))
        #expect(after.observations.count == 4)
        let first = after.requests.first.map(body)
        #expect(first?["filter"]?["query"]?.string?.hasSuffix("env:\"\(next)\"") == true)
    }

    @Test func `where there are none, nothing more is asked, and it is no data`() throws {
        var quiet = Datadog()
        quiet.sessions = Datadog.counts([:])
        let played = quiet.play(try source(), poll())
        #expect(played.requests.count == 1)
        #expect(played.report?.outcome == .noData)
        quiet.sessions = Datadog.counts(["": 0])
        #expect(quiet.play(try source(), poll()).report?.outcome == .noData)
    }

    @Test(arguments: ["sessions", "crashed"])
    func `of which Datadog says that some may be missing are left out, and the others count`(_ partial: String) throws {
        let begin = TimeSpan(lasting: .days(1), until: now).from
        let warned = answer(
            #"""
            {"data": {"buckets": [{"by": {}, "computes": {"c0": 9}}]}, "meta": {"status": "done", "warnings":
             [{"code": "unknown_index", "title": "Unknown index", "detail": "'a' is not there"}]}}
            """#)
        func play(_ isPartial: (HTTPRequest) -> Bool) throws -> PlayedPoll {
            PlayedPoll(try source(["releases": option(.flag(false))]), poll(.hours(1), .days(1))) { request in
                isPartial(request) ? warned : Datadog().respond(to: request)
            }
        }
        let played = try play { request in
            question(request) == partial && body(request)["filter"]?["from"] == .string("\(begin.milliseconds)")
        }
        #expect(played.observations.map(\.span.length) == [.hours(1)])
        let words = partial == "crashed" ? "crashed sessions" : "sessions"
        let warning =
            "1 d: \(words): Datadog warns that not everything may be counted: Unknown index: 'a' is not there "
            + "(correct what it warns of, or use a shorter 'window')"
        #expect(played.report?.warnings == [warning])
        #expect(played.report?.unread == .anything)
        #expect(played.report?.missing?.description == warning)
        let none = try play { question($0) == partial }
        #expect(none.failure?.reason == .badAnswer)
    }

    @Test(arguments: [#""status": "done", "warnings": [{"code": "slow"}]"#, #""status": "timeout""#])
    func `an answer that is left out tells of the limit, too`(_ meta: String) throws {
        let headers = [(name: "X-RateLimit-Remaining", value: "0"), (name: "X-RateLimit-Reset", value: "40")]
        let played = PlayedPoll(try source(["environments": list("prod", "beta")]), poll()) { _ in
            answer(#"{"data": {"buckets": []}, "meta": {\#(meta)}}"#, headers: headers)
        }
        #expect(played.requests.count == 1)
        #expect((played.report?.notBefore ?? .earliest) > now)
    }

    @Test func `no estimate says that more have crashed than there were`() throws {
        var small = Datadog()
        (small.sessions, small.crashed) = (Datadog.counts(["": 100]), Datadog.counts(["": 101]))
        let whole = small.play(try source(), poll()).observations.first
        #expect(whole?.metrics[.crashedSessions] == 100)
    }

    @Test func `of versions beyond those that are told apart nothing is made up`() throws {
        func many(_ versions: Range<Int>) -> FetchResult {
            let buckets = versions.map { #"{"by": {"version": "1.\#($0)"}, "computes": {"c0": 9}}"# }
            return answer(#"{"data": {"buckets": [\#(buckets.joined(separator: ","))]}}"#)
        }
        var crowded = Datadog()
        (crowded.sessionsByVersion, crowded.crashedByVersion) = (many(0..<100), many(50..<150))
        let played = crowded.play(try source(), poll())
        #expect(played.observations.compactMap(\.subject.release).count == 50)
        #expect(played.report?.warnings == ["only 100 versions are told apart"])
    }

    @Test(
        arguments: [
            (["X-RateLimit-Reset": "40"], 40), ([:], 60), (["X-RateLimit-Reset": "soon"], 60),
            (["X-RateLimit-Reset": "1795219200"], 3600), (["X-RateLimit-Reset": "40", "Retry-After": "90"], 90),
        ] as [([String: String], Int64)]) func `a limit is kept until it is over`(
            _ headers: [String: String], _ seconds: Int64
        ) throws
    {
        let headers = headers.map { (name: $0.key, value: $0.value) }
        let refused = PlayedPoll(try source(), poll()) { _ in
            answer(#"{"errors": ["Too many requests"]}"#, status: 429, headers: headers)
        }
        #expect(refused.failure?.description == "sessions: the source answered 429: Too many requests")
        #expect(refused.failure?.retryAt == now + .seconds(seconds))
        // Used up by a good answer, it ends the questions before the server does; what is known by then is used.
        var spent = Datadog()
        spent.crashed = answer(
            fixture: "crashed.json", headers: headers + [("X-RateLimit-Remaining", "0")])
        let played = spent.play(try DatadogSourceTests.source(), poll())
        #expect(played.requests.count == 2)
        #expect(played.observations.count == 1)
        #expect((played.report?.notBefore ?? .earliest) > now)
        #expect(
            played.report?.warnings.first?.hasPrefix("sessions by version: Datadog allows no more requests") == true)
    }

    @Test(arguments: [
        (
            answer(fixture: "error_403.json", status: 403),
            "sessions: the source answered 403: Forbidden (check 'api_key' and 'application_key', which needs "
                + "rum_apps_read, and that 'url' is your site's)"
        ),
        (answer("{}"), "$.data: expected a value"),
        (answer(#"{"data": {"buckets": {}}}"#), "buckets: expected an array"),
        (answer(#"{"data": {"buckets": [{"by": {}}]}}"#), "buckets[0].computes: expected a value"),
        (answer(#"{"data": {"buckets": [{"computes": {"c0": -1}}]}}"#), "computes.c0: expected a count"),
        (
            answer(#"{"data": {"buckets": []}, "meta": {"status": "running"}}"#),
            "$.meta.status: expected done, for a query that has counted everything"
        ),
        (
            answer(#"{"data": {"buckets": []}, "meta": {"status": "timeout"}}"#),
            "sessions: the query took Datadog too long, so not all of it is counted"
        ),
        (answer("<html>"), "sessions: the answer is an HTML page"),
        (
            .answered(HTTPResponse(status: 302, headers: [("Location", "https://login.example.com/x?secret=1")])),
            "the source answered 302: it redirects to https://login.example.com, and nothing was sent there; "
        ),
        (
            .answered(
                HTTPResponse(status: 502, body: Array("<html><title>502 Bad Gateway</title>nginx</html>".utf8))),
            "sessions: the source answered 502: an HTML page, titled \"502 Bad Gateway\""
        ),
    ]) func `what is not as it should be is a failure with its place`(_ result: FetchResult, _ words: String) throws {
        let failure = try #require(PlayedPoll(try source(), poll()) { _ in result }.failure)
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test func `without the crashes the sessions say nothing`() throws {
        var torn = Datadog()
        torn.crashed = answer("no", status: 500)
        #expect(torn.play(try source(), poll()).failure?.reason == .unavailable)
    }

    @Test func `what it can give is declared, and every mistake is reported at once`() throws {
        let source = try source()
        #expect(source.metrics == [.sessions, .crashedSessions, .crashFreeSessions])
        #expect(source.givesIssues == false)
        #expect(source.credentialRefusals == [.unauthorized, .forbidden], "a key that Datadog does not know is 403")
        #expect(source.configured("app") == ["wallet"])
        #expect(source.configured("release") == nil)
        #expect(source.configured("environment") == [""])
        #expect(try DatadogSourceTests.source(["releases": option(.flag(false))]).configured("release") == [""])
        #expect(
            try DatadogSourceTests.source(["url": option(.text("https://api.datadoghq.eu/api/v2/"))]).host
                == "api.datadoghq.eu")
        do {
            _ = try DatadogSourceTests.source([
                "url": option(.text("nowhere")), "app": option(.text(" ")), "api_key": option(.text("")),
                "application": option(.text("a\"b")), "environments": list("a\\", ""),
            ])
            Testing.Issue.record("the options were taken")
        } catch {
            #expect(
                error.problems.map(\.message) == [
                    "'url' is not an address of a server such as https://api.datadoghq.eu", "'api_key' is empty",
                    "'app' is empty", "'application' is 'a\"b', which does not look like an application id",
                    "an empty name in 'environments'", "'a\\' cannot be an environment: it has quotes or a backslash",
                ])
        }
    }
}
