import AlertTesting
import BudgetGate
import PluginKit
import Testing

@testable import AlertCore

/// Very many incidents in one poll.
@Suite struct `A storm` {
    private static let appsCount = 200
    /// How many messages a turn accepts.
    private static let pieceCount = 64

    private func see(_ look: Cue, _ bot: inout Rehearsal) {
        bot.see((0..<Self.appsCount).map { (Subject(source: "ios", app: "app-\($0)"), look) })
    }

    private func nextDue(_ bot: Rehearsal) -> Moment? {
        var state = bot.state
        return state.nextDue
    }

    private func incidents(_ bot: Rehearsal) -> [String] { bot.sends.compactMap(\.delivery.incident) }

    @Test func `is announced in pieces, each app once, and the next piece follows at once`() throws {
        var bot = Rehearsal(.rehearsed())
        bot.comparesReplay = true
        bot.start()
        see(.warning, &bot)
        #expect(bot.state.incidents.count == Self.appsCount)
        #expect(bot.accepted.count == Self.pieceCount)
        #expect(nextDue(bot) == bot.now)
        bot.step(.tick)
        #expect(bot.accepted.count == 2 * Self.pieceCount)
        bot.advance(to: bot.now)
        #expect(bot.sends.count == Self.appsCount)
        #expect(
            incidents(bot) == bot.state.incidents.all.map(\.id).sorted(), "the order in which all would be told at once"
        )
        #expect(try #require(nextDue(bot)) > bot.now)
        #expect(bot.objections == [])
    }

    @Test(arguments: [false, true])
    func `is told in pieces to a channel that is new, too`(isStart: Bool) {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        see(.warning, &bot)
        bot.advance(by: .minutes(1))
        let plan = Plan.rehearsed(channels: ["team", "page"].map { ChannelPlan(name: $0) })
        if isStart { bot.crash(plan) } else { bot.reload(plan) }
        #expect(bot.accepted.count == Self.appsCount + Self.pieceCount)
        bot.advance(by: .minutes(1))
        let apps = bot.sends.filter { $0.delivery.channel == "page" }.compactMap(\.delivery.incident)
        #expect(Set(apps.filter { bot.state.incidents[$0]?.subject.source == "ios" }).count == Self.appsCount)
        #expect(bot.objections == [])
    }

    @Test func `is told to its end by a bot that was killed in the middle`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        see(.warning, &bot)
        bot.crash(after: .seconds(5))
        bot.advance(by: .minutes(1))
        #expect(Set(incidents(bot)).count == Self.appsCount)
        #expect(bot.accepted.count == Self.appsCount)
        #expect(bot.objections == [])
    }

    @Test func `says nothing of what is over before its turn came`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        see(.warning, &bot)
        see(.fine, &bot)
        bot.advance(by: .minutes(1))
        let kinds = bot.kindsSent(to: "team")
        #expect(kinds.count { $0 == .opened } == Self.pieceCount)
        #expect(kinds.count { $0 == .resolved } == Self.pieceCount)
        #expect(kinds.count == 2 * Self.pieceCount)
        #expect(bot.state.incidents.isEmpty)
        #expect(bot.objections == [])
    }

    @Test func `waits in its backlog while the journal cannot be written, and is announced when it can`() {
        var bot = Rehearsal(.rehearsed())
        bot.start()
        see(.warning, &bot)
        bot.step(.journal(trouble: "the disk is full"))
        bot.advance(by: .minutes(1))
        bot.step(.journal(trouble: nil))
        bot.advance(by: .minutes(1))
        let apps = incidents(bot).filter { bot.state.incidents[$0]?.subject.source == "ios" }
        #expect(Set(apps).count == Self.appsCount)
        #expect(bot.objections == [])
    }

    @Test func `is written no faster than its channel takes it`() throws {
        var bot = Rehearsal(.rehearsed(channels: [.paced("team", atOnce: 4)]))
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .seconds(1)) }
        bot.start()
        see(.warning, &bot)
        bot.advance(to: bot.now)
        #expect(bot.accepted.count == Self.pieceCount + 4)
        #expect(try #require(nextDue(bot)) > bot.now, "the end of an attempt is waited for")
        var most = 0
        while bot.sends.count < Self.appsCount, bot.now < .rehearsalStart + .minutes(2) {
            bot.advance(by: .seconds(1))
            most = max(most, bot.state.outbox.deliveries.count)
        }
        #expect(most == Self.pieceCount + 4)
        #expect(incidents(bot) == bot.state.incidents.all.map(\.id).sorted())
        #expect(bot.objections == [])
    }

    @Test func `is put off once, however often it is polled while no channel takes more`() {
        var agenda = Agenda()
        for _ in 0..<3 { for id in ["b", "a", "c"] { agenda.postpone(id, isUrgent: false) } }
        #expect(agenda.popBacklog() == "b")
        agenda.postpone("b", isUrgent: false)
        #expect((0..<4).map { _ in agenda.popBacklog() } == ["a", "c", "b", nil])
    }

    @Test func `has what becomes urgent looked at before all that waits, and once`() {
        var agenda = Agenda()
        for id in ["a", "b", "c"] { agenda.postpone(id, isUrgent: false) }
        for _ in 0..<2 { for id in ["d", "b"] { agenda.postpone(id, isUrgent: true) } }
        agenda.resumeBacklog(at: .rehearsalStart)
        #expect((0..<5).map { _ in agenda.popBacklog() } == ["d", "b", "a", "c", nil])
        #expect(agenda.next == nil)
    }

    @Test func `waits in no channel for another that answers nothing`() {
        var bot = Rehearsal(.rehearsed(channels: [.paced("stuck", atOnce: 1), .paced("team", atOnce: 4)]))
        bot.sendAnswer = { delivery, _ in delivery.channel == "team" ? (.delivered(receipt: nil), .zero) : nil }
        bot.start()
        see(.warning, &bot)
        bot.advance(to: bot.now)
        #expect(bot.sends.count { $0.delivery.channel == "team" } == Self.appsCount)
        #expect(bot.objections == [])
    }

    /// More than one message takes, so that one record of the journal holds it.
    private static let manyApps = (0..<1201).map { Subject(source: "ios", app: "app-\($0)") }

    /// The messages about many, each no larger than it may be, and about others than the rest.
    private func parts(_ bot: Rehearsal) -> [Message] {
        let sent = bot.decisions.filter { $0.decision == .send && $0.message.incidents.count > 1 }
        for fact in bot.state.facts { #expect(fact.bytes.count < 1 << 20) }
        let told = sent.flatMap { $0.message.incidents.map(\.id) }
        #expect(Set(told).count == told.count)
        #expect(bot.objections == [])
        return sent.map(\.message)
    }

    @Test func `that a budget holds back becomes as many messages as it takes, the worst first`() throws {
        let gate = try GatePlan.rule(BudgetGate.self, "calm", ["at_most": "1 per 1h"])
        var bot = Rehearsal(.rehearsed(gates: [gate]))
        bot.start()
        bot.see(.critical, of: .shop)
        bot.see(Self.manyApps.map { ($0, $0.app == "app-1200" ? .critical : .warning) })
        bot.advance(by: .hours(2))
        let parts = parts(bot)
        #expect(parts.map(\.incidents.count) == [500, 500, 201])
        #expect(parts.first?.incidents.first?.subject.app == "app-1200")
        #expect(
            parts.map(\.headline).map { $0.drop { $0 != ":" } } == [
                ": 500 firing, held until now by budget calm, part 1 of 3",
                ": 500 firing, held until now by budget calm, part 2 of 3",
                ": 201 firing, held until now by budget calm, part 3 of 3",
            ])
    }

    @Test func `that came and went at night is summed up in as many messages as it takes`() throws {
        var bot = Rehearsal(
            .rehearsed(gates: [.quiet("nights", from: "2026-11-20 12:00", until: "2026-11-20 13:00")]))
        bot.start()
        bot.see(Self.manyApps.map { ($0, .warning) })
        bot.advance(by: .minutes(10))
        bot.see(Self.manyApps.map { ($0, .fine) })
        bot.advance(by: .hours(2))
        let parts = parts(bot)
        #expect(parts.map(\.incidents.count) == [500, 500, 201])
        #expect(
            parts.last?.headline.hasSuffix(
                ": 201 incidents came and went while held by quiet hours (nights), part 3 of 3") == true)
        #expect(bot.state.incidents.isEmpty)
    }
}

extension ChannelPlan {
    /// A channel that takes so many messages at a time, and as many in a second as it is given.
    fileprivate static func paced(_ name: String, atOnce: Int) -> ChannelPlan {
        ChannelPlan(name: name, pace: Pace(perSecond: 1_000_000, burst: 1_000_000, atOnce: atOnce))
    }
}
