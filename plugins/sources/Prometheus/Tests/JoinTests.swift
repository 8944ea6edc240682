import PluginKit
import PluginTesting
import Testing

@Suite struct `Observations of PromQL` {
    @Test func `figures of several queries about one app are one observation`() throws {
        let played = play(
            try source(),
            [
                "(sessions_total": vector((#"{"app": "web", "team": "pay"}"#, "1200.5"), (#"{"app": "ios"}"#, "90")),
                "crashed": vector((#"{"app": "web", "team": "pay"}"#, "12"), (#"{"app": "ios"}"#, "0")),
            ])
        #expect(
            played.observations == [
                Observation(
                    subject: Subject(source: "checkout", app: "web"), span: TimeSpan(lasting: .minutes(30), until: now),
                    seen: now, metrics: ["sessions": 1200.5, "crashed_sessions": 12], labels: ["team": "pay"]),
                Observation(
                    subject: Subject(source: "checkout", app: "ios"), span: TimeSpan(lasting: .minutes(30), until: now),
                    seen: now, metrics: ["sessions": 90, "crashed_sessions": 0]),
            ])
    }

    @Test func `the time of a sample ends the span`() throws {
        let played = play(
            try source(["metrics": map(["crash_free_sessions": "ratio"])]), ["": answer(fixture: "query_vector.json")])
        #expect(played.observations.map(\.subject.release) == ["5.4.0", "5.3.0"])
        #expect(played.observations.first?.subject.app == "wallet")
        #expect(played.observations.first?.metrics == ["crash_free_sessions": 0.9750208955223881])
        #expect(played.observations.first?.span.to == Moment(rfc3339: "2026-11-21T00:00:00.123Z"))
    }

    @Test func `labels may have other names`() throws {
        let source = try source([
            "metrics": map(["sessions": "x"]), "app_label": text("service"), "release_label": text("version"),
            "environment_label": text("stage"),
        ])
        let labels = #"{"service": "a", "version": "1", "stage": "prod", "release": "r", "__name__": "x", "zone": ""}"#
        let observation = try #require(play(source, ["": vector((labels, "1"))]).observations.first)
        #expect(observation.subject == Subject(source: "checkout", app: "a", release: "1", environment: "prod"))
        #expect(observation.labels == ["release": "r"])
    }

    @Test func `labels on which queries differ are dropped`() throws {
        let played = play(
            try source(),
            [
                "(sessions_total": vector((#"{"app": "a", "pod": "1", "team": "t"}"#, "10")),
                "crashed": vector((#"{"app": "a", "pod": "2", "team": "t"}"#, "1")),
            ])
        #expect(played.observations.map(\.labels) == [["team": "t"]])
    }

    @Test func `a scalar needs the app's name`() throws {
        let metrics = map(["score": "scalar(x)"])
        let named = play(
            try source(["metrics": metrics, "app": text("shop")]), ["": answer(fixture: "query_scalar.json")])
        #expect(named.observations.map(\.metrics) == [["score": 99.7]])
        #expect(named.observations.map(\.subject.app) == ["shop"])
        let nameless = play(try source(["metrics": metrics]), ["": answer(fixture: "query_scalar.json")])
        #expect(nameless.failure?.reason == .badAnswer)
        #expect(
            nameless.failure?.description
                == "metric 'score': the series {} has no label 'app'; keep it, as in sum by (app) (…), or name the app "
                + "in 'app'")
    }

    @Test func `a label names the app before the option does`() throws {
        let played = play(try source(["app": text("other")]), ["": vector((#"{"app": "web"}"#, "1"), ("{}", "2"))])
        #expect(played.observations.map(\.subject.app) == ["web", "other"])
    }

    @Test func `a series about nobody costs only itself, as when one target lacks the label`() throws {
        let played = play(try source(), ["": vector((#"{"app": "web"}"#, "1"), ("{}", "2"), (#"{"pod": "1"}"#, "3"))])
        #expect(played.observations.map(\.subject.app) == ["web"])
        #expect(
            played.report?.warnings
                == ["crashed_sessions", "sessions"].map { metric in
                    "left out: metric '\(metric)': the series {} has no label 'app'; keep it, as in sum by (app) (…), or name "
                        + "the app in 'app'"
                })
        #expect(played.report?.unread == .anything)
    }

    @Test func `two series of one subject fail and say what to aggregate over`() throws {
        let failure = try #require(
            play(
                try source(),
                [
                    "": vector(
                        (#"{"app": "a", "pod": "1", "z": "q"}"#, "1"), (#"{"app": "a", "pod": "2", "z": "q"}"#, "2"))
                ]
            ).failure)
        #expect(failure.reason == .badAnswer)
        #expect(
            failure.description
                == #"metric 'sessions': two series are about app 'a': {app="a", pod="1", z="q"} and {app="a", "#
                + #"pod="2", z="q"}; aggregate over 'pod', or set which label is the release or the environment"#)
    }

    @Test func `two series of one subject, one after the other, are one: a pod was replaced by another`() throws {
        func matrix(_ second: String) -> FetchResult {
            answer(
                #"{"status": "success", "data": {"resultType": "matrix", "result": ["#
                    + #"{"metric": {"app": "a", "pod": "1"}, "values": [[1795218600, "5"], [1795218900, "6"]]}, "#
                    + #"{"metric": {"app": "a", "pod": "2"}, "values": [\#(second)[1795219200, "7"]]}, "#
                    + #"{"metric": {"app": "b", "pod": "1"}, "values": [[1795218900, "8"]]}]}}"#)
        }
        let source = try source(["metrics": map(["sessions": "x"]), "step": option(.duration(.minutes(5)))])
        let cursor: JSON = ["step": "5m", "until": "2026-11-20T23:50:00Z"]
        let parted = play(source, poll(cursor: cursor), ["": matrix("")])
        #expect(parted.report?.warnings == [])
        #expect(parted.observations.filter { $0.subject.app == "a" }.map { $0.metrics["sessions"] } == [5, 6, 7])
        #expect(parted.observations.last?.labels == ["pod": "2"])
        let overlapping = play(source, poll(cursor: cursor), ["": matrix(#"[1795218900, "1"], "#)])
        #expect(overlapping.observations.filter { $0.subject.app == "a" }.map { $0.metrics["sessions"] } == [5, 7])
        #expect(overlapping.observations.contains { $0.subject.app == "b" })
        #expect(overlapping.report?.warnings.first?.contains("two series are about app 'a'") == true)
    }

    @Test func `no series and NaN are no data`() throws {
        #expect(play(try source(), ["": answer(fixture: "query_vector_empty.json")]).report?.outcome == .noData)
        #expect(play(try source(), ["": vector((#"{"app": "a"}"#, "NaN"))]).report?.outcome == .noData)
        let half = play(
            try source(),
            ["(sessions_total": vector((#"{"app": "a"}"#, "5")), "crashed": answer(fixture: "query_vector_empty.json")])
        #expect(half.observations.map(\.metrics) == [["sessions": 5]], "nothing is not zero")
    }

    @Test(arguments: [
        ("+Inf", "{app=\"a\"} is infinite; something was divided by zero"), ("-Inf", "{app=\"a\"} is infinite"),
        ("inf", "is infinite"), ("", "expected a number in quotes, found the string \"\""),
        ("1,5", "expected a number in quotes"), ("-3", "'sessions' is -3.0, but a count is never negative"),
    ]) func `a value that is no figure is a failure`(_ value: String, _ words: String) throws {
        let failure = try #require(play(try source(), ["": vector((#"{"app": "a"}"#, value))]).failure)
        #expect(failure.reason == .badAnswer)
        #expect(failure.description.contains(words), "\(failure)")
    }

    @Test(arguments: ["+Inf", "-Inf", "-1", "0.05"])
    func `what is wrong with one app is left out and said, and the others are judged`(_ value: String) throws {
        let apps = [#"{"app": "big"}"#, #"{"app": "tiny"}"#]
        let crashed = value == "0.05" ? "2.1" : "0"
        let played = play(
            try source(),
            [
                "(sessions_total": vector((apps[0], "9000"), (apps[1], value)),
                "crashed": vector((apps[0], "1200"), (apps[1], crashed)),
            ])
        #expect(played.observations.map(\.subject.app) == ["big"])
        let report = try #require(played.report)
        #expect(report.unread == .apps(["tiny"]), "it has not vanished")
        #expect(report.missing?.description.contains("tiny") == true, "where it lasts people are to know")
        #expect(report.warnings.count == 1 && report.warnings[0].contains("tiny"), "\(report.warnings)")
    }

    @Test func `of an app with a bad release nothing is judged, lest the others pass for it`() throws {
        let source = try source(["release_label": text("v")])
        let series = ["5.1", "5.2"].map { #"{"app": "shop", "v": "\#($0)"}"# } + [#"{"app": "bank", "v": "1"}"#]
        let played = play(
            source,
            [
                "(sessions_total": vector((series[0], "900"), (series[1], "40"), (series[2], "5")),
                "crashed": vector((series[0], "1"), (series[1], "44"), (series[2], "0")),
            ])
        #expect(played.observations.map(\.subject.app) == ["bank"])
        #expect(played.report?.unread == .apps(["shop"]))
    }

    @Test func `special values are told with their metric`() throws {
        let source = try source(["metrics": map(["m": "x"]), "app": text("a")])
        let failure = try #require(play(source, ["": answer(fixture: "query_vector_special_values.json")]).failure)
        #expect(failure.description.contains("metric 'm': the figure of"))
    }

    @Test func `a percentage is not taken for a fraction`() throws {
        let source = try source(["metrics": map(["crash_free_sessions": "x"])])
        let failure = try #require(play(source, ["": vector((#"{"app": "a"}"#, "99.7"))]).failure)
        #expect(
            failure.description == "app 'a': 'crash_free_sessions' is 99.7, but a rate is a fraction from 0 to 1 "
                + "(divide percentages by 100)")
    }

    @Test(
        arguments: [
            ("100", "100.9", 100.0), ("100", "100", 100), ("0.5", "0.504", 0.5), ("100", "102", 100), ("0", "0.1", 0),
            ("0", "1", 0), ("1", "2", 1), ("100", "103", nil), ("40", "44", nil), ("1000", "1011", nil),
            // What is left of the difference of two counters.
            ("1000.0000000000001", "-1.1368683772161603e-13", 0), ("100", "-0.7", 0), ("100", "-1.5", nil),
            ("200000", "-1", 0), ("200000", "-1500", nil), ("0.5", "-0.4", nil),
        ] as [(String, String, Double?)]
    ) func `crashed may be out of bounds by what extrapolation adds, and above by whom began before the range`(
        _ total: String,
        _ hits: String,
        _ expected: Double?
    ) throws {
        let played = play(
            try source(),
            ["(sessions_total": vector((#"{"app": "a"}"#, total)), "crashed": vector((#"{"app": "a"}"#, hits))])
        #expect(played.observations.first?.metrics["crashed_sessions"] == expected)
        #expect((played.failure == nil) == (expected != nil))
    }

    @Test func `rounding does not push a rate out of its range`() throws {
        let source = try source(["metrics": map(["crash_free_users": "x"])])
        let played = play(source, ["": vector((#"{"app": "a"}"#, "1.0000000000000002"))])
        #expect(played.observations.map(\.metrics) == [["crash_free_users": 1]])
        #expect(play(source, ["": vector((#"{"app": "a"}"#, "1.001"))]).failure != nil)
    }

    @Test func `more series than anybody watches are a failure`() throws {
        let series = (0...1000).map { #"{"metric": {"app": "a\#($0)"}, "value": [1795219200, "1"]}"# }
        let body =
            #"{"status": "success", "data": {"resultType": "vector", "result": [\#(series.joined(separator: ","))]}}"#
        let failure = try #require(play(try source(), ["": answer(body)]).failure)
        #expect(failure.reason == .tooLarge)
        #expect(failure.description.contains("1001 series are more than 1000; aggregate"))
    }
}
