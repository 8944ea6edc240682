import PluginKit
import PluginTesting
import PrometheusSource
import Testing

/// A server whose figures depend on the query and the time alone, asked for one time or for many.
private struct Figures: Sendable {
    /// The value of an app's series; nil where there is none at that time.
    var value: @Sendable (_ query: String, _ app: String, _ at: Int64) -> String? = { query, app, at in
        let hour = at / 3600 % 24
        return query.contains("crashed") ? "\(hour % 5)" : "\(100 + hour + Int64(app.utf8.count))"
    }

    @Sendable func answer(_ request: HTTPRequest) -> FetchResult {
        let fields = request.url.description.split(separator: "?").last ?? ""
        let pairs = fields.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let parameters = Dictionary(pairs.map { ($0[0], $0[1]) }) { $1 }
        func number(_ name: String) -> Int64 { Int64(parameters[name] ?? "") ?? 0 }
        let isRange = parameters["start"] != nil
        let times =
            isRange
            ? Array(stride(from: number("start"), through: number("end"), by: Int(number("step"))))
            : [number("time")]
        let series = ["shop", "bank"].compactMap { app -> String? in
            let samples = times.compactMap { at in
                value(parameters["query"] ?? "", app, at).map { "[\(at), \"\($0)\"]" }
            }
            guard !samples.isEmpty else { return nil }
            let values = isRange ? "\"values\": [\(samples.joined(separator: ","))]" : "\"value\": \(samples[0])"
            return "{\"metric\": {\"app\": \"\(app)\", \"team\": \"t\"}, \(values)}"
        }
        return PluginTesting.answer(
            "{\"status\": \"success\", \"data\": {\"resultType\": \"\(isRange ? "matrix" : "vector")\", "
                + "\"result\": [\(series.joined(separator: ","))]}}")
    }
}

@Suite struct `The past of Prometheus` {
    private func recall(
        _ spans: Duration...,
        from: Moment = now - .days(2),
        to: Moment = now - .days(1),
        every: Duration = .minutes(5)
    ) -> Recall {
        Recall(
            source: "checkout", now: now, from: from, to: to, every: every, spans: spans.isEmpty ? [.hours(1)] : spans)
    }

    /// What a bot would have seen that polled at every moment of the stretch.
    private func polled(_ source: PrometheusSource, _ recall: Recall, _ figures: Figures) -> [ObservationLine] {
        var cursor: JSON?
        var lines: [ObservationLine] = []
        let start = Recall.floor(recall.from, to: recall.every)
        for at in [start] + recall.multiples(of: recall.every) {
            let poll = Poll(source: "checkout", now: at, cursor: cursor, spans: recall.spans)
            let played = PlayedPoll(source, poll, answer: figures.answer)
            cursor = played.report?.cursor
            guard at != start else { continue }
            if let failure = played.failure {
                lines.append(.failed(source: "checkout", reason: failure.description, seen: at))
            }
            lines += played.observations.map { .observed($0) }
        }
        return lines
    }

    private static let pacings: [(name: String, options: [String: Option])] = [
        ("ranges in the queries", [:]),
        (
            "a placeholder for the spans",
            ["metrics": map(["sessions": "all[$span]", "crashed_sessions": "crashed[$span]"])]
        ), ("steps longer than the time between polls", ["step": option(.duration(.hours(1)))]),
        ("steps shorter than the time between polls", ["step": option(.duration(.minutes(1)))]),
    ]

    @Test(arguments: pacings.indices) func `what is recalled is what polls would have seen`(_ index: Int) throws {
        let source = try source(`The past of Prometheus`.pacings[index].options)
        let figures = Figures()
        let recall = recall(.minutes(30), .hours(2))
        let recalled = PlayedRecall(source, recall, answer: figures.answer)
        #expect(recalled.lines.count >= 2 * 288)
        #expect(recalled.lines == polled(source, recall, figures))
        #expect(recalled.requests.count == (index == 1 ? 4 : 2), "one for each metric and span, and no more")
    }

