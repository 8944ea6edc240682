import BotHarness
import Foundation
import Testing

@Suite struct RuleTestTests {
    private let tests = """
        config: config.yaml
        tests:
          a fall is told:
            source: figures
            app: shop-ios
            start: 2026-11-20 12:00
            every: 10m
            span: 1h
            users: 10000
            crash_free_users: 99.9% x6, 95% x6
            expect:
              - {at: 13:00, kind: opened, severity: critical}

        """

    private func scratch(_ tests: String) throws -> Scratch {
        let scratch = try Shop.scratch()
        try scratch.write("shop.test.yaml", tests)
        return scratch
    }

    @Test func `a config that is asked for by name has to be there, though the tests name their own`() async throws {
        let scratch = try scratch(tests)
        let lost = try await scratch.alertbot("test", "--config", "nope.yaml", "shop.test.yaml")
        #expect(lost.status == 1)
        #expect(lost.errors.contains("the config nope.yaml cannot be read: "), "\(lost.all)")
        #expect(lost.output.isEmpty)
        let there = try await scratch.alertbot("test", "--config", "config.yaml", "shop.test.yaml")
        #expect(there.status == 0, "\(there.all)")
    }

    @Test func `tests that pass are listed with what they have seen`() async throws {
        let ran = try await scratch(tests).alertbot("test", "shop.test.yaml")
        #expect(ran.status == 0)
        #expect(
            ran.output == """
                ✓ a fall is told

                Coverage of config.yaml: 50%
                  · floor  critical  never warning
                1 test, all as expected

                """)
    }

    @Test func `a test that fails shows what was expected beside what was said`() async throws {
        let ran = try await scratch(tests.replacing("at: 13:00", with: "at: 12:50")).alertbot("test", "shop.test.yaml")
        #expect(ran.status == 1)
        #expect(
            ran.output.hasPrefix(
                """
                ✗ a fall is told  shop.test.yaml:3:3
                    - 12:50:00 opened critical  (expected at shop.test.yaml:12:9, but not there)
                        rule floor of shop-ios: 99.90% is not below 99.5%
                    + 13:00:00 ops: opened critical 🔴 shop-ios: crash-free users 95.00% (alert below 99%) (first)  \
                (not expected)
                """))
    }

    @Test(arguments: [
        ("2026-11-20 23:00", "23:50", "- 2026-11-20 23:50:00 opened", "+ 2026-11-21 00:00:00 ops: opened"),
        // The night in which the hour from 2 to 3 comes twice.
        ("2026-10-25 01:30", "03:10", "- 03:10:00 CET opened", "+ 02:30:00 CEST ops: opened"),
    ])
    func `what was expected and what was said can be told apart by their times`(
        start: String, at: String, missing: String, unexpected: String
    ) async throws {
        let ran = try await scratch(
            tests.replacing("2026-11-20 12:00", with: start).replacing("at: 13:00", with: "at: \(at)")
        ).alertbot("test", "shop.test.yaml")
        #expect(ran.status == 1)
        #expect(ran.output.contains("    \(missing) critical"), "\(ran.output)")
        #expect(ran.output.contains("    \(unexpected) critical"), "\(ran.output)")
    }

    @Test func `a mistake in the tests is reported with its line, and the answer is no`() async throws {
        let ran = try await scratch(tests.replacing("severity: critical", with: "severity: criticle"))
            .alertbot("test", "shop.test.yaml")
        #expect(ran.status == 1)
        #expect(ran.output.hasSuffix("\nno test was run; there is 1 mistake in the tests\n"), "\(ran.output)")
        #expect(
            ran.errors == """
                shop.test.yaml:12:45: error: 'severity' is 'criticle', expected info, warning, critical; did you mean \
                critical?
                          - {at: 13:00, kind: opened, severity: criticle}
                                                                ^

                """)
    }

    @Test func `programs learn of mistakes in the tests as they learn of those in a config`() async throws {
        let scratch = try scratch(tests.replacing("severity: critical", with: "severity: criticle"))
        let ran = try await scratch.alertbot("test", "shop.test.yaml", "--format", "json")
        #expect(ran.status == 1)
        let problem = try ran.json["problems"][0]
        #expect(problem.names == ["column", "file", "line", "message", "severity", "suggestion"])
        #expect(problem["file"].string == "shop.test.yaml")
        #expect(problem["line"].number == 12)
        #expect(problem["suggestion"].string == "critical")
    }

    @Test func `results are written for build servers and for programs`() async throws {
        let scratch = try scratch(tests.replacing("at: 13:00", with: "at: 12:50"))
        let ran = try await scratch.alertbot("test", "shop.test.yaml", "--junit", "results.xml", "--format", "json")
        #expect(ran.status == 1)
        let xml = String(decoding: scratch.contents["results.xml"] ?? [], as: UTF8.self)
        #expect(xml.contains(#"<testsuite name="shop.test.yaml" tests="1" failures="1">"#))
        let json = try ran.json
        #expect(json.names == ["coverage", "problems", "summary", "tests"])
        #expect(json["problems"] == .array([]))
        #expect(json["summary"] == .object(["tests": .number(1), "failed": .number(1)]))
        #expect(json["tests"][0]["decisions"][0]["status"].string == "missing")
    }

    @Test(arguments: [("text", "✓ a fall is told\n"), ("json", "\"summary\": {")])
    func `results that cannot be written are printed all the same`(format: String, shown: String) async throws {
        let ran = try await scratch(tests).alertbot(
            "test", "shop.test.yaml", "--junit", "gone/results.xml", "--format", format)
        #expect(ran.status == 3, "\(ran.all)")
        #expect(ran.output.contains(shown), "\(ran.all)")
        #expect(ran.errors.contains("the results file gone/results.xml cannot be written: "), "\(ran.all)")
    }

    /// Which config a file is of may stand in what cannot be read of it.
    @Test func `a broken file is told as that, where there is no usual config`() async throws {
        let scratch = try scratch(tests)
        try scratch.write("alone/broken.test.yaml", "config: ../config.yaml\ntests: [\n")
        let ran = try await run(BotBinary.path, ["test", "broken.test.yaml"], folder: scratch.folder + "/alone")
        #expect(ran.status == 1)
        #expect(ran.errors.contains("broken.test.yaml:3:1: error: "), "\(ran.all)")
        #expect(!ran.errors.contains("alertbot init"), "\(ran.all)")
    }

    private static let endings: [(arguments: [String], status: Int32)] = [
        ([], 2), (["gone.yaml"], 3), (["broken.test.yaml"], 1), (["lost.test.yaml"], 1),
    ]

    @Test(arguments: endings)
    func `how it ends says what was wrong`(arguments: [String], status: Int32) async throws {
        let scratch = try scratch(tests)
        try scratch.write("broken.test.yaml", "config: config.yaml\ntests: [\n")
        try scratch.write("lost.test.yaml", tests.replacing("config.yaml", with: "elsewhere.yaml"))
        let ran = try await run(BotBinary.path, ["test"] + arguments, folder: scratch.folder)
        #expect(ran.status == status)
        #expect(ran.errors != "")
    }

    @Test func `the config that the repository is tried with has tests, and they pass`() async throws {
        let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let ran = try await run(BotBinary.path, ["test", "config.test.yaml", "--format", "json"], folder: root)
        #expect(ran.status == 0, "\(ran.all)")
        #expect(try ran.json["coverage"][0]["of"]["share"].number == 1)
    }
}
