import Chance
import PluginKit
import PluginTesting
import Testing

@testable import PushSource

private let line = #"{"app":"shop","from":"2026-11-20T23:00:00Z","to":"2026-11-21T00:00:00Z","metrics":{"users":5}}"#

@Suite struct `What is pushed` {
    @Test func `it conforms to what every source must do`() throws {
        let poll = Poll(source: "job", now: now, cursor: nil, spans: [.hours(1)])
        let conformance = SourceConformance(try source(), poll: poll, secrets: ["s3cret-token"]) { _ in
            .failed(TransportError(.connect, mayHaveArrived: false, "nobody is asked"))
        }
        #expect(conformance.violations() == [])
    }

    @Test func `becomes observations of this source, seen now`() throws {
        let source = try source()
        let body =
            line + "\r\n\n"
            + line.replacing("shop", with: "wallet").replacing(
                "{\"app\"", with: #"{"source":"x","seen":"2026-11-21T00:00:30Z","app""#)
        #expect(summary(source, push(body)) == "job shop users=5\njob wallet users=5")
        let report = try source.read(push(body))
        guard case .values(let seen) = report.outcome else { return }
        #expect(seen.map(\.seen.description) == ["2026-11-21T00:01:00Z", "2026-11-21T00:00:30Z"])
        #expect(report.cursor == ["pushed": "2026-11-21T00:01:00Z"])
    }

    @Test(arguments: [
        ("", "mistake: found no line, expected one JSON object a line"),
        ("\n \n", "mistake: found no line, expected one JSON object a line"),
        (line + "\n{\"app\":}", "mistake: line 2: column 8: expected a value, found '}'"),
        ("[]", "mistake: line 1: found an array, expected a JSON object with app, from, to and metrics"),
        (
            line + "\n\n" + line.replacing("5}", with: #""5"}"#),
            "mistake: line 3: $.metrics.users: expected a number, found the string \"5\""
        ),
        (
            line.replacing("\"app\"", with: "\"ap\""),
            "mistake: line 1: 'ap' is not known; did you mean app?"
        ),
        (
            line.replacing("5}", with: "-5}"),
            "mistake: line 1: $.metrics: expected plausible figures, found 'users' is -5.0, but a count is never negative"
        ),
        (
            line.replacing("{\"app\"", with: #"{"seen":"2026-11-21T02:00:00Z","app""#),
            "mistake: line 1: $.seen: found 2026-11-21T02:00:00Z, expected no moment after now (2026-11-21T00:01:00Z); a clock may be ahead"
        ),
        (
            line.replacing("2026-11-20T23:00:00Z", with: "2026-11-21T00:20:00Z").replacing(
                "2026-11-21T00:00:00Z", with: "2026-11-21T00:30:00Z"),
            "mistake: line 1: $.from: found 2026-11-21T00:20:00Z, expected a span that has begun"
        ),
        (
            line.replacing("{\"app\"", with: #"{"relese":"1","app""#),
            "mistake: line 1: 'relese' is not known; did you mean release?"
        ),
        (
            line.replacing("{\"app\"", with: #"{"app":"other","app""#),
            "mistake: line 1: 'app' stands twice, and nobody knows which is meant"
        ),
        (
            line.replacing("5}", with: #"5,"crashed_users":2,"users":1000}"#),
            "mistake: line 1: 'users' stands twice, and nobody knows which is meant"
        ),
        (
            line.replacing("5}}", with: #"5},"labels":{"team":"a","team":"b"}}"#),
            "mistake: line 1: 'team' stands twice, and nobody knows which is meant"
        ),
        (
            line.replacing("5}}", with: #"5},"issues":[{"id":"a","events":1,"events":2}]}"#),
            "mistake: line 1: 'events' stands twice, and nobody knows which is meant"
        ),
        (
            line + "\n" + line.replacing("5}", with: "1e13}"),
            "mistake: line 2: $.metrics: 'users' is 10000000000000.0, expected at most 1000000000000.0"
        ),
        (
            line.replacing("5}", with: (1...256).reduce("5") { $0 + ",\"m\($1)\":1" } + "}"),
            "mistake: line 1: $.metrics: it has 257 metrics, expected at most 256"
        ),
        (line.replacing("{\"app\"", with: #"{"hostname":"ci-3","app""#), "job shop users=5"),
        // Who has a hundred names of their own has not mistyped one of ours.
        (
            line.replacing(
                "{\"app\"", with: (1...100).reduce("{") { $0 + "\"n\($1)\":1," } + "\"relese\":1,\"app\""),
            "job shop users=5"
        ),
        (
            line.replacing("{\"app\"", with: #"{"failed":"timeout","app""#),
            "mistake: line 1: $.metrics: expected no metrics beside 'failed' or 'outcome', found an object"
        ),
        (
            #"{"source":"own"}"#,
            "mistake: line 1: $: expected either 'failed' or 'app', 'from', 'to' and 'metrics', found an object without "
                + "'app', 'from', 'to', 'metrics'"
        ),
        (
            line.replacing(#""users":5"#, with: #""sessions":1000,"crashed_sessions":3"#) + "\n"
                + line.replacing(#""users":5"#, with: #""sessions":0,"crashed_sessions":1"#),
            "job shop sessions=1000 crashed_sessions=3\njob shop sessions=0 crashed_sessions=0"
        ),
        (#"{"failed":"timeout"}"#, "timeout: timeout"),
        (#"{"failed":"timeout"}"# + "\n" + line, "job shop users=5"),
    ])
    func `is taken whole or not at all`(_ body: String, _ expected: String) throws {
        #expect(summary(try source(), push(body)) == expected)
    }

    @Test func `leaves open what it says it leaves open`() throws {
        let part = #"{"outcome":"partial","apps":["job"]}"#
        #expect(try source().read(push(part + "\n" + line)).unread == .apps(["job"]))
        #expect(try source().read(push(line)).unread == .nothing)
        #expect(
            summary(try source(), push(#"{"failed":"timeout"}"# + "\n" + part)) == "timeout: timeout")
        // Whoever says what is missing does not say that the rest is as before.
        #expect(summary(try source(), push(part)) == "unchanged")
        #expect(try source().read(push(part)).unread == .anything)
    }

    @Test func `has bounds`() throws {
        let many = String(repeating: line + "\n", count: Push.linesMax + 1)
        #expect(
            summary(try source(), push(many))
                == "mistake: line 10001: found more than 10000 lines, expected fewer in one push")
        let long = line.replacing("shop", with: String(repeating: "x", count: 1 << 20))
        #expect(summary(try source(), push(long)).hasPrefix("mistake: line 1: found 10486") == true)
    }

    @Test func `texts made of scraps of lines never trap`() throws {
        let source = try source()
        let bytes = Array((line + "\n" + line).utf8)
        var random = SeededRandom(printedFor: "texts made of scraps of lines")
        for _ in 0..<5000 {
            var mutated = bytes
            for _ in 0...random.below(3) { mutated[random.below(mutated.count)] = UInt8(random.below(256)) }
            let sent = Push(source: "job", headers: PushHeaders([]), body: mutated, now: now)
            guard case .values(let seen)? = try? source.read(sent).outcome else { continue }
            for observation in seen { #expect(observation.flaw == nil) }
        }
    }
}

@Suite struct `Who may push` {
    @Test func `has the token`() throws {
        let source = try source()
        func may(_ headers: [(name: String, value: String)]) -> Bool { source.isAuthentic(push("", headers)) }
        #expect(may([("Authorization", "Bearer s3cret-token")]))
        #expect(may([("authorization", "bearer  s3cret-token")]))
        for wrong in ["Bearer s3cret-toke", "Bearer s3cret-token2", "s3cret-token", "Basic s3cret-token", "Bearer", ""]
        {
            #expect(!may([("Authorization", wrong)]))
        }
        #expect(!may([]))
        #expect(!may([("Authorization", "Bearer s3cret-token"), ("Authorization", "Bearer x")]))
    }

    @Test func `or signs as Sentry does`() throws {
        let source = try source(["format": "sentry", "app": "a"])
        let body = #"{"action":"created"}"#
        // openssl dgst -sha256 -hmac s3cret-token
        let signature = "ed901872e9d0a0c3cfb012108c2e8313569b6adaa463fdb23a157fc2a88585d1"
        #expect(source.isAuthentic(push(body, [("Sentry-Hook-Signature", signature)])))
        #expect(!source.isAuthentic(push(body + " ", [("Sentry-Hook-Signature", signature)])))
        #expect(!source.isAuthentic(push(body, [("Sentry-Hook-Signature", "")])))
        #expect(!(try Self.lines().isAuthentic(push(body, [("Sentry-Hook-Signature", signature)]))))
    }

    private static func lines() throws -> PushSource { try source() }

    @Test(arguments: [
        (["token": " "], "'token' is empty: anybody could push"),
        (["app": "x"], "lines of observations name their app; 'app' is for alerts"),
        (["app_label": "x", "format": "sentry"], "'app_label' is for 'format: grafana'"),
        (["span": "5m", "format": "grafana"], "'span' says what 'values' cover, but there are no 'values'"),
    ])
    func `mistakes in the options are reported`(_ texts: [String: String], _ expected: String) {
        let error = #expect(throws: ProblemList.self) { try source(texts) }
        #expect(error?.problems.map(\.message) == [expected])
    }
}

@Suite struct `A source that nobody pushes to` {
    private func poll(_ source: PushSource, cursor: JSON?, at moment: Moment) throws -> PollReport {
        let played = PlayedPoll(source, Poll(source: "job", now: moment, cursor: cursor, spans: [.hours(1)])) { _ in
            .failed(TransportError(.connect, mayHaveArrived: false, "nobody is asked"))
        }
        #expect(played.requests.isEmpty)
        return try #require(played.report)
    }

    @Test func `is stale after its slowest`() throws {
        let source = try source()
        let first = try poll(source, cursor: nil, at: now)
        #expect(first.outcome == .noData)
        #expect(try poll(source, cursor: first.cursor, at: now + .hours(1)).outcome == .stale(measured: now))
        let pushed = try source.read(push(line)).cursor
        #expect(try poll(source, cursor: pushed, at: now + .minutes(59)).outcome == .unchanged)
        #expect(try poll(source, cursor: pushed, at: now + .minutes(60)).outcome == .stale(measured: now))
    }

    @Test func `is fine where it waits for alerts`() throws {
        let source = try source(["format": "grafana", "app": "a"])
        let cursor = try poll(source, cursor: nil, at: now).cursor
        #expect(try poll(source, cursor: cursor, at: now + .days(9)).outcome == .unchanged)
    }
}

@Suite struct `Alerts` {
    @Test func `of Grafana are issues, with figures where the config names them`() throws {
        let source = try source(["format": "grafana", "app": "backend"], values: ["B": "crash_events"])
        #expect(
            summary(source, push(text(fixture: "grafana.json")))
                == """
                job shop-android production crash_events=412 c6eadffa33fcdf37 Crashes of the app: 412 crashes in 10 minutes [firing]
                job backend bc97ff14869b13e3 Logins fail [resolved]
                """)
        let report = try source.read(push(text(fixture: "grafana.json")))
        #expect(report.warnings == ["Grafana left out 2 alerts of this group"])
        guard case .values(let all) = report.outcome else { return }
        let seen = all.filter { !$0.issues.isEmpty }
        // The subject is known from the moment before the alert began, or the alert would be taken for an old one.
        #expect(
            all.filter(\.issues.isEmpty).map { "\($0.subject.app) \($0.seen)" } == [
                "shop-android 2026-11-20T21:51:03.156Z", "backend 2026-11-20T20:09:59.999Z",
            ])
        #expect(seen[0].issues[0].firstSeen?.description == "2026-11-20T21:51:03.157Z")
        #expect(seen[0].issues[0].lastSeen == nil)
        #expect(seen[0].issues[0].url == "https://grafana.example.com/alerting/1afz29v7z/edit")
        #expect(seen[1].issues[0].url == "https://grafana.example.com/d/logins")
        #expect(seen[1].issues[0].lastSeen?.description == "2026-11-20T21:40:00Z")
    }

    private func alerts(_ alerts: [(country: String, value: Double, status: String)]) -> String {
        let texts = alerts.map { country, value, status in
            """
            {"status":"\(status)","labels":{"app":"shop","country":"\(country)"},"values":{"B":\(value)},
            "startsAt":"2026-11-20T23:50:00Z","fingerprint":"\(country)"}
            """
        }
        return #"{"alerts":[\#(texts.joined(separator: ","))]}"#
    }

    @Test func `that fire are not lost behind what is over, and what is left out is said`() throws {
        let source = try source(["format": "grafana", "app": "a"])
        func alerts(_ status: String, _ count: Int) -> [String] {
            (0..<count).map {
                #"{"status":"\#(status)","labels":{"alertname":"n"},"fingerprint":"\#(status)\#($0)","startsAt":"2026-11-20T00:00:00Z"}"#
            }
        }
        let body = (alerts("resolved", 100) + alerts("firing", 30)).joined(separator: ",")
        let report = try source.read(push(#"{"alerts":[\#(body)]}"#))
        guard case .values(let seen) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        let statuses = seen.flatMap(\.issues).map(\.status)
        #expect(statuses == Array(repeating: "firing", count: 30) + Array(repeating: "resolved", count: 70))
        #expect(
            report.warnings == [
                "30 alerts of a left out: of one app at most 100 count, those that fire first; name what distinguishes them in "
                    + "'app_label', 'release_label' or 'environment_label'"
            ])
    }

    @Test func `that are repeated do not add their figures up`() throws {
        let source = try source(["format": "grafana"], values: ["B": "crash_events"])
        var series = Series()
        for seconds in [0, 3, 600] {
            let body = Array(alerts([("ES", 20, "firing")]).utf8)
            let push = Push(source: "job", headers: PushHeaders([]), body: body, now: now + .seconds(seconds))
            guard case .values(let seen) = try source.read(push).outcome else { continue }
            for observation in seen { series.add(observation, keeping: .hours(1)) }
            #expect(series.measured(.crashEvents, over: .hours(1))?.figure.value == 20)
        }
        #expect(series.measured(.crashEvents, over: .hours(1))?.covered == .hours(1))
    }

    @Test func `of crashes that are reported late count as all that there are`() throws {
        let source = try source(["format": "grafana"], values: ["A": "sessions", "B": "crashed_sessions"])
        for parts in [[#""A":0,"B":1"#], [#""A":0"#, #""B":1"#]] {
            let texts = parts.enumerated().map { number, values in
                #"{"status":"firing","labels":{"app":"shop"},"values":{\#(values)},"#
                    + #""startsAt":"2026-11-20T23:50:00Z","fingerprint":"\#(number)"}"#
            }
            let said = summary(source, push(#"{"alerts":[\#(texts.joined(separator: ","))]}"#))
            #expect(said.hasPrefix("job shop crashed_sessions=0 sessions=0 "), "\(said)")
        }
    }

    @Test(
        arguments: [
            ([("ES", 40, "firing"), ("FR", 0, "resolved")], 40, false),
            ([("FR", 0, "resolved"), ("ES", 40, "firing")], 40, false),
            ([("ES", 40, "firing"), ("FR", 40, "firing")], 40, false),
            ([("ES", 2, "resolved"), ("FR", 2, "resolved")], 2, false),
            ([("ES", 40, "firing"), ("FR", 30, "firing"), ("PT", 40, "firing")], nil, true),
            ([("ES", 1, "resolved"), ("FR", 2, "resolved")], nil, true),
        ] as [([(String, Double, String)], Double?, Bool)])
    func `of one app must agree on a figure, and those that fire come first`(
        _ told: [(country: String, value: Double, status: String)], _ expected: Double?, _ isWarned: Bool
    ) throws {
        let source = try source(["format": "grafana"], values: ["B": "crash_events"])
        let report = try source.read(push(alerts(told)))
        guard case .values(let seen) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(seen.last?.metrics[.crashEvents] == expected)
        #expect(seen.last?.issues.count == told.count)
        #expect(
            report.warnings
                == (isWarned
                    ? [
                        "alerts of one push give different crash_events for shop, so none counts; name what distinguishes "
                            + "them in 'app_label', 'release_label' or 'environment_label', or one value of it in 'values'"
                    ] : []))
    }

    @Test(
        arguments: [
            (#""B":5,"C":1"#, nil, 1), (#""B":1,"C":5"#, nil, 1), (#""B":5,"C":5"#, 5, 0), (#""C":1"#, 1, 0),
        ] as [(String, Double?, Int)])
    func `that have two values of one metric must agree on it, too`(
        _ values: String, _ expected: Double?, _ warnings: Int
    ) throws {
        let source = try source(["format": "grafana"], values: ["B": "crash_events", "C": "crash_events"])
        let report = try source.read(push(alerts([("ES", 0, "firing")]).replacing(#""B":0.0"#, with: values)))
        guard case .values(let seen) = report.outcome else {
            Issue.record("\(report.outcome)")
            return
        }
        #expect(seen.last?.metrics[.crashEvents] == expected)
        let said = "alerts of one push give different crash_events for shop"
        #expect(report.warnings.count { $0.hasPrefix(said) } == warnings)
    }

    @Test(arguments: [
        (
            "\"app\": \"shop-android\"", "\"ap\": \"shop-android\"",
            "an alert is left out: $.alerts[0].labels: expected a label 'app' with the app, or 'app' in the config, found none "
                + "for the alert Crashes of the app"
        ),
        (
            "\"status\": \"firing\",\n      \"labels\"", "\"status\": \"odd\",\n      \"labels\"",
            "an alert is left out: $.alerts[0].status: expected \"firing\" or \"resolved\", found the string \"odd\""
        ),
        (
            "c6eadffa33fcdf37", "",
            "an alert is left out: $.alerts[0].fingerprint: expected a string that is not empty, found the string \"\""
        ),
        (
            "412.0", "-1",
            "a value is left out: $.alerts[0].values.B: expected plausible figures, found 'crash_events' is -1.0, but a count is "
                + "never negative"
        ),
        ("412.0", "\"NaN\"", "a value is left out: $.alerts[0].values.B: expected a number, found the string \"NaN\""),
    ])
    func `or values that make no sense are named and left out, and the others count`(
        _ part: String, _ other: String, _ warning: String
    ) throws {
        let source = try source(["format": "grafana"], values: ["B": "crash_events"])
        let pair = text(fixture: "grafana.json").replacing("\"zone\": \"eu-1\"", with: "\"app\": \"backend\"")
        let sent = push(pair.replacing(part, with: other))
        let first =
            "job shop-android production c6eadffa33fcdf37 Crashes of the app: 412 crashes in 10 minutes [firing]\n"
        let isAlert = warning.hasPrefix("an alert")
        #expect(summary(source, sent) == (isAlert ? "" : first) + "job backend bc97ff14869b13e3 Logins fail [resolved]")
        let report = try source.read(sent)
        #expect(report.warnings.last == warning)
        #expect(report.unread == (isAlert ? .anything : .nothing))
    }

    @Test func `of which none makes sense are refused`() throws {
        let sent = push(text(fixture: "grafana.json").replacing("\"app\"", with: "\"ap\""))
        #expect(
            summary(try source(["format": "grafana"]), sent)
                == "mistake: $.alerts[0].labels: expected a label 'app' with the app, or 'app' in the config, found none "
                + "for the alert Crashes of the app")
    }

    @Test func `with more that crashed than there is have no values`() throws {
        let source = try source(
            ["format": "grafana", "app": "a"], values: ["A": "sessions", "B": "crashed_sessions"])
        let sent = push(text(fixture: "grafana.json").replacing("\"B\": 412.0", with: "\"A\": 5, \"B\": 412.0"))
        #expect(summary(source, sent).hasPrefix("job shop-android production c6eadffa33fcdf37 Crashes"))
        #expect(
            try source.read(sent).warnings.last
                == "a value is left out: $.alerts[0].values: expected plausible figures, found 'crashed_sessions' (412) is more "
                + "than 'sessions' (5)")
    }

    @Test(arguments: [
        ("issue", "sentry_issue", "job shop-ios 1170820242 NullPointerException in CartView [new]"),
        // The same issue of the same app, in no environment: it is told once, whichever hook comes first.
        ("event_alert", "sentry_event_alert", "job shop-ios 1170820242 NullPointerException in CartView [-]"),
        ("metric_alert", "sentry_metric_alert", "job shop-ios alert-4 Critical: Crash-free sessions [critical]"),
        ("comment", "sentry_issue", "unchanged"),
    ])
    func `of Sentry are issues`(_ resource: String, _ name: String, _ expected: String) throws {
        let source = try source(["format": "sentry", "app": "fallback"])
        #expect(summary(source, push(text(fixture: "\(name).json"), [("Sentry-Hook-Resource", resource)])) == expected)
    }

    @Test func `of Sentry count what there ever was, which says nothing of now`() throws {
        let source = try source(["format": "sentry"])
        let report = try source.read(push(text(fixture: "sentry_issue.json"), [("Sentry-Hook-Resource", "issue")]))
        guard case .values(let seen) = report.outcome else {
            Testing.Issue.record("\(report.outcome)")
            return
        }
        #expect(seen.flatMap(\.issues).map(\.events) == [nil])
        #expect(seen.flatMap(\.issues).map(\.users) == [nil])
    }

    @Test(
        arguments: [
            ("https://us.sentry.io/api/0/projects/shop/shop-android/events/e4/", "shop-android"),
            ("https://errors.example.com/sentry/api/0/projects/shop/shop-web/events/e4/?x=1", "shop-web"),
            // No address of an event.
            ("https://sentry.io/api/0/projects/shop/shop-web/", nil),
            ("https://sentry.io/api/0/issues/7/events/8/", nil),
            ("https://sentry.io/api/0/projects/", nil), ("javascript:/api/0/projects/shop/shop-web/events/e4/", nil),
        ] as [(String, String?)])
    func `of Sentry about an event name their project in its address, and where they do not need 'app'`(
        _ address: String, _ app: String?
    ) throws {
        let mine = "https://sentry.io/api/0/projects/shop/shop-ios/events/e4874d664c3540c1a32eab185f12c5ab/"
        let body = text(fixture: "sentry_event_alert.json").replacing(mine, with: address)
        let sent = push(body, [("Sentry-Hook-Resource", "event_alert")])
        let issue = "1170820242 NullPointerException in CartView [-]"
        let none = "mistake: $.data: expected the project's name, or 'app' in the config, found none"
        let bare = try source(["format": "sentry"])
        let told = app.map { "job \($0) \(issue)" } ?? none
        #expect(summary(bare, sent) == told)
        let helped = try source(["format": "sentry", "app": "fallback"])
        let name = app ?? "fallback"
        #expect(summary(helped, sent) == "job \(name) \(issue)")
    }
}
