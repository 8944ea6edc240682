import AlertCore
import AlertTesting
import BudgetGate
import PluginKit
import PluginTesting
import Runtime
import StaleDetector
import Testing

/// The answer to "why".
@Suite struct WhyReportTests {
    func paragraph(_ bot: Rehearsal, app: String? = nil, rule: String? = nil) -> [String] {
        WhyReport(bot.state, bot.plan, at: bot.now, app: app, rule: rule).paragraphs
    }

    func bot(_ plan: Plan = .rehearsed()) -> Rehearsal {
        var bot = Rehearsal(plan)
        bot.start()
        return bot
    }

    @Test func `what was reported says when, and when it is said again`() {
        var bot = bot()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let id = bot.state.incidents.inOrder[0].id
        #expect(
            paragraph(bot) == [
                """
                shop from ios: rule look
                  fires (warning); incident \(id) firing since Fri 20 Nov 12:00 UTC
                  because: The script says w.
                  team: notified (warning), last at Fri 20 Nov 12:00 UTC; next reminder Fri 20 Nov 16:00 UTC
                  next poll of ios: Fri 20 Nov 12:05 UTC
                """
            ])
    }

    @Test func `a source that fails says since when, for itself and for the apps it knows`() {
        var bot = bot()
        bot.pollAnswer = { _, _ in nil }
        bot.see(.fine)
        bot.advance(by: .minutes(1))
        bot.suspend(for: .minutes(39))
        bot.fail()
        bot.suspend(for: .minutes(5))
        bot.fail()
        bot.advance(by: .zero)
        let id = bot.state.incidents.inOrder[0].id
        #expect(
            paragraph(bot, rule: "source-failing")[0].hasPrefix(
                """
                alertbot from ios: rule source-failing
                  a problem with the bot itself (warning); incident \(id) firing since Fri 20 Nov 12:00 UTC
                  because: No usable answer from source ios: it is out of reach (since Fri 20 Nov 12:00 UTC)
                  team: notified (warning), last at Fri 20 Nov 12:45 UTC; next reminder Fri 20 Nov 16:45 UTC

                """))
        #expect(
            paragraph(bot, app: "shop")[0].contains(
                "\n  ios has given no usable answer since Fri 20 Nov 12:00 UTC: it is out of reach\n"))
        #expect(paragraph(bot).count == 2)
    }

    @Test func `what is held names its gate, and until when`() {
        var bot = bot(.rehearsed(gates: [.quiet(from: "2026-11-20 11:00", until: "2026-11-20 13:00")]))
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(
            paragraph(bot)[0].contains("  team: not sent yet; held by quiet_hours:nights until Fri 20 Nov 13:00 UTC\n"))
    }

    @Test func `gates that hold one after the other are named with the end of the last`() {
        let night = GatePlan.quiet(from: "2026-11-20 11:00", until: "2026-11-20 18:00")
        var bot = bot(.rehearsed(gates: [.mute(from: "2026-11-20 11:00", until: "2026-11-20 13:00"), night]))
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let text = paragraph(bot)[0]
        #expect(
            text.contains(
                "; held by muted:vacation until Fri 20 Nov 13:00 UTC, then by quiet_hours:nights until "
                    + "Fri 20 Nov 18:00 UTC"),
            "\(text)")
    }

    @Test func `a gate that closes only when the first opens is named, unless that is in the same minute`() {
        let dawn = GatePlan.quiet("dawn", from: "2026-11-20 13:00", until: "2026-11-20 14:00")
        var bot = bot(.rehearsed(gates: [.mute(from: "2026-11-20 11:00", until: "2026-11-20 13:00"), dawn]))
        bot.see(.warning)
        #expect(
            paragraph(bot)[0].contains(
                "; held by muted:vacation until Fri 20 Nov 13:00 UTC, then by quiet_hours:dawn until "
                    + "Fri 20 Nov 14:00 UTC; passes dawn"), "\(paragraph(bot))")
        let moment = GatePlan(
            name: "moment",
            gate: ScriptedGate(
                "moment", .rest, .holdAndSummarize,
                closed: [.between("2026-11-20 13:00", "2026-11-20 13:00:10")]))
        var short = self.bot(.rehearsed(gates: [.mute(from: "2026-11-20 11:00", until: "2026-11-20 13:00"), moment]))
        short.see(.warning)
        #expect(
            paragraph(short)[0].contains("; held by muted:vacation until Fri 20 Nov 13:00 UTC; passes moment"),
            "\(paragraph(short))")
    }

    @Test(arguments: [
        (Cue.warning, "and sent only if it gets worse"), (Cue.critical, "and nothing more is sent about it"),
    ])
    func `what a gate dropped names it, and says whether it may still be sent`(_ cue: Cue, _ outlook: String) throws {
        var bot = bot(
            .rehearsed(gates: [.quiet(from: "2026-11-20 11:00", until: "2026-11-20 12:03", drops: true)]))
        bot.see(cue)
        bot.advance(by: .minutes(4))
        let text = paragraph(bot)[0]
        #expect(
            text.contains(
                "\n  team: not sent: dropped by quiet_hours:nights at Fri 20 Nov 12:00 UTC, \(outlook); "
                    + "passes nights\n"),
            "\(text)")
        #expect(way(bot)?["dropped"]?.text == #"{"reason":"quiet_hours:nights","at":"2026-11-20T12:00:00Z"}"#)
    }

    @Test func `what was dropped of what the channel knows is named, and is not when it was notified last`() {
        var bot = bot(
            .rehearsed(gates: [.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:06", drops: true)]))
        #expect(bot.play("wwwc") == "O..x")
        #expect(
            paragraph(bot)[0].contains(
                "\n  team: notified (warning); what followed was dropped by quiet_hours:nights at "
                    + "Fri 20 Nov 12:03 UTC; "), "\(paragraph(bot))")
    }

    @Test func `what no route takes says so`() {
        var bot = bot(.rehearsed(routes: [Route(match: .on(["app": "bank"]), to: ["team"])]))
        bot.see(.warning)
        #expect(paragraph(bot)[0].contains("\n  no route leads to a channel, so nobody is notified\n"))
    }

    @Test func `what only another severity would be told of says where`() {
        var bot = bot(.rehearsed(routes: [Route(match: .on(["severity": "critical"]), to: ["team"])]))
        bot.see(.fine)
        #expect(
            paragraph(bot)[0].contains(
                "\n  by the routes, critical goes to team; nobody is notified of other severities\n"))
        let entry = WhyReport(bot.state, bot.plan, at: bot.now).json["why"]?.array?.first
        #expect(entry?["routes"]?.text == #"[{"severity":"critical","channels":["team"]}]"#)
        bot.see(.warning)
        #expect(
            paragraph(bot)[0].contains(
                "\n  by the routes, critical goes to team; nobody is notified of other severities\n"))
    }

    @Test func `what waits for its time says when it fires`() {
        var bot = bot(.rehearsed(for: .minutes(10)))
        bot.see(.warning)
        #expect(
            paragraph(bot)[0].contains(
                " pending since Fri 20 Nov 12:00 UTC, fires at Fri 20 Nov 12:10 UTC if it lasts\n"))
    }

    @Test func `what is acknowledged says by whom`() {
        var bot = bot()
        bot.see(.warning)
        bot.advance(by: .seconds(1))
        bot.step(.command(.acknowledge([bot.state.incidents.inOrder[0].id], by: "ada"), id: 1))
        #expect(paragraph(bot)[0].contains(", acknowledged by ada\n"))
        #expect(!paragraph(bot)[0].contains("reminder"))
    }

    @Test func `what could not be delivered yet says so`() {
        var bot = bot()
        bot.sendAnswer = { _, _ in (.retry(after: .minutes(30), "answered 429"), .zero) }
        bot.see(.warning)
        bot.advance(by: .seconds(1))
        #expect(
            paragraph(bot)[0].contains(
                "; 1 on the way, 1 failed attempt in a row, the last: answered 429; the channel is paused until Fri 20 Nov 12:30 UTC\n"
            ))
        // Nobody has read it, so nobody is notified.
        #expect(paragraph(bot)[0].contains("\n  team: being notified (warning); "))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .hours(1))
        #expect(paragraph(bot)[0].contains("\n  team: notified (warning), last at Fri 20 Nov 12:00 UTC; "))
        bot.sendAnswer = { _, _ in (.retry(after: .minutes(30), "answered 429"), .zero) }
        bot.see(.critical)
        bot.advance(by: .seconds(1))
        // The channel knows of it, though not yet how bad it is.
        #expect(paragraph(bot)[0].contains("\n  team: notified (critical), "))
    }

    @Test func `a rule that is new has no incident yet, and that is said`() {
        var bot = bot()
        bot.see(.warning)
        bot.advance(by: .seconds(1))
        bot.reload(.rehearsed(detectors: [DetectorPlan(name: "another", detector: ScriptedDetector())]))
        #expect(
            paragraph(bot)[0].contains(
                "\n  fires (warning); no incident yet: it is judged with the next figures\n"),
            "\(paragraph(bot))")
    }

    @Test func `of what is pushed nobody waits for a poll`() {
        var source = SourcePlan(name: "ios")
        source.isPushed = true
        var bot = bot(.rehearsed(sources: [source]))
        bot.see(.fine)
        #expect(paragraph(bot)[0].hasSuffix("\n  ios is not polled: it receives pushes"), "\(paragraph(bot))")
        let entry = WhyReport(bot.state, bot.plan, at: bot.now).json["why"]?.array?.first
        #expect(entry?["next_poll"] == .null)
    }

    @Test func `who waits for the limit of an account is polled when the other may ask again, and says so`() {
        let sources = ["ios", "android"].map { SourcePlan(name: $0, account: "a", jitter: 0, slowsWhen: []) }
        var bot = bot(.rehearsed(sources: sources))
        bot.see(.fine, of: Subject(source: "android", app: "shop"))
        bot.fail(.rateLimited, retryAt: bot.now + .minutes(20))
        #expect(
            paragraph(bot, app: "shop")[0].hasSuffix(
                "\n  next poll of android: Fri 20 Nov 12:20 UTC, when ios may be polled again: both share one account"),
            "\(paragraph(bot))")
        let entry = WhyReport(bot.state, bot.plan, at: bot.now, app: "shop").json["why"]?.array?.first
        #expect(entry?["next_poll"] == "2026-11-20T12:20:00Z")
    }

    @Test func `a source to which nobody has pushed yet has no figures that are too old`() throws {
        var source = SourcePlan(name: "ios")
        source.isPushed = true
        let stale = DetectorPlan(name: "stale", detector: try WrittenOptions([]).detector(StaleDetector.self))
        var bot = bot(.rehearsed(sources: [source], detectors: [stale]))
        let answer = PollReport(.stale(measured: bot.now))
        bot.step(.polled(source: "ios", answer, validators: [:]))
        #expect(paragraph(bot)[0].contains("\n  nothing has been pushed to ios yet\n"), "\(paragraph(bot))")
        bot.step(.pushed(source: "ios", PollReport(.values([.cue(.fine, of: .shop, at: bot.now)])), id: 1))
        bot.step(.polled(source: "ios", answer, validators: [:]))
        #expect(paragraph(bot)[0].contains("\n  ios has given no usable answer since"), "\(paragraph(bot))")
    }

    @Test func `a budget that is spent concerns what follows, not what is on its way, and says what it keeps`() throws {
        let budget = try BudgetGate.written(["at_most": "2 per 1h"], name: "calm")
        var bot = bot(.rehearsed(gates: [GatePlan(name: "calm", gate: budget)]))
        bot.sendAnswer = { _, _ in nil }
        bot.see([(.shop, .warning), (Subject(source: "ios", app: "bank"), .fine)])
        bot.advance(by: .seconds(1))
        let text = paragraph(bot, app: "shop")[0]
        #expect(
            text.contains(
                "team: being notified (warning); what follows is held by budget:calm (1 of 2 messages left in 1 h, "
                    + "kept for apps that have had none) until "), "\(text)")
    }

    @Test func `what is fine says what would come of it`() throws {
        var bot = bot(.rehearsed(gates: [.mute(from: "2026-11-20 11:00", until: "2026-11-20 13:00")]))
        bot.see(.fine)
        #expect(paragraph(bot)[0].contains("  fine; no incident\n"))
        #expect(
            paragraph(bot)[0].contains(
                "  team: nothing to send; would be held by muted:vacation until Fri 20 Nov 13:00 UTC\n"))
        let json = WhyReport(bot.state, bot.plan, at: bot.now).json
        let entry = try JSONReader(json).member("why").elements()[0].value
        #expect(entry["verdict"] == "ok")
        #expect(entry["incident"] == .null)
        #expect(entry["channels"]?.array?.first?["closed_by"] == "muted:vacation")
    }

    /// What the report has on a rule that finds all well, with quiet hours that let critical pass.
    private func nightly(
        _ severities: Set<Severity>?, drops: Bool = false, routes: [Route] = []
    ) -> Rehearsal {
        let night = GatePlan.quiet(
            from: "2026-11-20 11:00", until: "2026-11-20 13:00", except: .critical, drops: drops)
        let rule = DetectorPlan(name: "look", detector: BoundedDetector(severities), repeat: nil)
        var bot = bot(.rehearsed(detectors: [rule], gates: [night], routes: routes))
        bot.see(.fine)
        return bot
    }

    @Test func `what is fine is asked about as the mildest that its rule can be`() {
        let alarm = nightly([.critical])
        #expect(way(alarm)?["closed_by"] == .null)
        let text = paragraph(alarm)[0]
        #expect(text.contains("\n  team: nothing to send") && !text.contains("held"), "\(text)")
        let mild = paragraph(nightly([.warning]))[0]
        #expect(
            mild.contains(
                "\n  team: nothing to send; would be held by quiet_hours:nights until Fri 20 Nov 13:00 UTC\n"),
            "\(mild)")
    }

    @Test func `good news that a rule may have is no alarm`() {
        let alarms = Route(match: .on(["severity": "warning"]), to: ["team"])
        let text = paragraph(nightly([.info, .warning], routes: [alarms]))[0]
        #expect(text.contains("\n  team: nothing to send; would be held by quiet_hours:nights until "), "\(text)")
    }

    @Test(arguments: [[Severity.warning, .critical], [.info, .warning, .critical], nil] as [Set<Severity>?])
    func `where what is worse passes, it is said`(severities: Set<Severity>?) {
        let held = paragraph(nightly(severities))[0]
        #expect(
            held.contains(
                "\n  team: nothing to send; would be held by quiet_hours:nights until Fri 20 Nov 13:00 UTC, unless "
                    + "critical\n"), "\(held)")
        let dropped = paragraph(nightly(severities, drops: true))[0]
        #expect(
            dropped.contains(
                "\n  team: nothing to send; new ones are dropped by quiet_hours:nights, unless critical\n"),
            "\(dropped)")
    }

    @Test func `what a limit leaves out is counted, in words and in JSON`() {
        var bot = bot()
        bot.see((1...5).map { (Subject(source: "ios", app: "app\($0)"), $0 == 5 ? .warning : .fine) })
        let report = WhyReport(bot.state, bot.plan, at: bot.now, most: 2)
        #expect(report.paragraphs.count == 2)
        #expect(
            report.text.hasSuffix(
                "\n\n3 more judgements left out (0 firing, 0 unknown, 3 ok): name an app with --app or a rule with --rule"
            ))
        #expect(report.json["why"]?.array?.compactMap { $0["app"]?.string } == ["app1", "app5"])
        #expect(report.json["why_left_out"]?.text == #"{"firing":0,"unknown":0,"ok":3}"#)
        let whole = WhyReport(bot.state, bot.plan, at: bot.now)
        #expect(whole.text == whole.paragraphs.joined(separator: "\n\n"))
        #expect(whole.json["why_left_out"]?.text == #"{"firing":0,"unknown":0,"ok":0}"#)
    }

    @Test func `what nobody has confirmed for too long is not called fine`() {
        var bot = bot()
        bot.pollAnswer = { _, _ in nil }
        bot.see(.fine)
        bot.suspend(for: .minutes(45))
        let text = paragraph(bot)[0]
        #expect(
            text.contains("\n  no news since Fri 20 Nov 12:00 UTC; by the last figures: fine; no incident\n"),
            "\(text)")
    }

    @Test func `gates that let pass are named, too`() throws {
        var bot = bot(.rehearsed(gates: [.quiet(from: "2026-11-20 22:00", until: "2026-11-20 23:00")]))
        bot.see(.warning)
        bot.advance(by: .seconds(1))
        #expect(paragraph(bot)[0].contains("; passes nights; next reminder "))
        let ways = WhyReport(bot.state, bot.plan, at: bot.now).json["why"]?.array?.first?["channels"]?.array
        #expect(ways?.first?["gates"]?.text == #"[{"gate":"nights","closed":false,"until":null,"account":null}]"#)
    }

    @Test func `one may ask about some apps and some rules`() {
        var bot = bot()
        bot.see([(.shop, .fine), (Subject(source: "ios", app: "web"), .fine)])
        #expect(paragraph(bot).count == 2)
        #expect(paragraph(bot, app: "w*").count == 1)
        #expect(paragraph(bot, rule: "look").count == 2)
        #expect(paragraph(bot, app: "x").isEmpty)
    }

    @Test func `what a channel refused for good says so, and what is still on the way once it is over`() throws {
        var bot = bot()
        bot.sendAnswer = { _, _ in (.refusedChannel("HTTP 410"), .zero) }
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        #expect(
            paragraph(bot, app: "shop")[0].contains(
                "\n  team: not delivered (Fri 20 Nov 12:00 UTC): HTTP 410; the channel is retried every hour with one incident it missed"
            ),
            "\(paragraph(bot))")
        let way = WhyReport(bot.state, bot.plan, at: bot.now, app: "shop").json["why"]?.array?.first?["channels"]?.array
        #expect(way?.first?["failed"] == "HTTP 410")

        var slow = self.bot()
        slow.see(.warning)
        slow.sendAnswer = { _, _ in (.retry(after: .hours(1), "HTTP 503"), .zero) }
        slow.see(.fine)
        slow.advance(by: .minutes(1))
        #expect(
            paragraph(slow, app: "shop")[0].contains(
                "\n  team: nothing to send; 1 on the way, 1 failed attempt in a row"),
            "\(paragraph(slow))")
    }

    @Test func `a source that has left the config is judged no more`() {
        var bot = bot(.rehearsed(sources: [SourcePlan(name: "ios"), SourcePlan(name: "web")]))
        let web = Subject(source: "web", app: "site")
        bot.see([(.shop, .fine)])
        bot.see(.warning, of: web)
        #expect(paragraph(bot).count == 2)
        bot.reload(.rehearsed())
        bot.advance(by: .minutes(1))
        #expect(paragraph(bot, app: "site") == [])
    }

    /// What the report has on the first channel of the first explanation.
    func way(_ bot: Rehearsal, app: String? = nil) -> JSON? {
        let report = WhyReport(bot.state, bot.plan, at: bot.now, app: app)
        return report.json["why"]?.array?.first?["channels"]?.array?.first
    }

    @Test func `a budget that is spent by what was delivered holds nothing of it`() throws {
        let budget = try BudgetGate.written(["at_most": "1 per 1h"], name: "cap")
        var bot = bot(.rehearsed(gates: [GatePlan(name: "cap", gate: budget)]))
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let text = paragraph(bot)[0]
        #expect(
            text.contains(
                "\n  team: notified (warning), last at Fri 20 Nov 12:00 UTC; what follows is held by budget:cap (0 of 1 "
                    + "messages left in 1 h) until Fri 20 Nov 13:00 UTC; next reminder Fri 20 Nov 16:00 UTC\n"),
            "\(text)")
    }

    @Test func `what may not have arrived is not called notified until something has`() throws {
        let why = "it is unknown, for the second time, whether it arrived: it hung up"
        var bot = bot()
        bot.sendAnswer = { delivery, _ in
            (delivery.incident == nil ? .delivered(receipt: nil) : .unknown("it hung up"), .zero)
        }
        bot.see(.warning)
        bot.advance(by: .minutes(10))
        func dead() throws -> EndedDelivery { try #require(bot.state.outbox.history.last { $0.end.isDead }) }
        var id = try dead().delivery.id
        #expect(
            paragraph(bot, app: "shop")[0].contains(
                "\n  team: sent (warning), but it may not have arrived (Fri 20 Nov 12:01 UTC): \(why); "
                    + "'alertbot retry \(id)' sends it again; next reminder "),
            "\(paragraph(bot, app: "shop"))")
        #expect(way(bot, app: "shop")?["failed"] == .string(why))

        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .hours(4))
        #expect(
            paragraph(bot, app: "shop")[0].contains(
                "\n  team: notified (warning), last at Fri 20 Nov 16:00 UTC; next reminder "),
            "\(paragraph(bot, app: "shop"))")
        #expect(way(bot, app: "shop")?["failed"] == .null)

        // Of what was told before, at least that has arrived.
        bot.sendAnswer = { _, _ in (.unknown("it hung up"), .zero) }
        bot.see(.critical)
        bot.advance(by: .minutes(10))
        id = try dead().delivery.id
        #expect(
            paragraph(bot, app: "shop")[0].contains(
                "\n  team: notified (critical); the last message may not have arrived (Fri 20 Nov 16:11 UTC): "
                    + "\(why); 'alertbot retry \(id)' sends it again"),
            "\(paragraph(bot, app: "shop"))")
    }
}

/// The scripted rule, with what is known before of how severe it can be.
private struct BoundedDetector: SubjectDetector {
    static let manifest = PluginManifest(name: "bounded", summary: "Thinks what it is told.", options: [])

    let severities: Set<Severity>?
    private let scripted = ScriptedDetector()

    init(_ severities: Set<Severity>?) { self.severities = severities }
    init(options: Options, context: RuleContext) throws(ProblemList) { severities = nil }

    var metrics: [Metric] { scripted.metrics }
    var spans: [Duration] { scripted.spans }
    var lookback: Duration { scripted.lookback }
    var holdTime: Duration { scripted.holdTime }
    func judge(_ series: Series, at now: Moment) -> Judgement { scripted.judge(series, at: now) }
}
