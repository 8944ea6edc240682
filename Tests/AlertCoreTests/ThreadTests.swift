import AlertCore
import AlertTesting
import BudgetGate
import GroupGate
import PluginKit
import Testing

/// Where messages belong in a chat that keeps what is said of one thing together.
@Suite struct `Threads` {
    private let bank = Subject(source: "ios", app: "bank")
    private let game = Subject(source: "ios", app: "game")

    /// A bot whose channel gives each message an id, by its number.
    private func bot(_ gates: [GatePlan]) -> Rehearsal {
        var bot = Rehearsal.checked(.rehearsed(gates: gates))
        bot.sendAnswer = { delivery, _ in (.delivered(receipt: "r-\(delivery.number)"), .zero) }
        return bot
    }

    private func budget() throws -> GatePlan {
        try .rule(BudgetGate.self, "calm", ["at_most": "2 per 20s"])
    }

    private func group() throws -> GatePlan { try .rule(GroupGate.self, "together", ["wait": "20s"]) }

    @Test(arguments: [1, 2])
    func `what has arrived counts before older messages are edited, and its channel is busy until that ends`(
        atOnce: Int
    ) throws {
        let pace = Pace(perSecond: 100, burst: 100, atOnce: atOnce)
        var bot = Rehearsal.checked(.rehearsed(channels: [ChannelPlan(name: "team", pace: pace)]))
        bot.sendAnswer = { _, _ in nil }
        bot.see(.warning, of: bank)
        bot.advance(by: .seconds(1))
        let opening = try #require(bot.sends.first).delivery.id
        bot.step(.arrived(id: opening, .delivered(receipt: "r")))
        var killed = bot
        killed.crash()
        killed.advance(by: .minutes(5))
        #expect(killed.sends.count { $0.delivery.id == opening } == 1)
        bot.see([(bank, .critical), (game, .warning)])
        bot.advance(by: .seconds(1))
        let meanwhile: [Notification.Kind] = atOnce == 1 ? [.opened] : [.opened, .opened]
        #expect(bot.kindsSent(to: "team") == meanwhile)
        bot.step(.delivered(id: opening, .delivered(receipt: "r")))
        bot.advance(by: .seconds(1))
        #expect(bot.kindsSent(to: "team") == meanwhile + [.escalated])
        #expect(bot.sends.last?.delivery.progress.thread == "r")
        #expect(bot.ends[opening]?.count == 1)
        #expect(bot.objections == [])
    }

    @Test(arguments: [false, true])
    func `a service that asks to wait when a message is edited is left alone with everything for its channel`(
        hasArrivedBefore: Bool
    ) throws {
        var bot = Rehearsal.checked(.rehearsed(channels: [ChannelPlan(name: "team", pace: .unlimited)]))
        bot.sendAnswer = { _, _ in nil }
        bot.see(.warning, of: bank)
        bot.advance(by: .seconds(1))
        let first = try #require(bot.sends.first).delivery.id
        if hasArrivedBefore { bot.step(.arrived(id: first, .delivered(receipt: "r"))) }
        bot.step(.delivered(id: first, .delivered(receipt: "r"), askedToWait: .seconds(30)))
        let asked = bot.now
        #expect(bot.state.outbox.channels["team"]?.askedPause(at: asked) == asked + .seconds(30))
        bot.see(.warning, of: game)
        bot.advance(to: asked + .seconds(29))
        #expect(bot.kindsSent(to: "team") == [.opened])
        bot.advance(to: asked + .seconds(31))
        #expect(bot.kindsSent(to: "team") == [.opened, .opened])
    }

