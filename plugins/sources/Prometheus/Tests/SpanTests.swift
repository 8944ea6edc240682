import PluginKit
import PluginTesting
import Testing

@Suite struct `Spans and steps` {
    private let open = map(["users": "count(x[$span])", "crashed_users": "count(y[$span]) # $spanish"])

    @Test func `the placeholder becomes each span that rules ask for`() throws {
        let source = try source(["metrics": open])
        let spans = poll(.minutes(30), .hours(1), .hours(1), .seconds(5400), .days(7), .milliseconds(1500))
        let played = play(source, spans, ["": vector((#"{"app": "a"}"#, "3"))])
        let queries = played.urls.map { $0.split(separator: "&")[0].split(separator: "=")[1] }
        #expect(
            queries
                == ["30m", "1h", "90m", "7d", "1500ms"].flatMap {
                    ["count(x[\($0)])", "count(y[\($0)]) # $spanish"].map { Substring($0.percentEncoded) }
                })
        #expect(
            played.observations.map(\.span.length) == [
                .days(7), .seconds(5400), .hours(1), .minutes(30), .milliseconds(1500),
            ], "of spans that end together, the one told last counts as the newest")
    }

    @Test func `spans have a bound`() throws {
        let many = Poll(source: "checkout", now: now, cursor: nil, spans: (1...40).map { .minutes($0) })
        let played = play(try source(["metrics": open]), many, ["": vector((#"{"app": "a"}"#, "3"))])
        #expect(played.requests.count == 12)
        #expect(played.report?.warnings == ["rules ask for 40 different spans; only the 6 shortest are measured"])
    }

    @Test(
        arguments: [
            (answer("", status: 504), "the source answered 504"),
            (answer("", status: 429), "the source answered 429"),
            (.failed(TransportError(.timeout, mayHaveArrived: true, "it took too long")), "it took too long"),
            (vector((#"{"team": "x"}"#, "3")), #"the series {team="x"} has no label 'app'"#),
        ] as [(FetchResult, String)])
    func `a longer span that fails leaves the shorter ones, and is named`(
        _ trouble: FetchResult, _ words: String
    ) throws {
        let source = try source(["metrics": open])
        let fine = vector((#"{"app": "a"}"#, "3"))
        let played = play(
            source, poll(.hours(1), .days(30), .days(90)), ["[1h]": fine, "y[30d]": trouble, "[30d]": fine])
        #expect(played.requests.count == 4, "what is longer yet is not asked for")
        #expect(played.observations.map(\.span.length) == [.hours(1)], "half of a span says nothing")
        #expect(played.observations.map(\.metrics) == [["users": 3, "crashed_users": 3]])
        let report = try #require(played.report)
        let told = "longer spans are not measured this time: the span of 30d: metric 'crashed_users': \(words)"
        #expect(report.warnings.first?.hasPrefix(told) == true, "\(report.warnings)")
        #expect(report.unread == .anything)
        #expect(report.isPartWaiting == words.hasSuffix("429"))
        #expect((report.missing == nil) == report.isPartWaiting)
    }

    @Test func `a credential that is refused is so for all spans, and without the shortest nothing is read`() throws {
        let source = try source(["metrics": open])
        let (fine, long) = (vector((#"{"app": "a"}"#, "3")), poll(.hours(1), .days(30)))
        let refused = play(source, long, ["[1h]": fine, "[30d]": answer("", status: 401)])
        #expect(refused.failure?.reason == .unauthorized)
        let failure = try #require(play(source, long, ["y[1h]": answer("", status: 504), "[1h]": fine]).failure)
        #expect(failure.description == "metric 'crashed_users': the source answered 504")
    }

    @Test func `steps are read on from the last poll, the last one again`() throws {
        let source = try source([
            "metrics": map(["crash_free_sessions": "x"]), "step": option(.duration(.hours(1))),
        ])
        let first = play(source, poll(at: now + .minutes(7)), ["": answer(fixture: "query_range_matrix.json")])
        #expect(
            first.urls == [
                "http://localhost:9090/api/v1/query_range?query=x&start=1795219200&end=1795219200&step=3600"
            ]
        )
        let cursor = first.report?.cursor
        #expect(cursor?["until"] == "2026-11-21T00:00:00Z")

        let later = play(
            source, poll(cursor: cursor, at: now + .minutes(187)), ["": answer(fixture: "query_range_matrix.json")])
        #expect(later.urls.first?.contains("&start=1795219200&end=1795230000&step=3600") ?? false)
        #expect(
            later.observations.map(\.span) == (-3...0).map { TimeSpan(lasting: .hours(1), until: now + .hours($0)) })
        #expect(later.observations.map { $0.metrics["crash_free_sessions"] } == [0.9979, 0.9982, 0.9949, 0.9831])
    }

    @Test func `after a long rest only the newest steps are read`() throws {
        let source = try source(["step": option(.duration(.minutes(5)))])
        let cursor: JSON = ["step": "5m", "until": "2026-11-01T00:00:00Z"]
        let played = play(source, poll(cursor: cursor), ["": answer(fixture: "query_vector_empty.json")])
        #expect(played.urls.first?.contains("&start=1795133100&end=1795219200&step=300") ?? false)
        let report = play(
            source,
            poll(cursor: cursor),
            ["": answer(#"{"status": "success", "data": {"resultType": "matrix", "result": []}}"#)]
        ).report
        #expect(report?.outcome == .noData)
        #expect(
            report?.warnings == ["the last poll was long ago: 5473 steps before 2026-11-20T00:05:00Z skipped"])
    }

    /// A server that refuses more steps than it can, and answers others with one figure.
    private func overtaxed(by stepsMax: Int, _ refusal: FetchResult) -> (HTTPRequest) -> FetchResult {
        { request in
            func number(_ name: String) -> Int {
                request.url.description.split(separator: "&").first { $0.hasPrefix(name) }
                    .flatMap { Int($0.dropFirst(name.count)) } ?? 0
            }
            guard (number("end=") - number("start=")) / 300 + 1 <= stepsMax else { return refusal }
            return answer(
                #"{"status": "success", "data": {"resultType": "matrix", "result": ["#
                    + #"{"metric": {"app": "a"}, "values": [[1795219200, "5"]]}]}}"#)
        }
    }

    @Test(
        arguments: [
            (
                40, answer(#"{"status": "error", "errorType": "execution", "error": "too many samples"}"#, status: 422),
                36, 4
            ),
            (40, .failed(TransportError(.tooLarge, mayHaveArrived: true, "more than 16 MiB")), 36, 4),
            (40, answer("", status: 503), 2, 2),
            (40, .failed(TransportError(.timeout, mayHaveArrived: true, "no answer")), 2, 2),
            (288, answer("", status: 503), 288, 1),
        ] as [(Int, FetchResult, Int, Int)]
    ) func `steps that are too many for the server are fewer, and the source does not stay without figures`(
        _ stepsMax: Int, _ refusal: FetchResult, _ kept: Int, _ requests: Int
    ) throws {
        let source = try source(["metrics": map(["sessions": "x"]), "step": option(.duration(.minutes(5)))])
        let cursor: JSON = ["step": "5m", "until": "2026-11-20T00:05:00Z"]
        let played = PlayedPoll(source, poll(cursor: cursor), answer: overtaxed(by: stepsMax, refusal))
        #expect(played.observations.map { $0.metrics["sessions"] } == [5])
        #expect(played.requests.count == requests)
        let first = now - .minutes(5) * (kept - 1)
        #expect(played.urls.last?.contains("&start=\(first.milliseconds / 1000)&") == true)
        // Whoever is away for a moment is asked for all of them again; others would never give them.
        let isAway = kept < 288 && requests == 2 && played.report?.warnings.last?.contains("503") == true
        let words = "\(288 - kept) steps before \(first) \(isAway ? "left to the next poll" : "skipped"): "
        #expect(played.report?.warnings.count == (kept < 288 ? 1 : 0))
        #expect((played.report?.warnings.last?.hasPrefix(words) ?? false) == (kept < 288))
        #expect(played.report?.cursor?["until"] == (isAway ? "2026-11-20T00:05:00Z" : "2026-11-21T00:00:00Z"))
        // If that lasts, it is a trouble.
        #expect((played.report?.missing != nil) == (kept < 288))
        #expect((played.report?.unread == .anything) == (kept < 288))
    }

    @Test func `steps that are left to the next poll are asked for once more, and not for ever`() throws {
        let source = try source(["metrics": map(["sessions": "x"]), "step": option(.duration(.minutes(5)))])
        let away = overtaxed(by: 40, answer("", status: 503))
        let first = PlayedPoll(
            source, poll(cursor: ["step": "5m", "until": "2026-11-20T00:05:00Z"]), answer: away)
        let second = PlayedPoll(source, poll(cursor: first.report?.cursor), answer: away)
        #expect(second.urls.first == first.urls.first)
        #expect(second.report?.cursor == ["step": "5m", "until": "2026-11-21T00:00:00Z"])
        #expect(second.report?.warnings.last?.contains(" skipped: ") == true)
    }

    @Test func `a server that is down is not asked again for a few steps`() throws {
        let source = try source(["metrics": map(["sessions": "x"]), "step": option(.duration(.minutes(5)))])
        let cursor: JSON = ["step": "5m", "until": "2026-11-20T23:30:00Z"]
        let played = play(source, poll(cursor: cursor), ["": answer("", status: 503)])
        #expect(played.requests.count == 1)
        #expect(played.failure?.reason == .unavailable)
    }

    @Test(arguments: [
        "# the app's sessions\nsum by (app) (increase(x[30m]))", "sum by (app) (increase(x[30m])) # [5m] was too short",
        "sum by (app) (increase(x{note=\"# [5m]\"}[30m]))",
    ])
    func `what stands in a comment is no range`(_ query: String) throws {
        let played = play(try source(["metrics": map(["sessions": query])]), ["": vector((#"{"app": "a"}"#, "3"))])
        #expect(played.observations.map(\.span.length) == [.minutes(30)])
    }

    @Test(
        arguments: [
            ["step": "1h", "until": "2026-11-20T22:00:00Z"], ["step": "5m", "until": "2027-11-20T22:00:00Z"],
            ["step": "5m", "until": 7], "x",
        ] as [JSON]
    ) func `a cursor of other steps, of the future or of another shape is none`(_ cursor: JSON) throws {
        let source = try source(["step": option(.duration(.minutes(5)))])
        let played = play(source, poll(cursor: cursor), ["": answer("")])
        #expect(played.urls.first?.contains("&start=1795219200&end=1795219200&step=300") ?? false)
    }

    @Test func `a range in the query gives steps that overlap`() throws {
        let source = try source([
            "metrics": map(["sessions": "increase(x[6h])"]), "step": option(.duration(.hours(1))),
        ])
        let played = play(source, ["": answer(fixture: "query_range_matrix.json")])
        #expect(played.observations.allSatisfy { $0.span.length == .hours(6) })
    }
}
