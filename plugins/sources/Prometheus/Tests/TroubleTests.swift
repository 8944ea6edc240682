import PluginKit
import PluginTesting
import Testing

@Suite struct `Trouble with Prometheus` {
    @Test func `the source conforms`() throws {
        let credentials = ["username": text("user"), "password": secret("pa55w0rd-of-mine")]
        for values: [String: Option] in [
            credentials, ["metrics": map(["users": "x[$span]"]), "token": secret("pa55w0rd-of-mine")],
            [
                "metrics": option(
                    .map([
                        (
                            "m",
                            option(
                                .text(
                                    GuardedText(pieces: [
                                        .plain("x{key=\""), .secret(Secret("pa55w0rd-of-mine")), .plain("\"}"),
                                    ])))
                        )
                    ]))
            ],
        ] {
            let conformance = SourceConformance(
                try source(values),
                poll: poll(.minutes(30), .hours(1)),
                secrets: ["pa55w0rd-of-mine"]
            ) { _ in vector((#"{"app": "a", "team": "t"}"#, "3")) }
            #expect(conformance.violations() == [])
        }
        let stepwise = SourceConformance(try source(["step": option(.duration(.minutes(5)))]), poll: poll()) { _ in
            answer(fixture: "query_range_matrix.json")
        }
        #expect(stepwise.violations() == [])
    }

    @Test(arguments: [
        (
            400, "error_400_bad_data.json", PollFailure.Reason.refused,
            "400: bad_data: invalid parameter \"query\": 1:12"
        ), (422, "error_422_execution.json", .refused, "422: execution: found duplicate series"),
        (503, "error_503_timeout.json", .unavailable, "503: timeout: query timed out in expression evaluation"),
        (
            200, "error_400_bad_data.json", .badAnswer,
            "$.status: expected \"success\" (the server says: bad_data: invalid"
        ), (200, "query_string.json", .badAnswer, "$.data.resultType: expected figures; the query gives a text"),
        (200, "query_range_matrix.json", .badAnswer, "the query gives a range: wrap it, as in increase(…[30m])"),
    ]) func `errors keep the server's words and name the metric`(
        _ status: Int,
        _ name: String,
        _ reason: PollFailure.Reason,
        _ words: String
    ) throws {
        let failure = try #require(play(try source(), ["": answer(fixture: name, status: status)]).failure)
        #expect(failure.reason == reason)
        #expect(failure.description.hasPrefix("metric 'sessions': "))
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test(
        arguments: [
            (["username": text("user"), "password": secret("pa55w0rd")], "check 'username' and 'password'"),
            (["token": secret("t0ken")], "check 'token'"),
            (["headers": map(["authorization": "Basic eDp5"])], "check 'headers'"),
            (
                ["headers": map(["X-Scope-OrgID": "shop"])],
                "the server wants a credential: set 'token', or 'username' and 'password'"
            ),
        ] as [([String: Option], String)])
    func `a credential that is refused, also without a word, is told with the options to look at`(
        _ values: [String: Option], _ advice: String
    ) throws {
        for (body, said) in [("\n", ""), ("Unauthorized\n", ": Unauthorized")] {
            let failure = try #require(play(try source(values), ["": answer(body, status: 401)]).failure)
            #expect(failure.reason == .unauthorized)
            #expect(failure.description == "metric 'sessions': the source answered 401\(said) (\(advice))")
        }
        let forbidden = try #require(play(try source(values), ["": answer("", status: 403)]).failure)
        #expect(forbidden.description == "metric 'sessions': the source answered 403 (\(advice))")
    }

    @Test func `a trouble of the second query fails the poll`() throws {
        let played = play(
            try source(), ["(sessions_total": vector((#"{"app": "a"}"#, "1")), "crashed": answer("", status: 500)])
        #expect(played.failure?.description.hasPrefix("metric 'crashed_sessions': ") ?? false)
    }

    @Test func `an answer that may be partial is a warning`() throws {
        let source = try source(["metrics": map(["m": "x"]), "app": text("a")])
        let warned = play(source, ["": answer(fixture: "query_vector_warnings.json")])
        #expect(warned.observations.count == 1)
        #expect(warned.report?.warnings == ["metric 'm': No StoreAPIs matched for this query"])
        #expect(warned.report?.missing?.description == "metric 'm': No StoreAPIs matched for this query")
        #expect(warned.report?.unread == .anything)
        let whole = play(source, ["": answer(fixture: "victoriametrics_vector.json")])
        #expect(whole.report?.warnings == [])
        #expect(whole.report?.missing == nil)
        #expect(whole.report?.unread == .nothing)
        let partial = String(decoding: fixture("victoriametrics_vector.json"), as: UTF8.self)
            .split(separator: "\"isPartial\": false").joined(separator: "\"isPartial\": true")
        #expect(
            play(source, ["": answer(partial)]).report?.warnings == [
                "metric 'm': the answer is partial: some of the stores did not answer"
            ])
        #expect(play(source, ["": answer(partial)]).report?.unread == .anything)
        let about = #""PromQL warning: encountered a mix of histograms and floats for aggregation (1:1)""#
        let doubtful =
            #"{"status": "success", "warnings": [\#(about)], "data": {"resultType": "vector", "result": []}}"#
        #expect(play(source, ["": answer(doubtful)]).report?.unread == .nothing, "it is about the query")
        let noisy =
            #"{"status": "success", "warnings": ["a", "b", "", 1, 1], "data": {"resultType": "vector", "result": []}}"#
        #expect(play(source, ["": answer(noisy)]).report?.warnings.last == "metric 'm': and 2 more warnings")
    }

    @Test(arguments: [
        (
            #"{"metric": {"app": "a"}, "histogram": [1795219200, {}]}"#,
            "$.data.result[0].histogram: expected 'value' with"
        ), (#"{"metric": {"app": "a"}, "value": [1795219200, 5]}"#, "value[1]: expected a string, found 5"),
        (#"{"metric": {"app": "a"}, "value": ["now", "5"]}"#, "value[0]: expected a number"),
        (#"{"metric": {"app": "a"}, "value": [1e18, "5"]}"#, "value[0]: expected Unix seconds"),
        (#"{"metric": {"app": "a"}, "value": [1795219200]}"#, "value: expected a time and a value, found an array"),
        (#"{"metric": {"app": 5}, "value": [1795219200, "5"]}"#, "metric.app: expected a string, found 5"),
        (#"{"value": [1795219200, "5"]}"#, "$.data.result[0].metric: expected a value, found no such member"),
        (#"{"metric": {"app": "a"}, "value": [1895219200, "5"]}"#, "is ahead of the bot's clock"),
        (#"{"metric": {"app": "a"}, "value": [-62135596800, "5"]}"#, "is too far in the past"),
        ("7", "$.data.result[0]: expected an object, found 7"),
    ]) func `an answer of another shape is a failure with its place`(_ series: String, _ words: String) throws {
        let body = #"{"status": "success", "data": {"resultType": "vector", "result": [\#(series)]}}"#
        let failure = try #require(play(try source(), ["": answer(body)]).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test func `a long query is posted as a form`() throws {
        let query = "sum(" + Array(repeating: "x", count: 700).joined(separator: " + ") + ")"
        let source = try source([
            "metrics": map(["sessions": query]), "app": text("a"), "insecure": option(.flag(true)),
        ])
        let conformance = SourceConformance(source, poll: poll(), methods: [.post]) { _ in vector(("{}", "3")) }
        #expect(conformance.violations() == [])
        let request = try #require(play(source, ["": answer("")]).requests.first)
        #expect(request.method == .post)
        #expect(request.url.description == "http://localhost:9090/api/v1/query")
        #expect(request.body == .form([.init("query", GuardedText(query)), .init("time", "1795219200")]))
        #expect(request.allowsPlainHTTP)
    }
}