    @Test func `what would have failed a poll fails that poll alone, as it would have`() throws {
        let at = (now - .days(1) - .hours(3)).unixSeconds
        let figures = Figures { query, app, time in
            switch time {
            case at: query.contains("crashed") ? "+Inf" : "7"
            case at + 300: query.contains("crashed") ? "70" : "7"
            case at + 600: query.contains("crashed") ? "NaN" : "7"
            case at + 900: app == "bank" ? nil : "7"
            default: query.contains("crashed") ? "1" : "7"
            }
        }
        let source = try source()
        let recalled = PlayedRecall(source, recall(), answer: figures.answer)
        let failed = recalled.lines.filter { $0.failure != nil }
        #expect(failed.map(\.seen) == [at, at + 300].compactMap { Moment(unixSeconds: Double($0)) })
        #expect(recalled.lines.count == 2 * 286 + 2 - 1)
        let reason = try #require(failed.first?.failure?.reason)
        #expect(reason.hasPrefix("metric 'crashed_sessions': the figure of {app=\"bank\", team=\"t\"} is infinite"))
        // The words differ where one answer is told with its path; what was seen does not.
        let polled = polled(source, recall(), figures)
        #expect(polled.map(\.seen) == recalled.lines.map(\.seen))
        #expect(
            polled.filter { !failed.map(\.seen).contains($0.seen) } == recalled.lines.filter { !failed.contains($0) })
    }

    @Test func `two series of one subject fail every poll, as they would have`() throws {
        let source = try source(["app_label": text("team")])
        let recalled = PlayedRecall(source, recall(), answer: Figures().answer)
        #expect(recalled.lines.count == 288)
        let reason = try #require(recalled.lines.first?.failure?.reason)
        #expect(reason.contains("two series are about app 't'"))
    }

    @Test func `neighbouring stretches share nothing and leave nothing out`() throws {
        let source = try source()
        let middle = now - .days(1) - .hours(7) + .seconds(90)
        let parts = [recall(to: middle), recall(from: middle)].flatMap {
            PlayedRecall(source, $0, answer: Figures().answer).lines
        }
        #expect(parts == PlayedRecall(source, recall(), answer: Figures().answer).lines)
    }

    @Test func `more than a server gives at once is asked for in shorter stretches`() throws {
        let source = try source()
        let long = PlayedRecall(source, recall(every: .seconds(5)), answer: Figures().answer)
        #expect(long.requests.isEmpty)
        #expect(long.failure?.reason == .tooLarge)
        #expect(long.failure?.description == "17280 steps are more than 11000")
        let wide = PlayedRecall(source, recall(every: .minutes(1))) { _ in
            let samples = (0..<1000).map { "[\($0), \"1\"]" }.joined(separator: ",")
            let series = (0..<101).map { "{\"metric\": {\"app\": \"\($0)\"}, \"values\": [\(samples)]}" }
            return answer(
                "{\"status\": \"success\", \"data\": {\"resultType\": \"matrix\", "
                    + "\"result\": [\(series.joined(separator: ","))]}}")
        }
        #expect(wide.failure?.reason == .tooLarge)
        #expect(wide.failure?.description == "metric 'sessions': 101000 samples are more than 100000")
    }

    @Test func `partial answers are reported`() throws {
        let played = PlayedRecall(try source(), recall()) { _ in
            answer(#"{"status": "success", "isPartial": true, "data": {"resultType": "matrix", "result": []}}"#)
        }
        #expect(played.lines.isEmpty)
        #expect(played.report?.warnings.count == 2)
    }

    @Test func `what is kept depends on the queries, and names no secret`() throws {
        let basic = try source(["token": secret("pa55w0rd-of-mine")])
        #expect(!basic.recallKey.contains("pa55w0rd-of-mine"))
        let others = [
            try source(["metrics": map(["sessions": "x", "crashed_sessions": crashed])]),
            try source(["url": text("http://localhost:9091")]), try source(["app_label": text("job")]),
            try source(["span": option(.duration(.minutes(10)))]), try source(["step": option(.duration(.minutes(5)))]),
            try source(["headers": map(["X-Scope-OrgID": "shop"])]),
        ]
        #expect(Set(others.map(\.recallKey) + [basic.recallKey, try source().recallKey]).count == 8)
        #expect(try source().recallKey == source().recallKey)
        // A tenant may be chosen by a credential that stands in the file.
        let tenants = try ["first-tenant", "other-tenant"].flatMap { tenant in
            [try source(["token": text(tenant)]), try source(["headers": map(["Authorization": "Basic \(tenant)"])])]
        }
        #expect(Set(tenants.map(\.recallKey)).count == 4)
        #expect(!tenants.contains { $0.recallKey.contains("tenant") })
    }

    @Test func `the source conforms`() throws {
        for (name, options) in `The past of Prometheus`.pacings {
            let options = options.merging(["token": secret("pa55w0rd-of-mine")]) { $1 }
            let conformance = RecallConformance(
                try source(options), recall(.minutes(30), .hours(1)), secrets: ["pa55w0rd-of-mine"],
                answer: Figures().answer)
            #expect(conformance.violations() == [], "\(name)")
        }
    }
}