    @Test func `a digest about one incident goes into its thread`() throws {
        var bot = bot([try budget()])
        bot.see([(bank, .warning), (game, .warning)])
        bot.advance(by: .seconds(2))
        bot.see(.fine, of: bank)
        bot.advance(by: .seconds(30))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .opened, .digest])
        let opening = try #require(bot.sends.first { $0.delivery.summaries.first?.subject == bank })
        #expect(bot.sends.last?.delivery.progress.thread == "r-\(opening.delivery.number)")
        // By its own end, and not by what the digest says of it.
        #expect(bot.sends.last?.isThreadOwn == false)
        let edits = try #require(bot.sends.last?.edits)
        #expect(edits.map(\.opening) == ["r-\(opening.delivery.number)"])
        #expect(edits.map(\.message.kind) == [.resolved])
        #expect(edits.map { $0.message.headline.prefix(7) } == ["✅ bank:"].map { $0.prefix(7) })
        #expect(bot.objections == [])
    }

    @Test func `a digest about incidents that began in messages of their own begins a thread`() throws {
        var bot = bot([try budget()])
        bot.see([(bank, .warning), (game, .warning)])
        bot.advance(by: .seconds(2))
        bot.see([(bank, .fine), (game, .fine)])
        bot.advance(by: .seconds(30))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .opened, .digest])
        #expect(bot.sends.last?.delivery.progress.thread == nil)
        #expect(bot.sends.last?.isThreadOwn == false)
        let edits = try #require(bot.sends.last?.edits)
        let openings = bot.sends.prefix(2).map { ($0.delivery.summaries[0].id, "r-\($0.delivery.number)") }
        #expect(
            Dictionary(uniqueKeysWithValues: edits.map { ($0.incident, $0.opening) }) == Dictionary(openings) { $1 })
        #expect(edits.map(\.message.kind) == [.resolved, .resolved])
        #expect(edits.allSatisfy { $0.message.incidents.map(\.id) == [$0.incident] })
        // Nothing of it is kept.
        #expect(bot.state.outbox.history.allSatisfy { $0.delivery.updates.isEmpty })
        #expect(bot.objections == [])
    }

    @Test func `openings of what is over are brought up to date before those of what goes on, and not too many`() throws
    {
        var bot = bot([try .rule(BudgetGate.self, "calm", ["at_most": "12 per 20s"])])
        let apps = (0..<12).map { Subject(source: "ios", app: "app\($0)") }
        bot.see(apps.map { ($0, .warning) })
        bot.advance(by: .seconds(2))
        bot.see(apps.prefix(6).map { ($0, .critical) } + apps.suffix(6).map { ($0, .fine) })
        bot.advance(by: .seconds(30))
        let digest = try #require(bot.sends.last)
        #expect(digest.delivery.summaries.count == 12)
        #expect(digest.edits.count == Delivery.updatesMax)
        #expect(
            digest.edits.map(\.message.kind)
                == Array(repeating: .resolved, count: 6)
                + Array(repeating: .escalated, count: Delivery.updatesMax - 6))
        #expect(bot.objections == [])
    }

    @Test func `a digest about all that one message opened brings it up to date`() throws {
        var bot = bot([try group(), try .rule(BudgetGate.self, "calm", ["at_most": "1 per 2m"])])
        bot.see(parts("shop", 2).map { ($0, .warning) })
        bot.advance(by: .seconds(30))
        bot.see(parts("shop", 2).map { ($0, .fine) })
        bot.advance(by: .minutes(5))
        let end = try #require(bot.sends.last)
        #expect(bot.sends.count == 2)
        #expect(end.delivery.summaries.count == 2)
        #expect(end.delivery.progress.thread == "r-1")
        #expect(end.isThreadOwn)
        #expect(end.edits == [])
        #expect(bot.objections == [])
    }

    @Test func `a channel that gives its messages no ids is asked for no edits`() throws {
        var bot = bot([try budget()])
        bot.sendAnswer = { _, _ in (.delivered(receipt: nil), .zero) }
        bot.see([(bank, .warning), (game, .warning)])
        bot.advance(by: .seconds(2))
        bot.see([(bank, .fine), (game, .fine)])
        bot.advance(by: .seconds(30))
        #expect(bot.sends.last?.delivery.kind == .digest)
        #expect(bot.sends.last?.edits == [])
        #expect(bot.sends.last?.delivery.updates == [])
    }

    @Test func `a digest that is tried again, by another run too, asks for the same edits`() throws {
        var bot = bot([try budget()])
        bot.see([(bank, .warning), (game, .warning)])
        bot.advance(by: .seconds(2))
        bot.see([(bank, .fine), (game, .fine)])
        bot.sendAnswer = { delivery, _ in
            (
                delivery.progress.attempts < 3 ? .unknown("no answer") : .delivered(receipt: "r-\(delivery.number)"),
                .zero
            )
        }
        bot.advance(by: .seconds(19))
        bot.crash(after: .minutes(1))
        bot.advance(by: .minutes(5))
        let digests = bot.sends.filter { $0.delivery.kind == .digest }
        #expect(digests.count > 1)
        #expect(digests[0].edits.count == 2)
        #expect(digests.allSatisfy { $0.edits == digests[0].edits })
        #expect(bot.objections == [])
    }

    @Test func `what one message opened ends in its thread, and the message is brought up to date`() throws {
        var bot = bot([try group()])
        bot.see(parts("shop", 2).map { ($0, .warning) })
        bot.advance(by: .seconds(30))
        bot.see(parts("shop", 2).map { ($0, .fine) })
        bot.advance(by: .seconds(30))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .resolved])
        #expect(bot.sends.map(\.delivery.summaries.count) == [2, 2])
        #expect(bot.sends.last?.delivery.progress.thread == "r-1")
        #expect(bot.sends.last?.isThreadOwn == true)
        #expect(bot.objections == [])
    }

    @Test func `an end of some of those that one message opened leaves it as it was`() throws {
        var bot = bot([try group()])
        let shop = parts("shop", 3)
        bot.see(shop.map { ($0, .warning) })
        bot.advance(by: .seconds(30))
        bot.see(shop[1...].map { ($0, .fine) })
        bot.advance(by: .seconds(30))
        #expect(bot.sends.last?.delivery.kind == .resolved)
        #expect(bot.sends.last?.delivery.summaries.count == 2)
        #expect(bot.sends.last?.delivery.progress.thread == "r-1")
        #expect(bot.sends.last?.isThreadOwn == false)
    }

    @Test func `an end of those that different messages opened begins a thread`() throws {
        var bot = bot([try group()])
        let shop = parts("shop", 2)
        bot.see(.warning, of: shop[0])
        bot.advance(by: .seconds(30))
        bot.see(.warning, of: shop[1])
        bot.advance(by: .seconds(30))
        bot.see(shop.map { ($0, .fine) })
        bot.advance(by: .seconds(30))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .opened, .resolved])
        #expect(bot.sends.last?.delivery.summaries.count == 2)
        #expect(bot.sends.last?.delivery.progress.thread == nil)
        #expect(bot.sends.last?.isThreadOwn == false)
    }

    @Test func `a message that is tried again is in the same thread`() throws {
        var bot = bot([try group()])
        bot.see(parts("shop", 2).map { ($0, .warning) })
        bot.advance(by: .seconds(30))
        bot.sendAnswer = { delivery, _ in
            (
                delivery.progress.attempts < 3
                    ? .retry(after: nil, "busy") : .delivered(receipt: "r-\(delivery.number)"), .zero
            )
        }
        bot.see(parts("shop", 2).map { ($0, .fine) })
        bot.advance(by: .seconds(30))
        bot.crash(after: .minutes(1))
        bot.advance(by: .minutes(5))
        #expect(bot.sends.dropFirst().map(\.delivery.progress.thread) == ["r-1", "r-1", "r-1"])
        #expect(bot.objections == [])
    }
}
