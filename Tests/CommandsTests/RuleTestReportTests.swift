import BotHarness
import BuiltinPlugins
import MachineTesting
import Pictures
import PluginKit
import RuleTests
import SystemPorts
import Testing

@testable import Commands

/// What people and build servers are told of files of rule tests.
@Suite struct RuleTestReportTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private let tests = """
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

    private func ran(_ tests: String, besides others: String...) throws -> RuleTestReport {
        try scratch.write("config.yaml", Shop.config(scratch))
        try scratch.write("shop.test.yaml", tests)
        let files = (others + ["shop.test.yaml"]).map(scratch.path)
        return try RuleTestReport(files, usualConfig: scratch.path("config.yaml")) { path throws(Failure) in
            try ConfigFile(path, .builtin, on: stage.machine)
        }
    }

    @Test func `rule tests that pass are listed with what they have seen`() throws {
        let report = try ran(tests)
        #expect(report.isFine)
        try report.print(.none, on: stage.terminal)
        #expect(stage.said.hasPrefix("✓ a fall is told\n\nCoverage of \(scratch.path("config.yaml")): "))
        #expect(stage.said.contains("\n  · floor  critical  never warning\n"))
        #expect(stage.said.hasSuffix("\n1 test, all as expected\n"))
        #expect(report.json["summary"] == ["tests": 1, "failed": 0])
        #expect(!report.junit.xml.contains("<failure"))
    }

    @Test func `a rule test that fails shows both sides, and a build server gets them too`() throws {
        let report = try ran(tests.replacing("at: 13:00", with: "at: 12:50"))
        #expect(!report.isFine)
        try report.print(.none, on: stage.terminal)
        let path = scratch.path("shop.test.yaml")
        #expect(stage.said.hasPrefix("✗ a fall is told  \(path):2:3\n    - 12:50:00 opened critical  (expected at "))
        #expect(stage.said.contains("    + 13:00:00 ops: opened critical "))
        #expect(stage.said.hasSuffix("\n1 test, 1 failed\n"))
        try report.writeJUnit(to: scratch.path("junit.xml"))
        let xml = String(decoding: try WholeFile.read(scratch.path("junit.xml"), bytesMax: 1 << 16), as: UTF8.self)
        #expect(xml.contains("<failure") && xml.contains("12:50:00 opened critical"))
        let failure = #expect(throws: Failure.self) { try report.writeJUnit(to: "/nowhere/junit.xml") }
        #expect(
            failure?.sentence == "the results file /nowhere/junit.xml cannot be written: No such file or directory")
    }

    @Test func `a mistake in rule tests is no test, and absent files end the command`() throws {
        let report = try ran(tests.replacing("severity: critical", with: "severity: criticle"))
        #expect(!report.isFine)
        try report.print(.none, on: stage.terminal)
        #expect(stage.complained.contains("shop.test.yaml:11:"))
        #expect(stage.said.hasSuffix("\nno test was run; there is 1 mistake in the tests\n"))
        #expect(report.junit.xml.contains("the file can be read"))
        let failure = #expect(throws: Failure.self) {
            _ = try RuleTestReport(["/nowhere/x"], usualConfig: "") { _ throws(Failure) in throw Failure(.no) }
        }
        #expect(failure?.sentence == "the test file /nowhere/x cannot be read: No such file or directory")
    }

    @Test func `a file of rule tests without its config is a mistake, and the others are run`() throws {
        try scratch.write("lost.test.yaml", "config: elsewhere.yaml\n" + tests)
        let report = try ran(tests, besides: "lost.test.yaml")
        #expect(!report.isFine)
        try report.print(.none, on: stage.terminal)
        #expect(
            stage.complained.hasPrefix(
                "\(scratch.path("lost.test.yaml")):1:9: error: there is no config 'elsewhere.yaml'; its path begins in the "
                    + "folder of this file\n"))
        #expect(stage.said.contains("✓ a fall is told\n"))
        #expect(stage.said.hasSuffix("\n1 test, all as expected; there is 1 mistake in the tests\n"))
        #expect(report.json["problems"]?.array?.count == 1)
    }
}
