internal import AlertCore
internal import AlertTesting
internal import PluginKit
internal import Preview
internal import Testing

@Suite struct BacktestReportTests {
    private let start = Moment.utc("2026-11-20 12:00")

    /// Plays a story, a cue every ten minutes each, and reports.
    private func report(
        _ story: String, from start: Moment? = nil, _ plan: Plan = .rehearsed(), truth: [TrueIncident]? = nil,
        isTraced: Bool = false
    ) -> BacktestReport {
        var playback = Playback(plan, isTraced: isTraced)
        for (index, character) in story.enumerated() {
            guard let cue = Cue(rawValue: character) else { continue }
            let now = (start ?? self.start) + .minutes(Int64(index) * 10)
            playback.feed(.init(seen: now, lines: [.observed(.cue(cue, at: now))]))
        }
        return BacktestReport(playback.finish(now: self.start), channels: [:], truth: truth)
    }

    @Test func `messages are counted for each rule, and those at night apart`() {
        let day = report("..ww....w.")
        #expect(day.rules.map(\.messages) == [4])
        #expect(day.rules.map(\.atNight) == [0])
        let night = report("..ww....w.", from: .utc("2026-11-20 21:40"))
        #expect(night.rules.map(\.messages) == [4])
        #expect(night.rules.map(\.atNight) == [4])
        #expect(night.channels.map(\.atNight) == [4])
    }

    @Test(arguments: [
        ("21:59:59", false), ("22:00", true), ("23:59", true), ("00:00", true), ("06:59", true), ("07:00", false),
    ])
    func `the night lasts from ten to seven`(time: String, isNight: Bool) {
        #expect(Night(.utc).covers(.utc("2026-11-20 \(time)")) == isNight)
    }

    @Test func `what was over within ten minutes is brief`() {
        let figures = report("..w...www..").rules[0]
        #expect(figures.incidents == 2)
        #expect(figures.brief == 1)
    }

