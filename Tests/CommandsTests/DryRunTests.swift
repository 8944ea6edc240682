import AlertCore
import BotConfig
import BotHarness
import BuiltinPlugins
import MachineTesting
import PluginKit
import Preview
import Runtime
import Synchronization
import SystemPorts
import Testing

@testable import Commands

/// What a dry run plays through a config, and where it takes its figures from.
@Suite struct DryRunTests {
    private let stage = StagedMachine(at: "2026-11-20T12:00:00Z")
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func dryRun(
        replacing old: String = "", with new: String = "", faults: Faults? = nil
    ) throws -> DryRun {
        let config = try scratch.shop(stage.machine, replacing: old, with: new).config()
        return DryRun(config, from: State(), faults: faults, on: stage.machine)
    }

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
}
