import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

/// What a config that has changed makes of what is known.
@Suite struct `A changed config` {
    /// A bot whose source has told of a warning and then repeats itself.
    private func repeating(_ plan: Plan = .rehearsed()) -> Rehearsal {
        var bot = Rehearsal(plan)
        bot.comparesReplay = true
        bot.pollAnswer = { order, now in
            guard order.cursor == nil else { return (PollReport(.unchanged), .zero) }
            let look = Observation.cue(.warning, of: .shop, at: now)
            return (PollReport(.values([look]), cursor: "told"), .zero)
        }
        bot.start()
        bot.advance(by: .minutes(20))
        return bot
    }

    private func plan(_ name: String, _ detector: any Detector = ScriptedDetector()) -> Plan {
        .rehearsed(detectors: [DetectorPlan(name: name, detector: detector)])
    }

    @Test(arguments: [true, false])
    func `intervals that are shorter hold for the next poll, too`(isReload: Bool) {
        func plan(every: Duration) -> Plan {
            .rehearsed(sources: [SourcePlan(name: "ios", every: every, slowest: .hours(6), jitter: 0)])
        }
        func next(_ plan: Plan, told wait: Duration? = nil) -> [Int] {
            var bot = Rehearsal(
                .rehearsed(sources: [SourcePlan(name: "ios", every: .hours(6), slowest: .hours(6), jitter: 0)]))
            bot.comparesReplay = true
            bot.pollAnswer = { _, now in
                var report = PollReport(.noData)
                report.notBefore = wait.map { now + $0 }
                return (report, .zero)
            }
            bot.start()
            bot.advance(by: .hours(1))
            if isReload { bot.reload(plan) } else { bot.crash(plan) }
            bot.advance(by: .hours(4))
            #expect(bot.objections == [])
            return bot.polls.map { Int(($0.at - .rehearsalStart).inSeconds / 60) }.prefix(3).map(\.self)
        }
        #expect(next(plan(every: .hours(2))) == [0, 120, 240])
        #expect(next(plan(every: .minutes(5))).prefix(2) == [0, 60], "what is overdue is asked now")
        #expect(next(plan(every: .hours(6))) == [0], "what stays stays")
        #expect(next(plan(every: .minutes(5)), told: .hours(8)) == [0], "what was asked for is kept")
        #expect(
            next(plan(every: .minutes(5)), told: .hours(2)).prefix(2) == [0, 120], "though the old interval was longer")
    }

    @Test(arguments: [true, false])
    func `another chat behind a channel is told of what is open, in a thread of its own`(isReload: Bool) throws {
        func plan(_ home: UInt64) -> Plan {
            .rehearsed(channels: [ChannelPlan(name: "team", home: ChannelPlan.Home(home))])
        }
        var bot = Rehearsal.checked(plan(1))
        bot.sendAnswer = { delivery, _ in (.delivered(receipt: "r-\(delivery.number)"), .zero) }
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let id = try #require(bot.state.incidents.all.first?.id)
        let first = try #require(bot.state.outbox.opening(of: [id], in: "team")?.receipt)
        func lead(to home: UInt64) {
            bot.advance(by: .minutes(1))
            if isReload { bot.reload(plan(home)) } else { bot.crash(plan(home)) }
        }
        lead(to: 1)
        #expect(bot.marks() == "O", "nothing has moved")
        #expect(bot.state.outbox.opening(of: [id], in: "team")?.receipt == first)
        lead(to: 2)
        #expect(bot.marks() == "OO")
        bot.advance(by: .minutes(1))
        #expect(bot.state.outbox.opening(of: [id], in: "team")?.receipt != first)
        bot.see(.critical)
        bot.see(.fine)
        #expect(bot.marks() == "OOER")
        lead(to: 3)
        #expect(bot.marks() == "OOER", "of what is over nothing is said there")
        #expect(bot.objections == [])
    }

    /// So that an upgrade to a version that reads the address tells nothing again.
    @Test func `a chat whose name is read from the address for the first time is no other one`() {
        func plan(_ home: UInt64) -> Plan {
            .rehearsed(channels: [ChannelPlan(name: "team", home: ChannelPlan.Home(home, withoutAddress: 1))])
        }
        var bot = Rehearsal.checked(plan(1))
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.crash(plan(2))
        #expect(bot.marks() == "O")
        bot.reload(plan(3))
        #expect(bot.marks() == "OO")
        #expect(bot.objections == [])
    }

    @Test func `what was under way to the old chat, or waits, is told once to the new one`() throws {
        func plan(_ home: UInt64) -> Plan {
            .rehearsed(channels: [ChannelPlan(name: "team", home: ChannelPlan.Home(home))])
        }
        var bot = Rehearsal.checked(plan(1))
        bot.sendAnswer = { delivery, _ in (.delivered(receipt: "r-\(delivery.number)"), .minutes(2)) }
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.reload(plan(2))
        bot.advance(by: .minutes(10))
        let id = try #require(bot.state.incidents.all.first?.id)
        #expect(bot.marks() == "OO", "the first one went to the old chat")
        #expect(bot.state.outbox.opening(of: [id], in: "team")?.receipt == "r-2")
        bot.sendAnswer = { _, now in
            now < .rehearsalStart + .minutes(30)
                ? (.retry(after: .minutes(10), "busy"), .zero) : (.delivered(receipt: "r-late"), .zero)
        }
        let other = Subject(source: "ios", app: "game")
        bot.see(.warning, of: other)
        bot.advance(by: .minutes(1))
        bot.reload(plan(3))
        bot.advance(by: .hours(1))
        #expect(bot.marks(of: "game") == "O", "it waited, and tells the new chat")
        #expect(bot.objections == [])
    }

    @Test(arguments: [true, false])
    func `what a rule judged by another figure is closed, and no recovery`(isReload: Bool) {
        func plan(_ metric: Metric) -> Plan { self.plan("floor", Below(metric, 0.995)) }
        var bot = Rehearsal.checked(plan(.crashFreeUsers))
        let metrics: Metrics = ["users": 1000, "crashed_users": 30, "sessions": 4000, "crashed_sessions": 4]
        func see() { bot.see([.figures(metrics, at: bot.now, lasting: .minutes(5))]) }
        see()
        #expect(bot.marks() == "O")
        bot.advance(by: .minutes(1))
        if isReload { bot.reload(plan(.crashFreeSessions)) } else { bot.crash(plan(.crashFreeSessions)) }
        bot.advance(by: .minutes(4))
        see()
        #expect(bot.marks() == "OC")
        #expect(bot.decisions.last?.message.headline.hasPrefix("⚪") == true)
    }

    @Test func `a limit that was moved is no recovery either, and says so`() {
        func plan(_ limit: Double) -> Plan { self.plan("floor", Below(.crashFreeUsers, limit)) }
        var bot = Rehearsal.checked(plan(0.995))
        func see() {
            bot.see([.figures(["users": 1000, "crashed_users": 8], at: bot.now, lasting: .minutes(5))])
        }
        see()
        bot.reload(plan(0.991))
        bot.advance(by: .minutes(5))
        see()
        #expect(bot.marks() == "OR")
        #expect(
            bot.decisions.last?.message.headline == "✅ shop: crash-free users 99.20%, not below 99.1% after all")
    }

    @Test(arguments: [true, false])
    func `a new rule judges figures that the source only repeats`(isReload: Bool) {
        var bot = repeating(.rehearsed(detectors: []))
        #expect(bot.decisions.isEmpty)
        if isReload { bot.reload(plan("look")) } else { bot.crash(plan("look")) }
        bot.advance(by: .minutes(20))
        #expect(bot.decisions.map(\.mark) == ["O"])
        #expect(bot.state.incidents.inOrder.map(\.state) == [.firing])
        #expect(bot.objections == [])
    }

    @Test func `a rule that stays says nothing twice of figures that are repeated`() {
        var bot = repeating()
        bot.crash()
        bot.advance(by: .minutes(20))
        bot.reload(bot.plan)
        bot.advance(by: .minutes(20))
        #expect(bot.decisions.map(\.mark) == ["O"])
    }

    /// While the source fails a reminder says since when nothing is known; an answer that says 'as before' makes it
    /// certain again.
    @Test func `figures that are repeated after a failure are certain again`() throws {
        var bot = repeating(.rehearsed(for: .zero, repeat: .hours(1)))
        let answers = bot.pollAnswer
        bot.pollAnswer = { _, _ in (PollReport(.failed(PollFailure(.timeout, "no answer"))), .zero) }
        bot.advance(by: .hours(3))
        func reminder() throws -> String {
            try #require(bot.decisions.last { $0.kind == .reminder && $0.message.incidents[0].subject == .shop })
                .message
                .plainText
        }
        #expect(try reminder().contains("No news since"))
        bot.pollAnswer = answers
        bot.advance(by: .hours(2))
        #expect(try !reminder().contains("No news since"))
    }

    @Test func `a rule that is renamed ends under its old name and goes on under its new one`() {
        var bot = repeating()
        bot.reload(plan("floor"))
        bot.advance(by: .minutes(20))
        #expect(bot.decisions.map(\.mark) == ["O", "C", "O"])
    }

    /// A rule that finds an issue in whatever it is shown.
    private struct IssueDetector: Detector {
        static let manifest = PluginManifest(name: "issue", summary: "Finds an issue.", options: [])
        init() {}
        init(options: Options, context: RuleContext) throws(ProblemList) {}
        var metrics: [Metric] { [] }
        var holdTime: Duration { .zero }
        var lookback: Duration { .minutes(5) }
        var spans: [Duration] { [] }
        func findings(in sight: Sight, at now: Moment) -> [Finding] {
            [Finding(Judgement(.firing(.warning), .far, Evidence(sentence: "An issue.")), key: "ISSUE-1")]
        }
    }

    @Test func `what another plugin found under the rule's name ends`() {
        var bot = Rehearsal(plan("look", IssueDetector()))
        bot.start()
        bot.see(.fine)
        #expect(bot.state.incidents.inOrder.map(\.key) == ["ISSUE-1"])
        bot.reload(plan("look"))
        bot.advance(by: .minutes(1))
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.decisions.map(\.mark) == ["O", "C"])
    }

    @Test func `a channel that was taken out and is back hears of what is still wrong`() {
        func plan(_ names: [String]) -> Plan {
            .rehearsed(channels: names.map { ChannelPlan(name: $0) }, reportTo: "ops")
        }
        var bot = Rehearsal(plan(["team", "ops"]))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .refusedChannel("gone") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.reload(plan(["ops"]))
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.reload(plan(["team", "ops"]))
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        let told = bot.state.outbox.history.filter { $0.delivery.channel == "team" && $0.end.name == "delivered" }
        #expect(told.map(\.delivery.kind) == [.opened])
    }

    @Test(arguments: [true, false])
    func `what is held for a channel that was taken out is said to be let go of, once`(isReload: Bool) {
        func plan(_ names: [String]) -> Plan {
            .rehearsed(
                gates: [.quiet(from: "2026-11-20 12:00", until: "2026-11-20 18:00")],
                channels: names.map { ChannelPlan(name: $0) })
        }
        var bot = Rehearsal(plan(["team", "ops"]))
        bot.start()
        bot.see(.warning)
        for _ in 1...2 {
            if isReload { bot.reload(plan(["ops"])) } else { bot.crash(plan(["ops"])) }
            bot.advance(by: .minutes(1))
        }
        let dropped = bot.decisions.filter { $0.decision == .drop }
        #expect(dropped.map { "\($0.channel) \($0.kind) \($0.reason)" } == ["team opened unrouted"])
        bot.reload(plan(["team", "ops"]))
        bot.advance(by: .minutes(1))
        #expect(bot.decisions.last.map { "\($0.channel) \($0.mark)" } == "team h")
    }

    @Test func `a summary does not wait for quiet hours that are gone`() {
        var bot = Rehearsal(.rehearsed(gates: [.quiet(from: "2026-11-20 12:02", until: "2026-12-20 12:30")]))
        bot.start()
        bot.advance(by: .minutes(3))
        bot.see(.warning)
        bot.advance(by: .minutes(5))
        bot.see(.fine)
        bot.reload(.rehearsed())
        bot.advance(by: .milliseconds(1))
        #expect(bot.decisions.last?.mark == "D")
        #expect(bot.state.incidents.isEmpty)
    }

    @Test func `an opening that was tried again counts as said when it was tried`() throws {
        var bot = Rehearsal(.rehearsed())
        bot.sendAnswer = { _, _ in (.refusedChannel("401"), .zero) }
        bot.start()
        bot.see(.critical)
        bot.advance(by: .minutes(1))
        let dead = try #require(bot.state.outbox.history.first?.delivery.id)
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.step(.command(.retry(dead), id: 1))
        let shop = try #require(bot.state.incidents.all.first { $0.subject == .shop })
        #expect(shop.standings["team"]?.firstSaid == bot.now)
        #expect(shop.standings["team"]?.undelivered == nil)
    }

    /// Each look at something that is held for ten years promises to look again in ten years.
    @Test func `promises that lie far ahead do not pile up`() {
        var timers = Timers<String>()
        let far = Moment.rehearsalStart + .days(3650)
        for minute in 0..<10_000 {
            let now = Moment.rehearsalStart + .minutes(Int64(minute))
            timers.set("a", now)
            #expect(timers.popDue(now) == "a")
            timers.set("a", far)
        }
        #expect(timers.entryCount < 200)
        #expect(timers.next == far)
    }

    @Test func `figures at the edge of numbers make no picture and no harm`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        for value in [-1e19, 0, 1e19, 1e19] {
            var observation = Observation.cue(.warning, of: .shop, at: bot.now)
            observation.metrics["latency"] = value
            bot.step(.polled(source: "ios", PollReport(.values([observation])), validators: [:]))
            bot.advance(by: .hours(1))
        }
        #expect(bot.decisions.map(\.mark).first == "O")
    }

    @Test func `messages to a channel that left the config are dead and no trouble`() {
        var bot = Rehearsal.silenced(.rehearsed(channels: .named("team", "ops"), reportTo: "ops"))
        bot.see(.warning)
        bot.reload(.rehearsed(channels: .named("ops"), reportTo: "ops"))
        bot.advance(by: .hours(3))
        let entries = bot.state.outbox.history.filter { $0.delivery.channel == "team" }
        #expect(entries.map(\.end.name) == ["dead", "dead"])
        #expect(bot.state.outbox.deliveries.isEmpty)
        #expect(!bot.decisions.contains { $0.message.incidents.first?.subject.app == "alertbot" })
    }

    @Test func `what is in flight to a channel that leaves the config is recorded as it ends`() {
        var bot = Rehearsal(.rehearsed(channels: .named("team", "ops")))
        bot.sendAnswer = { delivery, _ in
            (delivery.number == 1 ? .delivered(receipt: "1") : .retry(after: nil, "502"), .seconds(10))
        }
        bot.start()
        bot.see(.warning)
        bot.see(.warning, of: Subject(source: "ios", app: "other"))
        bot.advance(by: .seconds(5))
        bot.reload(.rehearsed(channels: .named("ops")))
        bot.advance(by: .seconds(10))
        let entries = bot.state.outbox.history.filter { $0.delivery.channel == "team" }
        #expect(entries.map(\.end.name) == ["delivered", "dead"])
    }

    @Test func `a channel that left the config is waited for by no incident`() {
        var bot = Rehearsal(.rehearsed(channels: .named("team", "gone")))
        bot.start()
        bot.see(.warning)
        bot.reload(.rehearsed(channels: .named("team")))
        #expect(bot.play("wwwwww.", every: .hours(1), in: "team") == "....M.R")
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `the trouble of a channel that left the config is over`() {
        var bot = Rehearsal(.rehearsed(channels: .named("team", "ops"), reportTo: "ops"))
        bot.sendAnswer = { delivery, _ in
            (delivery.channel == "team" ? .refusedChannel("410") : .delivered(receipt: nil), .zero)
        }
        bot.start()
        bot.see(.warning)
        bot.advance(by: .minutes(1))
        bot.reload(.rehearsed(channels: .named("ops"), reportTo: "ops"))
        bot.see(.fine)
        #expect(bot.state.incidents.isEmpty)
    }
}
