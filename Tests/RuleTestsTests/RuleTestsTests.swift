internal import BotConfig
internal import BuiltinPlugins
internal import PluginKit
internal import RuleTests
internal import Testing
internal import TimeZones

/// A config of two sources, a rule, a gate and two channels, and the tests that are written for it.
private struct Workshop {
    static let config = config()

    static func config(gates: String = "") -> Config {
        let text = """
            version: 1
            bot: {timezone: Europe/Madrid}
            sources:
              ios: {plugin: file, path: a.jsonl}
              web: {plugin: file, path: b.jsonl}
            rules:
              floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 99%", window: 1m,
                      min_volume: 50, confidence: off}
              nights: {plugin: quiet_hours, between: 22:00-07:00, except: critical}
            \(gates)
            channels:
              team: {plugin: console}
              ops: {plugin: console}
            """
        let surroundings = ConfigSurroundings(
            variable: { _ in nil },
            file: { _ throws(ConfigSurroundings.Missing) in throw ConfigSurroundings.Missing("there are no files") },
            credentialsFolder: nil, zones: ZoneDatabase())
        let result = Config.load(Array(text.utf8), folder: ".", catalog: .builtin, surroundings: surroundings)
        guard let config = result.config else { preconditionFailure("\(result.problems)") }
        return config
    }

    static func read(
        _ text: String, files: [String: String] = [:], for config: Config = config
    ) -> RuleTestReading {
        RuleTestDocument(Array(text.utf8)).tests(for: config) { name in
            files[name].map { .success(Array($0.utf8)) } ?? .failure(UnreadableFile("there is no such file"))
        }
    }

    /// One test with these lines in it.
    static func results(
        _ lines: String, files: [String: String] = [:], with config: Config = config
    ) throws -> RuleTestResult {
        let indented = lines.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n")
        let reading = read("tests:\n  a test:\n\(indented)\n", files: files, for: config)
        #expect(reading.problems.isEmpty, "\(reading.problems.map(\.message))")
        return try #require(reading.tests.first).run(with: config)
    }

    /// Each decision with a mark for what came of it.
    static func lines(_ result: RuleTestResult) -> [String] {
        result.comparison.map { line in
            let mark =
                switch line.kind {
                case .asExpected: " "
                case .missing: "-"
                case .unexpected: "+"
                }
            return "\(mark) \("\(line.at)".dropFirst(11).prefix(8)) \(line.text)"
        }
    }
}

@Suite struct RuleTestsTests {
    private let figures = """
        source: ios
        app: shop
        start: 2026-11-20 12:00
        users: 1000
        crash_free_users: 99.8% x5, 98% x5, 99.9% x3

        """

    @Test func `a test passes when just what it expects is said`() throws {
        let result = try Workshop.results(
            figures + """
                expect:
                  - {at: 12:05, kind: opened, severity: critical, app: shop, rule: floor, text: "98.00%"}
                  - {at: +10m, kind: resolved}
                """)
        #expect(result.passed)
        // Both channels hear the same news.
        #expect(result.comparison.count == 4)
    }

    @Test func `silence is an expectation too`() throws {
        #expect(try Workshop.results(figures.replacing("98%", with: "99.7%") + "expect: []").passed)
        #expect(try !Workshop.results(figures + "expect: []").passed)
    }

