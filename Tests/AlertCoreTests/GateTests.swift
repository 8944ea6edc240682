import AlertCore
import AlertTesting
import PluginKit
import QuietHoursGate
import Testing

/// Mutes, quiet hours and other gates, and what they promise.
///
/// The stories begin at 12:00 and have one character a minute; `h` is held, `x` dropped.
@Suite struct `Gates and their promise` {
    private func bot(_ gates: GatePlan..., channels: [String] = ["team"], routes: [Route] = []) -> Rehearsal {
        var bot = Rehearsal(
            .rehearsed(gates: gates, channels: channels.map { ChannelPlan(name: $0) }, routes: routes))
        bot.start()
        return bot
    }

    private let quiet = GatePlan.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:06")

    struct Story: Sendable, CustomTestStringConvertible {
        let name: String
        let gates: [GatePlan]
        let seen: String
        let told: String
        var testDescription: String { name }

        init(_ name: String, _ gates: [GatePlan], _ seen: String, _ told: String) {
            self.name = name
            self.gates = gates
            self.seen = seen
            self.told = told
        }
    }

    //                                         open until 12:02, closed until 12:06
    private static let muted = [GatePlan.mute(from: "2026-11-20 12:02", until: "2026-11-20 12:06")]
    private static let quieted = [GatePlan.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:06")]
    private static let dropped = [GatePlan.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:06", drops: true)]
    private static let excepted = [
        GatePlan.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:06", except: .critical)
    ]
    private static let overlaid = [
        GatePlan.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:08"),
        GatePlan.mute(from: "2026-11-20 12:04", until: "2026-11-20 12:06"),
    ]

    private static let minute = GatePlan.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:03")
    private static let muteBefore = GatePlan.mute(from: "2026-11-20 12:00", until: "2026-11-20 12:04")
    private static let muteAfter = GatePlan.mute(from: "2026-11-20 12:03", until: "2026-11-20 12:06")

    /// A look a minute from 12:02 on, with a crash of the bot after the first.
    @Test(
        arguments: [
            ("quiet hours", quieted, "wwwww", ["quiet hours (nights)"]),
            ("one gate after the other", [muteBefore] + quieted, "wwwww", ["a mute, quiet hours (nights)"]),
            ("a minute of one and three of the other", [minute, muteAfter], "wwwww", ["a mute"]),
            ("no gate for long", [minute], "www", []),
            ("no gate", [], "www", []),
        ] as [(String, [GatePlan], String, [String])])
    func `what comes late says what held it`(
        name: String, gates: [GatePlan], seen: String, held: [String]
    ) throws {
        var bot = Rehearsal(.rehearsed(gates: gates))
        bot.comparesReplay = true
        bot.start()
        _ = bot.play("..")
        _ = bot.play(String(seen.prefix(1)))
        bot.crash()
        _ = bot.play(String(seen.dropFirst()))
        let told = try #require(bot.decisions.last { $0.decision == .send })
        #expect(told.kind == .opened)
        #expect(told.message.fields.filter { $0.label == "Held until now by" }.map(\.value) == held)
        #expect(bot.objections == [])
    }

    @Test func `an escalation that comes late says what held it, and its end does not`() throws {
        var bot = Rehearsal(.rehearsed(gates: Self.quieted))
        bot.start()
        #expect(bot.play("wwwcccc.") == "O..h..ER")
        let told = bot.decisions.filter { $0.decision == .send }.map(\.message)
        #expect(told.map { $0.fields.contains { $0.label == "Held until now by" } } == [false, true, false])
    }

    @Test(arguments: [
        Story("what lasts longer than a mute is said when it ends", muted, "...wwwww.", "...h..O.R"),
        Story("what lasts longer than quiet hours is said when they end", quieted, "...wwwww.", "...h..O.R"),
        Story("what comes and goes under a mute is dropped", muted, "...w....", "...h(xx)..."),
        Story("what comes and goes in quiet hours is one line afterwards", quieted, "...w....", "...hx.D."),
        Story("what is dropped is never said", dropped, "...wwwwww.", "...x.....x"),
        Story("an end is held where its beginning was said", muted, "www.....", "O..h..R."),
        Story("an end is held in quiet hours too", quieted, "www.....", "O..h..R."),
        Story("an end is never dropped where its beginning was said", dropped, "www.....", "O..h..R."),
        Story("what got worse is held, and said as it is then", quieted, "wwwcccc.", "O..h..ER"),
        Story("what got worse and better again is not said", quieted, "wwwcwww.", "O..h...R"),
        Story("what got worse than what was dropped is said", dropped, "...wwwc.", "...x..OR"),
        Story("the severe passes where it may", excepted, "...c....", "...OR..."),
        Story("what becomes severe passes then", excepted, "...wc...", "...hOR.."),
        Story("the end of the severe passes, however mild it was at last", excepted, "...cw....", "...O.R..."),
        Story("a mute on top of quiet hours takes no line away", overlaid, "...ww.....", "...h.x..D."),
        Story("what begins again behind the gate is told as one that lasts", quieted, "...w.www.", "...hxh(OD).R"),
    ])
    func `one look a minute`(_ story: Story) {
        var bot = Rehearsal(.rehearsed(gates: story.gates))
        bot.start()
        #expect(bot.play(story.seen) == story.told)
        bot.advance(by: .hours(1))
        #expect(bot.objections == [])
    }

    @Test func `a reminder that falls into quiet hours comes once when they end`() {
        let night = GatePlan.quiet(from: "2026-11-20 14:00", until: "2026-11-21 05:00")
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4), gates: [night]))
        bot.start()
        //                 12 o'clock      18          0           5
        #expect(bot.play("wwwwwwwwwwwwwwwwwwwwwwwww", every: .hours(1)) == "O...h............M...M...")
    }

    @Test func `mutes are asked before quiet hours, and these before the rest`() {
        let span = TimeSpan.between("2026-11-20 12:00", "2026-11-20 13:00")
        func gate(_ name: String, _ stage: GateStage) -> GatePlan {
            GatePlan(name: name, gate: ScriptedGate(name, stage, .holdAndSummarize, closed: [span]))
        }
        func reason(_ gates: GatePlan...) -> String? {
            var bot = Rehearsal(.rehearsed(gates: gates))
            bot.start()
            bot.see(.warning)
            return bot.decisions.first?.reason.description
        }
        let (first, second, nights, vacation) = (
            gate("first", .rest), gate("second", .rest), gate("nights", .quietHours), gate("vacation", .mutes)
        )
        #expect(reason(second, first) == "scripted:second")
        #expect(reason(first, nights) == "quiet_hours:nights")
        #expect(reason(first, nights, vacation) == "muted:vacation")
    }

    @Test func `until is the first instant at which no gate holds, also when gates hand over`() {
        var bot = bot(
            .quiet(from: "2026-11-20 12:30", until: "2026-11-20 14:00"),
            .mute(from: "2026-11-20 12:00", until: "2026-11-20 13:00"),
            .mute("again", from: "2026-11-20 14:00", until: "2026-11-20 15:00"),
            .mute("later", from: "2026-11-20 15:01", until: "2026-11-20 18:00"))
        bot.see(.warning)
        #expect(bot.decisions.map(\.decision) == [.hold(until: .utc("2026-11-20 15:00"))])
        bot.advance(to: .utc("2026-11-20 15:00"))
        #expect(bot.decisions.map(\.mark) == ["h", "h", "h", "O"])
        // Each says that it holds from then on, so that nobody looks for the end of the one before.
        #expect(
            bot.decisions.prefix(3).map { "\($0.reason) \($0.at)" } == [
                "muted:vacation 2026-11-20T12:00:00Z", "quiet_hours:nights 2026-11-20T13:00:00Z",
                "muted:again 2026-11-20T14:00:00Z",
            ])
        #expect(bot.decisions.prefix(3).allSatisfy { $0.decision == .hold(until: .utc("2026-11-20 15:00")) })
    }

    @Test func `a mute of years ends when it says`() {
        var bot = bot(.mute(from: "2026-11-20 12:00", until: "2029-11-20 13:00"))
        bot.see(.warning)
        #expect(bot.decisions.map(\.decision) == [.hold(until: .utc("2029-11-20 13:00"))])
    }

    @Test func `what the next gate drops is held until then, and no longer`() {
        var bot = bot(
            .quiet(from: "2026-11-20 12:00", until: "2026-11-20 14:00"),
            .quiet("asleep", from: "2026-11-20 14:00", until: "2026-11-20 18:00", drops: true))
        bot.see(.warning)
        bot.advance(by: .hours(3))
        #expect(bot.decisions.map(\.decision) == [.hold(until: .utc("2026-11-20 14:00")), .drop])
        #expect(bot.decisions.map(\.at) == [.rehearsalStart, .utc("2026-11-20 14:00")])
    }

    @Test func `an end is as severe for a gate as what the channel was alarmed with`() {
        let warnings = Match.on(["severity": "warning"])
        var bot = bot(.mute(from: "2026-11-20 12:00", until: "2026-11-20 13:00", match: warnings))
        #expect(bot.play("cww.") == "O..R")
        #expect(bot.play("www.") == "h..(xx)")
    }

    @Test func `a mute that is lifted lets go of what it holds, also what is less bad by now`() {
        var bot = bot()
        _ = bot.play("cw")
        let mute = Command.mute(.on(["severity": "critical"]), until: .after(.hours(8)), reason: nil, by: nil)
        bot.step(.command(mute, id: 1))
        #expect(bot.play(".") == "h")
        bot.step(.command(.unmute(.all), id: 2))
        #expect(bot.decisions.last?.mark == "R")
    }

    @Test func `a gate holds what it matches and nothing else`() {
        var bot = bot(.mute(from: "2026-11-20 12:00", until: "2026-11-20 13:00", match: .on(["app": "shop-*"])))
        bot.see([(Subject(source: "ios", app: "shop-ios"), .warning), (Subject(source: "ios", app: "bank"), .warning)])
        #expect(bot.decisions.map(\.mark) == ["h", "O"])
    }

    @Test func `everything that came and went in the night is one digest for each channel`() throws {
        let apps = ["a", "b", "c"].map { Subject(source: "ios", app: $0) }
        let routes = [
            Route(match: .on(["app": "c"]), to: ["other"], continues: true), Route(to: ["team"]),
        ]
        var bot = bot(quiet, channels: ["team", "other"], routes: routes)
        bot.advance(by: .minutes(3))
        for app in apps { bot.see(.warning, of: app) }
        bot.advance(by: .minutes(1))
        for app in apps { bot.see(.fine, of: app) }
        bot.advance(by: .hours(1))
        #expect(bot.sends.map(\.delivery.channel).sorted() == ["other", "team"])
        #expect(bot.sends.allSatisfy { $0.delivery.kind == .digest })
        let team = try #require(bot.sends.first { $0.delivery.channel == "team" })
        #expect(team.delivery.message.lines.count == 3)
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `what was closed meanwhile is not said to be resolved`() throws {
        var bot = bot(quiet)
        bot.advance(by: .minutes(3))
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.reload(.rehearsed(detectors: [], gates: [quiet]))
        bot.advance(by: .hours(1))
        let message = try #require(bot.sends.first?.delivery.message)
        let line = try #require(message.lines.first)
        #expect(line.hasPrefix("⚪ ") && line.hasSuffix(" (Rule look is no longer in the config)"), "\(line)")
        #expect(message.headline.contains("1 incident opened while"), "\(message.headline)")
    }

    @Test func `each line waits for its own gate, also across a start at which another's has opened`() {
        var bot = bot(
            .quiet("a", from: "2026-11-20 12:00", until: "2026-11-20 12:06", match: .on(["app": "a-*"])),
            .quiet("b", from: "2026-11-20 12:00", until: "2026-11-20 12:20", match: .on(["app": "b-*"])))
        let apps = ((1...9).map { "a-\($0)" } + ["b-1"]).map { Subject(source: "ios", app: $0) }
        bot.see(apps.map { ($0, .warning) })
        bot.see(apps.map { ($0, .fine) })
        bot.crash(after: .minutes(10))
        bot.advance(by: .hours(1))
        let digests = bot.decisions.filter { $0.kind == .digest }
        #expect(digests.map(\.at) == [.utc("2026-11-20 12:10"), .utc("2026-11-20 12:20")])
        #expect(digests.map(\.message.lines.count) == [9, 1])
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `a line that waits for its digest says how long, also when another gate takes over`() throws {
        let later = GatePlan.mute("later", from: "2026-11-20 12:05", until: "2026-11-20 12:20")
        var bot = bot(quiet)
        #expect(bot.play("...w.") == "...hx")
        bot.reload(.rehearsed(gates: [quiet, later]))
        bot.advance(to: .utc("2026-11-20 12:10"))
        let hold = try #require(bot.state.incidents.all.first?.standings["team"]?.hold)
        #expect(hold.until == .utc("2026-11-20 12:20"))
        bot.advance(to: .utc("2026-11-20 12:20"))
        #expect(bot.decisions.last?.mark == "D")
    }

    @Test func `a gate that is closed to one channel's incident does not hold the other's`() {
        let critical = GatePlan.quiet(
            from: "2026-11-20 12:00", until: "2026-11-20 13:00", match: .on(["severity": "warning"]))
        var bot = bot(critical, channels: ["team", "other"])
        bot.see([(.shop, .warning), (Subject(source: "ios", app: "bank"), .critical)])
        #expect(bot.decisions.map { "\($0.channel) \($0.mark)" } == ["team O", "other O", "team h", "other h"])
    }

    @Test func `what is held for a channel that the routes do not lead to any more is not said there`() {
        let routes = [
            Route(match: .on(["severity": "critical"]), to: ["oncall"], continues: true), Route(to: ["team"]),
        ]
        var bot = bot(quiet, channels: ["team", "oncall"], routes: routes)
        bot.advance(by: .minutes(3))
        _ = bot.play("cwwww")
        #expect(bot.kindsSent(to: "team") == [.opened])
        #expect(bot.kindsSent(to: "oncall") == [])
        let dropped = bot.decisions.filter { $0.decision == .drop }
        #expect(
            dropped.map { "\($0.channel) \($0.kind) \($0.severity) \($0.reason)" } == [
                "oncall opened critical unrouted"
            ])
    }

    @Test func `a gate that is taken out of the config lets go at once`() {
        var bot = bot(quiet)
        bot.advance(by: .minutes(3))
        bot.see(.warning)
        bot.reload(.rehearsed())
        #expect(bot.decisions.map(\.mark) == ["h", "O"])
    }

    @Test func `an end that is announced late says how long it lasted, not how long it was held`() throws {
        var bot = bot(quiet)
        #expect(bot.play("ww....") == "O.h...")
        bot.advance(by: .minutes(3))
        let lasted = try #require(bot.decisions.last?.message.fields.first { $0.label == "Lasted" })
        #expect(bot.decisions.last?.decision == .send)
        #expect(lasted.value.hasSuffix("2 min"))
    }

    @Test func `a start decides nothing anew of what is held`() {
        var bot = bot(quiet)
        #expect(bot.play("...w") == "...h")
        bot.crash()
        #expect(bot.decisions.map(\.mark) == ["h"])
    }

    @Test(arguments: ["12:01", "12:30"])
    func `quiet hours that a reload has made shorter or longer count at once`(until: String) {
        var bot = bot(quiet)
        #expect(bot.play("...w") == "...h")
        let end = Moment.utc("2026-11-20 \(until)")
        bot.reload(.rehearsed(gates: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 \(until)")]))
        bot.advance(by: .milliseconds(1))
        #expect(bot.decisions.last?.decision == (end > bot.now ? .hold(until: end) : .send))
    }

    @Test func `quiet hours that a reload tells to drop do so at once`() {
        var bot = bot(quiet)
        #expect(bot.play("...w") == "...h")
        bot.reload(.rehearsed(gates: [.quiet(from: "2026-11-20 12:02", until: "2026-11-20 12:06", drops: true)]))
        #expect(bot.decisions.map(\.mark) == ["h", "x"])
    }

    @Test func `what is held survives a crash`() {
        var bot = bot(quiet)
        #expect(bot.play("...w") == "...h")
        bot.crash()
        bot.advance(by: .minutes(5))
        #expect(bot.decisions.map(\.mark) == ["h", "O"])
    }

    @Test func `a source is idle only while nobody at all would be told`() throws {
        func reasons(_ gates: [GatePlan]) -> [PollReason]? {
            var bot = Rehearsal(
                .rehearsed(gates: gates, channels: [ChannelPlan(name: "team"), ChannelPlan(name: "oncall")]))
            bot.start()
            bot.see(.recovering)
            bot.see(.recovering)
            return bot.state.schedule.sources["ios"]?.reasons
        }
        let (from, until) = ("2026-11-20 11:00", "2026-11-20 13:00")
        #expect(reasons([.mute(from: from, until: until)]) == [.idle])
        #expect(reasons([.mute(from: from, until: until, except: .critical)]) == [])
        #expect(reasons([.mute(from: from, until: until, match: .on(["app": "bank"]))]) == [])
        func quiet(_ channel: String) throws -> GatePlan {
            try .rule(QuietHoursGate.self, channel, ["between": "11:00-13:00", "channel": channel])
        }
        #expect(try reasons([quiet("team")]) == [])
        #expect(try reasons([quiet("team"), quiet("oncall")]) == [.idle])
    }

    @Test func `quiet hours of one channel leave the others alone, and what it was told of ends there`() throws {
        let quiet = try GatePlan.rule(QuietHoursGate.self, "nights", ["between": "12:02-12:06", "channel": "team"])
        var bot = bot(quiet, channels: ["team", "oncall"])
        _ = bot.play("ww..w......")
        #expect(bot.marks(in: "oncall") == "OROR")
        // Of the second, which came and went, the morning has a line.
        #expect(bot.marks(in: "team").sorted() == "OhhxRD".sorted(), "\(bot.marks(in: "team"))")
        let end = bot.decisions.last { $0.channel == "team" && $0.kind == .resolved && $0.decision == .send }
        #expect(end?.at == .utc("2026-11-20 12:06"))
        bot.advance(by: .hours(1))
        #expect(bot.objections == [])
    }
}

/// The quiet hours that people configure, through the days on which clocks change.
@Suite struct `Quiet hours through the year` {
    private func nights(_ hours: String, _ name: String = "nights") throws -> GatePlan {
        let place = Position(line: 1, column: 1)
        let zone = try ZoneDatabase().zone("Europe/Madrid")
        let options = Options(
            name: name, position: place,
            values: ["between": Option(.hours(try DailyHours(grammar: hours)), at: place)])
        let context = RuleContext(name: name, zone: zone, checksPerDay: 288)
        return GatePlan(name: name, gate: try QuietHoursGate(options: options, context: context))
    }

    @Test(arguments: [
        // In Madrid 02:00 to 03:00 does not exist on 29 March 2026, and exists twice on 25 October.
        (hours: "22:00-07:00", at: "2026-03-29 00:30", until: "2026-03-29 05:00"),
        (hours: "22:00-07:00", at: "2026-10-25 00:30", until: "2026-10-25 06:00"),
        (hours: "22:00-07:00", at: "2026-06-10 20:00", until: "2026-06-11 05:00"),
        (hours: "22:00-07:00", at: "2026-12-10 21:00", until: "2026-12-11 06:00"),
        (hours: "01:00-02:30", at: "2026-03-29 00:30", until: "2026-03-29 01:00"),
        (hours: "01:00-02:30", at: "2026-10-25 00:10", until: "2026-10-25 01:30"),
    ])
    func `what is held at night is said when the wall clock says so`(hours: String, at: String, until: String) throws {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil, gates: [try nights(hours)]), at: .utc(at))
        bot.start()
        bot.see(.warning)
        #expect(bot.decisions.map(\.decision) == [.hold(until: .utc(until))])
        bot.advance(to: .utc(until) - .milliseconds(1))
        #expect(bot.decisions.map(\.mark) == ["h"])
        bot.advance(to: .utc(until))
        #expect(bot.decisions.map(\.mark) == ["h", "O"])
    }

    @Test func `what is held all day and every day waits for no time`() throws {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil, gates: [try nights("00:00-24:00")]))
        bot.start()
        bot.see(.warning)
        bot.advance(to: bot.now + .days(2))
        // Decided once: a time that moves along would be decided anew with every poll.
        #expect(bot.decisions.map(\.decision) == [.hold(until: .latest)])
    }

    @Test func `what two rules hold by turns, all day and every day, waits for no time either`() throws {
        let turns = [try nights("00:00-13:00"), try nights("13:00-24:00", "days")]
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: nil, gates: turns))
        bot.start()
        bot.see(.warning)
        bot.advance(to: bot.now + .days(2))
        #expect(bot.decisions.allSatisfy { $0.decision == .hold(until: .latest) })
    }
}
