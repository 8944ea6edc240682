import AlertTesting
import PluginKit
import Testing

@testable import AlertCore

/// Figures of spans that are older than all that rules read.
@Suite struct `Late figures beyond the longest window` {
    private let hour = Moment.rehearsalStart

    private func bot(
        repeating repeats: Duration? = nil, words: Words = .english, _ gates: GatePlan...
    ) -> Rehearsal {
        let rule = DetectorPlan(name: "floor", detector: BareFloor(lookback: .hours(1)), repeat: repeats)
        var plan = Plan.rehearsed(detectors: [rule], gates: gates)
        plan.words = words
        var bot = Rehearsal(plan)
        bot.comparesReplay = true
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    /// Lets the bot see that so many of 1,000 users crashed in the hour up to that moment, or up to now.
    private func see(_ bot: inout Rehearsal, _ crashed: Double, upTo end: Moment? = nil, of subject: Subject = .shop) {
        var observation = Observation.figures(
            ["users": 1000, "crashed_users": crashed], of: subject, at: end ?? bot.now, lasting: .hours(1))
        observation.seen = bot.now
        bot.see([observation])
    }

    /// The hours that follow, one after the other.
    private func live(_ bot: inout Rehearsal, _ crashed: Double...) {
        for crashed in crashed {
            bot.advance(by: .hours(1))
            see(&bot, crashed)
        }
    }

    private func kinds(_ bot: Rehearsal) -> [Notification.Kind] { bot.sends.map(\.delivery.kind) }

    private func fields(_ bot: Rehearsal) -> [String: String] {
        Dictionary((bot.sends.last?.delivery.message.fields ?? []).map { ($0.label, $0.value) }) { $1 }
    }

    @Test(arguments: [1, 7, 40])
    func `while an incident is open, the figure that it fired with is put right`(later hours: Int) throws {
        var bot = bot()
        see(&bot, 20)
        for _ in 0..<hours { live(&bot, 30) }
        see(&bot, 12, upTo: hour)
        #expect(kinds(bot) == [.opened, .revised])
        let fact = try #require(fields(bot)["Corrected"])
        #expect(fact.hasPrefix("98.00% was reported for Fri 20 Nov 11:00"))
        #expect(fact.hasSuffix("with late figures it is 98.80%"))
        // Once.
        see(&bot, 12, upTo: hour)
        live(&bot, 30)
        #expect(kinds(bot) == [.opened, .revised])
        #expect(bot.objections == [])
    }

    @Test func `reminders in between do not make it forgotten`() throws {
        var bot = bot(repeating: .hours(2))
        see(&bot, 20)
        live(&bot, 30, 30, 30, 30)
        #expect(kinds(bot) == [.opened, .reminder, .reminder])
        see(&bot, 5, upTo: hour)
        #expect(kinds(bot).last == .revised)
        #expect(fields(bot)["Corrected"]?.hasSuffix("with late figures it is 99.50%") == true)
        live(&bot, 30, 30)
        #expect(kinds(bot) == [.opened, .reminder, .reminder, .revised, .reminder])
        // What was put right may have been wrong again.
        see(&bot, 20, upTo: hour)
        #expect(kinds(bot).last == .revised)
        #expect(fields(bot)["Corrected"]?.hasPrefix("99.50% was reported") == true)
        #expect(bot.objections == [])
    }

    @Test func `the end says how it was at worst by what is known then`() {
        var bot = bot()
        see(&bot, 40)
        live(&bot, 15, 25, 15)
        // The worst was not so bad: then another hour was the worst.
        see(&bot, 11, upTo: hour)
        #expect(kinds(bot) == [.opened, .revised])
        live(&bot, 2)
        #expect(kinds(bot) == [.opened, .revised, .resolved])
        #expect(fields(bot)["At worst"] == "97.50%")
        #expect(fields(bot)["Affected at worst"] == "25 of 1,000 users (2.50%)")
        #expect(bot.objections == [])
    }

    @Test func `an hour that was worse than anybody knew is the worst`() {
        var bot = bot()
        see(&bot, 20)
        live(&bot, 30, 20, 20)
        see(&bot, 300, upTo: hour + .hours(2))
        // Nobody was told anything of that hour yet.
        #expect(kinds(bot) == [.opened])
        live(&bot, 2)
        #expect(fields(bot)["At worst"] == "70.00%")
    }

    @Test func `figures within the window change the worst as well`() {
        var bot = bot()
        see(&bot, 40)
        see(&bot, 15)
        live(&bot, 2)
        #expect(kinds(bot) == [.opened, .revised, .resolved])
        #expect(fields(bot)["At worst"] == "98.50%")
    }

    @Test func `what is equally bad for days keeps the words with which it fired`() throws {
        var bot = bot(.quiet(from: "2026-11-20 11:00", until: "2026-11-22 12:30"))
        see(&bot, 30)
        for _ in 0..<48 { live(&bot, 30) }
        bot.advance(by: .hours(1))
        #expect(kinds(bot) == [.opened])
        let message = try #require(bot.sends.last?.delivery.message)
        #expect(message.reason != "Corrected by figures that came late." && message.reason != "", "\(message)")
    }

    @Test func `sums of short spans are put right, too`() {
        var bot = bot()
        func see(_ crashed: Double, upTo end: Moment) {
            var observation = Observation.figures(
                ["users": 1000, "crashed_users": 0, "sessions": 1000, "crashed_sessions": crashed], at: end)
            observation.seen = bot.now
            bot.see([observation])
        }
        bot.reload(.rehearsed(detectors: [DetectorPlan(name: "sums", detector: BareSum(), repeat: nil)]))
        for _ in 0..<12 {
            see(20, upTo: bot.now)
            bot.advance(by: .minutes(5))
        }
        let opened = bot.sends[0].delivery.message.headline
        #expect(opened.contains("98.00%"))
        for _ in 0..<24 {
            see(15, upTo: bot.now)
            bot.advance(by: .minutes(5))
        }
        for step in 0..<12 { see(100, upTo: hour + .minutes(Int64(step) * 5)) }
        #expect(kinds(bot) == [.opened, .revised])
        for _ in 0..<13 {
            see(0, upTo: bot.now)
            bot.advance(by: .minutes(5))
        }
        #expect(kinds(bot).last == .resolved)
        #expect(fields(bot)["At worst"] == "90.00%")
        #expect(bot.objections == [])
    }

    @Test func `sums over releases are put right, too`() {
        var bot = bot()
        bot.reload(.rehearsed(detectors: [DetectorPlan(name: "sums", detector: BareSum(), repeat: nil)]))
        func see(_ crashed: [String: Double], upTo end: Moment? = nil) {
            bot.see(
                crashed.sorted { $0.key < $1.key }.map { release, crashed in
                    var observation = Observation.figures(
                        ["sessions": 1000, "crashed_sessions": crashed],
                        of: Subject(source: "ios", app: "shop", release: release), at: end ?? bot.now,
                        lasting: .hours(1))
                    observation.seen = bot.now
                    return observation
                })
            bot.advance(by: .hours(1))
        }
        see(["5.1": 10, "5.2": 70])
        for _ in 0..<5 { see(["5.1": 10, "5.2": 40]) }
        // One of the two, of a span of which nothing else is kept for rules.
        see(["5.2": 20], upTo: hour)
        #expect(kinds(bot) == [.opened, .revised])
        #expect(fields(bot)["Corrected"]?.hasPrefix("96.00% was reported for") == true)
        #expect(fields(bot)["Corrected"]?.hasSuffix("with late figures it is 98.50%") == true)
        see(["5.1": 0, "5.2": 0])
        #expect(kinds(bot) == [.opened, .revised, .resolved])
        #expect(fields(bot)["At worst"] == "97.50%")
        #expect(bot.objections == [])
    }

    // MARK: - After the end

    @Test func `what has ended is put right for a day`() throws {
        var bot = bot()
        see(&bot, 60)
        live(&bot, 30, 2)
        #expect(kinds(bot) == [.opened, .resolved])
        bot.advance(by: .hours(23))
        see(&bot, 2)
        see(&bot, 5, upTo: hour)
        #expect(kinds(bot) == [.opened, .resolved, .revised])
        let message = try #require(bot.sends.last?.delivery.message)
        #expect(
            message.headline
                == "✅ shop: resolved after 2 h, crash-free users 97.00% at worst (alert below 99%, figures corrected)")
        #expect(fields(bot)["Corrected"] == "94.00% was reported as the worst; with late figures it is 97.00%")
        #expect(fields(bot)["At worst"] == "97.00%")
        #expect(fields(bot)["Lasted"] != nil && fields(bot)["Since"] == nil)
        #expect(message.incidents.map(\.state) == [.resolved])
        #expect(bot.state.incidents.isEmpty)
        // Once; and again if it changes again.
        see(&bot, 5, upTo: hour)
        #expect(kinds(bot).count == 3)
        see(&bot, 31, upTo: hour)
        bot.advance(by: .minutes(1))
        #expect(kinds(bot).count == 3)
        see(&bot, 500, upTo: hour)
        bot.advance(by: .hours(1))
        #expect(kinds(bot) == [.opened, .resolved, .revised, .revised])
        #expect(fields(bot)["Corrected"] == "97.00% was reported as the worst; with late figures it is 50.00%")
        #expect(bot.objections == [])
    }

