import BotHarness
import BuiltinPlugins
import MachineTesting
import Pictures
import PluginKit
import PluginTesting
import SystemPorts
import Testing

@testable import Commands

/// What a check finds that a config can never send.
@Suite struct CheckReportTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let nights = "nights: {plugin: quiet_hours, between: 22:00-07:00, except: critical}"

    /// - Parameter rule: what stands in place of the quiet hours.
    private func report(_ rule: String, critical: Bool = true, routes: String = "") throws -> CheckReport {
        var text = Shop.config(scratch).replacing(Self.nights, with: rule) + routes
        if !critical { text = text.replacing(", critical: \"< 99%\"", with: "") }
        try scratch.write("config.yaml", text)
        return CheckReport(try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine), on: stage.machine)
    }

    private func messages(_ report: CheckReport) -> [String] {
        report.json["problems"]?.array?.compactMap { $0["message"]?.string } ?? []
    }

    @Test(
        arguments: [
            (
                "hush: {plugin: mute, until: 2099-01-01}", true,
                "rule 'hush' holds everything until Thu 1 Jan 2099 00:00 CET, so nothing is sent"
            ),
            ("hush: {plugin: mute, until: 2099-01-01, except: critical}", true, nil),
            (
                "hush: {plugin: mute, until: 2099-01-01, except: critical}", false,
                "rule 'hush' holds everything until Thu 1 Jan 2099 00:00 CET, and no rule can be as severe as critical, so nothing is sent"
            ),
            ("hush: {plugin: mute, until: 2099-01-01, match: {app: old}}", true, nil),
            (
                "hush: {plugin: mute, from: 2026-12-24, until: 2099-01-01}", true,
                "rule 'hush' holds everything from Thu 24 Dec 00:00 CET until Thu 1 Jan 2099 00:00 CET, so nothing is sent"
            ),
            ("hush: {plugin: mute, from: 2026-12-24, until: 2028-01-01}", true, nil),
            ("hush: {plugin: mute, until: 2027-06-01}", true, nil),
            (
                "hush: {plugin: quiet_hours, between: 00:00-24:00, match: {app: [old, \"test-*\"]}}", true,
                "rule 'hush' holds everything that matches app old or test-* at every hour of the next 14 days, so nothing of it is sent"
            ),
            (
                "hush: {plugin: quiet_hours, between: 00:00-24:00, match: {app: old}, then: drop}", true,
                "rule 'hush' drops everything that matches app old at every hour of the next 14 days, so nothing of it is sent"
            ),
            (
                "hush: {plugin: quiet_hours, between: 00:00-24:00, except: critical}", false,
                "rule 'hush' holds everything at every hour of the next 14 days, and no rule can be as severe as critical, so nothing is sent"
            ),
            ("hush: {plugin: quiet_hours, between: 00:00-24:00, except: critical}", true, nil),
            (
                "hush: {plugin: quiet_hours, between: 00:00-24:00, channel: ops}", true,
                "rule 'hush' holds everything at every hour of the next 14 days, so nothing is sent"
            ),
            (
                "hush: {plugin: mute, until: 2099-01-01, channel: ops}", true,
                "rule 'hush' holds everything until Thu 1 Jan 2099 00:00 CET, so nothing is sent"
            ),
            (
                "hush: {plugin: quiet_hours, between: 00:00-24:00, except: critical, match: {severity: warning}}", true,
                "rule 'hush' holds everything that matches severity warning at every hour of the next 14 days, so nothing of it is sent"
            ),
        ] as [(String, Bool, String?)])
    func `a check warns of what can never be sent`(rule: String, critical: Bool, words: String?) throws {
        let report = try report(rule, critical: critical)
        let found = messages(report)
        #expect(found.count == (words == nil ? 0 : 1), "\(found)")
        if let words { #expect(found.first?.hasPrefix(words) == true, "\(found)") }
        #expect(report.failure == nil)
    }

    @Test func `a mute of some of the channels is not warned of`() throws {
        let report = try report(
            "hush: {plugin: mute, until: 2099-01-01, channel: ops}", routes: "  team: {plugin: inbox}\n")
        #expect(messages(report) == [])
    }

    /// A check where the secrets are not.
    private func review(_ changes: [String: String], routes: String = "") throws -> CheckReport {
        let text = changes.reduce(Shop.config(scratch)) { $0.replacing($1.key, with: $1.value) } + routes
        try scratch.write("config.yaml", text)
        let file = try ConfigFile(
            scratch.path("config.yaml"), .builtin, on: stage.machine, withholdsSecrets: true)
        return CheckReport(file, on: stage.machine)
    }

    @Test func `a rule that is made of a secret is counted and listed where the secret is not`() throws {
        let report = try review([
            "warning: \"< 99.5%\", critical: \"< 99%\"": "warning: \"${env:LIMIT}\"",
            "between: 22:00-07:00, except: critical": "between: \"${env:HOURS}\"",
        ])
        #expect(messages(report) == [])
        let text = try #require(report.text(.none))
        #expect(
            text == "✓ \(scratch.path("config.yaml")): 1 source, 2 rules, 1 channel\n\n"
                + "Not wholly known without secrets\n  floor\n  nights")
        let rule = report.json["rules"]?.array?.first
        #expect(rule?["name"] == "floor" && rule?["usual_detection"] == .null && rule?["slowest_detection"] == .null)
        let gates: JSON = [["name": "nights", "closed": .null]]
        #expect(report.json["gates"] == gates)
        // One that is still to be set where the bot is to run is an error, as ever.
        let actual = try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine)
        #expect(CheckReport(actual, on: stage.machine).failure != nil)
    }

    @Test(
        arguments: [
            ("wake: {plugin: escalate, to: ops}", routes + team),
            (nights, "routes:\n  - {match: {rule: floor, severity: critical}, to: ops}\n  - to: ops\n"),
            ("calm: {plugin: quiet_hours, between: 00:00-24:00, except: critical}", ""),
        ])
    func `nothing is concluded from the lack of a limit that is a secret`(gate: String, routes: String) throws {
        let report = try review(
            ["critical: \"< 99%\"": "critical: \"${env:LIMIT}\"", Self.nights: gate], routes: routes)
        #expect(messages(report) == [])
        let text = try #require(report.text(.none))
        #expect(text.contains("\n  floor: usually within 5 min"), "\(text)")
        #expect(text.contains("\n\nNot wholly known without secrets\n  floor"), "\(text)")
    }

    @Test(arguments: [
        ("google_play", "usually within 2 h 5 min, at worst 4 h 31 min (figures come 2 h to 4 h late)"),
        ("google_play, period: daily", "usually within 1 d, at worst 2 d (figures come 1 d to 2 d late)"),
        ("crashlytics, tables: {shop: com_shop_IOS}", "usually within 1 d, at worst 1 d (figures come 1 d late)"),
        ("crashlytics, tables: {shop: com_shop_IOS_REALTIME}", "usually within 5 min, at worst 31 min 40 s"),
    ])
    func `a check counts in how late a service has its figures, whether or not the secrets are there`(
        source: String, words: String
    ) throws {
        let file = "plugin: file, path: \(scratch.path("figures.jsonl"))"
        try scratch.write("key.json", SampleServiceAccount.keyFile)
        try scratch.write(
            "config.yaml",
            Shop.config(scratch).replacing(file, with: "plugin: \(source), key: \"${file:./key.json}\"")
                .replacing("rules:\n", with: "rules:\n  old: {plugin: stale, after: 2h}\n"))
        for withholds in [false, true] {
            let file = try ConfigFile(
                scratch.path("config.yaml"), .builtin, on: stage.machine, withholdsSecrets: withholds)
            let text = try #require(CheckReport(file, on: stage.machine).text(.none))
            #expect(text.contains("\n  floor: \(words), once there is enough evidence\n"), "\(text)")
            // How old figures may be counts from their end.
            #expect(text.contains("\n  old: usually within 2 h 5 min, at worst 2 h 31 min\n"), "\(text)")
        }
    }

    @Test func `an address that is none is not said to be off as well`() throws {
        let text = Shop.config(scratch).replacing("listen: off", with: "listen: 127.0.0.1").replacing(
            "rules:", with: "  job: {plugin: push, token: s3cret-token-of-the-job}\nrules:")
        try scratch.write("config.yaml", text)
        let report = CheckReport(
            try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine), on: stage.machine)
        #expect(
            messages(report).filter { $0.contains("listen") }
                == ["'listen' is '127.0.0.1', expected HOST:PORT or off"])
    }

    private static let routes = "  team: {plugin: inbox}\nroutes:\n"
    private static let team = "  - to: team\n"

    @Test(
        arguments: [
            ("", true, nil), (", severity: info", false, nil),
            (
                "", false,
                "it waits for critical, and no rule can be that severe; lower its 'severity', or have a rule reach it"
            ),
            (", match: {severity: critical}", true, nil), (", match: {severity: \"*\"}", true, nil),
            (", match: {severity: warning}, severity: warning", true, nil),
            (
                ", match: {severity: warning}", true,
                "it waits for critical, and its 'match' takes only warning; write severity: warning instead of that in 'match'"
            ),
            (
                ", match: {severity: [warning, info], app: shop-ios}", true,
                "it waits for critical, and its 'match' takes only info or warning; write severity: info instead of that in 'match'"
            ),
            (
                ", match: {severity: info}, severity: info", true,
                "it waits for info, and no rule has such incidents; change 'severity' in its 'match', or have a rule reach it"
            ),
            (", match: {app: alertbot}", false, nil),
        ] as [(String, Bool, String?)])
    func `a check warns of an escalation that waits for what never comes`(
        options: String, critical: Bool, words: String?
    ) throws {
        let report = try report(
            "wake: {plugin: escalate, to: ops\(options)}", critical: critical, routes: Self.routes + Self.team)
        #expect(messages(report) == (words.map { ["rule 'wake' never escalates anything: \($0)"] } ?? []))
        #expect(report.failure == nil)
    }

    @Test(
        arguments: [
            ("", "", "without routes, ops gets everything at once; add routes, such as - to: [team]"),
            (
                "", ", match: {app: alertbot}",
                "without routes, ops gets everything at once; add routes, such as - to: [team]"
            ),
            ("  - to: [team]", "", nil),
            (
                "  - to: [team, ops]", "",
                "by the routes, ops gets all of it at once; lead the routes elsewhere, or remove the rule"
            ),
            ("  - {to: team, continue: true}\n  - to: ops", "", "by the routes, ops gets all of it at once"),
            (
                "  - {match: {severity: warning}, to: team}\n  - to: ops", "",
                "by the routes, ops gets all of it at once"
            ),
            ("  - {match: {severity: warning}, to: team}\n  - to: ops", ", severity: warning", nil),
            (
                "  - {match: {severity: critical}, to: ops}\n  - to: team", "",
                "by the routes, ops gets all of it at once"
            ),
            ("  - {match: {severity: critical}, to: ops}\n  - to: team", ", severity: warning", nil),
            ("  - {match: {app: shop-ios}, to: ops}\n  - to: team", "", nil),
            (
                "  - {match: {app: shop-ios}, to: ops}\n  - to: team", ", match: {app: shop-ios}",
                "by the routes, ops gets all of it at once"
            ),
            ("  - {match: {app: shop-ios}, to: team}\n  - to: ops", "", nil),
        ] as [(String, String, String?)])
    func `a check warns of an escalation to channels that have got everything at once`(
        routes: String, options: String, words: String?
    ) throws {
        let more = routes.isEmpty ? "  team: {plugin: inbox}\n" : Self.routes + routes + "\n"
        let found = messages(try report("wake: {plugin: escalate, to: ops\(options)}", routes: more))
        #expect(found.count == (words == nil ? 0 : 1), "\(found)")
        if let words {
            #expect(found.first?.hasPrefix("rule 'wake' never escalates anything: \(words)") == true, "\(found)")
        }
    }

    @Test(arguments: [("", false), (", match: {app: alertbot}", true)])
    func `what the bot reports to one channel is escalated without routes, too`(options: String, isSilent: Bool) throws
    {
        let rule = "wake: {plugin: escalate, to: ops\(options)}"
        let text = Shop.config(scratch).replacing(Self.nights, with: rule).replacing(
            "bot: {", with: "bot: {report_to: team, ")
        try scratch.write("config.yaml", text + "  team: {plugin: inbox}\n")
        let report = CheckReport(
            try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine), on: stage.machine)
        let words =
            "rule 'wake' never escalates anything about an app: without routes, ops gets everything at once; add routes, such as - to: [team]"
        #expect(messages(report) == (isSilent ? [] : [words]))
    }

    @Test(arguments: [
        ("", ["ops", "team", "oncall"]), ("bot: {report_to: oncall", ["ops", "team"]),
        ("wake: {plugin: escalate, to: [oncall, ops]}", ["team"]),
        ("calm: {plugin: budget, channel: oncall, at_most: 10 per 1h}", ["ops", "team", "oncall"]),
    ])
    func `a check warns of channels to which nothing leads`(rule: String, unreached: [String]) throws {
        let more = "  inbox: {plugin: inbox}\n  team: {plugin: inbox}\n  oncall: {plugin: inbox}\n"
        let routes = more + "routes:\n  - to: inbox\n"
        let isBot = rule.hasPrefix("bot")
        var text =
            Shop.config(scratch).replacing(Self.nights, with: isBot || rule.isEmpty ? Self.nights : rule) + routes
        if isBot { text = text.replacing("bot: {", with: rule + ", ") }
        try scratch.write("config.yaml", text)
        let report = CheckReport(
            try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine), on: stage.machine)
        #expect(
            messages(report)
                == unreached.map {
                    "channel '\($0)' gets no alert about any app: no route, 'report_to' or rule leads to it; add it to a route, or remove it"
                })
        try scratch.write("config.yaml", Shop.config(scratch) + more)
        let free = CheckReport(
            try ConfigFile(scratch.path("config.yaml"), .builtin, on: stage.machine), on: stage.machine)
        #expect(messages(free) == [], "without routes everything goes everywhere")
    }

    @Test(arguments: [
        ("", true, ["alertbot: warning: there are no observations to replay"]),
        ("nonsense\n", false, ["1: ", "there are no observations to replay"]),
        (
            #"{"source":"web","failed":"x","seen":"2026-11-20T10:00:00Z"}"#, true,
            ["skipped 1 line of source 'web'", "there are no observations to replay"]
        ),
        (Shop.line(crashed: 0, at: "2026-11-20T10:00:00Z").text, true, []),
        (Shop.line(crashed: 0, at: "2026-11-20T10:00:00Z").text + "{}\n", false, ["2: "]),
    ])
    func `a check of a file with lines that cannot be read is no success, and nothing is called nothing`(
        lines: String, isFine: Bool, words: [String]
    ) throws {
        try scratch.write("figures.jsonl", lines)
        let report = try CheckReport(
            try scratch.shop(stage.machine), playing: scratch.path("figures.jsonl"), on: stage.machine)
        #expect((report.failure == nil) == isFine)
        #expect(report.text(.none) != nil)
        for word in words { #expect(stage.complained.contains(word), "\(stage.complained)") }
        #expect((stage.complained == "") == words.isEmpty)
    }

    @Test(arguments: [
        (
            "a: {plugin: quiet_hours, between: 22:00-07:00, then: drop, match: {app: \"shop-*\", severity: [info, warning]}}",
            "a drops messages  (app shop-*, severity info or warning; Europe/Madrid, next 14 days)\n  Fri 2026-11-20 – "
        ),
        (
            "a: {plugin: quiet_hours, between: 22:00-07:00, except: warning}",
            "a holds messages  (warning and worse pass; Europe/Madrid, next 14 days)\n  Fri 2026-11-20 – "
        ),
        (
            "a: {plugin: quiet_hours, between: 22:00-07:00, channel: ops, except: critical}",
            "a holds messages  (in ops; critical passes; Europe/Madrid, next 14 days)\n  Fri 2026-11-20 – "
        ),
        (
            "a: {plugin: mute, from: 2026-12-24, until: 2027-01-02}",
            "a holds messages  (Europe/Madrid, next 14 days)\n  not before Thu 2026-12-24 00:00 CET, until Sat 2027-01-02 00:00 CET"
        ),
        (
            "a: {plugin: mute, until: 2027-01-02}",
            "a holds messages  (Europe/Madrid, next 14 days)\n  until Sat 2027-01-02 00:00 CET"
        ),
    ])
    func `a check says whether a gate holds or drops, what, and from when on`(rule: String, words: String) throws {
        let text = try #require(try report(rule).text(.none))
        #expect(text.contains(words), "\(text)")
    }
}
