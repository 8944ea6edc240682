import BotHarness
import BuiltinPlugins
import MachineTesting
import PluginKit
import SystemPorts
import Testing

@testable import Commands

/// What a check finds that never comes to a single channel, or counts for nothing.
@Suite struct UnsentTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let nights = "nights: {plugin: quiet_hours, between: 22:00-07:00, except: critical}"

    /// - Parameters:
    ///   - rules: what stands in place of the quiet hours.
    ///   - rest: what stands behind the channel.
    private func messages(_ rules: String, _ rest: String, source: String? = nil) throws -> [String] {
        var text = Shop.config(scratch).replacing(Self.nights, with: rules) + rest
        if let source {
            text = text.replacing("plugin: file, path: \(scratch.path("figures.jsonl"))", with: source)
        }
        try scratch.write("config.yaml", text)
        let file = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine)
        let problems = CheckReport(file, on: stage.machine).json["problems"]?.array ?? []
        return problems.compactMap { $0["message"]?.string }
    }

    private static let team = "  team: {plugin: inbox}\n"
    private static let toTeam = team + "routes:\n  - to: team\n"
    private static let always = "between: 00:00-24:00, channel: ops"

    @Test(
        arguments: [
            (
                "hush: {plugin: quiet_hours, \(always)}", team,
                "rule 'hush' holds everything in ops at every hour of the next 14 days, so nothing is sent there; "
            ),
            (
                "hush: {plugin: quiet_hours, \(always), match: {app: shop-ios}}", team,
                "rule 'hush' holds everything that matches app shop-ios in ops at every hour of the next 14 days, "
                    + "so nothing of it is sent there; "
            ),
            (
                "hush: {plugin: quiet_hours, \(always)}\n  wake: {plugin: escalate, to: ops}", toTeam,
                "rule 'hush' holds everything in ops at every hour of the next 14 days, so nothing is sent there; "
            ),
            (
                "hush: {plugin: quiet_hours, between: 22:00-07:00}\n"
                    + "  day: {plugin: quiet_hours, between: 07:00-22:00, channel: ops}", team,
                "rules 'hush' and 'day' together hold everything in ops at every hour of the next 14 days, "
                    + "so nothing is sent there; "
            ),
            (
                "hush: {plugin: quiet_hours, between: 22:00-07:00}\n  all: {plugin: quiet_hours, \(always)}", team,
                "rule 'all' holds everything in ops at every hour of the next 14 days, so nothing is sent there; "
            ),
            ("hush: {plugin: quiet_hours, \(always), except: critical}", team, nil),
            // Whoever drops some of what goes there has written a filter.
            ("hush: {plugin: quiet_hours, \(always), then: drop, match: {app: shop-ios}}", team, nil),
            ("hush: {plugin: quiet_hours, between: 07:00-22:00, channel: ops}", team, nil),
        ] as [(String, String, String?)])
    func `a check warns of a channel to which quiet hours leave no hour`(
        rules: String, rest: String, words: String?
    ) throws {
        let found = try messages(rules, rest)
        #expect(found.count == (words == nil ? 0 : 1), "\(found)")
        if let words { #expect(found.first?.hasPrefix(words) == true, "\(found)") }
    }

    @Test func `channels that are closed by the same rules are named together`() throws {
        let found = try messages(
            "hush: {plugin: quiet_hours, between: 00:00-24:00, channel: [ops, team]}",
            Self.team + "  log: {plugin: inbox}\n")
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("rule 'hush' holds everything in ops and team at every hour of the next 14 days, ")
                == true, "\(found)")
    }

    @Test(
        arguments: [
            (
                ["{every: 8h}", "{every: 1h, match: {severity: critical}}"],
                "'r0' comes before it and matches everything; move it before 'r0', or let that one match less"
            ),
            (
                [
                    "{every: 8h, match: {severity: [warning, critical]}}",
                    "{every: 1h, match: {severity: critical, app: shop-ios}}",
                ],
                "'r0' comes before it and matches all that it does; move it before 'r0', or let that one match less"
            ),
            (
                ["{every: 8h, channel: ops}", "{every: 1h, channel: ops}"],
                "'r0' comes before it and matches everything"
            ),
            (["{every: 1h, match: {severity: critical}}", "{every: 8h}"], nil),
            (["{every: 8h, channel: ops}", "{every: 1h}"], nil),
            (["{every: 8h, match: {app: shop-ios}}", "{every: 1h, match: {severity: critical}}"], nil),
        ] as [([String], String?)])
    func `a check warns of reminders about which a rule before has decided`(options: [String], words: String?) throws {
        let rules = options.enumerated().map { "r\($0): {plugin: repeat, \($1.dropFirst())" }
        let found = try messages(rules.joined(separator: "\n  "), Self.team)
        #expect(found.count == (words == nil ? 0 : 1), "\(found)")
        if let words { #expect(found.first?.hasPrefix("rule 'r1' has no effect: \(words)") == true, "\(found)") }
    }

    @Test(arguments: [("app: \"shop-*\"", true), ("app: [shop-ios, shop-mac]", true), ("app: shop-ios", false)])
    func `a check warns of a mute that matches all apps that there are`(match: String, isTold: Bool) throws {
        let found = try messages(
            "hush: {plugin: mute, until: 2099-01-01, match: {\(match)}}", "",
            source: "plugin: simulator, apps: [shop-ios, shop-mac]")
        let words =
            "rule 'hush' holds all that the sources are configured to give until Thu 1 Jan 2099 00:00 CET, so nothing "
            + "from them is sent; give it an earlier 'until', or let its 'match' leave something out"
        #expect(found == (isTold ? [words] : []))
    }
}