    @Test(arguments: [
        (Words.english, "Corrected by figures that came late."), (.spanish, "Corregido con datos que llegaron tarde."),
    ])
    func `it says why in the language of messages`(words: Words, reason: String) {
        var bot = bot(words: words)
        see(&bot, 60)
        live(&bot, 30, 2)
        bot.advance(by: .hours(2))
        see(&bot, 2)
        see(&bot, 5, upTo: hour)
        #expect(kinds(bot) == [.opened, .resolved, .revised])
        #expect(bot.sends.last?.delivery.message.reason == reason)
        #expect(bot.objections == [])
    }

    @Test func `what ended longer ago is history`() {
        var bot = bot()
        see(&bot, 40)
        live(&bot, 2)
        bot.advance(by: .hours(25))
        see(&bot, 2)
        see(&bot, 5, upTo: hour)
        #expect(kinds(bot) == [.opened, .resolved])
        #expect(bot.state.incidents.aftermaths.isEmpty)
        #expect(bot.state.figures.series[.shop]?.past == [])
        #expect(bot.objections == [])
    }

    @Test func `an end that nobody has read yet says it right at once`() {
        var bot = bot()
        see(&bot, 40)
        bot.advance(by: .minutes(1))
        bot.sendAnswer = { _, _ in (.retry(after: .minutes(90), "busy"), .zero) }
        live(&bot, 2)
        bot.advance(by: .minutes(10))
        see(&bot, 15, upTo: hour)
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.advance(by: .hours(3))
        #expect(bot.sends.last?.delivery.kind == .resolved)
        #expect(fields(bot)["At worst"] == "98.50%")
        #expect(bot.objections == [])
    }