    @Test func `what was over before anybody was told is brief only if it was short itself`() {
        let plan = Plan.rehearsed(gates: [.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:15")])
        let long = report(".wwwww...", plan).rules[0]
        #expect((long.incidents, long.brief) == (1, 0))
        let short = report(".w.......", plan).rules[0]
        #expect((short.incidents, short.brief) == (1, 1))
    }

    @Test func `what is held and over before its summary counts once`() {
        let plan = Plan.rehearsed(gates: [.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:15")])
        let figures = report(".wwwww...", plan).rules[0]
        #expect((figures.messages, figures.notifications, figures.gated) == (1, 1, 1))
    }

    @Test func `the longest silence counts from the begin and to the end`() {
        #expect(report("....").rules[0].longestSilence == .minutes(30))
        #expect(report("w.....").rules[0].longestSilence == .minutes(40))
        #expect(report("...w.").rules[0].longestSilence == .minutes(30))
    }

    @Test func `what a gate held counts once, however often it was looked at`() {
        let plan = Plan.rehearsed(gates: [.quiet(from: "2026-11-20 12:05", until: "2026-11-20 13:05")])
        let figures = report(".wwwwwwwww", plan).rules[0]
        #expect(figures.messages == 1)
        #expect(figures.notifications == 1)
        #expect(figures.gated == 1)
        let free = report("w.w.", plan).rules[0]
        #expect(free.notifications >= free.messages)
    }

    @Test func `a rule that said nothing is listed, and troubles of the bot that were reported`() {
        var playback = Playback(.rehearsed())
        for minute in stride(from: Int64(0), to: 90, by: 10) {
            let now = start + .minutes(minute)
            playback.feed(.init(seen: now, lines: [.failed(source: "ios", reason: "timeout", seen: now)]))
        }
        let report = BacktestReport(playback.finish(now: start), channels: [:])
        #expect(report.rules.map(\.rule) == ["look", "source-failing"])
        #expect(report.rules.map(\.messages) == [0, 1])
    }

    @Test func `delays are measured against what really happened`() throws {
        func truth(_ app: String, _ from: String, _ to: String) -> TrueIncident {
            TrueIncident(app: app, span: .between("2026-11-20 \(from)", "2026-11-20 \(to)"))
        }
        let report = report(
            "..ww....w.....",
            truth: [truth("shop", "12:05", "12:40"), truth("shop", "13:00", "13:05"), truth("other", "12:00", "13:00")])
        let detection = try #require(report.rules[0].detection)
        #expect(detection.cases.map(\.delay) == [.minutes(15), nil, nil])
        #expect(detection.found == 1)
        #expect(detection.medianDelay == .minutes(15))
        #expect(detection.falseAlarms == 1)
    }

    @Test func `what really happened before the span or after it could not be found, and is left out`() throws {
        let truth = [
            TrueIncident(app: "shop", span: .between("2026-11-20 10:00", "2026-11-20 11:59")),
            TrueIncident(app: "shop", span: .between("2026-11-20 12:05", "2026-11-20 12:40")),
            TrueIncident(app: "shop", span: .between("2026-11-20 12:51", "2026-11-20 13:30")),
        ]
        let detection = try #require(report("..ww..", truth: truth).rules[0].detection)
        #expect(detection.cases.map(\.incident) == [truth[1]])
        #expect(detection.leftOut == 2)
        #expect(detection.leftOutWords == "; 2 incidents outside the replayed span left out")
    }

    @Test func `the JSON is that of a preview with figures`() throws {
        let json = report("..w.").json
        #expect(
            try JSONReader(json).members().map(\.name) == [
                "now", "incidents", "notifications", "summary", "rules", "unrouted", "figures",
            ])
        let rule = try #require(json["figures"]?["rules"]?.array?.first)
        #expect(
            rule.text == #"{"rule":"look","messages":2,"at_night":0,"notifications":2,"held_or_dropped":0,"#
                + #""incidents":1,"over_within_10m":1,"longest_silence":"20m"}"#)
    }

    @Test func `a traced backtest keeps what rules thought, however long, in bounded space`() throws {
        let report = report(String(repeating: ".......w..", count: 900), isTraced: true)
        let traces = try #require(report.traces?.traces)
        let trace = try #require(traces.first { $0.key.rule == "look" && $0.key.subject == .shop }?.value)
        #expect(traces.count == 1)
        #expect(trace.points.count <= Traces.Trace.pointsMax)
        #expect(trace.points.count > Traces.Trace.pointsMax / 4)
        #expect(trace.points.first?.from == start)
        #expect(trace.points.last?.to == report.to)
        for (left, right) in zip(trace.points, trace.points.dropFirst()) { #expect(left.to < right.from) }
        #expect(trace.points.contains { $0.severity == .warning })
    }

    @Test func `true incidents are read line by line, and mistakes reported with their place`() {
        let text = """
            {"app":"shop","from":"2026-11-20T12:00:00Z","to":"2026-11-20T13:00:00Z","note":"bad release"}

            {"app":"shop",}
            {"app":"shop","from":"2026-11-20T13:00:00Z","to":"2026-11-20T12:00:00Z"}
            """
        let (incidents, complaints) = TrueIncident.read(Array(text.utf8), file: "true.jsonl")
        #expect(incidents == [TrueIncident(app: "shop", span: .between("2026-11-20 12:00", "2026-11-20 13:00"))])
        #expect(complaints.map(\.line) == [3, 4])
        #expect(complaints.first?.description.hasPrefix("true.jsonl:3:15: error: ") == true)
    }

    // MARK: differences

    private func changes(_ before: BacktestReport, _ after: BacktestReport) -> [String] {
        Difference(before, after).changes.map { change in
            let (old, new) = change.records
            return "\(change.name) \(old.map { "\($0.at)".dropFirst(11).prefix(5) } ?? "-") "
                + "\(new.map { "\($0.at)".dropFirst(11).prefix(5) } ?? "-") \((new ?? old)?.kind.rawValue ?? "")"
        }
    }

    @Test func `a config does not differ from itself`() {
        let report = report("..ww..cc..")
        let difference = Difference(report, report)
        #expect(difference.isEmpty)
        #expect(difference.sameCount == 4)
    }

    @Test func `what is new, gone, moved or of another severity is reported`() {
        #expect(changes(report("...."), report("..w.")) == ["new - 12:20 opened", "new - 12:30 resolved"])
        #expect(changes(report("..w."), report("....")) == ["gone 12:20 - opened", "gone 12:30 - resolved"])
        #expect(changes(report("..ww."), report("...w.")) == ["moved 12:20 12:30 opened"])
        #expect(
            changes(report("..w."), report("..c.")) == ["severity 12:20 12:20 opened", "severity 12:30 12:30 resolved"])
    }

    @Test func `a message that moves belongs to the same incident, and not to an earlier one`() {
        func opened(_ before: BacktestReport, _ after: BacktestReport) -> [String] {
            changes(before, after).filter { $0.hasSuffix("opened") }
        }
        let story = ".w..w..w..www."
        #expect(
            opened(report(story), report(story, .rehearsed(for: .minutes(15)))) == [
                "gone 12:10 - opened", "gone 12:40 - opened", "gone 13:10 - opened", "moved 13:40 13:55 opened",
            ])
        // Of two others the one that was there at the same time, though the other begins nearer to it.
        #expect(
            opened(report("...wwwwww.w."), report(".......w....")) == [
                "moved 12:30 13:10 opened", "gone 13:40 - opened",
            ])
    }

    @Test func `what moves to an earlier time stands where the first config has it, as it is printed`() {
        func plan(_ gates: [GatePlan]) -> Plan { .rehearsed(for: .zero, repeat: .minutes(30), gates: gates) }
        let late = GatePlan.quiet(from: "2026-11-20 12:10", until: "2026-11-20 13:00")
        #expect(
            changes(report("..wwwwww", plan([late])), report("..wwwwww", plan([]))) == [
                "new - 12:50 reminder", "moved 13:00 12:20 opened",
            ])
    }

