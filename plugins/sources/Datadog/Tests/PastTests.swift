import DatadogSource
import PluginKit
import PluginTesting
import Testing

/// What Datadog counted in each hour, or in any other part of a stretch that it is asked for.
private struct Hours: Sendable {
    /// Sessions and crashed ones of the part that begins then, by version.
    var count: @Sendable (Moment, String) -> (sessions: Int, crashed: Int)? = { _, version in
        version.isEmpty ? (4000, 8) : version == "5.4.0" ? (1000, 4) : nil
    }

    @Sendable func respond(to request: HTTPRequest) -> FetchResult {
        let asked = body(request)
        guard let from = bound("from", asked), let to = bound("to", asked) else { return answer("{}", status: 400) }
        let isCrashed = question(request).hasPrefix("crashed")
        func counted(_ at: Moment, _ version: String) -> Int? {
            count(at, version).map { isCrashed ? $0.crashed : $0.sessions }
        }
        let versions = asked["group_by"] == nil ? [""] : ["5.3.0", "5.4.0"]
        let buckets = versions.compactMap { version -> String? in
            let by = version.isEmpty ? "" : #""version": "\#(version)""#
            guard let interval = interval(asked) else {
                return counted(from, version).map { #"{"by": {\#(by)}, "computes": {"c0": \#($0)}}"# }
            }
            let points = stride(from: from.milliseconds, to: to.milliseconds, by: Int(interval)).compactMap {
                start -> String? in
                let at = Moment(milliseconds: start)
                return counted(at, version).map { #"{"time": "\#(at)", "value": \#($0)}"# }
            }
            guard !points.isEmpty else { return nil }
            return #"{"by": {\#(by)}, "computes": {"c0": [\#(points.joined(separator: ", "))]}}"#
        }
        return answer(#"{"data": {"buckets": [\#(buckets.joined(separator: ", "))]}, "meta": {"status": "done"}}"#)
    }

    private func bound(_ name: String, _ asked: JSON) -> Moment? {
        asked["filter"]?[name]?.string.flatMap(Int64.init).map { Moment(milliseconds: $0) }
    }

    /// In milliseconds; nil where all is counted at once.
    private func interval(_ asked: JSON) -> Int64? {
        let compute = asked["compute"]?.array?.first
        guard compute?["type"] == "timeseries", let text = compute?["interval"]?.string, let unit = text.last,
            let number = Int64(text.dropLast())
        else { return nil }
        return number * (unit == "h" ? 3_600_000 : unit == "m" ? 60_000 : 1_000)
    }
}

private let day = Moment(rfc3339: "2026-11-19T00:00:00Z") ?? .earliest

private func recall(
    _ from: Moment = day, _ to: Moment = day + .days(1), every: Duration = .minutes(5), spans: [Duration] = [.hours(1)]
) -> Recall {
    Recall(source: "mobile", now: now, from: from, to: to, every: every, spans: spans)
}

private func seen(_ played: PlayedRecall) -> [Observation] {
    played.lines.compactMap { if case .observed(let observation) = $0 { observation } else { nil } }
}

@Suite struct `The past of Datadog` {
    @Test func `conforms`() throws {
        for values: [String: Option] in [
            [:], ["environments": list("production", "beta")], ["releases": option(.flag(false))],
        ] {
            let conformance = RecallConformance(
                try source(values), recall(spans: [.minutes(30), .hours(1), .days(7)]), secrets: [key, applicationKey],
                answer: Hours().respond)
            #expect(conformance.violations() == [])
        }
    }

    @Test func `is a series of each span, with its versions, seen as each ends`() throws {
        let played = PlayedRecall(try source(), recall(day, day + .hours(2)), answer: Hours().respond)
        #expect(
            played.requests.map(question) == ["sessions", "crashed", "sessions by version", "crashed by version"])
        #expect(
            body(try #require(played.requests.first))["compute"] == [
                ["aggregation": "cardinality", "metric": "@session.id", "interval": "1h", "type": "timeseries"]
            ])
        let told = seen(played).map {
            "\($0.seen) \($0.subject.release ?? "whole") \($0.metrics[.sessions] ?? -1) \($0.metrics[.crashedSessions] ?? -1)"
        }
        #expect(
            told == [
                "2026-11-19T01:00:00Z whole 4000.0 8.0", "2026-11-19T01:00:00Z 5.4.0 1000.0 4.0",
                "2026-11-19T02:00:00Z whole 4000.0 8.0", "2026-11-19T02:00:00Z 5.4.0 1000.0 4.0",
            ])
    }

