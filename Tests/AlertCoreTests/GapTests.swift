import AlertCore
import AlertTesting
import BudgetGate
import PluginKit
import Testing

/// Fires on any figure of at least fifty users, and says which span it looked at.
private struct Busy: SubjectDetector {
    static let manifest = PluginManifest(name: "busy", summary: "Fires on enough users.", options: [])

    init() {}
    init(options: Options, context: RuleContext) throws(ProblemList) {}

    let metrics: [Metric] = [.users]
    let lookback = Duration.hours(1)
    let spans = [Duration.minutes(1)]
    let holdTime = Duration.minutes(10)

    func judge(_ series: Series, at now: Moment) -> Judgement {
        let evidence = Evidence(span: series.samples.last?.span, sentence: "busy")
        let users = series.samples.last?.metrics[.users] ?? 0
        return Judgement(users < 50 ? .unknown("too few") : .firing(.warning), .between, evidence)
    }
}

@Suite struct `A pending incident that was lost from sight` {
    @Test(arguments: [(5, [11]), (180, [191])])
    func `waits anew after a gap longer than its wait, and not after a short one`(gap: Int, opened: [Int]) {
        let rule = DetectorPlan(name: "busy", detector: Busy(), repeat: nil)
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        let start = bot.now
        // One look that fires, then as many minutes of too few users as the gap is long, then looks that fire again.
        for minute in 1...(gap + 15) {
            let users = minute == 1 || minute > gap ? 100.0 : 10
            bot.advance(to: start + .minutes(Int64(minute)))
            let seen = Observation(
                subject: .shop, span: TimeSpan(lasting: .minutes(1), until: bot.now), seen: bot.now,
                metrics: ["users": users])
            bot.step(.observed([.observed(seen)]))
        }
        let minutes = bot.decisions.filter { $0.kind == .opened }.map { Int(($0.at - start).inSeconds / 60) }
        #expect(minutes == opened)
    }
}

