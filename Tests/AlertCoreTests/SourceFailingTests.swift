import AlertCore
import AlertTesting
import FlappingGate
import PluginKit
import Testing

/// Since when a source is said to fail: a trouble is noticed late, but it began with the last answer.
@Suite struct `A failing source` {
    private func bot(_ plan: Plan = .rehearsed()) -> Rehearsal {
        var bot = Rehearsal(plan)
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        return bot
    }

    private func trouble(_ bot: Rehearsal) -> Incident? {
        bot.state.incidents.inOrder.last { $0.rule == "source-failing" && $0.isOpen }
    }

    @Test func `it fails since its last answer`() throws {
        var bot = bot()
        bot.see(.fine)
        let answered = bot.now
        bot.suspend(for: .minutes(40))
        bot.fail()
        #expect(trouble(bot) == nil)
        bot.suspend(for: .minutes(5))
        bot.fail()
        #expect(trouble(bot)?.since == answered)
        bot.advance(by: .zero)
        let opened = try #require(bot.decisions.last { $0.kind == .opened }).message
        #expect(opened.headline.hasSuffix("(since Fri 20 Nov 12:00 UTC)"))
        #expect(opened.fields.contains(Message.Field("Since", "Fri 20 Nov 12:00, for 45 min")))

        // A reminder counts from the same moment, and so does the end.
        bot.advance(by: .hours(4))
        let reminder = try #require(bot.decisions.last { $0.kind == .reminder }).message
        #expect(reminder.fields.contains(Message.Field("Since", "Fri 20 Nov 12:00, for 4 h 45 min")))
        bot.see(.fine)
        let resolved = try #require(bot.decisions.last { $0.kind == .resolved }).message
        #expect(resolved.fields.contains(Message.Field("Lasted", "Fri 20 Nov 12:00 to 16:45 UTC, 4 h 45 min")))
    }

    @Test func `its reminders name what is wrong now, and nobody is notified more often`() throws {
        var bot = bot()
        bot.comparesReplay = true
        bot.see(.fine)
        func fail(_ reason: PollFailure.Reason, _ sentence: String) {
            let report = PollReport(.failed(PollFailure(reason, sentence)))
            bot.step(.polled(source: "ios", report, validators: [:]))
            bot.advance(by: .zero)
        }
        bot.suspend(for: .minutes(45))
        fail(.timeout, "no answer within 20 s")
        fail(.timeout, "no answer within 20 s")
        let opened = try #require(trouble(bot))
        for _ in 0..<3 {
            bot.advance(by: .hours(1))
            fail(.forbidden, "answered 403")
        }
        #expect(bot.decisions.map(\.kind) == [.opened])
        bot.crash()
        bot.advance(by: .hours(1))
        #expect(bot.decisions.map(\.kind) == [.opened, .reminder])
        let reminder = try #require(bot.decisions.last).message
        #expect(reminder.headline.contains("answered 403"), "\(reminder.headline)")
        #expect(trouble(bot)?.id == opened.id)
        #expect(trouble(bot)?.since == opened.since)
        #expect(bot.objections == [])
    }