    @Test func `two incidents of which each config tells one are no message that moves`() {
        func silent(from: String, until: String) -> Plan {
            .rehearsed(gates: [.quiet("nights", from: "2026-11-20 \(from)", until: "2026-11-20 \(until)", drops: true)])
        }
        let story = "..ww......ww.."
        let difference = Difference(
            report(story, silent(from: "13:00", until: "15:00")), report(story, silent(from: "12:00", until: "13:00")))
        #expect(difference.changes.map(\.name).sorted() == ["gone", "gone", "new", "new"])
    }

    @Test func `a change of severity is counted wherever it is listed`() {
        let moved = Difference(report("..ww."), report("...c."))
        #expect(
            changes(report("..ww."), report("...c.")) == ["moved 12:20 12:30 opened", "severity 12:40 12:40 resolved"])
        #expect(moved.severityCount == 2)
        #expect(moved.json["summary"]?["severity"] == 2)
        #expect(Difference(report("...."), report("..w.")).severityCount == 0, "what is new has changed nothing")
    }

    @Test func `messages of each channel are counted for both`() {
        let two = Plan.rehearsed(channels: [ChannelPlan(name: "team"), ChannelPlan(name: "ops")])
        let difference = Difference(report("..w."), report("..w.", two))
        #expect(difference.channels.map(\.channel) == ["team", "ops"])
        #expect(difference.channels.map(\.before.messages) == [2, 0])
        #expect(difference.channels.map(\.after.messages) == [2, 2])
        #expect(changes(report("..w."), report("..w.", two)).allSatisfy { $0.hasPrefix("new") })
    }
}