    @Test func `of spans longer than a day is what was counted at midnight`() throws {
        let played = PlayedRecall(
            try source(["releases": option(.flag(false))]), recall(day - .days(1), day + .days(1), spans: [.days(7)]),
            answer: Hours().respond)
        #expect(played.requests.count == 4)
        #expect(
            seen(played).map(\.span) == [day, day + .days(1)].map { TimeSpan(lasting: .days(7), until: $0) })
    }

    @Test(
        arguments: [Duration.minutes(5), .minutes(90), .hours(1), .hours(7), .days(1), .days(3)],
        [Duration.minutes(5), .minutes(7), .hours(1)])
    func `is the same however it is cut into stretches, and seen by polls`(_ span: Duration, _ every: Duration) throws {
        let source = try source()
        func lines(_ cuts: [Moment]) -> [ObservationLine] {
            zip(cuts, cuts.dropFirst()).flatMap {
                PlayedRecall(source, recall($0, $1, every: every, spans: [span]), answer: Hours().respond).lines
            }
        }
        let end = day + .days(2)
        let whole = lines([day, end])
        #expect(!whole.isEmpty)
        #expect(lines([day, day + .hours(5), day + .minutes(1_000), day + .days(1), end]) == whole)
        #expect(whole.allSatisfy { $0.seen == Recall.floor($0.seen, to: every) })
    }

    @Test func `has of spans shorter than the time between polls what each poll would have found`() throws {
        let played = PlayedRecall(
            try source(["releases": option(.flag(false))]),
            recall(day, day + .hours(1), every: .minutes(30), spans: [.minutes(5)]), answer: Hours().respond)
        #expect(seen(played).map(\.span) == [30, 60].map { TimeSpan(lasting: .minutes(5), until: day + .minutes($0)) })
        #expect(seen(played).map(\.seen) == [day + .minutes(30), day + .hours(1)])
    }

    @Test func `of many versions has the hours in which those that are told apart did not crash`() throws {
        let played = PlayedRecall(try source(), recall(day, day + .hours(2))) { request in
            let point = #"[{"time": "2026-11-19T00:00:00Z", "value": 9}]"#
            let both = #"[{"time": "2026-11-19T00:00:00Z", "value": 9}, {"time": "2026-11-19T01:00:00Z", "value": 9}]"#
            let isCrashed = question(request).hasPrefix("crashed")
            guard question(request).hasSuffix("by version") else {
                return answer(#"{"data": {"buckets": [{"by": {}, "computes": {"c0": \#(isCrashed ? point : both)}}]}}"#)
            }
            let buckets = (isCrashed ? 50..<150 : 0..<100).map {
                #"{"by": {"version": "1.\#($0)"}, "computes": {"c0": \#(isCrashed ? point : both)}}"#
            }
            return answer(#"{"data": {"buckets": [\#(buckets.joined(separator: ","))]}}"#)
        }
        let told = seen(played).filter { $0.subject.release != nil }
        #expect(told.count == 100)
        #expect(told.filter { $0.metrics[.crashedSessions] == 0 }.count == 50)
    }

    @Test func `has hours without a session, and hours in which none crashed`() throws {
        let noon = day + .hours(12)
        let hours = Hours { at, version in
            version.isEmpty && at == noon ? (100, 0) : nil
        }
        let played = PlayedRecall(try source(), recall(), answer: hours.respond)
        #expect(seen(played).map(\.span) == [TimeSpan(lasting: .hours(1), until: noon + .hours(1))])
        #expect(seen(played).first?.metrics[.crashedSessions] == 0)
        let none = PlayedRecall(try source(), recall(), answer: Hours { _, _ in nil }.respond)
        #expect(none.requests.count == 1)
        #expect(none.lines.isEmpty && none.failure == nil)
    }

    @Test(arguments: ["sessions", "crashed"])
    func `of which some may be missing is left out with a warning, and the rest counts`(_ partial: String) throws {
        let options = ["releases": option(.flag(false)), "environments": list("prod", "beta")]
        let played = PlayedRecall(try source(options), recall(day, day + .hours(2))) { request in
            let query = body(request)["filter"]?["query"]?.string ?? ""
            guard question(request) == partial, query.contains("env:\"beta\"") else {
                return Hours().respond(to: request)
            }
            return answer(#"{"data": {"buckets": []}, "meta": {"status": "done", "warnings": [{"code": "slow"}]}}"#)
        }
        #expect(seen(played).map(\.subject.environment) == ["prod", "prod"])
        let subject = partial == "crashed" ? "crashed sessions" : "sessions"
        #expect(
            played.report?.warnings == [
                "beta: figures from 2026-11-19T00:00:00Z to 2026-11-19T02:00:00Z are left out: \(subject): "
                    + "Datadog warns that not everything may be counted: slow (correct what it warns of, or use a shorter 'window')"
            ])
    }

    @Test func `is never half of it: a budget that ends is waited for`() throws {
        let played = PlayedRecall(try source(), recall()) { request in
            guard question(request) == "crashed" else { return Hours().respond(to: request) }
            let headers = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "40")]
            return answer(#"{"data": {"buckets": []}}"#, headers: headers.map { (name: $0.0, value: $0.1) })
        }
        #expect(played.requests.count == 2)
        #expect(played.failure?.reason == .rateLimited)
        #expect(played.failure?.retryAt == now + .seconds(40))
    }

    @Test(arguments: [
        (#"[{"time": "2026-11-19T00:20:00Z", "value": 4}]"#, "expected the beginning of one of the 24 spans asked for"),
        (#"[{"time": "2026-11-20T00:00:00Z", "value": 4}]"#, "expected the beginning of one of the 24 spans asked for"),
        (#"[{"time": 1795219200, "value": 4}]"#, "c0[0].time: expected"),
        (#"[{"time": "2026-11-19T00:00:00Z", "value": -4}]"#, "c0[0].value: expected a count"),
        ("12", "c0: expected an array"),
    ]) func `what is not as it should be is a failure with its place`(_ series: String, _ words: String) throws {
        let played = PlayedRecall(try source(), recall()) { _ in
            answer(#"{"data": {"buckets": [{"by": {}, "computes": {"c0": \#(series)}}]}}"#)
        }
        #expect(played.failure?.description.contains(words) == true, "\(String(describing: played.failure))")
    }

    @Test func `has the six shortest spans at most, and that is said`() throws {
        let played = PlayedRecall(
            try source(["releases": option(.flag(false))]), recall(spans: (1...8).map { Duration.hours($0) }),
            answer: Hours().respond)
        #expect(played.requests.count == 12)
        #expect(
            played.report?.warnings == ["rules ask for 8 different spans; only the 6 shortest are measured"])
    }

    @Test func `is kept under what decides it`() throws {
        let keys = try [
            [:], ["app": option(.text("till"))], ["application": option(.text("other"))],
            ["environments": list("prod")], ["releases": option(.flag(false))],
            ["url": option(.text("https://api.datadoghq.eu"))],
        ].map { try source($0).recallKey }
        #expect(Set(keys).count == keys.count)
    }
}