/// Figures are good for as long as the longest time between two polls, however far back a rule looks.
@Suite struct `Figures that have stopped` {
    private func bot(for holdTime: Duration = .zero, repeating: Duration? = nil) -> Rehearsal {
        var bot = Rehearsal(.rehearsed(for: holdTime, repeat: repeating, lookback: .days(1)))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    @Test(arguments: [true, false])
    func `open nothing: a wait ends with the figures that it rests on`(isFailing: Bool) {
        var bot = bot(for: .minutes(50))
        bot.see(.warning)
        for _ in 0..<24 {
            bot.advance(by: .minutes(5))
            if isFailing { bot.fail() } else { bot.see(.fine, of: Subject(source: "ios", app: "bank")) }
        }
        #expect(bot.kindsSent(to: "team") == (isFailing ? [.opened] : []))
        #expect(bot.state.incidents.all.filter { $0.rule == "look" }.map(\.state) == [.pending])
    }

    @Test func `an hour that is measured anew every five minutes is no longer believed than others`() {
        let rule = DetectorPlan(name: "floor", detector: BareFloor(lookback: .hours(1)), repeat: .minutes(50))
        var bot = Rehearsal(.rehearsed(detectors: [rule]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for _ in 0..<3 {
            bot.advance(by: .minutes(5))
            let figures = Observation.figures(
                ["users": 1000, "crashed_users": 30], of: .shop, at: bot.now, lasting: .hours(1))
            bot.see([figures])
        }
        bot.advance(by: .minutes(51))
        let fields = bot.decisions.last { $0.kind == .reminder }?.message.fields ?? []
        #expect(fields.contains { $0.label == "No news since" }, "\(bot.decisions.map(\.kind))")
    }

    @Test func `a reminder that waited for a source's first answer leaves when the poll has failed`() {
        var bot = bot(repeating: .hours(1))
        bot.see(.warning)
        bot.advance(by: .minutes(30))
        bot.pollAnswer = { _, _ in (PollReport(.failed(PollFailure(.unreachable, "gone"))), .seconds(3)) }
        bot.crash(after: .hours(3))
        let started = bot.now
        #expect(!bot.decisions.contains { $0.kind == .reminder && $0.at >= started })
        bot.advance(by: .seconds(10))
        #expect(bot.decisions.last { $0.kind == .reminder }?.at == started + .seconds(3))
    }

    /// What a reminder says at once after a long rest would be of the bot's absence, and may be over.
    @Test(arguments: [true, false])
    func `after a start their source is asked before anybody is reminded`(answers: Bool) throws {
        var bot = bot(repeating: .hours(4))
        bot.see(.critical)
        bot.advance(by: .minutes(1))
        let before = bot.decisions.count
        bot.pollAnswer = { order, now in
            answers ? (PollReport(.values([.cue(.fine, of: .shop, at: now)])), .seconds(2)) : nil
        }
        bot.crash(after: .hours(5))
        let start = bot.now
        bot.advance(by: .minutes(2))
        let said = bot.decisions.dropFirst(before)
        #expect(said.map(\.kind) == [answers ? .resolved : .reminder])
        let timeout = try #require(bot.plan.sources.first).timeout
        #expect(try #require(said.first).at == start + (answers ? .seconds(2) : timeout))
        #expect(bot.objections == [])
    }

    private static let nights = GatePlan.quiet(from: "2026-11-20 12:00", until: "2026-11-20 13:00")

    /// What a gate holds until a time at which the bot is away.
    private func holding(_ gates: [GatePlan] = [nights]) -> Rehearsal {
        var bot = Rehearsal(.rehearsed(for: .zero, repeat: .hours(4), gates: gates))
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        bot.see(.critical)
        return bot
    }

    private func answers(_ cue: Cue?, _ bot: inout Rehearsal) {
        bot.pollAnswer = { order, now in
            cue.map { (PollReport(.values([.cue($0, of: .shop, at: now)])), .seconds(2)) }
        }
    }

    @Test(arguments: [(Cue.fine, "x"), (.critical, "O"), (nil, "O")] as [(Cue?, String)])
    func `after a start their source is asked before what a gate held is told`(cue: Cue?, mark: String) throws {
        var bot = holding()
        #expect(bot.marks() == "h")
        answers(cue, &bot)
        bot.crash(after: .hours(2))
        let start = bot.now
        bot.advance(by: .milliseconds(1999))
        #expect(bot.marks() == "h")
        bot.advance(by: .minutes(2))
        #expect(bot.marks().dropFirst().contains("O") == (mark == "O"), "\(bot.marks())")
        let timeout = try #require(bot.plan.sources.first).timeout
        if mark == "O" {
            #expect(bot.decisions.dropFirst().first?.at == start + (cue == nil ? timeout : .seconds(2)))
        } else {
            #expect(bot.decisions.allSatisfy { $0.message.kind != .opened || $0.mark == "h" || $0.mark == "x" })
        }
        #expect(bot.objections == [])
    }

    @Test func `after a start what is gathered waits for all sources, and leaves together`() throws {
        let digest = try GatePlan.rule(BudgetGate.self, "budget", ["at_most": "1 per 1h"])
        var plan = Plan.rehearsed(for: .zero, repeat: nil, gates: [digest])
        plan.sources.append(SourcePlan(name: "web", every: .minutes(5)))
        var bot = Rehearsal(plan)
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        let web = Subject(source: "web", app: "site")
        for subject in [Subject.shop, Subject(source: "ios", app: "bank"), web] { bot.see(.warning, of: subject) }
        #expect(bot.marks() == "Ohh")
        bot.pollAnswer = { order, now in
            let subject = order.source == "web" ? web : Subject(source: "ios", app: "bank")
            return (
                PollReport(.values([.cue(.warning, of: subject, at: now)])), .seconds(order.source == "web" ? 9 : 2)
            )
        }
        bot.crash(after: .hours(2))
        let start = bot.now
        bot.advance(by: .minutes(1))
        let sent = bot.decisions.dropFirst(3).filter { $0.decision == .send }
        #expect(sent.map(\.at) == [start + .seconds(9)])
        #expect(sent.first?.message.incidents.count == 2)
    }

    @Test(arguments: [Cue.fine, .critical])
    func `after a machine has slept their source is asked before anybody is called`(cue: Cue) {
        var bot = holding()
        answers(cue, &bot)
        bot.suspend(for: .hours(2))
        bot.advance(by: .minutes(1))
        #expect(bot.decisions.contains { $0.mark == "O" } == (cue == .critical), "\(bot.marks())")
        var reminded = holding([])
        answers(cue, &reminded)
        reminded.suspend(for: .hours(5))
        reminded.advance(by: .minutes(1))
        #expect(reminded.marks() == (cue == .critical ? "OM" : "OR"))
    }

    /// Whether anything was reported but the clock.
    private func isOpened(_ bot: Rehearsal) -> Bool {
        bot.decisions.contains { $0.mark == "O" && $0.message.incidents.first?.rule == "look" }
    }

    @Test(arguments: [Cue.fine, .critical], [-4, 4, 90])
    func `a clock that is put right after a sleep calls nobody before their source has answered`(
        cue: Cue, seconds: Int64
    ) {
        var bot = holding()
        answers(cue, &bot)
        bot.suspend(for: .hours(2))
        bot.setClock(by: .seconds(seconds))
        #expect(!isOpened(bot))
        bot.advance(by: .minutes(1))
        #expect(isOpened(bot) == (cue == .critical), "\(bot.marks())")
        #expect(bot.objections == [])
    }

    @Test(arguments: [Cue.fine, .critical])
    func `after a machine was stopped, and its clock set, their source is asked before anybody is called`(cue: Cue) {
        var bot = holding()
        bot.advance(by: .minutes(3))
        answers(cue, &bot)
        bot.setClock(by: .hours(2))
        #expect(!isOpened(bot))
        bot.advance(by: .seconds(10))
        #expect(isOpened(bot) == (cue == .critical), "\(bot.marks())")
        #expect(bot.objections == [])
    }

    @Test func `a poll that broke while the machine slept is made again at once, however failures slow it down`() throws
    {
        var bot = holding([.quiet(from: "2026-11-20 12:00", until: "2026-11-20 12:13")])
        bot.pollAnswer = { _, _ in (PollReport(.failed(PollFailure(.unreachable, "gone"))), .seconds(8)) }
        let due = try #require(bot.state.schedule.sources["ios"]?.due)
        bot.advance(to: due + .seconds(1))
        answers(.fine, &bot)
        bot.suspend(for: .minutes(7))
        bot.advance(by: .minutes(1))
        #expect(!bot.decisions.contains { $0.mark == "O" }, "\(bot.marks())")
        #expect(bot.objections == [])
    }

    @Test(arguments: [Cue.fine, .critical, nil], [true, false])
    func `what a poll brings that began before the machine slept says nothing of now`(cue: Cue?, fails: Bool) throws {
        var bot = holding()
        bot.pollAnswer = { order, now in
            (
                PollReport(
                    fails
                        ? .failed(PollFailure(.unreachable, "gone")) : .values([.cue(.critical, of: .shop, at: now)])),
                .seconds(8)
            )
        }
        let due = try #require(bot.state.schedule.sources["ios"]?.due)
        bot.advance(to: due + .seconds(1))
        #expect(bot.state.schedule.isPolling("ios"))
        answers(cue, &bot)
        bot.suspend(for: .hours(2))
        let woken = bot.now
        bot.advance(by: .seconds(1))
        #expect(bot.marks() == "h")
        bot.advance(by: .minutes(1))
        #expect(bot.decisions.contains { $0.mark == "O" } == (cue != .fine), "\(bot.marks())")
        let timeout = try #require(bot.plan.sources.first).timeout
        if cue != .fine {
            let said = try #require(bot.decisions.first { $0.mark == "O" })
            #expect(said.at >= woken + (cue == nil ? timeout : .seconds(2)))
            #expect(said.at <= woken + timeout.scaled(by: 2))
        }
        #expect(bot.objections == [])
    }

    private static let comebacks = [Cue.fine, .critical, nil].flatMap { cue in [true, false].map { (cue, $0) } }

    @Test(arguments: comebacks)
    func `after a start and a sleep their source is asked before what waits for its channel leaves`(
        cue: Cue?, sleeps: Bool
    ) throws {
        var bot = holding([])
        bot.sendAnswer = { _, _ in (.retry(after: nil, "no route"), .zero) }
        bot.see(.warning, of: Subject(source: "ios", app: "bank"))
        bot.advance(by: .minutes(1))
        let before = bot.sends.count
        let isBank = { (sent: Rehearsal.Sent) in sent.delivery.summaries.contains { $0.subject.app == "bank" } }
        #expect(bot.sends.contains(where: isBank))
        bot.pollAnswer = { order, now in
            let bank = Observation.cue(cue ?? .fine, of: Subject(source: "ios", app: "bank"), at: now)
            return cue == nil ? nil : (PollReport(.values([bank])), .seconds(2))
        }
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        if sleeps { bot.suspend(for: .hours(2)) } else { bot.crash(after: .hours(2)) }
        let start = bot.now
        bot.advance(by: .milliseconds(1999))
        #expect(bot.sends.count == before)
        bot.advance(by: .minutes(1))
        let sent = bot.sends.dropFirst(before).filter(isBank)
        #expect(sent.map(\.delivery.kind) == [cue == .fine ? .digest : .opened])
        let timeout = try #require(bot.plan.sources.first).timeout
        #expect(sent.first?.at == start + (cue == nil ? timeout : .seconds(2)))
        #expect(bot.objections == [])
    }

    @Test(arguments: [false, true])
    func `a digest that waits for its channel waits for all its sources, and no longer`(isRemoved: Bool) throws {
        let digest = try GatePlan.rule(BudgetGate.self, "budget", ["at_most": "1 per 1h"])
        var plan = Plan.rehearsed(for: .zero, repeat: nil, gates: [digest])
        let (bank, web) = (Subject(source: "ios", app: "bank"), Subject(source: "web", app: "site"))
        let smaller = plan
        plan.sources.append(SourcePlan(name: "web", every: .minutes(5)))
        var bot = Rehearsal(plan)
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        for subject in [Subject.shop, bank, web] { bot.see(.warning, of: subject) }
        bot.sendAnswer = { _, _ in (.retry(after: nil, "no route"), .zero) }
        bot.advance(by: .minutes(62))
        let before = bot.sends.count
        #expect(bot.sends.last?.delivery.summaries.count == 2)
        bot.pollAnswer = { order, now in
            let seen = Observation.cue(.warning, of: order.source == "web" ? web : bank, at: now)
            return (PollReport(.values([seen])), .seconds(order.source == "web" ? 9 : 2))
        }
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.crash(after: .hours(1))
        let start = bot.now
        if isRemoved { bot.reload(smaller) }
        bot.advance(by: .minutes(1))
        let sent = bot.sends.dropFirst(before).filter { $0.delivery.summaries.count == 2 }
        let timeout = try #require(plan.sources.last).timeout
        #expect(sent.map(\.at) == [start + (isRemoved ? timeout : .seconds(9))])
        #expect(bot.objections == [])
    }

    @Test func `are no news in a reminder`() throws {
        var bot = bot(repeating: .minutes(20))
        bot.see(.warning)
        var said: [String?] = []
        for _ in 0..<3 {
            bot.advance(by: .minutes(20))
            said.append(bot.decisions.last?.message.fields.first { $0.label == "No news since" }?.value)
        }
        #expect(said.first == .some(nil))
        #expect(said.dropFirst().allSatisfy { $0?.hasPrefix("Fri 20 Nov 12:00, for ") == true }, "\(said)")
    }
}
