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

    @Test func `a digest about one incident goes into its thread`() throws {
        var bot = bot([try budget()])
        bot.see([(bank, .warning), (game, .warning)])
        bot.advance(by: .seconds(2))
        bot.see(.fine, of: bank)
        bot.advance(by: .seconds(30))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .opened, .digest])
        let opening = try #require(bot.sends.first { $0.delivery.summaries.first?.subject == bank })
        #expect(bot.sends.last?.delivery.thread == "r-\(opening.delivery.number)")
        #expect(bot.objections == [])
    }

    @Test func `a digest about incidents that began in messages of their own begins a thread`() throws {
        var bot = bot([try budget()])
        bot.see([(bank, .warning), (game, .warning)])
        bot.advance(by: .seconds(2))
        bot.see([(bank, .fine), (game, .fine)])
        bot.advance(by: .seconds(30))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .opened, .digest])
        #expect(bot.sends.last?.delivery.thread == nil)
        #expect(bot.sends.last?.isThreadOwn == false)
    }

    @Test func `what one message opened ends in its thread, and the message is brought up to date`() throws {
        var bot = bot([try group()])
        bot.see(parts("shop", 2).map { ($0, .warning) })
        bot.advance(by: .seconds(30))
        bot.see(parts("shop", 2).map { ($0, .fine) })
        bot.advance(by: .seconds(30))
        #expect(bot.sends.map(\.delivery.kind) == [.opened, .resolved])
        #expect(bot.sends.map(\.delivery.summaries.count) == [2, 2])
        #expect(bot.sends.last?.delivery.thread == "r-1")
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
        #expect(bot.sends.last?.delivery.thread == "r-1")
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
        #expect(bot.sends.last?.delivery.thread == nil)
        #expect(bot.sends.last?.isThreadOwn == false)
    }

    @Test func `a message that is tried again is in the same thread`() throws {
        var bot = bot([try group()])
        bot.see(parts("shop", 2).map { ($0, .warning) })
        bot.advance(by: .seconds(30))
        bot.sendAnswer = { delivery, _ in
            (delivery.attempts < 3 ? .retry(after: nil, "busy") : .delivered(receipt: "r-\(delivery.number)"), .zero)
        }
        bot.see(parts("shop", 2).map { ($0, .fine) })
        bot.advance(by: .seconds(30))
        bot.crash(after: .minutes(1))
        bot.advance(by: .minutes(5))
        #expect(bot.sends.dropFirst().map(\.delivery.thread) == ["r-1", "r-1", "r-1"])
        #expect(bot.objections == [])
    }
}
