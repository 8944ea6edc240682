import PluginKit
import PluginTesting
import Testing

@testable import HTTPJSONSource

@Suite struct `Rows that make no sense` {
    private func source(strict: Bool = false, _ more: [String: String] = [:]) throws -> HTTPJSONSource {
        try HTTPJSONSource(
            options: options(
                ["each": "$.r[*]"].merging(more) { $1 },
                maps: ["map": ["app": "$.app", "users": "$.users", "crashed_users": "$.crashed"]], strict: strict),
            context: context)
    }

    private func row(_ app: String, _ figures: String = #""users":10,"crashed":1"#) -> String {
        #"{"app":"\#(app)",\#(figures)}"#
    }

    private func answered(_ rows: [String]) -> FetchResult { json(#"{"r":[\#(rows.joined(separator: ","))]}"#) }

    private let bad = #""users":10,"crashed":"n/a""#

    @Test func `one is named and left out, and the rest counts`() throws {
        let report = try report(source(), answered([row("ios"), row("web", bad), row("tv")]))
        #expect(report.summary == "ios users=10 crashed_users=1\ntv users=10 crashed_users=1")
        #expect(report.unread == .apps(["web"]))
        #expect(
            report.warnings == [
                #"a row of web is left out: $.r[1].crashed: expected a number for 'crashed_users', found the string "n/a""#
            ])
    }

    @Test(arguments: [
        (#""users":10,"crashed":13"#, "$.r[0]: expected plausible figures, found 'crashed_users' (13) is more than"),
        (#""users":40,"crashed":44"#, "$.r[0]: expected plausible figures, found 'crashed_users' (44) is more than"),
        (#""users":-1,"crashed":0"#, "$.r[0]: expected plausible figures, found 'users' is -1.0"),
        (#""users":10"#, "$.r[0].crashed: expected a number for 'crashed_users', found nothing there"),
    ])
    func `whatever is wrong with it`(_ figures: String, _ sentence: String) throws {
        let report = try report(source(), answered([row("ios", figures), row("web")]))
        #expect(report.summary == "web users=10 crashed_users=1")
        #expect(report.warnings.count == 1)
        #expect(report.unread == .apps(["ios"]))
        #expect(report.warnings.first?.hasPrefix("a row of ios is left out: \(sentence)") == true, "\(report.warnings)")
    }

    @Test func `a crash that is reported late costs neither its row nor the answer`() throws {
        let source = try HTTPJSONSource(
            options: options(
                ["each": "$.r[*]"],
                maps: ["map": ["app": "$.app", "sessions": "$.users", "crashed_sessions": "$.crashed"]], strict: true),
            context: context)
        let old = [row("v1", #""users":0,"crashed":1"#), row("v2", #""users":1,"crashed":2"#)]
        let report = try report(source, answered(old + [row("v3", #""users":1000,"crashed":900"#)]))
        #expect(
            report.summary == """
                v1 sessions=0 crashed_sessions=0
                v2 sessions=1 crashed_sessions=1
                v3 sessions=1000 crashed_sessions=900
                """)
        #expect(report.warnings == [])
    }

    @Test(arguments: [(0, 2, 0), (1, 3, 1), (40, 42, 40), (1000, 1010, 1000), (5, 4, 4)])
    func `a little more that crashed than there is counts as all of it`(_ all: Int, _ hit: Int, _ counted: Int) throws {
        let report = try report(source(), answered([row("ios", #""users":\#(all),"crashed":\#(hit)"#)]))
        #expect(report.summary == "ios users=\(all) crashed_users=\(counted)")
    }

    @Test func `a count that a subtraction has rounded below 0 is none`() throws {
        let rest = #""users":1000,"crashed":-1.1368683772161603e-13"#
        let report = try report(source(strict: true), answered([row("ios", rest)]))
        #expect(report.summary == "ios users=1000 crashed_users=0")
    }

    @Test func `one without a name is named by its path`() throws {
        let report = try report(source(), answered([#"{"users":10,"crashed":1}"#, row("web")]))
        #expect(report.unread == .anything)
        #expect(
            report.warnings == [
                "a row is left out: $.r[0].app: expected a text of at most 4096 bytes for 'app', found nothing there"
            ])
    }

    @Test func `of many only some are named, and the others counted`() throws {
        let good = (0..<9).map { row("good\($0)") }
        let report = try report(source(), answered(good + (0..<9).map { row("bad\($0)", bad) }))
        #expect(report.warnings.count == 6)
        #expect(report.warnings[4].hasPrefix("a row of bad4 is left out"))
        #expect(report.warnings[5] == "and 4 more")
    }

    /// Good rows, bad ones, and whether the others count.
    @Test(arguments: [(0, 1, false), (0, 5, false), (1, 1, true), (5, 5, true), (5, 6, false), (1, 2, false)])
    func `more than half of them are a failure, and so are all`(_ good: Int, _ wrong: Int, _ counts: Bool) throws {
        let rows = (0..<good).map { row("good\($0)") } + (0..<wrong).map { row("bad\($0)", bad) }
        let report = try report(source(), answered(rows))
        if counts {
            #expect(report.summary.split(separator: "\n").count == good)
        } else {
            let rest = wrong == 1 ? "" : " (and \(wrong - 1) more of \(good + wrong) rows)"
            #expect(
                report.summary == "bad_answer: the answer is not what was expected: $.r[\(good)].crashed: "
                    + #"expected a number for 'crashed_users', found the string "n/a"\#(rest)"#)
        }
    }

    @Test func `rows without data make neither more nor fewer of them`() throws {
        let empty = (0..<9).map { row("empty\($0)", #""users":null,"crashed":null"#) }
        #expect(try report(source(), answered(empty + [row("web", bad)])).summary.hasPrefix("bad_answer"))
        #expect(try report(source(), answered(empty + [row("web", bad), row("tv")])).warnings.count == 1)
    }

    @Test func `where a strict source is asked for, one is a failure`() throws {
        let rows = (0..<9).map { row("good\($0)") } + [row("web", bad)]
        #expect(
            try report(source(strict: true), answered(rows)).summary
                == "bad_answer: the answer is not what was expected: $.r[9].crashed: "
                + #"expected a number for 'crashed_users', found the string "n/a""#)
    }

    @Test func `two rows of the same are both left out, for nobody knows which is right`() throws {
        let rows = [row("ios"), row("web"), row("ios", #""users":99,"crashed":1"#), row("tv")]
        let report = try report(source(), answered(rows))
        #expect(report.summary == "web users=10 crashed_users=1\ntv users=10 crashed_users=1")
        #expect(
            report.warnings == [
                "2 rows of ios are left out: $.r[2]: expected one row for each app, release, environment and span, "
                    + "found the same as in $.r[0]; map what distinguishes them"
            ])
    }

    @Test func `two rows that say the same are one`() throws {
        let report = try report(source(), answered([row("ios"), row("web"), row("ios")]))
        #expect(report.summary == "ios users=10 crashed_users=1\nweb users=10 crashed_users=1")
        #expect(report.warnings == [])
    }

    @Test func `an answer that is too large to visit is no matter of rows`() throws {
        let source = try HTTPJSONSource(
            options: options(
                ["each": "$.r[*]"], maps: ["map": ["app": "$.app", "users": "$.users", "load": "$.x..*..*..n"]]),
            context: context)
        let wide = "[" + Array(repeating: "[1,2,3,4,5,6,7,8,9]", count: 9_000).joined(separator: ",") + "]"
        let rows =
            (0..<9).map { row("a\($0)", #""users":1,"x":{"n":1}"#) } + [row("wide", #""users":1,"x":[\#(wide)]"#)]
        let heavy = rows + Array(repeating: rows[9], count: 5)
        #expect(try report(source, answered(heavy)).summary.hasPrefix("bad_answer"))
    }

    @Test func `a row of issues without figures counts, alone and beside one with figures, and each issue once`() throws
    {
        let source = try HTTPJSONSource(
            options: options(
                ["each": "$.r[*]"],
                maps: ["map": ["app": "$.app", "users": "$.users"], "issues": ["each": "$.i[*]", "id": "$.id"]]),
            context: context)
        let rows = [
            row("ios", #""users":1,"i":[{"id":"a"},{"id":"b"}]"#),
            row("ios", #""users":null,"i":[{"id":"b"},{"id":"c"}]"#),
            row("web", #""users":null,"i":[{"id":"d"}]"#), row("tv", #""users":null,"i":[]"#),
        ]
        let found = try report(source, answered(rows))
        #expect(found.warnings == [])
        guard case .values(let seen) = found.outcome else { return }
        #expect(seen.map(\.subject.app) == ["ios", "web"])
        #expect(seen.map { $0.issues.map(\.id) } == [["a", "b", "c"], ["d"]])
        #expect(seen.map { $0.metrics[.users] } == [1, nil])
    }

    private func sourceOfIssues() throws -> HTTPJSONSource {
        try HTTPJSONSource(
            options: options(
                ["each": "$.r[*]"],
                maps: [
                    "map": ["app": "$.app", "users": "$.users"],
                    "issues": ["each": "$.i[*]", "id": "$.id", "events": "$.n"],
                ]), context: context)
    }

    @Test func `a row that cannot be read is a part of the answer that is missing, and a bad issue is none`() throws {
        let source = try sourceOfIssues()
        let good = row("ios", #""users":1,"i":[{"id":"a","n":1},{"id":"b","n":-1},{"id":"c","n":2}]"#)
        #expect(try report(source, answered([good])).missing == nil)
        let missing = try report(source, answered([good, row("web", #""users":"n/a","i":[]"#)])).missing
        #expect(missing?.reason == .badAnswer)
        #expect(
            missing?.description.hasPrefix("a row of web is left out: ") == true, "\(missing?.description ?? "none")")
    }

    @Test func `one issue that makes no sense costs neither the row nor the other issues`() throws {
        let source = try sourceOfIssues()
        let issues = #""users":1,"i":[{"id":"a","n":1},{"id":"b","n":-1},{"id":"c","n":2}]"#
        let found = try report(source, answered([row("ios", issues)]))
        guard case .values(let seen) = found.outcome else {
            Testing.Issue.record("\(found.summary)")
            return
        }
        #expect(seen[0].issues.map(\.id) == ["a", "c"])
        #expect(found.unread == .nothing)
        #expect(
            found.warnings == [
                "an issue of ios is left out: $.r[0].i[1]: expected a count of events, 0 or more, found -1.0"
            ])
        // Where most are wrong, so is the mapping.
        let mostly = #""users":1,"i":[{"id":"a","n":1},{"id":"b","n":-1},{"id":"c","n":-2}]"#
        #expect(try report(source, answered([row("ios", mostly)])).summary.hasPrefix("bad_answer"))
    }

    @Test func `it conforms to what every source must do`() throws {
        let rows = answered([row("ios"), row("web", bad), row("tv")])
        let conformance = SourceConformance(try source(), poll: poll()) { _ in rows }
        #expect(conformance.violations() == [])
    }
}
