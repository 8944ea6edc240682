import AlertCore
import BotConfig
import BotHarness
import BuiltinPlugins
import MachineTesting
import Pictures
import PluginKit
import Preview
import RuleTests
import Runtime
import Synchronization
import SystemPorts
import Testing

@testable import Commands

/// Commands that play something through a config.
@Suite struct CommandPreviewTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func dryRun(
        replacing old: String = "", with new: String = "", faults: Faults? = nil
    ) throws -> DryRun {
        let config = try scratch.shop(stage.machine, replacing: old, with: new).config()
        return DryRun(config, from: State(), faults: faults, on: stage.machine)
    }

    private func decisions(_ preview: Preview) -> [String] {
        preview.decisions.map { "\($0.at) \($0.channel) \($0.kind.rawValue) \($0.decision.name)" }
    }

    // MARK: dry-run

    @Test func `a dry run plays a file up to a moment and says what it left out`() throws {
        try scratch.write(
            "a.jsonl",
            Shop.line(crashed: 500, at: "2026-11-20T10:00:00Z").text
                + Shop.line(crashed: 0, at: "2026-11-20T11:30:00Z").text)
        let (preview, isWhole) = try dryRun().play(scratch.path("a.jsonl"), until: .at("11:00"))
        #expect(isWhole)
        #expect(decisions(preview) == ["2026-11-20T10:00:00Z ops opened send"])
        #expect(stage.complained == "alertbot: warning: 1 line seen after Fri 20 Nov 12:00 CET is not played\n")
    }

    @Test func `a dry run of a recording takes what each source has said last, as of now`() throws {
        try scratch.record([
            "2026-11-20-1": [
                Shop.line(crashed: 0, at: "2026-11-20T10:00:00Z"), Shop.line(crashed: 500, at: "2026-11-20T11:00:00Z"),
            ]
        ])
        let preview = try dryRun().repeatRecorded(at: stage.clock.now())
        #expect(decisions(preview) == ["2026-11-20T12:00:00Z ops opened send"])
        #expect(stage.complained == "alertbot: source figures: its figures are from Fri 20 Nov 12:00 CET\n")
        let nothing = #expect(throws: Failure.self) { try dryRun().repeatRecorded(at: .at("09:00")) }
        #expect(
            nothing?.sentence
                == "no figures are recorded in \(scratch.path("state/observations")); leave out --recorded to poll")
    }

    @Test func `a dry run polls every source once, and names those that had nothing to say`() async throws {
        let two = "sources:\n  absent: {plugin: file, path: /nowhere/figures.jsonl}\n"
        let run = try dryRun(replacing: "sources:\n", with: two)
        try scratch.write("figures.jsonl", Shop.line(crashed: 500, at: "2026-11-20T11:59:00Z").text)
        let preview = try await run.poll(at: stage.clock.now())
        #expect(decisions(preview).contains("2026-11-20T12:00:00Z ops opened send"))
        #expect(stage.complained.hasPrefix("alertbot: source absent: "))
        #expect(stage.complained.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["2026-11-21T05:00:00Z", "2026-11-23T12:00:00Z", "2026-11-20T04:00:00Z"])
    func `a dry run at another time takes what sources say now for what they would say then`(time: String) async throws
    {
        let then = try #require(Moment(rfc3339: time))
        try scratch.write("figures.jsonl", Shop.line(crashed: 500, at: "2026-11-20T11:59:00Z").text)
        let preview = try await dryRun().poll(at: then)
        #expect(decisions(preview) == ["\(time) ops opened send"])
        // So does one that begins with what a bot knows that has been quiet so far.
        try scratch.write("figures.jsonl", Shop.line(crashed: 0, at: "2026-11-20T11:59:00Z").text)
        let known = try await dryRun().poll(at: nil).state
        try scratch.write("figures.jsonl", Shop.line(crashed: 500, at: "2026-11-20T11:59:30Z").text)
        let config = try scratch.shop(stage.machine).config()
        let later = try await DryRun(config, from: known, faults: nil, on: stage.machine).poll(at: then)
        // That somebody asks of another time is no trouble of the machine's clock.
        #expect(!later.incidents.contains { $0.subject.app == "alertbot" })
        guard then > stage.clock.now() else { return }
        #expect(decisions(later) == ["\(time) ops opened send"])
    }

    @Test func `what is held till then is previewed with what sources say, not as if they had been silent since`()
        async throws
    {
        let mild = try scratch.shop(
            stage.machine, replacing: "between: 22:00-07:00", with: "between: 12:00-23:00"
        ).config()
        try scratch.write("figures.jsonl", Shop.line(crashed: 95, at: "2026-11-20T12:00:00Z").text)
        let known = try await DryRun(mild, from: State(), faults: nil, on: stage.machine).poll(at: nil)
        #expect(decisions(known) == ["2026-11-20T12:00:00Z ops opened hold"])
        for then in ["2026-11-20T22:00:00Z", "2026-11-20T22:30:00Z"] {
            let later = try await DryRun(mild, from: known.state, faults: nil, on: stage.machine)
                .poll(at: Moment(rfc3339: then))
            #expect(decisions(later) == ["\(then) ops opened send"])
            let text = try #require(later.decisions.first).message.plainText
            #expect(!text.contains("No news"), "\(text)")
        }
    }

    /// The bot spoke at five in the morning and has been down since; reminders are due every four hours.
    private func spoken() throws -> State {
        try scratch.write("old.jsonl", Shop.line(crashed: 500, at: "2026-11-20T05:00:00Z").text)
        let known = try dryRun().play(scratch.path("old.jsonl"), until: nil).preview
        #expect(decisions(known) == ["2026-11-20T05:00:00Z ops opened send"])
        // As a start reads it.
        var state = State(memories: known.state.memories)
        for fact in known.state.facts { state.apply(fact) }
        return state
    }

    @Test(arguments: ["polled", "polled later", "recorded", "played"])
    func `an overdue reminder is previewed, wherever the answer comes from for which it waits`(way: String)
        async throws
    {
        let config = try scratch.shop(stage.machine).config()
        let run = DryRun(config, from: try spoken(), faults: nil, on: stage.machine)
        let line = Shop.line(crashed: 500, at: "2026-11-20T12:00:00Z")
        try scratch.write("figures.jsonl", line.text)
        try scratch.record(["2026-11-20-1": [line]])
        let preview =
            switch way {
            case "polled": try await run.poll(at: nil)
            case "polled later": try await run.poll(at: .at("14:00"))
            case "recorded": try run.repeatRecorded(at: stage.clock.now())
            default: try run.play(scratch.path("figures.jsonl"), until: nil).preview
            }
        let time = way == "polled later" ? "14:00" : "12:00"
        #expect(decisions(preview) == ["2026-11-20T\(time):00Z ops reminder send"])
    }

    @Test func `what waits for a source that nobody asks is decided in the end`() throws {
        let plan = try scratch.shop(stage.machine).config().plan
        var preview = Preview(plan: plan, state: try spoken(), start: stage.clock.now())
        preview.advance(to: stage.clock.now())
        #expect(decisions(preview) == [])
        preview.expectNoMoreAnswers()
        #expect(decisions(preview) == ["2026-11-20T12:00:00Z ops reminder send"])
    }

    @Test func `what the answer ends is not reminded of before`() throws {
        let config = try scratch.shop(stage.machine).config()
        let run = DryRun(config, from: try spoken(), faults: nil, on: stage.machine)
        try scratch.record(["2026-11-20-1": [Shop.line(crashed: 0, at: "2026-11-20T12:00:00Z")]])
        let preview = try run.repeatRecorded(at: stage.clock.now())
        #expect(decisions(preview) == ["2026-11-20T12:00:00Z ops resolved send"])
    }

    @Test func `a dry run of a recording takes its figures for new, however old they are`() throws {
        try scratch.record(["2026-11-18-1": [Shop.line(crashed: 500, at: "2026-11-18T11:00:00Z")]])
        #expect(
            decisions(try dryRun().repeatRecorded(at: stage.clock.now())) == ["2026-11-20T12:00:00Z ops opened send"])
    }

    @Test func `a dry run says where its file is older than what the bot knows`() async throws {
        let config = try scratch.shop(stage.machine).config()
        try scratch.write("figures.jsonl", Shop.line(crashed: 500, at: "2026-11-20T11:59:00Z").text)
        try scratch.write("old.jsonl", Shop.line(crashed: 5, at: "2026-11-18T11:00:00Z").text)
        try scratch.write("new.jsonl", Shop.line(crashed: 5, at: "2026-11-20T12:30:00Z").text)
        let known = try await DryRun(config, from: State(), faults: nil, on: stage.machine).poll(at: stage.clock.now())
            .state
        let run = DryRun(config, from: known, faults: nil, on: stage.machine)
        _ = try run.play(scratch.path("new.jsonl"), until: nil)
        #expect(!stage.complained.contains("before the bot's last figures"))
        _ = try run.play(scratch.path("old.jsonl"), until: nil)
        let warning = "the observations begin at Wed 18 Nov 12:00 CET, before the bot's last figures"
        #expect(stage.complained.contains(warning), "\(stage.complained)")
        // Where the year is wrong it is what people must see.
        try scratch.write("year.jsonl", Shop.line(crashed: 5, at: "2025-11-18T11:00:00Z").text)
        _ = try run.play(scratch.path("year.jsonl"), until: nil)
        #expect(stage.complained.contains("begin at Tue 18 Nov 2025 12:00 CET"), "\(stage.complained)")
    }

    @Test(arguments: ["polled", "recorded", "played", "checked"])
    func `figures that the bot would not believe are named, wherever they come from`(way: String) async throws {
        let end = Moment.at("11:59")
        let wild = ObservationLine.observed(
            Observation(
                subject: Subject(source: "figures", app: "shop-ios"), span: TimeSpan(lasting: .hours(1), until: end),
                seen: end, metrics: ["users": 1e13, "crashed_users": 0]))
        let path = scratch.path("figures.jsonl")
        try scratch.write("figures.jsonl", wild.text)
        try scratch.record(["2026-11-20-1": [wild]])
        switch way {
        case "polled": _ = try await dryRun().poll(at: nil)
        case "recorded": _ = try dryRun().repeatRecorded(at: stage.clock.now())
        case "played": _ = try dryRun().play(path, until: nil)
        default: _ = try CheckReport(scratch.shop(stage.machine), playing: path, on: stage.machine)
        }
        let told = stage.complained.split(separator: "\n").filter { $0.contains("left out") }
        #expect(told.count == 1, "\(stage.complained)")
        let words = "alertbot: warning: source figures: an implausible observation was left out: 'users' is "
        #expect(told.first?.hasPrefix(words) == true, "\(told)")
    }

    @Test func `a dry run names the rows that it leaves out`() async throws {
        let rows = """
            [{"name": "shop-ios", "users": 10000, "crashed": 500}, {"name": "shop-web", "users": 10000, "crashed": "-"}]
            """
        let stage = StagedMachine(at: "2026-11-20T12:00:00Z") { _ throws(TransportError) in
            HTTPResponse(status: 200, body: Array(rows.utf8))
        }
        let source =
            "{plugin: http_json, url: \"https://stats.example/\", each: \"$[*]\", "
            + "map: {app: $.name, users: $.users, crashed_users: $.crashed}}"
        let file = try scratch.shop(
            stage.machine, replacing: "{plugin: file, path: \(scratch.path("figures.jsonl"))}", with: source)
        let run = DryRun(try file.config(), from: State(), faults: nil, on: stage.machine)
        let preview = try await run.poll(at: stage.clock.now())
        #expect(decisions(preview) == ["2026-11-20T12:00:00Z ops opened send"])
        #expect(
            stage.complained == "alertbot: source figures: warning: a row of shop-web is left out: $[1].crashed: "
                + "expected a number for 'crashed_users', found the string \"-\"\n")
    }

    @Test func `a dry run asks one host no more at once than the bot does`() async throws {
        let counter = Mutex((now: 0, most: 0))
        let stage = StagedMachine(at: "2026-11-20T12:00:00Z") { _ throws(TransportError) in
            counter.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            // Lets the others begin, if they may.
            for _ in 0..<100 { await Task.yield() }
            counter.withLock { $0.now -= 1 }
            return HTTPResponse(status: 200, body: Array("[]".utf8))
        }
        let sources = (1...9).map { number in
            "  s\(number): {plugin: http_json, url: \"https://stats.example/\(number)\", each: \"$[*]\", "
                + "map: {app: $.name, users: $.users}}\n"
        }
        let text = Shop.config(scratch).replacing("sources:\n", with: "sources:\n" + sources.joined())
        try scratch.write("many.yaml", text)
        let config = try ConfigFile(scratch.path("many.yaml"), .builtin, on: stage.machine).config()
        _ = try await DryRun(config, from: State(), faults: nil, on: stage.machine).poll(at: stage.clock.now())
        #expect(stage.web.asked.count == 9)
        #expect(counter.withLock { $0.most } == 4)
    }

    @Test func `where no source answers there is nothing to judge`() async throws {
        let failure = await #expect(throws: Failure.self) {
            _ = try await dryRun(faults: Faults(rate: 1, seed: 1)).poll(at: stage.clock.now())
        }
        #expect(failure == Failure(.impossible, "no source answered, so there is nothing to judge"))
        #expect(stage.complained.contains("failed on purpose"))
    }

    // MARK: check

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

    // MARK: rule tests

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

    // MARK: why

    private func why(app: String? = nil, rule: String? = nil, at then: Moment? = nil) throws -> WhyQuestion {
        WhyQuestion(app: app, rule: rule, at: then, try scratch.shop(stage.machine), on: stage.machine)
    }

    @Test func `why answers of the past by what was recorded`() async throws {
        try scratch.record([
            "2026-11-20-1": [
                Shop.line(crashed: 500, at: "2026-11-20T10:00:00Z"), Shop.line(crashed: 0, at: "2026-11-20T11:30:00Z"),
            ]
        ])
        try await why(at: .at("10:30")).answer(as: .json, .none)
        let json = try JSON(parsing: stage.said)
        #expect(json["now"]?.string == "2026-11-20T10:30:00Z")
        #expect(json["why"]?.array?.first?["verdict"]?.string == "firing")
        #expect(
            stage.complained.hasPrefix(
                "alertbot: this replays what was recorded from Fri 20 Nov 11:00 CET to Fri 20 Nov 11:30 CET with "))
        try await why(app: "shp-ios", at: .at("10:30")).answer(as: .text, .none)
        #expect(
            stage.said.hasSuffix(
                "No figures of app 'shp-ios' have arrived; known: shop-ios; did you mean shop-ios?\n"))
        let early = await #expect(throws: Failure.self) { try await why(at: .at("09:30")).answer(as: .text, .none) }
        #expect(
            early?.sentence
                == "the recording begins at Fri 20 Nov 11:00 CET; nothing is known about Fri 20 Nov 10:30 CET")
        let late = await #expect(throws: Failure.self) { try await why(at: .at("13:00")).answer(as: .text, .none) }
        #expect(late?.status == .wrongUsage)
        #expect(late?.sentence.hasPrefix("--at is Fri 20 Nov 14:00 CET, which is in the future") == true)
    }

    @Test func `why is not misled by what was recorded while the clock was not set`() async throws {
        try scratch.record([
            "1970-01-01-1": [Shop.line(crashed: 0, at: "1970-01-01T01:00:00Z")],
            "2026-11-20-1": [Shop.line(crashed: 500, at: "2026-11-20T10:00:00Z")],
            "2036-11-20-1": [Shop.line(crashed: 0, at: "2036-11-20T10:00:00Z")],
        ])
        try await why(at: .at("10:30")).answer(as: .json, .none)
        let json = try JSON(parsing: stage.said)
        #expect(json["why"]?.array?.first?["verdict"]?.string == "firing")
        #expect(
            stage.complained.hasPrefix(
                "alertbot: warning: 1 file up to 1970-01-01-1.jsonl is left out: what else is recorded in "),
            "\(stage.complained)")
        // What is dated ahead of now is no reason to leave out the rest.
        let preview = try dryRun().repeatRecorded(at: stage.clock.now())
        #expect(decisions(preview) == ["2026-11-20T12:00:00Z ops opened send"])
    }

    @Test func `why says of the past that not every line of it could be read`() async throws {
        try scratch.record(["2026-11-20-1": [Shop.line(crashed: 500, at: "2026-11-20T10:00:00Z")]])
        let file = scratch.path("state/observations/2026-11-20-1.jsonl")
        try scratch.write(
            "state/observations/2026-11-20-1.jsonl",
            "{\"source\":}\n" + String(decoding: try WholeFile.read(file, bytesMax: 1 << 16), as: UTF8.self))
        let failure = await #expect(throws: Failure.self) {
            try await why(at: .at("10:30")).answer(as: .json, .none)
        }
        #expect(failure == Failure(.no))
        #expect(stage.said.contains("firing"), "what could be read is answered")
        #expect(stage.complained.contains("not every line could be read"))
    }

    @Test func `why of the present reads the journal, and says when there is nothing yet`() async throws {
        try await why().answer(as: .text, .none)
        #expect(
            stage.said
                == "No figures have arrived yet, so there is nothing to judge; 'alertbot status' shows the sources.\n")
        try await why(app: "alertbot").answer(as: .text, .none)
        #expect(stage.said.hasSuffix("\nThe bot has no trouble now.\n"))
        try await why(app: "alertbot", rule: "floor").answer(as: .text, .none)
        #expect(
            stage.said.hasSuffix(
                "\nRule floor does not judge app alertbot, which is the bot itself; leave out --rule to see the bot's "
                    + "troubles.\n"))
        let failure = await #expect(throws: Failure.self) {
            try await why(rule: "flor").answer(as: .text, .none)
        }
        #expect(
            failure
                == Failure(
                    .wrongUsage,
                    "there is no rule 'flor' that judges figures; known: floor; did you mean floor?"))
        let nothing = await #expect(throws: Failure.self) { try await why(at: .at("09:00")).answer(as: .text, .none) }
        #expect(nothing?.sentence.hasPrefix("nothing is recorded in ") == true)
    }
}

extension Moment {
    /// An instant of 20 November 2026.
    fileprivate static func at(_ time: String) -> Moment { Moment(rfc3339: "2026-11-20T\(time):00Z") ?? .earliest }
}
