import AlertCore
import BotConfig
import BotHarness
import BuiltinPlugins
import MachineTesting
import Pictures
import PluginKit
import Runtime
import SystemPorts
import Testing

@testable import Commands

/// What a check says of a config, and what it warns of.
@Suite struct CheckTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `a check says how late rules can be, when gates are closed, and what the recording makes of it`() throws
    {
        try scratch.record([
            "2026-11-18-1": [Shop.line(crashed: 500, at: "2026-11-18T10:00:00Z")],
            "2026-11-20-1": [Shop.line(crashed: 0, at: "2026-11-20T10:00:00Z")],
        ])
        let report = CheckReport(try scratch.shop(stage.machine), on: stage.machine)
        let text = try #require(report.text(.none))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "✓ \(scratch.path("config.yaml")): 1 source, 2 rules, 1 channel")
        #expect(
            lines.contains(
                "Detection  (time between polls, plus 'for'; at worst, plus what a poll may take: 5 times 'timeout')"))
        #expect(lines.contains { $0.hasPrefix("  floor: usually within 5 min, at worst ") }, "\(text)")
        #expect(lines.contains("nights holds messages  (critical passes; Europe/Madrid, next 14 days)"))
        #expect(lines.contains("  Fri 2026-11-20 – Thu 2026-12-03, daily 22:00 – 07:00 CET"), "\(text)")
        #expect(
            lines.contains(
                "Messages in the recording  (Wed 2026-11-18 11:00 CET – Fri 2026-11-20 11:00 CET)"), "\(text)")
        #expect(lines.last == "  floor: 14 messages, 49 a week", "\(text)")
        #expect(report.failure == nil)
        #expect(report.json["rules"]?.array?.first?["name"]?.string == "floor")
        #expect(report.json["gates"]?.array?.first?["closed"]?.array?.count == 14)
        #expect(report.json["history"] != .null)
        #expect(stage.complained == "")
    }

    @Test(arguments: [
        (
            "between: 22:00-07:00, days: mon-fri",
            [
                "Fri 2026-11-20 22:00 CET – Sat 2026-11-21 07:00 CET",
                "Mon 2026-11-23 – Fri 2026-11-27, daily 22:00 – 07:00 CET",
                "Mon 2026-11-30 – Thu 2026-12-03, daily 22:00 – 07:00 CET",
            ]
        ),
        (
            "between: 00:00-24:00, days: sat-sun",
            [
                "Sat 2026-11-21 00:00 CET – Mon 2026-11-23 00:00 CET",
                "Sat 2026-11-28 00:00 CET – Mon 2026-11-30 00:00 CET",
            ]
        ),
        ("between: 00:00-24:00", ["always"]),
        ("between: 22:00-07:00, dates: 2027-05-01", ["not before Sat 2027-05-01 22:00 CEST"]),
    ]) func `a check says in few words when a gate is closed`(options: String, expected: [String]) throws {
        let file = try scratch.shop(stage.machine, replacing: "between: 22:00-07:00", with: options)
        let text = try #require(CheckReport(file, on: stage.machine).text(.none))
        let gate =
            text.split(separator: "nights holds messages  (critical passes; Europe/Madrid, next 14 days)\n").last ?? ""
        #expect(gate.split(separator: "\n\n").first == expected.map { "  " + $0 }.joined(separator: "\n")[...])
    }

    @Test func `a night in which the clock is changed has a line of its own`() throws {
        let stage = StagedMachine(at: "2026-10-22T12:00:00Z")
        let file = try scratch.shop(stage.machine, replacing: "between: 22:00-07:00", with: "between: 02:30-05:00")
        let text = try #require(CheckReport(file, on: stage.machine).text(.none))
        #expect(text.contains("  Fri 2026-10-23 – Sat 2026-10-24, daily 02:30 – 05:00 CEST\n"), "\(text)")
        #expect(text.contains("  Sun 2026-10-25 – Thu 2026-11-05, daily 02:30 – 05:00 CET"), "\(text)")
    }

    @Test(arguments: [
        ("between: 22:00-07:00, dates: 2025-12-24/2026-01-02", true),
        // On the later night the clock skips these hours.
        ("between: 02:10-02:50, dates: [2026-01-02, 2027-03-28]", true),
        ("between: 22:00-07:00, dates: 2027-12-24", false),
        // They come, and nobody looks so far ahead.
        ("between: 22:00-07:00, dates: 2028-06-01", true),
    ]) func `a check warns of quiet hours that are over or far ahead`(options: String, isIdle: Bool) throws {
        let file = try scratch.shop(stage.machine, replacing: "between: 22:00-07:00", with: options)
        let report = CheckReport(file, on: stage.machine)
        let words =
            "warning: rule 'nights' holds nothing in the next 400 days: it has no window there; give it nearer days"
        #expect(report.problemTexts.contains { $0.contains(words) } == isIdle, "\(report.problemTexts)")
        let text = try #require(report.text(.none))
        #expect(text.contains("next 14 days)\n  not in the next 400 days") == isIdle, "\(text)")
        #expect(report.failure == nil)
    }

    @Test func `a check warns of a mute that is over, and of one in force says only until when`() throws {
        let nights = "nights: {plugin: quiet_hours, between: 22:00-07:00, except: critical}"
        let over = try scratch.shop(stage.machine, replacing: nights, with: "freeze: {plugin: mute, until: 2026-11-21}")
        let report = CheckReport(over, on: stage.machine)
        let words =
            "warning: rule 'freeze' will hold nothing: it ended on Sat 21 Nov 00:00 CET; give it a later 'until', or remove it"
        #expect(report.problemTexts == [])
        stage.clock.advance(by: .days(1))
        let later = CheckReport(over, on: stage.machine)
        #expect(later.problemTexts.count == 1 && later.problemTexts[0].contains(words), "\(later.problemTexts)")
        #expect(later.failure == nil)
        #expect(report.text(.none)?.contains("\n  until Sat 2026-11-21 00:00 CET") == true)
    }

    @Test func `a check warns where no rule judges figures`() throws {
        let floor =
            #"  floor: {plugin: threshold, metric: crash_free_users, warning: "< 99.5%", critical: "< 99%", window: 1h}"#
            + "\n"
        let report = CheckReport(try scratch.shop(stage.machine, replacing: floor, with: ""), on: stage.machine)
        #expect(report.problemTexts.count == 1)
        #expect(
            report.problemTexts.first?.contains(
                "config.yaml:5:1: warning: no rule judges figures, so nothing is sent but the bot's own troubles")
                == true,
            "\(report.problemTexts)")
        #expect(report.failure == nil)
    }

    @Test(arguments: [
        ("stale, after: 2h", "usually within 2 h 5 min, at worst 2 h 31 min"),
        ("drop, metric: crash_free_users, by: 0.5pp", "1 min 40 s, once there is enough evidence"),
        ("release, for: 10m", "usually within 15 min, at worst 41 min 40 s, once there is enough evidence"),
        ("threshold, metric: crash_free_users, warning: < 99%, confidence: off", "at worst 31 min 40 s"),
    ]) func `a check says what has to pass besides polls until a rule can fire`(rule: String, words: String) throws {
        let floor = "threshold, metric: crash_free_users, warning: \"< 99.5%\", critical: \"< 99%\", window: 1h"
        let file = try scratch.shop(stage.machine, replacing: floor, with: rule)
        let text = try #require(CheckReport(file, on: stage.machine).text(.none))
        let line = text.split(separator: "\n").first { $0.hasPrefix("  floor: ") }
        #expect(line?.hasSuffix(words) == true, "\(text)")
    }

    @Test(arguments: [
        ("between: 00:00-24:00", "rule 'nights' holds everything"),
        ("between: 00:00-24:00, then: drop", "rule 'nights' drops everything"),
        (
            "between: 22:00-07:00}\n  days: {plugin: quiet_hours, between: 07:00-22:00",
            "rules 'nights' and 'days' together"
        ),
        ("between: 22:00-07:00}\n  days: {plugin: quiet_hours, between: 07:01-22:00", nil),
        ("between: 00:00-24:00, except: critical", nil), ("between: 00:00-24:00, match: {app: shop}", nil),
    ]) func `a check warns of quiet hours between which nothing is ever sent`(options: String, words: String?) throws {
        let file = try scratch.shop(stage.machine, replacing: "between: 22:00-07:00, except: critical", with: options)
        let texts = CheckReport(file, on: stage.machine).problemTexts.filter {
            $0.contains("of the next 14 days, so nothing is sent")
        }
        #expect(texts.count == (words == nil ? 0 : 1))
        #expect(texts.allSatisfy { $0.contains(words ?? "") }, "\(texts)")
    }

    @Test func `what is pushed is judged at once, and a check says so`() throws {
        let pushed = Shop.config(scratch)
            .replacing("listen: off", with: "listen: 127.0.0.1:0")
            .replacing(
                "plugin: file, path: \(scratch.path("figures.jsonl"))", with: "plugin: push, token: 0123456789abcdef")
        try scratch.write("pushed.yaml", pushed)
        let report = CheckReport(
            try ConfigFile(scratch.path("pushed.yaml"), .builtin, on: stage.machine), on: stage.machine)
        let text = try #require(report.text(.none))
        #expect(
            text.contains("  floor: as soon as figures are pushed, once there is enough evidence\n"), "\(text)")
        #expect(report.json["rules"]?.array?.first?["slowest_detection"]?.string == "0s")
    }

    @Test func `a check says where charts are wanted and cannot be drawn, and what to install`() throws {
        let without = StagedMachine(painter: SystemPainter(library: "libcairo-of-nobody.so.2"))
        let wanted = "ops: {plugin: discord, webhook: \"https://discord.com/api/webhooks/1/x\", chart: true}"
        let file = try scratch.shop(without.machine, replacing: "ops: {plugin: console}", with: wanted)
        let problem = "warning: messages to channel 'ops' are sent without charts: libcairo is not installed"
        #expect(CheckReport(file, on: without.machine).problemTexts.contains { $0.contains(problem) })
        #expect(CheckReport(file, on: without.machine).failure == nil)
        let unwanted = try scratch.shop(without.machine)
        #expect(CheckReport(unwanted, on: without.machine).problemTexts == [])
    }

    @Test func `a check and the status name a calendar that has no days left, and nobody names one that has`() throws {
        func holiday(_ date: String) -> String {
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:\(date)\nEND:VEVENT\nEND:VCALENDAR\n"
        }
        try scratch.write("old.ics", holiday("20251225"))
        try scratch.write("today.ics", holiday("20261120"))
        let file = try scratch.shop(
            stage.machine, replacing: "between: 22:00-07:00",
            with: "calendar: [old.ics, today.ics], between: 22:00-07:00")
        let report = CheckReport(file, on: stage.machine)
        let sentence =
            "the calendar '\(scratch.path("old.ics"))' has no days left: its last day was 2025-12-25; "
            + "export it again, with the days to come"
        #expect(report.json["problems"]?.array?.compactMap { $0["message"]?.string } == [sentence])
        let problem = try #require(report.problemTexts.first)
        #expect(problem.contains(":7:44: warning: \(sentence)"), "\(problem)")
        #expect(report.failure == nil)

        let plan = try #require(file.result.config).plan
        let status = StatusReport(State(), plan, at: stage.machine.clock.now()).status(isRunning: true)
        #expect(
            StatusText(status, .none, in: plan.zone).text.hasSuffix(
                "\n\nThe calendar \(scratch.path("old.ics")) of rule nights has no days left: its last day was 2025-12-25"
            ))
    }

    @Test func `a rule that matched nothing is noted, and a recording that cannot be read is left out`() throws {
        try scratch.record(["2026-11-20-1": [Shop.line("bank", crashed: 0, at: "2026-11-20T10:00:00Z")]])
        let file = try scratch.shop(stage.machine, replacing: "window: 1h}", with: "window: 1h, match: {app: shop-*}}")
        let text = try #require(CheckReport(file, on: stage.machine).text(.none))
        #expect(text.hasSuffix("\n  note: rule 'floor' matched nothing in the recording"), "\(text)")
        let other = try Scratch()
        try other.makeFolder("state")
        try other.write("state/observations", "no folder")
        let report = CheckReport(try other.shop(stage.machine), on: stage.machine)
        #expect(report.json["history"] == .null)
        #expect(stage.complained.hasPrefix("alertbot: warning: the recording is left out: "), "\(stage.complained)")
    }

    @Test func `a config with errors has nothing to show but them`() throws {
        let report = CheckReport(
            try scratch.shop(stage.machine, replacing: "window: 1h", with: "windw: 1h"), on: stage.machine)
        #expect(report.text(.none) == nil)
        #expect(report.failure?.status == .no)
        #expect(report.problemTexts.count == 1)
        #expect(report.json["problems"]?.array?.count == 1)
        let unreadable = CheckReport.unreadable("config.yaml", Failure(.no, "it is gone"))
        #expect(unreadable["problems"]?.array?.first?["message"]?.string == "it is gone")
        #expect(unreadable.object?.members.map(\.name) == report.json.object?.members.map(\.name))
    }
}