    @Test func `quiet hours hold the correction of what is over, and drop it where they drop`() {
        for drops in [false, true] {
            var bot = bot(.quiet(from: "2026-11-20 14:30", until: "2026-11-20 20:00", drops: drops))
            see(&bot, 40)
            live(&bot, 2)
            bot.advance(by: .hours(3))
            see(&bot, 2)
            see(&bot, 5, upTo: hour)
            see(&bot, 5, upTo: hour)
            #expect(kinds(bot) == [.opened, .resolved])
            #expect(
                bot.decisions.filter { $0.kind == .revised }.map(\.decision.name) == (drops ? ["drop"] : ["hold"]))
            bot.advance(to: .utc("2026-11-20 20:01"))
            #expect(kinds(bot) == (drops ? [.opened, .resolved] : [.opened, .resolved, .revised]))
            #expect(bot.state.incidents.isEmpty)
            #expect(bot.objections == [])
        }
    }

    @Test func `what nobody has heard of and what never was is no red line of the morning's summary`() throws {
        var bot = bot(.quiet(from: "2026-11-20 11:00", until: "2026-11-20 20:00"))
        see(&bot, 20)
        bot.advance(by: .minutes(30))
        see(&bot, 2, upTo: hour)
        live(&bot, 2, 2)
        bot.advance(to: .utc("2026-11-20 20:01"))
        let lines = try #require(bot.sends.last).delivery.message.lines
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("⚪ shop: crash-free users 99.80% at worst") == true, "\(lines)")
        #expect(lines.first?.hasSuffix("(figures corrected)") == true, "\(lines)")
    }

    @Test func `what is put right while the end is held stands in the end, and is put right once more after it`() {
        var bot = bot(.quiet(from: "2026-11-20 12:30", until: "2026-11-20 20:00"))
        see(&bot, 40)
        live(&bot, 2)
        bot.advance(by: .hours(2))
        see(&bot, 2)
        see(&bot, 300, upTo: hour)
        #expect(kinds(bot) == [.opened])
        bot.crash()
        bot.advance(to: .utc("2026-11-20 20:01"))
        #expect(kinds(bot) == [.opened, .resolved])
        #expect(fields(bot)["At worst"] == "70.00%")
        see(&bot, 2)
        see(&bot, 100, upTo: hour)
        #expect(kinds(bot) == [.opened, .resolved, .revised])
        #expect(bot.objections == [])
    }

    // MARK: - Restarts and clocks

    @Test(arguments: [1, 3]) func `a bot that was killed knows it all`(ends hours: Int) {
        var bot = bot()
        see(&bot, 40)
        live(&bot, 30)
        bot.crash(after: .minutes(3))
        if hours == 3 { live(&bot, 2) }
        bot.advance(by: .minutes(1))
        bot.crash(after: .minutes(3))
        live(&bot, hours == 3 ? 2 : 20)
        see(&bot, 5, upTo: hour)
        #expect(kinds(bot) == (hours == 3 ? [.opened, .resolved, .revised] : [.opened, .revised]))
        bot.crash(after: .minutes(3))
        live(&bot, 2)
        #expect(fields(bot)["At worst"] == "97.00%")
        #expect(bot.objections == [])
    }

    @Test func `after the clock was set, the same hours measured anew correct nothing`() {
        var bot = bot()
        see(&bot, 40)
        live(&bot, 30, 2)
        bot.setClock(by: .hours(-3))
        for _ in 0..<4 { live(&bot, 2) }
        see(&bot, 1, upTo: hour)
        #expect(kinds(bot).filter { $0 == .revised } == [])
        #expect(bot.state.incidents.aftermaths.isEmpty)
        #expect(bot.objections == [])
    }

    // MARK: - Bounds

    @Test func `rules are shown no more than they ask for`() {
        var bot = bot()
        see(&bot, 40)
        live(&bot, 30, 30, 30)
        let series = bot.state.figures.series[.shop]
        #expect(series?.samples.count == 2)
        #expect(series?.past.count == 2)
    }

    @Test func `what is kept of one subject is bounded`() {
        var series = Series()
        let retention = Retention(.hours(1), reach: hour - .hours(1))
        for minute in 0..<3000 {
            let end = hour + .minutes(Int64(minute))
            series.add(
                .figures(["users": 1000, "crashed_users": 10, "sessions": 1, "crashed_sessions": 0], at: end),
                keeping: retention)
        }
        #expect((400...600).contains(series.past.count))
        #expect(series.past.last.map { $0.span.to + .minutes(1) } == series.samples.first?.span.to)
        series.add(.figures(["users": 1], at: hour + .minutes(3000)), keeping: Retention(.hours(1)))
        #expect(series.past == [])
    }

    @Test func `so is the number of subjects, of what was seen and of what has ended`() {
        var bot = bot()
        bot.comparesReplay = false
        let subjects = (0..<600).map { Subject(source: "ios", app: "app-\($0)") }
        func all(_ crashed: Double) {
            bot.see(
                subjects.map {
                    .figures(["users": 1000, "crashed_users": crashed], of: $0, at: bot.now, lasting: .hours(1))
                })
            bot.advance(by: .hours(1))
        }
        for crashed in [30.0, 40, 30, 40] { all(crashed) }
        let reaching = bot.state.figures.series.values.count { $0.reach != nil }
        #expect(reaching == Figures.reachingMax)
        #expect(bot.state.figures.series.values.count { !$0.past.isEmpty } == Figures.reachingMax)
        all(1)
        bot.advance(by: .hours(6))
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.state.incidents.aftermaths.count == Aftermath.countMax)
    }

    @Test func `of a long incident the worst is kept`() throws {
        var bot = bot()
        for step in 0..<100 { live(&bot, step == 50 ? 200 : 20 + Double(step % 7)) }
        let id = try #require(bot.state.incidents.inOrder.first?.id)
        let seen = try #require(bot.state.incidents.sightings[id])
        #expect(seen.all.count == Sightings.countMax)
        #expect(seen.worst?.figure.value == 0.8)
        live(&bot, 1)
        #expect(fields(bot)["At worst"] == "80.00%")
        #expect(bot.state.incidents.sightings.isEmpty)
        #expect(bot.objections == [])
    }
}

/// Below 99 % of the sessions of the last hour, summed.
private struct BareSum: SubjectDetector {
    static let manifest = PluginManifest(name: "sum", summary: "Fires below 99%.", options: [])

    let metrics: [Metric] = [.crashFreeSessions]
    let lookback = Duration.hours(1)
    let spans = [Duration.hours(1)]
    let holdTime = Duration.zero

    init() {}
    init(options: Options, context: RuleContext) throws(ProblemList) {}

    func judge(_ series: Series, at now: Moment) -> Judgement {
        guard let measured = series.measured(.crashFreeSessions, over: .hours(1)), measured.span.length == .hours(1)
        else { return Judgement(.unknown("not an hour"), .far, Evidence(sentence: "not an hour")) }
        let limit = Comparison(.less, 0.99, isPercentage: true)
        let evidence = Evidence(
            metric: Metric.crashFreeSessions.name, figure: measured.figure, limit: limit, span: measured.span,
            sentence: "the bare sum")
        return Judgement(
            limit.holds(measured.figure.value) ? .firing(.critical) : .ok(recovered: true), .near, evidence)
    }
}
