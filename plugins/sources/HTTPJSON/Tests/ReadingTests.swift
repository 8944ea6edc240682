import PluginKit
import PluginTesting
import Testing

@testable import HTTPJSONSource

@Suite struct `Reading an answer` {
    @Test func `the example of the documentation works`() throws {
        let source = try source(
            ["each": "$.apps[*]"],
            map: [
                "app": "$.name", "release": "$.version", "users": "$.users.total", "crashed_users": "$.users.crashed",
            ])
        let body = """
            {"apps": [{"name": "shop-ios", "version": "5.2.0", "users": {"total": 1840, "crashed": 31}},
                      {"name": "shop-android", "version": "8.0", "users": {"total": "2012", "crashed": 3}}]}
            """
        let report = try report(source, json(body))
        #expect(
            report.summary == """
                shop-ios 5.2.0 users=1840 crashed_users=31
                shop-android 8.0 users=2012 crashed_users=3
                """)
        guard case .values(let seen) = report.outcome else { return }
        #expect(seen[0].span == TimeSpan(lasting: .minutes(5), until: now))
        #expect(seen[0].seen == now)
        #expect(seen[0].isComplete)
        #expect(seen[0].subject.source == "own-dashboard")
        #expect(source.metrics == ["users", "crashed_users"])
        #expect(source.host == "stats.example.com")
    }

    @Test func `a flat answer`() throws {
        let source = try source(
            ["span": "1h"],
            map: [
                "app": "$.app", "release": "$.release", "crash_free_users": "$.crash_free_users",
                "sessions": "$.sessions", "to": "$.measured_at",
            ])
        let report = try report(source, json(text(fixture: "flat.json")))
        #expect(report.summary == "wallet 5.4.0 crash_free_users=0.9469 sessions=41875")
        guard case .values(let seen) = report.outcome else { return }
        #expect(seen[0].span.from.description == "2026-11-20T23:00:00Z")
        #expect(seen[0].span.to.description == "2026-11-21T00:00:00Z")
    }

    @Test func `rows with percent signs and commas`() throws {
        let source = try source(
            ["each": "$.data.rows[*]", "measured": "$.meta.generated"],
            map: [
                "app": "$.app.id", "release": "$.version", "sessions": "$.stability.sessions | commas",
                "crash_free_sessions": "$.stability.crashFreeSessionsPct | percent",
            ])
        let report = try report(source, json(text(fixture: "nested_rows.json")))
        #expect(
            report.summary == """
                wallet 5.4.0 sessions=41875 crash_free_sessions=0.975
                wallet 5.3.0 sessions=184220 crash_free_sessions=0.9978
                """)
        guard case .values(let seen) = report.outcome else { return }
        #expect(seen[0].span.to == Moment(unixSeconds: 1_795_219_200))
    }

    @Test func `a bare number`() throws {
        let source = try source(["app": "wallet"], map: ["crash_free_users": "$ | percent"])
        #expect(try report(source, json(text(fixture: "bare_number.json"))).summary == "wallet crash_free_users=0.998")
    }

    @Test func `a bare array whose null point is no data`() throws {
        let source = try source(["app": "wallet", "each": "$[*]"], map: ["crash_free_users": "$.v", "to": "$.t"])
        #expect(try report(source, json(text(fixture: "bare_array.json"))).summary == "wallet crash_free_users=0.9979")
    }

    @Test func `issues of a row`() throws {
        let source = try source(
            ["app": "wallet"], map: ["crash_events": "$.items[0].events"],
            issues: [
                "each": "$.items[*]", "id": "$.key", "title": "$.name", "events": "$.events", "users": "$.users",
                "first_seen": "$.first", "last_seen": "$.last", "release": "$.version", "status": "$.state",
                "url": "$['a/b']['c~d']",
            ])
        guard case .values(let seen) = try report(source, json(text(fixture: "issues.json"))).outcome else {
            Testing.Issue.record("no values")
            return
        }
        #expect(
            seen[0].issues == [
                PluginKit.Issue(
                    id: "WALLET-12", title: "NullPointerException in CheckoutViewModel.submit", events: 1287,
                    users: 903,
                    firstSeen: Moment(rfc3339: "2026-11-20T18:04:11Z"),
                    lastSeen: Moment(rfc3339: "2026-11-20T23:58:40Z"),
                    release: "5.4.0", status: "open", url: "1")
            ])
    }

    @Test func `long titles are cut and surplus issues left out`() throws {
        let source = try source(
            ["app": "a"], map: ["users": "$.n"], issues: ["each": "$.i[*]", "id": "$.id", "title": "$.t"])
        let issue = #"{"id":7,"t":"\#(String(repeating: "x", count: 20_000))"}"#
        let body = #"{"n":1,"i":[\#(Array(repeating: issue, count: 101).joined(separator: ","))]}"#
        guard case .values(let seen) = try report(source, json(body)).outcome else {
            Testing.Issue.record("no values")
            return
        }
        #expect(seen[0].issues.count == Issue.countMax)
        #expect(seen[0].issues[0].title.count == Issue.titleCharactersMax)
        #expect(seen[0].issues[0].id == "7")
    }

    /// One metric, mapped so, from an answer.
    @Test(arguments: [
        ("$.v", "5", 5.0), ("$.v", "5.25", 5.25), ("$.v", #""5""#, 5), ("$.v", #""5e1""#, 50),
        ("$.v | percent", "97.5", 0.975), ("$.v | percent", #""97.5%""#, 0.975), ("$.v | percent", #""97.5 %""#, 0.975),
        ("$.v | percent", #""97.5""#, 0.975), ("$.v|percent|invert", "25", 0.75), ("$.v | invert", "0.25", 0.75),
        ("$.v | scale 1000", "1.5", 1500), ("$.v | scale 0.001", "1500", 1.5),
        ("$.v | commas", #""1,234,567.5""#, 1_234_567.5),
        ("$.v | commas", #""17""#, 17), ("$.v | null zero", "null", 0), ("$.v | empty zero", "[]", 0),
        ("$.x | missing zero", "1", 0), ("$.v | other zero", #""n/a""#, 0), ("$.v | absent zero", "null", 0),
        ("$.v.x | null zero", "null", 0), ("$.v[-1] | empty zero", "[]", 0), ("$.v[*]", "[7]", 7),
        ("$.v['a|b']", #"{"a|b":3}"#, 3),
    ])
    func `a value is converted as its mapping says`(_ mapping: String, _ value: String, _ expected: Double) throws {
        let source = try source(["app": "a"], map: ["load": mapping])
        guard case .values(let seen) = try report(source, json(#"{"v":\#(value)}"#)).outcome else {
            Testing.Issue.record("no values")
            return
        }
        #expect(seen.map { $0.metrics["load"] } == [expected])
    }

    @Test(arguments: [
        ("$.v", "null"), ("$.v", "[]"), ("$.v.x", "null"), ("$.v[0]", "[]"), ("$.v[*].x", "[]"),
        ("$.x | missing no_data", "1"), ("$.v | other no_data", #""n/a""#), ("$.x | absent no_data", "1"),
    ])
    func `what may be absent is no data`(_ mapping: String, _ value: String) throws {
        let source = try source(["app": "a"], map: ["load": mapping])
        #expect(try report(source, json(#"{"v":\#(value)}"#)).outcome == .noData)
    }

    @Test(arguments: [
        ("$.x", "1", "$.x: expected a number for 'load', found nothing there"),
        ("$.v.x", "1", "$.v.x: expected a number for 'load', found nothing there"),
        ("$.v[0]", #"{"a":1}"#, "$.v[0]: expected a number for 'load', found nothing there"),
        ("$.v", #""n/a""#, #"$.v: expected a number for 'load', found the string "n/a""#),
        ("$.v", #""97.5%""#, #"$.v: expected a number for 'load', found the string "97.5%""#),
        ("$.v", #""1,234""#, #"$.v: expected a number for 'load', found the string "1,234""#),
        ("$.v | commas", #""1,5""#, #"$.v: expected a number for 'load', found the string "1,5""#),
        ("$.v", #""NaN""#, #"$.v: expected a number for 'load', found the string "NaN""#),
        ("$.v", #""0x10""#, #"$.v: expected a number for 'load', found the string "0x10""#),
        ("$.v", #"" 5""#, #"$.v: expected a number for 'load', found the string " 5""#),
        ("$.v", #""""#, #"$.v: expected a number for 'load', found the string """#),
        ("$.v", "true", "$.v: expected a number for 'load', found true"),
        ("$.v", #"{"a":1}"#, "$.v: expected a number for 'load', found an object"),
        ("$.v", "[1]", "$.v: expected a number for 'load', found an array"),
        ("$.v[*]", "[1,2]", "$.v[*]: expected one value for 'load', found 2 values"),
        ("$.v | null error", "null", "$.v: expected a number for 'load', found null"),
        ("$.v.x | null error", "null", "$.v.x: expected a number for 'load', found null along the path"),
        ("$.v | empty error", "[]", "$.v: expected a number for 'load', found an empty array"),
        ("$.v[0] | absent error", "[]", "$.v[0]: expected a number for 'load', found an empty array along the path"),
        ("$..*..*", "[[[[1]]]]", "$..*..*: expected one value for 'load', found 10 values"),
    ])
    func `what may not be is a failure with its path`(_ mapping: String, _ value: String, _ mismatch: String) throws {
        let source = try source(["app": "a"], map: ["load": mapping])
        let expected = "bad_answer: the answer is not what was expected: \(mismatch)"
        #expect(try report(source, json(#"{"v":\#(value)}"#)).summary == expected)
    }

    @Test(arguments: [
        (#"{"r":[]}"#, "no data"), (#"{"r":null}"#, "no data"), (#"{"r":[null]}"#, "no data"),
        ("{}", "$.r[*]: expected a value for 'each', found nothing there"),
        (#"{"r":5}"#, "$.r[*]: expected a value for 'each', found nothing there"),
        (#"{"r":{}}"#, "$.r[*]: expected a value for 'each', found nothing there"),
        (
            #"{"r":[{"users":-1,"crashed":0}]}"#,
            "$.r[0]: expected plausible figures, found 'users' is -1.0, but a count is never negative"
        ),
        (
            #"{"r":[{"users":5},{"users":3,"crashed":6}]}"#,
            "$.r[0].crashed: expected a number for 'crashed_users', found nothing there (and 1 more of 2 rows)"
        ),
        (
            #"{"r":[{"users":3,"crashed":6}]}"#,
            "$.r[0]: expected plausible figures, found 'crashed_users' (6) is more than 'users' (3)"
        ),
        (
            #"{"r":[{"users":5,"crashed":0},{"users":6,"crashed":0}]}"#,
            "$.r[1]: expected one row for each app, release, environment and span, found the same as in $.r[0]; "
                + "map what distinguishes them (and 1 more of 2 rows)"
        ),
        (
            #"{"r":[[1]]}"#,
            "$.r[0].users: expected a number for 'users', found nothing there ($.r[0] is an array: select with [*])"
        ),
    ])
    func `rows that are wrong are reported, rows that are not there are no data`(_ body: String, _ expected: String)
        throws
    {
        let source = try source(
            ["app": "a", "each": "$.r[*]"], map: ["users": "$.users", "crashed_users": "$.crashed"])
        let prefix = expected == "no data" ? "" : "bad_answer: the answer is not what was expected: "
        #expect(try report(source, json(body)).summary == prefix + expected)
    }

    @Test func `a percentage where a fraction belongs is reported`() throws {
        let source = try source(["app": "a"], map: ["crash_free_users": "$.v"])
        #expect(try report(source, json(#"{"v":99.5}"#)).summary.contains("a rate is a fraction from 0 to 1"))
    }

    /// What the row says of its time, and the span made of it with `span: 1h`.
    @Test(arguments: [
        (#""to":"2026-11-20T22:00:00Z""#, "2026-11-20T21:00:00Z/2026-11-20T22:00:00Z"),
        (#""from":"2026-11-20T22:00:00+01:00""#, "2026-11-20T21:00:00Z/2026-11-20T22:00:00Z"),
        (#""from":1795208400,"to":1795219200"#, "2026-11-20T21:00:00Z/2026-11-21T00:00:00Z"),
        (#""from":1795208400000,"to":"1795219200000""#, "2026-11-20T21:00:00Z/2026-11-21T00:00:00Z"),
        (#""from":"2026-11-21T00:00:00Z""#, "2026-11-21T00:00:00Z/2026-11-21T01:00:00Z open"),
        ("", "2026-11-20T23:01:00Z/2026-11-21T00:01:00Z"),
        (#""to":null"#, "no data"),
        (
            #""to":"yesterday""#,
            #"expected an instant (RFC 3339, or seconds or milliseconds since 1970) for 'to', found the string "yesterday""#
        ),
        (
            #""to":1e300"#,
            "expected an instant (RFC 3339, or seconds or milliseconds since 1970) for 'to', found 1e+300"
        ),
        (
            #""from":1795219200,"to":1795208400"#,
            "expected an end after the beginning, found 2026-11-21T00:00:00Z to 2026-11-20T21:00:00Z"
        ),
        (
            #""from":"2026-11-21T03:00:00Z""#,
            "expected a span that has begun, found one that begins at 2026-11-21T03:00:00Z"
        ),
    ])
    func `a row covers what it says it covers`(_ members: String, _ expected: String) throws {
        // What is not told is not mapped.
        var map = [("users", "$.n")]
        for name in ["from", "to"] where members.contains(name) { map.append((name, "$.\(name)")) }
        let entries = map.map { ($0.0, Option(.text(GuardedText($0.1)), at: place)) }
        let source = try HTTPJSONSource(
            options: Options(
                name: "x", position: place,
                values: [
                    "url": Option(.text("https://stats.example.com"), at: place), "app": Option(.text("a"), at: place),
                    "span": Option(.duration(.hours(1)), at: place), "map": Option(.map(entries), at: place),
                ]), context: context)
        let report = try report(source, json(#"{"n":1\#(members.isEmpty ? "" : ",")\#(members)}"#))
        if case .values(let seen) = report.outcome {
            #expect("\(seen[0].span.from)/\(seen[0].span.to)\(seen[0].isComplete ? "" : " open")" == expected)
        } else {
            #expect(report.summary.hasSuffix(expected))
        }
    }

    @Test(arguments: [
        ("app", #"{"n":1,"app":null}"#, "fixed users=1"), ("app", #"{"n":1,"app":""}"#, "fixed users=1"),
        ("app", #"{"n":1,"app":"named"}"#, "named users=1"), ("app", #"{"n":1,"app":12}"#, "12 users=1"),
        ("release", #"{"n":1,"release":540}"#, "fixed 540 users=1"),
        ("release", #"{"n":1,"release":null}"#, "fixed users=1"),
        ("environment", #"{"n":1,"environment":"beta"}"#, "fixed beta users=1"),
    ])
    func `names`(_ field: String, _ body: String, _ expected: String) throws {
        let maps: [String: KeyValuePairs<String, String>] = [
            "app": ["users": "$.n", "app": "$.app"], "release": ["users": "$.n", "release": "$.release"],
            "environment": ["users": "$.n", "environment": "$.environment"],
        ]
        let source = try source(["app": "fixed"], map: #require(maps[field]))
        #expect(try report(source, json(body)).summary == expected)
    }

    @Test func `a row without the name of an app is reported`() throws {
        let source = try source(map: ["users": "$.n", "app": "$.app"])
        #expect(
            try report(source, json(#"{"n":1,"app":null}"#)).summary.hasSuffix(
                "$: expected the name of an app, found none, and no 'app' in the config"))
        #expect(try report(source, json(#"{"n":1,"app":true}"#)).summary.hasSuffix("for 'app', found true"))
    }
}
