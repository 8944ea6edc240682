import PluginKit
import PluginTesting
import SentrySource
import Testing

/// A server whose figures depend on the stretch alone, told as totals or as a series.
private struct Figures: Sendable {
    /// Sessions between two moments; 0 for none.
    var sessions: @Sendable (_ from: Moment, _ to: Moment) -> Int64 = { from, to in
        (to - from).wholeMilliseconds / 36_000 + from.unixSeconds / 3600 % 24
    }
    var releases = ["5.4.0", "5.3.9"]

    @Sendable func answer(_ request: HTTPRequest) -> FetchResult {
        let url = request.url.description
        if url.contains("/projects/") { return PluginTesting.answer(fixture: "projects.json") }
        var parameters: [String: String] = [:]
        for pair in (url.split(separator: "?").last ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            parameters[parts[0]] = parts[1].replacing("%3A", with: ":")
        }
        guard let start = Moment(rfc3339: parameters["start"] ?? ""),
            let end = Moment(rfc3339: parameters["end"] ?? ""),
            let hours = Int64((parameters["interval"] ?? "").dropLast())
        else { return PluginTesting.answer(fixture: "error_400.json", status: 400) }
        // The service widens what it is asked for to whole intervals.
        let length = Duration.hours(hours)
        let first = Recall.floor(start, to: length)
        let starts = sequence(first: first) { $0 + length }.prefix { $0 < end }.map(\.self)
        let isSeries = url.contains("includeTotals=0")
        let groups = (url.contains("groupBy=release") ? releases.map { Optional($0) } : [nil]).map { release in
            let by = release.map { #", "release": "\#($0)""# } ?? ""
            let spans = isSeries ? starts.map { ($0, $0 + length) } : [(first, end)]
            let rows = spans.map { sessions($0.0, $0.1) }
            func column(_ name: String, _ figure: (Int64) -> String) -> String {
                let figures = rows.map { $0 == 0 ? "null" : figure($0) }
                return isSeries ? "\"\(name)\": [\(figures.joined(separator: ","))]" : "\"\(name)\": \(figures[0])"
            }
            let columns = [
                column("sum(session)") { "\($0)" }, column("count_unique(user)") { "\($0 / 2)" },
                column("crash_free_rate(session)") { _ in "0.99" }, column("crash_free_rate(user)") { _ in "0.98" },
            ].joined(separator: ",")
            return #"{"by": {"project": 4507001\#(by)}, "totals": {\#(isSeries ? "" : columns)}, "#
                + #""series": {\#(isSeries ? columns : "")}}"#
        }
        let to = isSeries ? (starts.last ?? first) + length : end
        let intervals = starts.map { "\"\($0)\"" }.joined(separator: ",")
        return PluginTesting.answer(
            #"{"start": "\#(first)", "end": "\#(to)", "intervals": [\#(intervals)], "#
                + #""groups": [\#(groups.joined(separator: ","))]}"#)
    }
}

@Suite struct `The past of Sentry` {
    private let midnight = Recall.floor(now, to: .days(1))

    private func recall(_ spans: Duration..., from: Moment? = nil, to: Moment? = nil, cursor: JSON? = nil) -> Recall {
        Recall(
            source: "mobile", now: now, from: from ?? midnight - .days(1), to: to ?? midnight, every: .minutes(2),
            spans: spans.isEmpty ? [.hours(1)] : spans, cursor: cursor)
    }

    private func observations(_ played: PlayedRecall) -> [Observation] {
        played.lines.compactMap { if case .observed(let observation) = $0 { observation } else { nil } }
    }

    @Test func `what is recalled is what polls at the end of each bucket would have seen`() throws {
        let figures = Figures()
        let source = try source(["issues": option(.flag(false))])
        let recall = recall(.minutes(20), .hours(1), .hours(6), .hours(24), .days(7))
        let recalled = observations(PlayedRecall(source, recall, answer: figures.answer))
        var expected: [Observation] = []
        for at in recall.multiples(of: .hours(1)) {
            let hour = at.unixSeconds / 3600 % 24
            let spans: [Duration] =
                [.hours(1)] + (hour % 6 == 0 ? [.hours(6)] : []) + (hour == 0 ? [.days(1), .days(7)] : [])
            let poll = Poll(source: "mobile", now: at, cursor: nil, spans: spans)
            let polled = PlayedPoll(source, poll, answer: figures.answer)
            // The poll that comes next sees what was so at the bucket's end.
            expected += polled.observations.map { observation in
                var observation = observation
                observation.seen = observation.seen + recall.every
                return observation
            }
        }
        #expect(recalled.count == (24 + 4 + 1 + 1) * 3)
        #expect(recalled == expected)
    }

    private let evening = Moment(rfc3339: "2026-11-20T18:00:00Z") ?? .earliest

    /// What is recalled of an evening whose hours are these.
    private func recalled(_ series: String) throws -> PlayedRecall {
        let recall = Recall(
            source: "mobile", now: evening + .hours(7), from: evening, to: evening + .hours(6), every: .minutes(2),
            spans: [.hours(1)], cursor: nil)
        let source = try source(["group_by": list([]), "issues": option(.flag(false))])
        return PlayedRecall(source, recall) { request in
            request.url.description.contains("/projects/") ? answer(fixture: "projects.json") : answer(series)
        }
    }

    @Test func `of an hour whose rate makes no sense only the rate is left out`() throws {
        let series = text(fixture: "sessions_hourly_series.json")
            .replacing(#""by": {}"#, with: #""by": {"project": 4507001}"#)
            .replacing("0.9978846153846154", with: "99.8")
        let played = try recalled(series)
        #expect(observations(played).map { $0.metrics[.sessions] } == [5200, 4980, 4310, 3620])
        #expect(observations(played).map { $0.metrics[.crashedSessions] } == [nil, 9, 22, 61])
        let warning = try #require(played.report?.warnings.first)
        #expect(warning.hasPrefix("a crash-free rate is left out: $.groups[0].series"), "\(warning)")
    }

    @Test func `hours without sessions are left out, and a group of no project is named by its place`() throws {
        let series = text(fixture: "sessions_hourly_series.json")
        let hours = observations(try recalled(series.replacing(#""by": {}"#, with: #""by": {"project": 4507001}"#)))
        #expect(hours.map { $0.metrics[.sessions] } == [5200, 4980, 4310, 3620])
        #expect(hours.map { $0.metrics[.crashedSessions] } == [11, 9, 22, 61])
        #expect(hours.map { $0.metrics[.crashedUsers] } == [10, 9, 20, 55])
        #expect(hours.last?.span.to == evening + .hours(4))
        guard case .failed(let failure) = try recalled(series).report?.outcome else {
            Issue.record("a group of no project was taken")
            return
        }
        #expect(failure.description.contains("$.groups[0].by.project: expected a value"), "\(failure)")
    }

    @Test func `a day is two requests for each span, and one for the projects`() throws {
        let played = PlayedRecall(try source(), recall(.hours(1), .days(1)), answer: Figures().answer)
        #expect(played.requests.count == 5)
        let urls = played.requests.map(\.url.description)
        #expect(urls.filter { $0.contains("/issues/") } == [])
        #expect(urls[1].contains("&start=2026-11-19T00%3A00%3A00Z&end=2026-11-20T00%3A00%3A00Z&interval=1h&"))
        #expect(urls[1].hasSuffix("includeTotals=0"))
        let next = PlayedRecall(
            try source(), recall(from: midnight, cursor: played.report?.cursor), answer: Figures().answer)
        #expect(!next.requests.contains { $0.url.description.contains("/projects/") }, "names are remembered")
    }

    @Test func `the bucket that is still filling is not reported`() throws {
        let played = PlayedRecall(try source(), recall(from: midnight, to: now), answer: Figures().answer)
        #expect(observations(played).map(\.span.to).max() == Recall.floor(now, to: .hours(1)))
    }

    @Test func `neighbouring stretches share nothing and leave nothing out`() throws {
        let source = try source()
        let middle = midnight - .hours(7) + .seconds(90)
        let parts = [recall(.hours(1), .days(1), to: middle), recall(.hours(1), .days(1), from: middle)]
        #expect(
            parts.flatMap { PlayedRecall(source, $0, answer: Figures().answer).lines }
                == PlayedRecall(source, recall(.hours(1), .days(1)), answer: Figures().answer).lines)
    }

    @Test func `nothing is asked of what the service has forgotten`() throws {
        let old = recall(.hours(1), .days(7), from: midnight - .days(91), to: midnight - .days(90))
        let played = PlayedRecall(try source(), old, answer: Figures().answer)
        #expect(played.requests.isEmpty)
        #expect(played.report?.outcome == .lines([]))
        // A week that reaches back beyond it was longer than what is left of it.
        let edge = recall(.hours(1), .days(7), from: midnight - .days(86), to: midnight - .days(85))
        let spans = Set(observations(PlayedRecall(try source(), edge, answer: Figures().answer)).map(\.span.length))
        #expect(spans == [.hours(1)])
    }

    @Test func `empty buckets are no data`() throws {
        let figures = Figures(sessions: { from, _ in from.unixSeconds / 3600 % 24 < 12 ? 0 : 100 })
        let recalled = observations(PlayedRecall(try source(), recall(), answer: figures.answer))
        #expect(recalled.count == 12 * 3)
        #expect(recalled.allSatisfy { $0.metrics["sessions"] == 100 && $0.metrics["crashed_users"] == 1 })
    }

    @Test func `what an answer has no room for is asked for in shorter stretches`() throws {
        let figures = Figures(releases: (0..<400).map { "5.\($0)" })
        let played = PlayedRecall(try source(), recall(), answer: figures.answer)
        #expect(played.failure?.reason == .tooLarge)
        let shorter = PlayedRecall(try source(), recall(from: midnight - .hours(12)), answer: figures.answer)
        #expect(observations(shorter).count == 12 * 401)
        // A whole day cannot be shortened: what fits is used, and that is told.
        let many = Figures(releases: (0..<5000).map { "5.\($0)" })
        let day = PlayedRecall(try source(), recall(.days(1)), answer: many.answer)
        #expect(observations(day).count == 5001)
        #expect(day.report?.warnings.first?.contains("those with the fewest sessions") ?? false)
    }

    @Test(arguments: [
        (
            #"{"start": "x", "end": "x", "intervals": ["2026-11-19T00:00:00Z"], "groups": [{"by": {"project": 1}, "#
                + #""totals": {}, "series": {"sum(session)": [1, 2]}}]}"#, "expected 1 figures, one for each interval"
        ), (#"{"intervals": ["yesterday"], "groups": []}"#, "$.intervals[0]: expected an instant"),
        (#"{"intervals": []}"#, "$.groups"),
    ]) func `an answer of another shape is reported with its path`(_ body: String, _ words: String) throws {
        let played = PlayedRecall(try source(), recall()) { request in
            request.url.description.contains("/projects/") ? answer(fixture: "projects.json") : answer(body)
        }
        #expect(played.failure?.reason == .badAnswer)
        #expect(played.failure?.description.contains(words) ?? false, "\(String(describing: played.failure))")
    }

    @Test func `a used-up budget is waited for before the next stretch`() throws {
        let reset = now + .seconds(30)
        let played = PlayedRecall(try source(), recall()) { request in
            guard case .answered(let response) = Figures().answer(request) else {
                return .failed(.init(.other, mayHaveArrived: false, ""))
            }
            let isLast = request.url.description.contains("groupBy=release")
            let headers = [
                ("X-Sentry-Rate-Limit-Remaining", isLast ? "0" : "1"),
                ("X-Sentry-Rate-Limit-Reset", "\(reset.unixSeconds)"),
            ]
            return .answered(HTTPResponse(status: 200, headers: headers, body: response.body))
        }
        #expect(played.failure == nil)
        #expect(played.report?.notBefore == reset)
    }

    @Test func `what is kept depends on the projects and environments, and names no secret`() throws {
        let keys = [
            try source().recallKey, try source(["projects": list("wallet-ios")]).recallKey,
            try source(["environments": list("beta")]).recallKey,
            try source(["organization": option(.text("umbrella"))]).recallKey,
        ]
        #expect(Set(keys).count == 4)
        #expect(!keys.contains { $0.contains(token) })
    }

    @Test func `the source conforms`() throws {
        let conformance = RecallConformance(
            try source(["environments": list("production")]), recall(.hours(1), .hours(5), .days(7)), secrets: [token],
            answer: Figures().answer)
        #expect(conformance.violations() == [])
    }
}
