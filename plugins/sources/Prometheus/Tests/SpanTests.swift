import PluginKit
import PluginTesting
import PrometheusSource
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
            report?.warnings == ["the last poll was long ago: 5473 steps before 2026-11-20T00:05:00Z are skipped"])
    }

    /// A server that has one figure for each step, and refuses what it is told to: its first and last step, counted back from
    /// the newest, which is 0.
    private func server(
        step: Int64 = 300, at newest: Moment = now, refusing: @escaping (ClosedRange<Int64>) -> FetchResult?
    ) -> (HTTPRequest) -> FetchResult {
        { request in
            func number(_ name: String) -> Int64 {
                request.url.description.split(separator: "&").first { $0.hasPrefix(name) }
                    .flatMap { Int64($0.dropFirst(name.count)) } ?? 0
            }
            let asked = stride(from: number("start="), through: number("end="), by: Int(step))
            let steps = asked.map { ($0 - newest.milliseconds / 1000) / step }
            if let refusal = refusing((steps.first ?? 0)...(steps.last ?? 0)) { return refusal }
            let values = asked.map { "[\($0), \"5\"]" }.joined(separator: ", ")
            return answer(
                #"{"status": "success", "data": {"resultType": "matrix", "result": ["#
                    + #"{"metric": {"app": "a"}, "values": [\#(values)]}]}}"#)
        }
    }

    /// The steps that were read, counted back from the newest.
    private func read(_ played: PlayedPoll, step: Duration = .minutes(5), at newest: Moment = now) -> [Int64] {
        played.observations.map { ($0.span.to - newest).wholeMilliseconds / step.wholeMilliseconds }
    }

    private static let tooMany = answer(
        #"{"status": "error", "errorType": "execution", "error": "too many samples"}"#, status: 422)
    private static let tooLarge = FetchResult.failed(
        TransportError(.tooLarge, mayHaveArrived: true, "more than 16 MiB"))
    private static let timeout = FetchResult.failed(TransportError(.timeout, mayHaveArrived: true, "no answer"))

    private func stepwise() throws -> PrometheusSource {
        try source(["metrics": map(["sessions": "x"]), "step": option(.duration(.minutes(5)))])
    }

    @Test(
        arguments: [(40, tooMany, 11), (40, tooLarge, 11), (288, answer("", status: 503), 1)]
            as [(Int, FetchResult, Int)]
    ) func `steps that are too many for the server are read in pieces, and none is skipped`(
        _ most: Int, _ refusal: FetchResult, _ requests: Int
    ) throws {
        let cursor: JSON = ["step": "5m", "until": "2026-11-20T00:05:00Z"]
        let played = PlayedPoll(
            try stepwise(), poll(cursor: cursor), answer: server { $0.count > most ? refusal : nil })
        #expect(read(played) == Array(-287...0))
        #expect(played.requests.count == requests)
        #expect(played.report?.warnings == [])
        #expect(played.report?.missing == nil)
        #expect(played.report?.cursor?["until"] == "2026-11-21T00:00:00Z")
    }

    @Test func `a server that takes fewer steps than lie between two polls loses none, poll after poll`() throws {
        let source = try source(["metrics": map(["sessions": "x"]), "step": option(.duration(.seconds(1)))])
        var cursor: JSON?
        var known: Set<Int64> = []
        for number in 0..<6 {
            let moment = now + .seconds(10) * number
            let played = PlayedPoll(
                source, poll(cursor: cursor, at: moment),
                answer: server(step: 1, at: moment) { $0.count > 10 ? Self.tooMany : nil })
            #expect(played.report?.warnings == [])
            cursor = played.report?.cursor
            known.formUnion(read(played, step: .seconds(1)))
        }
        #expect(known.sorted() == Array(0...50))
    }

    @Test(arguments: [answer("", status: 503), timeout])
    func `a failure that passes costs no step`(_ failure: FetchResult) throws {
        let cursor: JSON = ["step": "5m", "until": "2026-11-20T20:00:00Z"]
        let played = PlayedPoll(
            try stepwise(), poll(cursor: cursor), answer: server { $0.count == 49 ? failure : nil })
        #expect(read(played) == Array(-48...0))
        #expect(played.report?.warnings == [])
        // Two, then four, eight, sixteen and the rest.
        #expect(played.requests.count == 6)
    }

    @Test func `what a slow server does not get to is left for the next poll, and said`() throws {
        var cursor: JSON = ["step": "5m", "until": "2026-11-20T20:00:00Z"]
        let slow = server { $0.count > 12 ? Self.timeout : nil }
        let played = PlayedPoll(try stepwise(), poll(cursor: cursor), answer: slow)
        #expect(read(played) == Array(-48...(-35)))
        #expect(played.report?.missing?.reason == .timeout)
        #expect(played.report?.unread == .anything)
        #expect(
            played.report?.warnings == [
                "steps after 2026-11-20T21:05:00Z are left for the next poll: metric 'sessions': no answer"
            ])
        cursor = try #require(played.report?.cursor)
        #expect(cursor["until"] == "2026-11-20T21:05:00Z")
        let next = PlayedPoll(try stepwise(), poll(cursor: cursor), answer: slow)
        #expect(read(next) == Array(-35...(-22)))
    }

    @Test func `a poll has a bound, and the next goes on behind it`() throws {
        let cursor: JSON = ["step": "5m", "until": "2026-11-20T00:05:00Z"]
        let picky = server { $0.count > 1 ? Self.tooMany : nil }
        let played = PlayedPoll(try stepwise(), poll(cursor: cursor), answer: picky)
        #expect(played.requests.count == 100)
        let count = played.observations.count
        #expect(read(played) == Array(-287..<(Int64(count) - 287)))
        #expect(played.report?.missing?.reason == .tooLarge)
        let next = PlayedPoll(try stepwise(), poll(cursor: played.report?.cursor), answer: picky)
        #expect(read(next).first == Int64(count) - 288)
    }

    @Test(arguments: [-30 ... -30, -30 ... -28] as [ClosedRange<Int64>])
    func `steps that are refused by themselves are skipped and told once`(_ bad: ClosedRange<Int64>) throws {
        let cursor: JSON = ["step": "5m", "until": "2026-11-20T20:00:00Z"]
        let played = PlayedPoll(
            try stepwise(), poll(cursor: cursor), answer: server { $0.overlaps(bad) ? Self.tooMany : nil })
        #expect(read(played) == (-48...0).filter { !bad.contains($0) })
        let skipped = bad.count == 1 ? "1 step" : "\(bad.count) steps"
        #expect(played.report?.warnings.count == 1)
        #expect(played.report?.warnings.first?.hasPrefix("skipped \(skipped): metric 'sessions': ") == true)
        #expect(played.report?.missing?.reason == .refused)
        #expect(played.report?.cursor?["until"] == "2026-11-21T00:00:00Z")
    }

    @Test func `a query that is refused since the last poll fails the poll`() throws {
        let cursor: JSON = ["step": "5m", "until": "2026-11-20T23:45:00Z"]
        let played = PlayedPoll(
            try stepwise(), poll(cursor: cursor), answer: server { $0.upperBound > -3 ? Self.tooMany : nil })
        #expect(played.failure?.reason == .refused)
        #expect(played.report?.cursor == nil)
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