    @Test func `what is missing and what is said instead stand beside each other`() throws {
        let result = try Workshop.results(
            figures + """
                expect:
                  - {at: 12:04, channel: team, kind: opened}
                  - {at: 12:05, channel: ops, kind: opened}
                  - {at: 12:10, kind: resolved}
                """)
        #expect(!result.passed)
        let headline = "🔴 shop: crash-free users 98.00% (alert below 99%) (first)"
        #expect(
            Workshop.lines(result).filter { !$0.contains("resolved") } == [
                "- 11:04:00 team: opened", "  11:05:00 ops: opened critical \(headline)",
                "+ 11:05:00 team: opened critical \(headline)",
            ])
    }

    @Test func `what is missing says what the rules thought at that moment`() throws {
        let few = figures.replacing("users: 1000", with: "users: 30")
        func verdicts(_ expected: String) throws -> [[String]] {
            try Workshop.results(few + "expect:\n" + expected).comparison.map(\.verdicts)
        }
        let told = ["rule floor of shop: not enough users yet: 30 in 1 min, min_volume is 50"]
        #expect(try verdicts("  - {at: 12:05, kind: opened}") == [told])
        #expect(try verdicts("  - {at: 12:05, app: shop}\n  - {at: 12:07, kind: resolved}") == [told, []])
    }

    @Test func `an exact expectation is not robbed by a vague one`() throws {
        let result = try Workshop.results(
            figures + """
                expect:
                  - {at: 12:05, channel: team}
                  - {at: 12:05, channel: ops, kind: opened}
                  - {at: 12:10}
                """)
        #expect(result.passed)
    }

    @Test func `each news needs an expectation of its own`() throws {
        let result = try Workshop.results(
            """
            source: ios
            start: 2026-11-20 12:00
            users: 1000
            series:
              - {app: shop, crash_free_users: 98% x5}
              - {app: bank, crash_free_users: 98% x5}
            expect:
              - {at: 12:00, kind: opened}
            """)
        #expect(Workshop.lines(result).count { $0.hasPrefix("+") } == 2)
    }

    @Test func `decisions of gates can be expected and need not be`() throws {
        let nightly = figures.replacing("12:00", with: "23:00").replacing("98%", with: "99.2%")
        let held = try Workshop.results(
            nightly + """
                expect:
                  - {at: 23:05, decision: hold, reason: "quiet_hours:nights", channel: team}
                """)
        #expect(held.passed)
        #expect(try Workshop.results(nightly + "expect: []").passed)
        let awaited = try Workshop.results(
            nightly + """
                until: +10h
                expect:
                  - {at: 2026-11-21 07:00, kind: digest}
                """)
        #expect(awaited.passed, "\(Workshop.lines(awaited))")
    }

    @Test func `time goes on until the last thing expected`() throws {
        let result = try Workshop.results(
            figures.replacing(", 99.9% x3", with: "") + """
                expect:
                  - {at: 12:05, kind: opened}
                  - {at: 12:30, kind: reminder}
                """)
        #expect(Workshop.lines(result).contains("- 11:30:00 reminder"))
    }

    @Test func `looks can be missing and polls can fail`() throws {
        let result = try Workshop.results(
            figures.replacing("98% x5", with: "_ x5, failed x2, failed(timeout), 98%") + """
                expect:
                  - {at: 12:13, kind: opened}
                  - {at: 12:14, kind: resolved}
                """)
        #expect(result.passed, "\(Workshop.lines(result))")
    }

    @Test func `observations can be written out or be in a file`() throws {
        let line =
            #"{"source":"ios","app":"shop","from":"2026-11-20T11:00:00Z","to":"2026-11-20T11:01:00Z","#
            + #""seen":"2026-11-20T11:01:00Z","metrics":{"users":1000,"crash_free_users":0.98}}"#
        let expectation = "expect:\n  - {at: 2026-11-20 12:01, kind: opened}\n"
        let inline = try Workshop.results("observations:\n  - \(line)\n" + expectation)
        #expect(inline.passed)
        let local = try Workshop.results(
            """
            observations:
              - source: ios
                app: shop
                release: 5.10
                from: 2026-11-20 12:00
                to: 2026-11-20 12:01
                seen: 2026-11-20 12:01
                metrics: {users: 1000, crash_free_users: 98%}

            """ + expectation.replacing("opened", with: "opened, release: \"5.10\""))
        #expect(local.passed, "\(Workshop.lines(local))")
        let file = try Workshop.results(
            "observations:\n  - file: seen.jsonl\n" + expectation, files: ["seen.jsonl": line])
        #expect(file.passed)
    }

    @Test func `a recorded file is given to the rules when it arrived, as one answer with what else came then`() throws
    {
        func line(_ app: String, _ metrics: String) -> String {
            #"{"source":"ios","app":"\#(app)","from":"2026-11-20T11:00:00Z","to":"2026-11-20T11:01:00Z","#
                + #""seen":"2026-11-20T11:01:00Z","metrics":{\#(metrics)},"asked":"2026-11-20T11:05:58Z","#
                + #""arrived":"2026-11-20T11:06:00Z"}"# + "\n"
        }
        let file = line("shop", #""users":1000,"crash_free_users":0.98"#)
        let result = try Workshop.results(
            "observations: [{file: seen.jsonl}]\nexpect:\n  - {at: 2026-11-20 12:06, kind: opened}\n",
            files: ["seen.jsonl": file])
        #expect(result.passed, "\(Workshop.lines(result))")
        // Series take their places between what was recorded.
        let mixed = try Workshop.results(
            """
            source: web
            app: site
            start: 2026-11-20 12:03
            users: 1000
            series:
              - {crash_free_users: 98% x1}
            observations: [{file: seen.jsonl}]
            expect:
              - {at: 2026-11-20 12:03, kind: opened, app: site}
              - {at: 2026-11-20 12:06, kind: opened, app: shop}
            """, files: ["seen.jsonl": file])
        #expect(mixed.passed, "\(Workshop.lines(mixed))")
    }

    // MARK: mistakes

    @Test(arguments: [
        (
            #"{"source":"iphone","app":"shop","from":"2026-11-20T11:00:00Z","to":"2026-11-20T11:01:00Z","#
                + #""seen":"2026-11-20T11:01:00Z","metrics":{"users":1000,"crash_free_users":0.98}}"# + "\n",
            "1 line of the observations file 'seen.jsonl' is of source 'iphone', which is not in the config"
        ),
        ("", "there are no observations in the file 'seen.jsonl'"),
    ])
    func `a file of which nothing would be played is a mistake`(text: String, message: String) {
        let reading = Workshop.read(
            "tests:\n  a: {expect: [], observations: [{file: seen.jsonl}]}", files: ["seen.jsonl": text])
        #expect(reading.tests.isEmpty)
        #expect(reading.problems.map(\.message) == [message])
        #expect(reading.problems.first?.position == Position(line: 2, column: 41))
    }

    @Test(arguments: [
        ("- a list", "1:1 the file must be a mapping of names to values, not a list"),
        ("test: {}", "1:1 unknown key 'test' in a file of rule tests|tests"),
        ("tests:\n  a: {app: s, source: ios, start: 2026-11-20, users: 5}", "2:3 the test 'a' expects nothing"),
        ("tests: {}", "1:8 there are no tests"),
        ("tests:", "1:7 'tests' must be a mapping of names to values, not nothing"),
        ("tests:\n  a: {start: 2026-11-20, expect: []}", "2:3 the test 'a' has no figures"),
        ("tests:\n  a: {start: 2026-11-20, series: [], expect: []}", "2:3 the test 'a' has no figures"),
        (
            "tests:\n  a: {app: s, source: ios, start: 2026-11-20 12:00, users: 5, until: 2026-11-20 11:59, expect: []}",
            "2:70 'until' is before the test begins, so nothing would be checked"
        ),
        (
            "tests:\n  a: {app: s, source: ios, start: 2026-11-20 12:00, users: 5, until: 2999-01-01, expect: []}",
            "2:70 'until' is more than a year after the last poll (2026-11-20T11:00:00Z); is the year right?"
        ),
        (
            "tests:\n  a: {app: s, source: ios, start: 2026-11-20, users: 5, expect: [{at: 12:00, reason: frist}]}",
            "2:86 'reason' is 'frist', expected first, escalated, repeat, revised, resolved, closed, acknowledged, flapping, "
                + "unannounced, unrouted, overtaken, quiet_hours:nights|first"
        ),
        (
            "tests:\n  a: {app: shop, start: 2026-11-20, users: 5, source: iis, expect: []}",
            "2:55 there is no source 'iis' in the config; known are ios, web|ios"
        ),
        (
            "tests:\n  a: {app: s, start: 2026-11-20, users: 5, expect: []}",
            "2:3 'source' is missing; known are ios, web"
        ),
        ("tests:\n  a: {source: ios, app: s, users: 5, expect: []}", "2:3 'start' is missing"),
        (
            "tests:\n  a: {source: ios, app: s, start: today, users: 5, expect: []}",
            "2:35 'start' is 'today', expected an instant such as 2026-12-24, 2026-12-24 09:00 or 2026-12-24 09:00+01:00"
        ),
        (
            "tests:\n  a: {crash_free_user: 99%, expect: []}",
            "2:7 unknown key 'crash_free_user' in a test|crash_free_users"
        ),
        (
            "tests:\n  a: {source: ios, app: s, start: 2026-11-20, crash_free_users: 0.99, expect: []}",
            "2:65 'crash_free_users' is '0.99', expected percentages such as 99.8% x60|99%"
        ),
        (
            "tests:\n  a: {source: ios, app: s, start: 2026-11-20, users: 99%, expect: []}",
            "2:54 'users' is '99%', expected plain numbers: this metric is a count|99"
        ),
        (
            "tests:\n  a: {source: ios, app: s, start: 2026-11-20, users: 5 60, expect: []}",
            "2:54 'users' is '5 60', expected a repetition such as x60|5 x60"
        ),
        (
            "tests:\n  a: {source: ios, app: s, start: 2026-11-20, users: failed(timeut), expect: []}",
            "2:54 'users' is 'failed(timeut)', expected a failure such as failed(timeout)|failed(timeout)"
        ),
        (
            "tests:\n  a: {source: ios, app: s, start: 2026-11-20, users: 5 x3, sessions: 5 x2, expect: []}",
            "2:70 'sessions' has 2 figures, but there are 3 polls"
        ),
        (
            "tests:\n  a: {source: ios, app: s, start: 2026-11-20, users: 5 x999999999, expect: []}",
            "2:54 'users' is '5 x999999999', expected a repetition such as x60"
        ),
        (
            "tests:\n  a: {source: ios, app: s, start: 2026-11-20, every: 1d, users: 5 x401, expect: []}",
            "2:3 401 polls at an interval of 1d span more than 400d, the most that a test may cover"
        ),
        (
            "tests:\n  a: {source: ios, app: s, start: 2026-11-20, users: 5, crashed_users: 6, expect: []}",
            "2:3 the figures are not plausible: 'crashed_users' (6) is more than 'users' (5)"
        ),
        ("tests:\n  a: {expect: {at: 12:00}}", "2:15 'expect' must be a list, not a mapping"),
        ("tests:\n  a: {expect: [{kind: opened}]}", "2:16 an expected message needs 'at'"),
        (
            "tests:\n  a: {start: 2026-11-20, expect: [{at: noon}]}",
            "2:40 'at' is 'noon', expected a time such as 13:05, +65m or 2026-11-20 13:05"
        ),
        (
            "tests:\n  a: {start: 2026-11-20, expect: [{at: 12:00, kind: open}]}",
            "2:53 'kind' is 'open', expected opened, escalated, reminder, revised, resolved, closed, acknowledged, digest"
        ),
        (
            "tests:\n  a: {start: 2026-11-20, expect: [{at: 12:00, channel: tem}]}",
            "2:56 'channel' is 'tem', expected ops, team|team"
        ),
        (
            "tests:\n  a: {expect: [], observations: [{file: gone.jsonl}]}",
            "2:41 the observations file 'gone.jsonl' cannot be read: there is no such file"
        ),
        (
            "tests:\n  a: {expect: [], observations: [{source: ios, app: s, seen: 2026-11-20, from: 2026-11-19, to: x, "
                + "metrics: {}}]}",
            "2:96 expected an instant such as \"2026-11-20T22:00:00Z\", found the string \"x\""
        ),
    ])
    func `every mistake is reported with its place`(text: String, told: String) throws {
        let problems = Workshop.read(text).problems
        let problem = try #require(problems.first)
        let place = "\(problem.position.line):\(problem.position.column)"
        #expect("\(place) \(problem.message)" + (problem.suggestion.map { "|\($0)" } ?? "") == told)
    }

    @Test(arguments: [
        (
            "source: ios, app: s, start: 2026-11-20, users: 5, "
                + "expect: [{at: 25:00, kind: open, severity: fatal, channel: nope, reason: frist}]",
            [
                "'at' is '25:00'", "'kind' is 'open'", "'severity' is 'fatal'", "'channel' is 'nope'",
                "'reason' is 'frist'",
            ]
        ),
        (
            "source: ios, app: s, start: 2026-11-20, users: 5, expect: [{kind: open}]",
            ["an expected message needs 'at'", "'kind' is 'open'"]
        ),
        (
            "source: iis, app: s, start: 2026-11-20, every: 5, userz: 5, expect: []",
            ["there is no source 'iis'", "'every' is '5'", "unknown key 'userz'"]
        ),
    ])
    func `a mistake hides none of those beside it`(test: String, told: [String]) {
        let messages = Workshop.read("tests:\n  a: {\(test)}").problems.map(\.message)
        #expect(messages.count == told.count, "\(messages)")
        for part in told { #expect(messages.contains { $0.hasPrefix(part) }, "\(messages)") }
    }

    @Test(arguments: ["start: 12:00, ", ""])
    func `what counts from a start that is wrong or missing is not wrong for that`(start: String) {
        let text =
            "tests:\n  a: {source: ios, app: s, \(start)users: 5, until: 14:00, "
            + "expect: [{at: +2h}, {at: 13:05, kind: open}, {at: noon}]}"
        let told = Workshop.read(text).problems.map(\.message)
        #expect(told.count == 3, "\(told)")
        for part in ["'start' is ", "'kind' is 'open'", "'at' is 'noon'"] {
            #expect(told.contains { $0.hasPrefix(part) }, "\(told)")
        }
    }

    @Test(arguments: [
        ("99.9 x6", "99.9% x6"), ("0.98 x6, 99 x2, _", "98% x6, 99% x2, _"), ("99% 6", "99% x6"), ("5000 x6", nil),
        ("99.9 x", nil), ("faild(timeout), 99 x6", nil), ("failed(timout) x2, 99%", "failed(timeout) x2, 99%"),
    ])
    func `a suggestion stands for all figures`(figures: String, meant: String?) throws {
        let problem = try #require(
            Workshop.read(
                """
                tests:
                  a:
                    source: ios
                    app: s
                    start: 2026-11-20T12:00:00Z
                    crash_free_users: \(figures)
                    expect: []
                """
            ).problems.first)
        #expect(problem.suggestion == meant, "\(problem.message)")
    }

    @Test func `a broken line of a file is reported with its place there`() throws {
        let reading = Workshop.read(
            "tests:\n  a: {expect: [], observations: [{file: seen.jsonl}]}", files: ["seen.jsonl": "\n{\"source\":}\n"])
        #expect(reading.tests.isEmpty)
        #expect(reading.problems.map(\.message).first?.hasPrefix("seen.jsonl:2:11: error: ") == true)
    }

    @Test func `a test that can be read runs though another cannot`() {
        let reading = Workshop.read(
            "tests:\n  a: {app: s, source: ios, start: 2026-11-20, users: 5, expect: []}\n  b: {}\n")
        #expect(reading.tests.map(\.name) == ["a"])
        #expect(reading.problems.count == 1)
    }

    // MARK: what comes out

    @Test func `coverage names what no test has seen`() throws {
        let warned = try Workshop.results(figures.replacing("98%", with: "99.2%") + "expect: []")
        let some = Coverage([warned], of: Workshop.config)
        #expect(some.rules.map(\.seen) == [["warning"]])
        #expect(some.rules.map(\.unseen) == [["critical"]])
        #expect(some.gates.map(\.name) == ["nights"])
        #expect(some.gates.map(\.unseen) == [["closed"]])
        #expect(abs(some.share - 1.0 / 3) < 1e-9)
        let held = try Workshop.results(
            figures.replacing("12:00", with: "23:00").replacing("98%", with: "99.2%") + "expect: []")
        let critical = try Workshop.results(figures + "expect: []")
        #expect(Coverage([held, critical], of: Workshop.config).share == 1)
        #expect(Coverage([], of: Workshop.config).share == 0)
    }

    @Test func `a gate of flapping counts as closed though its reason does not name it`() throws {
        let config = Workshop.config(
            gates: "  swings: {plugin: flapping}\n  others: {plugin: flapping, match: {app: bank}}")
        let result = try Workshop.results(
            """
            source: ios
            app: shop
            start: 2026-11-20 12:00
            users: 1000
            crash_free_users: \(Array(repeating: "99.8% x3, 98% x3", count: 6).joined(separator: ", "))
            expect: [{at: 2026-11-20 12:03, channel: team}]
            """, with: config)
        let gates = Coverage([result], of: config).gates.filter { $0.name != "nights" }
        #expect(gates.map { "\($0.name) \($0.seen)" } == [#"swings ["closed"]"#, "others []"])
        let mistaken = Workshop.read(
            "tests:\n  a: {app: s, source: ios, start: 2026-11-20, users: 5, expect: [{at: 12:00, "
                + "reason: 'flapping:swings'}]}", for: config)
        #expect(
            mistaken.problems.first?.message.hasPrefix("'reason' is 'flapping:swings', expected ") == true,
            "no decision has that reason")
    }

    @Test func `an escalation counts once it escalates, and the time of reminders is nothing to be covered`() throws {
        let config = Workshop.config(
            gates: """
                  up: {plugin: escalate, after: 30m, to: ops}
                  nag: {plugin: repeat, every: 1h}
                routes:
                  - {to: [team]}
                """)
        let unseen = Coverage([], of: config).gates.map { "\($0.name) \($0.unseen)" }
        #expect(unseen == [#"nights ["closed"]"#, #"up ["escalated"]"#])
        let result = try Workshop.results(
            """
            source: ios
            app: shop
            start: 2026-11-20 12:00
            users: 1000
            crash_free_users: 98% x40
            expect: []
            """, with: config)
        #expect(Coverage([result], of: config).gates.map(\.seen) == [[], ["escalated"]])
    }

    @Test(arguments: [
        (
            "      12:00 opened\n    + 12:05 opened again  (not expected)\n    - 12:10 resolved",
            "+ 12:05 opened again  (not expected)"
        ),
        ("      12:00 opened\n    - 12:10 resolved", "- 12:10 resolved"),
        ("a.test.yaml:1:1: error", "a.test.yaml:1:1: error"),
        ("", ""),
    ])
    func `a build server is told what was not as expected, and not what came before`(failure: String, message: String) {
        let xml = JUnit([JUnit.Suite(name: "a", cases: [("bad", failure)])]).xml
        #expect(xml.contains("<failure message=\"\(message)\">"), "\(xml)")
    }

    @Test func `results for a build server are well formed whatever the names`() {
        let suite = JUnit.Suite(
            name: "a<b>.yaml", cases: [("fine & \"well\"", nil), ("bad\u{1}", "- 12:00 <missing>\nmore")])
        #expect(
            JUnit([suite]).xml == """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuites>
                  <testsuite name="a&lt;b&gt;.yaml" tests="2" failures="1">
                    <testcase classname="a&lt;b&gt;.yaml" name="fine &amp; &quot;well&quot;"/>
                    <testcase classname="a&lt;b&gt;.yaml" name="bad">
                      <failure message="- 12:00 &lt;missing&gt;">- 12:00 &lt;missing&gt;
                more</failure>
                    </testcase>
                  </testsuite>
                </testsuites>

                """)
    }
}