    @Test func `an answer after which it must not be asked for longer than its figures last is told of`() throws {
        var bot = bot()
        let until = bot.now + .hours(9)
        var report = PollReport(.values([.cue(.fine, of: .shop, at: bot.now)]), warnings: ["issues: answered 503"])
        report.notBefore = until
        bot.step(.polled(source: "ios", report, validators: [:]))
        bot.advance(by: .zero)
        let opened = try #require(bot.decisions.last { $0.kind == .opened }).message
        #expect(
            opened.headline.contains(
                "Source ios asks not to be polled before Fri 20 Nov 21:00 UTC, so there are no figures from it until then: "
                    + "issues: answered 503"), "\(opened.headline)")
        // As long as each answer says so it is one trouble.
        bot.suspend(for: .hours(9))
        report.notBefore = bot.now + .hours(9)
        bot.step(.polled(source: "ios", report, validators: [:]))
        #expect(trouble(bot)?.since == .rehearsalStart)
        bot.see(.fine)
        #expect(trouble(bot) == nil)
        var brief = report
        brief.notBefore = bot.now + .minutes(2)
        bot.step(.polled(source: "ios", brief, validators: [:]))
        #expect(trouble(bot) == nil, "what is soon over is no trouble")
    }

    private func lack(_ bot: Rehearsal) -> Incident? {
        bot.state.incidents.inOrder.last { $0.rule == "partial-answers" && $0.isOpen }
    }

    private func partial(_ bot: Rehearsal, _ reason: PollFailure.Reason = .forbidden) -> PollReport {
        PollReport(.values([.cue(.fine, of: .shop, at: bot.now)]))
            .waiting(after: [PollFailure(reason, "issues: the token may not see this (403)")])
    }

    @Test func `one whose answers lack a part for longer than figures last is told of, until they are whole`()
        throws
    {
        var bot = bot()
        bot.comparesReplay = true
        bot.see(.fine)
        let begin = bot.now + .minutes(5)
        for _ in 0..<6 {
            bot.advance(by: .minutes(5))
            bot.step(.polled(source: "ios", partial(bot), validators: [:]))
            #expect(lack(bot) == nil)
        }
        // An answer that says 'as before' lacks what that one did.
        bot.advance(by: .minutes(5))
        bot.step(.polled(source: "ios", PollReport(.unchanged), validators: [:]))
        bot.advance(by: .zero)
        #expect(lack(bot)?.since == begin)
        #expect(trouble(bot) == nil, "whatever waits for a source that does not answer must not wait")
        let opened = try #require(bot.decisions.last { $0.kind == .opened }).message
        #expect(
            opened.headline.contains(
                "Only partial answers from source ios: issues: the token may not see this (403) (since Fri 20 Nov 12:05 UTC)"
            ),
            "\(opened.headline)")
        #expect(opened.incidents[0].severity == .warning)
        // Of a part that waits for a budget nothing new is known.
        bot.advance(by: .minutes(5))
        bot.step(.polled(source: "ios", partial(bot, .rateLimited), validators: [:]))
        #expect(lack(bot)?.since == begin)
        bot.advance(by: .minutes(5))
        bot.see(.fine)
        #expect(lack(bot) == nil)
        #expect(bot.decisions.last?.kind == .resolved)
        #expect(bot.objections == [])
    }

    @Test func `an answer that stays the same lacks what it lacked, each time that it comes`() {
        var bot = bot()
        bot.comparesReplay = true
        bot.see(.fine)
        let begin = bot.now + .minutes(5)
        for poll in 0..<7 {
            #expect(lack(bot) == nil)
            bot.advance(by: .minutes(5))
            bot.step(
                .polled(source: "ios", poll == 0 ? partial(bot) : PollReport(.unchanged), validators: [:]))
        }
        #expect(lack(bot)?.since == begin)
        #expect(bot.objections == [])
    }

    @Test func `a part that waits for a budget, or that is there again in time, is no trouble`() {
        var bot = bot()
        for poll in 0..<40 {
            bot.advance(by: .minutes(5))
            bot.step(
                .polled(source: "ios", partial(bot, poll < 20 ? .rateLimited : .unavailable), validators: [:]))
            if poll >= 20, poll % 4 == 0 { bot.see(.fine) }
            #expect(lack(bot) == nil)
        }
    }

    /// Of a source that is told rather than asked people want to know when somebody told it something.
    @Test func `looking whether anybody still pushes is no news`() {
        var hook = SourcePlan(name: "ios", slowest: .minutes(30), jitter: 0)
        hook.isPushed = true
        var bot = Rehearsal(.rehearsed(sources: [hook]))
        bot.pollAnswer = { _, _ in (PollReport(.unchanged), .zero) }
        bot.start()
        bot.advance(by: .minutes(5))
        #expect(bot.state.schedule.sources["ios"]?.lastChanged == nil)
        let pushed = bot.now
        bot.step(.pushed(source: "ios", PollReport(.values([.cue(.fine, of: .shop, at: pushed)])), id: 1))
        bot.advance(by: .hours(3))
        #expect(bot.state.schedule.sources["ios"]?.lastChanged == pushed)
        #expect(bot.state.schedule.sources["ios"]?.lastPolled ?? .earliest > pushed + .hours(2))
    }

    @Test func `one that is told and is never told anything is stale after its slowest, though polls take a moment`()
        throws
    {
        var plan = SourcePlan(name: "ios", slowest: .minutes(30))
        plan.isPushed = true
        var bot = Rehearsal(.rehearsed(sources: [plan]))
        let took = Duration.milliseconds(7)
        // It notes its own clock, which is later than the turn that began the poll and earlier than the one that ends it, and
        // at the first poll later than at the others.
        bot.pollAnswer = { order, now in
            let asked = now + .milliseconds(order.cursor == nil ? 5 : 1)
            guard let since = order.cursor?["pushed"]?.string.flatMap({ Moment(rfc3339: $0) }) else {
                return (PollReport(.noData, cursor: ["pushed": JSON(asked)]), took)
            }
            return (PollReport(asked - since >= .minutes(30) ? .stale(measured: since) : .unchanged), took)
        }
        bot.start()
        bot.advance(by: took)
        let began = bot.now
        bot.advance(by: .minutes(30) - .seconds(1))
        #expect(trouble(bot) == nil)
        bot.advance(by: .seconds(2))
        #expect(trouble(bot)?.since == began)
        bot.advance(by: .hours(2))
        #expect(bot.polls.count == 6)
        #expect(bot.objections == [])
    }

    @Test func `what never answered fails since it is polled, whatever its polls brought`() throws {
        var bot = bot()
        bot.suspend(for: .minutes(10))
        let began = bot.now
        bot.step(.polled(source: "ios", PollReport(.stale(measured: bot.now - .minutes(1))), validators: [:]))
        bot.suspend(for: .minutes(30))
        bot.fail()
        bot.suspend(for: .minutes(5))
        bot.fail()
        #expect(trouble(bot)?.since == began)
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
    }

    @Test func `figures that are too old are no usable answer either`() {
        var bot = bot()
        bot.see(.fine)
        let answered = bot.now
        bot.suspend(for: .hours(2))
        bot.step(.polled(source: "ios", PollReport(.stale(measured: answered)), validators: [:]))
        #expect(trouble(bot)?.since == answered)
    }

    @Test func `the same source failing twice since one moment is two incidents`() throws {
        var bot = bot()
        bot.see(.fine)
        bot.suspend(for: .minutes(45))
        bot.fail()
        bot.fail()
        let first = try #require(trouble(bot))
        // The source leaves the config and comes back without having answered.
        var without = bot.plan
        without.sources = [SourcePlan(name: "web", jitter: 0)]
        let with = bot.plan
        bot.reload(without)
        #expect(trouble(bot) == nil)
        bot.reload(with)
        bot.suspend(for: .minutes(5))
        bot.fail()
        let second = try #require(trouble(bot))
        #expect(second.since == first.since)
        #expect(second.id != first.id)
    }

    @Test func `that it began before it was noticed hides no change from a gate that counts them`() throws {
        var bot = bot(.rehearsed(gates: [try .rule(FlappingGate.self, "wobble", ["within": "3h", "calm": "1h"])]))
        bot.see(.fine)
        for _ in 0..<2 {
            bot.suspend(for: .minutes(45))
            bot.fail()
            bot.fail()
            bot.suspend(for: .minutes(5))
            bot.see(.fine)
        }
        let swings = bot.state.past.compactMap { fact -> [Moment]? in
            if case .incidents(.swings(rule: "source-failing", _, key: _, let moments)) = fact { moments } else { nil }
        }
        #expect(swings.first?.count == 4)
    }

    // MARK: - One broken source is one incident

    private func troubles(_ bot: Rehearsal) -> [String] {
        bot.state.incidents.inOrder.filter { $0.isOpen && $0.subject.app == Subject.botApp }.map(\.rule)
    }

    @Test func `one whose credential is refused after it has failed for long is one incident, which gets worse`() throws
    {
        var bot = bot()
        bot.see(.fine)
        let answered = bot.now
        bot.suspend(for: .minutes(45))
        bot.fail()
        bot.fail()
        let failing = try #require(trouble(bot))
        bot.advance(by: .zero)
        bot.fail(.unauthorized)
        bot.fail(.unauthorized)
        bot.advance(by: .zero)
        #expect(troubles(bot) == ["source-stopped"])
        let stopped = try #require(bot.state.incidents[failing.id])
        #expect(stopped.severity == .critical)
        #expect(stopped.since == answered)
        #expect(bot.decisions.map(\.kind) == [.opened, .escalated])
        let worse = try #require(bot.decisions.last).message
        #expect(worse.headline.contains("was refused twice"))
        #expect(worse.footer.contains("Rule source-stopped · incident \(failing.id)"))
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)

        // Its end is said once, too.
        bot.reload(bot.plan)
        bot.see(.fine)
        bot.advance(by: .zero)
        #expect(troubles(bot).isEmpty)
        #expect(bot.decisions.map(\.kind) == [.opened, .escalated, .resolved])
    }

    @Test func `one that was refused and then is out of reach for long stays the one incident`() throws {
        var bot = bot()
        bot.see(.fine)
        bot.fail(.unauthorized)
        bot.fail(.unauthorized)
        bot.reload(bot.plan)
        bot.suspend(for: .minutes(45))
        bot.fail()
        bot.fail()
        bot.advance(by: .zero)
        #expect(troubles(bot) == ["source-failing"])
        #expect(bot.decisions.map(\.kind) == [.opened])
        // Nobody is told to renew a token that has been renewed.
        bot.advance(by: .hours(4))
        let reminder = try #require(bot.decisions.last { $0.kind == .reminder }).message
        #expect(reminder.severity == .critical)
        #expect(reminder.headline.contains("No usable answer from source ios: "), "\(reminder.headline)")
        #expect(try bot.stateFromSnapshot().durable == bot.state.durable)
        bot.see(.fine)
        #expect(troubles(bot).isEmpty)
        #expect(bot.decisions.filter { $0.kind == .resolved }.count == 1)
    }

    @Test func `one that answers again with figures that are too old stays the one incident`() throws {
        var bot = bot()
        bot.see(.fine)
        let answered = bot.now
        bot.suspend(for: .hours(2))
        bot.fail(.unauthorized)
        bot.fail(.unauthorized)
        bot.advance(by: .zero)
        let stopped = bot.state.incidents.inOrder.map(\.id)
        bot.reload(bot.plan)
        bot.step(.polled(source: "ios", PollReport(.stale(measured: answered)), validators: [:]))
        bot.advance(by: .zero)
        #expect(troubles(bot) == ["source-failing"])
        #expect(bot.state.incidents.inOrder.map(\.id) == stopped)
        #expect(bot.decisions.map(\.kind) == [.opened])
    }

    @Test func `one that is not polled cannot be stopped, however often whoever pushes is refused`() {
        var source = SourcePlan(name: "ios", jitter: 0)
        source.isPushed = true
        var bot = Rehearsal(.rehearsed(sources: [source]))
        bot.pollAnswer = { _, _ in nil }
        bot.start()
        let refusal = PollReport(.failed(PollFailure(.unauthorized, "answered 401")))
        for id in 1...2 { bot.step(.pushed(source: "ios", refusal, id: id)) }
        bot.advance(by: .zero)
        #expect(bot.state.schedule.sources["ios"]?.stopped == nil)
        #expect(bot.state.schedule.sources["ios"]?.failure?.count == 2)
        #expect(troubles(bot).isEmpty)
    }

    @Test func `one whose figures are not too old for long works again`() throws {
        var bot = bot()
        bot.see(.fine)
        let answered = bot.now
        bot.fail(.unauthorized)
        bot.fail(.unauthorized)
        bot.reload(bot.plan)
        bot.step(.polled(source: "ios", PollReport(.stale(measured: answered)), validators: [:]))
        bot.advance(by: .zero)
        #expect(troubles(bot).isEmpty)
    }
}
